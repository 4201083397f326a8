"""The journal's results: plain values. They are imported with the first journal, because `dataclasses` takes longer to
import than the rest of the package."""

from __future__ import annotations

from dataclasses import dataclass, field
from datetime import datetime
from decimal import Decimal

from ._error_classes import InvalidArgumentError
from ._errors import Error
from ._merchantpay import Payment
from ._words import Attention, Code, Intent, IntentState, Outcome, Standing, Status, Style

_PARAMETERS = {
    "question": ("?", "?", "?"),
    "dollar": ("$1", "$2", "$3"),
    "percent": ("%s", "%s", "%s"),
    "colon": (":reference", ":attempt", ":news"),
    "at": ("@reference", "@attempt", "@news"),
}


@dataclass(frozen=True)
class Problem:
    """The error of the last call about an attempt."""

    code: Code | str
    """A Code, or a text if only a newer version knows the code."""
    outcome: Outcome | str
    """Whether the request may have taken effect: an Outcome, or a text if only a newer version knows it."""
    description: str | None = field(default=None, repr=False)
    """The service's text about a refusal. It may name a customer, so `repr()` leaves it out."""


@dataclass(frozen=True)
class Entry:
    """One attempt of a payment. An entry is a value: it does not change after it was read, and it can be pickled,
    compared and constructed. `repr()` leaves out whom the customer pays."""

    # generated: begin fields
    reference: str
    """The merchant's order number."""
    attempt: int
    """The number of the attempt, from 1."""
    standing: Standing
    """The state of the attempt. It does not say that the attempt is paid: `succeeded` does."""
    order_id: str | None
    """The service's order id, once it is known."""
    status: Status | None
    """The last status that the service reported."""
    sum_asked: Decimal
    """The requested sum."""
    sum_paid: Decimal | None
    """The paid sum, once the service has reported a success with its sum."""
    succeeded: bool
    """Ship: paid with the requested sum, and the reference's only success."""
    credentials: Payment | None = field(repr=False)
    """What the customer needs to pay, only while the customer may pay."""
    news: int
    """The number of the newest news. It only grows; 0 if there were none."""
    acknowledged: bool
    """The newest news are acknowledged, or there were none."""
    intent: Intent | None
    """The newest instruction: confirm or cancel."""
    intent_state: IntentState | None
    """What became of the instruction."""
    attention: tuple[Attention, ...]
    """Why a person must look at the attempt."""
    error: Problem | None
    """The error of the last call about the attempt: code, outcome and the service's description."""
    created_at: datetime
    """When the attempt was stored, by the database's clock."""
    updated_at: datetime
    """When it was last written, likewise."""
    # generated: end
    details: tuple[str, ...] = ()
    """What each reason in `attention` means here; only in entries of `Journal.attention`."""
    json: str = field(default="", repr=False, compare=False)
    """The entry as one line of JSON, as the program `merchantpay` prints it; empty if you have constructed the entry."""

    def acknowledge_sql(self, style: Style | str) -> tuple[str, list[str | int] | dict[str, str | int]]:
        """The statement that acknowledges this entry's news in your own transaction, in the journal's database, and
        its parameters. `style`, a Style, is how your driver writes parameters: they are a list for "question",
        "dollar" and "percent", and a dict for "colon" and "at".

        Run it first. If it changes no row, another worker was first, or there are newer news: roll back, and read the
        news again. Otherwise the transaction's other work is done exactly once for this number of news.

        Raises InvalidArgumentError for another style."""
        if style not in _PARAMETERS:
            raise InvalidArgumentError(f"style must be one of {', '.join(_PARAMETERS)}", outcome="not_sent")
        reference, attempt, news = _PARAMETERS[style]
        text = (
            "UPDATE merchantpay_attempts SET acked = news "
            f"WHERE reference = {reference} AND attempt = {attempt} AND news = {news} AND acked < news"
        )
        if style in ("colon", "at"):
            return text, {"reference": self.reference, "attempt": self.attempt, "news": self.news}
        return text, [self.reference, self.attempt, self.news]


@dataclass(frozen=True)
class Orphan:
    """The messages about an order that no attempt has. `Journal.resolve` with `seen=True` takes it off the list."""

    order_id: str
    """The order."""
    received_at: datetime
    """When the first message came, by the database's clock."""
    status: str | None = None
    """The status that the messages report. A success stays, and then another final status."""
    reference: str | None = None
    """The reference of the attempt to whose URL a message came."""
    attempt: int | None = None
    """The number of that attempt."""
    json: str = field(default="", repr=False, compare=False)
    """The orphan as one line of JSON."""


@dataclass(frozen=True)
class Unreadable:
    """A row that this version cannot read, because a newer one or another program has written it."""

    reference: str
    """The reference, as far as it is text."""
    attempt: int
    """The attempt's number."""
    column: str
    """The column that cannot be read."""
    json: str = field(default="", repr=False, compare=False)
    """The row's key and its column as one line of JSON."""


@dataclass(frozen=True)
class Received:
    """The result of `Journal.receive`."""

    http_status: int
    """Answer the webhook with this HTTP status: 200 if it is stored; 400 if it does not verify; 404 for an unknown
    attempt, 409 if it is about another order than the attempt's (both are stored for `attention`); 503 if the journal
    failed, so that the service tries again."""
    entry: Entry | None = None
    """The attempt, after the service was asked about the webhook."""
    error: Error | None = None
    """Why the webhook was not stored."""


@dataclass(frozen=True)
class Settled:
    """The result of `Journal.settle`."""

    done: int
    """The number of attempts about which the service was asked."""
    next_due: float | None = None
    """The seconds until the next attempt is due: 0 if one is due now, None if none will be."""


@dataclass(frozen=True)
class Stats:
    """The counts of a journal."""

    standings: dict[str, int]
    """The attempts that are "sending", "unknown" or "open". The others are not counted: their number only grows."""
    attention: int
    """What needs a person: attempts, and orders that no attempt has."""
    orphans: int
    """Of these, the orders that no attempt has."""
    due: int
    """Attempts about which the service must be asked now."""
    overdue: float | None
    """For how many seconds an attempt is overdue; None if none is due."""
    news: int
    """Entries that nobody has acknowledged."""
    pause: str | None = None
    """The note of the pause, if the journal is paused."""
    durability_vouched: tuple[str, ...] = ()
    """The database's settings that the merchant has vouched for."""
    json: str = field(default="", repr=False, compare=False)
    """The counts as one line of JSON."""


for _class in (Entry, Orphan, Problem, Received, Settled, Stats, Unreadable):
    _class.__module__ = "merchantpay"
del _class
