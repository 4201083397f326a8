# The native half of `merchantpay`. What each name promises stands in its docstring, which is written in
# crates/merchantpay-python and shown by help(merchantpay).

from collections.abc import Callable, Iterable, Sequence
from decimal import Decimal
from os import PathLike
from types import GenericAlias, TracebackType
from typing import Any, Final, Generic, Literal, NoReturn, SupportsIndex, TypedDict, TypeVar, final
from typing import Protocol as _Shape

from typing_extensions import Self, TypeAlias

from ._words import Status

__all__ = [
    "AvailableAmounts",
    "Client",
    "CredentialsFailed",
    "CredentialsIssued",
    "HttpRequest",
    "Keypair",
    "Payment",
    "Protocol",
    "StatusChanged",
    "WebhookVerifier",
    "__version__",
    "_panic",
    "_run",
    "_words",
    "generate_keypair",
    "to_balance",
]

__version__: Final[str]

_Sum: TypeAlias = Decimal | int | str
_OneOrMore: TypeAlias = str | Iterable[str]
_File: TypeAlias = str | PathLike[str] | tuple[str, bytes, str]
_Signer: TypeAlias = Callable[[bytes], bytes]
_Rounding: TypeAlias = Literal[
    "half_up", "half_even", "down", "up", "ROUND_HALF_UP", "ROUND_HALF_EVEN", "ROUND_DOWN", "ROUND_UP"
]
_Reply = TypeVar("_Reply", Payment, AvailableAmounts, covariant=True)

class _HasItems(_Shape):
    def items(self) -> Iterable[tuple[Any, Any]]: ...

_Headers: TypeAlias = _HasItems | Iterable[tuple[str, str]] | Iterable[tuple[bytes, bytes]]

@final
class Payment:
    @property
    def order_id(self) -> str: ...
    @property
    def sum(self) -> Decimal | None: ...
    @property
    def currency(self) -> str | None: ...
    @property
    def payee_account(self) -> str | None: ...
    @property
    def payee_account_bank(self) -> str | None: ...
    @property
    def payee_name(self) -> str | None: ...
    @property
    def deal_sum(self) -> Decimal | None: ...
    @property
    def deal_currency(self) -> str | None: ...
    @property
    def deal_rate(self) -> Decimal | None: ...
    @property
    def deeplink(self) -> str | None: ...
    @property
    def status(self) -> Status | None: ...
    @property
    def is_final(self) -> bool: ...
    @property
    def json(self) -> str: ...
    @property
    def unknown_fields(self) -> dict[str, Any]: ...
    def __eq__(self, other: object, /) -> bool: ...
    def __ne__(self, other: object, /) -> bool: ...
    def __hash__(self) -> int: ...

@final
class AvailableAmounts:
    @property
    def available_amounts(self) -> tuple[Decimal, ...]: ...
    @property
    def other_amounts_possible(self) -> bool: ...
    @property
    def json(self) -> str: ...
    def __eq__(self, other: object, /) -> bool: ...
    def __ne__(self, other: object, /) -> bool: ...
    def __hash__(self) -> int: ...

@final
class Client:
    def __new__(
        cls,
        base_url: str,
        key_id: str,
        private_key: str | None,
        server_public_key: _OneOrMore,
        *,
        server_key_id: _OneOrMore | None = None,
        ca_file: str | PathLike[str] | None = None,
        ca_pem: bytes | str | None = None,
        proxy: str | None = None,
        timeout: float = 30.0,
        connect_timeout: float = 10.0,
        max_retries: int = 2,
        max_reply_bytes: int = 1048576,
        user_agent: str | None = None,
        signer: _Signer | None = None,
        public_key: str | None = None,
    ) -> Self: ...
    def get_available_amounts(
        self,
        *,
        sum: _Sum,
        payment_method: str,
        currency: str = "RUB",
        sum_drift_up: _Sum | None = None,
        sum_drift_down: _Sum | None = None,
        customer_account: str | None = None,
    ) -> AvailableAmounts: ...
    def new_payment(
        self,
        *,
        sum: _Sum,
        payment_method: str,
        customer_account: str,
        currency: str = "RUB",
        payer_bank: str | None = None,
        merchant_id: str | None = None,
        status_webhook_url: str | None = None,
    ) -> Payment: ...
    def new_payment_async(
        self,
        *,
        sum: _Sum,
        payment_method: str,
        customer_account: str,
        credentials_webhook_url: str,
        currency: str = "RUB",
        payer_bank: str | None = None,
        merchant_id: str | None = None,
        status_webhook_url: str | None = None,
    ) -> Payment: ...
    def confirm(self, order_id: str) -> Payment: ...
    def cancel(self, order_id: str) -> Payment: ...
    def get_status(self, order_id: str) -> Payment: ...
    def attach_receipt(self, order_id: str, files: Sequence[_File]) -> Payment: ...
    def wait(self, order_id: str, *, timeout: float | None = None) -> Payment: ...
    def webhook_verifier(self) -> WebhookVerifier: ...
    def close(self) -> None: ...
    @property
    def closed(self) -> bool: ...
    def __enter__(self) -> Self: ...
    def __exit__(
        self, kind: type[BaseException] | None, error: BaseException | None, traceback: TracebackType | None, /
    ) -> None: ...
    def __reduce_ex__(self, protocol: SupportsIndex, /) -> NoReturn: ...

