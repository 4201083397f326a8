"""Deadlines of single calls, derived clients, interruption, and connections that `connect` opens before a call."""

import socket
import threading

import merchantpay
import pytest
from conftest import Reply

NEW = {"sum": "1", "payment_method": "sbp", "customer_account": "1"}
OK = {"success": True, "orderId": "o-1", "status": "pending", "deeplink": "d"}
CALLS = {
    "get_available_amounts": lambda client, **more: client.get_available_amounts(sum="1", payment_method="sbp", **more),
    "new_payment": lambda client, **more: client.new_payment(**NEW, **more),
    "new_payment_async": lambda client, **more: client.new_payment_async(**NEW, credentials_webhook_url="https://s.example", **more),
    "confirm": lambda client, **more: client.confirm("o-1", **more),
    "cancel": lambda client, **more: client.cancel("o-1", **more),
    "get_status": lambda client, **more: client.get_status("o-1", **more),
    "attach_receipt": lambda client, **more: client.attach_receipt("o-1", [("r.pdf", b"%PDF", "application/pdf")], **more),
}


def test_every_operation_is_here():
    assert len(CALLS) == 7


@pytest.fixture
def patient(script, merchant, service):
    """A client with a deadline that is longer than any test."""
    with merchantpay.Client(script.url, "m", merchant.private_key, service.public_key, timeout=600, max_retries=0) as client:
        yield client


@pytest.mark.parametrize("name", CALLS)
def test_a_call_may_have_a_deadline_of_its_own(script, patient, name):
    gate = threading.Event()
    script.answer(Reply(OK, gate=gate))
    with pytest.raises(merchantpay.RequestTimeoutError) as late:
        CALLS[name](patient, timeout=0.3)
    gate.set()
    assert (late.value.outcome, late.value.is_transient) == ("unknown", True) and patient.timeout == 600


@pytest.mark.parametrize("name", [*CALLS, "connect", "derive"])
def test_a_deadline_that_cannot_be_is_refused(script, patient, name):
    call = CALLS.get(name, lambda client, **more: getattr(client, name)(**more))
    for timeout in (0, 0.0, -1, 1e-12, float("nan"), float("inf")):
        with pytest.raises(merchantpay.InvalidArgumentError, match="timeout") as refused:
            call(patient, timeout=timeout)
        assert refused.value.outcome == "not_sent"
    for timeout in ("1", True, [1]):
        with pytest.raises(TypeError, match="timeout must be a number of seconds"):
            call(patient, timeout=timeout)
    assert script.requests == []


class Caller(threading.Thread):
    """A call on a separate thread. The thread keeps the call's error."""

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


def test_an_interruption_ends_a_wait(script, patient, service):
    arrived = threading.Event()
    script.answer(Reply(OK, service), *[Reply(OK, service, arrived=arrived)] * 100)
    caller = Caller(lambda: patient.wait("o-1"))
    assert arrived.wait(20)
    patient.interrupt()
    error = caller.end()
    assert type(error) is merchantpay.CallCancelledError and error.order_id == "o-1"


def test_an_interruption_reaches_what_is_derived_and_nothing_above(script, patient, service):
    first, second = patient.derive(), patient.derive(timeout=7.5)
    below = first.derive()
    assert (first.timeout, second.timeout, below.timeout) == (600, 7.5, 600)
    first.interrupt()
    for client in (first, below):
        with pytest.raises(merchantpay.CallCancelledError):
            client.get_status("o-1", timeout=5)
    script.answer(Reply(OK, service), Reply(OK, service))
    assert patient.get_status("o-1").order_id == second.get_status("o-1").order_id == "o-1"
    patient.interrupt()
    with pytest.raises(merchantpay.CallCancelledError):
        second.get_status("o-1")
    assert len(script.requests) == 2


def test_what_is_derived_shares_connections_and_is_closed_alone(script, patient, service):
    script.answer(*[Reply(OK, service)] * 3)
    derived = patient.derive()
    patient.get_status("o-1")
    derived.get_status("o-1")
    assert script.connections == 1
    derived.close()
    assert derived.closed and not patient.closed
    patient.get_status("o-1")
    for call in (derived.interrupt, derived.derive, derived.connect, lambda: derived.timeout):
        with pytest.raises(merchantpay.InvalidArgumentError, match="the client is closed"):
            call()


def test_a_connection_that_was_opened_ahead_of_time_is_used_by_the_next_call(script, patient, service):
    script.answer(Reply(OK, service))
    assert patient.connect() is None and patient.connect(timeout=20) is None
    assert script.accepted(2)
    assert patient.new_payment(**NEW).order_id == "o-1"
    assert script.connections == 2 and len(script.requests) == 1


def test_a_connection_that_cannot_be_opened_was_sent_nothing(merchant, service):
    with socket.socket() as closed:
        closed.bind(("127.0.0.1", 0))
        port = closed.getsockname()[1]
    client = merchantpay.Client(f"http://127.0.0.1:{port}", "m", merchant.private_key, service.public_key)
    with pytest.raises(merchantpay.TransportError) as failed:
        client.connect()
    assert (failed.value.outcome, failed.value.is_transient) == ("not_sent", True)


def test_a_connection_is_reused_for_money_as_long_as_the_setting_says(script, merchant, service):
    for idle, connections in ((20, 1), (0, 2)):
        before = script.connections
        with merchantpay.Client(script.url, "m", merchant.private_key, service.public_key, reuse_idle=idle) as client:
            script.answer(Reply(OK, service), Reply(OK, service))
            client.confirm("o-1")
            client.confirm("o-1")
        assert script.connections - before == connections
