"""The vectors: an input, and the output that every language must produce. ../vectors/README.md describes a
case."""

from __future__ import annotations

import base64
import itertools
import json
import re
import tempfile
import time
from email.utils import parsedate_to_datetime
from pathlib import Path

from nacl.exceptions import BadSignatureError

from vectors.foreign import check as check_signature

from . import names
from .case import Outcome, Session
from .process import Cannot

FOLDER = Path(__file__).parent.parent / "vectors"
LISTS = {"server_public_keys": "server_public_key", "server_key_ids": "server_key_id"}
OF_VERIFIER = {"key_id", "server_public_key", "server_key_id"}
OF_EXPLANATION = {*OF_VERIFIER, "public_key"}
OF_PROTOCOL = {*OF_VERIFIER, "base_url", "private_key"}
OF_ERROR = ("description", "reason", "http_status", "order_id")
MARK = "@boundary@"
# Merchants receive no requests of the API, so the packages do not explain such requests. The core's own tests read this file.
ONLY_OF_RUST = "refused_requests"


def cases(platform: str = "linux") -> list[Vector]:
    found = []
    for path in sorted(FOLDER.glob("*.json")):
        document = json.loads(path.read_text(encoding="utf-8"))
        if document["count"] != len(document["cases"]) or document["count"] < 30:
            raise ValueError(f"{path.name} has {len(document['cases'])} cases")
        if path.stem != ONLY_OF_RUST:
            found += [Vector(path.stem, document["settings"], case, platform) for case in document["cases"]]
    return [vector for vector in found if vector.ways]


def snake(name: str) -> str:
    return re.sub("[A-Z]", lambda capital: "_" + capital.group().lower(), name)


def content(value: str | dict) -> bytes:
    return value.encode() if isinstance(value, str) else base64.b64decode(value["base64"], validate=True)


class Vector:
    def __init__(self, file: str, settings: dict, case: dict, platform: str) -> None:
        self.case, self.kind, self.name = case, case["kind"], f"vectors/{file}/{case['name']}"
        own = case.get("settings", {})
        merged = {**settings, **own}
        self.public_key = merged["public_key"]
        self.settings = {LISTS.get(name, name): value for name, value in merged.items() if value is not None}
        # The case's own settings, which everything that it makes gets.
        self.own = {LISTS.get(name, name) for name in own}
        self.ways: list[str] = case.get("ways", ["settings"])
        # The variables of Windows are UTF-16, so bytes that are not UTF-8 cannot be in them.
        if platform == "windows" and any(isinstance(value, dict) for value in {**own, **case.get("environment", {})}.values()):
            self.ways = [way for way in self.ways if way != "environment"]
        self._check, command = KINDS[self.kind]
        self.commands = {command, *({"signer", "client"} & {*case, *case.get("makes", [])})}
        self.commands |= set() if "settings" in self.ways else {"environment"}
        self.without: dict[str, str] = {}

    def environment(self, settings: dict) -> dict[str, str | bytes]:
        """In place of these settings, and the case's own variables."""
        joined = {names.variable(name): ",".join(value) if isinstance(value, list) else value for name, value in settings.items()}
        variables = {**joined, **self.case.get("environment", {})}
        return {name: content(value) if isinstance(value, dict) else value for name, value in variables.items() if value is not None}

    def run(self, session: Session) -> Outcome:
        check = Check(self, session)
        try:
            self._check(check)
        except Cannot as reason:
            return Outcome(cannot=str(reason))
        return Outcome(check.problems)


