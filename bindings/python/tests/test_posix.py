"""Tests forks, alarms, and the way in which POSIX systems handle Ctrl-C."""

import asyncio
import contextlib
import json
import os
import signal
import subprocess
import sys
import threading
import time
import urllib.request

import merchantpay
import pytest
from conftest import MODULE, PROGRAM, Interrupted, Reply
from own_sandbox import merchant as sandbox_with_control

NEW = {"sum": "1", "payment_method": "sbp", "customer_account": "79001234567"}


@pytest.fixture
def journal(tmp_path):
    with (
        sandbox_with_control() as (_, client),
        merchantpay.Journal(client, tmp_path / "payments.db", create=True, timeout=15) as journal,
    ):
        yield journal


def in_child(work):
    """Runs `work` in a forked child, and returns the child's exit status. The status is 0 if `work` returned."""
    child = os.fork()
    if child == 0:
        status = 1
        try:
            work()
            status = 0
        finally:
            os._exit(status)
    return os.waitstatus_to_exitcode(os.waitpid(child, 0)[1])


def test_a_fork_in_mid_session_leaves_both_sides_working(client):
    payment = client.new_payment(**NEW)
    client.get_status(payment.order_id)  # From now on a connection is kept alive.

    def work():
        for _ in range(3):
            assert client.get_status(payment.order_id).order_id == payment.order_id
        assert in_child(lambda: client.get_status(payment.order_id)) == 0
        client.new_payment(**NEW)

    for _ in range(3):
        assert in_child(work) == 0
        assert client.get_status(payment.order_id).order_id == payment.order_id


def test_a_fork_beside_threads_that_call_leaves_the_child_working(client):
    payment = client.new_payment(**NEW)
    stop = threading.Event()

    def work():
        while not stop.is_set():
            client.get_status(payment.order_id)

    threads = [threading.Thread(target=work) for _ in range(4)]
    for thread in threads:
        thread.start()
    try:
        for _ in range(10):
            assert in_child(lambda: client.get_status(payment.order_id)) == 0
    finally:
        stop.set()
        for thread in threads:
            thread.join()


def ring(*_):
    raise Interrupted


def test_what_a_handler_raises_before_the_signer_is_asked_is_not_the_signers(merchant, service):
    asked = []

    def sign(body):
        asked.append(body)
        return merchant.raw(body)

    protocol = merchantpay.Protocol("https://pay.example", "m", None, service.public_key, signer=sign, public_key=merchant.public_key)
    receipt = ("receipt.pdf", b"%PDF-" + bytes(64 << 20), "application/pdf")
    before = signal.signal(signal.SIGALRM, ring)
    try:
        with pytest.raises(Interrupted):
            # The alarm comes while the request is written. No Python code runs during that time.
            signal.setitimer(signal.ITIMER_REAL, 0.001)
            protocol.prepare_attach_receipt("o-1", [receipt])
    finally:
        signal.setitimer(signal.ITIMER_REAL, 0)
        signal.signal(signal.SIGALRM, before)
    assert asked == []


def test_a_signal_that_raises_nothing_changes_nothing(script, scripted, service):
    seen = []
    before = signal.signal(signal.SIGALRM, lambda *_: seen.append(1))
    signal.setitimer(signal.ITIMER_REAL, 0.02, 0.02)
    try:
        for _ in range(5):
            gate, arrived = threading.Event(), threading.Event()
            script.answer(Reply({"success": True, "orderId": "o-1", "deeplink": "d"}, service, gate=gate, arrived=arrived))
            threading.Timer(0.2, gate.set).start()
            assert scripted.new_payment(**NEW).order_id == "o-1"
    finally:
        signal.setitimer(signal.ITIMER_REAL, 0)
        signal.signal(signal.SIGALRM, before)
    assert seen


