"""The client and the journal for asyncio: the methods of `Client` and `Journal` as coroutines. The types are
in `_async.pyi`."""

from __future__ import annotations

import inspect
import time

from ._calls import Calls
from ._merchantpay import Client, Journal, _StatusWait

_CLIENT = ("get_available_amounts", "new_payment", "new_payment_async", "confirm", "cancel", "get_status", "attach_receipt", "connect")
_JOURNAL = ("pay", "pay_async", "replace", "confirm", "cancel", "receive", "receive_request", "settle", "find", "list", "news",
            "acknowledge", "attention", "resolve", "stats")  # fmt: skip

# The last query of `AsyncJournal.wait` waits for a free thread at least for this time, in seconds.
_LEAST_PATIENCE = 0.25


def _like(model):
    """Copies the name, the arguments and the documentation of `model` to a method."""

    def apply(method):
        method.__name__ = model.__name__
        method.__qualname__ = f"Async{model.__qualname__}"
        method.__doc__ = model.__doc__
        method.__signature__ = inspect.signature(model)
        return method

    return apply


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

    def __init__(self, *arguments, max_calls=64, **settings):
        self._calls = Calls("AsyncClient", max_calls)
        try:
            self._client = Client(*arguments, **settings)
        finally:
            del arguments, settings  # An error report can show the variables of stack frames. These two contain the private key.
        self._is_derived = False

    def from_env(cls, *, max_calls=64, **overrides):
        made = cls.__new__(cls)
        made._calls = Calls("AsyncClient", max_calls)
        try:
            made._client = Client.from_env(**overrides)
        finally:
            del overrides
        made._is_derived = False
        return made

    from_env.__doc__ = Client.from_env.__doc__
    from_env = classmethod(from_env)

    def derive(self, *, timeout=None):
        derived = type(self).__new__(type(self))
        derived._calls = self._calls
        derived._client = self._client.derive(timeout=timeout)
        derived._is_derived = True
        return derived

    async def _run(self, method, arguments, timeout):
        call = self._client.derive(timeout=timeout)
        return await self._calls.run(lambda left: method(call, *arguments, timeout=left), call.interrupt, call.timeout)

    async def wait(self, order_id, *, timeout=None):
        waiting = _StatusWait(self._client, order_id, timeout)
        pause = 0.0
        while True:
            await self._calls.pause(pause, lambda: waiting.check(self._client), order_id)
            asking = self._client.derive()
            patience = waiting.patience(asking)
            pause = await self._calls.run(lambda _, asking=asking: waiting.ask(asking), asking.interrupt, patience, order_id)
            if not isinstance(pause, float):
                return pause

    def interrupt(self):
        self._client.interrupt()

    def webhook_verifier(self):
        return self._client.webhook_verifier()

    timeout = property(lambda self: self._client.timeout, doc=Client.timeout.__doc__)
    closed = property(lambda self: self._client.closed, doc=Client.closed.__doc__)

    async def close(self):
        try:
            if not self._is_derived:
                await self._calls.close()
        finally:
            self._client.close()

    async def __aenter__(self):
        self._client.__enter__()
        return self

    async def __aexit__(self, kind, error, traceback):
        await self.close()

    def __repr__(self):
        # `_client` is missing if the constructor failed, and a debugger can show such a client.
        return f"Async{self._client!r}" if hasattr(self, "_client") else "AsyncClient(not made)"

    def __reduce_ex__(self, protocol):
        raise TypeError("an AsyncClient cannot be pickled or copied: create a new one where you need it")


class AsyncJournal:
    """`Journal` for asyncio, with the same settings and methods. The methods are coroutines.

    The constructor opens the file or the database, and blocks meanwhile: call it when the program starts. The
    journal's calls run on its own threads, at most `max_calls`; statements wait for one of the `connections`.
    Cancelled tasks, event loops, processes and `close` behave as in `AsyncClient`; the result of a cancelled call
    is still stored.
    """

    def __init__(self, client, place, *, max_calls=64, **settings):
        if not isinstance(client, AsyncClient):
            raise TypeError(f"client must be AsyncClient, not {type(client).__name__}")
        self._calls = Calls("AsyncJournal", max_calls)
        self._journal = Journal(client._client, place, **settings)
        self._timeout = settings.get("timeout") or 30.0

    async def _run(self, method, arguments, settings, timeout):
        call = self._journal._derive()
        return await self._calls.run(lambda _: method(call, *arguments, **settings), call._interrupt, timeout)

    async def wait(self, reference, *, timeout, until="credentials"):
        started, left = time.monotonic(), timeout
        while True:
            # `_look` itself refuses a timeout of another type.
            patience = min(self._timeout, max(left, _LEAST_PATIENCE)) if isinstance(left, (int, float)) else self._timeout
            looked = await self._run(Journal._look, (reference, left, until), {}, patience)
            if not isinstance(looked, float):
                return looked
            await self._calls.pause(looked, lambda: None)
            left = max(0.0, timeout - (time.monotonic() - started))

    closed = property(lambda self: self._journal.closed, doc=Journal.closed.__doc__)

    async def close(self):
        try:
            await self._calls.close()
        finally:
            self._journal.close()

    async def __aenter__(self):
        self._journal.__enter__()
        return self

    async def __aexit__(self, kind, error, traceback):
        await self.close()

    def __repr__(self):
        return f"Async{self._journal!r}" if hasattr(self, "_journal") else "AsyncJournal(not made)"

    def __reduce_ex__(self, protocol):
        raise TypeError("an AsyncJournal cannot be pickled or copied: create a new one where you need it")


def _client_call(model):
    @_like(model)
    async def method(self, *arguments, timeout=None, **settings):
        def operation(call, *arguments, timeout):
            return model(call, *arguments, timeout=timeout, **settings)

        return await self._run(operation, arguments, timeout)

    return method


def _journal_call(model):
    @_like(model)
    async def method(self, *arguments, **settings):
        return await self._run(model, arguments, settings, self._timeout)

    return method


for _name in _CLIENT:
    setattr(AsyncClient, _name, _client_call(getattr(Client, _name)))
for _name in _JOURNAL:
    setattr(AsyncJournal, _name, _journal_call(getattr(Journal, _name)))
for _method, _model in (
    (AsyncClient.derive, Client.derive),
    (AsyncClient.wait, Client.wait),
    (AsyncClient.interrupt, Client.interrupt),
    (AsyncClient.webhook_verifier, Client.webhook_verifier),
    (AsyncClient.close, Client.close),
    (AsyncJournal.wait, Journal.wait),
    (AsyncJournal.close, Journal.close),
):
    _like(_model)(_method)
del _name, _method, _model
for _class in (AsyncClient, AsyncJournal):
    _class.__module__ = "merchantpay"
