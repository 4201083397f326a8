"""Runs the cases of journal/cases.json, which README.md describes: one sandbox for each case, and an adapter's
journal."""

from __future__ import annotations

import base64
import json
import os
import subprocess
import time
import urllib.parse
from pathlib import Path

from harness.sandbox import PATIENCE, Refused, Sandbox, until
from vectors.foreign import Key

from . import places
from .case import Outcome
from .entry import Differs, camel, is_error, read, worded
from .process import Cannot

FILE = Path(__file__).parent.parent / "journal" / "cases.json"
CALLBACK = "http://127.0.0.1:9/callback"
ANOTHER = "http://127.0.0.1:9/another"
SETTINGS = {"callback_url": CALLBACK, "timeout_ms": "15000", "create": "1"}
STEP = {"do", "as", "expect", "error"}
STYLES = {
    "question": ("?", "?", "?"),
    "dollar": ("$1", "$2", "$3"),
    "percent": ("%s", "%s", "%s"),
    "colon": (":reference", ":attempt", ":news"),
    "at": ("@reference", "@attempt", "@news"),
}
ACKNOWLEDGE = "UPDATE merchantpay_attempts SET acked = news WHERE reference = {} AND attempt = {} AND news = {} AND acked < news"


class Failed(Exception):
    def __init__(self, fields):
        super().__init__(fields)
        self.fields = fields


class Service(Sandbox):
    """A sandbox whose steps take no time, and a second key of the service, with which a case signs."""

    def __init__(self, program):
        super().__init__([program], "--pace", "0")
        printed, self.forger = self.printed, Key("forger")
        self.client = {
            "base_url": self.url, "key_id": printed["keyId"], "private_key": printed["privateKey"],
            "server_public_key": [printed["serverPublicKey"], self.forger.public], "server_key_id": [printed["serverKeyId"], "forger"],
            "timeout_ms": "5000",
        }  # fmt: skip


def cases(program):
    """Each case at each kind of place, unless the case names some."""
    table = json.loads(FILE.read_text(encoding="utf-8"))
    if len(table["cases"]) != table["count"]:
        raise ValueError(f"{FILE.name} has {len(table['cases'])} cases")
    return [JournalCase(case, kind, program) for kind in places.kinds() for case in table["cases"] if kind in case.get("places", [kind])]


class JournalCase:
    def __init__(self, case, kind, program):
        self._case, self._kind, self._program, self.without = case, kind, program, case.get("without", {})
        self.name = f"journal/{kind}/{case['name']}"
        self.commands = {"journal_open"} | {"interrupt" for step in case["steps"] if "interrupt" in step}

    def run(self, session):
        sandbox = Service(self._program)
        try:
            with places.made(self._kind) as place:
                try:
                    self._take(Steps(sandbox, place, session, self._program))
                except Differs as difference:
                    return Outcome([str(difference)])
                finally:
                    session.ask({"do": "journal_close"})
                    if self._kind != "file":
                        # The library keeps the connections to a database, and each case has its own.
                        session.adapter.stop()
        finally:
            sandbox.close()
        return Outcome()

    def _take(self, steps):
        for number, step in enumerate(self._case["steps"], 1):
            try:
                steps.take(step)
            except (Differs, Failed) as difference:
                raise Differs(f"step {number}, {json.dumps(step, ensure_ascii=False)}: {difference}") from difference


