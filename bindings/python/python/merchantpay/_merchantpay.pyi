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
# A driver's connection has no type in common with the others.
_Connect: TypeAlias = Callable[[], Any]
# generated: begin words
_PaymentMethod: TypeAlias = PaymentMethod | Literal["card", "sbp"]
_Balance: TypeAlias = Literal["RUB", "USDT"]
_Standing: TypeAlias = Standing | Literal["sending", "unknown", "refused", "open", "final", "superseded"]
_Level: TypeAlias = Level | Literal["none", "credentials", "receipt_required", "refused", "final"]
_Until: TypeAlias = Until | Literal["credentials", "final"]
_Dialect: TypeAlias = Dialect | Literal["sqlite", "postgresql", "mysql"]
_Rounding: TypeAlias = Literal["half_up", "half_even", "down", "up", "ROUND_HALF_UP", "ROUND_HALF_EVEN", "ROUND_DOWN", "ROUND_UP"]
# generated: end
# `Journal.list` hides the type of that name.
_Entries: TypeAlias = list[Entry]
_Items: TypeAlias = list[Entry | Orphan | ServerChange]
_Reply = TypeVar("_Reply", Payment, AvailableAmounts, covariant=True)

class _HasItems(_Shape):
    def items(self) -> Iterable[tuple[Any, Any]]: ...

_Headers: TypeAlias = _HasItems | Iterable[tuple[str, str]] | Iterable[tuple[bytes, bytes]]

@final
class Payment:
    """A payment as a verified reply or webhook has it (contract, section 2). It does not change.

    Every field but `order_id` may be None: which are there depends on the operation, and webhooks leave out
    what is empty or zero. Account, holder and link are not in `repr()`."""
    # generated: begin payment_fields
    @property
    def order_id(self) -> str:
        """`orderId`: the service's identifier of the payment."""
    @property
    def sum(self) -> Decimal | None:
        """`sum`: the payment's sum in its currency: the amount actually paid once there is a payment; it changes if the
        customer pays more or less, and a payment that failed has one too."""
    @property
    def currency(self) -> str | None:
        """`currency`: the currency of the sum: in the reply to `new_payment` and in the credentials webhook."""
    @property
    def payee_account(self) -> str | None:
        """`payeeAccount`: the account that the customer pays to."""
    @property
    def payee_account_bank(self) -> str | None:
        """`payeeAccountBank`: the bank of that account."""
    @property
    def payee_name(self) -> str | None:
        """`payeeName`: the holder of that account; in the reply to `get_status` in Latin letters."""
    @property
    def deal_sum(self) -> Decimal | None:
        """`dealSum`: the sum in the balance's currency, with commission; fixed when credentials are issued."""
    @property
    def deal_currency(self) -> str | None:
        """`dealCurrency`: the currency of the merchant's balance."""
    @property
    def deal_rate(self) -> Decimal | None:
        """`dealRate`: the rate of the deal, from the payment's currency to the balance's."""
    @property
    def deeplink(self) -> str | None:
        """`deeplink`: the URL of the customer's payment frame."""
    @property
    def status(self) -> Status | None:
        """`status`: the payment's status (contract, section 3): in the reply to `get_status` and in status webhooks."""
    # generated: end
    @property
    def is_final(self) -> bool:
        """Whether there is a status and it is final. A status that this version does not know is not."""
    @property
    def json(self) -> str:
        """The verified body as it came."""
    @property
    def unknown_fields(self) -> dict[str, Any]:
        """The fields that this version does not know, by their names in the body; a new dict. Fractions are
        `Decimal`. A value that Python refuses to read, such as an int of more digits than
        `sys.get_int_max_str_digits()`, is its JSON text as a `str`."""
    def paid(self, asked: _Sum) -> Paid | None:
        """What was paid, compared with the sum that was asked for: Paid.EXACTLY, LESS or MORE; None where there
        is no sum. `asked` is Decimal, int or str, in the payment's currency.

        A "doneSuccess" alone does not say that the customer paid all. Only a final status makes this final:
        before, it says what the service counts with so far."""
    def to_dict(self) -> dict[str, Any]:
        """The fields that are there by the contract's names, as a new dict: amounts are Decimal, the status is a
        Status, and the fields that this version does not know are as in `unknown_fields`. `payment.json` is
        the body as JSON, with the digits as they came."""
    def __eq__(self, other: object, /) -> bool: ...
    def __ne__(self, other: object, /) -> bool: ...
    def __copy__(self) -> Self: ...
    def __deepcopy__(self, memo: Any, /) -> Self: ...
    def __reduce__(self) -> tuple[Any, tuple[str, str]]: ...
    def __hash__(self) -> int: ...