class Check:
    def __init__(self, vector: Vector, session: Session) -> None:
        self.case, self.vector, self.session, self.language = vector.case, vector, session, session.language
        self.expected: dict = self.case.get("expected", {})
        self.problems: list[str] = []
        self.way = "settings"

    def same(self, what: str, got: object, wanted: object) -> None:
        if got != wanted:
            self.problems.append(f"{what}: {str(got)[:600]!r}, expected {str(wanted)[:600]!r}")

    def ask(self, do: str, verifier: bool = False, **parts: object) -> dict:
        needed = {"explain": OF_EXPLANATION}.get(do, OF_VERIFIER if verifier else OF_PROTOCOL) | self.vector.own
        settings = {name: value for name, value in self.vector.settings.items() if name in needed}
        parts = {name: part for name, part in parts.items() if part is not None}
        if "signer" in self.case and not verifier:
            parts["signer"] = self.case["signer"]
        if self.way == "settings":
            texts = {name: {"hex": content(value).hex()} if isinstance(value, dict) else value for name, value in settings.items()}
            return self.session.ask({"do": do, "settings": texts, **parts})
        return self.in_environment({"do": do, "settings": self.case.get("on_top", {}), **parts}, self.vector.environment(settings))

    def in_environment(self, command: dict, variables: dict) -> dict:
        with tempfile.NamedTemporaryFile(prefix="contract-key-") as file:
            if "key_file" in self.case:
                file.write(content(self.case["key_file"]))
                file.flush()
                variables = {"MERCHANTPAY_PRIVATE_KEY_FILE": file.name, **variables}
            return self.session.ask({**command, "environment": variables})

    def operation(self, do: str, operation: str, arguments: dict, **parts: object) -> dict:
        given = {snake(name): value for name, value in arguments.items()}
        if "files" in given:
            given["files"] = [{**file, "data": content(file["data"]).hex()} for file in given["files"]]
        return self.ask(do, operation=snake(operation), arguments=given, **parts)

    def settled(self, result: dict, body: bytes | None = None) -> dict | None:
        """The result, if a success is expected. `body` is compared with the body in an error."""
        wanted = self.expected.get("error")
        if wanted is None or "ok" in result:
            self.same("result", "ok" if "ok" in result else result["error"], "ok" if wanted is None else wanted)
            return result.get("ok") if wanted is None else None
        error = result["error"]
        for name in ("code", "outcome"):
            self.same(name, error[name], wanted[name])
        self.problems += names.missing(self.language, wanted.get("names", []), error.get("message", ""), self.way == "environment")
        if body is not None:
            for name in OF_ERROR:
                self.same(name, error.get(name), wanted.get(name))
            self.retry_after(error.get("retry_after_ms"), wanted.get("retry_after_ms"))
            if "body" not in self.language.silent:
                kept = error["code"] in ("rejected", "malformed")
                self.same("body of the error", error.get("body"), body.hex() if kept else None)
        return None

    def signed(self, result: dict, body: bytes) -> None:
        """A signer got the body once, or nothing at all was signed."""
        if "signer" in self.case:
            self.same("signed", result.get("signed"), self.expected.get("signed", [body.hex()]))

    def retry_after(self, got: int | None, wanted: int | str | None) -> None:
        """A text is a date: how long it is until then."""
        if isinstance(wanted, str):
            until = (parsedate_to_datetime(wanted).timestamp() - time.time()) * 1000
            wanted = got if got is not None and abs(got - until) < 60_000 else until
        self.same("retry_after_ms", got, wanted)

    def payment(self, result: dict, body: bytes, operation: str = "") -> None:
        wanted = {snake(name): value for name, value in self.expected["payment"].items()}
        if operation in self.language.order_id_only:
            self.same("payment", result["payment"], {"order_id": wanted["order_id"]})
            return
        self.same("payment", result["payment"], wanted)
        shown = {"final": self.expected["final"], "json": body.decode()}
        for name in shown.keys() - self.language.silent.keys():
            self.same(name, result[name], shown[name])
        if "sum_minor" in self.expected and "sum_minor" in result:
            minor = self.expected["sum_minor"]
            self.same("sum_minor", result["sum_minor"], None if minor is None else str(minor))

    def headers(self, got: list, wanted: list) -> None:
        pairs = [(name, value) for name, value in got], [(name, value) for name, value in wanted]
        if self.language.headers_differ:
            pairs = tuple(sorted((name.lower(), value) for name, value in one) for one in pairs)
        self.same("headers", *pairs)