class Steps:
    def __init__(self, sandbox, place, session, program):
        self.sandbox, self.place, self.session, self.program = sandbox, place, session, program
        self.named = {}
        self.ask("journal_open", place=place.text, settings=SETTINGS, client=sandbox.client)

    def ask(self, do, **arguments):
        asked = {"do": do, **{name: value for name, value in arguments.items() if value is not None}}
        answer = self.session.ask(asked, interrupt=self.next_status() if asked.get("interrupt") == "during" else None)
        if "error" in answer:
            raise Failed(answer["error"])
        return answer["ok"]

    def next_status(self):
        """Returns a function that waits for the next request about a payment."""
        count = lambda: self.do_requests()["requests"]["getStatus"]  # noqa: E731
        before = count()
        return lambda: until(lambda: count() > before)

    def take(self, step):
        arguments = {name: value for name, value in step.items() if name not in STEP}
        error = step.get("error")
        try:
            result = getattr(self, "do_" + step["do"])(**arguments)
            raised = result.get("error") if step["do"] == "receive" else None
        except Cannot as reason:
            if str(reason) not in self.session.language.cannot:
                raise Differs(f"its adapter.json does not name: {reason}") from reason
            return
        except Failed as failure:
            result, raised = None, failure.fields
        if error is not None and raised is None:
            raise Differs("there was no error")
        if raised is not None and not (error and is_error(worded(raised), error)):
            raise Differs(f"the error is {raised}")
        if error is not None and step["do"] != "receive":
            return
        if step["do"] == "receive":
            result = result["entry"]
        if "expect" in step:
            self.check(result, step["expect"])
        if "as" in step:
            self.named[step["as"]] = result[0] if isinstance(result, list) else result

    def value(self, value):
        """`$name` is the order id of a named result."""
        if not isinstance(value, str) or not value.startswith("$"):
            return value
        named = self.named[value[1:]]
        return named["orderId"] if "orderId" in named else (named.get("fields") or named["payment"])["order_id"]

    def names(self, entry, by=None):
        """What names an entry: itself, or the values that a program could have kept of it."""
        fields = self.named[entry]["fields"]
        return {"entry": self.named[entry]["entry"]} if by is None else {name: fields[name] for name in by}

    def do_pay(self, reference, sum, account="79001234567", replace=None, **others):
        request = {"sum": sum, "payment_method": "sbp", "customer_account": account}
        do = "replace" if replace else "pay_async" if others.pop("async", False) else "pay"
        if others:
            raise TypeError(f"pay has no {others}")
        return self.ask(do, reference=reference, attempt=replace, request=request)["entry"]

    def do_confirm(self, entry, by=None):
        return self.ask("confirm", **self.names(entry, by))["entry"]

    def do_cancel(self, entry, by=None):
        return self.ask("cancel", **self.names(entry, by))["entry"]

    def do_resolve(self, entry, note, order_id=None, sum=None, no_payment=None, seen=None, trusted=None):
        decision = {"order_id": self.value(order_id), "sum": sum, "no_payment": no_payment, "seen": seen, "trusted": trusted}
        return self.ask("resolve", **self.names(entry), note=note, **decision)["entry"]

    def do_wait(self, reference, until, interrupt=None):
        return self.ask("wait", reference=reference, timeout_ms=1000 * PATIENCE, until=until, interrupt=interrupt)["entry"]

    def do_settle(self, until=None, reference=None, standing=None, interrupt=None):
        if interrupt:
            return self.ask("settle", limit=100, interrupt=interrupt)
        end = time.monotonic() + PATIENCE
        while True:
            found = self.do_find(reference) if reference else self.do_list(standing)
            try:
                self.check(found, until)
                return found
            except Differs:
                if time.monotonic() > end:
                    raise
            settled = self.ask("settle", limit=100)
            if settled["done"] == 0:
                time.sleep(min(settled.get("next_due_ms", 0), 100) / 1000)

    def do_find(self, reference):
        return self.ask("find", reference=reference)["entry"]

    def do_list(self, standing=None, limit=100, before=None):
        before = before and self.named[before]["entry"]
        return self.ask("list", standing=standing, limit=limit, before=before)["entries"]

    def do_news(self, limit=100):
        return self.ask("news", limit=limit)["entries"]

    def do_acknowledge(self, entry, changed, by=None):
        if self.ask("acknowledge", **self.names(entry, by))["changed"] is not changed:
            raise Differs(f"it changed something: {not changed}")

    def do_acknowledge_sql(self, entry, rows):
        """Compares the statement of each style, and runs one of them."""
        values = [self.named[entry]["fields"][name] for name in ("reference", "attempt", "news")]
        for style, marks in STYLES.items():
            sql = self.ask("acknowledge_sql", entry=self.named[entry]["entry"], style=style)
            expected = dict(zip(("reference", "attempt", "news"), values)) if style in ("colon", "at") else values
            if sql["text"] != ACKNOWLEDGE.format(*marks) or sql.get("parameters", expected) != expected:
                raise Differs(f"{style} is {sql}")
        changed = self.place.sql(ACKNOWLEDGE.format(f"'{values[0]}'", *values[1:]))
        if changed != rows:
            raise Differs(f"it changed {changed} rows")

    def do_attention(self, limit=100):
        return self.ask("attention", limit=limit)["entries"]

    def do_stats(self):
        return {"counts": {camel(name): value for name, value in self.ask("stats")["stats"].items()}}

    def do_webhook(self, merchant_id, kind, status=None):
        """The oldest webhook of this kind for a payment, with its body."""
        query = "/webhooks?" + urllib.parse.urlencode({"merchantId": merchant_id})
        fits = lambda one: one["kind"] == kind and status in (None, one["status"])  # noqa: E731
        found = until(lambda: [one for one in self.sandbox.control("GET", query)["webhooks"] if fits(one)])
        webhook = self.sandbox.control("GET", f"/webhooks/{found[-1]['id']}")
        request = webhook["request"]
        body = base64.b64decode(request["body"]["base64"])
        return {**webhook, "body": body, "signature": request["signature"], "key_id": request["keyId"]}

    def do_forge(self, webhook, order_id):
        """A named webhook as the service would send it about another order."""
        named, order_id = self.named[webhook], self.value(order_id)
        body = named["body"].replace(named["orderId"].encode(), order_id.encode())
        url = self.sandbox.control("GET", f"/payments/{order_id}")["statusWebhookUrl"]
        return {**named, "url": url, "orderId": order_id, "body": body, "signature": self.sandbox.forger.sign(body), "key_id": "forger"}

    def do_receive(self, webhook, http_status, to=None, path=None, body=None, signature=None):
        named = self.named[webhook]
        received = self.ask(
            "receive",
            path=path or self.named[to or webhook]["url"],
            body=(named["body"] if body is None else body.encode()).hex(),
            signature=named["signature"] if signature is None else signature,
            key_id=named["key_id"],
        )
        if received["http_status"] != http_status:
            raise Differs(f"it is answered with {received['http_status']}")
        return received

    def do_client(self, operation, sum=None, account="79001234567", merchant_id=None, order=None):
        arguments = {"order_id": self.value(order)}
        if order is None:
            arguments = {"sum": sum, "payment_method": "sbp", "customer_account": account, "merchant_id": merchant_id}
            arguments["status_webhook_url"] = ANOTHER
        if operation == "new_payment_async":
            arguments["credentials_webhook_url"] = ANOTHER
        arguments = {name: value for name, value in arguments.items() if value is not None}
        return self.ask("call", settings=self.sandbox.client, operation=operation, arguments=arguments)

    def do_fault(self, kind, operation, times=1):
        self.sandbox.control("POST", "/faults", {"kind": kind, "operation": operation, "times": times})

    def do_operator(self, merchant_id, action, by="operator"):
        query = "/payments?" + urllib.parse.urlencode({"merchantId": merchant_id})
        order_id = until(lambda: self.sandbox.control("GET", query)["payments"])[0]["orderId"]

        def act():
            try:
                return self.sandbox.control("POST", f"/payments/{order_id}/{by}", {"action": action})
            except Refused as error:
                if error.status != 409:
                    raise
                return None

        until(act)

    def do_requests(self):
        return {"requests": self.sandbox.control("GET", "")["requests"]}

    def do_open(self, settings={}, client={}, place=None, use=False):  # noqa: B006
        texts = {**SETTINGS, **{name: value if isinstance(value, list) else str(value) for name, value in settings.items()}}
        texts = {name: value for name, value in texts.items() if value != "None"}
        place = self.place.text if place is None else self.place.copy if place == "copy" else place
        self.ask("journal_open", place=place, settings=texts, client={**self.sandbox.client, **client})
        if not use:
            raise Differs("it opens")

    def do_program(self, words, place=None, input=None):
        """Returns the lines that `merchantpay journal` prints."""
        environment = {name: value for name, value in os.environ.items() if not name.startswith("MERCHANTPAY_")}
        environment["MERCHANTPAY_JOURNAL"] = self.place.copy if place == "copy" else self.place.text
        lines = self.named[input[1:]]["lines"] if input and input.startswith("$") else [input or ""]
        words = [word.replace("COPY", self.place.copy) for word in words]
        done = subprocess.run(
            [self.program, "journal", *words], env=environment, input="\n".join(lines), capture_output=True, text=True, timeout=PATIENCE
        )
        if done.returncode != 0:
            raise Failed(json.loads(done.stderr.splitlines()[-1])["error"])
        return {"lines": done.stdout.splitlines()}

    def do_sql(self, text, rows=1):
        """Changes what is stored, as time or another program would."""
        if self.place.sql(text) != rows:
            raise Differs(f"it does not change {rows} rows")

    def check(self, result, expected):
        if expected is None or result is None:
            if result is not expected:
                raise Differs(f"it is {result}")
        elif isinstance(expected, list):
            if len(result) != len(expected):
                raise Differs(f"there are {len(result)}: {[item['json'] for item in result]}")
            for item, fields in zip(result, expected):
                self.check(item, fields)
        elif "lines" in result:
            lines = result["lines"]
            shown = {"lines": len(lines)} if "lines" in expected else json.loads(lines[0])
            if {name: shown.get(name) for name in expected} != expected:
                raise Differs(f"it prints {lines}")
        elif "counts" in result:
            shown = {name: result["counts"].get(name) for name in expected}
            if shown != expected:
                raise Differs(f"they are {shown}")
        elif "requests" in result:
            counts = {name: result["requests"].get(name, 0) for name in expected}
            if counts != expected:
                raise Differs(f"there are {counts}")
        else:
            shown = read(result)
            for name, value in expected.items():
                self.check_field(name, shown.get(name), value)

    def check_field(self, name, shown, expected):
        if name == "orderId" and expected is True:
            equal = shown is not None
        elif name == "credentials":
            equal = (shown is not None) is expected
        elif isinstance(expected, dict):
            equal = shown is not None and all(shown.get(field) == self.value(value) for field, value in expected.items())
        else:
            equal = shown == self.value(expected)
        if not equal:
            raise Differs(f"{name} is {shown}")