@final
class AvailableAmounts:
    """The reply to `/available` (contract, section 4.1). Nothing in it is reserved. It does not change."""
    @property
    def available_amounts(self) -> tuple[Decimal, ...]:
        """`availableAmounts`: the amounts with a counter-offer right now, as a tuple of `Decimal`."""
    @property
    def other_amounts_possible(self) -> bool:
        """`otherAmountsPossible`: whether amounts outside the list may succeed too; an empty list is then no
        refusal."""
    @property
    def json(self) -> str:
        """The verified body as it came."""
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

    - base_url: the URL before /api/v1/merchant/pay: absolute, https; plain http to loopback only.
    - key_id: the merchant's key id, as the service issued it (contract, section 5): visible ASCII.
    - private_key: the merchant's private key: base64 of 64 bytes, seed and public key (contract, section 5).
    - public_key: the merchant's own public key, base64 of 32 bytes: needed where a callback signs, elsewhere only
      checked.
    - server_public_key: the service's public key, base64 of 32 bytes; several while the service rotates its keys.
      One, or a list.
    - server_key_id: the service's key id: if any is set, replies must carry one of those that are set, and so must
      webhooks that carry one at all. One, or a list.
    - ca_file: a file with certificates, as PEM, of an authority to trust in addition to the operating system's.
    - ca_pem: the same as text.
    - exclusive_ca: trusts only the given authority, not the operating system's.
    - pin_spki: a pin of the public key of the service's own certificate: `sha256/` and the base64 of the SHA-256 of
      its SubjectPublicKeyInfo; several while the service changes it. One, or a list.
    - client_certificate: two files, as PEM: the certificate that the client shows to a service that asks for one
      (mTLS), with its chain, and its private key.
    - proxy: an HTTP proxy, as http://[user:password@]host:port; no other environment variable is read.
    - allow_http: allows plain http to another machine: anyone on the path reads every account and signature.
    - user_agent: the `User-Agent` header.
    - timeout: the deadline of a whole call, retries included; the service itself may take 10 s for `new_payment`. In
      seconds.
    - connect_timeout: the longest that opening one connection may take. In seconds.
    - reuse_idle: how long after a response its connection may be used for a call that is sent once; 0 for never. In
      seconds.
    - connect_idle: how long a connection that was opened ahead of time may wait for its first request. In seconds.
    - max_retries: how often a request is sent again: one of which no byte was written, `get_available_amounts` and
      `get_status`; 0 for never.
    - max_reply_bytes: the largest body of a reply that is read.
    - signer: in place of private_key, which is then None: a callable that is given bytes and returns their ed25519
      signature (64 bytes), for a key that is kept elsewhere, such as in an HSM. It needs public_key.

    A client may be shared by threads and works after a fork; it cannot be pickled or copied. The GIL is
    released during calls. A call that Ctrl-C meets is not abandoned midway: it finishes or reaches its
    deadline, and KeyboardInterrupt is raised then. Its result is lost, so treat it like the outcome
    "unknown". The same holds for whatever a signal's handler raises; but if it comes before the signer is
    asked, nothing is sent, and if it is raised within the signer's own Python code, it is the signer's
    exception: the call raises SignerError with the outcome "not_sent" and that exception as its `__cause__`.
    `interrupt`, from another thread, ends a call at once.

    Raises InvalidArgumentError or InvalidKeyError for a setting that cannot be used. Every method raises
    Error; see its `outcome`."""
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
        """A client by the settings in the environment: `MERCHANTPAY_BASE_URL`, `MERCHANTPAY_KEY_ID`,
        `MERCHANTPAY_PRIVATE_KEY`, `MERCHANTPAY_SERVER_PUBLIC_KEY` and so on, each by the name of its
        argument. What is given here wins over its variable.

        Where there is no `MERCHANTPAY_PRIVATE_KEY`, the key is read from the file that
        `MERCHANTPAY_PRIVATE_KEY_FILE` names. `client_certificate` is `MERCHANTPAY_CLIENT_CERT_FILE` and
        `MERCHANTPAY_CLIENT_KEY_FILE`. Lists are separated by commas, times are in milliseconds with `_MS`
        behind the name (`MERCHANTPAY_TIMEOUT_MS`), yes and no are 1 and 0. An empty variable counts as
        absent.

        Raises InvalidArgumentError, which names the variable, for one that is missing or cannot be read."""
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
        """`POST /available` (contract, section 4.1): amounts with a counter-offer right now; nothing is reserved. May be
        repeated by the library.

        - sum: the sum in rubles: greater than 0, exact, at most 28 digits. Decimal, int or str, never float.
        - payment_method: how the customer pays: `card` or `sbp`.
        - currency: the currency: `RUB`, also if it is not set.
        - customer_account: the customer's account; `get_available_amounts` does not need it, and it has no effect
          there at present.
        - sum_drift_up: how far above the sum an amount may be: not negative. Decimal, int or str, never float.
        - sum_drift_down: how far below the sum an amount may be: not negative. Decimal, int or str, never float.
        - timeout: seconds for this call, in place of the client's."""
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
        """`POST /new` (contract, section 4.2): a payment with the credentials that the customer pays to, after up to 10
        seconds. Sent once.

        - sum: the sum in rubles: greater than 0, exact, at most 28 digits. Decimal, int or str, never float.
        - payment_method: how the customer pays: `card` or `sbp`.
        - customer_account: the customer's account; `get_available_amounts` does not need it, and it has no effect
          there at present.
        - currency: the currency: `RUB`, also if it is not set.
        - status_webhook_url: an absolute http or https URL that receives status webhooks (contract, section 6.2).
        - payer_bank: the code of the payer's bank, which the merchant's agreement may require.
        - merchant_id: the merchant's own identifier, for reconciliation and support.
        - timeout: seconds for this call, in place of the client's.

        With the outcome "unknown" the payment may exist: do not create it again before that is found out."""
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
        """`POST /new-async` (contract, section 4.3): a payment of which only the order id is known yet: its credentials
        come by webhook. Sent once.

        - sum: the sum in rubles: greater than 0, exact, at most 28 digits. Decimal, int or str, never float.
        - payment_method: how the customer pays: `card` or `sbp`.
        - customer_account: the customer's account; `get_available_amounts` does not need it, and it has no effect
          there at present.
        - credentials_webhook_url: an absolute http or https URL that receives the credentials (contract, section
          6.1); `new_payment_async` requires it, and `new_payment` refuses it.
        - currency: the currency: `RUB`, also if it is not set.
        - status_webhook_url: an absolute http or https URL that receives status webhooks (contract, section 6.2).
        - payer_bank: the code of the payer's bank, which the merchant's agreement may require.
        - merchant_id: the merchant's own identifier, for reconciliation and support.
        - timeout: seconds for this call, in place of the client's.

        With the outcome "unknown" the payment may exist: do not create it again before that is found out."""
    def confirm(self, order_id: str, *, timeout: float | None = None) -> Payment:
        """`POST /confirm` (contract, section 4.4): the customer has paid, which starts the check of the payment. Sent
        once.

        - order_id: the service's identifier of the payment.
        - timeout: seconds for this call, in place of the client's.

        With the outcome "unknown" ask `get_status`, again until the status moves: one that has not moved does not say
        whether this arrived."""
    def cancel(self, order_id: str, *, timeout: float | None = None) -> Payment:
        """`POST /cancel` (contract, section 4.5): cancels a payment; refused where its state does not allow it. Sent
        once.

        - order_id: the service's identifier of the payment.
        - timeout: seconds for this call, in place of the client's.

        Raises RejectedError with the reason "payment_could_not_be_canceled" where the payment's state does not allow
        it. With the outcome "unknown" ask `get_status`."""
    def get_status(self, order_id: str, *, timeout: float | None = None) -> Payment:
        """`POST /status` (contract, section 4.6): the payment as it is now. May be repeated by the library.

        - order_id: the service's identifier of the payment.
        - timeout: seconds for this call, in place of the client's."""
    def attach_receipt(self, order_id: str, files: Sequence[_File], *, timeout: float | None = None) -> Payment:
        """`POST /receipt/attach` (contract, section 4.7): attaches receipts to a payment in arbitration: PDF, JPEG or
        PNG. Sent once.

        - order_id: the service's identifier of the payment.
        - files: paths, or tuples of a file name, the file's bytes and its content type. PDF, JPEG and PNG are taken;
          the type of a path is read from its extension or the file's first bytes. Files on disk are read now.
        - timeout: seconds for this call, in place of the client's.

        With the outcome "unknown" ask `get_status`."""
    # generated: end
    def connect(self, *, timeout: float | None = None) -> None:
        """Opens a connection for the next call, before the customer is ready: that call then costs one round
        trip. It may wait for its first request as long as `connect_idle` says. Each call of this opens one.
        Its failure is always of the outcome "not_sent"."""
    def derive(self, *, timeout: float | None = None) -> Client:
        """A client with the same settings, signer and connections, whose calls have another deadline, in
        seconds; None keeps this one's. It can be interrupted and closed alone; interrupting this one
        interrupts it too, closing this one does not close it."""
    def interrupt(self) -> None:
        """Ends the calls that run on this client and everything derived from it, in whatever threads, and lets
        no more start, for good. Each ends with CallCancelledError and the outcome that is true, "not_sent" or
        "unknown"; not one more byte of them is written. A reply that has come whole is still returned. May be
        called from any thread."""
    @property
    def timeout(self) -> float:
        """The deadline of a whole call, in seconds."""
    def wait(self, order_id: str, *, timeout: float | None = None) -> Payment:
        """Asks `get_status` until the status is final, with growing pauses of 0.25 to 5 s, and returns the
        payment. Between calls Ctrl-C ends it at once, `close` ends the waiting with InvalidArgumentError and
        `interrupt` with CallCancelledError.

        After a transient error it asks again: after a broken or late connection, or an unsigned reply with HTTP
        429, 500 or more, as proxies give. With a `timeout` that goes on until it has passed; without one the eighth in
        a row is raised. Any other error, such as a refusal or a forged reply, is raised at once.

        `timeout` is in seconds, None for no end. Once it has passed, raises RequestTimeoutError if the status
        is not final, or the error that the last question met. A payment in arbitration waits for
        `attach_receipt`."""
    def webhook_verifier(self) -> WebhookVerifier:
        """A `WebhookVerifier` for the same service: its keys and key ids, refusing the merchant's own."""
    def close(self) -> None:
        """Closes the connections once the calls that are under way have ended, and lets go of the signer. Any
        later call is refused, and so is the next question of a `wait`. May be called twice."""
    @property
    def closed(self) -> bool:
        """Whether the client was closed."""
    def __enter__(self) -> Self: ...
    def __exit__(self, kind: type[BaseException] | None, error: BaseException | None, traceback: TracebackType | None, /) -> None: ...
    def __reduce_ex__(self, protocol: SupportsIndex, /) -> NoReturn: ...

