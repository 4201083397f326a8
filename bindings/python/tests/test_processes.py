"""The GIL, Ctrl-C, the garbage collector, processes and the end of the interpreter. Forks and alarms are in test_posix."""

import _thread
import base64
import gc
import os
import signal
import subprocess
import sys
import threading
import time
import weakref

import merchantpay
import pytest
from conftest import NEW, OWN, SERVICE, SLOW, Interrupted, make, raw


def run(program, **environment):
    environment = {**os.environ, **environment}
    return subprocess.run(
        [sys.executable, "-X", "dev", "-W", "error", "-c", program], env=environment, capture_output=True, text=True, timeout=60
    )


@pytest.mark.parametrize("kind", ["client", "journal"])
def test_other_threads_run_while_a_call_waits(service, tmp_path, kind):
    # This thread lets the service answer, which is impossible if the call holds the GIL.
    with service.client() as client, merchantpay.Journal(client, tmp_path / "payments.db", create=True) as journal:
        results = []
        call = (lambda: client.new_payment(**SLOW)) if kind == "client" else (lambda: journal.pay("order", **SLOW))
        caller = threading.Thread(target=lambda: results.append(call()))
        caller.start()
        service.reached(1)
        assert results == []
        service.release()
        caller.join(20)
        assert results[0].order_id


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


def test_ctrl_c_waits_for_a_call_in_flight(service, interrupt):
    released = threading.Event()

    def press():
        service.reached(1)
        interrupt()
        released.wait(0.3)
        released.set()
        service.release()

    presser = threading.Thread(target=press)
    with service.client() as client, pytest.raises(Interrupted):
        presser.start()
        client.new_payment(**SLOW)
    # The exception was raised after the reply had arrived, not before.
    assert released.is_set()
    presser.join()


def test_import_starts_no_thread_and_call_keeps_signal_handlers():
    program = f"""
import signal, sys, threading
before = [signal.getsignal(n) for n in signal.valid_signals()]
import merchantpay
slow = {{"asyncio", "dataclasses", "decimal", "http", "inspect", "json", "logging", "ssl", "urllib", "merchantpay.testing"}} & set(sys.modules)
assert not slow and threading.active_count() == 1, slow
client = merchantpay.Client("http://127.0.0.1:1", "m", {OWN.private_key!r}, {SERVICE.public_key!r})
try:
    client.confirm("o-1")
except merchantpay.TransportError:
    print("refused")
assert [signal.getsignal(n) for n in signal.valid_signals()] == before
"""
    ran = run(program)
    assert (ran.returncode, ran.stdout, ran.stderr) == (0, "refused\n", "")


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
import sys, threading, types
import merchantpay

client = merchantpay.Client.from_env()
verifier = client.webhook_verifier()
order_id = client.new_payment(sum=1, payment_method="sbp", customer_account="stays-pending").order_id
refused = threading.Semaphore(0)

def verify():
    while True:
        try:
            verifier.verify(b"{{}}", "A" * 86 + "==")
        except merchantpay.Error:
            refused.release()

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
PAY = "lambda: client.new_payment(sum=1, payment_method='sbp', customer_account='slow-credentials')"


def ending(service, targets, until="sys.stdin.readline()"):
    pipes = dict.fromkeys(("stdin", "stdout", "stderr"), subprocess.PIPE)
    environment = {**os.environ, **service.environment}
    return subprocess.Popen([sys.executable, "-c", ENDING.format(targets=targets, until=until)], text=True, env=environment, **pipes)


@pytest.mark.parametrize("target, asked", [(PAY, "newPayment"), ("lambda: client.wait(order_id)", "getStatus")])
def test_interpreter_ends_while_a_call_returns(service, target, asked):
    process = ending(service, f"[{target}]")
    service.reached(2 if asked == "newPayment" else 1, asked)
    process.stdin.write("\n")
    process.stdin.flush()
    # The reply comes only while the interpreter is ending. So the thread returns from its call during the end.
    assert process.stdout.readline() == "ending\n"
    service.release()
    _, errors = process.communicate(timeout=20)
    assert (process.returncode, errors) == (0, "")


def test_interpreter_ends_beside_verifying_threads(sandbox):
    # The place at which a thread is ended is random. If making an exception ran Python code, most runs of this
    # test would crash.
    processes = [ending(sandbox, "[verify] * 4", "for _ in range(100): refused.acquire()") for _ in range(4)]
    ends = [process.communicate(timeout=60) for process in processes]
    assert [(process.returncode, errors) for process, (_, errors) in zip(processes, ends)] == [(0, "")] * 4


@pytest.mark.skipif(not os.path.exists("/proc/self/fd"), reason="the system does not show a process's files")
def test_dropped_client_leaves_no_signer_and_no_file(sandbox):
    key = sandbox.environment["MERCHANTPAY_PRIVATE_KEY"]
    public = base64.b64encode(base64.b64decode(key)[32:]).decode()

    def once():
        def sign(body):
            return raw(key, body)

        client = sandbox.client(private_key=None, signer=sign, public_key=public)
        assert client.new_payment(**NEW).order_id
        return weakref.ref(sign)

    once()
    before = len(os.listdir("/proc/self/fd"))
    assert [once()() for _ in range(50)] == [None] * 50
    assert len(os.listdir("/proc/self/fd")) <= before


class Shop:
    """An object of the program whose method signs for the client that it has."""

    def __init__(self, kind):
        self.made = make(kind, private_key=None, signer=self.sign, public_key=OWN.public_key)

    def sign(self, body):
        return raw(OWN.private_key, body)


@pytest.mark.parametrize("kind", [merchantpay.Client, merchantpay.Protocol])
def test_signer_cycle_is_collected(kind):
    shop = Shop(kind)
    gone = weakref.ref(shop)
    gc.collect()
    assert shop.made is not None and gone() is shop
    del shop
    gc.collect()
    assert gone() is None


def test_derived_client_keeps_the_signer():
    shop = Shop(merchantpay.Client)
    derived, gone = shop.made.derive(), weakref.ref(shop)
    # There is only one reference to the signer, which the garbage collector must not visit twice.
    shown = [client for client in (shop.made, derived) if shop.sign in gc.get_referents(client)]
    assert shown == []
    del shop, shown
    for _ in range(3):
        gc.collect()
        with pytest.raises(merchantpay.TransportError):  # It was signed, and nobody is there.
            derived.get_status("o-1")
    del derived
    gc.collect()
    assert gone() is None


CLOSING = """
import faulthandler, threading
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


def test_signer_may_use_the_client_while_close_drops_it():
    ran = run(CLOSING)
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
IN_ATEXIT = "import atexit; atexit.register(late)"
AFTER_THREAD_LOCALS = """
libc = ctypes.CDLL(None)
last = ctypes.CFUNCTYPE(None, ctypes.c_void_p)(late)
libc["__cxa_atexit"](last, None, None)
libc.exit(0)
"""


@pytest.mark.parametrize("early", ["", "calls[1]()\n"])
@pytest.mark.parametrize("way", [IN_ATEXIT] if sys.platform == "win32" else [IN_ATEXIT, AFTER_THREAD_LOCALS])
def test_calls_work_at_interpreter_exit(sandbox, early, way):
    environment = {**os.environ, **sandbox.environment}
    ended = subprocess.run([sys.executable, "-c", LATE + early + way], env=environment, capture_output=True, text=True, timeout=60)
    assert (ended.stdout, ended.stderr, ended.returncode) == ("all 8\n", "", 0)
