"""No repr, str or log line contains an account, a name, a key or a signature; frozen objects cannot be
changed."""

import copy
import logging
import pickle
import traceback
from decimal import Decimal

import merchantpay
import pytest
from conftest import Reply, client_of

ACCOUNT = "79001234567"


def test_no_repr_and_no_text_shows_a_secret(sandbox, client, service, caplog):
    caplog.set_level(logging.DEBUG)
    pair = merchantpay.generate_keypair()
    payment = client.new_payment(sum="1500.50", payment_method="sbp", customer_account=ACCOUNT)
    client.confirm(payment.order_id)
    body = payment.json.encode()
    event = merchantpay.WebhookVerifier(service.public_key).verify(body, service.sign(body))
    protocol = merchantpay.Protocol("https://pay.example", "m", pair.private_key, service.public_key)
    request = protocol.prepare_new_payment(sum="1", payment_method="sbp", customer_account=ACCOUNT)
    secrets = [
        ACCOUNT,
        payment.payee_account,
        payment.payee_name,
        payment.deeplink,
        pair.private_key,
        sandbox["MERCHANTPAY_PRIVATE_KEY"],
        request.headers["X-Signature"],
        service.sign(body),
    ]
    assert all(secrets)
    things = [client, payment, event, pair, protocol, request, client.webhook_verifier(), client.get_status(payment.order_id)]
    shown = [text for thing in things for text in (repr(thing), str(thing), f"{thing}")] + [caplog.text]
    assert caplog.text.count("newPayment") == 1
    for secret in secrets:
        assert not [text for text in shown if secret in text]


def test_no_error_shows_a_secret(script, scripted, service, merchant, caplog):
    caplog.set_level(logging.DEBUG)
    signature = service.sign(b"x")
    echo = {"success": False, "errorDescription": f"account {ACCOUNT} of Ivan Petrov is blocked"}
    script.answer(
        Reply(echo, service),
        Reply(f"<p>{ACCOUNT} {signature}".encode(), status=502, headers={"Content-Type": "text/html", "X-Signature": signature}),
        Reply({"success": True, "orderId": 7, "payeeName": "Ivan Petrov", "payeeAccount": ACCOUNT}, service),
    )
    for expected in (merchantpay.RejectedError, merchantpay.UnverifiedError, merchantpay.MalformedError):
        with pytest.raises(expected) as failed:
            scripted.new_payment(sum="1", payment_method="sbp", customer_account=ACCOUNT)
        error = failed.value
        texts = [str(error), repr(error), caplog.text, *traceback.format_exception_only(type(error), error)]
        for secret in (ACCOUNT, "Petrov", signature, merchant.private_key):
            assert not [text for text in texts if secret in text], expected
    assert len(script.requests) == 3


@pytest.mark.parametrize("kind", [merchantpay.Client, merchantpay.AsyncClient, merchantpay.Protocol])
@pytest.mark.parametrize("make", [lambda kind, *given: kind(*given), lambda kind, *given: kind.from_env(private_key=given[2])])
def test_a_report_of_a_refused_key_does_not_show_it(kind, make, monkeypatch):
    monkeypatch.setenv("MERCHANTPAY_BASE_URL", "https://pay.example")
    monkeypatch.setenv("MERCHANTPAY_KEY_ID", "m")
    monkeypatch.setenv("MERCHANTPAY_SERVER_PUBLIC_KEY", merchantpay.generate_keypair().public_key)
    key = "not a key\n"
    with pytest.raises(merchantpay.InvalidKeyError) as refused:
        make(kind, "https://pay.example", "m", key, merchantpay.generate_keypair().public_key)
    report = traceback.TracebackException.from_exception(refused.value, capture_locals=True)
    frames = [frame for frame in report.stack if "/merchantpay/_" in frame.filename.replace("\\", "/")]
    assert frames and not [frame for frame in frames if "not a key" in str(frame.locals)]
    assert f"{kind.__name__}(not made)" in str(frames[0].locals)


