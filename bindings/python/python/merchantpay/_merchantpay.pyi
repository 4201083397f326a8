# The native half of `merchantpay`. The docstrings are generated from crates/merchantpay-python.

from collections.abc import Callable, Iterable, Sequence
from datetime import datetime
from decimal import Decimal
from os import PathLike
from types import GenericAlias, TracebackType
from typing import Any, Final, Generic, Literal, NoReturn, SupportsIndex, TypedDict, TypeVar, final
from typing import Protocol as _Shape

from typing_extensions import Self, TypeAlias

from ._errors import Error
from ._words import Attention, Code, Dialect, Intent, Level, Outcome, Paid, PaymentMethod, Standing, Status, Until

__all__ = [
    "AvailableAmounts",
    "Client",
    "CredentialsFailed",
    "CredentialsIssued",
    "Entry",
    "Export",
    "Explanation",
    "HttpRequest",
    "Journal",
    "Keypair",
    "Orphan",
    "Payment",
    "Problem",
    "Protocol",
    "Received",
    "ServerChange",
    "Settled",
    "Stats",
    "StatusChanged",
    "WebhookVerifier",
    "_StatusWait",
    "__version__",
    "_effect",
    "_forget",
    "_panic",
    "_received",
    "_settled",
    "_sign",
    "_unpickle",
    "_words",
    "generate_keypair",
    "to_balance",
]

__version__: Final[str]

_Sum: TypeAlias = Decimal | int | str
_OneOrMore: TypeAlias = str | Iterable[str]
_Path: TypeAlias = str | PathLike[str]
_ReceiptType: TypeAlias = Literal["application/pdf", "image/jpeg", "image/png"]
_File: TypeAlias = _Path | tuple[str, bytes, _ReceiptType]
_Currency: TypeAlias = Literal["RUB"]
_Signer: TypeAlias = Callable[[bytes], bytes]
# The connections of different drivers have no common type.
_Connect: TypeAlias = Callable[[], Any]
# generated: begin words
_PaymentMethod: TypeAlias = PaymentMethod | Literal["card", "sbp"]
_Balance: TypeAlias = Literal["RUB", "USDT"]
_Standing: TypeAlias = Standing | Literal["sending", "unknown", "refused", "open", "final", "superseded"]
_Until: TypeAlias = Until | Literal["credentials", "final"]
_Style: TypeAlias = Style | Literal["question", "dollar", "percent", "colon", "at"]
_Rounding: TypeAlias = Literal["half_up", "half_even", "down", "up", "ROUND_HALF_UP", "ROUND_HALF_EVEN", "ROUND_DOWN", "ROUND_UP"]
# generated: end
# These types are defined here because in `Journal` the method `list` hides the type `list`.
_Entries: TypeAlias = list[Entry]
_Items: TypeAlias = list[Entry | Orphan | ServerChange]
_Reply = TypeVar("_Reply", Payment, AvailableAmounts, covariant=True)

class _HasItems(_Shape):
    def items(self) -> Iterable[tuple[Any, Any]]: ...

_Headers: TypeAlias = _HasItems | Iterable[tuple[str, str]] | Iterable[tuple[bytes, bytes]]

@final
class Payment:
    """A payment from a verified reply or webhook (contract, section 2). The object does not change.

    Every field except `order_id` may be None: the operation decides which fields are present, and webhooks
    leave out empty and zero values. `repr()` leaves out account, holder and link."""
    # generated: begin payment_fields
    @property
    def order_id(self) -> str:
        """`orderId`: the service's identifier of the payment."""
    @property
    def sum(self) -> Decimal | None:
        """`sum`: the payment's sum in its currency. After the customer has paid, it is the amount that was actually
        paid, which can be more or less than requested. A failed payment has a sum too."""
    @property
    def currency(self) -> str | None:
        """`currency`: the currency of the sum. The reply to `new_payment` and the credentials webhook have it."""
    @property
    def payee_account(self) -> str | None:
        """`payeeAccount`: the account to which the customer pays."""
    @property
    def payee_account_bank(self) -> str | None:
        """`payeeAccountBank`: the bank of the payee's account."""
    @property
    def payee_name(self) -> str | None:
        """`payeeName`: the holder of the payee's account. In the reply to `get_status` the name is in Latin letters."""
    @property
    def deal_sum(self) -> Decimal | None:
        """`dealSum`: the sum in the currency of the merchant's balance, with commission. The sum is fixed when the
        service issues the credentials."""
    @property
    def deal_currency(self) -> str | None:
        """`dealCurrency`: the currency of the merchant's balance."""
    @property
    def deal_rate(self) -> Decimal | None:
        """`dealRate`: the rate from the payment's currency to the currency of the merchant's balance."""
    @property
    def deeplink(self) -> str | None:
        """`deeplink`: the URL of the customer's payment frame."""
    @property
    def status(self) -> Status | None:
        """`status`: the payment's status (contract, section 3). The reply to `get_status` and status webhooks have it."""
    # generated: end
    @property
    def is_final(self) -> bool:
        """True if there is a status and it is final. A status that this version does not know is never final."""
    @property
    def json(self) -> str:
        """The verified body, unchanged."""
    @property
    def unknown_fields(self) -> dict[str, Any]:
        """The fields that this version does not know, by their names in the body; a new dict. Fractions are
        `Decimal`. A value that Python refuses to read, such as an int with more digits than
        `sys.get_int_max_str_digits()`, is its JSON text as a `str`."""
    def paid(self, asked: _Sum) -> Paid | None:
        """The paid sum compared with the requested sum `asked`: Paid.EXACTLY, LESS or MORE; None if the payment
        has no sum. `asked` is Decimal, int or str, in the payment's currency.

        The status "doneSuccess" alone does not mean that the customer paid everything. The result is final
        only with a final status; before that, the payment's sum is the sum that the service expects so far."""
    def to_dict(self) -> dict[str, Any]:
        """The present fields by the contract's names, as a new dict: amounts are Decimal, the status is a
        Status, and the fields that this version does not know are as in `unknown_fields`. `payment.json` is
        the body as JSON, with the service's digits."""
    def __eq__(self, other: object, /) -> bool: ...
    def __ne__(self, other: object, /) -> bool: ...
    def __copy__(self) -> Self: ...
    def __deepcopy__(self, memo: Any, /) -> Self: ...
    def __reduce__(self) -> tuple[Any, tuple[str, str]]: ...
    def __hash__(self) -> int: ...

@final
class AvailableAmounts:
    """The reply to `/available` (contract, section 4.1). No amount is reserved. The object does not change."""
    @property
    def available_amounts(self) -> tuple[Decimal, ...]:
        """`availableAmounts`: the amounts with a counter-offer right now, as a tuple of `Decimal`."""
    @property
    def other_amounts_possible(self) -> bool:
        """`otherAmountsPossible`: whether amounts outside the list may succeed too; then an empty list is not a
        refusal."""
    @property
    def json(self) -> str:
        """The verified body, unchanged."""
    def __eq__(self, other: object, /) -> bool: ...
    def __ne__(self, other: object, /) -> bool: ...
    def __copy__(self) -> Self: ...
    def __deepcopy__(self, memo: Any, /) -> Self: ...
    def __reduce__(self) -> tuple[Any, tuple[str, str]]: ...
    def __hash__(self) -> int: ...

