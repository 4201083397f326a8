"""Tests calls for asyncio: threads, cancelled tasks, and refusals. Other tests, without asyncio, test the
effects of the calls."""

import asyncio
import contextlib
import logging
import subprocess
import sys
import threading

import merchantpay
import pytest
from conftest import Reply, run_sandbox
from own_sandbox import CALLBACK, Control, until
from test_deadlines import CALLS, NEW, OK

# The longest time, in seconds, that a test waits for an event. If the code is correct, the event comes earlier.
PATIENCE = 30


def threads():
    return [thread for thread in threading.enumerate() if thread.name.startswith("merchantpay")]


def async_client(script, merchant, service, **settings):
    return merchantpay.AsyncClient(script.url, "m", merchant.private_key, service.public_key, **{"timeout": 60, **settings})


async def happened(look):
    """Waits on a thread of asyncio for an event outside the event loop."""
    return await asyncio.get_running_loop().run_in_executor(None, look)


class Slow:
    """A sandbox in which each payment waits for `advance`, with a list of its payments."""

    def __init__(self, settings):
        self._control = Control(settings)
        self.client = merchantpay.AsyncClient.from_env

    def ledger(self):
        return self._control("GET", "/payments?limit=200")["payments"]

    def reached(self, count):
        return until(lambda: len(self.ledger()) == count)

    def advance(self):
        self._control("POST", "/clock", {"advanceMs": 8000})


@pytest.fixture
def slow(monkeypatch):
    with run_sandbox("--clock", "manual") as settings:
        for name, value in settings.items():
            monkeypatch.setenv(name, value)
        yield Slow(settings)


def pay(client, number, **more):
    arguments = {"sum": "1", "payment_method": "sbp", "customer_account": "slow-credentials", "merchant_id": str(number)}
    return client.new_payment(**arguments, timeout=60, **more)


@pytest.mark.parametrize("name", CALLS)
def test_every_operation_is_awaited_and_leaves_no_thread(script, merchant, service, name):
    reply = (
        {"success": True, "orderId": "o-1", "availableAmounts": [1], "otherAmountsPossible": True}
        if name == "get_available_amounts"
        else OK
    )

    async def main():
        async with async_client(script, merchant, service) as client:
            script.answer(Reply(reply, service))
            assert await CALLS[name](client) and threads()
        assert client.closed and threads() == []
        await client.close()

    asyncio.run(main())
    assert len(script.requests) == 1


def test_an_error_is_the_one_of_the_call(script, merchant, service):
    async def main():
        async with async_client(script, merchant, service) as client:
            script.answer(Reply({"success": False, "error": "order not found"}, service))
            with pytest.raises(merchantpay.RejectedError) as refused:
                await client.confirm("o-1")
            assert merchantpay.outcome_of(refused.value) is merchantpay.Outcome.REJECTED
            with pytest.raises(TypeError, match="sum must be"):
                await client.new_payment(sum=1.5, payment_method="sbp", customer_account="1")

    asyncio.run(main())


async def end_of(task):
    try:
        await task
    except BaseException as error:
        return error


def plain(call, _):
    return call


def waited_for(call, seconds):
    return asyncio.wait_for(call, seconds)


async def in_timeout(call, seconds):
    async with getattr(asyncio, "timeout")(seconds):  # noqa: B009 - from 3.11 on
        return await call


WAYS = {"cancel": (plain, asyncio.CancelledError), "wait_for": (waited_for, asyncio.TimeoutError)}
if sys.version_info >= (3, 11):
    WAYS["timeout"] = (in_timeout, TimeoutError)


