"""The terms of the contract and of the library, as `str` enums: each term compares equal to its text."""

from __future__ import annotations

from ._word import OpenWord, Word


class Status(OpenWord):
    """The status of a payment (contract, section 3). A status that this version does not know is kept as its
    text and is never final: `Status("frozen") == "frozen"`.
    """

    # generated: begin statuses
    FREE = "free"
    """The payment was created, but no suitable payee has been found yet."""
    PENDING = "pending"
    """The service searches for credentials, or waits for the customer's payment."""
    RECEIPT_REQUIRED = "receiptRequired"
    """The payment is in arbitration, and a receipt must be attached."""
    DONE_SUCCESS = "doneSuccess"
    """The payment is completed. This status is final."""
    DONE_FAIL = "doneFail"
    """The payment has failed. This status is final."""
    ARBITRAGE_CANCELLED_BY_MERCHANT = "arbitrageCancelledByMerchant"
    """The merchant cancelled the payment in arbitration. This status is final."""
    # generated: end

    @property
    def is_final(self) -> bool:
        """True if the status is final."""
        return self in _FINAL


# generated: begin final
_FINAL = (Status.DONE_SUCCESS, Status.DONE_FAIL, Status.ARBITRAGE_CANCELLED_BY_MERCHANT)
# generated: end


class PaymentMethod(OpenWord):
    """The customer's way to pay (contract, section 1). The library refuses to send an unknown payment method."""

    # generated: begin payment_methods
    CARD = "card"
    """Bank cards."""
    SBP = "sbp"
    """The Russian system for fast bank payments (SBP)."""
    # generated: end


# generated: begin words
class Code(Word):
    """The kind of an error. The list only grows."""

    INVALID_ARGUMENT = "invalid_argument"
    """A value is wrong, for example a sum that is not greater than 0, or a file that cannot be read. Nothing was
    sent."""
    INVALID_KEY = "invalid_key"
    """A key that is not base64, has a wrong length, has halves that do not match, or is not a point of the curve."""
    SIGNER = "signer"
    """The host's own signer failed, for example an HSM that does not answer or a callback that failed. Nothing was sent.
    Since 0.2.0."""
    TRANSPORT = "transport"
    """A failure of DNS, connecting or TLS, a broken connection, a redirect, or a reply that is too large."""
    TIMEOUT = "timeout"
    """The deadline passed before the call ended."""
    CANCELLED = "cancelled"
    """The caller interrupted the call. Since 0.2.0."""
    UNVERIFIED = "unverified"
    """It is not proven that the reply or webhook comes from the service."""
    MALFORMED = "malformed"
    """The service signed the reply or webhook, but the message violates the contract or is about another order."""
    REJECTED = "rejected"
    """The service refused the request in a verified reply."""
    STORAGE = "storage"
    """The journal could not be read or written. Since 0.2.0."""
    CONFLICT = "conflict"
    """Another worker was first. Version 0.3.0 returned this code; later versions do not. Since 0.3.0."""
    INTERNAL = "internal"
    """A bug of this library."""


class Outcome(Word):
    """Shows whether the request may have taken effect. The list only grows."""

    NOT_SENT = "not_sent"
    """No byte of the request was written, so after a retry the request cannot take effect twice. A retry can succeed
    only if the error is transient: a wrong argument stays wrong."""
    REJECTED = "rejected"
    """The service refused the request in a verified reply: the request did not take effect."""
    UNKNOWN = "unknown"
    """The request may have taken effect: call `get_status`, or ask support, before you send the request again."""


class Reason(Word):
    """The reason of a refusal, if the contract lists the refusal's text (section 7)."""

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
    """The paid sum, compared with the requested sum. Since 0.2.0."""

    EXACTLY = "exactly"
    """Exactly the requested sum was paid. Since 0.2.0."""
    LESS = "less"
    """Less than the requested sum was paid. Since 0.2.0."""
    MORE = "more"
    """More than the requested sum was paid. Since 0.2.0."""


class EventKind(Word):
    """The kind of a verified webhook (contract, section 6)."""

    CREDENTIALS = "credentials"
    """Credentials were found for a payment made by `new_payment_async` (contract, section 6.1)."""
    CREDENTIALS_FAILED = "credentials_failed"
    """No credentials were found (contract, section 6.1): the payment has only its order id."""
    STATUS = "status"
    """The payment has a new status (contract, section 6.2). The status is never `free` or `pending`."""