@final
class Client:
    """Calls the service's seven operations (contract, section 4). Blocks until the reply is verified or the
    deadline passes.

    - base_url: the absolute https URL before /api/v1/merchant/pay. Plain http is allowed to loopback only.
    - key_id: the merchant's key id, as the service issued it (contract, section 5). It consists of visible ASCII.
    - private_key: the merchant's private key: base64 of 64 bytes, which are the seed and the public key (contract,
      section 5).
    - public_key: the merchant's own public key, base64 of 32 bytes. It is required if a callback signs. Otherwise it
      is only compared with the private key.
    - server_public_key: the service's public key, base64 of 32 bytes. Set several keys while the service rotates its
      keys. One text, or a list of texts.
    - server_key_id: the key ids of the service. If key ids are set, each reply must have one of these key ids. A
      webhook may have no key id; otherwise it must also have one of these key ids. One text, or a list of texts.
    - ca_file: a file with the PEM certificates of a CA to trust in addition to the operating system's CAs.
    - ca_pem: the text of the PEM certificates of a CA to trust in addition to the operating system's CAs.
    - exclusive_ca: trusts only the configured CA, and not the operating system's CAs.
    - pin_spki: a pin of the public key of the service's own certificate: `sha256/` and the base64 of the SHA-256 of
      the certificate's SubjectPublicKeyInfo. Set several pins while the service changes its key. One text, or a list
      of texts.
    - client_certificate: two files, as PEM: the certificate that the client shows to a service that asks for one
      (mTLS), with its chain, and its private key.
    - proxy: an HTTP proxy, as http://[user:password@]host:port. Variables such as HTTP_PROXY are not read.
    - allow_http: allows plain http to another machine. Anyone on the network path can then read every account and
      signature.
    - user_agent: the `User-Agent` header.
    - timeout: the time limit of a whole call with its retries. The service itself can take 10 s for `new_payment`. In
      seconds.
    - connect_timeout: the time limit for opening one connection. In seconds.
    - reuse_idle: the time after a response for which the response's connection can be reused for a call that is sent
      only once. 0 means never. In seconds.
    - connect_idle: the time for which a connection that was opened early can wait for its first request. In seconds.
    - max_retries: the largest number of retries; 0 means no retries. The library retries `get_available_amounts` and
      `get_status`, and any other request only if no byte of that request was written.
    - max_reply_bytes: the size of the largest reply body that is read.
    - signer: a callable that signs in place of private_key, which is then None. It gets bytes and returns
      their ed25519 signature (64 bytes). Use it for a key outside the process, such as in an HSM, and set
      public_key.

    Threads may share a client, and it works after a fork; it cannot be pickled or copied. The GIL is
    released during calls. Ctrl-C does not abandon a call: the call finishes or reaches its deadline, and
    then KeyboardInterrupt is raised. The call's result is lost, so treat the call as if its outcome were
    "unknown". The same is true for any exception of a signal handler. If the handler raises it before the
    signer is called, or inside the signer, nothing is sent. An ordinary exception inside the signer is
    treated as the signer's own: the call raises SignerError with the outcome "not_sent" and that exception
    as its `__cause__`. KeyboardInterrupt and SystemExit inside the signer are raised unchanged.
    `interrupt`, from another thread, ends a call immediately.

    Raises InvalidArgumentError or InvalidKeyError for a setting that cannot be used. A method that fails
    raises Error; see the error's `outcome`."""
    def __new__(
        cls,
        base_url: str,
        key_id: str,
        private_key: str | None,
        server_public_key: _OneOrMore,
        *,
        # generated: begin settings
        server_key_id: _OneOrMore | None = None,
        ca_file: _Path | None = None,
        ca_pem: bytes | str | None = None,
        exclusive_ca: bool = False,
        pin_spki: _OneOrMore | None = None,
        client_certificate: tuple[_Path, _Path] | None = None,
        proxy: str | None = None,
        allow_http: bool = False,
        user_agent: str | None = None,
        timeout: float = 30.0,
        connect_timeout: float = 10.0,
        reuse_idle: float = 1.0,
        connect_idle: float = 10.0,
        max_retries: int = 2,
        max_reply_bytes: int = 1048576,
        # generated: end
        signer: _Signer | None = None,
        public_key: str | None = None,
    ) -> Self: ...
    @classmethod
    def from_env(
        cls,
        *,
        # generated: begin overrides
        base_url: str | None = ...,
        key_id: str | None = ...,
        private_key: str | None = ...,
        server_public_key: _OneOrMore | None = ...,
        server_key_id: _OneOrMore | None = ...,
        ca_file: _Path | None = ...,
        ca_pem: bytes | str | None = ...,
        exclusive_ca: bool | None = ...,
        pin_spki: _OneOrMore | None = ...,
        client_certificate: tuple[_Path, _Path] | None = ...,
        proxy: str | None = ...,
        allow_http: bool | None = ...,
        user_agent: str | None = ...,
        timeout: float | None = ...,
        connect_timeout: float | None = ...,
        reuse_idle: float | None = ...,
        connect_idle: float | None = ...,
        max_retries: int | None = ...,
        max_reply_bytes: int | None = ...,
        # generated: end
        signer: _Signer | None = ...,
        public_key: str | None = ...,
    ) -> Self:
        """Makes a client from the settings in the environment. Each argument has a variable with its name:
        `MERCHANTPAY_BASE_URL`, `MERCHANTPAY_KEY_ID`, `MERCHANTPAY_PRIVATE_KEY`,
        `MERCHANTPAY_SERVER_PUBLIC_KEY` and so on. An argument takes precedence over its variable.

        Without `MERCHANTPAY_PRIVATE_KEY`, the key is read from the file that `MERCHANTPAY_PRIVATE_KEY_FILE`
        names. `client_certificate` has two variables: `MERCHANTPAY_CLIENT_CERT_FILE` and
        `MERCHANTPAY_CLIENT_KEY_FILE`. Commas separate the values of a list. Times are in milliseconds, and
        the names of their variables end with `_MS` (`MERCHANTPAY_TIMEOUT_MS`). Flags are 1 or 0. An empty
        variable has no effect.

        Raises InvalidArgumentError for a variable that is missing or cannot be read. The error names the
        variable."""
    # generated: begin operations
    def get_available_amounts(
        self,
        *,
        sum: _Sum,
        payment_method: _PaymentMethod,
        currency: _Currency = "RUB",
        customer_account: str | None = None,
        sum_drift_up: _Sum | None = None,
        sum_drift_down: _Sum | None = None,
        timeout: float | None = None,
    ) -> AvailableAmounts:
        """`POST /available` (contract, section 4.1): returns the amounts for which the service has a counter-offer at
        this moment. No amount is reserved. The library can retry this request.

        - sum: the sum in rubles: greater than 0, exact, with at most 28 digits. Decimal, int or str, never float.
        - payment_method: the way in which the customer pays: `card` or `sbp`.
        - currency: the currency. It is `RUB`, even if it is not set.
        - customer_account: the customer's account. `get_available_amounts` does not require an account, and at
          present the service ignores the account in that operation.
        - sum_drift_up: the largest difference by which an amount may be above the sum; it must not be negative.
          Decimal, int or str, never float.
        - sum_drift_down: the largest difference by which an amount may be below the sum; it must not be negative.
          Decimal, int or str, never float.
        - timeout: seconds for this call, in place of the client's timeout."""
    def new_payment(
        self,
        *,
        sum: _Sum,
        payment_method: _PaymentMethod,
        customer_account: str,
        currency: _Currency = "RUB",
        status_webhook_url: str | None = None,
        payer_bank: str | None = None,
        merchant_id: str | None = None,
        timeout: float | None = None,
    ) -> Payment:
        """`POST /new` (contract, section 4.2): makes a payment. Returns the credentials with which the customer pays,
        after up to 10 seconds. The request is sent once.

        - sum: the sum in rubles: greater than 0, exact, with at most 28 digits. Decimal, int or str, never float.
        - payment_method: the way in which the customer pays: `card` or `sbp`.
        - customer_account: the customer's account. `get_available_amounts` does not require an account, and at
          present the service ignores the account in that operation.
        - currency: the currency. It is `RUB`, even if it is not set.
        - status_webhook_url: an absolute http or https URL that receives status webhooks (contract, section 6.2).
        - payer_bank: the code of the customer's bank. The merchant's agreement with the service may require it.
        - merchant_id: the merchant's own identifier, for reconciliation and support.
        - timeout: seconds for this call, in place of the client's timeout.

        After the outcome "unknown" the payment may exist: do not create it again before you know whether it exists."""
    def new_payment_async(
        self,
        *,
        sum: _Sum,
        payment_method: _PaymentMethod,
        customer_account: str,
        credentials_webhook_url: str,
        currency: _Currency = "RUB",
        status_webhook_url: str | None = None,
        payer_bank: str | None = None,
        merchant_id: str | None = None,
        timeout: float | None = None,
    ) -> Payment:
        """`POST /new-async` (contract, section 4.3): makes a payment. Returns only its order id: the credentials arrive
        by webhook. The request is sent once.

        - sum: the sum in rubles: greater than 0, exact, with at most 28 digits. Decimal, int or str, never float.
        - payment_method: the way in which the customer pays: `card` or `sbp`.
        - customer_account: the customer's account. `get_available_amounts` does not require an account, and at
          present the service ignores the account in that operation.
        - credentials_webhook_url: an absolute http or https URL that receives the credentials (contract, section
          6.1). `new_payment_async` requires it, and `new_payment` refuses it.
        - currency: the currency. It is `RUB`, even if it is not set.
        - status_webhook_url: an absolute http or https URL that receives status webhooks (contract, section 6.2).
        - payer_bank: the code of the customer's bank. The merchant's agreement with the service may require it.
        - merchant_id: the merchant's own identifier, for reconciliation and support.
        - timeout: seconds for this call, in place of the client's timeout.

        After the outcome "unknown" the payment may exist: do not create it again before you know whether it exists."""
    def confirm(self, order_id: str, *, timeout: float | None = None) -> Payment:
        """`POST /confirm` (contract, section 4.4): reports that the customer has paid. The service then starts to check
        the payment. The request is sent once.

        - order_id: the service's identifier of the payment.
        - timeout: seconds for this call, in place of the client's timeout.

        After the outcome "unknown" call `get_status` until the status changes: an unchanged status does not show
        whether the confirm arrived."""
    def cancel(self, order_id: str, *, timeout: float | None = None) -> Payment:
        """`POST /cancel` (contract, section 4.5): cancels a payment. The service refuses the cancellation if the payment
        can no longer be cancelled. The request is sent once.

        - order_id: the service's identifier of the payment.
        - timeout: seconds for this call, in place of the client's timeout.

        Raises RejectedError with the reason "payment_could_not_be_canceled" if the payment's state does not allow it.
        After the outcome "unknown" call `get_status`."""
    def get_status(self, order_id: str, *, timeout: float | None = None) -> Payment:
        """`POST /status` (contract, section 4.6): returns the payment with its present status. The library can retry
        this request.

        - order_id: the service's identifier of the payment.
        - timeout: seconds for this call, in place of the client's timeout."""
    def attach_receipt(self, order_id: str, files: Sequence[_File], *, timeout: float | None = None) -> Payment:
        """`POST /receipt/attach` (contract, section 4.7): attaches receipts (PDF, JPEG or PNG) to a payment in
        arbitration. The request is sent once.

        - order_id: the service's identifier of the payment.
        - files: paths, or tuples of a file name, the file's bytes and its content type. PDF, JPEG and PNG are
          accepted; the content type of a path is read from its extension; for another extension it is read from the
          file's first bytes. Files on disk are read now.
        - timeout: seconds for this call, in place of the client's timeout.

        After the outcome "unknown" call `get_status`."""
    # generated: end
    def connect(self, *, timeout: float | None = None) -> None:
        """Opens a connection for the next call, before the customer is ready, so that the call needs only one
        round trip. `connect_idle` limits how long the connection waits for its first request. Each call of
        `connect` opens one connection. A failure always has the outcome "not_sent"."""
    def derive(self, *, timeout: float | None = None) -> Client:
        """Makes a derived client with the same settings, signer and connections. `timeout` is the deadline of
        its calls in seconds; None keeps this client's deadline. The derived client can be interrupted and
        closed separately. Interrupting this client also interrupts the derived client; closing this client
        does not close the derived client."""
    def interrupt(self) -> None:
        """Ends the running calls of this client and of every client derived from it, in all threads. The
        interruption is permanent: later calls do not start. Each interrupted call ends with
        CallCancelledError and the outcome "not_sent" or "unknown", and writes no more bytes. A reply that has
        arrived completely is still returned. Any thread may call `interrupt`."""
    @property
    def timeout(self) -> float:
        """The deadline of a whole call, in seconds."""
    def wait(self, order_id: str, *, timeout: float | None = None) -> Payment:
        """Calls `get_status` until the status is final, with pauses growing from 0.25 to 5 s, and returns the
        payment. Between two calls, Ctrl-C ends the wait immediately, `close` ends it with
        InvalidArgumentError, and `interrupt` ends it with CallCancelledError.

        The wait continues after a transient error: a broken or late connection, or a proxy's unsigned reply
        with HTTP 429, 500 or more. With a `timeout` it continues until the time is over; without a
        `timeout` it raises the eighth consecutive error. Any other error, such as a refusal or a forged
        reply, is raised immediately.

        `timeout` is in seconds, None for no limit. When the time is over, `wait` raises RequestTimeoutError
        if the status is not final, or the error of the last query. The status "receiptRequired" (arbitration)
        is not final: the service waits for `attach_receipt`."""
    def webhook_verifier(self) -> WebhookVerifier:
        """A `WebhookVerifier` with the service's keys and key ids from this client. The verifier refuses
        signatures by the merchant's own key."""
    def close(self) -> None:
        """Closes the connections after the running calls have ended, and releases the signer. The client refuses
        later calls, and the next query of a running `wait`. `close` can be called twice."""
    @property
    def closed(self) -> bool:
        """True if the client was closed."""
    def __enter__(self) -> Self: ...
    def __exit__(self, kind: type[BaseException] | None, error: BaseException | None, traceback: TracebackType | None, /) -> None: ...
    def __reduce_ex__(self, protocol: SupportsIndex, /) -> NoReturn: ...