@pytest.mark.parametrize("call", ["wait", "settle"])
def test_a_signal_ends_the_waiting(journal, call):
    before = signal.signal(signal.SIGALRM, ring)
    try:
        for number in range(8):
            journal.pay(f"order-{number}", **{**NEW, "customer_account": "stays-pending"})
        if call == "settle":
            # Sleeps until all attempts are due. Then `settle` makes at most 10 calls a second.
            time.sleep(3)
        signal.setitimer(signal.ITIMER_REAL, 0.2)
        begun = time.monotonic()
        with pytest.raises(Interrupted):
            journal.wait("order-0", timeout=20, until="final") if call == "wait" else journal.settle()
        assert time.monotonic() - begun < (2 if call == "wait" else 0.6)
    finally:
        signal.setitimer(signal.ITIMER_REAL, 0)
        signal.signal(signal.SIGALRM, before)


def test_a_forked_child_and_its_parent_use_one_journal(journal):
    entry = journal.pay("order", **NEW)

    def work():
        assert journal.pay("order", **NEW).order_id == entry.order_id and journal.pay("childs", **NEW).attempt == 1

    assert in_child(work) == 0
    assert journal.find("childs").standing == "open" and journal.pay("order", **NEW).order_id == entry.order_id


@contextlib.contextmanager
def sandbox_under(handling, command):
    """Starts a sandbox that handles Ctrl-C in the given way, whatever the test process does with Ctrl-C."""
    process = subprocess.Popen(
        [*command, "sandbox", "--port", "0"],
        stdout=subprocess.PIPE,
        text=True,
        preexec_fn=lambda: signal.signal(signal.SIGINT, handling),
    )
    try:
        assert any("Ctrl-C" in line for line in process.stdout)
        yield process
    finally:
        process.kill()
        process.wait()
        process.stdout.close()


@pytest.mark.parametrize("command", [[PROGRAM], MODULE], ids=["program", "module"])
def test_ctrl_c_ends_the_sandbox(command):
    with sandbox_under(signal.SIG_DFL, command) as process:
        process.send_signal(signal.SIGINT)
        assert process.wait(20) == 0


@pytest.mark.parametrize("command", [[PROGRAM], MODULE], ids=["program", "module"])
def test_a_ctrl_c_that_is_ignored_stays_ignored(command):
    # The signal is ignored, as under nohup, or in the background of a shell without job control.
    with sandbox_under(signal.SIG_IGN, command) as process:
        process.send_signal(signal.SIGINT)
        with pytest.raises(subprocess.TimeoutExpired):
            process.wait(0.5)


def test_an_async_client_of_the_parent_is_refused_after_a_fork(script, merchant, service):
    client = merchantpay.AsyncClient(script.url, "m", merchant.private_key, service.public_key)
    script.answer(Reply({"success": True, "orderId": "o-1"}, service))

    async def main():
        await client.confirm("o-1")  # The client now has a thread, which the child lacks.

        def work():
            with pytest.raises(merchantpay.InvalidArgumentError, match="before a fork"):
                client.confirm("o-1").send(None)

        assert in_child(work) == 0
        await client.close()

    asyncio.run(main())


SHOP = """
import sys

def test_shop(merchantpay_sandbox):
    print(merchantpay_sandbox.url, file=sys.__stdout__, flush=True)
    sys.stdin.read()
"""


def test_a_killed_pytest_leaves_no_sandbox(tmp_path):
    (tmp_path / "test_shop.py").write_text(SHOP)
    command = [sys.executable, "-m", "pytest", "-q", "-s", "-p", "no:cacheprovider", "test_shop.py"]
    with subprocess.Popen(command, cwd=tmp_path, stdin=subprocess.PIPE, stdout=subprocess.PIPE, text=True) as run:
        url = run.stdout.readline().strip()
        assert url.startswith("http://127.0.0.1:")
        with urllib.request.urlopen(f"{url}/sandbox", timeout=20) as response:
            assert json.load(response)["sandbox"]
        os.kill(run.pid, signal.SIGKILL)
        run.wait()
    end = time.monotonic() + 20
    while True:
        try:
            urllib.request.urlopen(f"{url}/sandbox", timeout=20).close()
        except OSError:
            break
        assert time.monotonic() < end