@pytest.mark.parametrize("way", WAYS)
def test_cancelled_payments_have_their_outcomes_and_the_others_their_results(slow, way):
    wrapped, raised = WAYS[way]

    async def main():
        loop, skipped = asyncio.get_running_loop(), 0
        real = loop.time
        loop.time = lambda: real() + skipped

        def start(numbers, seconds):
            return [asyncio.ensure_future((wrapped if number % 2 else plain)(pay(client, number), seconds)) for number in numbers]

        async def cancel(tasks):
            nonlocal skipped
            if way == "cancel":
                for task in tasks:
                    task.cancel()
            else:
                skipped += 6
            ends = [await end_of(task) for task in tasks]
            assert {type(end) for end in ends} == {raised}
            return {merchantpay.outcome_of(end) for end in ends}

        async with slow.client(max_calls=100) as client:
            sent = start(range(100), 10)
            await happened(lambda: slow.reached(100))
            waiting = start(range(100, 200), 5)
            await asyncio.sleep(0)
            assert await cancel(waiting[1::2]) == {"not_sent"} and await cancel(sent[1::2]) == {"unknown"}
            # The fifty free threads now take the waiting calls.
            await happened(lambda: slow.reached(150))
            assert len(threads()) == 100
            slow.advance()
            paid = await asyncio.gather(*sent[::2], *waiting[::2])
        assert threads() == []
        ledger = {one["merchantId"]: one["orderId"] for one in slow.ledger()}
        # Each payment was made once. The calls that were cancelled while they waited were never sent.
        assert set(ledger) == {str(number) for number in range(200) if number < 100 or number % 2 == 0}
        assert [payment.order_id for payment in paid] == [ledger[str(number)] for number in range(0, 200, 2)]

    asyncio.run(main())


def test_a_question_passes_forty_five_slow_payments(slow):
    async def main():
        async with slow.client() as client:
            payments = [asyncio.ensure_future(pay(client, number)) for number in range(45)]
            await happened(lambda: slow.reached(45))
            order_id = slow.ledger()[0]["orderId"]
            assert (await client.get_status(order_id)).order_id == order_id
            assert not any(payment.done() for payment in payments)
            slow.advance()
            assert len({payment.order_id for payment in await asyncio.gather(*payments)}) == 45

    asyncio.run(main())


def test_a_call_waits_for_a_thread_until_its_deadline(script, merchant, service):
    gate, arrived = threading.Event(), threading.Event()
    script.answer(Reply(OK, service, gate=gate, arrived=arrived))

    async def main():
        async with async_client(script, merchant, service, max_calls=1) as client:
            first = asyncio.ensure_future(client.confirm("o-1"))
            await happened(lambda: arrived.wait(PATIENCE))
            with pytest.raises(merchantpay.RequestTimeoutError, match="max_calls is 1") as late:
                await client.confirm("o-1", timeout=0.1)
            assert (late.value.outcome, late.value.is_transient) == ("not_sent", True)
            with pytest.raises(merchantpay.RequestTimeoutError, match="max_calls is 1") as late:
                await client.wait("o-2", timeout=0)  # Its only query has a shorter deadline than the client's calls.
            assert late.value.order_id == "o-2" and not first.done()
            gate.set()
            assert (await first).order_id == "o-1"

    asyncio.run(main())
    assert len(script.requests) == 1


def test_a_call_for_which_no_thread_starts_is_never_sent(slow, monkeypatch):
    async def main():
        async with slow.client() as client:
            first = asyncio.ensure_future(pay(client, 1))
            await happened(lambda: slow.reached(1))
            with monkeypatch.context() as patch:
                patch.setattr(threading.Thread, "start", no_thread)
                with pytest.raises(merchantpay.RequestTimeoutError) as refused:
                    await pay(client, 2)
            assert refused.value.outcome == "not_sent"
            slow.advance()
            await first
        # The client is closed, so no thread can still send the second payment.
        assert [payment["merchantId"] for payment in slow.ledger()] == ["1"]

    def no_thread(thread):
        raise RuntimeError("can't start new thread")

    asyncio.run(main())