@final
class WebhookVerifier:
    """Verifies webhooks (contract, section 6). A verifier needs no private key, and threads may share it.

    `server_public_key` is the service's key, or a list of keys while the service rotates them. If
    `server_key_id` (a key id or a list) is given, a webhook with a key id must have one of these. `key_id`
    is the merchant's own key id: a webhook with this key id is refused. `public_key` is the merchant's own
    public key: it is refused as the service's key, and `explain` recognises its signatures.

    Raises InvalidKeyError for an unusable key and InvalidArgumentError for an unusable id."""
    def __new__(
        cls,
        server_public_key: _OneOrMore,
        *,
        server_key_id: _OneOrMore | None = None,
        key_id: str | None = None,
        public_key: str | None = None,
    ) -> Self: ...
    @classmethod
    def from_env(cls) -> Self:
        """Makes a verifier from the settings in the environment: `MERCHANTPAY_SERVER_PUBLIC_KEY` and, if set,
        `MERCHANTPAY_SERVER_KEY_ID`, `MERCHANTPAY_KEY_ID` and the merchant's own key, whose signatures it
        refuses. It needs no private key.

        Raises InvalidArgumentError for a variable that is missing or cannot be read. The error names the
        variable."""
    def verify(
        self, body: bytes, signature: str | None, key_id: str | None = None
    ) -> CredentialsIssued | CredentialsFailed | StatusChanged:
        """Verifies a webhook and returns a CredentialsIssued, CredentialsFailed or StatusChanged.

        `body` is the request's body, unchanged: a body that was parsed and serialised again does not verify.
        `signature` and `key_id` are the values of two headers. The contract does not name the headers of
        webhooks; in requests and replies they are X-Signature and X-KeyId. Pass None for an absent header.

        A webhook has no date, and an old one can arrive again: do not replace a final status by another one.

        Raises UnverifiedError if there is no proof that the service signed the webhook. Raises MalformedError
        if the webhook is verified but violates the contract."""
    def explain(self, body: bytes, signature: str | None, key_id: str | None = None) -> Explanation | None:
        """Explains why a webhook does not verify; None if its signature and its key id are accepted. The
        arguments are those of `verify`; the result is an Explanation.

        If the headers do not show the cause, a cause is named only with a proof: the library undoes the cause
        in a copy of the message, and the copy verifies. Write the cause to the log, and do not return it to
        the sender, who may be an attacker. Do not use the webhook."""
    def verify_request(self, body: bytes, headers: _Headers) -> CredentialsIssued | CredentialsFailed | StatusChanged:
        """Like `verify`, with a request's headers in any framework's type: a mapping with names in upper or lower
        case, a WSGI environ (Django's `request.META` too), or ASGI's list of (bytes, bytes). Reads X-Signature
        and X-KeyId, and refuses a request that repeats one of them.

        Raises the same errors as `verify`."""
    def __reduce_ex__(self, protocol: SupportsIndex, /) -> NoReturn: ...

