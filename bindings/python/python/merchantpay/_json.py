"""The value of a field that this version does not know. Imported with the first one, not with the package."""

from __future__ import annotations

import json
from decimal import Decimal
from typing import Any


def value(text: str) -> Any:
    """The Python value of a JSON text, its fractions exact; the text itself where Python refuses to read it."""
    try:
        return json.loads(text, parse_float=_exact)
    except (ArithmeticError, ValueError, RecursionError):
        return text


def _exact(text: str) -> Decimal:
    number = Decimal(text)
    # A host may have turned off the trap that would have raised.
    if not number.is_finite():
        raise ValueError(text)
    return number
