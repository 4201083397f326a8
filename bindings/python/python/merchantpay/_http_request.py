"""Signed requests, for hosts with their own HTTP stack."""

from __future__ import annotations

from ._headers import pairs
from ._owner import NotCopied
from ._values import final

TYPE_CHECKING = False
if TYPE_CHECKING:
    from typing import Any, Generic, Literal, TypeVar

    from ._generated.types import Headers
    from ._native import Handle
    from ._results import AvailableAmounts, Payment

    Reply = TypeVar("Reply", Payment, AvailableAmounts, covariant=True)
else:

    class Generic:
        def __class_getitem__(cls, key):
            return cls

    Reply = None


@final
class HttpRequest(NotCopied, Generic[Reply]):
    """A signed request that is ready to send, and the way to open its reply. Send exactly this body with these
    headers, because the bytes are signed. Follow no redirects and decompress nothing before `open`.

    Send the request once. After a byte was written, only a request of `get_status` or `get_available_amounts`
    may be sent again."""

    def __init__(self, prepared: dict[str, Any], /) -> None:
        self._handle: Handle = prepared["request"]
        self._url: str = prepared["url"]
        self._headers: dict[str, str] = prepared["headers"]
        self._length: int = prepared["body_length"]

    @property
    def method(self) -> Literal["POST"]:
        """The HTTP method: always "POST"."""
        return "POST"

    @property
    def url(self) -> str:
        """The whole URL."""
        return self._url

    @property
    def headers(self) -> dict[str, str]:
        """The headers Content-Type, X-KeyId and X-Signature, as a new dict."""
        return dict(self._headers)

    @property
    def body(self) -> bytes:
        """The request's body: the signed bytes."""
        body: bytes = self._handle.call(40)
        return body

    def open(self, status: int, headers: Headers, body: bytes) -> Reply:
        """Verifies the reply's bytes, parses them, and checks that the reply belongs to this request. Returns a
        Payment, or an AvailableAmounts for `prepare_get_available_amounts`.

        `status` is the HTTP status; `headers` are all headers of the reply, in any type that
        `WebhookVerifier.verify_request` accepts; `body` is bytes.

        Raises UnverifiedError, MalformedError, RejectedError, or TransportError for a redirect."""
        reply: Reply = self._handle.call(41, status, pairs(headers), body)
        return reply

    def __repr__(self) -> str:
        return f"HttpRequest(url={self._url!r}, {self._length} bytes)"