@final
class Explanation:
    """Explains why a webhook does not verify. Write the explanation to the log, and do not return it to the
    sender."""
    def __new__(cls, cause: str, hint: str) -> Self: ...
    @property
    def cause(self) -> str:
        """The name of the cause, one of `Cause`. A later version may have other causes."""
    @property
    def hint(self) -> str:
        """A text about the exact fault and its remedy. The text contains no data of the webhook."""
    def __eq__(self, other: object, /) -> bool: ...
    def __ne__(self, other: object, /) -> bool: ...
    def __reduce__(self) -> tuple[Any, tuple[str, str]]: ...
    def __hash__(self) -> int: ...

@final
class CredentialsIssued:
    """Credentials were found for a payment made by `new_payment_async` (contract, section 6.1)."""
    @property
    def kind(self) -> Literal["credentials"]:
        """The kind of the event: "credentials", "credentials_failed" or "status"."""
    @property
    def order_id(self) -> str:
        """The payment's `order_id`."""
    @property
    def payment(self) -> Payment:
        """The event's payment."""
    def __eq__(self, other: object, /) -> bool: ...
    def __ne__(self, other: object, /) -> bool: ...
    def __copy__(self) -> Self: ...
    def __deepcopy__(self, memo: Any, /) -> Self: ...
    def __reduce__(self) -> tuple[Any, tuple[str, str]]: ...
    def __hash__(self) -> int: ...

@final
class CredentialsFailed:
    """No credentials were found (contract, section 6.1). The payment has nothing but its `order_id`."""
    @property
    def kind(self) -> Literal["credentials_failed"]:
        """The kind of the event: "credentials", "credentials_failed" or "status"."""
    @property
    def order_id(self) -> str:
        """The payment's `order_id`."""
    @property
    def payment(self) -> Payment:
        """The event's payment."""
    def __eq__(self, other: object, /) -> bool: ...
    def __ne__(self, other: object, /) -> bool: ...
    def __copy__(self) -> Self: ...
    def __deepcopy__(self, memo: Any, /) -> Self: ...
    def __reduce__(self) -> tuple[Any, tuple[str, str]]: ...
    def __hash__(self) -> int: ...

@final
class StatusChanged:
    """The payment has a new status (contract, section 6.2). The status is never "free" or "pending"."""
    @property
    def kind(self) -> Literal["status"]:
        """The kind of the event: "credentials", "credentials_failed" or "status"."""
    @property
    def order_id(self) -> str:
        """The payment's `order_id`."""
    @property
    def payment(self) -> Payment:
        """The event's payment."""
    def __eq__(self, other: object, /) -> bool: ...
    def __ne__(self, other: object, /) -> bool: ...
    def __copy__(self) -> Self: ...
    def __deepcopy__(self, memo: Any, /) -> Self: ...
    def __reduce__(self) -> tuple[Any, tuple[str, str]]: ...
    def __hash__(self) -> int: ...

@final
class Entry:
    """One attempt of a reference (the merchant's order number), as it was when the journal was read. The object
    does not change: `Journal.find` returns a new one. The entry of a reference is its last attempt.

    `repr()` leaves out the payee. An entry can be pickled; the pickle contains the service's reports about
    the payment."""
    # generated: begin entry_fields
    @property
    def reference(self) -> str:
        """`reference`: the merchant's order number."""
    @property
    def attempt(self) -> int:
        """`attempt`: the number of the attempt, from 1."""
    @property
    def standing(self) -> Standing:
        """`standing`: the state of the attempt. It does not say that the attempt is paid: `succeeded` does."""
    @property
    def order_id(self) -> str | None:
        """`orderId`: the service's order id, once it is known."""
    @property
    def status(self) -> str | None:
        """`status`: the last status that the service reported."""
    @property
    def sum_asked(self) -> Decimal:
        """`sumAsked`: the requested sum."""
    @property
    def sum_paid(self) -> Decimal | None:
        """`sumPaid`: the paid sum, once the service has reported a success with its sum."""
    @property
    def succeeded(self) -> bool:
        """`succeeded`: ship: paid with the requested sum, and the reference's only success."""
    @property
    def credentials(self) -> Payment | None:
        """`credentials`: what the customer needs to pay, only while the customer may pay."""
    @property
    def news(self) -> int:
        """`news`: the number of the newest news. It only grows; 0 if there were none."""
    @property
    def acknowledged(self) -> bool:
        """`acknowledged`: the newest news are acknowledged, or there were none."""
    @property
    def intent(self) -> Intent | None:
        """`intent`: the newest instruction: confirm or cancel."""
    @property
    def intent_state(self) -> IntentState | None:
        """`intentState`: what became of the instruction."""
    @property
    def attention(self) -> tuple[Attention, ...]:
        """`attention`: why a person must look at the attempt."""
    @property
    def error(self) -> Problem | None:
        """`error`: the error of the last call about the attempt: code, outcome and the service's description."""
    @property
    def created_at(self) -> datetime:
        """`createdAt`: when the attempt was stored, in milliseconds since 1970 by the database's clock."""
    @property
    def updated_at(self) -> datetime:
        """`updatedAt`: when it was last written, likewise."""
    # generated: end
    @property
    def earlier(self) -> tuple[Entry, ...]:
        """The earlier attempts, the newest first, as a tuple; empty if the call returned the entry without its
        earlier attempts."""
    @property
    def json(self) -> str:
        """All fields as one line of JSON, with the names that the program `merchantpay` prints."""
    def __eq__(self, other: object, /) -> bool: ...
    def __ne__(self, other: object, /) -> bool: ...
    def __copy__(self) -> Self: ...
    def __deepcopy__(self, memo: Any, /) -> Self: ...
    def __reduce__(self) -> tuple[Any, tuple[str, str]]: ...
    def __hash__(self) -> int: ...

