"""asyncio: threads, cancelled tasks and refusals. The effects of the calls are those of the blocking client."""

import asyncio
import contextlib
import logging
import subprocess
import sys
import threading

import merchantpay
import pytest
from conftest import NEW, OWN, PATIENCE, SERVICE, SLOW, make, until

CALLBACK = "http://127.0.0.1:9/callback"


def threads():
    return [thread for thread in threading.enumerate() if thread.name.startswith("merchantpay")]


def refused(match):
    return pytest.raises(merchantpay.InvalidArgumentError, match=match)


async def happened(look):
    """Waits on a thread of asyncio for an event outside the event loop."""
    return await asyncio.get_running_loop().run_in_executor(None, look)


@pytest.fixture
def slow(service, monkeypatch):
    """A sandbox in the environment."""
    service.set_environment(monkeypatch)
    return service


def client_of(**settings):
    return merchantpay.AsyncClient.from_env(**{"timeout": 60, **settings})


def pay(client, number, **more):
    return client.new_payment(**SLOW, merchant_id=str(number), **more)


def numbers(service):
    return sorted(int(payment["merchantId"]) for payment in service.payments(limit="500"))


def test_every_method_is_a_coroutine_and_leaves_no_thread(slow):
    async def main():
        async with client_of() as client:
            await client.connect()
            amounts = await client.get_available_amounts(sum="1", payment_method="sbp")
            assert amounts.available_amounts and threads()
            order_id = (await client.new_payment(**{**NEW, "customer_account": "arbitration"})).order_id
            await client.confirm(order_id)
            await happened(lambda: until(lambda: slow.payments()[0]["status"] == "receiptRequired"))
            assert (await client.get_status(order_id)).status == "receiptRequired"
            await client.attach_receipt(order_id, [("receipt.pdf", b"%PDF-1.4", "application/pdf")])
            assert (await client.wait(order_id, timeout=PATIENCE)).status == "doneSuccess"
            with pytest.raises(merchantpay.RejectedError) as failed:
                await client.cancel(order_id)
            assert merchantpay.outcome_of(failed.value) is merchantpay.Outcome.REJECTED
            with pytest.raises(TypeError, match="sum must be"):
                await client.new_payment(**{**NEW, "sum": 1.5})
        assert client.closed and threads() == []
        await client.close()

    asyncio.run(main())


async def end_of(task):
    try:
        await task
    except BaseException as error:
        return error


def test_cancelled_tasks_have_outcomes(slow):
    async def main():
        def start(numbers):
            return [asyncio.ensure_future(pay(client, number)) for number in numbers]

        async def cancel(tasks):
            for task in tasks:
                task.cancel()
            ends = [await end_of(task) for task in tasks]
            assert {type(end) for end in ends} == {asyncio.CancelledError}
            return {merchantpay.outcome_of(end) for end in ends}

        async with client_of(max_calls=50) as client:
            sent = start(range(50))
            await happened(lambda: slow.reached(50))
            waiting = start(range(50, 100))
            await asyncio.sleep(0)
            assert await cancel(waiting[1::2]) == {"not_sent"} and await cancel(sent[1::2]) == {"unknown"}
            # The free threads now take the waiting calls.
            await happened(lambda: slow.reached(75))
            assert len(threads()) == 50
            slow.release()
            paid = await asyncio.gather(*sent[::2], *waiting[::2])
        assert threads() == []
        # Each payment was made once. The calls that were cancelled while they waited were never sent.
        assert numbers(slow) == [number for number in range(100) if number < 50 or number % 2 == 0]
        assert len({payment.order_id for payment in paid}) == 50

    asyncio.run(main())


async def in_timeout(call, seconds):
    async with getattr(asyncio, "timeout")(seconds):  # noqa: B009 - from 3.11 on
        return await call


@pytest.mark.parametrize("limited", [asyncio.wait_for] if sys.version_info < (3, 11) else [asyncio.wait_for, in_timeout])
def test_asyncio_timeout_has_the_calls_outcome(slow, limited):
    async def main():
        async with client_of() as client:
            loop, skipped = asyncio.get_running_loop(), []
            real = loop.time
            loop.time = lambda: real() + sum(skipped)
            task = asyncio.ensure_future(end_of(limited(pay(client, 1), 10)))
            await happened(lambda: slow.reached(1))
            skipped.append(20)
            end = await task
            assert type(end) is asyncio.TimeoutError and merchantpay.outcome_of(end) == "unknown"

    asyncio.run(main())


def test_call_waits_for_a_thread_until_its_deadline(slow):
    async def main():
        async with client_of(max_calls=1) as client:
            first = asyncio.ensure_future(pay(client, 1))
            await happened(lambda: slow.reached(1))
            with pytest.raises(merchantpay.RequestTimeoutError, match="max_calls is 1") as late:
                await client.confirm("o-1", timeout=0.1)
            assert (late.value.outcome, late.value.is_transient) == ("not_sent", True)
            with pytest.raises(merchantpay.RequestTimeoutError, match="max_calls is 1") as late:
                await client.wait("o-2", timeout=0)  # Its only query has a shorter deadline than the client's calls.
            assert late.value.order_id == "o-2" and not first.done()
            slow.release()
            assert (await first).order_id

    asyncio.run(main())
    assert slow.request_count("confirm") == 0