class Cause(Word):
    """The reason why a message does not verify. The list only grows. Since 0.3.0."""

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
    """A balance in rubles: the sum is multiplied by the rate."""
    USDT = "USDT"
    """A balance in USDT: the sum is divided by the rate."""


class Rounding(Word):
    """The rounding of a sum to the scale of the balance's currency."""

    HALF_UP = "half_up"
    """Round to the nearest value. A half is rounded away from zero, as in cash registers."""
    HALF_EVEN = "half_even"
    """Round to the nearest value. A half is rounded to the even neighbour."""
    DOWN = "down"
    """Round towards zero."""
    UP = "up"
    """Round away from zero."""


class Standing(Word):
    """The state of an attempt in the journal. A standing alone never shows that the attempt was paid: only the field
    succeeded shows that. Since 0.2.0."""

    SENDING = "sending"
    """The call that makes the payment may still run."""
    UNKNOWN = "unknown"
    """The call is over, and nobody knows whether it made a payment."""
    REFUSED = "refused"
    """Nobody can pay."""
    OPEN = "open"
    """An order is bound, and its status is not final."""
    FINAL = "final"
    """The status is final: a success or a failure."""
    SUPERSEDED = "superseded"
    """A later attempt has replaced this one, whatever its state."""


class Intent(Word):
    """An instruction of the merchant to the service. Since 0.2.0."""

    CONFIRM = "confirm"
    """The customer has paid."""
    CANCEL = "cancel"
    """The payment is not wanted any more."""


class IntentState(Word):
    """What became of an instruction. Since 0.4.0."""

    STORED = "stored"
    """Stored before its call. `settle` sends it again until there is an answer."""
    ACCEPTED = "accepted"
    """The service accepted it."""
    REFUSED = "refused"
    """The service refused it."""


class Attention(Word):
    """A reason for which an operator must decide about an attempt. Since 0.2.0."""

    UNKNOWN = "unknown"
    """Nobody knows whether there is a payment; or a backup was restored, and later attempts may be missing."""
    ORDER_UNPROVEN = "order_unproven"
    """A message names an order that is not proven to be this attempt's."""
    PAID_UNASKED = "paid_unasked"
    """An attempt was paid that nobody should have paid: refused, replaced, or beside another success."""
    SUM_DIFFERS = "sum_differs"
    """A success, or credentials, with another sum than the asked one."""
    STATUS_CHANGED = "status_changed"
    """A final status has changed."""
    STUCK = "stuck"
    """The service does not know the order, does not end it, or does not follow an instruction."""


class Until(Word):
    """The event that ends the journal's function wait. Since 0.2.0."""

    CREDENTIALS = "credentials"
    """There are credentials; or none can be expected soon, because the attempt is refused, unknown, replaced or final.
    Since 0.2.0."""
    FINAL = "final"
    """The status is final; or it cannot be expected soon, because the attempt is refused, unknown or replaced. Since
    0.2.0."""


class Style(Word):
    """The way in which a database's driver writes parameters. Since 0.4.0."""

    QUESTION = "question"
    """`?`: PDO, JDBC, ODBC, Go's drivers of MySQL and SQLite. Since 0.4.0."""
    DOLLAR = "dollar"
    """`$1`: pgx, asyncpg, tokio-postgres. Since 0.4.0."""
    PERCENT = "percent"
    """`%s`: psycopg, PyMySQL, Django. Since 0.4.0."""
    COLON = "colon"
    """`:name`: PDO, Doctrine, SQLAlchemy. Since 0.4.0."""
    AT = "at"
    """`@name`: ADO.NET. Since 0.4.0."""


# generated: end


# The native half reads this dict, because reading a dict runs no Python code. CPython before 3.14 ends a thread
# that runs Python code after the interpreter's end. The native function would then stop in the middle.
MEMBERS = {
    kind.__name__: {str.__str__(member): member for member in kind}
    for kind in (Status, Code, Outcome, Reason, Paid, Standing, Intent, IntentState, Attention)
}
