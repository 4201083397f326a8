"""Converts the value of a field that this version does not know. This module is imported at the first such
field, not with the package."""

from __future__ import annotations

import json
from decimal import Decimal
from typing import Any


def value(text: str) -> Any:
    """The Python value of a JSON text, with exact fractions; the text itself if Python refuses to read it."""
    try:
        return json.loads(text, parse_float=_exact)
    except (ArithmeticError, ValueError, RecursionError):
        return text


def _exact(text: str) -> Decimal:
    number = Decimal(text)
    # The program may have disabled the decimal trap that would raise an exception here.
    if not number.is_finite():
        raise ValueError(text)
    return number
