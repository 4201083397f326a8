"""A webhook is verified with the bytes, and the headers in whatever type the framework has (contract, section 6)."""

import email.message
import json
import types

import merchantpay
import pytest
from conftest import SERVICE, make, signed

BODY = b'{"success":true,"orderId":"o-1","status":"doneSuccess","sum":1500.50}'
SIGNATURE = signed(BODY)["X-Signature"]


@pytest.fixture(scope="module")
def verifier():
    return merchantpay.WebhookVerifier(SERVICE.public_key)


def test_each_event_has_a_class_of_its_own(verifier):
    for body, kind, name in [
        (b'{"success":true,"orderId":"o","payeeAccount":"1"}', merchantpay.CredentialsIssued, "credentials"),
        (b'{"success":false,"orderId":"o"}', merchantpay.CredentialsFailed, "credentials_failed"),
        (b'{"success":true,"orderId":"o","status":"receiptRequired"}', merchantpay.StatusChanged, "status"),
    ]:
        event = verifier.verify_request(body, signed(body))
        assert type(event) is kind and event.kind == name and event.order_id == event.payment.order_id == "o"


@pytest.mark.parametrize("signature", [None, "\ud800", "é" * 88, "\0" * 88, "A" * 10_000_000])
def test_unverified_signature_is_refused(verifier, signature):
    with pytest.raises(merchantpay.UnverifiedError) as refused:
        verifier.verify(BODY, signature)
    assert (refused.value.code, refused.value.outcome) == ("unverified", "unknown")


@pytest.mark.parametrize("body", [BODY.decode(), json.loads(BODY), bytearray(BODY), memoryview(BODY), None])
def test_body_must_be_bytes(verifier, body):
    for call in (lambda: verifier.verify(body, SIGNATURE), lambda: verifier.verify_request(body, {})):
        with pytest.raises(TypeError, match="body must be bytes.*exactly these bytes were signed"):
            call()


def test_the_values_of_headers_are_text(verifier):
    for signature in (b"x", 7, ["x"]):
        with pytest.raises(TypeError, match="signature must be str"):
            verifier.verify(BODY, signature)
    with pytest.raises(merchantpay.UnverifiedError):
        merchantpay.WebhookVerifier(SERVICE.public_key, server_key_id=["s-1", "s-2"]).verify(BODY, SIGNATURE, "\ud800")


def test_client_verifier_refuses_own_key_id():
    with make(merchantpay.Client) as client, pytest.raises(merchantpay.UnverifiedError, match="own"):
        client.webhook_verifier().verify(BODY, SIGNATURE, "m")


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
        "lists of values": {"X-Signature": [signature], "X-KeyId": (name,)},
        "bytes": {b"X-Signature": raw, b"X-KeyId": name.encode()},
        "email": message(("X-Signature", signature), ("X-KeyId", name)),
        "items": HasItems(("X-Signature", signature), ("X-KeyId", name), ("X-Other", 7)),
        "read only": types.MappingProxyType({"X-Signature": signature, "X-KeyId": name}),
        "absent as None": {"X-Signature": signature, "X-KeyId": name, "Content-Type": None},
        "generator": (pair for pair in [("X-Signature", signature), ("X-KeyId", name)]),
    }


@pytest.mark.parametrize("shape", shapes("", ""))
def test_headers_of_every_framework_are_read(shape):
    verifier = merchantpay.WebhookVerifier(SERVICE.public_key, server_key_id="s-1")
    assert verifier.verify_request(BODY, shapes("s-1", SIGNATURE)[shape]).order_id == "o-1"
    with pytest.raises(merchantpay.UnverifiedError):
        verifier.verify_request(BODY, shapes("s-2", SIGNATURE)[shape])


@pytest.mark.parametrize(
    "headers",
    [
        [(b"x-signature", SIGNATURE.encode()), (b"X-Signature", SIGNATURE.encode())],
        {"X-Signature": SIGNATURE, "x-signature": SIGNATURE},
        {"X-Signature": [SIGNATURE, SIGNATURE]},
        HasItems(("X-Signature", SIGNATURE), ("X-Signature", "x")),
        message(("X-Signature", SIGNATURE), ("X-Signature", SIGNATURE)),
        {"HTTP_X_SIGNATURE": f"{SIGNATURE},{SIGNATURE}"},
        {"X-Signature": SIGNATURE, "X-KeyId": ["s-1", "s-1"]},
        *({}, [], {"X-Signature": None}, {"X-Signature": []}, {"X_Signature": SIGNATURE}, [(b"\xff", b"\xff")], {"X-Signature": "\ud800"}),
    ],
)
def test_absent_or_repeated_header_is_unverified(verifier, headers):
    with pytest.raises(merchantpay.UnverifiedError):
        verifier.verify_request(BODY, headers)


@pytest.mark.parametrize(
    "headers", [None, 7, "X-Signature: x", b"x", ["X-Signature"], [("a", "b", "c")], {"X-Signature": 7}, {"X-Signature": [7]}]
)
def test_headers_of_wrong_type_are_a_type_error(verifier, headers):
    with pytest.raises(TypeError):
        verifier.verify_request(BODY, headers)
