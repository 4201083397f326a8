# The types of `_async`. The docstrings of methods that `Client` and `Journal` have are generated from theirs.

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
    """`Client` for asyncio: the same settings and methods, to await.

    Each call runs on a thread of the client's own; no other pool can hold it up. `max_calls` is the largest number of threads.
    A further call waits for a thread within its deadline and then fails with `timeout`, `not_sent`.

    Cancelling a task interrupts its call. `asyncio.CancelledError` is raised when the call has ended, and `outcome_of` returns
    the call's outcome.

    A client belongs to the event loop of its first call and to its process. `close`, or `async with`, lets the calls that run
    end and leaves no thread. `wait` needs a thread only for its questions.
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
    async def confirm(self, order_id: str, *, timeout: float | None = None) -> Payment:
        """`POST /confirm` (contract, section 4.4): the customer has paid, which starts the check of the payment. Sent
        once.

        - order_id: the service's identifier of the payment.
        - timeout: seconds for this call, in place of the client's.

        With the outcome "unknown" ask `get_status`, again until the status moves: one that has not moved does not say
        whether this arrived."""
    async def cancel(self, order_id: str, *, timeout: float | None = None) -> Payment:
        """`POST /cancel` (contract, section 4.5): cancels a payment; refused where its state does not allow it. Sent
        once.

        - order_id: the service's identifier of the payment.
        - timeout: seconds for this call, in place of the client's.

        Raises RejectedError with the reason "payment_could_not_be_canceled" where the payment's state does not allow
        it. With the outcome "unknown" ask `get_status`."""
    async def get_status(self, order_id: str, *, timeout: float | None = None) -> Payment:
        """`POST /status` (contract, section 4.6): the payment as it is now. May be repeated by the library.

        - order_id: the service's identifier of the payment.
        - timeout: seconds for this call, in place of the client's."""
    async def attach_receipt(self, order_id: str, files: Sequence[_File], *, timeout: float | None = None) -> Payment:
        """`POST /receipt/attach` (contract, section 4.7): attaches receipts to a payment in arbitration: PDF, JPEG or
        PNG. Sent once.

        - order_id: the service's identifier of the payment.
        - files: paths, or tuples of a file name, the file's bytes and its content type. PDF, JPEG and PNG are taken;
          the type of a path is read from its extension or the file's first bytes. Files on disk are read now.
        - timeout: seconds for this call, in place of the client's.

        With the outcome "unknown" ask `get_status`."""
    # generated: end
    async def connect(self, *, timeout: float | None = None) -> None:
        """Opens a connection for the next call, before the customer is ready: that call then costs one round
        trip. It may wait for its first request as long as `connect_idle` says. Each call of this opens one.
        Its failure is always of the outcome "not_sent"."""
    def derive(self, *, timeout: float | None = None) -> Self:
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
    async def wait(self, order_id: str, *, timeout: float | None = None) -> Payment:
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
    async def close(self) -> None:
        """Closes the connections once the calls that are under way have ended, and lets go of the signer. Any
        later call is refused, and so is the next question of a `wait`. May be called twice."""
    @property
    def closed(self) -> bool:
        """Whether the client was closed."""
    async def __aenter__(self) -> Self: ...
    async def __aexit__(self, kind: type[BaseException] | None, error: BaseException | None, traceback: TracebackType | None) -> None: ...
    def __reduce_ex__(self, protocol: SupportsIndex) -> NoReturn: ...