@final
class WebhookVerifier:
    def __new__(
        cls, server_public_key: _OneOrMore, *, server_key_id: _OneOrMore | None = None, key_id: str | None = None
    ) -> Self: ...
    def verify(
        self, body: bytes, signature: str | None, key_id: str | None = None
    ) -> CredentialsIssued | CredentialsFailed | StatusChanged: ...
    def verify_request(self, body: bytes, headers: _Headers) -> CredentialsIssued | CredentialsFailed | StatusChanged: ...
    def __reduce_ex__(self, protocol: SupportsIndex, /) -> NoReturn: ...

@final
class CredentialsIssued:
    @property
    def kind(self) -> Literal["credentials"]: ...
    @property
    def order_id(self) -> str: ...
    @property
    def payment(self) -> Payment: ...
    def __eq__(self, other: object, /) -> bool: ...
    def __ne__(self, other: object, /) -> bool: ...
    def __hash__(self) -> int: ...

@final
class CredentialsFailed:
    @property
    def kind(self) -> Literal["credentials_failed"]: ...
    @property
    def order_id(self) -> str: ...
    @property
    def payment(self) -> Payment: ...
    def __eq__(self, other: object, /) -> bool: ...
    def __ne__(self, other: object, /) -> bool: ...
    def __hash__(self) -> int: ...

@final
class StatusChanged:
    @property
    def kind(self) -> Literal["status"]: ...
    @property
    def order_id(self) -> str: ...
    @property
    def payment(self) -> Payment: ...
    def __eq__(self, other: object, /) -> bool: ...
    def __ne__(self, other: object, /) -> bool: ...
    def __hash__(self) -> int: ...

@final
class Protocol:
    def __new__(
        cls,
        base_url: str,
        key_id: str,
        private_key: str | None,
        server_public_key: _OneOrMore,
        *,
        server_key_id: _OneOrMore | None = None,
        signer: _Signer | None = None,
        public_key: str | None = None,
    ) -> Self: ...
    def prepare_get_available_amounts(
        self,
        *,
        sum: _Sum,
        payment_method: str,
        currency: str = "RUB",
        sum_drift_up: _Sum | None = None,
        sum_drift_down: _Sum | None = None,
        customer_account: str | None = None,
    ) -> HttpRequest[AvailableAmounts]: ...
    def prepare_new_payment(
        self,
        *,
        sum: _Sum,
        payment_method: str,
        customer_account: str,
        currency: str = "RUB",
        payer_bank: str | None = None,
        merchant_id: str | None = None,
        status_webhook_url: str | None = None,
    ) -> HttpRequest[Payment]: ...
    def prepare_new_payment_async(
        self,
        *,
        sum: _Sum,
        payment_method: str,
        customer_account: str,
        credentials_webhook_url: str,
        currency: str = "RUB",
        payer_bank: str | None = None,
        merchant_id: str | None = None,
        status_webhook_url: str | None = None,
    ) -> HttpRequest[Payment]: ...
    def prepare_confirm(self, order_id: str) -> HttpRequest[Payment]: ...
    def prepare_cancel(self, order_id: str) -> HttpRequest[Payment]: ...
    def prepare_get_status(self, order_id: str) -> HttpRequest[Payment]: ...
    def prepare_attach_receipt(self, order_id: str, files: Sequence[_File]) -> HttpRequest[Payment]: ...
    def __reduce_ex__(self, protocol: SupportsIndex, /) -> NoReturn: ...

@final
class HttpRequest(Generic[_Reply]):
    @property
    def method(self) -> Literal["POST"]: ...
    @property
    def url(self) -> str: ...
    @property
    def headers(self) -> dict[str, str]: ...
    @property
    def body(self) -> bytes: ...
    def open(self, status: int, headers: _Headers, body: bytes) -> _Reply: ...
    def __class_getitem__(cls, key: Any) -> GenericAlias: ...
    def __reduce_ex__(self, protocol: SupportsIndex, /) -> NoReturn: ...

@final
class Keypair:
    @property
    def private_key(self) -> str: ...
    @property
    def public_key(self) -> str: ...
    def __reduce_ex__(self, protocol: SupportsIndex, /) -> NoReturn: ...

def generate_keypair() -> Keypair: ...
def to_balance(
    sum: _Sum, rate: _Sum, balance: Literal["RUB", "USDT"], *, scale: int, rounding: _Rounding
) -> Decimal: ...

class _Words(TypedDict):
    codes: list[str]
    outcomes: list[str]
    reasons: list[str]
    statuses: list[str]
    final_statuses: list[str]
    payment_methods: list[str]
    operations: list[tuple[str, str]]
    payment_fields: list[str]
    receipt_types: list[str]

def _words() -> _Words: ...
def _run(arguments: Sequence[str]) -> int: ...
def _panic() -> NoReturn: ...
