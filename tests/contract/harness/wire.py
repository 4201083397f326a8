"""One command or result a line: `name=value` by blanks, values percent-encoded bytes, a name may stand again."""

from __future__ import annotations

from collections.abc import Iterable
from urllib.parse import quote, unquote_to_bytes

Value = str | bytes


def encode(fields: Iterable[tuple[str, Value]]) -> bytes:
    return " ".join(f"{name}={quote(value, safe='/:,')}" for name, value in fields).encode() + b"\n"


def decode(line: bytes) -> dict[str, str]:
    """A result. What is not UTF-8 stays visible as an escape."""
    words = (word.split(b"=", 1) for word in line.split())
    return {name.decode(): unquote_to_bytes(value).decode(errors="backslashreplace") for name, value in words}