@final
class Problem:
    """The error of the last call for an attempt."""
    @property
    def code(self) -> Code | str:
        """The code: a Code, or a text if only a newer version knows the code."""
    @property
    def outcome(self) -> Outcome | str:
        """Shows whether the request may have taken effect: an Outcome, or a text if only a newer version knows
        the outcome."""
    @property
    def description(self) -> str | None:
        """The service's text about a refusal."""
    def __eq__(self, other: object, /) -> bool: ...
    def __ne__(self, other: object, /) -> bool: ...
    def __hash__(self) -> int: ...

@final
class Orphan:
    """A verified message of the service that matches no attempt: the URL that received it belongs to no attempt,
    or to an attempt with a different order. `Journal.attention` lists it, and `Journal.resolve` takes it off
    the list."""
    @property
    def order_id(self) -> str:
        """The order id in the message."""
    @property
    def received_at(self) -> datetime:
        """The time at which the message arrived, by the database's clock."""
    @property
    def status(self) -> str | None:
        """The reported status, as text."""
    @property
    def sum(self) -> Decimal | None:
        """The reported sum."""
    @property
    def reference(self) -> str | None:
        """The reference of the attempt to whose URL the message came; None if the URL belongs to no attempt."""
    @property
    def attempt(self) -> int | None:
        """The number of the attempt to whose URL the message came; None if the URL belongs to no attempt."""
    @property
    def json(self) -> str:
        """The message as one line of JSON."""
    def __eq__(self, other: object, /) -> bool: ...
    def __ne__(self, other: object, /) -> bool: ...
    def __hash__(self) -> int: ...

@final
class Received:
    """The result of `Journal.receive` for a webhook."""
    @property
    def http_status(self) -> int:
        """The HTTP status to answer with: 200 if the webhook was applied, now or earlier; 400 if it does not
        verify; 404 for an unknown attempt; 409 if the order does not belong to this attempt; 503 if the
        journal failed, so that the service retries."""
    @property
    def entry(self) -> Entry | None:
        """The attempt after the webhook was applied; None if the webhook belongs to no attempt."""
    @property
    def error(self) -> Error | None:
        """The reason why the webhook was not applied, an Error; None if it was applied, or is an orphan."""

@final
class Settled:
    """The result of `Journal.settle`."""
    @property
    def done(self) -> int:
        """The number of processed attempts."""
    @property
    def next_due(self) -> float | None:
        """The seconds until the next attempt is due: 0 if an attempt is due now, None if no attempt will be due."""

@final
class Stats:
    """The counts of a journal."""
    @property
    def standings(self) -> dict[str, int]:
        """The number of attempts by standing. Only the number for "final" can be an estimate."""
    @property
    def estimated(self) -> bool:
        """True if the number of final attempts is the database's estimate, which is used above a thousand
        attempts."""
    @property
    def attention(self) -> int:
        """The number of items about which an operator must decide: attempts, orphans and a changed server."""
    @property
    def reasons(self) -> dict[str, int]:
        """The number of items about which an operator must decide, by reason; an orphan has the reason "orphan"."""
    @property
    def due(self) -> int:
        """The number of attempts that are due: `settle` can process them now."""
    @property
    def overdue(self) -> float | None:
        """The seconds since the oldest due attempt became due; None if no attempt is due."""
    @property
    def durability_vouched(self) -> list[str]:
        """The database settings that the merchant accepts although they can lose a row."""
    @property
    def pause_note(self) -> str | None:
        """The note of the operator who paused the journal; None if the journal is not paused."""
    @property
    def paused_at(self) -> datetime | None:
        """The time of the pause, by the database's clock; None if the journal is not paused."""
    @property
    def server(self) -> str | None:
        """The identity of the database server; None for SQLite, or if the server does not report it."""
    @property
    def server_before(self) -> str | None:
        """The server that an operator has accepted; None unless a different server answers now."""
    @property
    def json(self) -> str:
        """The stats as one line of JSON."""

@final
class Export:
    """The lines of an export: an iterator."""
    def __iter__(self) -> Export: ...
    def __next__(self) -> str: ...

@final
class ServerChange:
    """A change of the database's server, after a failover or a restore: the server that answers is not the one
    that an operator has accepted. `Journal.attention` lists the change, and `Journal.resolve` accepts the new
    server."""
    @property
    def before(self) -> str:
        """The server that an operator has accepted."""
    @property
    def now(self) -> str:
        """The server that answers now."""
    @property
    def json(self) -> str:
        """The change as one line of JSON."""
    def __eq__(self, other: object, /) -> bool: ...
    def __ne__(self, other: object, /) -> bool: ...

