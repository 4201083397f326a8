"""The journal's results: plain values. They are imported with the first journal, because `dataclasses` takes longer to
import than the rest of the package."""

from __future__ import annotations

from dataclasses import dataclass, field

from ._generated.entry_fields import EntryFields
from ._native import classes, library

TYPE_CHECKING = False
if TYPE_CHECKING:
    from datetime import datetime

    from ._errors import Error
    from ._generated.types import StyleName
    from ._generated.words import Code, Outcome


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
class Entry(EntryFields):
    """One attempt of a payment. An entry is a value: it does not change after it was read, and it can be pickled,
    compared and constructed. `repr()` leaves out whom the customer pays."""

    details: tuple[str, ...] = ()
    """What each reason in `attention` means here; only in entries of `Journal.attention`."""
    json: str = field(default="", repr=False, compare=False)
    """The entry as one line of JSON, as the program `merchantpay` prints it; empty if you have constructed the entry."""

    def acknowledge_sql(self, style: StyleName | str) -> tuple[str, list[str | int] | dict[str, str | int]]:
        """The statement that acknowledges this entry's news in your own transaction, in the journal's database, and
        its parameters. `style`, a Style, is how your driver writes parameters: they are a list for "question",
        "dollar" and "percent", and a dict for "colon" and "at".

        Run it first. If it changes no row, another worker was first, or there are newer news: roll back, and read the
        news again. Otherwise the transaction's other work is done exactly once for this number of news.

        Raises InvalidArgumentError for another style."""
        statement = library(82, self.reference, self.attempt, self.news, style)
        parameters = {name: statement[name] for name in ("reference", "attempt", "news")}
        return statement["text"], parameters if style in ("colon", "at") else list(parameters.values())


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

# The native half makes these from the records of the calls.
for _name, _kind in (("entry", Entry), ("problem", Problem), ("received", Received), ("settled", Settled)):
    classes[_name] = _kind
del _name, _kind