def test_call_without_a_thread_is_never_sent(slow, monkeypatch):
    def no_thread(thread):
        raise RuntimeError("can't start new thread")

    async def main():
        async with client_of() as client:
            first = asyncio.ensure_future(pay(client, 1))
            await happened(lambda: slow.reached(1))
            with monkeypatch.context() as patch:
                patch.setattr(threading.Thread, "start", no_thread)
                with pytest.raises(merchantpay.RequestTimeoutError) as failed:
                    await pay(client, 2)
            assert failed.value.outcome == "not_sent"
            slow.release()
            await first

    asyncio.run(main())
    # The client is closed, so no thread can still send the second payment.
    assert numbers(slow) == [1]


def test_close_ends_running_call_and_refuses_waiting_one(slow):
    async def main():
        client = client_of(max_calls=1)
        running, waiting = (asyncio.ensure_future(pay(client, number)) for number in range(2))
        await happened(lambda: slow.reached(1))
        closing = asyncio.ensure_future(client.close())
        with refused("is closed"):
            await waiting
        with refused("is closed"):
            await client.confirm("o-1")
        slow.release()
        assert (await running).order_id
        await closing
        assert threads() == []

    asyncio.run(main())


def test_lost_reply_of_cancelled_task_is_unknown(slow, monkeypatch):
    came = threading.Event()

    class Handler(logging.Handler):
        def emit(self, record):
            came.set()

    async def main():
        async with client_of() as client:
            task = asyncio.ensure_future(client.new_payment(**NEW))
            await asyncio.sleep(0)
            assert came.wait(PATIENCE)  # The reply is accepted before the event loop runs again.
            task.cancel()
            assert merchantpay.outcome_of(await end_of(task)) == "unknown"

    logger = logging.getLogger("merchantpay")
    monkeypatch.setattr(logger, "handlers", [*logger.handlers, Handler()])
    logger.setLevel(logging.INFO)
    try:
        asyncio.run(main())
    finally:
        logger.setLevel(logging.NOTSET)


def test_interrupting_a_derived_client_spares_its_parent(slow):
    async def main():
        async with client_of() as client:
            order_id = (await client.new_payment(**{**NEW, "customer_account": "stays-pending"})).order_id
            derived = client.derive(timeout=20)
            assert (derived.timeout, client.timeout) == (20, 60)
            waiting = asyncio.ensure_future(derived.wait(order_id))
            await happened(lambda: slow.reached(1, "getStatus"))
            derived.interrupt()
            with pytest.raises(merchantpay.CallCancelledError):
                await waiting
            await derived.close()
            assert (await client.get_status(order_id)).order_id == order_id and client.webhook_verifier()

    asyncio.run(main())


def test_second_or_missing_event_loop_is_refused(slow):
    client = client_of()
    with refused("trio is not supported"), contextlib.closing(client.connect()) as call:
        call.send(None)
    asyncio.run(client.connect())
    with refused("belongs to another event loop"):
        asyncio.run(client.connect())
    asyncio.run(client.close())
    with refused("is closed"):
        asyncio.run(client.connect())


@pytest.mark.parametrize("wrong, kind", [(0, merchantpay.InvalidArgumentError), (True, TypeError), ("8", TypeError)])
def test_unusable_max_calls_is_refused(wrong, kind):
    with pytest.raises(kind, match="max_calls"):
        make(merchantpay.AsyncClient, max_calls=wrong)


def test_foreign_exception_has_no_outcome():
    async def main():
        task = asyncio.ensure_future(asyncio.get_running_loop().create_future())
        await asyncio.sleep(0)
        task.cancel()
        try:
            raise merchantpay.TransportError("earlier")
        except merchantpay.Error:
            assert merchantpay.outcome_of(await end_of(task)) is None

    asyncio.run(main())
    assert merchantpay.outcome_of(ValueError()) is None


def test_async_journal_takes_payment_and_news(slow, tmp_path):
    async def main():
        async with (
            client_of(timeout=15) as client,
            merchantpay.AsyncJournal(client, tmp_path / "payments.db", create=True, callback_url=CALLBACK, timeout=15) as journal,
        ):
            entry = await journal.pay("order", **NEW)
            found, listed = await journal.find("order"), await journal.list("open")
            assert {one.order_id for one in (found, *listed)} == {entry.order_id}
            assert (await journal.confirm(entry)).intent_state == "accepted"
            hook = await happened(lambda: slow.webhook(entry.order_id))
            assert (await journal.receive_request(hook.path, hook.body, hook.headers)).http_status == 200
            assert (await journal.receive(hook.path, hook.body, "AAAA")).http_status == 400
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

    asyncio.run(main())


def test_cancelled_journal_payment_is_stored(slow, tmp_path):
    async def main():
        settings = {"create": True, "timeout": 15, "max_calls": 1}
        async with client_of() as client, merchantpay.AsyncJournal(client, tmp_path / "payments.db", **settings) as journal:
            task = asyncio.ensure_future(journal.pay("order", **SLOW))
            await happened(lambda: slow.reached(1))
            with pytest.raises(merchantpay.RequestTimeoutError, match="max_calls is 1"):
                await journal.wait("order", timeout=0)
            assert not task.done()  # Its deadline is 15 s, so the wait ended before.
            task.cancel()
            assert type(await end_of(task)) is asyncio.CancelledError
            entry = await journal.find("order")
            assert (entry.standing, entry.error.code, entry.error.outcome) == ("unknown", "cancelled", "unknown")

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


def test_interpreter_ends_with_an_open_client():
    program = FORGOTTEN.format(OWN.private_key, SERVICE.public_key)
    ran = subprocess.run([sys.executable, "-W", "always", "-c", program], capture_output=True, text=True, timeout=60)
    assert (ran.returncode, ran.stdout, ran.stderr) == (0, "refused\n", "")
