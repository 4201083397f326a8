"""Threads, processes, Ctrl-C and the interpreter: the host's state does not change. Forks and alarms are in
test_posix."""

import _thread
import gc
import multiprocessing
import os
import signal
import subprocess
import sys
import threading
import time
import weakref

import merchantpay
import pytest
from conftest import Interrupted, Reply, client_of

NEW = {"sum": "1", "payment_method": "sbp", "customer_account": "79001234567"}
OK = {"success": True, "orderId": "o-1", "status": "pending"}


def test_sixteen_threads_share_one_client(client):
    orders, failures = [], []

    def work():
        try:
            for _ in range(10):
                payment = client.new_payment(**NEW)
                assert client.get_status(payment.order_id).order_id == payment.order_id
                orders.append(payment.order_id)
        except BaseException as error:
            failures.append(error)

    threads = [threading.Thread(target=work) for _ in range(16)]
    for thread in threads:
        thread.start()
    for thread in threads:
        thread.join()
    assert failures == [] and len(set(orders)) == 160


def test_other_threads_run_while_a_call_waits(script, scripted, service):
    # A thread of this process sends the reply, which is impossible if the call holds the GIL.
    gate, arrived = threading.Event(), threading.Event()
    script.answer(Reply(OK, service, gate=gate, arrived=arrived))
    answers = []
    caller = threading.Thread(target=lambda: answers.append(scripted.confirm("o-1")))
    caller.start()
    assert arrived.wait(20) and answers == []
    gate.set()
    caller.join(20)
    assert answers[0].order_id == "o-1"


def test_closing_lets_a_call_that_is_under_way_finish(script, scripted, service):
    gate, arrived = threading.Event(), threading.Event()
    script.answer(Reply(OK, service, gate=gate, arrived=arrived))
    answers = []
    caller = threading.Thread(target=lambda: answers.append(scripted.confirm("o-1")))
    caller.start()
    assert arrived.wait(20)
    scripted.close()
    gate.set()
    caller.join(20)
    assert answers[0].order_id == "o-1"


def _ask(settings, order_id):
    with client_of(settings) as client:
        return client.get_status(order_id).order_id


@pytest.mark.parametrize("method", multiprocessing.get_all_start_methods())
def test_a_pool_of_processes_makes_clients_of_its_own(sandbox, client, method):
    payment = client.new_payment(**NEW)
    with multiprocessing.get_context(method).Pool(1) as pool:
        assert pool.apply(_ask, (sandbox, payment.order_id)) == payment.order_id


def _all(settings, _):
    with client_of(settings) as client:
        payment = client.new_payment(**NEW)
        return payment, client.get_status(payment.order_id), client.get_available_amounts(sum="1", payment_method="sbp")


def test_what_a_pool_of_processes_asks_for_comes_back(sandbox, client):
    with multiprocessing.get_context("spawn").Pool(1) as pool:
        payment, asked, amounts = pool.starmap(_all, [(sandbox, 1)])[0]
    assert payment.payee_account and client.get_status(payment.order_id) == asked
    assert amounts == client.get_available_amounts(sum="1", payment_method="sbp")


@pytest.fixture
def interrupt():
    """A function that simulates Ctrl-C. Its exception is different from that of a real Ctrl-C."""

    def handler(*_):
        raise Interrupted

    before = signal.signal(signal.SIGINT, handler)
    # On Windows, a thread of the system gets Ctrl-C and notifies the interpreter's main thread.
    yield _thread.interrupt_main if sys.platform == "win32" else lambda: os.kill(os.getpid(), signal.SIGINT)
    signal.signal(signal.SIGINT, before)


def test_ctrl_c_ends_a_wait_within_a_second(client, interrupt):
    payment = client.new_payment(**{**NEW, "customer_account": "stays-pending"})
    pressed = []

    def press():
        pressed.append(time.monotonic())
        interrupt()

    threading.Timer(1.5, press).start()
    with pytest.raises(Interrupted):
        client.wait(payment.order_id, timeout=60)
    assert time.monotonic() - pressed[0] < 1


