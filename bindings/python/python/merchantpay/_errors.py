"""`Error`, the base class. The class of each code is in `_generated`."""

from __future__ import annotations

from ._generated.error_fields import ErrorFields
from ._generated.words import Code, Outcome, Reason
from ._values import plain

# Type checkers treat this name as true. It is not imported from `typing`, because importing `typing` takes
# longer than importing the rest of the package.
TYPE_CHECKING = False
if TYPE_CHECKING:
    from typing import Any, ClassVar

# Errors with these codes are transient for any HTTP status.
_TRANSIENT = (Code.TRANSPORT, Code.TIMEOUT, Code.CANCELLED, Code.STORAGE, Code.SIGNER)


class Error(ErrorFields, Exception):
    """The error of a call or a verification. Check `outcome` first.

    After `not_sent` a retry is safe. After `rejected` the service has refused the request. After `unknown` the
    request may have taken effect: do not repeat it before you know its effect. `is_transient` shows whether the
    same call may succeed later.

    `str()` and `repr()` contain no key, signature, account or holder name. The service's texts can contain
    personal data; they are only in `description` and `body`.
    """

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
        retry_after: int | None = None,
        argument: str | None = None,
    ) -> None:
        super().__init__(message)
        self.message = message
        self.code: Code = self._own_code if code is None else Code(code)
        if outcome is None:
            outcome = Outcome.REJECTED if self.code is Code.REJECTED else Outcome.UNKNOWN
        self.outcome: Outcome = Outcome(outcome)
        self.description = description
        self.reason: Reason | None = None if reason is None else Reason(reason)
        if is_transient is None:
            is_transient = self.code in _TRANSIENT or (self.code is Code.UNVERIFIED and _is_transient_status(http_status))
        self.is_transient = is_transient
        self.http_status = http_status
        self.retry_after = retry_after
        self.order_id = order_id
        self.content_type = content_type
        self.excerpt = excerpt
        self.body = body
        self.argument = argument

    def __str__(self) -> str:
        return f"{self.code}: {self.message}"

    def __repr__(self) -> str:
        shown = ("code", "outcome", "message", "http_status", "order_id")
        fields = ((name, getattr(self, name)) for name in shown)
        inner = ", ".join(f"{name}={plain(value)!r}" for name, value in fields if value is not None)
        return f"{type(self).__name__}({inner})"

    def __reduce__(self) -> tuple[Any, ...]:
        # Task queues pass errors between processes. Pickles of earlier versions name `_unpickle` too.
        return _unpickle, (type(self), self.message), self.__dict__


def _is_transient_status(http_status: int | None) -> bool:
    return http_status is not None and (http_status == 429 or http_status >= 500)


def _unpickle(kind: type[Error], message: str) -> Error:
    return kind(message)