@final
class WebhookVerifier:
    """Verifies webhooks (contract, section 6). Needs no private key; may be shared by threads.

    `server_public_key` is the service's key, or a list while it rotates them. With `server_key_id`, one or a
    list, a key id that a webhook carries must be one of these. `key_id` is the merchant's own: what carries
    it is refused. `public_key` is the merchant's own public key: it is refused as the service's, and `explain`
    recognises what it signed.

    Raises InvalidKeyError for a key and InvalidArgumentError for an id that cannot be used."""
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
        """A verifier by the settings in the environment: `MERCHANTPAY_SERVER_PUBLIC_KEY`, and where they are set
        `MERCHANTPAY_SERVER_KEY_ID`, `MERCHANTPAY_KEY_ID` and the merchant's own key, which it refuses. It needs
        no private key.

        Raises InvalidArgumentError, which names the variable, for one that is missing or cannot be read."""
    def verify(
        self, body: bytes, signature: str | None, key_id: str | None = None
    ) -> CredentialsIssued | CredentialsFailed | StatusChanged:
        """Verifies a webhook and returns a CredentialsIssued, CredentialsFailed or StatusChanged.

        `body` is the request's body, the bytes as they came: one that was parsed and written again does not
        verify. `signature` and `key_id` are the texts of the headers; the contract does not show their names
        on webhooks, X-Signature and X-KeyId are those of requests and replies. A header that is absent may be
        given as None.

        A webhook has no date, and an old one can come again: do not leave a final status for another one.

        Raises UnverifiedError if it is not provably the service's, MalformedError if it is but is not a
        webhook of the contract."""
    def explain(self, body: bytes, signature: str | None, key_id: str | None = None) -> Explanation | None:
        """Explains why a webhook does not verify; None if its signature and its key id are accepted. It takes what
        `verify` takes, and returns an Explanation.

        A cause that the headers do not show is named only if undoing it makes the signature valid. Write the
        cause to the log, and do not return it to the sender, who may be an attacker. Use nothing of the webhook."""
    def verify_request(self, body: bytes, headers: _Headers) -> CredentialsIssued | CredentialsFailed | StatusChanged:
        """The same from a request's headers, in whatever form the framework keeps them: a mapping in any case of
        letters, a WSGI environ (Django's `request.META` too), or ASGI's list of (bytes, bytes). Reads
        X-Signature and X-KeyId and refuses a request in which either stands twice.

        Raises as `verify`."""
    def __reduce_ex__(self, protocol: SupportsIndex, /) -> NoReturn: ...