def test_closing_lets_a_running_call_end_and_refuses_one_that_waits(script, merchant, service):
    gate, arrived = threading.Event(), threading.Event()
    script.answer(Reply(OK, service, gate=gate, arrived=arrived))

    async def main():
        client = async_client(script, merchant, service, max_calls=1)
        running, waiting = (asyncio.ensure_future(client.confirm("o-1")) for _ in range(2))
        await happened(lambda: arrived.wait(PATIENCE))
        closing = asyncio.ensure_future(client.close())
        with pytest.raises(merchantpay.InvalidArgumentError, match="is closed"):
            await waiting
        with pytest.raises(merchantpay.InvalidArgumentError, match="is closed"):
            await client.confirm("o-1")
        gate.set()
        assert (await running).order_id == "o-1"
        await closing
        assert threads() == []

    asyncio.run(main())


def test_a_response_that_a_cancelled_task_loses_is_unknown_and_has_its_order(script, merchant, service, caplog):
    came = threading.Event()

    class Handler(logging.Handler):
        def emit(self, record):
            came.set()

    async def main():
        async with async_client(script, merchant, service) as client:
            script.answer(Reply(OK, service))
            task = asyncio.ensure_future(client.new_payment(**NEW))
            await asyncio.sleep(0)
            # The response is accepted before the event loop runs again.
            assert came.wait(PATIENCE)
            task.cancel()
            with pytest.raises(asyncio.CancelledError) as cancelled:
                await task
            assert merchantpay.outcome_of(cancelled.value) == "unknown"

    handler = Handler()
    with caplog.at_level(logging.INFO, "merchantpay"):
        logging.getLogger("merchantpay").addHandler(handler)
        try:
            asyncio.run(main())
        finally:
            logging.getLogger("merchantpay").removeHandler(handler)


def test_an_interruption_ends_calls_and_waits_of_the_derived_client_alone(script, merchant, service):
    async def main():
        async with async_client(script, merchant, service) as client:
            derived = client.derive(timeout=20)
            assert (derived.timeout, client.timeout) == (20, 60)
            script.answer(Reply(OK, service))
            waiting = asyncio.ensure_future(derived.wait("o-1"))
            await happened(lambda: until(lambda: len(script.requests) == 1))
            derived.interrupt()
            with pytest.raises(merchantpay.CallCancelledError):
                await waiting
            await derived.close()
            # On a slow machine the wait may have queried once more, and that request takes one reply.
            for _ in range(2):
                script.answer(Reply(OK, service))
            assert (await client.get_status("o-1")).order_id == "o-1"
            assert client.webhook_verifier()

    asyncio.run(main())


def refused(match):
    return pytest.raises(merchantpay.InvalidArgumentError, match=match)


def test_a_second_event_loop_and_none_are_refused(script, merchant, service):
    client = async_client(script, merchant, service)
    with refused("trio is not supported"), contextlib.closing(client.confirm("o-1")) as call:
        call.send(None)
    script.answer(Reply(OK, service))
    asyncio.run(client.confirm("o-1"))
    with refused("belongs to another event loop"):
        asyncio.run(client.confirm("o-1"))
    asyncio.run(client.close())
    with refused("is closed"):
        asyncio.run(client.confirm("o-1"))


@pytest.mark.parametrize("wrong, kind", [(0, merchantpay.InvalidArgumentError), (True, TypeError), ("8", TypeError)])
def test_a_limit_that_is_none_is_refused(script, merchant, service, wrong, kind):
    with pytest.raises(kind, match="max_calls"):
        async_client(script, merchant, service, max_calls=wrong)


def test_an_exception_of_something_else_has_no_outcome(script, merchant, service):
    async def main():
        task = asyncio.ensure_future(asyncio.get_running_loop().create_future())
        await asyncio.sleep(0)
        task.cancel()
        try:
            raise merchantpay.TransportError("earlier")
        except merchantpay.Error:
            with pytest.raises(asyncio.CancelledError) as cancelled:
                await task
        assert merchantpay.outcome_of(cancelled.value) is None

    asyncio.run(main())
    assert merchantpay.outcome_of(ValueError()) is None


