"""The headers of a request or a reply, in the types of all frameworks."""

from __future__ import annotations

from ._generated.error_classes import UnverifiedError

TYPE_CHECKING = False
if TYPE_CHECKING:
    from typing import Any

    from ._generated.types import Headers

# The headers that the native half uses. A WSGI environ contains many values that are not headers.
_USED = frozenset(("x-signature", "x-keyid", "content-type", "content-encoding", "retry-after"))


def pairs(headers: Headers) -> list[tuple[str, str]]:
    """Names and values in order, including repeated headers. `headers` is a mapping with names in upper or lower
    case, a mapping of lists, a WSGI environ, or a list of pairs of `str` or `bytes` as in ASGI."""
    items: Any = headers
    # `items()` of an ASGI host's headers returns repeated headers too.
    if hasattr(items, "items"):
        items = items.items()
    if isinstance(items, (str, bytes)) or not hasattr(items, "__iter__"):
        raise _wrong(headers)
    found = []
    for item in items:
        if not isinstance(item, (tuple, list)) or len(item) != 2:
            raise _wrong(headers)
        name, value = item
        name = _plain_name(_text(name)) if isinstance(name, (str, bytes)) else ""
        if name not in _USED or value is None:
            continue
        values = [value] if isinstance(value, (str, bytes)) or not hasattr(value, "__iter__") else value
        for one in values:
            if not isinstance(one, (str, bytes)):
                raise TypeError(f"{name} must be str or bytes, not {type(one).__name__}")
            found.append((name, _text(one)))
    return found


def signed(headers: Headers) -> tuple[str | None, str | None]:
    """The signature and the key id of a webhook. A repeated header is refused: to choose a value would be a guess."""
    found = pairs(headers)
    names = [name for name, _ in found]
    for name, written in (("x-signature", "X-Signature"), ("x-keyid", "X-KeyId")):
        if names.count(name) > 1:
            raise UnverifiedError(f"the webhook has more than one {written} header", outcome="unknown")
    values = dict(found)
    return values.get("x-signature"), values.get("x-keyid")


def signed_or_none(headers: Headers) -> tuple[str | None, str | None]:
    """Like `signed`, but nothing, which does not verify, if a header is repeated."""
    try:
        return signed(headers)
    except UnverifiedError:
        return None, None


def readable(path: str) -> str:
    """The path of a webhook. The sender chooses it, so it may not be valid Unicode: then it matches no attempt."""
    return path.encode(errors="replace").decode() if isinstance(path, str) else path


def _wrong(headers: object) -> TypeError:
    return TypeError(f"headers must be a mapping of headers or a list of (name, value) pairs, not {type(headers).__name__}")


def _plain_name(name: str) -> str:
    """Converts `HTTP_X_SIGNATURE` and `X-Signature` to `x-signature`."""
    name = name.lower()
    if name.startswith("http_"):
        return name[len("http_") :].replace("_", "-")
    return "content-type" if name == "content_type" else name


def _text(value: str | bytes) -> str:
    """A name or value as text. One that is not valid Unicode becomes empty: the header is present, but has no usable
    value."""
    try:
        return value.decode() if isinstance(value, bytes) else value.encode().decode()
    except UnicodeError:
        return ""