@final
class Journal:
    """Takes each payment only once. The merchant's own order number, the *reference*, identifies a payment.
    `pay` can be repeated safely: each reference has at most one payment that a customer can pay. The page
    docs/journal.md explains what the journal promises.

    `receive` takes webhooks. `settle` asks the service about open attempts. Act on a payment only when `news`
    returns its entry; after a crash `news` returns the entry again. `attention` lists the items about which
    an operator must decide.

    - client: the Client that sends the journal's requests. Interrupting the client ends `wait` and `settle`.
    - path_or_connect: the path of a SQLite file (see `create`), or a function. Only the journal may use the
      file, and no other copy of SQLite in this process may open it. The function has no arguments and returns
      a new DB-API connection to the merchant's own database, from sqlite3, psycopg, psycopg2, PyMySQL or
      mysqlclient. Only the journal may use the connection. `merchantpay journal schema` prints the tables.
    - callback_url: the URL to which the service sends webhooks; each attempt adds its own token.
    - create: creates the file or the tables if they are missing. Off by default: a wrong path would look like a new
      shop.
    - pay_wait: how long a repeated pay waits for the running call of the same payment; 0 for no wait.
    - timeout: the deadline of a payment, which includes storing it: at least 15 s, at most 10 min.
    - durability_vouched: settings of the database that can lose a commit and that the merchant accepts, separated by
      commas.
    - password_file: a file whose first line is the database's password. It is read again for each connection.
    - connections: the most connections of this process to a database.
    - dialect: the SQL dialect, if the connection's module does not determine it: a Dialect.
    - max_connections: the largest number of open connections to the database: 20 unless set. A further
      statement waits for a free connection, at most until `timeout`. Connections that are bound to a thread,
      such as sqlite3's, are not limited.

    Threads may share a journal, and it works after a fork: a child opens its own connections. A journal
    cannot be pickled or copied; an entry can. The GIL is released, except while a Python driver runs a
    statement. On Ctrl-C a call finishes and stores its result, and then KeyboardInterrupt is raised. `wait`
    and `settle` react to Ctrl-C between two calls to the service.

    Raises InvalidArgumentError for a setting that cannot be used, or if the journal belongs to a different
    account; StorageError if the file or the database cannot be used."""
    def __new__(
        cls,
        client: Client,
        path_or_connect: _Path | _Connect,
        *,
        # generated: begin journal_settings
        callback_url: str | None = None,
        create: bool = False,
        pay_wait: float = 5.0,
        timeout: float = 30.0,
        durability_vouched: str | None = None,
        password_file: _Path | None = None,
        connections: int = 1,
        # generated: end
        dialect: _Dialect | None = None,
        max_connections: int = 20,
    ) -> Self: ...
    # generated: begin pay
    def pay(
        self,
        reference: str,
        *,
        sum: _Sum,
        payment_method: _PaymentMethod,
        customer_account: str,
        currency: _Currency = "RUB",
        payer_bank: str | None = None,
        merchant_id: str | None = None,
        replace: int | None = None,
    ) -> Entry:
        """Takes a payment by `new_payment`, or returns the existing payment of the reference: this call can be repeated
        safely.

        The entry can have any standing. If the entry has `credentials`, show them to the customer. If its
        standing is "refused", call again. The standing "unknown" stays until a webhook or an operator decides.

        - reference: the merchant's own order number, of 1 to 120 printable characters.
        - sum: the sum in rubles: greater than 0, exact, with at most 28 digits. Decimal, int or str, never float.
        - payment_method: the way in which the customer pays: `card` or `sbp`.
        - customer_account: the customer's account. `get_available_amounts` does not require an account, and at
          present the service ignores the account in that operation.
        - currency: the currency. It is `RUB`, even if it is not set.
        - payer_bank: the code of the customer's bank. The merchant's agreement with the service may require it.
        - merchant_id: the merchant's own identifier, for reconciliation and support.
        - replace: the number of the attempt to replace; only a person may decide to replace an attempt.

        Raises InvalidArgumentError for an invalid argument, or if the reference belongs to a different
        request. Raises StorageError if the journal failed: with the outcome "not_sent" no request was sent;
        with "unknown" the error has the `order_id` if a reply arrived. An error of the service or the network
        is in the entry's `error`."""
    def pay_async(
        self,
        reference: str,
        *,
        sum: _Sum,
        payment_method: _PaymentMethod,
        customer_account: str,
        currency: _Currency = "RUB",
        payer_bank: str | None = None,
        merchant_id: str | None = None,
        replace: int | None = None,
    ) -> Entry:
        """Like `pay`, by `new_payment_async`: the credentials arrive by webhook, and `news` and `wait` return them.
        Prefer `pay_async` if replies often get lost. The journal needs a `callback_url`.

        The entry can have any standing. If the entry has `credentials`, show them to the customer. If its
        standing is "refused", call again. The standing "unknown" stays until a webhook or an operator decides.

        - reference: the merchant's own order number, of 1 to 120 printable characters.
        - sum: the sum in rubles: greater than 0, exact, with at most 28 digits. Decimal, int or str, never float.
        - payment_method: the way in which the customer pays: `card` or `sbp`.
        - customer_account: the customer's account. `get_available_amounts` does not require an account, and at
          present the service ignores the account in that operation.
        - currency: the currency. It is `RUB`, even if it is not set.
        - payer_bank: the code of the customer's bank. The merchant's agreement with the service may require it.
        - merchant_id: the merchant's own identifier, for reconciliation and support.
        - replace: the number of the attempt to replace; only a person may decide to replace an attempt.

        Raises InvalidArgumentError for an invalid argument, or if the reference belongs to a different
        request. Raises StorageError if the journal failed: with the outcome "not_sent" no request was sent;
        with "unknown" the error has the `order_id` if a reply arrived. An error of the service or the network
        is in the entry's `error`."""
    # generated: end
    def confirm(self, entry: Entry) -> Entry:
        """Reports to the service that the customer has paid this attempt, and returns the new entry. The journal
        stores the report before it sends it, and `settle` retries it while its outcome is unknown. The entry's
        `confirm` is the state of the report.

        Raises InvalidArgumentError for an attempt whose order id is not known, StorageError if the journal failed."""
    def cancel(self, entry: Entry) -> Entry:
        """Cancels this attempt, and returns the new entry. From now on its entries have no `credentials`. When
        the entry's `cancel` is "accepted", the attempt can be replaced. Raises the same errors as `confirm`."""
    def confirm_by(self, reference: str, attempt: int) -> Entry:
        """Confirms the attempt with this reference and number, for a caller that has no Entry. Raises the same
        errors as `confirm`, and InvalidArgumentError if there is no such attempt."""
    def cancel_by(self, reference: str, attempt: int) -> Entry:
        """Cancels the attempt with this reference and number, for a caller that has no Entry. Raises the same
        errors as `confirm_by`."""
    def receive(self, path: str, body: bytes, signature: str | None, key_id: str | None = None) -> Received:
        """Takes a webhook. The arguments are its path or URL, its unchanged body, and the values of the
        headers X-Signature and X-KeyId; None for an absent header. Answer the webhook with the result's
        `http_status`. An error of the webhook is in the result's `error`, and is not raised."""
    def receive_request(self, path: str, body: bytes, headers: _Headers) -> Received:
        """Like `receive`, with a request's headers in any framework's type, as in
        `WebhookVerifier.verify_request`."""
    def settle(self, limit: int = 100) -> Settled:
        """Asks the service about at most `limit` attempts that are due, and retries unanswered confirms and
        cancels. Call it from cron or in a loop; several workers may share the work. Returns the number of
        processed attempts, and the seconds until the next attempt is due. The error of a failed call is in
        the entry's `error`; the call is retried later.

        Raises StorageError if the journal failed, CallCancelledError if the client was interrupted."""
    def wait(self, reference: str, *, timeout: float, until: _Until = "credentials") -> Entry:
        """Waits until the last attempt of a reference has reached `until` (an Until) or `timeout` seconds are
        over, and returns the attempt's entry. During the wait it asks the service about the attempt.

        Raises InvalidArgumentError if there is no such reference, StorageError if the journal failed,
        CallCancelledError if the client was interrupted. Ctrl-C ends the wait between two calls to the
        service."""
    def find(self, reference: str) -> Entry | None:
        """Finds the entry of a reference, with its earlier attempts; None if there is no such reference. Raises
        StorageError if the journal failed."""
    def news(self, limit: int = 100, *, claim: float = 60.0) -> _Entries:
        """Returns at most `limit` entries whose level is above the acknowledged level, the oldest first. Act on
        a payment only when `news` returns its entry. `news` claims each entry for `claim` seconds, a minute
        unless given, so that concurrent workers get different entries. If an entry is not acknowledged within
        this time, `news` returns it again. Raises StorageError if the journal failed."""
    def acknowledge(self, entry: Entry, connection: Any = None) -> bool:
        """Records that the merchant has acted on this entry's level; `news` reports later changes again.
        Returns True if this call acknowledged the entry: of two workers only one gets True.

        `connection` is a merchant's own connection to the journal's database; the acknowledgement becomes
        part of the connection's transaction. Call `acknowledge` first in the transaction: then the
        transaction's other work is done exactly once. If another worker has acknowledged the entry,
        `acknowledge` raises ConflictError: roll back. Keep the transaction short, and use the isolation level
        READ COMMITTED.

        Raises StorageError if the journal failed."""
    def acknowledge_by(self, reference: str, attempt: int, level: _Level, connection: Any = None) -> bool:
        """Acknowledges the attempt with this reference and number, for a caller that has no Entry. `level` is
        the level on which the caller has acted; `news` still reports a higher level. `connection` and the
        result are as for `acknowledge`.

        Raises InvalidArgumentError if there is no such attempt, or if the level is "none" or above the
        reported level; StorageError if the journal failed."""
    def stats(self) -> Stats:
        """Counts the journal's attempts. Above a thousand attempts the number of final ones is an estimate, so
        that the cost does not grow. Raises StorageError if the journal failed."""
    def purge(self, before: datetime) -> int:
        """Deletes the details of finished attempts and seen orphans that were last written before `before`, a
        datetime with a time zone. Reference, attempt, standing, order id and token stay for ever. Returns the
        number of attempts and orphans whose details it deleted.

        Raises InvalidArgumentError for a time without a zone or before 1970, StorageError if the journal failed."""
    def forget(self, reference: str) -> int:
        """Deletes the details of all attempts of a reference, and of their orphans. Use it when a customer asks
        for erasure. Returns the number of attempts and orphans that had details.

        Raises InvalidArgumentError if there is no such reference, or if one of its attempts or orphans is not
        finished; StorageError if the journal failed."""
    def export_lines(self) -> Export:
        """Returns an iterator over each attempt and each orphan, as lines for `import_line`. Pause the journal
        first. The iterator raises StorageError if the journal failed, and then ends."""
    def import_line(self, line: str) -> bool:
        """Stores the attempt or orphan of an export's line, and marks it as restored. Returns False if the
        journal already has that attempt or orphan.

        Raises InvalidArgumentError if `line` is not a line of an export, or belongs to a different account;
        StorageError if the journal failed."""
    def pause(self, note: str) -> None:
        """Stops `pay` and `news` in every process that uses the journal, until `resume`: they raise a
        StorageError that is transient. Returns when no payment call is running; for the call of a killed
        process it waits until the call's deadline. The note, of 1 to 500 characters, names the operator and
        the reason.

        Raises StorageError if the journal failed, CallCancelledError if the client was interrupted. After
        CallCancelledError the journal is paused, but payment calls can still be running."""
    def resume(self, note: str) -> None:
        """Ends a pause, and stores the operator's note. Raises StorageError if the journal failed."""
    def backup(self, file: _Path) -> None:
        """Copies a journal's file to a new file at an absolute path, also while other processes use the journal.
        The copy is paused, and its rows are marked as restored.

        Raises InvalidArgumentError if the journal is in a database or the path is relative; StorageError if
        the copy cannot be written, also if the new file exists already."""
    def attention(self, limit: int = 100) -> _Items:
        """Lists the items about which an operator must decide: at most `limit` entries with their reasons in
        `attention`, at most `limit` orphans (messages that match no attempt), and a ServerChange, if another
        database server answers. Raises StorageError if the journal failed."""
    def resolve(
        self,
        item: Entry | Orphan | ServerChange,
        *,
        order_id: str | None = None,
        no_payment: bool = False,
        seen: bool = False,
        note: str,
    ) -> Entry | None:
        """Stores an operator's decision about an item of `attention`, with the operator's note of 1 to 500
        characters. Pass one of three: `order_id`, the attempt's order, whose status is queried first;
        `no_payment`, if the service made no payment for the attempt; or `seen`, which takes the item off the
        list until it has a new reason. Returns the new entry; None for an Orphan and a ServerChange, which
        accept only `seen`.

        Raises InvalidArgumentError if the attempt does not allow this decision, or if the order has a
        different sum; the error of `get_status` for the order; StorageError if the journal failed."""
    def _derive(self) -> Journal:
        """A derived journal, whose calls can be interrupted separately."""
    def _interrupt(self) -> None:
        """Ends this journal's calls to the service. The result of an interrupted call is still stored."""
    def _look(self, reference: str, timeout: float, until: _Until) -> Entry | float:
        """One query of `wait`: returns the entry, or the seconds until the next query."""
    def _check(self) -> None:
        """Raises the error that ends a wait during a pause: the journal was closed, or its client interrupted."""
    def list(self, standing: _Standing | None = None, *, limit: int = 100, before: Entry | None = None) -> _Entries:
        """Lists at most `limit` entries, of one standing (a Standing) or of all, the newest first, without their
        earlier attempts. With `before` (an entry), the list has only older entries than that one. Raises
        StorageError if the journal failed."""
    def close(self) -> None:
        """Closes the file, or the idle connections to the database, after the running calls have ended. The
        client stays open. The journal refuses later calls. `close` can be called twice."""
    @property
    def closed(self) -> bool:
        """True if the journal was closed."""
    def __enter__(self) -> Self: ...
    def __exit__(self, kind: type[BaseException] | None, error: BaseException | None, traceback: TracebackType | None, /) -> None: ...
    def __reduce_ex__(self, protocol: SupportsIndex, /) -> NoReturn: ...

