"""The seven operations with the sandbox (contract, section 4)."""

import threading
import time

import merchantpay
import pytest
from conftest import Reply, client_of

NEW = {"sum": "1500.50", "payment_method": "sbp", "customer_account": "79001234567"}


def test_a_payment_is_confirmed_and_waited_for(client):
    payment = client.new_payment(**NEW)
    assert client.confirm(payment.order_id).order_id == payment.order_id
    done = client.wait(payment.order_id, timeout=20)
    assert done.status == "doneSuccess" and done.status is merchantpay.Status.DONE_SUCCESS
    assert done.is_final and done.currency is None


@pytest.mark.parametrize("kind", ["path", "str", "memory", "several"])
def test_a_receipt_ends_arbitration(client, tmp_path, kind):
    payment = client.new_payment(**{**NEW, "customer_account": "arbitration"})
    client.confirm(payment.order_id)
    with pytest.raises(merchantpay.RequestTimeoutError) as waiting:
        while True:
            client.wait(payment.order_id, timeout=0.5)
            raise AssertionError("the payment is not in arbitration")
    assert waiting.value.order_id == payment.order_id
    while client.get_status(payment.order_id).status != "receiptRequired":
        pass
    path = tmp_path / "receipt.pdf"
    path.write_bytes(b"%PDF-1.4 receipt")
    memory = ("receipt.png", b"\x89PNG\r\n\x1a\n receipt", "image/png")
    files = {"path": [path], "str": [str(path)], "memory": [memory], "several": [path, memory]}[kind]
    assert client.attach_receipt(payment.order_id, files).order_id == payment.order_id
    assert client.wait(payment.order_id, timeout=20).status == "doneSuccess"


def test_a_wait_that_runs_out_of_time_says_where_the_payment_stands(client):
    payment = client.new_payment(**{**NEW, "customer_account": "stays-pending"})
    with pytest.raises(merchantpay.RequestTimeoutError) as late:
        client.wait(payment.order_id, timeout=0.01)
    assert "pending" in str(late.value) and late.value.outcome == "unknown" and late.value.order_id == payment.order_id
    assert isinstance(late.value, TimeoutError)


def test_a_wait_for_an_order_that_does_not_exist_ends_at_once(client):
    with pytest.raises(merchantpay.RejectedError) as refused:
        client.wait("sb-000000000000000000000000")
    assert refused.value.reason == merchantpay.Reason.ORDER_NOT_FOUND


def proxy_page(status=502):
    return Reply(b"<h1>Bad Gateway</h1>", status=status, headers={"Content-Type": "text/html"})


def impatient(script, merchant, service):
    """A client without retries, so that each query of a wait is one request."""
    return merchantpay.Client(script.url, "m", merchant.private_key, service.public_key, max_retries=0)


def test_a_wait_goes_on_through_faults_that_pass(script, merchant, service):
    pending, done = ({"success": True, "orderId": "o-1", "status": status} for status in ("pending", "doneSuccess"))
    script.answer(*[proxy_page(status) for status in (502, 429, 503, 502)], Reply(pending, service), proxy_page(), Reply(done, service))
    assert impatient(script, merchant, service).wait("o-1", timeout=60).status == "doneSuccess"
    assert len(script.requests) == 7


def test_a_wait_with_a_timeout_asks_until_it_has_passed(script, merchant, service):
    script.answer(*[proxy_page()] * 20)
    started = time.monotonic()
    with pytest.raises(merchantpay.UnverifiedError) as failed:
        impatient(script, merchant, service).wait("o-1", timeout=2)
    assert failed.value.http_status == 502 and time.monotonic() - started >= 2
    assert len(script.requests) > 3


def test_a_wait_without_a_timeout_gives_up_in_the_end(script, merchant, service):
    script.answer(*[proxy_page()] * 20)
    with pytest.raises(merchantpay.UnverifiedError):
        impatient(script, merchant, service).wait("o-1")
    assert len(script.requests) == 8 and "eighth" in merchantpay.Client.wait.__doc__


def test_a_wait_does_not_ask_again_what_will_not_change(script, merchant, service):
    forged = Reply({"success": True, "orderId": "o-1", "status": "doneSuccess"}, merchant)
    for reply, expected in [(proxy_page(404), merchantpay.UnverifiedError), (forged, merchantpay.UnverifiedError)]:
        script.answer(reply)
        with pytest.raises(expected):
            impatient(script, merchant, service).wait("o-1", timeout=60)
    assert len(script.requests) == 2


def test_a_wait_ends_with_what_its_signer_raises(script, merchant, service):
    asked = []

    def sign(message):
        asked.append(message)
        raise InterruptedError("the time for this job is up")

    client = merchantpay.Client(script.url, "m", None, service.public_key, signer=sign, public_key=merchant.public_key, max_retries=0)
    with pytest.raises(merchantpay.Error) as failed:
        client.wait("o-1", timeout=60)
    assert isinstance(failed.value.__cause__, InterruptedError) and failed.value.outcome == "not_sent"
    assert len(asked) == 1 and not script.requests


def test_closing_ends_a_wait_before_its_next_question(script, merchant, service):
    gate, arrived = threading.Event(), threading.Event()
    script.answer(*[Reply({"success": True, "orderId": "o-1", "status": "pending"}, service, gate=gate, arrived=arrived)] * 5)
    client = impatient(script, merchant, service)
    failures = []

    def work():
        try:
            client.wait("o-1")
        except merchantpay.InvalidArgumentError as error:
            failures.append(str(error))

    thread = threading.Thread(target=work)
    thread.start()
    assert arrived.wait(20)
    client.close()
    gate.set()
    thread.join(20)
    assert failures == ["invalid_argument: the client is closed"] and len(script.requests) == 1


def test_a_closed_client_refuses_every_call(sandbox):
    client = client_of(sandbox)
    with client as entered:
        assert entered is client and not client.closed
    assert client.closed and "closed" in repr(client)
    client.close()
    for call in (lambda: client.get_status("o-1"), lambda: client.new_payment(**NEW), lambda: client.wait("o-1"), client.__enter__):
        with pytest.raises(merchantpay.InvalidArgumentError) as refused:
            call()
        assert "closed" in str(refused.value) and refused.value.outcome == "not_sent"


def test_a_signer_that_fails_sends_nothing(script, merchant, service):
    def failing(body):
        raise OSError("the HSM is unplugged")

    def leaving(body):
        raise KeyboardInterrupt

    cases = [
        (failing, merchantpay.SignerError),
        (lambda body: "text", merchantpay.SignerError),
        (leaving, KeyboardInterrupt),
    ]
    for signer, expected in cases:
        client = merchantpay.Client(script.url, "merchant-1", None, service.public_key, signer=signer, public_key=merchant.public_key)
        with pytest.raises(expected) as failed:
            client.confirm("o-1")
        if expected is not KeyboardInterrupt:
            assert failed.value.outcome == "not_sent"
        if signer is failing:
            assert isinstance(failed.value.__cause__, OSError) and "unplugged" not in str(failed.value)
    assert script.requests == []
