# The types of `_async`. A method that `Client` or `Journal` also has gets its docstring from there: it is generated.

from collections.abc import Sequence
from types import TracebackType
from typing import NoReturn, SupportsIndex, overload

from typing_extensions import Self

from ._entry import Entry, Orphan, Received, Settled, Stats
from ._merchantpay import (
    AvailableAmounts,
    Payment,
    WebhookVerifier,
    _Currency,
    _Entries,
    _File,
    _Headers,
    _Items,
    _OneOrMore,
    _Path,
    _PaymentMethod,
    _Seen,
    _Signer,
    _Standing,
    _Sum,
    _Until,
)

class AsyncClient:
    """`Client` for asyncio, with the same settings and methods. The methods that use the network, and `close`, are
    coroutines.

    Each call runs on one of the client's own threads, so that no other work delays it. `max_calls` is the
    largest number of threads. If all are busy, a call waits for a free thread until its deadline, and then
    fails with the code `timeout` and the outcome `not_sent`.

    Cancelling a task interrupts its call. `asyncio.CancelledError` is raised when the call has ended, and `outcome_of` returns
    the call's outcome.

    A client can be used only in the event loop of its first call, and in the process that made it. `close`, or
    the end of an `async with` block, waits for the running calls and ends all threads. `wait` uses a thread
    only during its queries.
    """
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
    async def get_available_amounts(
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
    async def new_payment(
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
    async def new_payment_async(
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
    async def confirm(self, order_id: str, *, timeout: float | None = None) -> Payment:
        """`POST /confirm` (contract, section 4.4): reports that the customer has paid. The service then starts to check
        the payment. The request is sent once.

        - order_id: the service's identifier of the payment.
        - timeout: seconds for this call, in place of the client's timeout.

        After the outcome "unknown" call `get_status` until the status changes: an unchanged status does not show
        whether the confirm arrived."""
    async def cancel(self, order_id: str, *, timeout: float | None = None) -> Payment:
        """`POST /cancel` (contract, section 4.5): cancels a payment. The service refuses the cancellation if the payment
        can no longer be cancelled. The request is sent once.

        - order_id: the service's identifier of the payment.
        - timeout: seconds for this call, in place of the client's timeout.

        Raises RejectedError with the reason "payment_could_not_be_canceled" if the payment's state does not allow it.
        After the outcome "unknown" call `get_status`."""
    async def get_status(self, order_id: str, *, timeout: float | None = None) -> Payment:
        """`POST /status` (contract, section 4.6): returns the payment with its present status. The library can retry
        this request.

        - order_id: the service's identifier of the payment.
        - timeout: seconds for this call, in place of the client's timeout."""
    async def attach_receipt(self, order_id: str, files: Sequence[_File], *, timeout: float | None = None) -> Payment:
        """`POST /receipt/attach` (contract, section 4.7): attaches receipts (PDF, JPEG or PNG) to a payment in
        arbitration. The request is sent once.

        - order_id: the service's identifier of the payment.
        - files: paths, or tuples of a file name, the file's bytes and its content type. PDF, JPEG and PNG are
          accepted, by their first bytes, whatever the file's name is. Files on disk are read now.
        - timeout: seconds for this call, in place of the client's timeout.

        After the outcome "unknown" call `get_status`."""
    # generated: end
    async def connect(self, *, timeout: float | None = None) -> None:
        """Opens a connection for the next call, before the customer is ready, so that the call needs only one
        round trip. `connect_idle` limits how long the connection waits for its first request. Each call of
        `connect` opens one connection. A failure always has the outcome "not_sent"."""
    def derive(self, *, timeout: float | None = None) -> Self:
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
    async def wait(self, order_id: str, *, timeout: float | None = None) -> Payment:
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
    async def close(self) -> None:
        """Closes the connections after the running calls have ended, and releases the signer. The client refuses
        later calls, and the next query of a running `wait`. `close` can be called twice."""
    @property
    def closed(self) -> bool:
        """True if the client was closed."""
    async def __aenter__(self) -> Self: ...
    async def __aexit__(self, kind: type[BaseException] | None, error: BaseException | None, traceback: TracebackType | None) -> None: ...
    def __reduce_ex__(self, protocol: SupportsIndex) -> NoReturn: ...

class AsyncJournal:
    """`Journal` for asyncio, with the same settings and methods. The methods are coroutines.

    The constructor opens the file or the database, and blocks meanwhile: call it when the program starts. The
    journal's calls run on its own threads, at most `max_calls`; statements wait for one of the `connections`.
    Cancelled tasks, event loops, processes and `close` behave as in `AsyncClient`; the result of a cancelled call
    is still stored.
    """
    def __init__(
        self,
        client: AsyncClient,
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
        max_calls: int = 64,
    ) -> None: ...
    # generated: begin pay
    async def pay(
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
    async def pay_async(
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
    async def replace(
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
    async def confirm(self, entry: Entry, attempt: None = None, /) -> Entry:
        """Tells the service that the customer has paid this attempt: an Entry, or a reference and the number of
        the attempt. Returns the new entry, whose `intent_state` says what became of it. The instruction is
        stored first; `settle` sends it again until the service has answered.

        Raises InvalidArgumentError for an attempt that does not exist or has no order yet; StorageError if the
        journal failed."""
    @overload
    async def confirm(self, reference: str, attempt: int, /) -> Entry:
        """Tells the service that the customer has paid this attempt: an Entry, or a reference and the number of
        the attempt. Returns the new entry, whose `intent_state` says what became of it. The instruction is
        stored first; `settle` sends it again until the service has answered.

        Raises InvalidArgumentError for an attempt that does not exist or has no order yet; StorageError if the
        journal failed."""
    @overload
    async def cancel(self, entry: Entry, attempt: None = None, /) -> Entry:
        """Cancels this attempt: an Entry, or a reference and the number of the attempt. Returns the new entry,
        without `credentials`. Once the cancel is accepted, `replace` may make another payment. Raises the same
        errors as `confirm`."""
    @overload
    async def cancel(self, reference: str, attempt: int, /) -> Entry:
        """Cancels this attempt: an Entry, or a reference and the number of the attempt. Returns the new entry,
        without `credentials`. Once the cancel is accepted, `replace` may make another payment. Raises the same
        errors as `confirm`."""
    async def receive(self, path: str, body: bytes, signature: str | None, key_id: str | None = None) -> Received:
        """Takes a webhook: its path or URL, its unchanged body, and the values of the headers X-Signature and
        X-KeyId; None for an absent header. Answer the webhook with the result's `http_status`. The webhook's
        error is in the result's `error`, and is not raised."""
    async def receive_request(self, path: str, body: bytes, headers: _Headers) -> Received:
        """Like `receive`, with a request's headers in any framework's type, as in
        `WebhookVerifier.verify_request`."""
    async def settle(self, limit: int = 100) -> Settled:
        """Asks the service about at most `limit` attempts that are due, and sends unanswered instructions again;
        at most 10 calls a second. Call it from cron or in a loop, in as many processes as you like. The error
        of a failed call is the entry's `error`, and the attempt comes again.

        Raises StorageError if the journal failed, CallCancelledError if the client was interrupted."""
    async def wait(self, reference: str, *, timeout: float, until: _Until = "credentials") -> Entry:
        """Waits until the last attempt of a reference has reached `until` (an Until), at most `timeout` seconds,
        and returns its entry. Meanwhile the service is asked about it every two seconds.

        Raises InvalidArgumentError if there is no such reference, StorageError if the journal failed,
        CallCancelledError if the client was interrupted."""
    async def find(self, reference: str) -> Entry | None:
        """The entry of a reference's last attempt; None if there is no such reference. Raises StorageError if the
        journal failed."""
    async def news(self, limit: int = 100) -> _Entries:
        """At most `limit` entries with news that nobody has acknowledged, the oldest first. Each is leased to the
        caller for a minute; an entry that is not acknowledged by then comes again. Act on what it says, then
        acknowledge it. Raises StorageError if the journal failed or is paused."""
    @overload
    async def acknowledge(self, entry: Entry, attempt: None = None, news: None = None, /) -> bool:
        """Acknowledges the news that an entry shows: an Entry, or a reference, the number of the attempt and the
        number of the news. Returns whether it did: False if they were acknowledged before, or if there are
        newer ones. To acknowledge in your own transaction, see `Entry.acknowledge_sql`.

        Raises StorageError if the journal failed."""
    @overload
    async def acknowledge(self, reference: str, attempt: int, news: int, /) -> bool:
        """Acknowledges the news that an entry shows: an Entry, or a reference, the number of the attempt and the
        number of the news. Returns whether it did: False if they were acknowledged before, or if there are
        newer ones. To acknowledge in your own transaction, see `Entry.acknowledge_sql`.

        Raises StorageError if the journal failed."""
    async def attention(self, limit: int = 100) -> _Items:
        """What a person must look at: entries with reasons in `attention` and a sentence for each in `details`;
        orphans, the messages about orders that no attempt has; and unreadable rows. At most `limit` of each
        kind. Raises StorageError if the journal failed."""
    async def resolve(
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
    async def stats(self) -> Stats:
        """Counts what is open, due, new and for a person. Raises StorageError if the journal failed."""
    async def list(self, standing: _Standing | None = None, *, limit: int = 100, before: Entry | None = None) -> _Entries:
        """At most `limit` entries, the newest first: each reference's last attempt, or the attempts of one
        standing (a Standing). `before`, the last entry of a page, continues behind it. Raises StorageError if
        the journal failed."""
    async def close(self) -> None:
        """Closes the journal after the running calls have ended. The client stays open. The journal refuses later
        calls. `close` can be called twice."""
    @property
    def closed(self) -> bool:
        """True if the journal was closed."""
    async def __aenter__(self) -> Self: ...
    async def __aexit__(self, kind: type[BaseException] | None, error: BaseException | None, traceback: TracebackType | None) -> None: ...
    def __reduce_ex__(self, protocol: SupportsIndex) -> NoReturn: ...
