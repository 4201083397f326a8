"""Interprets tests/contract/journal/cases.json, whose README.md describes it, over any place of a journal."""

import base64
import contextlib
import json
import pathlib
import time
import urllib.error
import urllib.parse
import urllib.request

import merchantpay
from conftest import client_of, run_sandbox

FILE = pathlib.Path(__file__).resolve().parents[3] / "tests" / "contract" / "journal" / "cases.json"
CASES = json.loads(FILE.read_text(encoding="utf-8"))
PATIENCE = 30
CALLBACK = "http://127.0.0.1:9/callback"
ANOTHER = "http://127.0.0.1:9/another"
SETTINGS = {"callback_url": CALLBACK, "timeout": 15, "calls_per_second": 1000}


class Control:
    """The sandbox's control API."""

    def __init__(self, settings):
        self.url = settings["MERCHANTPAY_BASE_URL"] + "/sandbox"

    def __call__(self, method, path, body=None):
        data = None if body is None else json.dumps(body).encode()
        request = urllib.request.Request(self.url + path, data, {"Content-Type": "application/json"}, method=method)
        with urllib.request.urlopen(request, timeout=PATIENCE) as reply:
            return json.load(reply)

    def webhook(self, merchant_id, kind):
        """The oldest webhook of a payment that is of this kind, with its body."""
        query = "/webhooks?" + urllib.parse.urlencode({"merchantId": merchant_id})
        found = until(lambda: [one for one in self("GET", query)["webhooks"] if one["kind"] == kind])
        one = self("GET", f"/webhooks/{found[-1]['id']}")
        return {**one, "body": base64.b64decode(one["request"]["body"]["base64"])}


def until(look):
    """What `look` gives once it is something."""
    end = time.monotonic() + PATIENCE
    while not (found := look()):
        assert time.monotonic() < end
        time.sleep(0.01)
    return found


@contextlib.contextmanager
def merchant():
    """A sandbox whose steps take no time, its control API and a client."""
    with run_sandbox("--pace-ms", "0") as settings, client_of(settings, timeout=5) as client:
        yield Control(settings), client


def run(case, place):
    """Runs a case on a place: `place(client, **settings)` opens a journal."""
    with merchant() as (control, client), contextlib.ExitStack() as opened:
        steps = Steps(control, client, lambda settings: opened.enter_context(place(client, **settings)))
        for number, step in enumerate(case["steps"]):
            try:
                steps.run(dict(step))
            except Exception as error:
                raise AssertionError(f"step {number} of {case['name']!r}, {step}: {error!r}") from error