class AsyncJournal:
    """`Journal` for asyncio: the same settings and methods, to await.

    It opens its file or database when it is made, which blocks: make it when the program starts. Its calls run on threads of its
    own, at most `max_calls`; over a database each running call has a connection. What `AsyncClient` promises of cancelled tasks,
    event loops, processes and `close` holds here too; a cancelled call still stores what its end reports.

    `acknowledge` with a connection runs its statement on another thread: use the connection for nothing else meanwhile.
    """
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
        calls_at_once: int = 4,
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
    async def confirm(self, entry: Entry) -> Entry:
        """Reports to the service that the customer has paid this attempt, and returns it as it is then. It is stored
        first, and `settle` retries it while its outcome is unknown; the entry's `confirm` has its state.

        Raises InvalidArgumentError for an attempt whose order id is not known, StorageError if the journal failed."""
    async def cancel(self, entry: Entry) -> Entry:
        """Cancels this attempt, and returns it as it is then. Its credentials are not shown from now on. Once its
        `cancel` is "accepted" it can be replaced. Raises as `confirm`."""
    async def confirm_by(self, reference: str, attempt: int) -> Entry:
        """Confirms an attempt by value, for a caller that keeps no entry: as `confirm`. Raises InvalidArgumentError also if
        there is no such attempt."""
    async def cancel_by(self, reference: str, attempt: int) -> Entry:
        """Cancels an attempt by value, for a caller that keeps no entry: as `cancel`. Raises as `confirm_by`."""
    async def receive(self, path: str, body: bytes, signature: str | None, key_id: str | None = None) -> Received:
        """Takes a webhook: its path or URL, its body exactly as it came, and the texts of the headers X-Signature and
        X-KeyId, or None. Answer with the `http_status` of what it returns; what is wrong with the webhook is not
        raised."""
    async def receive_request(self, path: str, body: bytes, headers: _Headers) -> Received:
        """The same from a request's headers, in whatever form the framework keeps them, as
        `WebhookVerifier.verify_request` takes them."""
    async def settle(self, limit: int = 100) -> Settled:
        """Asks the service about at most `limit` attempts that are due, and retries unanswered confirms and cancels. Call
        it from cron or in a loop; several may share the work. Returns how many it looked at, and in how many seconds
        the next is due. A call that fails is the entry's own `error`, and asked again later.

        Raises StorageError if the journal failed, CallCancelledError if the client was interrupted."""
    async def wait(self, reference: str, *, timeout: float, until: _Until = "credentials") -> Entry:
        """Waits for the last attempt of a reference until it has come so far (`until` is an Until), asks the service
        about it meanwhile, and returns it as it is when that is reached or `timeout` seconds are over.

        Raises InvalidArgumentError if there is no such reference, StorageError if the journal failed,
        CallCancelledError if the client was interrupted. Between its calls Ctrl-C ends it."""
    async def find(self, reference: str) -> Entry | None:
        """The entry of a reference, with the attempts before it; None where there is no such reference. Raises
        StorageError if the journal failed."""
    async def news(self, limit: int = 100, *, claim: float = 60.0) -> _Entries:
        """At most `limit` entries whose level is above what was acknowledged, the oldest first: the one place to act.
        Each is this caller's for `claim` seconds, a minute unless given, so that several workers do not get the same;
        one that is not acknowledged comes again. Raises StorageError if the journal failed."""
    async def acknowledge(self, entry: Entry, connection: Any = None) -> bool:
        """Reports that the merchant has acted on this entry's level; later changes are reported again. Returns
        whether there was anything to acknowledge: of two workers it is True for one.

        With `connection`, one of the merchant's own to the journal's database, it is part of the transaction on it.
        Called first of all in that transaction, what is done in it is done exactly once: where there was nothing to
        acknowledge it raises ConflictError, and the transaction is to be rolled back. Keep it short, and READ
        COMMITTED.

        Raises StorageError if the journal failed."""
    async def acknowledge_by(self, reference: str, attempt: int, level: _Level, connection: Any = None) -> bool:
        """Acknowledges an attempt by value, for a caller that keeps no entry: `level` is the `reported` that was read and
        acted on. What was reported after that level stays in the news. `connection` and what it returns are as for
        `acknowledge`.

        Raises InvalidArgumentError if there is no such attempt, and for a level that is "none" or above what is
        reported; StorageError if the journal failed."""
    async def stats(self) -> Stats:
        """Counts the attempts that are not final, and estimates the number of final ones if there are more than a thousand
        attempts: the cost is the same for any number. Raises StorageError if the journal failed."""
    async def purge(self, before: datetime) -> int:
        """Deletes the details of attempts and messages that were last written before a time, an aware datetime, and of which
        nothing more is expected. Reference, attempt, standing, order id and token stay for ever. Returns how many it emptied.

        Raises InvalidArgumentError for a time without a zone or before 1970, StorageError if the journal failed."""
    async def forget(self, reference: str) -> int:
        """Deletes the details of all attempts of a reference, and of the messages that came for them. It serves a customer who
        asks for it. Returns how many had details.

        Raises InvalidArgumentError if there is no such reference, or if something is still expected of it; StorageError if
        the journal failed."""
    def export_lines(self) -> AsyncIterator[str]:
        """Returns an iterator over each attempt and each orphan, as lines for `import_line`. Pause the journal first. The
        iterator raises StorageError if the journal failed, and has ended then."""
    async def import_line(self, line: str) -> bool:
        """Stores a line of an export, and marks it as restored. Returns False if the journal already has that attempt or orphan.

        Raises InvalidArgumentError for another text, or for an attempt of another account; StorageError if the journal
        failed."""
    async def pause(self, note: str) -> None:
        """Stops `pay` and `news` in every process that uses the journal, until `resume`: they raise a StorageError that is
        transient. Returns when no call that makes a payment runs any more; the call of a killed process counts until its
        deadline. The note, of 1 to 500 characters, names the operator and the reason.

        Raises StorageError if the journal failed, CallCancelledError if the client was interrupted: the journal is paused
        then, and calls may still run."""
    async def resume(self, note: str) -> None:
        """Ends a pause, and keeps the note. Raises StorageError if the journal failed."""
    async def backup(self, file: _Path) -> None:
        """Copies a journal in a file into a new file at an absolute path, while the journal is in use. The copy is paused, and
        its rows are marked as restored.

        Raises InvalidArgumentError if the journal is in a database or the path is relative; StorageError if the copy cannot
        be written, also if the file exists."""
    async def attention(self, limit: int = 100) -> _Items:
        """The items that an operator must decide, over all attempts: at most `limit` entries with their reasons in `attention`, as
        many orphans (messages that match no attempt), and a ServerChange, if another database server answers. Raises
        StorageError if the journal failed."""
    async def resolve(
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
    async def list(self, standing: _Standing | None = None, *, limit: int = 100, before: Entry | None = None) -> _Entries:
        """At most `limit` entries, of one standing (a Standing) or of all, the newest first, without the attempts
        before them; only those behind the entry `before` in that order. Raises StorageError if the journal failed."""
    async def close(self) -> None:
        """Closes the file, or the connections to the database that are idle, once the calls that are under way have
        ended. The client stays open. Any later call is refused. May be called twice."""
    @property
    def closed(self) -> bool:
        """Whether the journal was closed."""
    async def __aenter__(self) -> Self: ...
    async def __aexit__(self, kind: type[BaseException] | None, error: BaseException | None, traceback: TracebackType | None) -> None: ...
    def __reduce_ex__(self, protocol: SupportsIndex) -> NoReturn: ...
