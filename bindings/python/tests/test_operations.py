"""The seven operations with the sandbox (contract, section 4)."""

import threading
import time
from decimal import Decimal

import merchantpay
import pytest
from conftest import Reply, client_of

NEW = {"sum": "1500.50", "payment_method": "sbp", "customer_account": "79001234567"}


def test_a_new_payment_comes_with_its_credentials(client):
    payment = client.new_payment(**NEW, merchant_id="m-1", payer_bank="100000000004")
    assert isinstance(payment, merchantpay.Payment)
    assert payment.sum == Decimal("1500.50") and str(payment.sum) == "1500.50"
    assert payment.currency == "RUB" and payment.deal_currency == "RUB"
    assert isinstance(payment.deal_rate, Decimal)
    for text in (payment.order_id, payment.payee_account, payment.payee_account_bank, payment.payee_name, payment.deeplink):
        assert isinstance(text, str) and text
    assert payment.status is None and not payment.is_final
    assert payment.unknown_fields == {}
    assert payment.order_id in payment.json


def test_a_payment_is_confirmed_and_waited_for(client):
    payment = client.new_payment(**NEW)
    assert client.confirm(payment.order_id).order_id == payment.order_id
    done = client.wait(payment.order_id, timeout=20)
    assert done.status == "doneSuccess" and done.status is merchantpay.Status.DONE_SUCCESS
    assert done.is_final and done.currency is None


def test_available_amounts_are_exact_and_reserve_nothing(client):
    amounts = client.get_available_amounts(sum=Decimal("100.10"), payment_method="card", sum_drift_up=5, sum_drift_down="0.05")
    assert amounts.available_amounts == (Decimal("100.05"), Decimal("100.10"), Decimal("105.10"))
    assert amounts.other_amounts_possible is True
    none = client.get_available_amounts(sum="100.02", payment_method="card", customer_account="1")
    assert (none.available_amounts, none.other_amounts_possible) == ((), False)


def test_an_asynchronous_payment_is_delivered_by_webhooks(client, receiver):
    payment = client.new_payment_async(**NEW, credentials_webhook_url=receiver.url, status_webhook_url=receiver.url)
    assert payment.order_id and payment.payee_account is None
    issued = receiver.next()
    assert isinstance(issued, merchantpay.CredentialsIssued) and issued.kind == "credentials"
    assert issued.order_id == issued.payment.order_id == payment.order_id and issued.payment.payee_account
    client.confirm(payment.order_id)
    changed = receiver.next()
    assert isinstance(changed, merchantpay.StatusChanged) and changed.kind == "status"
    assert changed.payment.status == "doneSuccess" and changed.payment.is_final


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


@pytest.mark.parametrize(
    "account, status",
    [("pays-less", "doneSuccess"), ("never-pays", "doneFail"), ("payment-fails", "doneFail"), ("bare-credentials", "doneSuccess")],
)
def test_every_final_status_is_waited_for(client, account, status):
    payment = client.new_payment(**{**NEW, "customer_account": account})
    if account != "never-pays":
        client.confirm(payment.order_id)
    assert client.wait(payment.order_id, timeout=20).status == status


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


def test_a_signer_stands_in_for_the_private_key(sandbox, script, merchant, service):
    script.answer(Reply({"success": True, "orderId": "o-1", "status": "pending"}, service))
    signed = []

    def sign(body):
        signed.append(body)
        return merchant.raw(body)

    client = merchantpay.Client(script.url, "merchant-1", None, service.public_key, signer=sign, public_key=merchant.public_key)
    assert client.get_status("o-1").status == "pending"
    path, headers, body = script.requests[0]
    assert (path, body) == ("/api/v1/merchant/pay/status", b'{"orderId":"o-1"}')
    assert signed == [body] and merchant.verifies(body, headers["X-Signature"]) and headers["X-KeyId"] == "merchant-1"


def test_a_signer_that_fails_sends_nothing(script, merchant, service):
    def failing(body):
        raise OSError("the HSM is unplugged")

    def leaving(body):
        raise KeyboardInterrupt

    cases = [
        (failing, merchantpay.SignerError),
        (lambda body: b"short", merchantpay.SignerError),
        (lambda body: "text", merchantpay.SignerError),
        (lambda body: bytes(64), merchantpay.InvalidKeyError),
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