@final
class Protocol:
    """Prepares the seven operations' requests and opens their replies without any I/O, for hosts with their own
    HTTP stack, such as asyncio's. Threads may share a Protocol.

    Each `prepare_…` has the arguments of the `Client` method with that name and returns an `HttpRequest`.

    - base_url: the absolute https URL before /api/v1/merchant/pay. Plain http is allowed to loopback only.
    - key_id: the merchant's key id, as the service issued it (contract, section 5). It consists of visible ASCII.
    - private_key: the merchant's private key: base64 of 64 bytes, which are the seed and the public key (contract,
      section 5).
    - public_key: the merchant's own public key, base64 of 32 bytes. It is required if a callback signs. Otherwise it
      is only compared with the private key.
    - server_public_key: the service's public key, base64 of 32 bytes. Set several keys while the service rotates its
      keys. One text, or a list of texts.
    - server_key_id: the key ids of the service. If key ids are set, each reply must have one of these key ids. A
      webhook may have no key id; otherwise it must also have one of these key ids. One text, or a list of texts.
    - allow_http: allows plain http to another machine. Anyone on the network path can then read every account and
      signature.
    - signer: a callable that signs in place of private_key, which is then None. It gets bytes and returns
      their ed25519 signature (64 bytes). Use it for a key outside the process, such as in an HSM, and set
      public_key.

    Raises InvalidArgumentError or InvalidKeyError for an unusable setting."""
    def __new__(
        cls,
        base_url: str,
        key_id: str,
        private_key: str | None,
        server_public_key: _OneOrMore,
        *,
        # generated: begin protocol_settings
        server_key_id: _OneOrMore | None = None,
        allow_http: bool = False,
        # generated: end
        signer: _Signer | None = None,
        public_key: str | None = None,
    ) -> Self: ...
    @classmethod
    def from_env(
        cls,
        *,
        # generated: begin protocol_overrides
        base_url: str | None = ...,
        key_id: str | None = ...,
        private_key: str | None = ...,
        server_public_key: _OneOrMore | None = ...,
        server_key_id: _OneOrMore | None = ...,
        allow_http: bool | None = ...,
        # generated: end
        signer: _Signer | None = ...,
        public_key: str | None = ...,
    ) -> Self:
        """Makes a protocol from the settings in the environment, as `Client.from_env` reads them. An argument
        takes precedence over its variable.

        Raises InvalidArgumentError for a variable that is missing or cannot be read. The error names the
        variable."""
    # generated: begin prepare
    def prepare_get_available_amounts(
        self,
        *,
        sum: _Sum,
        payment_method: _PaymentMethod,
        currency: _Currency = "RUB",
        customer_account: str | None = None,
        sum_drift_up: _Sum | None = None,
        sum_drift_down: _Sum | None = None,
    ) -> HttpRequest[AvailableAmounts]:
        """Returns the request of `POST /available` (contract, section 4.1); its reply is an AvailableAmounts.

        - sum: the sum in rubles: greater than 0, exact, with at most 28 digits. Decimal, int or str, never float.
        - payment_method: the way in which the customer pays: `card` or `sbp`.
        - currency: the currency. It is `RUB`, even if it is not set.
        - customer_account: the customer's account. `get_available_amounts` does not require an account, and at
          present the service ignores the account in that operation.
        - sum_drift_up: the largest difference by which an amount may be above the sum; it must not be negative.
          Decimal, int or str, never float.
        - sum_drift_down: the largest difference by which an amount may be below the sum; it must not be negative.
          Decimal, int or str, never float."""
    def prepare_new_payment(
        self,
        *,
        sum: _Sum,
        payment_method: _PaymentMethod,
        customer_account: str,
        currency: _Currency = "RUB",
        status_webhook_url: str | None = None,
        payer_bank: str | None = None,
        merchant_id: str | None = None,
    ) -> HttpRequest[Payment]:
        """Returns the request of `POST /new` (contract, section 4.2); its reply is a Payment.

        - sum: the sum in rubles: greater than 0, exact, with at most 28 digits. Decimal, int or str, never float.
        - payment_method: the way in which the customer pays: `card` or `sbp`.
        - customer_account: the customer's account. `get_available_amounts` does not require an account, and at
          present the service ignores the account in that operation.
        - currency: the currency. It is `RUB`, even if it is not set.
        - status_webhook_url: an absolute http or https URL that receives status webhooks (contract, section 6.2).
        - payer_bank: the code of the customer's bank. The merchant's agreement with the service may require it.
        - merchant_id: the merchant's own identifier, for reconciliation and support."""
    def prepare_new_payment_async(
        self,
        *,
        sum: _Sum,
        payment_method: _PaymentMethod,
        customer_account: str,
        credentials_webhook_url: str,
        currency: _Currency = "RUB",
        status_webhook_url: str | None = None,
        payer_bank: str | None = None,
        merchant_id: str | None = None,
    ) -> HttpRequest[Payment]:
        """Returns the request of `POST /new-async` (contract, section 4.3); its reply is a Payment.

        - sum: the sum in rubles: greater than 0, exact, with at most 28 digits. Decimal, int or str, never float.
        - payment_method: the way in which the customer pays: `card` or `sbp`.
        - customer_account: the customer's account. `get_available_amounts` does not require an account, and at
          present the service ignores the account in that operation.
        - credentials_webhook_url: an absolute http or https URL that receives the credentials (contract, section
          6.1). `new_payment_async` requires it, and `new_payment` refuses it.
        - currency: the currency. It is `RUB`, even if it is not set.
        - status_webhook_url: an absolute http or https URL that receives status webhooks (contract, section 6.2).
        - payer_bank: the code of the customer's bank. The merchant's agreement with the service may require it.
        - merchant_id: the merchant's own identifier, for reconciliation and support."""
    def prepare_confirm(self, order_id: str) -> HttpRequest[Payment]:
        """Returns the request of `POST /confirm` (contract, section 4.4); its reply is a Payment.

        - order_id: the service's identifier of the payment."""
    def prepare_cancel(self, order_id: str) -> HttpRequest[Payment]:
        """Returns the request of `POST /cancel` (contract, section 4.5); its reply is a Payment.

        - order_id: the service's identifier of the payment."""
    def prepare_get_status(self, order_id: str) -> HttpRequest[Payment]:
        """Returns the request of `POST /status` (contract, section 4.6); its reply is a Payment.

        - order_id: the service's identifier of the payment."""
    def prepare_attach_receipt(self, order_id: str, files: Sequence[_File]) -> HttpRequest[Payment]:
        """Returns the request of `POST /receipt/attach` (contract, section 4.7); its reply is a Payment.

        - order_id: the service's identifier of the payment.
        - files: paths, or tuples of a file name, the file's bytes and its content type. PDF, JPEG and PNG are
          accepted; the content type of a path is read from its extension; for another extension it is read from the
          file's first bytes. Files on disk are read now."""
    # generated: end
    def __reduce_ex__(self, protocol: SupportsIndex, /) -> NoReturn: ...

