"""Checked, not run: what type checkers must see, and, in the lines that ignore an error, what they must refuse."""

from decimal import Decimal
from pathlib import Path

import merchantpay
from typing_extensions import assert_type


def results(client: merchantpay.Client, protocol: merchantpay.Protocol) -> None:
    payment = client.new_payment(sum=Decimal("1"), payment_method=merchantpay.PaymentMethod.CARD, customer_account="1")
    assert_type(payment, merchantpay.Payment)
    assert_type(payment.order_id, str)
    assert_type(payment.sum, "Decimal | None")
    assert_type(payment.status, "merchantpay.Status | None")
    amounts = protocol.prepare_get_available_amounts(sum=1, payment_method="card").open(200, {}, b"")
    assert_type(amounts.available_amounts, "tuple[Decimal, ...]")
    assert_type(protocol.prepare_confirm("o").open(200, [(b"x-signature", b"x")], b""), merchantpay.Payment)
    client.attach_receipt("o", ["a.pdf", Path("b.pdf"), ("c.pdf", b"%PDF", "application/pdf")])
    client.confirm("o", timeout=1.5)
    assert_type(client.derive(timeout=2), merchantpay.Client)
    assert_type(payment.paid("1"), "merchantpay.Paid | None")
    assert_type(merchantpay.Client.from_env(timeout=5, ca_file=Path("ca.pem"), pin_spki=["sha256/x"]), merchantpay.Client)
    with client as entered:
        assert_type(entered, merchantpay.Client)


def events(verifier: merchantpay.WebhookVerifier, event: merchantpay.Event) -> str:
    event = verifier.verify_request(b"", {"X-Signature": "x"})
    if isinstance(event, merchantpay.CredentialsIssued):
        return event.payment.deeplink or ""
    if isinstance(event, merchantpay.CredentialsFailed):
        return event.order_id
    assert_type(event, merchantpay.StatusChanged)
    return event.kind


def refused(client: merchantpay.Client, verifier: merchantpay.WebhookVerifier, payment: merchantpay.Payment) -> None:
    client.new_payment(sum=1.5, payment_method="sbp", customer_account="1")  # type: ignore[arg-type]
    client.new_payment("1", "sbp", "1")  # type: ignore[call-arg]
    verifier.verify("{}", "x")  # type: ignore[arg-type]
    verifier.verify({}, "x")  # type: ignore[arg-type]
    payment.order_id = "o"  # type: ignore[misc]
    payment.paid(1.5)  # type: ignore[arg-type]
    client.confirm("o", timeout="1")  # type: ignore[arg-type]
    merchantpay.Client.from_env(time_out=1)  # type: ignore[call-arg]
    merchantpay.Client.from_env(client_certificate="client.pem")  # type: ignore[arg-type]


def errors(error: merchantpay.Error) -> None:
    assert_type(error.outcome, merchantpay.Outcome)
    assert_type(error.reason, "merchantpay.Reason | None")
    assert_type(error.is_transient, bool)
    assert_type(merchantpay.RejectedError("x").code, merchantpay.Code)
    if error.outcome == "not_sent" or error.code == merchantpay.Code.TIMEOUT:
        print(error.description, error.http_status, error.order_id)
