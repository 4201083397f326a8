"""Calls for asyncio: each call runs on a thread, and cancelling the call's task interrupts the call."""

from __future__ import annotations

import asyncio
import contextvars
import os
import time
from concurrent.futures import Future, ThreadPoolExecutor
from functools import partial

from ._errors import Error
from ._generated.error_classes import CallCancelledError, RequestTimeoutError
from ._generated.words import Outcome
from ._owner import refused

TYPE_CHECKING = False
if TYPE_CHECKING:
    from collections.abc import Callable
    from typing import Any, TypeVar

    _Result = TypeVar("_Result")

# The longest time, in seconds, for which a pause delays a `close` or an interruption; as in the native half.
_SLICE = 0.05


class Calls:
    """Runs the calls of one client or journal, for the event loop of the first call."""

    def __init__(self, owner: str, max_calls: int) -> None:
        if not isinstance(max_calls, int) or isinstance(max_calls, bool):
            raise TypeError(f"max_calls must be int, not {type(max_calls).__name__}")
        if max_calls < 1:
            raise refused("max_calls must be at least 1")
        self._owner = owner
        self._max_calls = max_calls
        self._process = os.getpid()
        self._loop: asyncio.AbstractEventLoop | None = None
        self._is_closed = False
        self._ends: set[asyncio.Future[None]] = set()
        # A separate pool, so that no other work of the program can use its threads.
        self._threads = ThreadPoolExecutor(max_calls, thread_name_prefix="merchantpay")

    async def run(
        self, work: Callable[[float], _Result], interrupt: Callable[[], None], patience: float, order_id: str | None = None
    ) -> _Result:
        """Runs `work` on a thread. The argument of `work` is the remaining part of `patience` in seconds. A
        cancellation of the task interrupts `work`. The `CancelledError` is raised after `work` has ended, and
        its cause is the error of `work`.
        """
        loop = self._enter()
        deadline = time.monotonic() + patience

        def call() -> _Result:
            left = deadline - time.monotonic()
            if left <= 0:
                raise self._no_thread(order_id)
            return work(left)

        job = self._start(partial(contextvars.copy_context().run, call))
        end = loop.create_future()
        self._ends.add(end)
        job.add_done_callback(partial(_schedule_end, loop, end))
        # A running call has its own deadline. So this cancels only a call that still waits for a thread.
        timer = loop.call_later(patience, job.cancel)
        cancelled = None
        try:
            while not end.done():
                try:
                    await asyncio.shield(end)
                except asyncio.CancelledError as error:
                    if cancelled is None:
                        cancelled = error
                        _stop(job, interrupt)
        except BaseException:
            # The event loop has dropped the task, so the call is stopped too.
            _stop(job, interrupt)
            raise
        finally:
            timer.cancel()
            self._ends.discard(end)
        try:
            if cancelled is not None:
                raise cancelled from _error_of_cancelled(job)
            if job.cancelled():
                raise self._closed() if self._is_closed else self._no_thread(order_id)
            return job.result()
        finally:
            # Without this, the exception and its frame would refer to each other, and both would stay in
            # memory.
            del cancelled, job

    async def pause(self, seconds: float, check: Callable[[], None], order_id: str | None = None) -> None:
        """Sleeps without a thread. `check` raises an error to end the pause."""
        end = time.monotonic() + seconds
        while (left := end - time.monotonic()) > 0:
            try:
                await asyncio.sleep(min(left, _SLICE))
            except asyncio.CancelledError as error:
                raise error from CallCancelledError("the task was cancelled", outcome="unknown", order_id=order_id)
            check()

    async def close(self) -> None:
        """Waits for the running calls, refuses all others, and returns when no thread is left."""
        if self._process != os.getpid():
            return
        self._is_closed = True
        self._threads.shutdown(wait=False, cancel_futures=True)
        if self._ends:
            await asyncio.wait(self._ends)
        # No call runs any more, so each thread ends at once.
        self._threads.shutdown()

    def _start(self, call: Callable[[], _Result]) -> Future[_Result]:
        # If no thread can be started, `submit` raises after it has queued the work, and a running thread would take
        # the work later. So the call has a future of its own, which can be cancelled then.
        job: Future[_Result] = Future()
        try:
            queued = self._threads.submit(_run, job, call)
            queued.add_done_callback(lambda queued: queued.cancelled() and job.cancel())
        except RuntimeError:
            if job.cancel():
                raise self._no_thread(why="the system could start no thread") from None
        return job

    def _enter(self) -> asyncio.AbstractEventLoop:
        if self._process != os.getpid():
            raise refused(f"the {self._owner} was created before a fork: create one in each process")
        if self._is_closed:
            raise self._closed()
        try:
            loop = asyncio.get_running_loop()
        except RuntimeError:
            raise refused(f"{self._owner} needs a running event loop of asyncio; trio is not supported") from None
        if self._loop is None:
            self._loop = loop
        if self._loop is not loop:
            raise refused(f"the {self._owner} belongs to another event loop: create one for each event loop")
        return loop

    def _closed(self) -> Error:
        return refused(f"the {self._owner} is closed")

    def _no_thread(self, order_id: str | None = None, why: str = "no thread became free within the call's deadline") -> Error:
        return RequestTimeoutError(f"{why}: max_calls is {self._max_calls}", outcome="not_sent", order_id=order_id)


def outcome_of(error: BaseException) -> Outcome | None:
    """Returns whether a failed call may have taken effect; None if the error does not come from a call of
    this library.

    `error` is an `Error`, the `CancelledError` of a task that was cancelled within a call, or the
    `TimeoutError` that `asyncio.timeout` and `asyncio.wait_for` raise after such a `CancelledError`.
    `asyncio.gather(…, return_exceptions=True)` replaces a `CancelledError` by a new one without the outcome:
    await the task itself.
    """
    followed: BaseException | None = error
    while followed is not None and not isinstance(followed, Error):
        # In Python 3.9 and 3.10, code that awaits the task gets a second CancelledError. The first
        # CancelledError is the context of the second.
        context = followed.__context__
        followed = followed.__cause__ or (context if isinstance(context, asyncio.CancelledError) else None)
    return None if followed is None else followed.outcome


def _run(job: Future[Any], call: Callable[[], Any]) -> None:
    if not job.set_running_or_notify_cancel():
        return
    try:
        job.set_result(call())
    except BaseException as error:
        job.set_exception(error)


def _schedule_end(loop: asyncio.AbstractEventLoop, end: asyncio.Future[None], job: Future[Any]) -> None:
    try:
        loop.call_soon_threadsafe(_end, end)
    except RuntimeError:
        pass  # The event loop was closed, so no code waits for the call any more.


def _end(end: asyncio.Future[None]) -> None:
    if not end.done():
        end.set_result(None)


def _stop(job: Future[Any], interrupt: Callable[[], None]) -> None:
    if not job.cancel():
        interrupt()


def _error_of_cancelled(job: Future[Any]) -> BaseException:
    if job.cancelled():
        return CallCancelledError("the task was cancelled before a thread could run the call", outcome="not_sent")
    error = job.exception()
    if error is not None:
        return error
    order_id = getattr(job.result(), "order_id", None)
    return CallCancelledError("the task was cancelled after the call had succeeded", outcome="unknown", order_id=order_id)
