"""The journal's results: plain values. They are imported with the first journal, because `dataclasses` takes longer to
import than the rest of the package."""

from __future__ import annotations

from dataclasses import dataclass, field

from ._generated.entry_fields import EntryFields
from ._generated.entry_fields import Orphan as Orphan
from ._generated.entry_fields import Received as Received
from ._generated.entry_fields import Settled as Settled
from ._generated.entry_fields import Unreadable as Unreadable
from ._native import classes, library

TYPE_CHECKING = False
if TYPE_CHECKING:
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
