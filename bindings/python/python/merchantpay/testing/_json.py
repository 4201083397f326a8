"""Makes JSON bodies with exact amounts and the contract's names of the fields."""

from __future__ import annotations

import json
import re
from decimal import Decimal
from typing import Any, Union

Amount = Union[Decimal, int, str]

_AMOUNTS = ("sum", "deal_sum", "deal_rate")


def fields(values: dict[str, Any]) -> dict[str, str]:
    """The given fields with the contract's names; each value is JSON text."""
    return {_camel(name): _text(name, value) for name, value in values.items() if value is not None}


def body(written: dict[str, str]) -> str:
    return "{" + ",".join(f"{json.dumps(name)}:{value}" for name, value in written.items()) + "}"


def amount(name: str, value: Amount) -> str:
    """The unchanged digits of an amount."""
    if isinstance(value, (bool, float)) or not isinstance(value, (Decimal, int, str)):
        raise TypeError(f"{name} must be Decimal, int or str, not {type(value).__name__}")
    return format(Decimal(value), "f")


def _text(name: str, value: Any) -> str:
    return amount(name, value) if name in _AMOUNTS else json.dumps(str(value))


def _camel(name: str) -> str:
    return re.sub("_(.)", lambda found: found[1].upper(), name)
