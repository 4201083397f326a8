"""A webhook is verified by its bytes and its signature, for all header types of hosts (contract, section
6)."""

import email.message
import json
import types

import merchantpay
import pytest

BODY = b'{"success":true,"orderId":"o-1","status":"doneSuccess","sum":1500.50}'


@pytest.fixture(scope="module")
def verifier(service):
    return merchantpay.WebhookVerifier(service.public_key)


def test_each_event_has_a_class_of_its_own(verifier, service):
    for body, kind, name in [
        ({"success": True, "orderId": "o", "payeeAccount": "1"}, merchantpay.CredentialsIssued, "credentials"),
        ({"success": False, "orderId": "o"}, merchantpay.CredentialsFailed, "credentials_failed"),
        ({"success": True, "orderId": "o", "status": "receiptRequired"}, merchantpay.StatusChanged, "status"),
    ]:
        body = json.dumps(body).encode()
        event = verifier.verify(body, service.sign(body))
        assert type(event) is kind and event.kind == name and event.order_id == event.payment.order_id == "o"
        assert event == verifier.verify(body, service.sign(body)) and len({event, verifier.verify(body, service.sign(body))}) == 1


@pytest.mark.parametrize(
    "signature",
    [None, "\ud800", "é" * 88, "\0" * 88, "A" * 10_000_000],
)
def test_a_signature_that_does_not_verify_is_refused(verifier, signature):
    with pytest.raises(merchantpay.UnverifiedError) as refused:
        verifier.verify(BODY, signature)
    assert (refused.value.code, refused.value.outcome) == ("unverified", "unknown")


@pytest.mark.parametrize("body", [BODY.decode(), json.loads(BODY), bytearray(BODY), memoryview(BODY), None, 7])
def test_a_body_that_is_not_the_bytes_is_a_type_error_that_says_why(verifier, service, body):
    for call in (lambda: verifier.verify(body, service.sign(BODY)), lambda: verifier.verify_request(body, {})):
        with pytest.raises(TypeError, match="body must be bytes.*exactly these bytes were signed"):
            call()


def test_a_signature_of_another_type_is_a_type_error(verifier):
    for signature in (b"x", 7, ["x"]):
        with pytest.raises(TypeError, match="signature must be str"):
            verifier.verify(BODY, signature)


def test_a_key_id_that_is_no_text_is_refused(service):
    verifier = merchantpay.WebhookVerifier(service.public_key, server_key_id=["s-1", "s-2"])
    with pytest.raises(merchantpay.UnverifiedError):
        verifier.verify(BODY, service.sign(BODY), "\ud800")


def test_the_clients_verifier_refuses_the_merchants_own_key_id(client, sandbox):
    assert repr(client.webhook_verifier()) == "WebhookVerifier()"
    with pytest.raises(merchantpay.UnverifiedError, match="own"):
        client.webhook_verifier().verify(BODY, "A" * 86 + "==", sandbox["MERCHANTPAY_KEY_ID"])


class HasItems:
    """Headers like those of Werkzeug and Tornado. They are not a Mapping, but `items()` returns repeated headers."""

    def __init__(self, *pairs):
        self.pairs = pairs

    def items(self):
        return iter(self.pairs)


def message(*pairs):
    message = email.message.Message()
    for name, value in pairs:
        message[name] = value
    return message


def shapes(name, signature):
    raw = signature.encode()
    return {
        "dict": {"Content-Type": "application/json", "X-Signature": signature, "X-KeyId": name},
        "lower case": {"x-signature": signature, "x-keyid": name},
        "upper case": {"X-SIGNATURE": signature, "X-KEYID": name},
        "WSGI environ": {"HTTP_X_SIGNATURE": signature, "HTTP_X_KEYID": name, "wsgi.input": object(), "wsgi.version": (1, 0)},
        "ASGI": [(b"host", b"x"), (b"x-signature", raw), (b"x-keyid", name.encode())],
        "ASGI lists": [[b"X-Signature", raw], [b"X-KeyId", name.encode()]],
        "pairs": (("X-Signature", signature), ("X-KeyId", name)),
        "lists of values": {"X-Signature": [signature], "X-KeyId": (name,)},
        "bytes": {b"X-Signature": raw, b"X-KeyId": name.encode()},
        "email": message(("X-Signature", signature), ("X-KeyId", name)),
        "items": HasItems(("X-Signature", signature), ("X-KeyId", name), ("X-Other", 7)),
        "read only": types.MappingProxyType({"X-Signature": signature, "X-KeyId": name}),
        "absent as None": {"X-Signature": signature, "X-KeyId": name, "Content-Type": None},
        "generator": (pair for pair in [("X-Signature", signature), ("X-KeyId", name)]),
    }


@pytest.mark.parametrize("shape", shapes("", ""))
def test_headers_are_found_in_whatever_the_framework_has(service, shape):
    verifier = merchantpay.WebhookVerifier(service.public_key, server_key_id="s-1")
    assert verifier.verify_request(BODY, shapes("s-1", service.sign(BODY))[shape]).order_id == "o-1"
    with pytest.raises(merchantpay.UnverifiedError):
        verifier.verify_request(BODY, shapes("s-2", service.sign(BODY))[shape])


def test_a_header_that_stands_twice_decides_nothing(verifier, service):
    good = service.sign(BODY)
    for headers in [
        [(b"x-signature", good.encode()), (b"X-Signature", good.encode())],
        {"X-Signature": good, "x-signature": good},
        {"X-Signature": [good, good]},
        HasItems(("X-Signature", good), ("X-Signature", "x")),
        message(("X-Signature", good), ("X-Signature", good)),
        {"HTTP_X_SIGNATURE": f"{good},{good}"},
        {"X-Signature": good, "X-KeyId": ["s-1", "s-1"]},
    ]:
        with pytest.raises(merchantpay.UnverifiedError):
            verifier.verify_request(BODY, headers)


def test_headers_without_a_signature_are_refused(verifier):
    for headers in ({}, [], {"X-Signature": None}, {"X-Signature": []}, {"X_Signature": "x"}, [(b"\xff", b"\xff")], {"X-Signature": b"\xff"},
                    {"X-Signature": "\ud800"}):  # fmt: skip
        with pytest.raises(merchantpay.UnverifiedError):
            verifier.verify_request(BODY, headers)


def test_headers_of_another_type_are_a_type_error(verifier):
    for headers in (None, 7, "X-Signature: x", b"x", ["X-Signature"], [("a", "b", "c")], {"X-Signature": 7}, {"X-Signature": [7]}):
        with pytest.raises(TypeError):
            verifier.verify_request(BODY, headers)