@final
class Explanation:
    """Why a webhook does not verify. Write it to the log, and do not return it to the sender."""
    def __new__(cls, cause: str, hint: str) -> Self: ...
    @property
    def cause(self) -> str:
        """The name of the cause, one of `Cause`. A later version may have others."""
    @property
    def hint(self) -> str:
        """What exactly is wrong and what to do. It contains nothing of the webhook."""
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
        """The payment that the event is about."""
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
        """The payment that the event is about."""
    def __eq__(self, other: object, /) -> bool: ...
    def __ne__(self, other: object, /) -> bool: ...
    def __copy__(self) -> Self: ...
    def __deepcopy__(self, memo: Any, /) -> Self: ...
    def __reduce__(self) -> tuple[Any, tuple[str, str]]: ...
    def __hash__(self) -> int: ...

@final
class StatusChanged:
    """The payment has a new status (contract, section 6.2); never "free" or "pending"."""
    @property
    def kind(self) -> Literal["status"]:
        """The kind of the event: "credentials", "credentials_failed" or "status"."""
    @property
    def order_id(self) -> str:
        """The payment's `order_id`."""
    @property
    def payment(self) -> Payment:
        """The payment that the event is about."""
    def __eq__(self, other: object, /) -> bool: ...
    def __ne__(self, other: object, /) -> bool: ...
    def __copy__(self) -> Self: ...
    def __deepcopy__(self, memo: Any, /) -> Self: ...
    def __reduce__(self) -> tuple[Any, tuple[str, str]]: ...
    def __hash__(self) -> int: ...

@final
class Entry:
    """One attempt of a payment, as the journal knew it when it gave this. It does not change: `Journal.find` gives
    how it stands now. A reference's entry is its last attempt.

    Whom the customer pays is not in `repr()`. It can be pickled; a pickle holds what the service reported of
    the payment."""
    # generated: begin entry_fields
    @property
    def reference(self) -> str:
        """`reference`: the merchant's own order number."""
    @property
    def attempt(self) -> int:
        """`attempt`: which attempt this is, from 1."""
    @property
    def standing(self) -> Standing:
        """`standing`: what is known of it."""
    @property
    def order_id(self) -> str | None:
        """`orderId`: the service's order id, where it is known."""
    @property
    def sum_asked(self) -> Decimal:
        """`sumAsked`: the sum that was asked for."""
    @property
    def paid(self) -> Paid | None:
        """`paid`: what was paid compared with what was asked: exactly, less or more; absent until known."""
    @property
    def succeeded(self) -> bool:
        """`succeeded`: whether the payment is done and exactly what was asked was paid."""
    @property
    def credentials(self) -> Payment | None:
        """`credentials`: where the customer pays; only where the customer may."""
    @property
    def payment(self) -> Payment | None:
        """`payment`: what the service has reported of the payment, merged."""
    @property
    def confirm(self) -> Intent | None:
        """`confirm`: how the confirm stands; absent where there is none."""
    @property
    def cancel(self) -> Intent | None:
        """`cancel`: how the cancel stands; absent where there is none."""
    @property
    def reported(self) -> Level:
        """`reported`: what there is to report."""
    @property
    def acknowledged(self) -> Level:
        """`acknowledged`: what of it the merchant has acknowledged."""
    @property
    def error(self) -> Problem | None:
        """`error`: why the last call about it failed: code, outcome and description."""
    @property
    def attention(self) -> tuple[Attention, ...]:
        """`attention`: why an operator must decide about it."""
    @property
    def created_at(self) -> datetime:
        """`createdAt`: when it was stored, in milliseconds since 1970 by the database's clock."""
    @property
    def updated_at(self) -> datetime:
        """`updatedAt`: when it was last written."""
    @property
    def due_at(self) -> datetime | None:
        """`dueAt`: when the service is asked about it next; absent where it is not."""
    # generated: end
    @property
    def earlier(self) -> tuple[Entry, ...]:
        """The attempts before it, the last first, as a tuple; empty where only one attempt was asked for."""
    @property
    def json(self) -> str:
        """All of its fields as one line of JSON, in the names that the program prints."""
    def __eq__(self, other: object, /) -> bool: ...
    def __ne__(self, other: object, /) -> bool: ...
    def __copy__(self) -> Self: ...
    def __deepcopy__(self, memo: Any, /) -> Self: ...
    def __reduce__(self) -> tuple[Any, tuple[str, str]]: ...
    def __hash__(self) -> int: ...

@final
class Problem:
    """Why the last call about an attempt failed."""
    @property
    def code(self) -> Code | str:
        """What went wrong: a Code, or the text of one that only a newer version knows."""
    @property
    def outcome(self) -> Outcome | str:
        """Whether the request may have taken effect: an Outcome, or the text of one that only a newer version knows."""
    @property
    def description(self) -> str | None:
        """The service's own words of a refusal."""
    def __eq__(self, other: object, /) -> bool: ...
    def __ne__(self, other: object, /) -> bool: ...
    def __hash__(self) -> int: ...

@final
class Orphan:
    """A verified message of the service that matches no attempt: no attempt's URL, or another order than the
    attempt's. `Journal.attention` shows it, `Journal.resolve` takes it off the list."""
    @property
    def order_id(self) -> str:
        """The order that it is about."""
    @property
    def received_at(self) -> datetime:
        """When it came, by the database's clock."""
    @property
    def status(self) -> str | None:
        """The status that it reported, as its text."""
    @property
    def sum(self) -> Decimal | None:
        """The sum that it reported."""
    @property
    def reference(self) -> str | None:
        """The reference of the attempt to whose URL it came, if there is one."""
    @property
    def attempt(self) -> int | None:
        """The number of that attempt."""
    @property
    def json(self) -> str:
        """The message as one line of JSON."""
    def __eq__(self, other: object, /) -> bool: ...
    def __ne__(self, other: object, /) -> bool: ...
    def __hash__(self) -> int: ...

