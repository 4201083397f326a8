# The types of `_async`. The documentation of each method is that of `Client` and `Journal`.

from collections.abc import AsyncIterator, Sequence
from datetime import datetime
from types import TracebackType
from typing import Any, NoReturn, SupportsIndex

from typing_extensions import Self

from ._merchantpay import (
    AvailableAmounts,
    Entry,
    Orphan,
    Payment,
    Received,
    ServerChange,
    Settled,
    Stats,
    WebhookVerifier,
    _Connect,
    _Dialect,
    _Entries,
    _File,
    _Headers,
    _Items,
    _Level,
    _OneOrMore,
    _Path,
    _Signer,
    _Standing,
    _Sum,
    _Until,
)

class AsyncClient:
    def __init__(
        self,
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
        max_calls: int = 64,
    ) -> None: ...
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
        max_calls: int = 64,
    ) -> Self: ...
    # generated: begin operations
    async def get_available_amounts(
        self,
        *,
        sum: _Sum,
        payment_method: str,
        currency: str = "RUB",
        customer_account: str | None = None,
        sum_drift_up: _Sum | None = None,
        sum_drift_down: _Sum | None = None,
        timeout: float | None = None,
    ) -> AvailableAmounts: ...
    async def new_payment(
        self,
        *,
        sum: _Sum,
        payment_method: str,
        customer_account: str,
        currency: str = "RUB",
        status_webhook_url: str | None = None,
        payer_bank: str | None = None,
        merchant_id: str | None = None,
        timeout: float | None = None,
    ) -> Payment: ...
    async def new_payment_async(
        self,
        *,
        sum: _Sum,
        payment_method: str,
        customer_account: str,
        credentials_webhook_url: str,
        currency: str = "RUB",
        status_webhook_url: str | None = None,
        payer_bank: str | None = None,
        merchant_id: str | None = None,
        timeout: float | None = None,
    ) -> Payment: ...
    async def confirm(self, order_id: str, *, timeout: float | None = None) -> Payment: ...
    async def cancel(self, order_id: str, *, timeout: float | None = None) -> Payment: ...
    async def get_status(self, order_id: str, *, timeout: float | None = None) -> Payment: ...
    async def attach_receipt(self, order_id: str, files: Sequence[_File], *, timeout: float | None = None) -> Payment: ...
    # generated: end
    async def connect(self, *, timeout: float | None = None) -> None: ...
    def derive(self, *, timeout: float | None = None) -> Self: ...
    def interrupt(self) -> None: ...
    @property
    def timeout(self) -> float: ...
    async def wait(self, order_id: str, *, timeout: float | None = None) -> Payment: ...
    def webhook_verifier(self) -> WebhookVerifier: ...
    async def close(self) -> None: ...
    @property
    def closed(self) -> bool: ...
    async def __aenter__(self) -> Self: ...
    async def __aexit__(self, kind: type[BaseException] | None, error: BaseException | None, traceback: TracebackType | None) -> None: ...
    def __reduce_ex__(self, protocol: SupportsIndex) -> NoReturn: ...

class AsyncJournal:
    def __init__(
        self,
        client: AsyncClient,
        path_or_connect: _Path | _Connect,
        *,
        # generated: begin journal_settings
        callback_url: str | None = None,
        account: str | None = None,
        timeout: float = 30.0,
        calls_per_second: int = 10,
        create: bool = False,
        pay_wait: float = 5.0,
        durability_vouched: str | None = None,
        # generated: end
        dialect: _Dialect | None = None,
        max_connections: int = 20,
        max_calls: int = 64,
    ) -> None: ...
    # generated: begin pay
    async def pay(
        self,
        reference: str,
        *,
        sum: _Sum,
        payment_method: str,
        customer_account: str,
        currency: str = "RUB",
        payer_bank: str | None = None,
        merchant_id: str | None = None,
        replace: int | None = None,
    ) -> Entry: ...
    async def pay_async(
        self,
        reference: str,
        *,
        sum: _Sum,
        payment_method: str,
        customer_account: str,
        currency: str = "RUB",
        payer_bank: str | None = None,
        merchant_id: str | None = None,
        replace: int | None = None,
    ) -> Entry: ...
    # generated: end
    async def confirm(self, entry: Entry) -> Entry: ...
    async def cancel(self, entry: Entry) -> Entry: ...
    async def confirm_by(self, reference: str, attempt: int) -> Entry: ...
    async def cancel_by(self, reference: str, attempt: int) -> Entry: ...
    async def receive(self, path: str, body: bytes, signature: str | None, key_id: str | None = None) -> Received: ...
    async def receive_request(self, path: str, body: bytes, headers: _Headers) -> Received: ...
    async def settle(self, limit: int = 100) -> Settled: ...
    async def wait(self, reference: str, *, timeout: float, until: _Until = "credentials") -> Entry: ...
    async def find(self, reference: str) -> Entry | None: ...
    async def news(self, limit: int = 100, *, claim: float = 60.0) -> _Entries: ...
    async def acknowledge(self, entry: Entry, connection: Any = None) -> bool: ...
    async def acknowledge_by(self, reference: str, attempt: int, level: _Level, connection: Any = None) -> bool: ...
    async def stats(self) -> Stats: ...
    async def purge(self, before: datetime) -> int: ...
    async def forget(self, reference: str) -> int: ...
    def export_lines(self) -> AsyncIterator[str]: ...
    async def import_line(self, line: str) -> bool: ...
    async def pause(self, note: str) -> None: ...
    async def resume(self, note: str) -> None: ...
    async def backup(self, file: _Path) -> None: ...
    async def attention(self, limit: int = 100) -> _Items: ...
    async def resolve(
        self,
        item: Entry | Orphan | ServerChange,
        *,
        order_id: str | None = None,
        no_payment: bool = False,
        seen: bool = False,
        note: str,
    ) -> Entry | None: ...
    async def list(self, standing: _Standing | None = None, *, limit: int = 100, before: Entry | None = None) -> _Entries: ...
    async def close(self) -> None: ...
    @property
    def closed(self) -> bool: ...
    async def __aenter__(self) -> Self: ...
    async def __aexit__(self, kind: type[BaseException] | None, error: BaseException | None, traceback: TracebackType | None) -> None: ...
    def __reduce_ex__(self, protocol: SupportsIndex) -> NoReturn: ...
