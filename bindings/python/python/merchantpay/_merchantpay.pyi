# The native half of `merchantpay`. The docstrings are generated from crates/merchantpay-python.

from collections.abc import Callable, Iterable, Sequence
from decimal import Decimal
from os import PathLike
from types import GenericAlias, TracebackType
from typing import Any, Final, Generic, Literal, NoReturn, SupportsIndex, TypedDict, TypeVar, final, overload
from typing import Protocol as _Shape

from typing_extensions import Self, TypeAlias

from ._entry import Entry, Orphan, Received, Settled, Stats, Unreadable
from ._words import Attention, Paid, PaymentMethod, Standing, Status, Style, Until

__all__ = [
    "AvailableAmounts",
    "Client",
    "CredentialsFailed",
    "CredentialsIssued",
    "Explanation",
    "HttpRequest",
    "Journal",
    "Keypair",
    "Payment",
    "Protocol",
    "StatusChanged",
    "WebhookVerifier",
    "_StatusWait",
    "__version__",
    "_panic",
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
_Items: TypeAlias = list[Entry | Orphan | Unreadable]
_Seen: TypeAlias = bool | Iterable[Attention | str]
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
          accepted, by their first bytes, whatever the file's name is. Files on disk are read now.
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

        The headers show some causes, and the form of the body shows others, such as an empty one. Any other cause
        is named only with a proof: the library undoes it in a copy of the message, and the copy verifies. Write the
        cause to the log, and do not return it to the sender, who may be an attacker. Do not use the webhook."""
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
class Journal:
    """Makes payments under your own order numbers, the *references*: at most one payment that a customer can
    pay for each. `pay` can be repeated at any time, by any process, also after a crash. The page
    docs/journal.md explains what the journal promises.

    `receive` takes webhooks, and `settle` asks the service about what is due. Act only on the entries of
    `news`; after a crash they come again. `attention` lists what a person must look at.

    - client: the Client that calls the service. Interrupting the client ends `wait` and `settle`.
    - place: the absolute path of a file that only the journal uses, or the URL of a database,
      `postgresql://…` or `mysql://…`.
    - callback_url: the URL to which the service sends webhooks; each attempt adds its own token.
    - create: creates the file or the tables if they are missing. Off by default: a wrong path would look like a new
      shop.
    - pay_wait: how long a repeated pay waits for the running call of the same payment; 0 for no wait.
    - timeout: the deadline of a payment, which includes storing it: at least 15 s, at most 10 min.
    - durability_vouched: settings of the database that can lose a commit and that the merchant accepts, separated by
      commas.
    - password_file: a file whose first line is the database's password. It is read again for each connection.
    - connections: the most connections of this process to a database.

    Threads may share a journal. After a fork the child opens its own connection. A journal cannot be pickled
    or copied; its entries can. The GIL is released during calls. On Ctrl-C a call finishes and stores its
    result, and then KeyboardInterrupt is raised; `wait` and `settle` end between two calls to the service.

    Raises InvalidArgumentError for a setting that cannot be used, or if the journal belongs to another
    account; StorageError if the place cannot be used."""
    def __new__(
        cls,
        client: Client,
        place: _Path,
        *,
        # generated: begin journal_settings
        callback_url: str | None = None,
        create: bool = False,
        pay_wait: float = 5.0,
        timeout: float = 30.0,
        durability_vouched: _OneOrMore | None = None,
        password_file: _Path | None = None,
        connections: int = 1,
        # generated: end
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
    ) -> Entry:
        """Makes a payment by `new_payment`, or returns the reference's present one; it can be repeated at any time.

        The entry may have any standing. Show its `credentials` if it has some. "refused" means that nobody can pay:
        the next call tries again. "unknown" ends by a webhook, by `settle`, or by a person's `resolve` or `replace`.
        After a final failure only `replace` makes another payment.

        - reference: your own order number, of 1 to 120 printable characters.
        - sum: the sum in rubles: greater than 0, exact, with at most 28 digits. Decimal, int or str, never float.
        - payment_method: the way in which the customer pays: `card` or `sbp`.
        - customer_account: the customer's account. `get_available_amounts` does not require an account, and at
          present the service ignores the account in that operation.
        - currency: the currency. It is `RUB`, even if it is not set.
        - payer_bank: the code of the customer's bank. The merchant's agreement with the service may require it.
        - merchant_id: the merchant's own identifier, for reconciliation and support.

        Raises InvalidArgumentError for an unusable argument, or if the reference belongs to another request;
        StorageError if the journal failed or is paused: with the outcome "not_sent" nothing was sent; with
        "unknown" the error has the `order_id` if there was a reply. An error of the service or the network is
        the entry's `error`."""
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
    ) -> Entry:
        """Like `pay`, by `new_payment_async`: the credentials come by webhook, with `wait` and `news`. Prefer it where
        replies get lost. The journal needs a `callback_url`.

        - reference: your own order number, of 1 to 120 printable characters.
        - sum: the sum in rubles: greater than 0, exact, with at most 28 digits. Decimal, int or str, never float.
        - payment_method: the way in which the customer pays: `card` or `sbp`.
        - customer_account: the customer's account. `get_available_amounts` does not require an account, and at
          present the service ignores the account in that operation.
        - currency: the currency. It is `RUB`, even if it is not set.
        - payer_bank: the code of the customer's bank. The merchant's agreement with the service may require it.
        - merchant_id: the merchant's own identifier, for reconciliation and support.

        Raises InvalidArgumentError for an unusable argument, or if the reference belongs to another request;
        StorageError if the journal failed or is paused: with the outcome "not_sent" nothing was sent; with
        "unknown" the error has the `order_id` if there was a reply. An error of the service or the network is
        the entry's `error`."""
    def replace(
        self,
        reference: str,
        attempt: int,
        *,
        sum: _Sum,
        payment_method: _PaymentMethod,
        customer_account: str,
        currency: _Currency = "RUB",
        payer_bank: str | None = None,
        merchant_id: str | None = None,
    ) -> Entry:
        """Makes a payment in place of this attempt, by the same operation. A person decides it, who knows that the
        customer will not pay the old one: it must be unknown, refused, cancelled by an accepted cancel, or final
        without success.

        An attempt that cannot be replaced, as after a double click, stays as it is, and the reference's present entry
        is returned.

        - reference: your own order number, of 1 to 120 printable characters.
        - attempt: the number of the attempt that is given up.
        - sum: the sum in rubles: greater than 0, exact, with at most 28 digits. Decimal, int or str, never float.
        - payment_method: the way in which the customer pays: `card` or `sbp`.
        - customer_account: the customer's account. `get_available_amounts` does not require an account, and at
          present the service ignores the account in that operation.
        - currency: the currency. It is `RUB`, even if it is not set.
        - payer_bank: the code of the customer's bank. The merchant's agreement with the service may require it.
        - merchant_id: the merchant's own identifier, for reconciliation and support.

        Raises InvalidArgumentError for an unusable argument, or if the reference belongs to another request;
        StorageError if the journal failed or is paused: with the outcome "not_sent" nothing was sent; with
        "unknown" the error has the `order_id` if there was a reply. An error of the service or the network is
        the entry's `error`."""
    # generated: end
    @overload
    def confirm(self, entry: Entry, attempt: None = None, /) -> Entry:
        """Tells the service that the customer has paid this attempt: an Entry, or a reference and the number of
        the attempt. Returns the new entry, whose `intent_state` says what became of it. The instruction is
        stored first; `settle` sends it again until the service has answered.

        Raises InvalidArgumentError for an attempt that does not exist or has no order yet; StorageError if the
        journal failed."""
    @overload
    def confirm(self, reference: str, attempt: int, /) -> Entry:
        """Tells the service that the customer has paid this attempt: an Entry, or a reference and the number of
        the attempt. Returns the new entry, whose `intent_state` says what became of it. The instruction is
        stored first; `settle` sends it again until the service has answered.

        Raises InvalidArgumentError for an attempt that does not exist or has no order yet; StorageError if the
        journal failed."""
    @overload
    def cancel(self, entry: Entry, attempt: None = None, /) -> Entry:
        """Cancels this attempt: an Entry, or a reference and the number of the attempt. Returns the new entry,
        without `credentials`. Once the cancel is accepted, `replace` may make another payment. Raises the same
        errors as `confirm`."""
    @overload
    def cancel(self, reference: str, attempt: int, /) -> Entry:
        """Cancels this attempt: an Entry, or a reference and the number of the attempt. Returns the new entry,
        without `credentials`. Once the cancel is accepted, `replace` may make another payment. Raises the same
        errors as `confirm`."""
    def receive(self, path: str, body: bytes, signature: str | None, key_id: str | None = None) -> Received:
        """Takes a webhook: its path or URL, its unchanged body, and the values of the headers X-Signature and
        X-KeyId; None for an absent header. Answer the webhook with the result's `http_status`. The webhook's
        error is in the result's `error`, and is not raised."""
    def receive_request(self, path: str, body: bytes, headers: _Headers) -> Received:
        """Like `receive`, with a request's headers in any framework's type, as in
        `WebhookVerifier.verify_request`."""
    def settle(self, limit: int = 100) -> Settled:
        """Asks the service about at most `limit` attempts that are due, and sends unanswered instructions again;
        at most 10 calls a second. Call it from cron or in a loop, in as many processes as you like. The error
        of a failed call is the entry's `error`, and the attempt comes again.

        Raises StorageError if the journal failed, CallCancelledError if the client was interrupted."""
    def wait(self, reference: str, *, timeout: float, until: _Until = "credentials") -> Entry:
        """Waits until the last attempt of a reference has reached `until` (an Until), at most `timeout` seconds,
        and returns its entry. Meanwhile the service is asked about it every two seconds.

        Raises InvalidArgumentError if there is no such reference, StorageError if the journal failed,
        CallCancelledError if the client was interrupted."""
    def find(self, reference: str) -> Entry | None:
        """The entry of a reference's last attempt; None if there is no such reference. Raises StorageError if the
        journal failed."""
    def news(self, limit: int = 100) -> _Entries:
        """At most `limit` entries with news that nobody has acknowledged, the oldest first. Each is leased to the
        caller for a minute; an entry that is not acknowledged by then comes again. Act on what it says, then
        acknowledge it. Raises StorageError if the journal failed or is paused."""
    @overload
    def acknowledge(self, entry: Entry, attempt: None = None, news: None = None, /) -> bool:
        """Acknowledges the news that an entry shows: an Entry, or a reference, the number of the attempt and the
        number of the news. Returns whether it did: False if they were acknowledged before, or if there are
        newer ones. To acknowledge in your own transaction, see `Entry.acknowledge_sql`.

        Raises StorageError if the journal failed."""
    @overload
    def acknowledge(self, reference: str, attempt: int, news: int, /) -> bool:
        """Acknowledges the news that an entry shows: an Entry, or a reference, the number of the attempt and the
        number of the news. Returns whether it did: False if they were acknowledged before, or if there are
        newer ones. To acknowledge in your own transaction, see `Entry.acknowledge_sql`.

        Raises StorageError if the journal failed."""
    def attention(self, limit: int = 100) -> _Items:
        """What a person must look at: entries with reasons in `attention` and a sentence for each in `details`;
        orphans, the messages about orders that no attempt has; and unreadable rows. At most `limit` of each
        kind. Raises StorageError if the journal failed."""
    def resolve(
        self,
        item: Entry | Orphan,
        *,
        order_id: str | None = None,
        sum: _Sum | None = None,
        no_payment: bool = False,
        seen: _Seen = False,
        trusted: bool = False,
        note: str,
    ) -> Entry | None:
        """Stores a person's decision about an item of `attention`, with a note of 1 to 500 characters: who
        decided, and why. Returns the new entry; None for an Orphan. Pass one of these:

        - order_id: the attempt's payment is this order. The service is asked about it, and must report the
          asked sum, or `sum` if that is given.
        - no_payment: there is no payment for the attempt.
        - seen: True for the reasons in the entry's `attention`, or the reasons that were seen. What came
          meanwhile stays on the list. An orphan accepts only `seen=True`.
        - trusted: a restored attempt is as new as the truth.

        Raises InvalidArgumentError if the decision does not fit; the error of `get_status` for the order;
        StorageError if the journal failed."""
    def stats(self) -> Stats:
        """Counts what is open, due, new and for a person. Raises StorageError if the journal failed."""
    def _derive(self) -> Journal:
        """A derived journal, whose calls can be interrupted separately."""
    def _interrupt(self) -> None:
        """Ends the calls to the service of a derived journal. The result of an interrupted call is still stored."""
    def _look(self, reference: str, timeout: float, until: _Until) -> Entry | float:
        """One step of `wait`, which `AsyncJournal` repeats without a thread in between: the entry, or the
        seconds until the next step."""
    def list(self, standing: _Standing | None = None, *, limit: int = 100, before: Entry | None = None) -> _Entries:
        """At most `limit` entries, the newest first: each reference's last attempt, or the attempts of one
        standing (a Standing). `before`, the last entry of a page, continues behind it. Raises StorageError if
        the journal failed."""
    def close(self) -> None:
        """Closes the journal after the running calls have ended. The client stays open. The journal refuses later
        calls. `close` can be called twice."""
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
          accepted, by their first bytes, whatever the file's name is. Files on disk are read now."""
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
    intents: list[str]
    intent_states: list[str]
    attentions: list[str]
    untils: list[str]
    styles: list[str]
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
    def patience(self, client: Client) -> float:
        """The longest time for the next query, in seconds: no more than the wait has left."""
    def ask(self, client: Client) -> Payment | float:
        """Queries once: returns the payment, or the seconds until the next query."""
    def check(self, client: Client) -> None:
        """Raises the error that ends a wait during a pause: the client was closed or interrupted."""

def _words() -> _Words:
    """The core's lists by their names."""

def _sign(private_key: str, body: bytes) -> str:
    """The signature of a body, as in a webhook."""

def _unpickle(kind: str, json: str) -> Any:
    """Makes the object from a pickle. This function is not part of the package's interface."""

def _panic() -> NoReturn:
    """Panics on purpose: a test checks that a panic becomes an `InternalError`."""
