"""Runs a scenario in a language, with its own servers."""

from __future__ import annotations

import functools

from servers import Receiver

from harness.files import SERVER_KEY_FILE
from harness.sandbox import Sandbox
from harness.scenario import HOOK, LAST, OPERATIONS, SERVER_URL, SETTINGS, Call, Control, Scenario, Webhook, matches
from harness.server import Server
from harness.service import MERCHANT, MERCHANT_ID

from . import names
from .case import Fields, Outcome, Session
from .entry import camel
from .process import Broken, Cannot

OF_SETTINGS = {
    *SETTINGS, "base_url", "public_key", "ca_file", "proxy", "timeout_ms", "connect_timeout_ms", "max_retries", "max_reply_bytes",
}  # fmt: skip
# The paths by the names by which the sandbox counts requests.
PATHS = {camel(name): path for name, path in OPERATIONS.items()}
# The operations that return nothing in most languages.
WITHOUT_RESULT = {"confirm", "cancel", "attach_receipt"}
OF_ERROR = ("code", "outcome", "description", "reason", "order_id", "http_status", "message", "content_type", "excerpt")
# Few scenarios expect a value of these fields. Without an expected value, the languages must only agree.
OPTIONAL = {"is_transient", "content_type", "excerpt"}
OF_EVENT = ("operation", "order_id", "number", "http_status", "code", "outcome")
# Members of a command, and not settings.
MEMBERS = ("environment", "signer", "logger", "interrupt")


def held(program: str) -> Sandbox:
    """A sandbox that holds all payments, the same in every run: no check starts automatically, so that no scenario depends on speed."""
    keys = ["--key-id", MERCHANT_ID, "--public-key", MERCHANT.public, "--server-private-key-file", str(SERVER_KEY_FILE)]
    return Sandbox([program], "--seed", "1", "--pace", "1ms", "--hold", *keys)


class ScenarioCase:
    def __init__(self, scenario: Scenario, program: str, platform: str = "linux") -> None:
        self.scenario, self._program = scenario, program
        self._lacks = scenario.on_windows if platform == "windows" else {}
        self.name, self.without, self.unlike = f"scenarios/{scenario.name}", scenario.without, scenario.unlike
        calls = [step for step in scenario.steps if isinstance(step, Call)]
        self.commands = {"call", *(name for call in calls for name in MEMBERS if name in call.fields)}

    def run(self, session: Session) -> Outcome:
        receiver = Receiver()
        server = Server(self.scenario.server) if self.scenario.server is not None else held(self._program)
        visit = Visit(session, self.scenario, server, receiver, self._lacks)
        try:
            for step in self.scenario.steps:
                visit.take(step)
            visit.count()
        except Cannot as reason:
            return Outcome(cannot=str(reason))
        except Exception as error:
            visit.problems.append(f"{type(error).__name__}: {error}")
        finally:
            receiver.close()
            server.close()
        visit.judge()
        return Outcome(visit.problems, visit.seen())


