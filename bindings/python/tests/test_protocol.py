"""Requests and replies without I/O, for hosts with their own HTTP stack."""

import http.client
import urllib.parse
from decimal import Decimal

import merchantpay
import pytest
from conftest import Key

NEW = {"sum": "1500.50", "payment_method": "sbp", "customer_account": "79001234567"}


@pytest.fixture(scope="module")
def protocol(merchant, service):
    return merchantpay.Protocol("https://pay.example/v/", "merchant-1", merchant.private_key, service.public_key)


def exchange(request):
    """Sends a prepared request with the standard library."""
    url = urllib.parse.urlsplit(request.url)
    connection = http.client.HTTPConnection(url.netloc, timeout=20)
    try:
        connection.request(request.method, url.path, request.body, request.headers)
        reply = connection.getresponse()
        return request.open(reply.status, reply.headers, reply.read())
    finally:
        connection.close()


def test_the_whole_life_of_a_payment_over_another_http_stack(sandbox):
    protocol = merchantpay.Protocol(
        sandbox["MERCHANTPAY_BASE_URL"],
        sandbox["MERCHANTPAY_KEY_ID"],
        sandbox["MERCHANTPAY_PRIVATE_KEY"],
        sandbox["MERCHANTPAY_SERVER_PUBLIC_KEY"],
        server_key_id=[sandbox["MERCHANTPAY_SERVER_KEY_ID"]],
    )
    amounts = exchange(protocol.prepare_get_available_amounts(sum="100", payment_method="card", sum_drift_up="5"))
    assert amounts.available_amounts == (Decimal("100"), Decimal("105"))
    payment = exchange(protocol.prepare_new_payment(**NEW))
    assert payment.sum == Decimal("1500.50") and payment.payee_account
    assert exchange(protocol.prepare_confirm(payment.order_id)).order_id == payment.order_id
    assert exchange(protocol.prepare_get_status(payment.order_id)).status in ("pending", "doneSuccess")
    other = exchange(protocol.prepare_new_payment_async(**NEW, credentials_webhook_url="http://127.0.0.1:9/"))
    assert exchange(protocol.prepare_get_status(other.order_id)).order_id == other.order_id
    third = exchange(protocol.prepare_new_payment(**NEW))
    assert exchange(protocol.prepare_cancel(third.order_id)).order_id == third.order_id
    receipt = protocol.prepare_attach_receipt(third.order_id, [("r.pdf", b"%PDF", "application/pdf")])
    with pytest.raises(merchantpay.RejectedError):
        exchange(receipt)


def test_a_request_is_the_bytes_that_were_signed(protocol, merchant):
    path = "https://pay.example/v/api/v1/merchant/pay"
    order = b'{"orderId":"o-1"}'
    for request, end, body in [
        (protocol.prepare_confirm("o-1"), "/confirm", order),
        (protocol.prepare_cancel("o-1"), "/cancel", order),
        (protocol.prepare_get_status("o-1"), "/status", order),
        (protocol.prepare_get_available_amounts(sum=1, payment_method="card"), "/available", None),
        (protocol.prepare_new_payment(**NEW), "/new", None),
        (protocol.prepare_new_payment_async(**NEW, credentials_webhook_url="https://s.example/"), "/new-async", None),
        (protocol.prepare_attach_receipt("o-1", [("r.pdf", b"%PDF", "application/pdf")]), "/receipt/attach", None),
    ]:
        assert (request.method, request.url) == ("POST", path + end)
        assert body is None or request.body == body
        assert set(request.headers) == {"Content-Type", "X-KeyId", "X-Signature"}
        assert merchant.verifies(request.body, request.headers["X-Signature"])
        request.headers["X-KeyId"] = "changed"
        assert request.headers["X-KeyId"] == "merchant-1"


@pytest.mark.parametrize("status", [-1, 0, 1000, 70_000, 2**70])
def test_a_number_that_is_no_status_does_not_unsend_the_request(protocol, status):
    with pytest.raises(merchantpay.InvalidArgumentError) as refused:
        protocol.prepare_new_payment(**NEW).open(status, {}, b"")
    assert refused.value.outcome == "unknown"


def test_a_reply_is_opened_for_its_own_request_alone(protocol, service):
    body = b'{"success":true,"orderId":"o-1","status":"doneFail"}'
    signed = {"x-signature": service.sign(body), "x-keyid": "service-1"}
    request = protocol.prepare_get_status("o-1")
    assert request.open(200, signed, body).status == "doneFail"
    assert request.open(200, [(name.encode(), value.encode()) for name, value in signed.items()], body).is_final
    for other, headers, expected in [
        (protocol.prepare_get_status("o-2"), signed, merchantpay.MalformedError),
        (request, {**signed, "x-signature": Key().sign(body)}, merchantpay.UnverifiedError),
        (request, {**signed, "x-keyid": "merchant-1"}, merchantpay.UnverifiedError),
        (request, [*signed.items(), *signed.items()], merchantpay.UnverifiedError),
        (request, {}, merchantpay.UnverifiedError),
    ]:
        with pytest.raises(expected) as refused:
            other.open(200, headers, body)
        assert refused.value.http_status == 200
    with pytest.raises(merchantpay.TransportError):
        request.open(302, signed, body)


def test_open_with_an_argument_of_another_type_is_a_type_error(protocol):
    request = protocol.prepare_get_status("o-1")
    for arguments in [("200", {}, b""), (200, None, b""), (200, {}, "text"), (200, {}, {}), (200.0, {}, b"")]:
        with pytest.raises(TypeError):
            request.open(*arguments)


def test_preparing_sends_nothing_and_refuses_what_cannot_be_right(protocol):
    with pytest.raises(merchantpay.InvalidArgumentError):
        protocol.prepare_new_payment(**{**NEW, "sum": 0})
    with pytest.raises(merchantpay.InvalidArgumentError):
        protocol.prepare_confirm("")
    with pytest.raises(TypeError):
        protocol.prepare_new_payment(**{**NEW, "sum": 1.5})


def test_a_signer_signs_prepared_requests_too(merchant, service):
    protocol = merchantpay.Protocol(
        "https://pay.example", "m", None, service.public_key, signer=merchant.raw, public_key=merchant.public_key
    )
    request = protocol.prepare_confirm("o-1")
    assert merchant.verifies(request.body, request.headers["X-Signature"])
