"""Runs the cases of journal/cases.json, which README.md describes: one sandbox for each case, and an
adapter's journal."""

from __future__ import annotations

import base64
import json
import subprocess
import tempfile
import time
import urllib.error
import urllib.parse
import urllib.request
from pathlib import Path

from . import places
from .case import Outcome
from .entry import Differs, is_error, read, worded
from .process import Cannot

FILE = Path(__file__).parent.parent / "journal" / "cases.json"
PATIENCE = 30
CALLBACK = "http://127.0.0.1:9/callback"
ANOTHER = "http://127.0.0.1:9/another"
SETTINGS = {"callback_url": CALLBACK, "timeout_ms": "15000", "calls_per_second": "1000", "create": "1"}
STEP = {"do", "as", "expect", "error"}
# The operator's steps, and the commands that an adapter needs for them. An adapter may have a journal without these commands.
OPERATOR = {
    "copy": {"export", "import"},
    **{name: {name} for name in ("backup", "forget", "import", "pause", "purge", "resume", "stats")},
}


class Failed(Exception):
    """An error of the library, as its fields."""

    def __init__(self, fields):
        super().__init__(fields)
        self.fields = fields


class Sandbox:
    """A sandbox whose steps take no time, and its control API."""

    def __init__(self, program):
        command = [program, "sandbox", "--port", "0", "--pace-ms", "0", "--format", "json"]
        self.process = subprocess.Popen(command, stdout=subprocess.PIPE)
        printed = json.loads(self.process.stdout.readline())
        self.url = printed["baseUrl"]
        self.settings = {
            "base_url": self.url, "key_id": printed["keyId"], "private_key": printed["privateKey"],
            "server_public_key": [printed["serverPublicKey"]], "server_key_id": [printed["serverKeyId"]], "timeout_ms": "5000",
        }  # fmt: skip

    def control(self, method, path, body=None):
        data = None if body is None else json.dumps(body).encode()
        request = urllib.request.Request(f"{self.url}/sandbox{path}", data, {"Content-Type": "application/json"}, method=method)
        with urllib.request.urlopen(request, timeout=PATIENCE) as reply:
            return json.load(reply)

    def close(self):
        self.process.kill()
        self.process.wait()
        self.process.stdout.close()


def until(look, pause=0.01):
    """Calls `look` until `look` returns a value, and returns that value."""
    end = time.monotonic() + PATIENCE
    while not (found := look()):
        if time.monotonic() > end:
            raise Differs(f"it did not happen in {PATIENCE} s")
        time.sleep(pause)
    return found


def cases(languages, program):
    """Each case at each kind of place that a language has."""
    table = json.loads(FILE.read_text(encoding="utf-8"))
    if len(table["cases"]) != table["count"]:
        raise ValueError(f"{FILE.name} has {len(table['cases'])} cases")
    return [JournalCase(case, kind, languages, program) for kind in places.kinds() for case in table["cases"]]


class JournalCase:
    """A case of the table at one kind of place, as a case of the runner."""

    def __init__(self, case, kind, languages, program):
        self._case, self._kind, self._program = case, kind, program
        self.name = f"journal/{kind}/{case['name']}"
        self.commands = {"journal_open"}.union(*(OPERATOR.get(step["do"], set()) for step in case["steps"]))
        self.without = {one.name: "no driver of its own" for one in languages if not places.of(one, kind)}

    def run(self, session):
        problems = []
        for place in places.of(session.language, self._kind):
            with places.made(place) as made:
                try:
                    self._at(made, session)
                except Differs as difference:
                    problems.append(f"{place.get('driver', 'a file')}: {difference}")
        return Outcome(problems)

    def _at(self, place, session):
        sandbox = Sandbox(self._program)
        try:
            steps = Steps(sandbox, place, session)
            for number, step in enumerate(self._case["steps"], 1):
                try:
                    steps.take(step)
                except (Differs, Failed) as difference:
                    raise Differs(f"step {number}, {json.dumps(step, ensure_ascii=False)}: {difference}") from difference
        finally:
            session.ask({"do": "journal_close"})
            sandbox.close()