@final
class Received:
    """The result of a webhook."""
    @property
    def http_status(self) -> int:
        """What to answer: 200 applied, or seen before; 400 not verified; 404 no such attempt; 409 an order that is
        not this attempt's; 503 the journal failed, so that the service sends it again."""
    @property
    def entry(self) -> Entry | None:
        """The attempt that it was for, as it is now; None where there is none."""
    @property
    def error(self) -> Error | None:
        """Why it was not applied, an Error; None if it was applied, or is an orphan."""

@final
class Settled:
    """What `Journal.settle` did."""
    @property
    def done(self) -> int:
        """How many attempts it looked at."""
    @property
    def next_due(self) -> float | None:
        """In how many seconds the next one is due: 0 for at once, None for never."""

@final
class Stats:
    """The counts of a journal."""
    @property
    def standings(self) -> dict[str, int]:
        """How many attempts have each standing, by its name. Only "final" may be estimated."""
    @property
    def estimated(self) -> bool:
        """Whether the number of final attempts is the database's estimate, as it is if there are more than a thousand attempts."""
    @property
    def attention(self) -> int:
        """How many attempts and messages a person must look at; a changed server counts as one."""
    @property
    def reasons(self) -> dict[str, int]:
        """How many of them have each reason, by its name; the reason of a message is "orphan"."""
    @property
    def due(self) -> int:
        """How many attempts are due."""
    @property
    def overdue(self) -> float | None:
        """For how many seconds the oldest of them has been due; None if nothing is due."""
    @property
    def durability_vouched(self) -> list[str]:
        """The settings of the database that the merchant vouches for."""
    @property
    def pause_note(self) -> str | None:
        """The note of the operator who paused the journal; None if it is not paused."""
    @property
    def paused_at(self) -> datetime | None:
        """When the journal was paused, by the database's clock; None if it is not paused."""
    @property
    def server(self) -> str | None:
        """The database's server; None for SQLite, or if the server cannot be asked."""
    @property
    def server_before(self) -> str | None:
        """The server that an operator knows, if another one answers now."""
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
    """A change of the database's server, after a failover or a restore: the one that answers is not the one that an operator
    knows. `Journal.attention` shows the change, `Journal.resolve` takes it off the list."""
    @property
    def before(self) -> str:
        """The server that an operator knows."""
    @property
    def now(self) -> str:
        """The one that answers now."""
    @property
    def json(self) -> str:
        """The change as one line of JSON."""
    def __eq__(self, other: object, /) -> bool: ...
    def __ne__(self, other: object, /) -> bool: ...

