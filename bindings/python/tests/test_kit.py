"""`merchantpay.testing` and its pytest plugin, as a shop's tests use them."""

import os

import merchantpay
import pytest
from conftest import NEW, PROGRAM
from merchantpay import testing


def test_fixture_sets_the_environment(merchantpay_sandbox):
    with merchantpay.Client.from_env() as client:
        payment = client.new_payment(**NEW)
        client.confirm(payment.order_id)
        assert client.wait(payment.order_id, timeout=20).status == "doneSuccess"
    assert [one["orderId"] for one in merchantpay_sandbox.payments()] == [payment.order_id]
    assert "pays-less" in merchantpay_sandbox.accounts


@pytest.mark.merchantpay_sandbox(clock="manual", hold=True)
def test_sandbox_plays_customer_operator_and_clock(merchantpay_sandbox):
    with merchantpay_sandbox.client() as client:
        payment = client.new_payment(**NEW)
        merchantpay_sandbox.pay(payment.order_id, "less")
        merchantpay_sandbox.operate(payment.order_id, "approve")
        assert client.get_status(payment.order_id).paid("1500.50") == "less"
        merchantpay_sandbox.advance(1.5)
        with pytest.raises(merchantpay.InvalidArgumentError, match="refused POST"):
            merchantpay_sandbox.operate(payment.order_id, "approve")


# [kit]
def test_a_fault_loses_a_response_whose_payment_exists(merchantpay_sandbox):
    order = {"sum": "1500.50", "payment_method": "sbp", "customer_account": "79001234567"}
    merchantpay_sandbox.fault("dropAfterCommit", operation="newPayment")
    with merchantpay_sandbox.client() as client:
        with pytest.raises(merchantpay.TransportError) as lost:
            client.new_payment(**order)
        assert lost.value.outcome == "unknown" and len(merchantpay_sandbox.payments()) == 1
        merchantpay_sandbox.fault("latency", latencyMs=1, times=9)
        merchantpay_sandbox.clear_faults()
        client.new_payment(**order)


# [/kit]


def test_sandbox_client_takes_settings(merchantpay_sandbox):
    with merchantpay_sandbox.client(key_id="nobody", timeout=5) as client, pytest.raises(merchantpay.RejectedError):
        client.new_payment(**NEW)


def test_sandbox_webhook_verifies(merchantpay_sandbox):
    with merchantpay_sandbox.client() as client:
        hook = "http://127.0.0.1:9/hook"
        payment = client.new_payment_async(**NEW, credentials_webhook_url=hook, status_webhook_url=hook)
        webhook = merchantpay_sandbox.webhook(payment.order_id, "credentials")
        event = client.webhook_verifier().verify_request(webhook.body, webhook.headers)
    assert (webhook.path, event.kind, event.order_id) == ("/hook", "credentials", payment.order_id)
    assert webhook.verifier().verify(webhook.body, webhook.signature, webhook.key_id) == event


def test_sandbox_environment_replaces_the_machines(merchantpay_sandbox, monkeypatch):
    monkeypatch.setenv("MERCHANTPAY_PROXY", "http://127.0.0.1:1")
    monkeypatch.setenv("MERCHANTPAY_PROGRAM", str(PROGRAM))
    merchantpay_sandbox.set_environment(monkeypatch)
    assert "MERCHANTPAY_PROXY" not in os.environ and os.environ["MERCHANTPAY_PROGRAM"] == str(PROGRAM)


def test_sandbox_program_is_found_or_error_names_it(tmp_path, monkeypatch):
    with testing.Sandbox(program=PROGRAM, seed=7) as sandbox:
        assert sandbox.url.startswith("http://127.0.0.1:")
    sandbox.stop()
    with pytest.raises(merchantpay.InvalidArgumentError, match="is not a program: set"):
        testing.Sandbox(program=tmp_path / "none")
    with monkeypatch.context() as patch, pytest.raises(merchantpay.InvalidArgumentError, match="is not installed.*MERCHANTPAY_PROGRAM"):
        patch.setenv("PATH", str(tmp_path))
        patch.setattr(testing._sandbox._program, "find", lambda: None)
        testing.Sandbox()
    with pytest.raises(merchantpay.InvalidArgumentError, match="the sandbox did not start: .*clock"):
        testing.Sandbox(clock="broken")


def test_a_webhook_is_signed_without_a_sandbox():
    webhook = testing.signed_webhook("order-7", "doneSuccess", sum="1500.50", deal_rate=1)
    event = webhook.verifier().verify_request(webhook.body, webhook.headers)
    assert (event.kind, event.order_id, str(event.payment.sum)) == ("status", "order-7", "1500.50")
    other = testing.signed_webhook(status="doneFail")
    assert other.server_public_key == webhook.server_public_key and other.body != webhook.body
    keys = merchantpay.generate_keypair()
    own = testing.signed_webhook("o", deeplink="https://bank.example", keys=keys, key_id="k", path="/pay")
    assert own.verifier().verify(own.body, own.signature).kind == "credentials" and own.server_public_key == keys.public_key
    failed = testing.signed_webhook("o", success=False)
    assert failed.verifier().verify(failed.body, failed.signature).kind == "credentials_failed"


def test_made_results_equal_returned_ones():
    payment = testing.payment("o-1", status="doneSuccess", sum="1500.50", payee_account="2200")
    assert (payment.order_id, payment.status, str(payment.sum), payment.payee_account) == ("o-1", "doneSuccess", "1500.50", "2200")
    amounts = testing.available_amounts(["100.00", 200], other_amounts_possible=False)
    assert [str(amount) for amount in amounts.available_amounts] == ["100.00", "200"] and not amounts.other_amounts_possible
    entry = testing.entry("order-7", standing="final", payment=payment, attempt=2, news=5)
    assert entry.succeeded and entry.status == "doneSuccess" and not entry.acknowledged and entry.news == 5
    assert (entry.reference, entry.attempt, entry.order_id, str(entry.sum_paid)) == ("order-7", 2, "o-1", "1500.50")
    shown = testing.entry(payment=testing.payment("o-2", deeplink="https://bank.example"))
    assert shown.credentials.deeplink == "https://bank.example" and shown.standing is merchantpay.Standing.OPEN
    less = testing.entry(standing="final", payment=testing.payment(status="doneSuccess", sum=1), attention=["sum_differs"])
    assert not less.succeeded and less.attention == ("sum_differs",)
    failed = testing.entry(standing="refused", error=merchantpay.RejectedError("no", description="no account"))
    assert (failed.error.code, failed.error.outcome, failed.error.description) == ("rejected", "rejected", "no account")
    for wrong, kind in ((lambda: testing.payment(sum=1.5), TypeError), (lambda: testing.entry(standing="paid"), ValueError)):
        with pytest.raises(kind):
            wrong()
