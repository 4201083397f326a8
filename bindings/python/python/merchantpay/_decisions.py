"""What the journal's methods do with their arguments and results."""

from __future__ import annotations

from ._entry import Entry, Orphan, Stats, Unreadable
from ._generated.words import Attention
from ._owner import refused

TYPE_CHECKING = False
if TYPE_CHECKING:
    from typing import Any

    from ._generated.types import Seen, Sum


def key(entry: Entry | str, attempt: int | None) -> tuple[str, int]:
    """An attempt's reference and number: of an `Entry`, or as two arguments."""
    if attempt is None:
        if not isinstance(entry, Entry):
            raise TypeError(f"entry must be Entry, or str and the number of the attempt, not {type(entry).__name__}")
        return entry.reference, entry.attempt
    return entry, attempt  # type: ignore[return-value]  # The native half checks the types.


def news_key(entry: Entry | str, attempt: int | None, news: int | None) -> tuple[str, int, int]:
    reference, number = key(entry, attempt)
    if news is None:
        if not isinstance(entry, Entry) or attempt is not None:
            raise refused("news is missing: the number of the news that were read")
        news = entry.news
    return reference, number, news


def position(before: Entry | None) -> dict[str, object] | None:
    """The entry behind which a list continues."""
    if before is not None and not isinstance(before, Entry):
        raise TypeError(f"before must be Entry, not {type(before).__name__}")
    return None if before is None else {"created_at": before.created_at, "reference": before.reference}


def decision(
    item: Entry | Orphan, order_id: str | None, sum: Sum | None, no_payment: bool, seen: Seen, trusted: bool, note: str
) -> tuple[Any, ...]:
    """The call that stores a decision about an item, and its arguments."""
    chosen = (order_id is not None, no_payment, seen is not None and seen is not False, trusted)
    if isinstance(item, Orphan):
        if seen is not True or sum is not None or chosen.count(True) != 1:
            raise refused("an orphan accepts only seen=True")
        return 88, item.order_id, item.status, note
    if not isinstance(item, Entry):
        raise TypeError(f"item must be Entry or Orphan, not {type(item).__name__}")
    if sum is not None and order_id is None:
        raise refused("sum is allowed only with order_id")
    if chosen.count(True) != 1:
        raise refused("exactly one of order_id, no_payment, seen and trusted is required")
    attempt = (item.reference, item.attempt)
    if order_id is not None:
        return 84, *attempt, order_id, note, sum
    if no_payment:
        return 85, *attempt, note
    if trusted:
        return 87, *attempt, note
    reasons = item.attention if seen is True else tuple(seen)  # type: ignore[arg-type]
    for reason in reasons:
        if reason not in [*Attention]:
            raise refused(f"{reason!r} is no reason of Attention")
    return 86, *attempt, reasons, note


def item(found: dict[str, Any]) -> Entry | Orphan | Unreadable:
    if found["orphan"] is not None:
        return Orphan(**found["orphan"], json=found["json"])
    if found["unreadable"] is not None:
        return Unreadable(**found["unreadable"], json=found["json"])
    entry: Entry = found["entry"]
    entry.__dict__.update(details=found["details"], json=found["json"])
    return entry


def counts(found: dict[str, Any]) -> Stats:
    standings = {name: found.pop(name) for name in ("sending", "unknown", "open")}
    overdue = found.pop("overdue")
    return Stats(standings=standings, overdue=None if overdue is None else overdue / 1000, **found)
