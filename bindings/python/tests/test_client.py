"""The blocking client: deadlines, derived clients, `wait`, signers, and one line of `logging` for each attempt."""

import logging
import subprocess
import sys
import threading

import merchantpay
import pytest
from conftest import NEW, OWN, SERVICE, SLOW, make

FOREVER = {**NEW, "customer_account": "stays-pending"}


class Caller(threading.Thread):
    """A call on a thread of its own, which keeps the call's error."""

    def __init__(self, call):
        super().__init__(daemon=True)
        self.call, self.error, self.result = call, None, None
        self.start()

    def run(self):
        try:
            self.result = self.call()
        except merchantpay.Error as error:
            self.error = error

    def end(self):
        self.join(20)
        assert not self.is_alive()
        return self.error


def test_a_payment_is_confirmed_and_waited_for(client):
    payment = client.new_payment(**NEW)
    assert client.confirm(payment.order_id).order_id == payment.order_id
    done = client.wait(payment.order_id, timeout=20)
    assert done.status is merchantpay.Status.DONE_SUCCESS and done.paid(NEW["sum"]) == "exactly"


def test_call_has_its_own_deadline(service):
    with service.client(timeout=600) as client:
        with pytest.raises(merchantpay.RequestTimeoutError) as late:
            client.new_payment(**SLOW, timeout=0.3)
        assert (late.value.outcome, late.value.is_transient, client.timeout) == ("unknown", True, 600)
        derived = client.derive(timeout=7.5)
        assert (derived.timeout, derived.derive().timeout, client.derive().timeout) == (7.5, 7.5, 600)


def test_derived_client_is_interrupted_and_closed_alone(sandbox):
    with sandbox.client() as client:
        first, second = client.derive(), client.derive()
        below = first.derive()
        first.interrupt()
        for interrupted in (first, below):
            with pytest.raises(merchantpay.CallCancelledError):
                interrupted.new_payment(**NEW, timeout=5)
        second.close()
        assert client.new_payment(**NEW).order_id and second.closed and not client.closed
        for call in (second.interrupt, second.derive, second.connect, lambda: second.timeout, second.__enter__, lambda: second.wait("o-1")):
            with pytest.raises(merchantpay.InvalidArgumentError, match="the client is closed"):
                call()
    assert repr(client) == f"Client(base_url={sandbox.url!r}, closed)"
    client.close()


def test_failed_connect_is_not_sent(client):
    assert client.connect() is None and client.connect(timeout=20) is None
    with pytest.raises(merchantpay.TransportError) as failed:
        make(merchantpay.Client).connect()
    assert failed.value.outcome == "not_sent"


def test_timed_out_wait_names_the_status(client):
    order_id = client.new_payment(**FOREVER).order_id
    with pytest.raises(merchantpay.RequestTimeoutError, match="pending") as late:
        client.wait(order_id, timeout=0.01)
    assert (late.value.outcome, late.value.order_id) == ("unknown", order_id)


def test_wait_without_timeout_raises_eighth_failure(service):
    with service.client(max_retries=0) as client:
        order_id = client.new_payment(**NEW).order_id
        service.fault("htmlBadGateway", operation="getStatus", times=8)
        with pytest.raises(merchantpay.UnverifiedError) as failed:
            client.wait(order_id)
    assert failed.value.http_status == 502 and service.request_count("getStatus") == 8


@pytest.mark.parametrize("end, kind", [("interrupt", merchantpay.CallCancelledError), ("close", merchantpay.InvalidArgumentError)])
def test_a_wait_ends_with_its_client(service, end, kind):
    client = service.client()
    order_id = client.new_payment(**FOREVER).order_id
    caller = Caller(lambda: client.wait(order_id))
    service.reached(1, "getStatus")
    getattr(client, end)()
    assert type(caller.end()) is kind


def test_closing_lets_a_running_call_end(service):
    client = service.client()
    caller = Caller(lambda: client.new_payment(**SLOW))
    service.reached(1)
    client.close()
    service.release()
    assert caller.end() is None and caller.result.deeplink


