"""Makes results for code that is tested without a service. These results are not verified.

An `Error` is made by its constructor, such as `RejectedError("refused", reason="order_not_found")`."""

from __future__ import annotations

from collections.abc import Iterable
from datetime import datetime, timezone
from decimal import Decimal
from typing import Any

from .._entry import Entry, Problem
from .._errors import Error
from .._generated.words import Attention, Standing
from .._native import _unpickle
from .._results import AvailableAmounts, Payment
from . import _json


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


def entry(
    reference: str = "order-1",
    *,
    attempt: int = 1,
    standing: Standing | str = "open",
    sum: _json.Amount = "1500.50",
    payment: Payment | None = None,
    news: int = 1,
    acknowledged: bool = False,
    attention: Iterable[Attention | str] = (),
    error: Error | None = None,
) -> Entry:
    """An `Entry`, as `Journal` returns it.

    - sum: the requested sum.
    - payment: the service's report, made by `testing.payment`. With a payee account or a deeplink in it, an open
      entry has credentials. With the status "doneSuccess" and the requested sum in it, a final entry has succeeded.
    - error: the error of the last call.
    """
    standing, asked = Standing(standing), Decimal(_json.amount("sum", sum))
    status = None if payment is None else payment.status
    paid = payment.sum if payment is not None and status == "doneSuccess" else None
    pays = payment is not None and bool(payment.payee_account or payment.deeplink)
    now = datetime.now(timezone.utc)
    return Entry(
        reference=reference,
        attempt=attempt,
        standing=standing,
        order_id=None if payment is None else payment.order_id,
        status=status,
        sum_asked=asked,
        sum_paid=paid,
        succeeded=standing == "final" and paid == asked,
        credentials=payment if pays and standing == "open" else None,
        news=news,
        acknowledged=acknowledged,
        intent=None,
        intent_state=None,
        attention=tuple(Attention(one) for one in attention),
        error=None if error is None else Problem(error.code, error.outcome, error.description),
        created_at=now,
        updated_at=now,
    )
