"""The contract's and the library's own terms, as `str` enums: each compares equal to its text."""

from __future__ import annotations

from ._word import OpenWord, Word


class Status(OpenWord):
    """The status of a payment (contract, section 3). A status that this version does not know is kept as its
    text and is never final: `Status("frozen") == "frozen"`.
    """

    # generated: begin statuses
    FREE = "free"
    """Created, but no suitable payee has been found yet."""
    PENDING = "pending"
    """The service searches for credentials, or waits for the customer's payment."""
    RECEIPT_REQUIRED = "receiptRequired"
    """A receipt must be attached; the payment is in arbitration."""
    DONE_SUCCESS = "doneSuccess"
    """Final: completed."""
    DONE_FAIL = "doneFail"
    """Final: failed."""
    ARBITRAGE_CANCELLED_BY_MERCHANT = "arbitrageCancelledByMerchant"
    """Final: cancelled by the merchant in arbitration."""
    # generated: end

    @property
    def is_final(self) -> bool:
        """Whether the status is final."""
        return self in _FINAL


# generated: begin final
_FINAL = (Status.DONE_SUCCESS, Status.DONE_FAIL, Status.ARBITRAGE_CANCELLED_BY_MERCHANT)
# generated: end


class PaymentMethod(OpenWord):
    """The customer's way to pay (contract, section 1). The library refuses to send an unknown one."""

    # generated: begin payment_methods
    CARD = "card"
    """Bank cards."""
    SBP = "sbp"
    """The fast payments system."""
    # generated: end


# generated: begin words
class Code(Word):
    """What went wrong. The list only grows."""

    INVALID_ARGUMENT = "invalid_argument"
    """A wrong value that was caught before anything was sent, such as a sum that is not greater than 0 or a file that
    cannot be read."""
    INVALID_KEY = "invalid_key"
    """A key that is not base64, has the wrong length, whose halves differ, or that is not a point of the curve."""
    SIGNER = "signer"
    """The host's own signer failed: an HSM that does not answer, a callback that failed. Nothing was sent. Since
    0.2.0."""
    TRANSPORT = "transport"
    """DNS, connect, TLS, a broken connection, a redirect, a reply that is too large."""
    TIMEOUT = "timeout"
    """The deadline passed."""
    CANCELLED = "cancelled"
    """The caller interrupted the call. Since 0.2.0."""
    UNVERIFIED = "unverified"
    """The reply or webhook is not provably the service's."""
    MALFORMED = "malformed"
    """Provably the service's, but not what the contract says, or for another order."""
    REJECTED = "rejected"
    """The service refused, provably."""
    STORAGE = "storage"
    """The journal could not be read or written. Since 0.2.0."""
    CONFLICT = "conflict"
    """Another worker was first: `acknowledge` in a transaction found nothing to acknowledge. Roll back. Since 0.3.0."""
    INTERNAL = "internal"
    """A bug of this library."""


class Outcome(Word):
    """Whether the request may have taken effect. The list only grows."""

    NOT_SENT = "not_sent"
    """Not one byte of the request was written: sending it again cannot take effect twice. It can succeed then only if
    the error is transient: a wrong argument stays wrong."""
    REJECTED = "rejected"
    """The service refused, provably: nothing took effect."""
    UNKNOWN = "unknown"
    """It may have taken effect: ask `get_status`, or support, before sending it again."""


class Reason(Word):
    """Why the service refused, if the contract names the reason (section 7)."""

    INVALID_CURRENCY = "invalid_currency"
    """`invalid currency`"""
    INVALID_ORDER_ID = "invalid_order_id"
    """`invalid orderId`"""
    ORDER_NOT_FOUND = "order_not_found"
    """`order not found`"""
    INVALID_FILE_FORMAT = "invalid_file_format"
    """`invalid file format`"""
    PAYMENT_COULD_NOT_BE_CANCELED = "payment_could_not_be_canceled"
    """`payment could not be canceled`"""


class Paid(Word):
    """The paid sum, compared with the requested one. Since 0.2.0."""

    EXACTLY = "exactly"
    """The requested sum. Since 0.2.0."""
    LESS = "less"
    """Less than requested. Since 0.2.0."""
    MORE = "more"
    """More than requested. Since 0.2.0."""


class EventKind(Word):
    """What a webhook reports (contract, section 6)."""

    CREDENTIALS = "credentials"
    """Credentials were found for a payment made by `new_payment_async` (contract, section 6.1)."""
    CREDENTIALS_FAILED = "credentials_failed"
    """No credentials were found (contract, section 6.1): the payment has nothing but its order id."""
    STATUS = "status"
    """The payment has a new status (contract, section 6.2); never `free` or `pending`."""


class Cause(Word):
    """Why a message does not verify. The list only grows. Since 0.3.0."""

    MISSING_SIGNATURE = "missing_signature"
    """The message carries no signature. Since 0.3.0."""
    REPEATED_SIGNATURE = "repeated_signature"
    """The message carries more than one signature. Since 0.3.0."""
    SIGNATURE_ENCODING = "signature_encoding"
    """The signature is not the standard base64 of 64 bytes. Since 0.3.0."""
    BODY_CHANGED = "body_changed"
    """The body was changed after it was signed. Since 0.3.0."""
    DIGEST_SIGNED = "digest_signed"
    """A digest of the body was signed instead of the body. Since 0.3.0."""
    OWN_KEY = "own_key"
    """The merchant's own key signed the message. Since 0.3.0."""
    WRONG_KEY = "wrong_key"
    """Another known key signed the message. Since 0.3.0."""
    KEY_ID = "key_id"
    """The key id is missing, the receiver's own, or unknown. Since 0.3.0."""
    NOT_EXPLAINED = "not_explained"
    """No known mistake explains the message. Since 0.3.0."""