class Steps:
    def __init__(self, control, client, open_journal):
        self.control, self.client, self.open_journal = control, client, open_journal
        self.journal = open_journal(SETTINGS)
        self.named = {}

    def run(self, step):
        name, error = step.pop("as", None), step.pop("error", None)
        expected = step.pop("expect", ...)
        method = getattr(self, "do_" + step.pop("do"))
        if method == self.do_receive:
            step["error"] = error
        elif error is not None:
            try:
                method(**step)
            except merchantpay.Error as raised:
                assert {field: str(getattr(raised, field)) for field in error} == error
                return
            raise AssertionError("it was taken")
        result = method(**step)
        if expected is not ...:
            self.check(result, expected)
        if name is not None:
            self.named[name] = result[0] if isinstance(result, list) else result

    def order_id(self, text):
        if not text.startswith("$"):
            return text
        named = self.named[text[1:]]
        return named["orderId"] if isinstance(named, dict) else named.order_id

    # What is done.

    def do_pay(self, reference, sum, account="79001234567", replace=None, **others):
        pay = self.journal.pay_async if others.pop("async", False) else self.journal.pay
        return pay(reference, sum=sum, payment_method="sbp", customer_account=account, replace=replace, **others)

    def do_confirm(self, entry):
        return self.journal.confirm(self.named[entry])

    def do_cancel(self, entry):
        return self.journal.cancel(self.named[entry])

    def do_resolve(self, entry, note, order_id=None, **said):
        self.journal.resolve(self.named[entry], note=note, order_id=order_id and self.order_id(order_id), **said)

    def do_wait(self, reference, until):
        return self.journal.wait(reference, timeout=PATIENCE, until=until)

    def do_settle(self, reference, until):
        end = time.monotonic() + PATIENCE
        while True:
            entry = self.journal.find(reference)
            with contextlib.suppress(AssertionError):
                self.check(entry, until)
                return entry
            assert time.monotonic() < end, entry.json
            settled = self.journal.settle(100)
            if settled.done == 0:
                time.sleep(min(settled.next_due or 0, 0.1))

    def do_find(self, reference):
        return self.journal.find(reference)

    def do_list(self, standing=None, limit=100, before=None):
        return self.journal.list(standing, limit=limit, before=before and self.named[before])

    def do_news(self, limit=100, claim_ms=None):
        return self.journal.news(limit, **({} if claim_ms is None else {"claim": claim_ms / 1000}))

    def do_acknowledge(self, entry, changed):
        assert self.journal.acknowledge(self.named[entry]) is changed

    def do_attention(self, limit=100):
        return self.journal.attention(limit)

    def do_webhook(self, merchant_id, kind):
        return self.control.webhook(merchant_id, kind)

    def do_receive(self, webhook, http_status, error, to=None, path=None, body=None, signature=None):
        webhook = self.named[webhook]
        request = webhook["request"]
        path = path or (self.named[to] if to else webhook)["url"]
        body = webhook["body"] if body is None else body.encode()
        signature = request["signature"] if signature is None else signature
        received = self.journal.receive(path, body, signature, request["keyId"])
        assert received.http_status == http_status
        assert (received.error and received.error.code) == (error and error["code"])
        return received.entry

    def do_client(self, operation, sum=None, account="79001234567", merchant_id=None, order=None):
        if order is not None:
            return getattr(self.client, operation)(self.order_id(order))
        urls = {"status_webhook_url": ANOTHER}
        if operation == "new_payment_async":
            urls["credentials_webhook_url"] = ANOTHER
        call = getattr(self.client, operation)
        return call(sum=sum, payment_method="sbp", customer_account=account, merchant_id=merchant_id, **urls)

    def do_fault(self, kind, operation):
        self.control("POST", "/faults", {"kind": kind, "operation": operation})

    def do_operator(self, merchant_id, action):
        query = "/payments?" + urllib.parse.urlencode({"merchantId": merchant_id})
        order_id = until(lambda: self.control("GET", query)["payments"])[0]["orderId"]

        def act():
            try:
                return self.control("POST", f"/payments/{order_id}/operator", {"action": action})
            except urllib.error.HTTPError as error:
                error.close()
                assert error.code == 409
                return None

        until(act)

    def do_requests(self):
        return {"requests": self.control("GET", "")["requests"]}

    def do_open(self, settings, use=False):
        given = {**SETTINGS, **settings}
        if "timeout_ms" in given:
            given["timeout"] = given.pop("timeout_ms") / 1000
        self.journal = self.open_journal(given)
        assert use

    def do_pause(self, ms):
        time.sleep(ms / 1000)

    # What must come of it.

    def check(self, result, expected):
        if expected is None:
            assert result is None, result
        elif isinstance(expected, list):
            assert len(result) == len(expected), [item.json for item in result]
            for item, fields in zip(result, expected):
                self.check(item, fields)
        elif isinstance(result, dict):
            assert {name: result["requests"].get(name, 0) for name in expected} == expected
        else:
            shown = read(result)
            for name, value in expected.items():
                self.check_field(name, shown[name], value)

    def check_field(self, name, shown, expected):
        if name == "earlier":
            self.check(list(shown), expected)
        elif isinstance(expected, dict):
            wanted = {field: self.order_id(text) for field, text in expected.items()}
            assert shown is not None and {field: shown.get(field) for field in wanted} == wanted, shown
        elif name in ("orderId", "dueAt") and expected is True:
            assert shown is not None, name
        elif isinstance(expected, str):
            assert shown == self.order_id(expected), f"{name} is {shown}"
        else:
            assert shown == expected, f"{name} is {shown}"


def read(item):
    """An item's fields as its getters give them, by the names of its JSON, which must say the same."""
    if isinstance(item, merchantpay.Orphan):
        assert json.loads(item.json)["orphan"]["orderId"] == item.order_id
        return {"orphan": True, "orderId": item.order_id}
    payment = item.payment
    shown = {
        "reference": item.reference,
        "attempt": item.attempt,
        "standing": str(item.standing),
        "orderId": item.order_id,
        "sumAsked": str(item.sum_asked),
        "paid": text(item.paid),
        "succeeded": item.succeeded,
        "confirm": text(item.confirm),
        "cancel": text(item.cancel),
        "reported": str(item.reported),
        "acknowledged": str(item.acknowledged),
        "attention": [str(reason) for reason in item.attention],
        "createdAt": milliseconds(item.created_at),
        "updatedAt": milliseconds(item.updated_at),
        "dueAt": milliseconds(item.due_at),
    }
    problem = item.error
    error = problem and {"code": str(problem.code), "outcome": str(problem.outcome), "description": problem.description}
    printed = json.loads(item.json, parse_float=str, parse_int=str)
    assert [*printed] == [name for name in merchantpay._merchantpay._words()["entry_fields"] if name in printed]
    for name, value in shown.items():
        assert printed.get(name, [] if name == "attention" else None) == (str(value) if type(value) is int else value), name
    for name, value in (("credentials", item.credentials), ("payment", payment)):
        assert (name in printed) == (value is not None), name
    assert printed.get("error") == (error and {name: value for name, value in error.items() if value is not None})
    return {
        **shown,
        "credentials": item.credentials is not None,
        "payment": payment and {name: text(value) for name, value in payment.to_dict().items()},
        "error": error,
        "earlier": item.earlier,
    }


def text(value):
    return None if value is None else str(value)


def milliseconds(moment):
    return None if moment is None else round(moment.timestamp() * 1000)
