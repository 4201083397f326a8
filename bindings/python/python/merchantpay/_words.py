"""The contract's and the library's own words, as `str` enums: each compares equal to its text."""

from __future__ import annotations

from enum import Enum


class _Word(str, Enum):
    """A member is its text: `str()`, `format()` and `==` see nothing else."""

    def __str__(self) -> str:
        return str.__str__(self)

    def __format__(self, spec: str) -> str:
        return str.__format__(self, spec)


class _OpenWord(_Word):
    """A word of the service, which may learn new ones: a text that is not known is kept, as `UNKNOWN` with its value."""

    @classmethod
    def _missing_(cls, value: object) -> _OpenWord | None:
        if not isinstance(value, str):
            return None
        word = str.__new__(cls, value)
        word._name_ = "UNKNOWN"
        word._value_ = str(value)
        return word

    @property
    def is_known(self) -> bool:
        """Whether this version of the library knows the word."""
        return self._name_ != "UNKNOWN"


class Status(_OpenWord):
    """Where a payment stands (contract, section 3).

    A status that this version does not know is kept as its text and is never final: `Status("frozen") == "frozen"`.
    """

    FREE = "free"
    """Created, but no suitable payee is found yet."""
    PENDING = "pending"
    """Credentials are looked up, or the customer's payment is awaited."""
    RECEIPT_REQUIRED = "receiptRequired"
    """A receipt must be attached; the payment is in arbitration."""
    DONE_SUCCESS = "doneSuccess"
    """Final: completed."""
    DONE_FAIL = "doneFail"
    """Final: failed."""
    ARBITRAGE_CANCELLED_BY_MERCHANT = "arbitrageCancelledByMerchant"
    """Final: cancelled by the merchant in arbitration."""

    @property
    def is_final(self) -> bool:
        """Whether the payment will not change any more."""
        return self in _FINAL


_FINAL = (Status.DONE_SUCCESS, Status.DONE_FAIL, Status.ARBITRAGE_CANCELLED_BY_MERCHANT)


class PaymentMethod(_OpenWord):
    """How the customer pays (contract, section 1). The library refuses to send one that it does not know."""

    CARD = "card"
    """Bank cards."""
    SBP = "sbp"
    """The fast payments system."""


class Code(_Word):
    """What went wrong. The list only grows."""

    INVALID_ARGUMENT = "invalid_argument"
    """Caught before anything was sent."""
    INVALID_KEY = "invalid_key"
    """A key that cannot be right."""
    SIGNER = "signer"
    """The host's own signer failed: an HSM that does not answer. Nothing was sent."""
    TRANSPORT = "transport"
    """DNS, connect, TLS, a broken connection, a redirect, a reply that is too large."""
    TIMEOUT = "timeout"
    """The deadline passed."""
    CANCELLED = "cancelled"
    """The caller interrupted the call."""
    UNVERIFIED = "unverified"
    """The reply or webhook is not provably the service's."""
    MALFORMED = "malformed"
    """Provably the service's, but not what the contract says, or for another order."""
    REJECTED = "rejected"
    """The service refused."""
    STORAGE = "storage"
    """The journal could not be read or written."""
    INTERNAL = "internal"
    """A bug of this library."""


class Outcome(_Word):
    """What became of the request. The list only grows."""

    NOT_SENT = "not_sent"
    """Not one byte of the request was written: it is safe to send it again."""
    REJECTED = "rejected"
    """The service refused, provably: nothing took effect."""
    UNKNOWN = "unknown"
    """It may have taken effect: ask `get_status`, or support, before sending it again."""


class Reason(_Word):
    """A refusal whose text the contract names (section 7, rule 5)."""

    INVALID_CURRENCY = "invalid_currency"
    INVALID_ORDER_ID = "invalid_order_id"
    ORDER_NOT_FOUND = "order_not_found"
    INVALID_FILE_FORMAT = "invalid_file_format"
    PAYMENT_COULD_NOT_BE_CANCELED = "payment_could_not_be_canceled"


# For the native half: a dict is read without running Python code, at which CPython before 3.14 ends a thread that outlives the
# interpreter, in the middle of what called it.
MEMBERS = {kind.__name__: {str.__str__(member): member for member in kind} for kind in (Status, Code, Outcome, Reason)}