def test_ctrl_c_does_not_abandon_a_call_of_money_midway(script, scripted, service, interrupt):
    gate, arrived = threading.Event(), threading.Event()
    script.answer(Reply({"success": True, "orderId": "o-1", "deeplink": "d"}, service, gate=gate, arrived=arrived))
    finished = threading.Event()

    def press():
        arrived.wait(20)
        interrupt()
        finished.wait(0.3)
        gate.set()

    presser = threading.Thread(target=press)
    presser.start()
    with pytest.raises(Interrupted):
        scripted.new_payment(**NEW)
    # The exception was raised after the reply had arrived, not before.
    assert gate.is_set()
    presser.join()


def test_signal_handlers_are_left_as_they_were(merchant, service):
    program = f"""
import signal
before = [signal.getsignal(n) for n in signal.valid_signals()]
import merchantpay
client = merchantpay.Client("http://127.0.0.1:1", "m", {merchant.private_key!r}, {service.public_key!r})
try:
    client.confirm("o-1")
except merchantpay.TransportError:
    pass
assert [signal.getsignal(n) for n in signal.valid_signals()] == before
"""
    subprocess.run([sys.executable, "-c", program], check=True, timeout=60)


def test_an_import_starts_nothing_and_warns_of_nothing():
    program = """
import merchantpay, sys, threading
assert threading.active_count() == 1
slow = {"asyncio", "dataclasses", "decimal", "http", "inspect", "json", "logging", "ssl", "urllib"} & set(sys.modules)
assert not slow, slow
"""
    subprocess.run([sys.executable, "-X", "dev", "-W", "error", "-c", program], check=True, timeout=60)


def test_another_interpreter_is_refused():
    program = """
import merchantpay
try:
    import _xxsubinterpreters as interpreters
except ImportError:
    import _interpreters as interpreters
other = interpreters.create()
code = "try: import merchantpay\\nexcept ImportError as error: print(error)\\nelse: print('imported')"
try:
    interpreters.run_string(other, code)
finally:
    interpreters.destroy(other)
merchantpay.generate_keypair()
"""
    ran = subprocess.run([sys.executable, "-c", program], capture_output=True, text=True, timeout=60)
    # Since 3.12 an interpreter with a GIL of its own refuses the module before its code runs.
    assert "WSGIApplicationGroup %{GLOBAL}" in ran.stdout or "does not support loading in subinterpreters" in ran.stdout
    assert (ran.returncode, ran.stderr) == (0, "")


# This program ends the interpreter while daemon threads are in a call. When a thread then returns from its call,
# CPython before 3.14 ends the thread with pthread_exit. The program frees an object last, and this object waits
# until the threads return, so that this case occurs.
ENDING = """
import sys, threading, time, types
import merchantpay

client = merchantpay.Client({url!r}, "m", {private_key!r}, {public_key!r})
verifier = merchantpay.WebhookVerifier({public_key!r})
refused = threading.Semaphore(0)

def verify():
    while True:
        try:
            verifier.verify(b"{{}}", "A" * 86 + "==")
        except merchantpay.Error:
            refused.release()

def ask():
    while True:
        client.get_status("o-1")

# This is not time.sleep, because on Windows the object with which it waits is already closed.
never = threading.Lock()
never.acquire()

class Late:
    def __del__(self, wait=never.acquire):
        sys.stdout.write("ending\\n")
        sys.stdout.flush()
        wait(timeout=1)

sys.modules["late"] = types.ModuleType("late")
sys.modules["late"].kept = Late()
for target in {targets}:
    threading.Thread(target=target, daemon=True).start()
{until}
"""


