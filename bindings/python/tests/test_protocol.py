"""Requests and replies without I/O, for hosts with their own HTTP stack."""

import merchantpay
import pytest

NEW = {"sum": "1500.50", "payment_method": "sbp", "customer_account": "79001234567"}


@pytest.fixture(scope="module")
def protocol(merchant, service):
    return merchantpay.Protocol("https://pay.example/v/", "merchant-1", merchant.private_key, service.public_key)


def test_a_request_does_not_change(protocol):
    request = protocol.prepare_confirm("o-1")
    request.headers["X-KeyId"] = "changed"
    assert (request.method, request.headers["X-KeyId"]) == ("POST", "merchant-1")


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