def settings(check: Check) -> None:
    ways = [way for way in check.vector.ways if way == "settings" or check.language.has(way)]
    for way, made in itertools.product(ways, check.case["makes"]):
        check.way = way
        result = check.settled(check.ask("settings", verifier=made == "verifier", makes=made))
        if made == "protocol" and result is not None and "signature" in check.expected:
            sent = check.operation("prepare", "confirm", check.expected["arguments"])["ok"]
            check.same("body", bytes.fromhex(sent["body"]), check.expected["body"].encode())
            check.same("signature", {name.lower(): value for name, value in sent["headers"]}["x-signature"], check.expected["signature"])


def request(check: Check) -> None:
    sent = check.settled(check.operation("prepare", check.case["operation"], check.case["arguments"]))
    if sent is not None:
        check.same("url", sent["url"], check.expected["url"])
        check.headers(sent["headers"], check.expected["headers"])
        check.same("body", bytes.fromhex(sent["body"]), check.expected["body"].encode())
        check.signed(sent, check.expected["body"].encode())


def receipt(check: Check) -> None:
    sent = check.settled(check.operation("prepare", "attachReceipt", check.case["arguments"]))
    if sent is None:
        return
    headers = {name.lower(): value for name, value in sent["headers"]}
    boundary, body = headers["content-type"].partition("boundary=")[2], bytes.fromhex(sent["body"])
    check.same("url", sent["url"], check.expected["url"])
    wanted = [(name, value.replace(MARK, boundary)) for name, value in check.expected["headers"]]
    check.headers([pair for pair in sent["headers"] if pair[0].lower() != "x-signature"], wanted)
    check.same("body", body, content(check.expected["body"]).replace(MARK.encode(), boundary.encode()))
    try:
        check_signature(check.vector.public_key, body, headers["x-signature"])
    except BadSignatureError:
        check.problems.append("the signature does not verify")


def amount_text(check: Check) -> None:
    arguments = {"sum": check.case["text"], "paymentMethod": "card"}
    check.settled(check.operation("prepare", "getAvailableAmounts", arguments))


def opened(check: Check, operation: str, arguments: dict) -> dict:
    reply = check.case["reply"]
    given = {"status": reply["status"], "headers": reply["headers"], "body": content(reply["body"]).hex()}
    return check.operation("open", operation, arguments, reply=given)


def reply(check: Check) -> None:
    body, operation = content(check.case["reply"]["body"]), check.case["operation"]
    result = check.settled(opened(check, operation, check.case["arguments"]), body)
    if result is None:
        return
    if "amounts" in check.expected:
        check.same("amounts", result["amounts"], check.expected["amounts"])
        check.same("others", result["other_amounts_possible"], check.expected["other_amounts_possible"])
        check.same("json", result["json"].encode(), body)
    elif operation in ("confirm", "cancel", "attachReceipt"):
        # In most languages these operations return nothing. In Rust they return the payment, which this check ignores.
        check.same("result", result.keys() & {"amounts"}, set())
    else:
        check.payment(result, body, snake(operation))


def status(check: Check) -> None:
    result = opened(check, "getStatus", {"orderId": "o-1"})["ok"]
    check.same("status", result["payment"].get("status"), check.case["text"])
    check.same("final", result["final"], check.case["final"])
    check.same("known", result["known"], check.case["known"])


def webhook(check: Check) -> None:
    given = check.case["webhook"]
    body = content(given["body"])
    result = check.settled(check.ask("verify", verifier=True, body=body.hex(), signature=given["signature"], key_id=given["key_id"]), body)
    if result is not None:
        check.same("event", result["kind"], check.expected["event"])
        check.payment(result, body)


def explanation(check: Check) -> None:
    given = check.case["webhook"]
    parts = {"body": content(given["body"]).hex(), "signature": given["signature"], "key_id": given["key_id"]}
    result = check.settled(check.ask("explain", **parts))
    if result is not None:
        check.same("cause", result.get("cause"), check.expected["cause"] or "")
        check.same("hint", (result.get("hint") or "")[-1:], "." if check.expected["cause"] else "")


# The check of each kind, and the command that it needs.
KINDS = {
    "settings": (settings, "settings"), "request": (request, "prepare"), "receipt": (receipt, "prepare"),
    "amount_text": (amount_text, "prepare"), "reply": (reply, "open"), "status": (status, "open"), "webhook": (webhook, "verify"),
    "explanation": (explanation, "explain"),
}  # fmt: skip
