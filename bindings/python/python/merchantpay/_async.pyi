# The types of `_async`. A method that `Client` or `Journal` also has gets its docstring from there: it is generated.

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
    _Currency,
    _Dialect,
    _Entries,
    _File,
    _Headers,
    _Items,
    _Level,
    _OneOrMore,
    _Path,
    _PaymentMethod,
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
          accepted; the content type of a path is read from its extension; for another extension it is read from the
          file's first bytes. Files on disk are read now.
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
    journal's calls run on its own threads, at most `max_calls`; with a database each running call uses a
    connection. Cancelled tasks, event loops, processes and `close` behave as in `AsyncClient`; the result of a
    cancelled call is still stored.

    `acknowledge` with a connection runs its statement on another thread. Do not use the connection until
    `acknowledge` has returned.
    """
    def __init__(
        self,
        client: AsyncClient,
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
    async def confirm(self, entry: Entry) -> Entry:
        """Reports to the service that the customer has paid this attempt, and returns the new entry. The journal
        stores the report before it sends it, and `settle` retries it while its outcome is unknown. The entry's
        `confirm` is the state of the report.

        Raises InvalidArgumentError for an attempt whose order id is not known, StorageError if the journal failed."""
    async def cancel(self, entry: Entry) -> Entry:
        """Cancels this attempt, and returns the new entry. From now on its entries have no `credentials`. When
        the entry's `cancel` is "accepted", the attempt can be replaced. Raises the same errors as `confirm`."""
    async def confirm_by(self, reference: str, attempt: int) -> Entry:
        """Confirms the attempt with this reference and number, for a caller that has no Entry. Raises the same
        errors as `confirm`, and InvalidArgumentError if there is no such attempt."""
    async def cancel_by(self, reference: str, attempt: int) -> Entry:
        """Cancels the attempt with this reference and number, for a caller that has no Entry. Raises the same
        errors as `confirm_by`."""
    async def receive(self, path: str, body: bytes, signature: str | None, key_id: str | None = None) -> Received:
        """Takes a webhook. The arguments are its path or URL, its unchanged body, and the values of the
        headers X-Signature and X-KeyId; None for an absent header. Answer the webhook with the result's
        `http_status`. An error of the webhook is in the result's `error`, and is not raised."""
    async def receive_request(self, path: str, body: bytes, headers: _Headers) -> Received:
        """Like `receive`, with a request's headers in any framework's type, as in
        `WebhookVerifier.verify_request`."""
    async def settle(self, limit: int = 100) -> Settled:
        """Asks the service about at most `limit` attempts that are due, and retries unanswered confirms and
        cancels. Call it from cron or in a loop; several workers may share the work. Returns the number of
        processed attempts, and the seconds until the next attempt is due. The error of a failed call is in
        the entry's `error`; the call is retried later.

        Raises StorageError if the journal failed, CallCancelledError if the client was interrupted."""
    async def wait(self, reference: str, *, timeout: float, until: _Until = "credentials") -> Entry:
        """Waits until the last attempt of a reference has reached `until` (an Until) or `timeout` seconds are
        over, and returns the attempt's entry. During the wait it asks the service about the attempt.

        Raises InvalidArgumentError if there is no such reference, StorageError if the journal failed,
        CallCancelledError if the client was interrupted. Ctrl-C ends the wait between two calls to the
        service."""
    async def find(self, reference: str) -> Entry | None:
        """Finds the entry of a reference, with its earlier attempts; None if there is no such reference. Raises
        StorageError if the journal failed."""
    async def news(self, limit: int = 100, *, claim: float = 60.0) -> _Entries:
        """Returns at most `limit` entries whose level is above the acknowledged level, the oldest first. Act on
        a payment only when `news` returns its entry. `news` claims each entry for `claim` seconds, a minute
        unless given, so that concurrent workers get different entries. If an entry is not acknowledged within
        this time, `news` returns it again. Raises StorageError if the journal failed."""
    async def acknowledge(self, entry: Entry, connection: Any = None) -> bool:
        """Records that the merchant has acted on this entry's level; `news` reports later changes again.
        Returns True if this call acknowledged the entry: of two workers only one gets True.

        `connection` is a merchant's own connection to the journal's database; the acknowledgement becomes
        part of the connection's transaction. Call `acknowledge` first in the transaction: then the
        transaction's other work is done exactly once. If another worker has acknowledged the entry,
        `acknowledge` raises ConflictError: roll back. Keep the transaction short, and use the isolation level
        READ COMMITTED.

        Raises StorageError if the journal failed."""
    async def acknowledge_by(self, reference: str, attempt: int, level: _Level, connection: Any = None) -> bool:
        """Acknowledges the attempt with this reference and number, for a caller that has no Entry. `level` is
        the level on which the caller has acted; `news` still reports a higher level. `connection` and the
        result are as for `acknowledge`.

        Raises InvalidArgumentError if there is no such attempt, or if the level is "none" or above the
        reported level; StorageError if the journal failed."""
    async def stats(self) -> Stats:
        """Counts the journal's attempts. Above a thousand attempts the number of final ones is an estimate, so
        that the cost does not grow. Raises StorageError if the journal failed."""
    async def purge(self, before: datetime) -> int:
        """Deletes the details of finished attempts and seen orphans that were last written before `before`, a
        datetime with a time zone. Reference, attempt, standing, order id and token stay for ever. Returns the
        number of attempts and orphans whose details it deleted.

        Raises InvalidArgumentError for a time without a zone or before 1970, StorageError if the journal failed."""
    async def forget(self, reference: str) -> int:
        """Deletes the details of all attempts of a reference, and of their orphans. Use it when a customer asks
        for erasure. Returns the number of attempts and orphans that had details.

        Raises InvalidArgumentError if there is no such reference, or if one of its attempts or orphans is not
        finished; StorageError if the journal failed."""
    def export_lines(self) -> AsyncIterator[str]:
        """Returns an iterator over each attempt and each orphan, as lines for `import_line`. Pause the journal
        first. The iterator raises StorageError if the journal failed, and then ends."""
    async def import_line(self, line: str) -> bool:
        """Stores the attempt or orphan of an export's line, and marks it as restored. Returns False if the
        journal already has that attempt or orphan.

        Raises InvalidArgumentError if `line` is not a line of an export, or belongs to a different account;
        StorageError if the journal failed."""
    async def pause(self, note: str) -> None:
        """Stops `pay` and `news` in every process that uses the journal, until `resume`: they raise a
        StorageError that is transient. Returns when no payment call is running; for the call of a killed
        process it waits until the call's deadline. The note, of 1 to 500 characters, names the operator and
        the reason.

        Raises StorageError if the journal failed, CallCancelledError if the client was interrupted. After
        CallCancelledError the journal is paused, but payment calls can still be running."""
    async def resume(self, note: str) -> None:
        """Ends a pause, and stores the operator's note. Raises StorageError if the journal failed."""
    async def backup(self, file: _Path) -> None:
        """Copies a journal's file to a new file at an absolute path, also while other processes use the journal.
        The copy is paused, and its rows are marked as restored.

        Raises InvalidArgumentError if the journal is in a database or the path is relative; StorageError if
        the copy cannot be written, also if the new file exists already."""
    async def attention(self, limit: int = 100) -> _Items:
        """Lists the items about which an operator must decide: at most `limit` entries with their reasons in
        `attention`, at most `limit` orphans (messages that match no attempt), and a ServerChange, if another
        database server answers. Raises StorageError if the journal failed."""
    async def resolve(
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
    async def list(self, standing: _Standing | None = None, *, limit: int = 100, before: Entry | None = None) -> _Entries:
        """Lists at most `limit` entries, of one standing (a Standing) or of all, the newest first, without their
        earlier attempts. With `before` (an entry), the list has only older entries than that one. Raises
        StorageError if the journal failed."""
    async def close(self) -> None:
        """Closes the file, or the idle connections to the database, after the running calls have ended. The
        client stays open. The journal refuses later calls. `close` can be called twice."""
    @property
    def closed(self) -> bool:
        """True if the journal was closed."""
    async def __aenter__(self) -> Self: ...
    async def __aexit__(self, kind: type[BaseException] | None, error: BaseException | None, traceback: TracebackType | None) -> None: ...
    def __reduce_ex__(self, protocol: SupportsIndex) -> NoReturn: ...