@pytest.mark.parametrize("raised", [OSError("the HSM is unplugged"), InterruptedError("the time for this job is up"), KeyboardInterrupt()])
def test_signer_exception_is_the_cause(raised):
    asked = []

    def sign(body):
        asked.append(body)
        raise raised

    client = make(merchantpay.Client, private_key=None, public_key=OWN.public_key, signer=sign)
    for call in (lambda: client.confirm("o-1"), lambda: client.wait("o-1", timeout=60)):
        with pytest.raises(KeyboardInterrupt if isinstance(raised, KeyboardInterrupt) else merchantpay.SignerError) as failed:
            call()
        if failed.type is merchantpay.SignerError:
            assert (failed.value.__cause__, failed.value.outcome) == (raised, "not_sent") and str(raised) not in str(failed.value)
    assert len(asked) == 2


def test_a_signer_returns_bytes():
    client = make(merchantpay.Client, private_key=None, public_key=OWN.public_key, signer=lambda body: "text")
    with pytest.raises(merchantpay.SignerError):
        client.confirm("o-1")


@pytest.fixture
def log(caplog):
    caplog.set_level(logging.INFO, "merchantpay")
    return caplog


def test_log_line_names_the_callers_line(service, log):
    with service.client() as client:
        payment = client.new_payment(**NEW)
        service.fault("htmlBadGateway", operation="getStatus")
        client.get_status(payment.order_id)
        with pytest.raises(merchantpay.RejectedError):
            client.confirm("o-1\n")
    order = f"order {payment.order_id!r}"
    assert [(record.name, record.levelname, record.getMessage().rpartition(" HTTP")[0]) for record in log.records] == [
        ("merchantpay", "INFO", f"newPayment {order} attempt 1: ok,"),
        ("merchantpay", "WARNING", f"getStatus {order} attempt 1: unverified, outcome unknown,"),
        ("merchantpay", "INFO", f"getStatus {order} attempt 2: ok,"),
        ("merchantpay", "WARNING", "confirm order 'o-1\\n' attempt 1: rejected, outcome rejected,"),
    ]
    assert "HTTP 502, " in log.text and log.text.rstrip().endswith(" ms")
    assert {(record.filename, record.funcName) for record in log.records} == {("test_client.py", "test_log_line_names_the_callers_line")}
    assert not [secret for secret in (NEW["customer_account"], payment.payee_account, payment.deeplink) if secret in log.text]


@pytest.mark.parametrize(
    "raised, level", [(RuntimeError("disk full"), "INFO"), (KeyboardInterrupt(), "INFO"), (KeyboardInterrupt(), "WARNING")]
)
def test_raising_log_handler_does_not_change_the_result(client, monkeypatch, raised, level):
    class Handler(logging.Handler):
        def emit(self, record):
            raise raised

    logger, handler = logging.getLogger("merchantpay"), Handler()
    monkeypatch.setattr(logger, "handlers", [*logger.handlers, handler])
    logger.setLevel(level)
    try:
        if isinstance(raised, KeyboardInterrupt) and level == "INFO":
            with pytest.raises(KeyboardInterrupt):
                client.new_payment(**NEW)
        else:  # A level that is off costs no line.
            assert client.new_payment(**NEW).order_id
    finally:
        logger.setLevel(logging.NOTSET)


def test_logging_imported_late_gets_later_attempts():
    program = f"""
import sys
import merchantpay
client = merchantpay.Client("http://127.0.0.1:1", "m", {OWN.private_key!r}, {SERVICE.public_key!r})

def confirm(order_id):
    try:
        client.confirm(order_id)
    except merchantpay.TransportError:
        pass

confirm("o-1")
assert "logging" not in sys.modules
import logging
logging.basicConfig(format="%(name)s %(message)s", stream=sys.stdout)
confirm("o-2")
"""
    ran = subprocess.run([sys.executable, "-c", program], capture_output=True, text=True, timeout=60)
    assert (ran.returncode, ran.stderr) == (0, "")
    assert ran.stdout.startswith("merchantpay confirm order 'o-2' attempt 1: ") and "o-1" not in ran.stdout
