"""What can go wrong, and what it means for the money."""

from __future__ import annotations

from ._words import Code, Outcome, Reason

# Type checkers take it for true. `typing` itself takes longer to import than the rest of the package.
TYPE_CHECKING = False
if TYPE_CHECKING:
    from typing import Any


class Error(Exception):
    """Why a call or a verification failed, and what became of the request.

    Look at `outcome` first: after `not_sent` it is safe to try again, after `rejected` the service has refused, after
    `unknown` the request may have taken effect and must not be repeated before that is found out.

    No key, signature, account or holder name is in `str()` or `repr()`. What the service itself said may hold one: it is in
    `description` and `body` alone.
    """

    code: Code
    """What went wrong; equal to its name, such as `"timeout"`."""
    outcome: Outcome
    """What became of the request; equal to its name, such as `"unknown"`."""
    message: str
    """What happened, for a person to read. The wording may change between releases."""
    description: str | None
    """The service's own text of a refusal (contract, section 7), at most 500 characters."""
    reason: Reason | None
    """The reason of a refusal, where its text is one that the contract names (section 7, rule 5)."""
    http_status: int | None
    """The HTTP status, where a reply came. Unsigned: it says nothing about the payment."""
    order_id: str | None
    """The order that was asked about, or that a verified reply names."""
    content_type: str | None
    """The content type of a reply that could not be verified."""
    excerpt: str | None
    """The printable beginning of a reply that could not be verified and is not JSON, such as a proxy's page."""
    body: bytes | None
    """The verified body of a `rejected` or `malformed` reply or webhook, as it came. May hold personal data."""

    def __init__(
        self,
        message: str,
        *,
        code: Code | str = Code.INTERNAL,
        outcome: Outcome | str = Outcome.UNKNOWN,
        description: str | None = None,
        reason: Reason | str | None = None,
        http_status: int | None = None,
        order_id: str | None = None,
        content_type: str | None = None,
        excerpt: str | None = None,
        body: bytes | None = None,
    ) -> None:
        super().__init__(message)
        self.message = message
        self.code = Code(code)
        self.outcome = Outcome(outcome)
        self.description = description
        self.reason = None if reason is None else Reason(reason)
        self.http_status = http_status
        self.order_id = order_id
        self.content_type = content_type
        self.excerpt = excerpt
        self.body = body

    def __str__(self) -> str:
        return f"{self.code}: {self.message}"

    def __repr__(self) -> str:
        shown = ("code", "outcome", "message", "http_status", "order_id")
        fields = ((name, getattr(self, name)) for name in shown)
        inner = ", ".join(f"{name}={_plain(value)!r}" for name, value in fields if value is not None)
        return f"{type(self).__name__}({inner})"

    def __reduce__(self) -> tuple[Any, ...]:
        # A task queue carries an error from one process to another.
        return _again, (type(self), self.message), self.__dict__


def _again(kind: type[Error], message: str) -> Error:
    return kind(message)


def _plain(value: object) -> object:
    return str(value) if isinstance(value, str) else value


class InvalidArgumentError(Error, ValueError):
    """`invalid_argument`: caught before anything was sent, such as a sum that is not greater than 0."""


class InvalidKeyError(Error, ValueError):
    """`invalid_key`: not base64, of a wrong length, with halves that differ, or not a point of the curve."""


class SignerError(Error):
    """`signer`: the host's own signer failed; what it raised is the `__cause__`. Nothing was sent."""


class TransportError(Error):
    """`transport`: DNS, connect, TLS, a broken connection, a redirect, a reply that is too large."""


class RequestTimeoutError(Error, TimeoutError):
    """`timeout`: the deadline passed."""


class CallCancelledError(Error):
    """`cancelled`: the caller interrupted the call."""


class UnverifiedError(Error):
    """`unverified`: the reply or webhook is not provably the service's."""


class MalformedError(Error):
    """`malformed`: provably the service's, but not what the contract says, or for another order."""


class RejectedError(Error):
    """`rejected`: the service refused, provably; see `description` and `reason`."""


class StorageError(Error):
    """`storage`: the journal could not be read or written."""


class InternalError(Error):
    """`internal`: a bug of this library."""


# By the codes of the core. The native half makes them, with the same attributes as `Error.__init__`.
CLASSES: dict[str, type[Error]] = {
    "invalid_argument": InvalidArgumentError,
    "invalid_key": InvalidKeyError,
    "signer": SignerError,
    "transport": TransportError,
    "timeout": RequestTimeoutError,
    "cancelled": CallCancelledError,
    "unverified": UnverifiedError,
    "malformed": MalformedError,
    "rejected": RejectedError,
    "storage": StorageError,
    "internal": InternalError,
}