def test_results_are_frozen(client, service):
    payment = client.new_payment(sum="1", payment_method="sbp", customer_account=ACCOUNT)
    body = payment.json.encode()
    event = merchantpay.WebhookVerifier(service.public_key).verify(body, service.sign(body))
    amounts = client.get_available_amounts(sum="1", payment_method="sbp")
    for thing, name in [
        (payment, "sum"), (payment, "order_id"), (payment, "other"), (event, "payment"), (amounts, "available_amounts"),
        (merchantpay.generate_keypair(), "private_key"), (client, "timeout"),
    ]:  # fmt: skip
        with pytest.raises(AttributeError):
            setattr(thing, name, 1)
        with pytest.raises(AttributeError):
            delattr(thing, name)
    assert payment == payment and hash(payment) == hash(payment) and payment != event and payment != 7
    assert amounts == client.get_available_amounts(sum="1", payment_method="sbp")


def test_results_are_made_by_hand():
    made = merchantpay.Payment("o-1", sum=Decimal("1.50"), status=merchantpay.Status.DONE_SUCCESS)
    assert made == merchantpay.Payment(order_id="o-1", status=merchantpay.Status.DONE_SUCCESS, sum=Decimal("1.5"))
    assert (made.currency, made.is_final, made.unknown_fields, made.paid(1)) == (None, True, {}, "more")
    assert made.to_dict() == {"orderId": "o-1", "sum": Decimal("1.50"), "status": "doneSuccess"}
    assert merchantpay.StatusChanged(made).order_id == "o-1" and merchantpay.StatusChanged(made) != merchantpay.CredentialsFailed(made)
    assert merchantpay.AvailableAmounts((Decimal(1),)).available_amounts == (1,)
    for wrong in (
        lambda: merchantpay.Payment(),
        lambda: merchantpay.Payment("o-1", order_id="o-2"),
        lambda: merchantpay.Payment("o-1", total=1),
    ):
        with pytest.raises(TypeError):
            wrong()


def results(client, service):
    verifier = merchantpay.WebhookVerifier(service.public_key)
    yield client.new_payment(sum="1.50", payment_method="sbp", customer_account=ACCOUNT)
    yield client.get_available_amounts(sum="1.50", payment_method="sbp")
    for body in (
        b'{"success":true,"orderId":"o-1","sum":1.50,"status":"doneSuccess","x":[1.10]}',
        b'{"success":true,"orderId":"o-1","payeeAccount":"1","deeplink":"https://pay.example/1"}',
        b'{"success":false,"orderId":"o-1"}',
    ):
        yield verifier.verify(body, service.sign(body))


def test_results_are_copied_as_themselves_and_carried_by_pickles(client, service):
    kinds = set()
    for result in results(client, service):
        kinds.add(type(result).__name__)
        assert copy.copy(result) is result and copy.deepcopy([result])[0] is result
        for protocol in range(pickle.HIGHEST_PROTOCOL + 1):
            again = pickle.loads(pickle.dumps(result, protocol))
            assert type(again) is type(result) and again == result and hash(again) == hash(result) and repr(again) == repr(result)
        payment, second = (getattr(thing, "payment", thing) for thing in (result, again))
        assert payment.json == second.json
    assert kinds == {"Payment", "AvailableAmounts", "StatusChanged", "CredentialsIssued", "CredentialsFailed"}


@pytest.mark.parametrize("kind, json", [("Payment", "{}"), ("Payment", "no"), ("AvailableAmounts", "{}"), ("Other", '{"orderId":"o-1"}')])
def test_a_pickle_that_cannot_be_right_is_a_value_error(kind, json):
    unpickle = merchantpay._merchantpay._unpickle
    assert not [name for name in merchantpay.__all__ if "pickle" in name]
    with pytest.raises(ValueError, match="pickle"):
        unpickle(kind, json)


def test_two_clients_do_not_share_a_thing(sandbox):
    one, other = client_of(sandbox), client_of(sandbox)
    one.close()
    assert not other.closed and other.get_available_amounts(sum="1", payment_method="sbp")
