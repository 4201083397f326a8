"""The client and the journal for asyncio: the methods of `Client` and `Journal` as coroutines."""

from __future__ import annotations

import time
from typing import Generic, TypeVar

from ._calls import Calls
from ._client import Client
from ._generated.async_methods import AsyncJournalMethods, AsyncOperations
from ._generated.settings import AsyncClientSettings, AsyncJournalSettings
from ._journal import Journal
from ._native import StatusWait
from ._owner import NotCopied, Owner

TYPE_CHECKING = False
if TYPE_CHECKING:
    from collections.abc import Callable
    from types import TracebackType
    from typing import Any

    from typing_extensions import Self

    from ._entry import Entry
    from ._generated.types import Settings, Signer, UntilName, Variables
    from ._results import Payment
    from ._webhooks import WebhookVerifier

    R = TypeVar("R")

Owned = TypeVar("Owned", bound=Owner)
# The last query of `AsyncJournal.wait` waits for a free thread at least for this time, in seconds.
_LEAST_PATIENCE = 0.25


class AsyncOwner(NotCopied, Generic[Owned]):
    """A client or journal for asyncio: the blocking one that it owns, and the threads of its calls."""

    _calls: Calls
    _owned: Owned
    # A derived client shares the threads of another.
    _is_derived = False

    @property
    def closed(self) -> bool:
        """True if it was closed."""
        return self._owned.closed

    async def close(self) -> None:
        """Closes it after the running calls have ended, and ends all threads. `close` can be called twice."""
        try:
            if not self._is_derived:
                await self._calls.close()
        finally:
            self._owned.close()

    async def __aenter__(self) -> Self:
        self._owned.__enter__()
        return self

    async def __aexit__(self, kind: type[BaseException] | None, error: BaseException | None, traceback: TracebackType | None) -> None:
        await self.close()

    def __repr__(self) -> str:
        # `_owned` is missing if the constructor failed, and a debugger can show such an object.
        return f"Async{self._owned!r}" if "_owned" in self.__dict__ else f"{type(self).__name__}(not made)"


class AsyncClient(AsyncClientSettings, AsyncOperations, AsyncOwner[Client]):
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

    def _open(self, settings: Settings, variables: Variables | None, signer: Signer | None, max_calls: int) -> None:
        self._calls = Calls("AsyncClient", max_calls)
        client = Client.__new__(Client)
        try:
            client._open(settings, variables, signer)
        finally:
            # An error report can show the variables of stack frames. These have the private key.
            del settings, variables
        self._owned = client

    def derive(self, *, timeout: float | None = None) -> AsyncClient:
        """Makes a derived client, as `Client.derive` does. It shares the threads of this client."""
        derived = AsyncClient.__new__(AsyncClient)
        derived._calls = self._calls
        derived._owned = self._owned.derive(timeout=timeout)
        derived._is_derived = True
        return derived

    async def _run(self, method: Callable[..., R], timeout: float | None, **arguments: object) -> R:
        call = self._owned.derive(timeout=timeout)
        return await self._calls.run(lambda left: method(call, **arguments, timeout=left), call.interrupt, call.timeout)

    async def connect(self, *, timeout: float | None = None) -> None:
        """Opens a connection for the next call, as `Client.connect` does."""
        await self._run(Client.connect, timeout)

    async def wait(self, order_id: str, *, timeout: float | None = None) -> Payment:
        """Calls `get_status` until the status is final, as `Client.wait` does. It uses a thread only during its
        queries."""
        self._owned._handle.check()
        waiting = StatusWait(order_id, timeout)
        pause = 0.0
        while True:
            await self._calls.pause(pause, lambda: waiting.check(self._owned._handle), order_id)
            asking = self._owned.derive()
            patience = waiting.patience(asking._handle)
            answer = await self._calls.run(lambda _, asking=asking: waiting.ask(asking._handle), asking.interrupt, patience, order_id)  # type: ignore[misc]
            if not isinstance(answer, float):
                payment: Payment = answer
                return payment
            pause = answer

    def interrupt(self) -> None:
        """Ends the running calls, as `Client.interrupt` does."""
        self._owned.interrupt()

    def webhook_verifier(self) -> WebhookVerifier:
        """A `WebhookVerifier` with the service's keys and key ids from this client."""
        return self._owned.webhook_verifier()

    @property
    def timeout(self) -> float:
        """The deadline of a whole call, in seconds."""
        return self._owned.timeout


class AsyncJournal(AsyncJournalSettings, AsyncJournalMethods, AsyncOwner[Journal]):
    """`Journal` for asyncio, with the same settings and methods. The methods are coroutines.

    The constructor opens the file or the database, and blocks meanwhile: call it when the program starts. The
    journal's calls run on its own threads, at most `max_calls`; statements wait for one of the `connections`.
    Cancelled tasks, event loops, processes and `close` behave as in `AsyncClient`; the result of a cancelled call
    is still stored.
    """

    def _open(self, client: AsyncClient, settings: Settings, max_calls: int) -> None:
        if not isinstance(client, AsyncClient):
            raise TypeError(f"client must be AsyncClient, not {type(client).__name__}")
        self._calls = Calls("AsyncJournal", max_calls)
        self._owned = Journal.__new__(Journal)
        self._owned._open(client._owned, settings)
        timeout = settings["timeout"]
        self._timeout = timeout if isinstance(timeout, (int, float)) else 30.0

    async def _run(self, method: Callable[..., Any], *arguments: object, **settings: object) -> Any:
        return await self._run_within(self._timeout, lambda call: method(call, *arguments, **settings))

    async def _run_within(self, patience: float, work: Callable[[Journal], Any]) -> Any:
        call = self._owned._derive()
        return await self._calls.run(lambda _: work(call), call._handle.interrupt, patience)

    async def wait(self, reference: str, *, timeout: float, until: UntilName = "credentials") -> Entry:
        """Waits as `Journal.wait` does, with a thread only during its calls."""
        started, left = time.monotonic(), timeout
        while True:
            # The step itself refuses a timeout of another type.
            patience = min(self._timeout, max(left, _LEAST_PATIENCE)) if isinstance(left, (int, float)) else self._timeout
            answer = await self._run_within(patience, lambda call, left=left: call._handle.step(75, reference, until, left))  # type: ignore[misc]
            if not isinstance(answer, float):
                entry: Entry = answer
                return entry
            await self._calls.pause(answer, lambda: None)
            left = max(0.0, timeout - (time.monotonic() - started))


for _class in (AsyncClient, AsyncJournal):
    _class.__module__ = "merchantpay"
del _class