class Steps:
    def __init__(self, sandbox, place, session):
        self.sandbox, self.place, self.session = sandbox, place, session
        self.named = {}
        self.ask("journal_open", place=place, settings=SETTINGS, client=sandbox.settings)

    def ask(self, do, **arguments):
        answer = self.session.ask({"do": do, **{name: value for name, value in arguments.items() if value is not None}})
        if "error" in answer:
            raise Failed(answer["error"])
        return answer["ok"]

    def take(self, step):
        arguments = {name: value for name, value in step.items() if name not in STEP}
        error = step.get("error")
        try:
            method = getattr(self, "do_" + step["do"])
            result = method(**arguments)
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

    def order_id(self, value):
        if not isinstance(value, str) or not value.startswith("$"):
            return value
        named = self.named[value[1:]]
        return named["orderId"] if "orderId" in named else (named.get("fields") or named["payment"])["order_id"]

    def number(self, name):
        return None if name is None else self.named[name]["entry"]

    # The steps.

    def do_pay(self, reference, sum, account="79001234567", replace=None, **others):
        request = {"sum": sum, "payment_method": "sbp", "customer_account": account}
        do = "pay_async" if others.pop("async", False) else "pay"
        return self.ask(do, reference=reference, request=request, replace=replace, **others)["entry"]

    def do_confirm(self, entry):
        return self.ask("confirm", entry=self.number(entry))["entry"]

    def do_cancel(self, entry):
        return self.ask("cancel", entry=self.number(entry))["entry"]

    def do_resolve(self, entry, note, order_id=None, **word):
        self.ask("resolve", entry=self.number(entry), note=note, order_id=self.order_id(order_id), **word)

    def do_wait(self, reference, until):
        return self.ask("wait", reference=reference, timeout_ms=1000 * PATIENCE, until=until)["entry"]

    def do_settle(self, reference, until):
        end = time.monotonic() + PATIENCE
        while True:
            entry = self.do_find(reference)
            try:
                self.check(entry, until)
                return entry
            except Differs:
                if time.monotonic() > end:
                    raise
            settled = self.ask("settle", limit=100)
            if settled["done"] == 0:
                time.sleep(min(settled.get("next_due_ms", 0), 100) / 1000)

    def do_find(self, reference):
        return self.ask("find", reference=reference)["entry"]

    def do_list(self, standing=None, limit=100, before=None):
        return self.ask("list", standing=standing, limit=limit, before=self.number(before))["entries"]

    def do_news(self, limit=100, claim_ms=None):
        return self.ask("news", limit=limit, claim_ms=claim_ms)["entries"]

    def do_acknowledge(self, entry, changed):
        if self.ask("acknowledge", entry=self.number(entry))["changed"] is not changed:
            raise Differs(f"it changed something: {not changed}")

    def do_attention(self, limit=100):
        return self.ask("attention", limit=limit)["entries"]

    def do_webhook(self, merchant_id, kind):
        """The oldest webhook of this kind for a payment, with its body."""
        query = "/webhooks?" + urllib.parse.urlencode({"merchantId": merchant_id})
        found = until(lambda: [one for one in self.sandbox.control("GET", query)["webhooks"] if one["kind"] == kind])
        return self.sandbox.control("GET", f"/webhooks/{found[-1]['id']}")

    def do_receive(self, webhook, http_status, to=None, path=None, body=None, signature=None):
        request = self.named[webhook]["request"]
        received = self.ask(
            "receive",
            path=path or self.named[to or webhook]["url"],
            body=(base64.b64decode(request["body"]["base64"]) if body is None else body.encode()).hex(),
            signature=request["signature"] if signature is None else signature,
            key_id=request["keyId"],
        )
        if received["http_status"] != http_status:
            raise Differs(f"it is answered with {received['http_status']}")
        return received

    def do_client(self, operation, sum=None, account="79001234567", merchant_id=None, order=None):
        arguments = {"order_id": self.order_id(order)}
        if order is None:
            arguments = {"sum": sum, "payment_method": "sbp", "customer_account": account, "merchant_id": merchant_id}
            arguments["status_webhook_url"] = ANOTHER
        if operation == "new_payment_async":
            arguments["credentials_webhook_url"] = ANOTHER
        arguments = {name: value for name, value in arguments.items() if value is not None}
        return self.ask("call", settings=self.sandbox.settings, operation=operation, arguments=arguments)

    def do_fault(self, kind, operation):
        self.sandbox.control("POST", "/faults", {"kind": kind, "operation": operation})

    def do_operator(self, merchant_id, action):
        query = "/payments?" + urllib.parse.urlencode({"merchantId": merchant_id})
        order_id = until(lambda: self.sandbox.control("GET", query)["payments"])[0]["orderId"]

        def act():
            try:
                return self.sandbox.control("POST", f"/payments/{order_id}/operator", {"action": action})
            except urllib.error.HTTPError as error:
                error.close()
                if error.code != 409:
                    raise
                return None

        until(act)

    def do_requests(self):
        return {"requests": self.sandbox.control("GET", "")["requests"]}

    def do_open(self, settings={}, file=None, use=False):  # noqa: B006
        texts = {**SETTINGS, **{name: None if value is None else str(value) for name, value in settings.items()}}
        texts = {name: value for name, value in texts.items() if value is not None}
        place = self.place if file is None else {"file": file}
        self.ask("journal_open", place=place, settings=texts, client=self.sandbox.settings)
        if not use:
            raise Differs("it opens")

    def do_pause(self, note):
        self.ask("pause", note=note)

    def do_resume(self, note):
        self.ask("resume", note=note)

    def do_stats(self):
        return {"counts": self.ask("stats")["stats"]}

    def do_purge(self, before_ms, count=None):
        self.counted(self.ask("purge", before_ms=before_ms), count)

    def do_forget(self, reference, count=None):
        self.counted(self.ask("forget", reference=reference), count)

    def counted(self, result, count):
        if result["count"] != count:
            raise Differs(f"it emptied {result['count']}")

    def do_import(self, line):
        self.ask("import", line=line)

    def refuses(self, code, do, **arguments):
        """Makes a call that must be refused before anything takes effect."""
        try:
            self.ask(do, **arguments)
        except Failed as failure:
            if not is_error(worded(failure.fields), {"code": code, "outcome": "not_sent"}):
                raise
        else:
            raise Differs(f"it does {do} with {arguments}")

    def do_copy(self, lines):
        """Exports everything, and imports it into another journal, twice."""
        exported = self.ask("export")["lines"]
        if len(exported) != lines:
            raise Differs(f"it exports {exported}")
        for changed in ("", exported[0][:-1], json.dumps({**json.loads(exported[0]), "account": "another"})):
            self.refuses("invalid_argument", "import", line=changed)
        with tempfile.TemporaryDirectory(prefix="contract-") as folder:
            self.ask("journal_open", place={"file": f"{folder}/copy.db"}, settings=SETTINGS, client=self.sandbox.settings)
            imported = [self.ask("import", line=line)["changed"] for line in exported * 2]
            if imported != [True] * lines + [False] * lines:
                raise Differs(f"it imports {imported}")
            again = self.ask("export")["lines"]
            if [line.replace('"restored":"0"', '"restored":"1"') for line in exported] != again:
                raise Differs(f"the copy exports {again}")
            # The journal is closed while its file exists. A journal whose file was removed is abandoned, not closed.
            self.ask("journal_close")

    def do_backup(self):
        """Copies a journal's file, and continues with the copy."""
        if "file" not in self.place:
            self.refuses("invalid_argument", "backup", file="/nowhere/copy.db")
            return
        self.refuses("invalid_argument", "backup", file="copy.db")
        self.refuses("storage", "backup", file="/nowhere/copy.db")
        file = str(Path(self.place["file"]).with_name("copy.db"))
        self.ask("backup", file=file)
        self.refuses("storage", "backup", file=file)
        self.ask("journal_open", place={"file": file}, settings=SETTINGS, client=self.sandbox.settings)
        self.refuses("storage", "news", limit=1)
        self.ask("resume", note="nothing was paid since")

    def do_sleep(self, ms):
        time.sleep(ms / 1000)

    # The expected results.

    def check(self, result, expected):
        if expected is None or result is None:
            if result is not expected:
                raise Differs(f"it is {result}")
        elif isinstance(expected, list):
            if len(result) != len(expected):
                raise Differs(f"there are {len(result)}: {[item['json'] for item in result]}")
            for item, fields in zip(result, expected):
                self.check(item, fields)
        elif "counts" in result:
            shown = {name: result["counts"][name] for name in expected}
            if shown != expected:
                raise Differs(f"they are {shown}")
        elif "requests" in result:
            counts = {name: result["requests"].get(name, 0) for name in expected}
            if counts != expected:
                raise Differs(f"there are {counts}")
        else:
            shown = read(result)
            for name, value in expected.items():
                self.check_field(name, shown[name], value)

    def check_field(self, name, shown, expected):
        if name == "earlier":
            self.check(shown, expected)
            return
        if name in ("orderId", "dueAt") and expected is True:
            equal = shown is not None
        elif name == "credentials":
            equal = (shown is not None) is expected
        elif isinstance(expected, dict):
            equal = shown is not None and all(shown.get(field) == self.order_id(value) for field, value in expected.items())
        else:
            equal = shown == self.order_id(expected)
        if not equal:
            raise Differs(f"{name} is {shown}")
