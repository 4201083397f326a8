"""What can go wrong, and what it means for the money. The classes of the codes are in `_error_classes`."""

from __future__ import annotations

from ._words import Code, Outcome, Reason

# Type checkers take it for true. `typing` itself takes longer to import than the rest of the package.
TYPE_CHECKING = False
if TYPE_CHECKING:
    from typing import Any, ClassVar

# Whatever the HTTP status.
_TRANSIENT = (Code.TRANSPORT, Code.TIMEOUT, Code.CANCELLED, Code.STORAGE, Code.SIGNER)


class Error(Exception):
    """Why a call or a verification failed, and whether the request may have taken effect.

    Look at `outcome` first: after `not_sent` it is safe to try again, after `rejected` the service has refused, after
    `unknown` the request may have taken effect and must not be repeated before that is found out. Whether the same call may succeed
    later is another question, which `is_transient` answers.

    No key, signature, account or holder name is in `str()` or `repr()`. What the service itself said may hold one: it is in
    `description` and `body` alone.
    """

    code: Code
    """What went wrong; equal to its name, such as `"timeout"`."""
    outcome: Outcome
    """Whether the request may have taken effect; equal to its name, such as `"unknown"`."""
    message: str
    """What happened, for a person to read. The wording may change between releases."""
    description: str | None
    """The service's own text of a refusal (contract, section 7), at most 500 characters."""
    reason: Reason | None
    """The reason of a refusal, where its text is one that the contract names (section 7, rule 5)."""
    is_transient: bool
    """Whether the same call may succeed later, such as after a broken connection or a proxy's 502."""
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

    # What a class's own errors are unless they say otherwise.
    _own_code: ClassVar[Code] = Code.INTERNAL

    def __init__(
        self,
        message: str,
        *,
        code: Code | str | None = None,
        outcome: Outcome | str | None = None,
        description: str | None = None,
        reason: Reason | str | None = None,
        is_transient: bool | None = None,
        http_status: int | None = None,
        order_id: str | None = None,
        content_type: str | None = None,
        excerpt: str | None = None,
        body: bytes | None = None,
    ) -> None:
        super().__init__(message)
        self.message = message
        self.code = self._own_code if code is None else Code(code)
        if outcome is None:
            outcome = Outcome.REJECTED if self.code is Code.REJECTED else Outcome.UNKNOWN
        self.outcome = Outcome(outcome)
        self.description = description
        self.reason = None if reason is None else Reason(reason)
        if is_transient is None:
            is_transient = self.code in _TRANSIENT or (self.code is Code.UNVERIFIED and _is_of_a_proxy(http_status))
        self.is_transient = is_transient
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
        return _unpickle, (type(self), self.message), self.__dict__


def _is_of_a_proxy(http_status: int | None) -> bool:
    return http_status is not None and (http_status == 429 or http_status >= 500)


def _unpickle(kind: type[Error], message: str) -> Error:
    return kind(message)


def _plain(value: object) -> object:
    return str(value) if isinstance(value, str) else value