class Visit:
    def __init__(self, session: Session, scenario: Scenario, server: Server | Sandbox, receiver: Receiver, lacks: dict[str, str]) -> None:
        self._session, self._scenario, self._server, self.receiver, self._lacks = session, scenario, server, receiver, lacks
        self._order_id = ""
        self.results: list[Fields] = []
        self.requests: dict[str, int] = {}
        self.connections: int | None = None
        self.sent: list[str] = []
        self.problems: list[str] = []
        if isinstance(server, Server):
            server.scenario = self

    def count(self) -> None:
        if isinstance(self._server, Sandbox):
            self.requests = {PATHS[name]: count for name, count in self._server.requests().items() if count}
            return
        self._server.settle()
        self.requests = dict(self._server.requests)
        self.sent = sorted(text.replace(self.receiver.url, "http://hook") for text in self._server.sent)
        self.problems += [f"the server complains: {complaint}" for complaint in self._server.complaints]
        if self._scenario.connections is not None:
            self.connections = self._server.connections

    def judge(self) -> None:
        for what in ("requests", "connections"):
            if getattr(self, what) != (expected := getattr(self._scenario, what)):
                self.problems.append(f"{what} at the server: {getattr(self, what)}, expected {expected}")
        if self._scenario.sends is not None and [self._scenario.sends] != self.sent:
            self.problems.append(f"sent: {self.sent}, expected {[self._scenario.sends]}")

    def seen(self) -> list[tuple[str, Fields]]:
        """The values that are compared between languages, with a name for each part."""
        counts = {name: str(count) for name, count in self.requests.items()}
        if self.connections is not None:
            counts["connections"] = str(self.connections)
        sent = {f"request {n}": text for n, text in enumerate(self.sent, 1)}
        return [*((f"result {n}", result) for n, result in enumerate(self.results, 1)), ("at the server", counts), ("sent", sent)]

    def take(self, step: Call | Webhook | Control) -> None:
        if isinstance(step, Control):
            self._server.control("POST", step.path.replace("{order}", self._order_id), step.body)
        elif isinstance(step, Webhook):
            self.verify_next(step.expect)
        else:
            for one in step.expect:
                self._keep(self._ask(step.command, step.fields), one)

    def verify_next(self, expect: dict, beside: bool = False) -> None:
        webhook = self.receiver.next()
        given = {"body": webhook.body, "signature": webhook.signature, "webhook_key_id": webhook.key_id, "private_key": None}
        self._keep(self._ask("verify_webhook", given, beside), expect)

    def _ask(self, command: str, fields: dict[str, object], beside: bool = False) -> Fields:
        meant = {LAST: self._order_id, HOOK: self.receiver.url, SERVER_URL: self._server.url}
        settings = {} if "environment" in fields else {**SETTINGS, "base_url": self._server.url}
        if isinstance(self._server, Sandbox):
            settings["server_key_id"] = [self._server.printed["serverKeyId"]]
        given = {name: meant.get(value, value) if value.__hash__ else value for name, value in {**settings, **fields}.items()}
        if "environment" in fields:
            given["environment"] = {name: meant.get(value, value) for name, value in fields["environment"].items()}
        if command == "verify_webhook":
            given.pop("base_url", None)
        asked = line(command, {name: value for name, value in given.items() if value is not None})
        interrupt = None
        if asked.get("interrupt", "before") != "before":
            event, asked["interrupt"] = asked["interrupt"], "during"
            interrupt = functools.partial(self._server.await_next, event, self._server.seen(event))
        try:
            return flat(command, self._session.ask(asked, beside, interrupt))
        except Broken as error:
            return {"crash": str(error)}

    def _keep(self, result: Fields, expect: dict) -> None:
        # A sandbox's links begin with its URL, which changes. Some languages do not distinguish an empty text from an absent text.
        result = {name: value.replace(self._server.url, "http://server") for name, value in result.items() if value or name == "amounts"}
        self._order_id = result.get("order_id", self._order_id)
        message = result.pop("message", "")
        self.results.append(result)
        self.problems += names.missing(self._session.language, expect.get("names", []), message)
        expect = {name: value for name, value in expect.items() if name not in {"names", *self._session.language.silent, *self._lacks}}
        judged = {name: value for name, value in result.items() if name not in {*OPTIONAL, *self._lacks} or name in expect}
        if not matches(expect, judged):
            self.problems.append(f"result {len(self.results)} is {shown(result)}, expected {shown(expect)}")


def line(command: str, given: dict[str, object]) -> dict:
    settings = {name: value if isinstance(value, list) else str(value) for name, value in given.items() if name in OF_SETTINGS}
    members = {name: given[name] for name in MEMBERS if name in given}
    rest = {name: value for name, value in given.items() if name not in OF_SETTINGS and name not in members}
    if command == "verify_webhook":
        parts = {"body": rest["body"].hex(), "signature": rest.get("signature"), "key_id": rest.get("webhook_key_id")}
        return {"do": "verify", "settings": settings, **members, **{name: part for name, part in parts.items() if part is not None}}
    times, files = rest.pop("repeat", 1), rest.pop("file", [])
    files = [{"path": path} for path in (files if isinstance(files, list) else [files])]
    if "file_data" in rest:
        data = rest.pop("file_data").hex()
        files.append({"name": rest.pop("file_name"), "content_type": rest.pop("file_type"), "data": data})
    arguments = {name: str(value) for name, value in rest.items()}
    if command == "attach_receipt":
        arguments["files"] = files
    return {"do": "call", "settings": settings, "operation": command, "arguments": arguments, "times": times, **members}


def flat(command: str, result: dict) -> Fields:
    """The fields that a scenario expects, with the number of signed messages and a line for each event of the log."""
    answer = result.get("ok", result.get("error"))
    signed = {"signed": str(len(answer["signed"]))} if "signed" in answer else {}
    events = [" ".join(f"{name}={event[name]}" for name in OF_EVENT if name in event) for event in answer.get("log", [])]
    return {**of_result(command, result), **signed, **({"log": "\n".join(events)} if "log" in answer else {})}


def of_result(command: str, result: dict) -> Fields:
    if "error" in result:
        error = result["error"]
        transient = {"is_transient": str(int(error["is_transient"]))} if "is_transient" in error else {}
        return {"ok": "0", **{name: str(error[name]) for name in OF_ERROR if name in error}, **transient}
    done = result["ok"]
    if command == "get_available_amounts":
        return {"ok": "1", "amounts": ",".join(done["amounts"]), "other": str(int(done["other_amounts_possible"]))}
    if command in WITHOUT_RESULT:
        return {"ok": "1"}
    if command == "new_payment_async":
        return {"ok": "1", "order_id": done["payment"]["order_id"]}
    kind = {"kind": done["kind"]} if command == "verify_webhook" else {}
    final = {"final": str(int(done["final"]))} if "final" in done and done["payment"].get("status") else {}
    return {"ok": "1", **kind, **done["payment"], **final}


def shown(result: dict) -> str:
    values = ((name, printable(value) if isinstance(value, str) else "*") for name, value in result.items() if name is not ...)
    text = " ".join(f"{name}={value}" for name, value in values)
    return text + (" …" if ... in result else "")


def printable(text: str) -> str:
    return "".join(c if c.isprintable() else f"\\x{ord(c):02x}" for c in text[:300])
