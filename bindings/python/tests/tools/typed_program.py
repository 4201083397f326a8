"""This program is checked, but not run. It has types that checkers must see, and errors that checkers must
report in lines with an ignore comment."""

import sqlite3
from datetime import datetime
from decimal import Decimal
from pathlib import Path

import merchantpay
from merchantpay import testing
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


def journal(client: merchantpay.Client) -> None:
    over = merchantpay.Journal(client, "postgresql://shop@db/shop", callback_url="https://shop.example/pay", durability_vouched=["fsync"])
    over = merchantpay.Journal(
        client, Path("/srv/payments.db"), create=True, timeout=20, password_file=Path("/run/password"), connections=2
    )
    entry = over.pay("order", sum="1", payment_method="sbp", customer_account="1")
    assert_type(entry, merchantpay.Entry)
    assert_type(entry.standing, merchantpay.Standing)
    assert_type(entry.status, "merchantpay.Status | None")
    assert_type(entry.credentials, "merchantpay.Payment | None")
    assert_type(entry.attention, "tuple[merchantpay.Attention, ...]")
    assert_type(entry.created_at, datetime)
    assert_type(over.replace("order", 1, sum=1, payment_method="card", customer_account="1"), merchantpay.Entry)
    assert_type(over.confirm(entry), merchantpay.Entry)
    assert_type(over.cancel("order", 1), merchantpay.Entry)
    assert_type(over.find("order"), "merchantpay.Entry | None")
    assert_type(over.list(merchantpay.Standing.OPEN, before=entry), "list[merchantpay.Entry]")
    assert_type(over.list("open"), "list[merchantpay.Entry]")
    assert_type(over.wait("order", timeout=5, until=merchantpay.Until.FINAL), merchantpay.Entry)
    assert_type(over.settle().next_due, "float | None")
    assert_type(over.acknowledge(entry), bool)
    assert_type(over.acknowledge("order", 1, entry.news), bool)
    assert_type(over.receive("/x", b"", None).error, "merchantpay.Error | None")
    for item in over.attention():
        if isinstance(item, merchantpay.Unreadable):
            assert_type(item.column, str)
        else:
            assert_type(over.resolve(item, seen=True, note="looked at"), "merchantpay.Entry | None")
    over.resolve(entry, seen=["stuck", merchantpay.Attention.UNKNOWN], note="looked at")
    over.resolve(entry, order_id="o", sum="1", note="support says so")
    assert_type(over.stats().standings, "dict[str, int]")
    sqlite3.connect("shop.db").execute(*entry.acknowledge_sql("question"))
    sqlite3.connect("shop.db").execute(*entry.acknowledge_sql(merchantpay.Style.COLON))
    over.pay("order", sum=1.5, payment_method="sbp", customer_account="1")  # type: ignore[arg-type]
    over.list("paid")  # type: ignore[arg-type]
    over.resolve(entry, seen=True)  # type: ignore[call-arg]
    over.confirm("order")  # type: ignore[call-overload]
    entry.attempt = 2  # type: ignore[misc]


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
    client.new_payment(sum=1, payment_method="SBP", customer_account="1")  # type: ignore[arg-type]
    client.new_payment(sum=1, payment_method="sbp", customer_account="1", currency="USD")  # type: ignore[arg-type]
    client.attach_receipt("o", [("c.gif", b"GIF8", "image/gif")])  # type: ignore[list-item]
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


def replaced_by_a_test(client: merchantpay.Client, journal: merchantpay.Journal) -> None:
    as_client: merchantpay.ClientLike = client
    as_journal: merchantpay.JournalLike = journal
    assert_type(as_client.new_payment(sum=1, payment_method="sbp", customer_account="1"), merchantpay.Payment)
    assert_type(as_journal.find("order"), "merchantpay.Entry | None")
    assert_type(as_journal.acknowledge("order", 1, 1), bool)
    assert_type(testing.entry(payment=testing.payment(status="doneSuccess", sum="1")), merchantpay.Entry)
    assert_type(testing.signed_webhook("o", "doneFail").headers, "dict[str, str]")


async def awaited(client: merchantpay.AsyncClient, journal: merchantpay.AsyncJournal) -> None:
    assert_type(await client.new_payment(sum="1", payment_method="sbp", customer_account="1", timeout=1), merchantpay.Payment)
    assert_type(await journal.pay("order", sum="1", payment_method="sbp", customer_account="1"), merchantpay.Entry)
    assert_type(merchantpay.outcome_of(ValueError()), "merchantpay.Outcome | None")
    assert_type(await journal.cancel("order", 1), merchantpay.Entry)
    async with merchantpay.AsyncClient.from_env(max_calls=8) as entered:
        assert_type(entered.derive(timeout=1), merchantpay.AsyncClient)
    await client.new_payment(sum=1.5, payment_method="sbp", customer_account="1")  # type: ignore[arg-type]