def ending(script, merchant, service, targets, until="sys.stdin.readline()"):
    fields = {"private_key": merchant.private_key, "public_key": service.public_key, "targets": targets, "until": until}
    program = ENDING.format(url=script.url, **fields)
    pipes = dict.fromkeys(("stdin", "stdout", "stderr"), subprocess.PIPE)
    return subprocess.Popen([sys.executable, "-c", program], text=True, **pipes)


@pytest.mark.parametrize("target", ["ask", "lambda: client.confirm('o-1')", "lambda: client.wait('o-1')"])
def test_an_interpreter_ends_while_a_thread_comes_back_from_a_call(script, merchant, service, target):
    gate, arrived = threading.Event(), threading.Event()
    script.answer(Reply(OK, service, gate=gate, arrived=arrived))
    process = ending(script, merchant, service, f"[{target}]")
    assert arrived.wait(20)
    process.stdin.write("\n")
    process.stdin.flush()
    # The reply comes only while the interpreter is ending. So the thread returns from its call during the end.
    assert process.stdout.readline() == "ending\n"
    gate.set()
    _, errors = process.communicate(timeout=20)
    assert (process.returncode, errors) == (0, "")


def test_an_interpreter_ends_beside_a_thread_that_waits(script, merchant, service):
    arrived = threading.Event()
    script.answer(Reply(OK, service), Reply(OK, service, arrived=arrived))
    process = ending(script, merchant, service, "[lambda: client.wait('o-1')]")
    assert arrived.wait(20)
    _, errors = process.communicate("\n", timeout=20)
    assert (process.returncode, errors) == (0, "")


def test_an_interpreter_ends_beside_threads_that_verify(script, merchant, service):
    # The place at which a thread is ended is random. If making an exception ran Python code, most runs of this
    # test would crash.
    until = "for _ in range(100): refused.acquire()"
    processes = [ending(script, merchant, service, "[verify] * 4", until) for _ in range(4)]
    ends = [process.communicate(timeout=60) for process in processes]
    assert [(process.returncode, errors) for process, (_, errors) in zip(processes, ends)] == [(0, "")] * 4


def test_a_client_is_made_and_dropped_many_times(script, merchant, service):
    def once():
        def sign(body):
            return merchant.raw(body)

        script.answer(Reply(OK, service))
        client = merchantpay.Client(script.url, "m", None, service.public_key, signer=sign, public_key=merchant.public_key)
        assert client.get_status("o-1").status == "pending"
        return weakref.ref(sign)

    def open_files():
        # The test's own server closes its ends of the connections a moment after the client.
        least = len(os.listdir("/proc/self/fd"))
        for _ in range(100):
            time.sleep(0.02)
            least = min(least, len(os.listdir("/proc/self/fd")))
            if least <= before:
                break
        return least

    once()
    time.sleep(0.2)
    before = len(os.listdir("/proc/self/fd"))
    signers = [once() for _ in range(50)]
    assert [signer() for signer in signers] == [None] * 50
    assert open_files() <= before


@pytest.mark.parametrize("kind", [merchantpay.Client, merchantpay.Protocol])
def test_an_object_that_signs_for_its_own_client_is_collected(merchant, service, kind):
    class Shop:
        def __init__(self):
            self.made = kind("http://127.0.0.1:1", "m", None, service.public_key, signer=self.sign, public_key=merchant.public_key)

        def sign(self, body):
            return merchant.raw(body)

    shop = Shop()
    assert gc.is_tracked(shop.made)
    gone = weakref.ref(shop)
    gc.collect()
    assert shop.made is not None and gone() is shop
    del shop
    gc.collect()
    assert gone() is None


def test_a_signer_is_kept_while_any_client_that_is_derived_needs_it(script, merchant, service):
    class Shop:
        def __init__(self):
            self.key = merchant
            keys = {"signer": self.sign, "public_key": merchant.public_key}
            self.client = merchantpay.Client(script.url, "m", None, service.public_key, **keys)

        def sign(self, body):
            return self.key.raw(body)

    shop = Shop()
    derived, gone = shop.client.derive(), weakref.ref(shop)
    # There is only one reference to the signer, which the garbage collector must not visit twice.
    shown = [client for client in (shop.client, derived) if shop.sign in gc.get_referents(client)]
    assert shown == []
    del shop, shown
    for _ in range(3):
        gc.collect()
        script.answer(Reply(OK, service))
        assert derived.get_status("o-1").order_id == "o-1"
    del derived
    gc.collect()
    assert gone() is None