@final
class HttpRequest(Generic[_Reply]):
    """A signed request that is ready to send, and the way to open its reply. Send exactly this body with these
    headers, because the bytes are signed. Follow no redirects and decompress nothing before `open`.

    Send the request once. After a byte was written, only a request of `get_status` or `get_available_amounts`
    may be sent again."""
    @property
    def method(self) -> Literal["POST"]:
        """The HTTP method: always "POST"."""
    @property
    def url(self) -> str:
        """The whole URL."""
    @property
    def headers(self) -> dict[str, str]:
        """The headers Content-Type, X-KeyId and X-Signature, as a new dict."""
    @property
    def body(self) -> bytes:
        """The request's body: the signed bytes."""
    def open(self, status: int, headers: _Headers, body: bytes) -> _Reply:
        """Verifies the reply's bytes, parses them, and checks that the reply belongs to this request. Returns a
        Payment, or an AvailableAmounts for `prepare_get_available_amounts`.

        `status` is the HTTP status; `headers` are all headers of the reply, in any type that
        `WebhookVerifier.verify_request` accepts; `body` is bytes.

        Raises UnverifiedError, MalformedError, RejectedError, or TransportError for a redirect."""
    def __class_getitem__(cls, key: Any) -> GenericAlias: ...
    def __reduce_ex__(self, protocol: SupportsIndex, /) -> NoReturn: ...

@final
class Keypair:
    """A new ed25519 pair, both keys in the contract's format (section 5): base64 of 64 and of 32 bytes.

    Give the public key to the service and keep the private key secret."""
    @property
    def private_key(self) -> str:
        """The private key, for `Client`. `repr()` leaves it out."""
    @property
    def public_key(self) -> str:
        """The public key, for the service."""
    def __reduce_ex__(self, protocol: SupportsIndex, /) -> NoReturn: ...

def generate_keypair() -> Keypair:
    """Makes a pair from the operating system's random bytes (contract, section 5)."""

def to_balance(sum: _Sum, rate: _Sum, balance: _Balance, *, scale: int, rounding: _Rounding) -> Decimal:
    """Converts a paid `sum` at `rate` (a payment's `deal_rate`) to the currency of the merchant's balance
    (contract, section 2): `sum * rate` for "RUB", `sum / rate` for "USDT". The exact result is rounded once.

    `scale` is the number of digits after the decimal point, 0 to 28. `rounding` is one of "half_up",
    "half_even", "down" and "up", or the constant of the same name in the decimal module.

    Raises InvalidArgumentError if the sum is negative, the rate is not greater than 0, or the result has more
    than 28 digits."""

class _Words(TypedDict):
    codes: list[str]
    outcomes: list[str]
    reasons: list[str]
    statuses: list[str]
    event_kinds: list[str]
    paid: list[str]
    balances: list[str]
    roundings: list[str]
    standings: list[str]
    levels: list[str]
    intents: list[str]
    attentions: list[str]
    untils: list[str]
    dialects: list[str]
    entry_fields: list[str]
    journal_settings: list[str]
    final_statuses: list[str]
    payment_methods: list[str]
    operations: list[tuple[str, str]]
    request_fields: list[tuple[str, list[str], list[str]]]
    payment_fields: list[str]
    settings: list[tuple[str, str]]
    receipt_types: list[str]

@final
class _StatusWait:
    """One wait without its pauses. Between the queries, `Client.wait` sleeps, and `AsyncClient.wait` releases
    its thread."""
    def __new__(cls, client: Client, order_id: str, timeout: float | None = None) -> Self: ...
    def first_pause(self) -> float:
        """The seconds before the first query."""
    def patience(self, client: Client) -> float:
        """The longest time for the next query, in seconds: no more than the wait has left."""
    def ask(self, client: Client) -> Payment | float:
        """Queries once: returns the payment, or the seconds until the next query."""
    def check(self, client: Client) -> None:
        """Raises the error that ends a wait during a pause: the client was closed or interrupted."""

def _words() -> _Words:
    """The core's lists by their names."""

def _effect(dialect: str, code: str) -> str:
    """The effect of a statement that failed with an error code of the database."""

def _forget(object: Any) -> None:
    """Keeps an object from ever being freed. An object that a fork inherited belongs to the parent process."""

def _sign(private_key: str, body: bytes) -> str:
    """The signature of a body, as in a webhook."""

def _received(http_status: int, entry: Entry | None, error: Error | None) -> Received:
    """A result of `Journal.receive`."""

def _settled(done: int, next_due: float | None) -> Settled:
    """A result of `Journal.settle`."""

def _unpickle(kind: str, json: str) -> Any:
    """Makes the object from a pickle. This function is not part of the package's interface."""

def _panic() -> NoReturn:
    """Panics on purpose: a test checks that a panic becomes an `InternalError`."""
