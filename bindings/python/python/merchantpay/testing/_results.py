"""Makes results for code that is tested without a service. These results are not verified.

An `Error` is made by its constructor, such as `RejectedError("refused", reason="order_not_found")`."""

from __future__ import annotations

import json
import time
from collections.abc import Iterable
from typing import Any

from .._errors import Error
from .._merchantpay import AvailableAmounts, Entry, Payment, Received, Settled, _received, _settled, _unpickle
from .._words import Attention, Level, Standing
from . import _json

_NUMBERS = {level: number for number, level in enumerate(Level)}
# The level that an attempt with this standing reports.
_REPORTED = {"refused": Level.REFUSED, "final": Level.FINAL}


def payment(order_id: str = "order-1", **fields: Any) -> Payment:
    """A `Payment` with these fields, such as `status="doneSuccess"` and `sum="1500.50"`."""
    made: Payment = _unpickle("Payment", _json.body(_json.fields({"order_id": order_id, **fields})))
    return made


def available_amounts(amounts: Iterable[_json.Amount], *, other_amounts_possible: bool = True) -> AvailableAmounts:
    """An `AvailableAmounts` with these amounts."""
    listed = "[" + ",".join(_json.amount("amounts", amount) for amount in amounts) + "]"
    possible = "true" if other_amounts_possible else "false"
    made: AvailableAmounts = _unpickle(
        "AvailableAmounts", _json.body({"success": "true", "availableAmounts": listed, "otherAmountsPossible": possible})
    )
    return made


def received(http_status: int = 200, entry: Entry | None = None, error: Error | None = None) -> Received:
    """A `Received`, as `Journal.receive` returns it."""
    return _received(http_status, entry, error)


def settled(done: int = 0, next_due: float | None = None) -> Settled:
    """A `Settled`, as `Journal.settle` returns it."""
    return _settled(done, next_due)


def entry(
    reference: str = "order-1",
    *,
    attempt: int = 1,
    standing: Standing | str = "open",
    sum: _json.Amount = "1500.50",
    payment: Payment | None = None,
    reported: Level | str | None = None,
    acknowledged: Level | str = "none",
    attention: Iterable[Attention | str] = (),
    error: Error | None = None,
) -> Entry:
    """An `Entry`, as `Journal` returns it.

    - sum: the requested sum.
    - payment: the service's reports, made by `testing.payment`. With a payee account or a deeplink in it, an
      open entry has credentials. With the status "doneSuccess" and the requested sum in it, an entry with the
      standing "final" has `succeeded` true.
    - reported: the reached level; unless given, it is derived from `standing` and `payment`.
    - error: the error of the last call.
    """
    standing = Standing(standing)
    pays = payment is not None and bool(payment.payee_account or payment.deeplink)
    if reported is None:
        reported = _REPORTED.get(standing, Level.CREDENTIALS if pays and standing == "open" else Level.NONE)
    now = str(round(time.time() * 1000))
    record: dict[str, Any] = {"v": 1, "payment": {}, "hasCredentials": pays, "orderIdConfirmed": True, "callEnded": True}
    if error is not None:
        record["error"] = {"code": error.code, "outcome": error.outcome}
        if error.description is not None:
            record["error"]["description"] = error.description
    # The payment's JSON is inserted as text, so that its amounts keep their digits.
    text = json.dumps(record).replace('"payment": {}', '"payment": ' + ("{}" if payment is None else payment.json))
    paid = None if payment is None or payment.sum is None else format(payment.sum, "f")
    columns = {
        "reference": reference,
        "attempt": str(attempt),
        "account": "testing",
        "standing": standing.value,
        "order_id": None if payment is None else payment.order_id,
        "status": None if payment is None or payment.status is None else payment.status.value,
        "sum_asked": _json.amount("sum", sum),
        "sum_paid": paid,
        "reported": str(_NUMBERS[Level(reported)]),
        "acknowledged": str(_NUMBERS[Level(acknowledged)]),
        "attention": ",".join(Attention(one).value for one in attention) or None,
        "created_at": now,
        "updated_at": now,
        "version": "1",
        "writer": "",
        "token": "",
        "record": text,
    }
    made: Entry = _unpickle("Entry", json.dumps({"attempts": [columns]}))
    return made