def test_a_journal_takes_a_payment_and_its_news(tmp_path, monkeypatch):
    async def main(settings):
        control = Control(settings)
        async with (
            merchantpay.AsyncClient.from_env(timeout=15) as client,
            merchantpay.AsyncJournal(client, tmp_path / "payments.db", create=True, callback_url=CALLBACK, timeout=15) as journal,
        ):
            entry = await journal.pay("order", **NEW)
            found, listed = await journal.find("order"), await journal.list("open")
            assert {one.order_id for one in (found, *listed)} == {entry.order_id}
            assert (await journal.confirm(entry)).intent_state == "accepted"
            hook = await happened(lambda: control.webhook("order", "status"))
            path, headers = hook["url"].partition("127.0.0.1:9")[2], {"X-Signature": hook["request"]["signature"]}
            assert (await journal.receive_request(path, hook["body"], headers)).http_status == 200
            assert (await journal.receive(path, hook["body"], "AAAA")).http_status == 400
            assert (await journal.receive("\udcff", b"{}", "\udcff", "\udcff")).http_status == 400
            assert (await journal.wait("order", timeout=PATIENCE, until="final")).succeeded
            assert (await journal.settle()).done == 0
            news = await journal.news()
            assert [entry.reference for entry in news] == ["order"] and await journal.acknowledge(news[0])
            assert await journal.attention() == [] and (await journal.stats()).news == 0
            with refused("no such attempt"):
                await journal.wait("another", timeout=0)
        assert journal.closed and threads() == []
        with refused("the journal is closed"):
            await journal.find("order")

    with run_sandbox("--pace", "0") as settings:
        for name, value in settings.items():
            monkeypatch.setenv(name, value)
        asyncio.run(main(settings))


def test_a_cancelled_payment_of_a_journal_is_stored_as_unknown(slow, tmp_path):
    async def main():
        async with slow.client() as client, merchantpay.AsyncJournal(client, tmp_path / "payments.db", create=True) as journal:
            task = asyncio.ensure_future(journal.pay("order", **{**NEW, "customer_account": "slow-credentials"}))
            await happened(lambda: slow.reached(1))
            task.cancel()
            with pytest.raises(asyncio.CancelledError):
                await task
            entry = await journal.find("order")
            assert (entry.standing, entry.error.code, entry.error.outcome) == ("unknown", "cancelled", "unknown")

    asyncio.run(main())


def test_a_wait_of_a_journal_waits_for_a_thread_until_its_own_timeout(slow, tmp_path):
    async def main():
        settings = {"create": True, "timeout": 15, "max_calls": 1}
        async with slow.client() as client, merchantpay.AsyncJournal(client, tmp_path / "payments.db", **settings) as journal:
            first = asyncio.ensure_future(journal.pay("order", **{**NEW, "customer_account": "slow-credentials"}))
            await happened(lambda: slow.reached(1))
            with pytest.raises(merchantpay.RequestTimeoutError, match="max_calls is 1"):
                await journal.wait("order", timeout=0)
            assert not first.done()  # The first call has a deadline of 15 s, so the wait ended before.
            slow.advance()
            assert (await first).standing == "open"

    asyncio.run(main())


FORGOTTEN = """
import asyncio, merchantpay

async def main():
    client = merchantpay.AsyncClient("http://127.0.0.1:1", "m", {0!r}, {1!r})
    try:
        await client.confirm("o-1")
    except merchantpay.TransportError:
        print("refused")
    return client

client = asyncio.run(main())
"""


def test_an_interpreter_ends_with_a_client_that_was_not_closed(merchant, service):
    program = FORGOTTEN.format(merchant.private_key, service.public_key)
    ran = subprocess.run([sys.executable, "-W", "always", "-c", program], capture_output=True, text=True, timeout=60)
    assert (ran.returncode, ran.stdout, ran.stderr) == (0, "refused\n", "")