CLOSING = """
import faulthandler, sys, threading, time
import merchantpay

faulthandler.dump_traceback_later(10, exit=True)
pair, service = merchantpay.generate_keypair(), merchantpay.generate_keypair()
dropping, seen = threading.Event(), threading.Event()

class Device:
    def __call__(self, body):
        return bytes(64)

    def __del__(self):
        assert client.closed and "closed" in repr(client)
        dropping.set()
        assert seen.wait(5)  # Releases the GIL, like closing a session.

def look():
    assert dropping.wait(5) and client.closed
    seen.set()

client = merchantpay.Client("http://127.0.0.1:1", "m", None, service.public_key, signer=Device(), public_key=pair.public_key)
thread = threading.Thread(target=look)
thread.start()
client.close()
assert seen.is_set()
thread.join()
"""


def test_a_signer_that_is_dropped_by_close_may_use_the_client():
    ran = subprocess.run([sys.executable, "-c", CLOSING], capture_output=True, text=True, timeout=60)
    assert (ran.returncode, ran.stderr) == (0, "")


# C's exit() destroys the thread-local variables of the main thread before it calls the functions of atexit. uWSGI ends
# Python within such a function, so Python's own atexit functions then run without them.
LATE = """
import ctypes, tempfile, merchantpay

client = merchantpay.Client.from_env()
verifier = client.webhook_verifier()
folder = tempfile.TemporaryDirectory()
journal = merchantpay.Journal(client, folder.name + "/payments.db", callback_url="http://127.0.0.1:9/hook", create=True)
calls = [
    lambda: client.new_payment(sum=1, payment_method="sbp", customer_account="1"),
    lambda: client.get_available_amounts(sum=1, payment_method="sbp"),
    lambda: client.connect(),
    lambda: client.derive(timeout=3).get_available_amounts(sum=1, payment_method="sbp"),
    lambda: merchantpay.Client.from_env().get_available_amounts(sum=1, payment_method="sbp"),
    lambda: merchantpay.generate_keypair(),
    lambda: journal.pay(f"order-{len(done)}", sum=1, payment_method="sbp", customer_account="1"),
    lambda: client.close(),
]
done = []

def late(*_):
    for call in calls:
        done.append(call())
    try:
        verifier.verify(b"{}", "A" * 86 + "==")
    except merchantpay.UnverifiedError:
        print("all", len(done), flush=True)
"""


def late(sandbox, program):
    environment = {**os.environ, **sandbox}
    return subprocess.run([sys.executable, "-c", LATE + program], env=environment, capture_output=True, text=True, timeout=60)


@pytest.mark.parametrize("early", ["", "calls[1]()\n"])
def test_calls_work_in_pythons_atexit(sandbox, early):
    ended = late(sandbox, early + "import atexit; atexit.register(late)")
    assert (ended.stdout, ended.stderr, ended.returncode) == ("all 8\n", "", 0)


@pytest.mark.skipif(sys.platform == "win32", reason="Windows has no __cxa_atexit")
@pytest.mark.parametrize("early", ["", "calls[1]()\n"])
def test_calls_work_after_the_thread_local_variables_were_destroyed(sandbox, early):
    at_exit = """
libc = ctypes.CDLL(None)
last = ctypes.CFUNCTYPE(None, ctypes.c_void_p)(late)
libc["__cxa_atexit"](last, None, None)
libc.exit(0)
"""
    ended = late(sandbox, early + at_exit)
    assert (ended.stdout, ended.stderr, ended.returncode) == ("all 8\n", "", 0)
