"""A scenario as data: a server, the steps, and the expected results."""

from __future__ import annotations

import functools
import tempfile
from collections import Counter
from dataclasses import dataclass, field
from pathlib import Path

from .server import Behaviour
from .service import MERCHANT, MERCHANT_ID, SERVER, SERVER_ID, Reply

# Any value that is the same in all languages.
ANY = object()
# Values in a command: the order id of the last result that had an order id, and the URLs of the scenario's receiver and server.
LAST, HOOK, SERVER_URL = object(), object(), object()

# Files of this run: receipts, which `harness.files` makes, and certificates.
_FOLDER = tempfile.TemporaryDirectory(prefix="contract-")
FILES = Path(_FOLDER.name)
RECEIPT = str(FILES / "r.pdf")

Expected = dict[object, object]


@dataclass(frozen=True)
class Call:
    command: str
    fields: dict[str, object]
    expect: list[Expected]


@dataclass(frozen=True)
class Webhook:
    """The receiver's next webhook, which the program verifies."""

    expect: Expected


@dataclass(frozen=True)
class Control:
    """{order} in the path is the last order id."""

    path: str
    body: dict[str, object]


Step = Call | Webhook | Control


@dataclass(frozen=True)
class Scenario:
    name: str
    steps: tuple[Step, ...]
    server: Behaviour | None  # With None, the scenario runs with a sandbox.
    requests: dict[str, int]
    connections: int | None = None
    without: dict[str, str] = field(default_factory=dict)  # The languages that cannot run the scenario, with the reasons.
    sends: str | None = None  # The text of each request, as in Request.text.
    unlike: dict[str, str] = field(default_factory=dict)  # Fields in which languages may differ, with the reason.
    on_windows: dict[str, str] = field(default_factory=dict)  # Fields that Windows may lack, with the reason.


OPERATIONS = {
    "get_available_amounts": "available", "new_payment": "new", "new_payment_async": "new-async", "confirm": "confirm", "cancel": "cancel",
    "get_status": "status", "attach_receipt": "receipt/attach",
}  # fmt: skip


def reaching(steps: tuple[Step, ...]) -> Counter[str]:
    """The requests of calls that are sent once, unless nothing of them is sent."""
    counts: Counter[str] = Counter()
    for step in steps:
        if isinstance(step, Call) and step.command in OPERATIONS:
            sent = sum(one.get("outcome") != "not_sent" for one in step.expect)
            counts[OPERATIONS[step.command]] += sent * step.fields.get("repeat", 1)
    return counts


class Suite:
    """The scenarios of one theme."""

    def __init__(self, theme: str) -> None:
        self.theme, self.scenarios = theme, []

    def add(
        self,
        name: str,
        *steps: Step,
        server: Behaviour | None = None,
        requests: dict[str, int] | None = None,
        connections: int | None = None,
        without: dict[str, str] | None = None,
        sends: str | None = None,
        unlike: dict[str, str] | None = None,
        on_windows: dict[str, str] | None = None,
    ) -> None:
        """`requests`: for operations that are not sent exactly once a call."""
        reaches = {path: count for path, count in {**reaching(steps), **(requests or {})}.items() if count}
        reasons = (unlike or {}, on_windows or {})
        self.scenarios.append(Scenario(f"{self.theme}/{name}", steps, server, reaches, connections, without or {}, sends, *reasons))


SETTINGS: dict[str, object] = {
    "key_id": MERCHANT_ID, "private_key": MERCHANT.private, "server_public_key": [SERVER.public], "server_key_id": [SERVER_ID],
}  # fmt: skip
PAYMENT: dict[str, object] = {"sum": "1500.50", "payment_method": "sbp", "customer_account": "79001234567"}


def call(command: str, expect: Expected | list[Expected], **fields: object) -> Call:
    return Call(command, fields, expect if isinstance(expect, list) else [expect])


def about_order(command: str, expect: Expected | list[Expected], *, order_id: object, **fields: object) -> Call:
    """An error of the call names the order."""
    order = ANY if order_id is LAST else order_id

    def named(one: Expected) -> Expected:
        return one if one["ok"] == "1" or one["code"] in ("invalid_argument", "invalid_key") else {"order_id": order, **one}

    return Call(command, {"order_id": order_id, **fields}, [named(one) for one in (expect if isinstance(expect, list) else [expect])])


amounts = functools.partial(call, "get_available_amounts", sum="1500.50", payment_method="card")
new_payment = functools.partial(call, "new_payment", **PAYMENT)
new_payment_async = functools.partial(call, "new_payment_async", **PAYMENT, credentials_webhook_url="https://shop.example/hook")
confirm, cancel, get_status, attach = (
    functools.partial(about_order, command, order_id="o-1") for command in ("confirm", "cancel", "get_status", "attach_receipt")
)


def verify(reply: Reply, expect: Expected, **fields: object) -> Call:
    """A webhook with the bytes and headers of this reply."""
    payload = reply.payload(None)
    webhook: dict[str, object] = {"body": reply.sent(payload), "webhook_key_id": reply.key_id}
    webhook["signature"] = reply.key.sign(payload) if reply.signature == "" else reply.signature
    return call("verify_webhook", expect, private_key=None, **{**webhook, **fields})


def ok(**fields: object) -> Expected:
    return {"ok": "1", **fields}


def ok_with(**fields: object) -> Expected:
    return {"ok": "1", **fields, ...: ANY}


def error(code: str, outcome: str, **fields: object) -> Expected:
    return {"ok": "0", "code": code, "outcome": outcome, **{name: str(value) for name, value in fields.items() if value is not None}}


def rejected(description: str, reason: str | None = None, **fields: object) -> Expected:
    return error("rejected", "rejected", description=description, reason=reason, **fields)


def unverified(status: int | None = 200, **fields: object) -> Expected:
    return error("unverified", "unknown", http_status=status, **fields)


def malformed(status: int | None = 200, **fields: object) -> Expected:
    return error("malformed", "unknown", http_status=status, **fields)


refused = functools.partial(error, "invalid_argument", "not_sent")
transport = functools.partial(error, "transport", "unknown")
not_sent = functools.partial(error, "transport", "not_sent")
timeout = functools.partial(error, "timeout", "unknown")


def matches(expected: Expected, result: dict[str, str]) -> bool:
    fields = {name: value for name, value in expected.items() if name is not ...}
    if ... not in expected and fields.keys() != result.keys():
        return False
    return all(name in result and (value is ANY or value == result[name]) for name, value in fields.items())


__all__ = [
    name
    for name in dir()
    if not name.startswith("_") and name not in ("Counter", "annotations", "dataclass", "field", "functools", "tempfile")
]
