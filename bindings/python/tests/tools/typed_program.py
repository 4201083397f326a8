"""This program is checked, but not run. It has types that checkers must see, and errors that checkers must
report in lines with an ignore comment."""

import sqlite3
from collections.abc import Callable
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


def journal(client: merchantpay.Client, connect: "Callable[[], sqlite3.Connection]") -> None:
    over = merchantpay.Journal(client, connect, callback_url="https://shop.example/pay", timeout=20, dialect="sqlite")
    over = merchantpay.Journal(client, Path("payments.db"), create=True, calls_per_second=5)
    entry = over.pay("order", sum="1", payment_method="sbp", customer_account="1", replace=1)
    assert_type(entry, merchantpay.Entry)
    assert_type(entry.standing, merchantpay.Standing)
    assert_type(entry.credentials, "merchantpay.Payment | None")
    assert_type(entry.attention, "tuple[merchantpay.Attention, ...]")
    assert_type(entry.created_at, datetime)
    assert_type(entry.due_at, "datetime | None")
    assert_type(over.find("order"), "merchantpay.Entry | None")
    assert_type(over.list(merchantpay.Standing.OPEN, before=entry), "list[merchantpay.Entry]")
    assert_type(over.list("open"), "list[merchantpay.Entry]")
    assert_type(over.wait("order", timeout=5, until=merchantpay.Until.FINAL), merchantpay.Entry)
    assert_type(over.settle().next_due, "float | None")
    assert_type(over.acknowledge(entry, connect()), bool)
    assert_type(over.receive("/x", b"", None).error, "merchantpay.Error | None")
    for item in over.attention():
        assert_type(over.resolve(item, seen=True, note="looked at"), "merchantpay.Entry | None")
    over.pay("order", sum=1.5, payment_method="sbp", customer_account="1")  # type: ignore[arg-type]
    assert_type(over.stats().standings, "dict[str, int]")
    assert_type(over.purge(entry.created_at), int)
    assert_type([over.import_line(line) for line in over.export_lines()], "list[bool]")
    over.list("paid")  # type: ignore[arg-type]
    over.resolve(entry, seen=True)  # type: ignore[call-arg]


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
    for item in as_journal.attention():
        as_journal.resolve(item, seen=True, note="looked at")
    assert_type(testing.entry(payment=testing.payment(status="doneSuccess", sum="1")), merchantpay.Entry)
    assert_type(testing.signed_webhook("o", "doneFail").headers, "dict[str, str]")


async def awaited(client: merchantpay.AsyncClient, journal: merchantpay.AsyncJournal) -> None:
    assert_type(await client.new_payment(sum="1", payment_method="sbp", customer_account="1", timeout=1), merchantpay.Payment)
    assert_type(await journal.pay("order", sum="1", payment_method="sbp", customer_account="1"), merchantpay.Entry)
    assert_type(merchantpay.outcome_of(ValueError()), "merchantpay.Outcome | None")
    assert_type([line async for line in journal.export_lines()], "list[str]")
    async with merchantpay.AsyncClient.from_env(max_calls=8) as entered:
        assert_type(entered.derive(timeout=1), merchantpay.AsyncClient)
    await client.new_payment(sum=1.5, payment_method="sbp", customer_account="1")  # type: ignore[arg-type]
