"""The methods of `Client` and `Journal` as classes of `typing.Protocol`, so that a test can implement them."""

from __future__ import annotations

from typing import Protocol, overload

from ._merchantpay import Client, Journal

TYPE_CHECKING = False
if TYPE_CHECKING:
    from collections.abc import Sequence

    from ._entry import Entry, Orphan, Received, Settled, Stats
    from ._merchantpay import (
        AvailableAmounts,
        Payment,
        _Currency,
        _Entries,
        _File,
        _Headers,
        _Items,
        _PaymentMethod,
        _Seen,
        _Standing,
        _Sum,
        _Until,
    )


class ClientLike(Protocol):
    """The type of a `Client`, or of a test's own class with the same methods. Use it in annotations."""

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
    ) -> AvailableAmounts: ...
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
    ) -> Payment: ...
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
    ) -> Payment: ...
    def confirm(self, order_id: str, *, timeout: float | None = None) -> Payment: ...
    def cancel(self, order_id: str, *, timeout: float | None = None) -> Payment: ...
    def get_status(self, order_id: str, *, timeout: float | None = None) -> Payment: ...
    def attach_receipt(self, order_id: str, files: Sequence[_File], *, timeout: float | None = None) -> Payment: ...
    # generated: end
    def connect(self, *, timeout: float | None = None) -> None: ...
    def wait(self, order_id: str, *, timeout: float | None = None) -> Payment: ...


class JournalLike(Protocol):
    """The type of a `Journal`, or of a test's own class with the same methods. Use it in annotations."""

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
    ) -> Entry: ...
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
    ) -> Entry: ...
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
    ) -> Entry: ...
    # generated: end
    @overload
    def confirm(self, entry: Entry, /) -> Entry: ...
    @overload
    def confirm(self, reference: str, attempt: int, /) -> Entry: ...
    @overload
    def cancel(self, entry: Entry, /) -> Entry: ...
    @overload
    def cancel(self, reference: str, attempt: int, /) -> Entry: ...
    def receive(self, path: str, body: bytes, signature: str | None, key_id: str | None = None) -> Received: ...
    def receive_request(self, path: str, body: bytes, headers: _Headers) -> Received: ...
    def settle(self, limit: int = 100) -> Settled: ...
    def wait(self, reference: str, *, timeout: float, until: _Until = "credentials") -> Entry: ...
    def find(self, reference: str) -> Entry | None: ...
    def news(self, limit: int = 100) -> _Entries: ...
    @overload
    def acknowledge(self, entry: Entry, /) -> bool: ...
    @overload
    def acknowledge(self, reference: str, attempt: int, news: int, /) -> bool: ...
    def attention(self, limit: int = 100) -> _Items: ...
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
    ) -> Entry | None: ...
    def stats(self) -> Stats: ...
    def list(self, standing: _Standing | None = None, *, limit: int = 100, before: Entry | None = None) -> _Entries: ...


for _shape, _model in ((ClientLike, Client), (JournalLike, Journal)):
    _shape.__module__ = "merchantpay"
    for _name, _method in vars(_shape).items():
        if not _name.startswith("_"):
            _method.__doc__ = getattr(_model, _name).__doc__
del _shape, _model, _name, _method