@final
class Journal:
    """Takes each payment once, by the merchant's own order number, its *reference*. `pay` can be repeated safely:
    each reference has at most one payment that a customer can pay. The page docs/journal.md has the promise.

    `receive` takes webhooks, `settle` asks the service about what is open and due, `news` is the one place to
    act, also after a crash, and `attention` lists what an operator must decide.

    - client: the Client that the journal sends with. Interrupting it ends `wait` and `settle`.
    - path_or_connect: a SQLite file, which is made if it is not there and belongs to the journal alone; no other
      SQLite of this process may open it. Or a function without arguments that gives a new DB-API connection to the
      merchant's own database, for the journal alone: of sqlite3, psycopg, psycopg2, PyMySQL or mysqlclient.
      `merchantpay journal schema` prints the tables.
    - callback_url: where the service's webhooks come; each attempt adds a token of its own.
    - account: whose payments these are; the base URL unless set.
    - timeout: the deadline of a payment, its storing included: 30 s unless set, at least 15 s.
    - calls_per_second: how many calls settle makes in a second at most: 10 unless set.
    - calls_at_once: how many calls settle makes side by side at most: 4 unless set, at most 64.
    - create: creates the file or the tables if they are missing; off unless set.
    - pay_wait: how long pay waits for a running call of the same payment: 5 s unless set, 0 for not at all.
    - durability_vouched: settings of the database, separated by commas, that the merchant vouches for: opening does
      not refuse them.
    - dialect: which SQL the database speaks, where the connection's module does not say: a Dialect.
    - max_connections: how many connections to the database are open at once: 20 unless set. A further statement waits for
      one for up to `timeout`. Connections that cannot change their thread, such as sqlite3's, are not limited.

    A journal may be shared by threads and works after a fork, where a child opens connections of its own. It
    cannot be pickled or copied; entries can. The GIL is released but for the statements. A call that Ctrl-C
    meets finishes and stores its result; KeyboardInterrupt is raised then. `wait` and `settle` hear it
    between their calls.

    Raises InvalidArgumentError for a setting that cannot be used, or if the journal is another account's;
    StorageError if the file or the database cannot be used."""
    def __new__(
        cls,
        client: Client,
        path_or_connect: _Path | _Connect,
        *,
        # generated: begin journal_settings
        callback_url: str | None = None,
        account: str | None = None,
        timeout: float = 30.0,
        calls_per_second: int = 10,
        calls_at_once: int = 4,
        create: bool = False,
        pay_wait: float = 5.0,
        durability_vouched: str | None = None,
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
        """Takes a payment by `new_payment`, or returns the existing one: it can be repeated safely.

        The entry may be of any standing. Show its `credentials` where there are some, and try again where it is
        "refused". "unknown" stays until a webhook or a person decides it.

        - reference: the merchant's own order number, of 1 to 120 printable characters.
        - sum: the sum in rubles: greater than 0, exact, at most 28 digits. Decimal, int or str, never float.
        - payment_method: how the customer pays: `card` or `sbp`.
        - customer_account: the customer's account; `get_available_amounts` does not need it, and it has no effect
          there at present.
        - currency: the currency: `RUB`, also if it is not set.
        - payer_bank: the code of the payer's bank, which the merchant's agreement may require.
        - merchant_id: the merchant's own identifier, for reconciliation and support.
        - replace: the number of the attempt in whose place a person wants another one.

        Raises InvalidArgumentError for what cannot be right, or if the reference belongs to another request; StorageError
        if the journal failed: with the outcome "not_sent" nothing left, with "unknown" its `order_id` is there if the
        reply had come. What the service or the network said is the entry's own `error`."""
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
        """The same by `new_payment_async`: the credentials come by webhook, into `news` and `wait`. The better one
        wherever replies get lost. It needs a `callback_url`.

        The entry may be of any standing. Show its `credentials` where there are some, and try again where it is
        "refused". "unknown" stays until a webhook or a person decides it.

        - reference: the merchant's own order number, of 1 to 120 printable characters.
        - sum: the sum in rubles: greater than 0, exact, at most 28 digits. Decimal, int or str, never float.
        - payment_method: how the customer pays: `card` or `sbp`.
        - customer_account: the customer's account; `get_available_amounts` does not need it, and it has no effect
          there at present.
        - currency: the currency: `RUB`, also if it is not set.
        - payer_bank: the code of the payer's bank, which the merchant's agreement may require.
        - merchant_id: the merchant's own identifier, for reconciliation and support.
        - replace: the number of the attempt in whose place a person wants another one.

        Raises InvalidArgumentError for what cannot be right, or if the reference belongs to another request; StorageError
        if the journal failed: with the outcome "not_sent" nothing left, with "unknown" its `order_id` is there if the
        reply had come. What the service or the network said is the entry's own `error`."""
    # generated: end
    def confirm(self, entry: Entry) -> Entry:
        """Reports to the service that the customer has paid this attempt, and returns it as it is then. It is stored
        first, and `settle` retries it while its outcome is unknown; the entry's `confirm` has its state.

        Raises InvalidArgumentError for an attempt whose order id is not known, StorageError if the journal failed."""
    def cancel(self, entry: Entry) -> Entry:
        """Cancels this attempt, and returns it as it is then. Its credentials are not shown from now on. Once its
        `cancel` is "accepted" it can be replaced. Raises as `confirm`."""
    def confirm_by(self, reference: str, attempt: int) -> Entry:
        """Confirms an attempt by value, for a caller that keeps no entry: as `confirm`. Raises InvalidArgumentError also if
        there is no such attempt."""
    def cancel_by(self, reference: str, attempt: int) -> Entry:
        """Cancels an attempt by value, for a caller that keeps no entry: as `cancel`. Raises as `confirm_by`."""
    def receive(self, path: str, body: bytes, signature: str | None, key_id: str | None = None) -> Received:
        """Takes a webhook: its path or URL, its body exactly as it came, and the texts of the headers X-Signature and
        X-KeyId, or None. Answer with the `http_status` of what it returns; what is wrong with the webhook is not
        raised."""
    def receive_request(self, path: str, body: bytes, headers: _Headers) -> Received:
        """The same from a request's headers, in whatever form the framework keeps them, as
        `WebhookVerifier.verify_request` takes them."""
    def settle(self, limit: int = 100) -> Settled:
        """Asks the service about at most `limit` attempts that are due, and retries unanswered confirms and cancels. Call
        it from cron or in a loop; several may share the work. Returns how many it looked at, and in how many seconds
        the next is due. A call that fails is the entry's own `error`, and asked again later.

        Raises StorageError if the journal failed, CallCancelledError if the client was interrupted."""
    def wait(self, reference: str, *, timeout: float, until: _Until = "credentials") -> Entry:
        """Waits for the last attempt of a reference until it has come so far (`until` is an Until), asks the service
        about it meanwhile, and returns it as it is when that is reached or `timeout` seconds are over.

        Raises InvalidArgumentError if there is no such reference, StorageError if the journal failed,
        CallCancelledError if the client was interrupted. Between its calls Ctrl-C ends it."""
    def find(self, reference: str) -> Entry | None:
        """The entry of a reference, with the attempts before it; None where there is no such reference. Raises
        StorageError if the journal failed."""
    def news(self, limit: int = 100, *, claim: float = 60.0) -> _Entries:
        """At most `limit` entries whose level is above what was acknowledged, the oldest first: the one place to act.
        Each is this caller's for `claim` seconds, a minute unless given, so that several workers do not get the same;
        one that is not acknowledged comes again. Raises StorageError if the journal failed."""
    def acknowledge(self, entry: Entry, connection: Any = None) -> bool:
        """Reports that the merchant has acted on this entry's level; later changes are reported again. Returns
        whether there was anything to acknowledge: of two workers it is True for one.

        With `connection`, one of the merchant's own to the journal's database, it is part of the transaction on it.
        Called first of all in that transaction, what is done in it is done exactly once: where there was nothing to
        acknowledge it raises ConflictError, and the transaction is to be rolled back. Keep it short, and READ
        COMMITTED.

        Raises StorageError if the journal failed."""
    def acknowledge_by(self, reference: str, attempt: int, level: _Level, connection: Any = None) -> bool:
        """Acknowledges an attempt by value, for a caller that keeps no entry: `level` is the `reported` that was read and
        acted on. What was reported after that level stays in the news. `connection` and what it returns are as for
        `acknowledge`.

        Raises InvalidArgumentError if there is no such attempt, and for a level that is "none" or above what is
        reported; StorageError if the journal failed."""
    def stats(self) -> Stats:
        """Counts the attempts that are not final, and estimates the number of final ones if there are more than a thousand
        attempts: the cost is the same for any number. Raises StorageError if the journal failed."""
    def purge(self, before: datetime) -> int:
        """Deletes the details of attempts and messages that were last written before a time, an aware datetime, and of which
        nothing more is expected. Reference, attempt, standing, order id and token stay for ever. Returns how many it emptied.

        Raises InvalidArgumentError for a time without a zone or before 1970, StorageError if the journal failed."""
    def forget(self, reference: str) -> int:
        """Deletes the details of all attempts of a reference, and of the messages that came for them. It serves a customer who
        asks for it. Returns how many had details.

        Raises InvalidArgumentError if there is no such reference, or if something is still expected of it; StorageError if
        the journal failed."""
    def export_lines(self) -> Export:
        """Returns an iterator over each attempt and each orphan, as lines for `import_line`. Pause the journal first. The
        iterator raises StorageError if the journal failed, and has ended then."""
    def import_line(self, line: str) -> bool:
        """Stores a line of an export, and marks it as restored. Returns False if the journal already has that attempt or orphan.

        Raises InvalidArgumentError for another text, or for an attempt of another account; StorageError if the journal
        failed."""
    def pause(self, note: str) -> None:
        """Stops `pay` and `news` in every process that uses the journal, until `resume`: they raise a StorageError that is
        transient. Returns when no call that makes a payment runs any more; the call of a killed process counts until its
        deadline. The note, of 1 to 500 characters, names the operator and the reason.

        Raises StorageError if the journal failed, CallCancelledError if the client was interrupted: the journal is paused
        then, and calls may still run."""
    def resume(self, note: str) -> None:
        """Ends a pause, and keeps the note. Raises StorageError if the journal failed."""
    def backup(self, file: _Path) -> None:
        """Copies a journal in a file into a new file at an absolute path, while the journal is in use. The copy is paused, and
        its rows are marked as restored.

        Raises InvalidArgumentError if the journal is in a database or the path is relative; StorageError if the copy cannot
        be written, also if the file exists."""
    def attention(self, limit: int = 100) -> _Items:
        """The items that an operator must decide, over all attempts: at most `limit` entries with their reasons in `attention`, as
        many orphans (messages that match no attempt), and a ServerChange, if another database server answers. Raises
        StorageError if the journal failed."""
    def resolve(
        self,
        item: Entry | Orphan | ServerChange,
        *,
        order_id: str | None = None,
        no_payment: bool = False,
        seen: bool = False,
        note: str,
    ) -> Entry | None:
        """Stores what a person says of an attempt, with the person's note of 1 to 500 characters: that it is this order,
        whose status is asked for first; that the service made no payment for it; or that it was seen, and goes off the
        list until something new is found. One of the three. Returns the entry as it is then; None for an Orphan and a
        ServerChange, which accept only `seen`.

        Raises InvalidArgumentError if that cannot be said of it, or if the order's sum is another one; what the service
        says of the order; StorageError if the journal failed."""
    def _derive(self) -> Journal:
        """The same journal, whose calls can be interrupted alone."""
    def _interrupt(self) -> None:
        """Ends its calls to the service. What a call's end reports is stored all the same."""
    def _look(self, reference: str, timeout: float, until: _Until) -> Entry | float:
        """One look of `wait`: the entry, or the seconds until the next look."""
    def _check(self) -> None:
        """Raises why a wait ends in a pause: the journal was closed, or its client interrupted."""
    def list(self, standing: _Standing | None = None, *, limit: int = 100, before: Entry | None = None) -> _Entries:
        """At most `limit` entries, of one standing (a Standing) or of all, the newest first, without the attempts
        before them; only those behind the entry `before` in that order. Raises StorageError if the journal failed."""
    def close(self) -> None:
        """Closes the file, or the connections to the database that are idle, once the calls that are under way have
        ended. The client stays open. Any later call is refused. May be called twice."""
    @property
    def closed(self) -> bool:
        """Whether the journal was closed."""
    def __enter__(self) -> Self: ...
    def __exit__(self, kind: type[BaseException] | None, error: BaseException | None, traceback: TracebackType | None, /) -> None: ...
    def __reduce_ex__(self, protocol: SupportsIndex, /) -> NoReturn: ...

@final
class Protocol:
    """Prepares the seven operations' requests and opens their replies without any I/O, for hosts with an HTTP
    stack of their own such as asyncio's. May be shared by threads.

    Each `prepare_…` takes the arguments of the method of `Client` with that name and returns an
    `HttpRequest`.

    - base_url: the URL before /api/v1/merchant/pay: absolute, https; plain http to loopback only.
    - key_id: the merchant's key id, as the service issued it (contract, section 5): visible ASCII.
    - private_key: the merchant's private key: base64 of 64 bytes, seed and public key (contract, section 5).
    - public_key: the merchant's own public key, base64 of 32 bytes: needed where a callback signs, elsewhere only
      checked.
    - server_public_key: the service's public key, base64 of 32 bytes; several while the service rotates its keys.
      One, or a list.
    - server_key_id: the service's key id: if any is set, replies must carry one of those that are set, and so must
      webhooks that carry one at all. One, or a list.
    - allow_http: allows plain http to another machine: anyone on the path reads every account and signature.
    - signer: in place of private_key, which is then None: a callable that is given bytes and returns their ed25519
      signature (64 bytes), for a key that is kept elsewhere, such as in an HSM. It needs public_key.

    Raises InvalidArgumentError or InvalidKeyError for what cannot be used; nothing is ever sent."""
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
        """A protocol by the settings in the environment, as `Client.from_env` reads them. What is given here wins
        over its variable.

        Raises InvalidArgumentError, which names the variable, for one that is missing or cannot be read."""
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
        """The request of `POST /available` (contract, section 4.1); its reply is an AvailableAmounts.

        - sum: the sum in rubles: greater than 0, exact, at most 28 digits. Decimal, int or str, never float.
        - payment_method: how the customer pays: `card` or `sbp`.
        - currency: the currency: `RUB`, also if it is not set.
        - customer_account: the customer's account; `get_available_amounts` does not need it, and it has no effect
          there at present.
        - sum_drift_up: how far above the sum an amount may be: not negative. Decimal, int or str, never float.
        - sum_drift_down: how far below the sum an amount may be: not negative. Decimal, int or str, never float."""
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
        """The request of `POST /new` (contract, section 4.2); its reply is a Payment.

        - sum: the sum in rubles: greater than 0, exact, at most 28 digits. Decimal, int or str, never float.
        - payment_method: how the customer pays: `card` or `sbp`.
        - customer_account: the customer's account; `get_available_amounts` does not need it, and it has no effect
          there at present.
        - currency: the currency: `RUB`, also if it is not set.
        - status_webhook_url: an absolute http or https URL that receives status webhooks (contract, section 6.2).
        - payer_bank: the code of the payer's bank, which the merchant's agreement may require.
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
        """The request of `POST /new-async` (contract, section 4.3); its reply is a Payment.

        - sum: the sum in rubles: greater than 0, exact, at most 28 digits. Decimal, int or str, never float.
        - payment_method: how the customer pays: `card` or `sbp`.
        - customer_account: the customer's account; `get_available_amounts` does not need it, and it has no effect
          there at present.
        - credentials_webhook_url: an absolute http or https URL that receives the credentials (contract, section
          6.1); `new_payment_async` requires it, and `new_payment` refuses it.
        - currency: the currency: `RUB`, also if it is not set.
        - status_webhook_url: an absolute http or https URL that receives status webhooks (contract, section 6.2).
        - payer_bank: the code of the payer's bank, which the merchant's agreement may require.
        - merchant_id: the merchant's own identifier, for reconciliation and support."""
    def prepare_confirm(self, order_id: str) -> HttpRequest[Payment]:
        """The request of `POST /confirm` (contract, section 4.4); its reply is a Payment.

        - order_id: the service's identifier of the payment."""
    def prepare_cancel(self, order_id: str) -> HttpRequest[Payment]:
        """The request of `POST /cancel` (contract, section 4.5); its reply is a Payment.

        - order_id: the service's identifier of the payment."""
    def prepare_get_status(self, order_id: str) -> HttpRequest[Payment]:
        """The request of `POST /status` (contract, section 4.6); its reply is a Payment.

        - order_id: the service's identifier of the payment."""
    def prepare_attach_receipt(self, order_id: str, files: Sequence[_File]) -> HttpRequest[Payment]:
        """The request of `POST /receipt/attach` (contract, section 4.7); its reply is a Payment.

        - order_id: the service's identifier of the payment.
        - files: paths, or tuples of a file name, the file's bytes and its content type. PDF, JPEG and PNG are taken;
          the type of a path is read from its extension or the file's first bytes. Files on disk are read now."""
    # generated: end
    def __reduce_ex__(self, protocol: SupportsIndex, /) -> NoReturn: ...

@final
class HttpRequest(Generic[_Reply]):
    """A signed request that is ready to send, and how to open its reply. Send exactly this body with these
    headers, once: the bytes are signed.

    Follow no redirects and decompress nothing before `open`. Only `get_status` and `get_available_amounts`
    may be sent again after a byte was written."""
    @property
    def method(self) -> Literal["POST"]:
        """Always "POST"."""
    @property
    def url(self) -> str:
        """The whole URL."""
    @property
    def headers(self) -> dict[str, str]:
        """Content-Type, X-KeyId and X-Signature; a new dict."""
    @property
    def body(self) -> bytes:
        """The signed bytes."""
    def open(self, status: int, headers: _Headers, body: bytes) -> _Reply:
        """Verifies the reply's bytes, parses them and binds them to this request; returns a Payment, or an
        AvailableAmounts for `prepare_get_available_amounts`.

        `status` is the HTTP status; `headers` are all of the reply's, in any form that
        `WebhookVerifier.verify_request` takes; `body` is bytes.

        Raises UnverifiedError, MalformedError, RejectedError, or TransportError for a redirect."""
    def __class_getitem__(cls, key: Any) -> GenericAlias: ...
    def __reduce_ex__(self, protocol: SupportsIndex, /) -> NoReturn: ...

@final
class Keypair:
    """A new ed25519 pair, both keys as the contract stores them (section 5): base64 of 64 and of 32 bytes.

    Hand the public key to the service and keep the private one to yourself."""
    @property
    def private_key(self) -> str:
        """The private key, for `Client`. Not in `repr()`."""
    @property
    def public_key(self) -> str:
        """The public key, for the service."""
    def __reduce_ex__(self, protocol: SupportsIndex, /) -> NoReturn: ...

def generate_keypair() -> Keypair:
    """Makes a pair from the operating system's random bytes (contract, section 5)."""

def to_balance(sum: _Sum, rate: _Sum, balance: _Balance, *, scale: int, rounding: _Rounding) -> Decimal:
    """Converts a paid `sum` at `rate` (a payment's `deal_rate`) to the currency of the merchant's balance
    (contract, section 2): `sum * rate` for "RUB", `sum / rate` for "USDT". The exact result is rounded once.

    `scale` is the number of digits kept behind the point, 0 to 28. `rounding` is one of "half_up",
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
    """One wait without its pauses: `Client.wait` sleeps in between, and `AsyncClient.wait` leaves its thread."""
    def __new__(cls, client: Client, order_id: str, timeout: float | None = None) -> Self: ...
    def first_pause(self) -> float:
        """The seconds before the first question."""
    def ask(self, client: Client) -> Payment | float:
        """Asks once: the payment, or the seconds until the next question."""
    def check(self, client: Client) -> None:
        """Raises why the wait ends in a pause: the client was closed or interrupted."""

def _words() -> _Words:
    """The core's lists by their names."""

def _forget(object: Any) -> None:
    """Lets go of an object for good without freeing it: what a process inherited by a fork is its parent's."""

def _sign(private_key: str, body: bytes) -> str:
    """The signature of a body as a webhook carries it."""

def _received(http_status: int, entry: Entry | None, error: Error | None) -> Received:
    """A result of `Journal.receive`."""

def _settled(done: int, next_due: float | None) -> Settled:
    """A result of `Journal.settle`."""

def _unpickle(kind: str, json: str) -> Any:
    """The object that a pickle has carried from another process. Not part of the package's interface."""

def _panic() -> NoReturn:
    """Panics, for the test that a panic arrives as an `InternalError`."""