class Balance(Word):
    """The currency of the merchant's balance."""

    RUB = "RUB"
    """A ruble balance: the sum times the rate."""
    USDT = "USDT"
    """A USDT balance: the sum divided by the rate."""


class Rounding(Word):
    """How a sum in the balance's currency is rounded to its scale."""

    HALF_UP = "half_up"
    """To the nearest; a half away from zero, as cash registers do."""
    HALF_EVEN = "half_even"
    """To the nearest; a half to the even neighbour."""
    DOWN = "down"
    """Towards zero."""
    UP = "up"
    """Away from zero."""


class Standing(Word):
    """What is known of an attempt in the journal. None alone means that it is paid; the field succeeded does. Since
    0.2.0."""

    SENDING = "sending"
    """Its intent is stored; the call may be under way in some process until its deadline."""
    UNKNOWN = "unknown"
    """The call ended, or its process died, without proof either way."""
    REFUSED = "refused"
    """Nobody can pay: nothing left, the service refused, or it failed before any credentials were stored."""
    OPEN = "open"
    """The order id is known; the status is not final."""
    FINAL = "final"
    """The status is final: a success or a failure."""
    SUPERSEDED = "superseded"
    """A newer attempt took its place."""


class Level(Word):
    """What there is to report of an attempt, or was acknowledged. Levels only rise, in this order. Since 0.2.0."""

    NONE = "none"
    """Nothing."""
    CREDENTIALS = "credentials"
    """There are credentials for the customer."""
    RECEIPT_REQUIRED = "receipt_required"
    """A receipt must be attached."""
    REFUSED = "refused"
    """It is refused, which its own call did not report."""
    FINAL = "final"
    """Its status is final."""


class Intent(Word):
    """The state of a confirm or a cancel in the journal. Since 0.2.0."""

    STORED = "stored"
    """It is stored, and not yet answered: `settle` retries it."""
    ACCEPTED = "accepted"
    """The service accepted it."""
    REFUSED = "refused"
    """The service refused it, and no earlier call can have arrived."""
    UNCLEAR = "unclear"
    """The service refused it, or a newer instruction replaced it, after an earlier call that may have arrived."""


class Attention(Word):
    """Why an operator must decide about an attempt. Since 0.2.0."""

    UNKNOWN = "unknown"
    """Nobody knows whether the service made a payment."""
    FOUND_AFTER_REFUSED = "found_after_refused"
    """A payment was found for an attempt that was refused."""
    SUPERSEDED_PAID = "superseded_paid"
    """A superseded attempt was paid after all."""
    SUPERSEDED_ALIVE = "superseded_alive"
    """A superseded attempt is alive: a receipt is required, or a day of cancelling did not end it."""
    CONFIRM_REFUSED = "confirm_refused"
    """The service refused the confirm."""
    CONFIRM_UNCLEAR = "confirm_unclear"
    """A day has passed and nobody knows whether the confirm took effect."""
    FINAL_CONTRADICTED = "final_contradicted"
    """The service reported another final status than the stored one, or another sum."""
    PAID_DIFFERS = "paid_differs"
    """The sum that was paid is not the sum that was asked for."""
    CREDENTIALS_DIFFER = "credentials_differ"
    """The credentials are for another sum or currency than was asked for."""
    ORDER_NOT_FOUND = "order_not_found"
    """The service does not know the order."""
    STILL_OPEN = "still_open"
    """The status has not become final in thirty days."""
    ORDER_DIFFERS = "order_differs"
    """A webhook had named another order than the reply did; the note has its order id."""
    ORDER_UNPROVEN = "order_unproven"
    """A webhook alone named an order, and nothing proves that it is this attempt's, such as its sum. It is among the
    orphans."""
    SUM_MISSING = "sum_missing"
    """It succeeded, and neither the webhook nor the status has the sum that was paid. Since 0.3.0."""
    SERVER_CHANGED = "server_changed"
    """Of no attempt: another database server answers than the one that an operator knows. Since 0.3.0."""


class Until(Word):
    """What the journal's wait waits for. Since 0.2.0."""

    CREDENTIALS = "credentials"
    """Credentials for the customer, or that there are none: refused, unknown or final. Since 0.2.0."""
    FINAL = "final"
    """A final status, or that there is none: refused or unknown. Since 0.2.0."""


class Dialect(Word):
    """Which SQL a database speaks. Since 0.2.0."""

    SQLITE = "sqlite"
    """SQLite. Since 0.2.0."""
    POSTGRESQL = "postgresql"
    """PostgreSQL, from 12 on. Since 0.2.0."""
    MYSQL = "mysql"
    """MySQL from 8 on, and MariaDB from 10.5 on. Since 0.2.0."""


# generated: end


# For the native half: reading a dict runs no Python code. Before 3.14 CPython ends a thread that outlives the
# interpreter when it runs Python code, in the middle of its caller.
MEMBERS = {
    kind.__name__: {str.__str__(member): member for member in kind}
    for kind in (Status, Code, Outcome, Reason, Paid, Standing, Level, Intent, Attention)
}
