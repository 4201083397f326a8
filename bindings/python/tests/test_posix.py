"""Forks, alarms, and the way in which POSIX systems handle Ctrl-C."""

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
from conftest import NEW, OWN, SLOW, Interrupted, make, raw, until


@pytest.fixture
def journal(service, tmp_path):
    with service.client() as client, merchantpay.Journal(client, tmp_path / "payments.db", create=True, timeout=15) as journal:
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


def test_fork_beside_calling_threads(client):
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


def test_forked_child_and_parent_share_a_journal(journal):
    entry = journal.pay("order", **NEW)

    def work():
        assert journal.pay("order", **NEW).order_id == entry.order_id and journal.pay("childs", **NEW).attempt == 1

    assert in_child(work) == 0
    assert journal.find("childs").standing == "open" and journal.pay("order", **NEW).order_id == entry.order_id


def test_forked_child_refuses_async_client_of_parent(sandbox):
    async def main():
        client = merchantpay.AsyncClient(**settings)
        await client.connect()  # The client now has a thread, which the child lacks.

        def work():
            with pytest.raises(merchantpay.InvalidArgumentError, match="before a fork"):
                client.connect().send(None)

        assert in_child(work) == 0
        await client.close()

    names = {"base_url": "BASE_URL", "key_id": "KEY_ID", "private_key": "PRIVATE_KEY", "server_public_key": "SERVER_PUBLIC_KEY"}
    settings = {name: sandbox.environment[f"MERCHANTPAY_{variable}"] for name, variable in names.items()}
    asyncio.run(main())


@contextlib.contextmanager
def alarm(handler, *after):
    before = signal.signal(signal.SIGALRM, handler)
    signal.setitimer(signal.ITIMER_REAL, *after)
    try:
        yield
    finally:
        signal.setitimer(signal.ITIMER_REAL, 0)
        signal.signal(signal.SIGALRM, before)


def ring(*_):
    raise Interrupted


def test_signal_before_the_signer_is_not_a_signer_error():
    asked = []

    def sign(body):
        asked.append(body)
        return raw(OWN.private_key, body)

    protocol = make(merchantpay.Protocol, private_key=None, signer=sign, public_key=OWN.public_key)
    receipt = ("receipt.pdf", b"%PDF-" + bytes(64 << 20), "application/pdf")
    # The alarm comes while the request is written. No Python code runs during that time.
    with pytest.raises(Interrupted), alarm(ring, 0.001):
        protocol.prepare_attach_receipt("o-1", [receipt])
    assert asked == []


def test_silent_signal_handler_does_not_disturb_calls(service):
    seen = []
    with service.client() as client, alarm(lambda *_: seen.append(1), 0.02, 0.02):
        for number in range(1, 6):
            threading.Thread(target=lambda number=number: (service.reached(number), time.sleep(0.1), service.release())).start()
            assert client.new_payment(**SLOW).order_id
    assert seen


@pytest.mark.parametrize("call", ["wait", "settle"])
def test_a_signal_ends_the_waiting(journal, call):
    for number in range(8):
        journal.pay(f"order-{number}", **{**NEW, "customer_account": "stays-pending"})
    if call == "settle":
        # Sleeps until all attempts are due. Then `settle` makes at most 10 calls a second.
        time.sleep(3)
    begun = time.monotonic()
    with pytest.raises(Interrupted), alarm(ring, 0.2):
        journal.wait("order-0", timeout=20, until="final") if call == "wait" else journal.settle()
    assert time.monotonic() - begun < (2 if call == "wait" else 0.6)


@pytest.mark.parametrize("handling", [signal.SIG_DFL, signal.SIG_IGN])
def test_module_keeps_sigint_disposition(handling):
    """An ignored Ctrl-C stays ignored, as under nohup, or in the background of a shell without job control."""
    command = [sys.executable, "-m", "merchantpay", "sandbox", "--port", "0"]
    with subprocess.Popen(command, stdout=subprocess.PIPE, text=True, preexec_fn=lambda: signal.signal(signal.SIGINT, handling)) as process:
        while "Ctrl-C" not in process.stdout.readline():
            pass
        process.send_signal(signal.SIGINT)
        if handling is signal.SIG_DFL:
            assert process.wait(20) == 0
        else:
            with pytest.raises(subprocess.TimeoutExpired):
                process.wait(0.5)
        process.kill()


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
        url = run.stdout.readline().strip() + "/sandbox"
        with urllib.request.urlopen(url, timeout=20) as response:
            assert json.load(response)["sandbox"]
        run.kill()

    def is_gone():
        try:
            urllib.request.urlopen(url, timeout=20).close()
        except OSError:
            return True

    until(is_gone)
