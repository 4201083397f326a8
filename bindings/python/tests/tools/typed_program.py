"""Type-checked, never run. Each `type: ignore[…]` marks an error that mypy must report: test_types.py runs it with
--warn-unused-ignores."""

import sqlite3
from datetime import datetime
from decimal import Decimal
from pathlib import Path

import merchantpay
from merchantpay import testing
from typing_extensions import assert_type

URL = "postgresql://shop@db/shop"


def results(client: merchantpay.Client, protocol: merchantpay.Protocol) -> None:
    payment = client.new_payment(sum=Decimal("1"), payment_method=merchantpay.PaymentMethod.CARD, customer_account="1")
    assert_type(payment, merchantpay.Payment)
    assert_type(payment.sum, "Decimal | None")
    assert_type(payment.status, "merchantpay.Status | None")
    assert_type(payment.paid("1"), "merchantpay.Paid | None")
    amounts = protocol.prepare_get_available_amounts(sum=1, payment_method="card").open(200, {}, b"")
    assert_type(amounts.available_amounts, "tuple[Decimal, ...]")
    assert_type(protocol.prepare_confirm("o").open(200, [(b"x-signature", b"x")], b""), merchantpay.Payment)
    client.attach_receipt("o", ["a.pdf", Path("b.pdf"), ("c.pdf", b"%PDF", "application/pdf")])
    assert_type(merchantpay.Client.from_env(timeout=5, ca_file=Path("ca.pem"), pin_spki=["sha256/x"]), merchantpay.Client)
    with client.derive(timeout=1.5) as entered:
        assert_type(entered, merchantpay.Client)
    client.new_payment(sum=1.5, payment_method="sbp", customer_account="1")  # type: ignore[arg-type]
    client.new_payment("1", "sbp", "1")  # type: ignore[call-arg]
    client.new_payment(sum=1, payment_method="SBP", customer_account="1")  # type: ignore[arg-type]
    client.attach_receipt("o", [("c.gif", b"GIF8", "image/gif")])  # type: ignore[list-item]
    client.confirm("o", timeout="1")  # type: ignore[arg-type]
    merchantpay.Client.from_env(time_out=1)  # type: ignore[call-arg]
    payment.order_id = "o"  # type: ignore[misc]


def journal(client: merchantpay.Client) -> None:
    opened = merchantpay.Journal(client, URL, callback_url="https://shop.example/pay", durability_vouched=["fsync"], connections=2)
    opened = merchantpay.Journal(client, Path("/srv/payments.db"), create=True, timeout=20, password_file=Path("/run/password"))
    entry = opened.pay("order", sum="1", payment_method="sbp", customer_account="1")
    assert_type(entry, merchantpay.Entry)
    assert_type(entry.standing, merchantpay.Standing)
    assert_type(entry.credentials, "merchantpay.Payment | None")
    assert_type(entry.attention, "tuple[merchantpay.Attention, ...]")
    assert_type(entry.created_at, datetime)
    assert_type(opened.confirm(entry), merchantpay.Entry)
    assert_type(opened.cancel("order", 1), merchantpay.Entry)
    assert_type(opened.find("order"), "merchantpay.Entry | None")
    assert_type(opened.list("open", before=entry), "list[merchantpay.Entry]")
    assert_type(opened.wait("order", timeout=5, until=merchantpay.Until.FINAL), merchantpay.Entry)
    assert_type(opened.settle().next_due, "float | None")
    assert_type(opened.acknowledge("order", 1, entry.news), bool)
    assert_type(opened.receive("/x", b"", None).error, "merchantpay.Error | None")
    for item in opened.attention():
        if isinstance(item, merchantpay.Unreadable):
            assert_type(item.column, str)
        else:
            assert_type(opened.resolve(item, seen=True, note="looked at"), "merchantpay.Entry | None")
    opened.resolve(entry, seen=["stuck", merchantpay.Attention.UNKNOWN], note="looked at")
    sqlite3.connect("shop.db").execute(*entry.acknowledge_sql(merchantpay.Style.COLON))
    opened.list("paid")  # type: ignore[arg-type]
    opened.resolve(entry, seen=True)  # type: ignore[call-arg]
    opened.confirm("order")  # type: ignore[call-overload]
    entry.attempt = 2  # type: ignore[misc]


def events(verifier: merchantpay.WebhookVerifier, error: merchantpay.Error) -> str:
    event = verifier.verify_request(b"", {"X-Signature": "x"})
    verifier.verify("{}", "x")  # type: ignore[arg-type]
    assert_type(error.outcome, merchantpay.Outcome)
    assert_type(error.reason, "merchantpay.Reason | None")
    if isinstance(event, merchantpay.CredentialsIssued):
        return event.payment.deeplink or ""
    if isinstance(event, merchantpay.CredentialsFailed) or error.outcome == "not_sent":
        return event.order_id
    assert_type(event, merchantpay.StatusChanged)
    return event.kind


async def replaced_by_a_test(client: merchantpay.Client, journal: merchantpay.Journal, own: merchantpay.AsyncClient) -> None:
    as_client: merchantpay.ClientLike = client
    as_journal: merchantpay.JournalLike = journal
    assert_type(as_client.new_payment(sum=1, payment_method="sbp", customer_account="1"), merchantpay.Payment)
    assert_type(as_journal.acknowledge("order", 1, 1), bool)
    assert_type(testing.entry(payment=testing.payment(status="doneSuccess", sum="1")), merchantpay.Entry)
    assert_type(await own.new_payment(sum="1", payment_method="sbp", customer_account="1", timeout=1), merchantpay.Payment)
    assert_type(await merchantpay.AsyncJournal(own, URL).cancel("order", 1), merchantpay.Entry)
    assert_type(merchantpay.outcome_of(ValueError()), "merchantpay.Outcome | None")
    async with merchantpay.AsyncClient.from_env(max_calls=8) as entered:
        assert_type(entered.derive(timeout=1), merchantpay.AsyncClient)
    await own.new_payment(sum=1.5, payment_method="sbp", customer_account="1")  # type: ignore[arg-type]
