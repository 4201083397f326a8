"""Tests that a merchant's own CA is trusted only if a setting names it. Also tests pins and a client
certificate."""

import base64
import hashlib
import pathlib
import ssl

import merchantpay
import pytest
import trustme
from conftest import Reply
from cryptography.hazmat.primitives.serialization import Encoding, PublicFormat
from cryptography.x509 import load_pem_x509_certificate


def serve(script, certificate, client_authority=None):
    """Adds TLS to the script's server; with a CA it requires a client certificate."""
    context = ssl.SSLContext(ssl.PROTOCOL_TLS_SERVER)
    certificate.configure_cert(context)
    if client_authority is not None:
        client_authority.configure_trust(context)
        context.verify_mode = ssl.CERT_REQUIRED
    script.server.socket = context.wrap_socket(script.server.socket, server_side=True)
    script.url = script.url.replace("http://", "https://")


@pytest.fixture
def authority(script):
    authority = trustme.CA()
    serve(script, authority.issue_cert("127.0.0.1"))
    return authority.cert_pem.bytes()


@pytest.mark.parametrize("how", ["bytes", "str", "file", "path"])
def test_an_authority_that_is_given_is_trusted(script, merchant, service, authority, tmp_path, how):
    path = tmp_path / "ca.pem"
    path.write_bytes(authority)
    given = {
        "bytes": {"ca_pem": authority},
        "str": {"ca_pem": authority.decode()},
        "file": {"ca_file": str(path)},
        "path": {"ca_file": pathlib.Path(path)},
    }[how]
    script.answer(Reply({"success": True, "orderId": "o-1"}, service))
    with merchantpay.Client(script.url, "m", merchant.private_key, service.public_key, **given) as client:
        assert client.confirm("o-1").order_id == "o-1"


def test_an_authority_that_is_not_given_is_not_trusted(script, merchant, service, authority):
    with merchantpay.Client(script.url, "m", merchant.private_key, service.public_key) as client:
        with pytest.raises(merchantpay.TransportError) as refused:
            client.confirm("o-1")
    assert refused.value.outcome == "not_sent" and script.requests == []


def pin(certificate):
    """The pin of a certificate's public key."""
    pem = certificate.cert_chain_pems[0].bytes()
    key = load_pem_x509_certificate(pem).public_key().public_bytes(Encoding.DER, PublicFormat.SubjectPublicKeyInfo)
    return "sha256/" + base64.b64encode(hashlib.sha256(key).digest()).decode()


def test_a_pin_is_demanded_beside_the_authority(script, merchant, service):
    authority = trustme.CA()
    own, next_one, other = (authority.issue_cert("127.0.0.1") for _ in range(3))
    serve(script, own)
    trusted = {"ca_pem": authority.cert_pem.bytes(), "exclusive_ca": True}

    def make(pins):
        return merchantpay.Client(script.url, "m", merchant.private_key, service.public_key, **trusted, pin_spki=pins)

    for pins in (pin(own), [pin(next_one), pin(own)]):
        script.answer(Reply({"success": True, "orderId": "o-1"}, service))
        with make(pins) as client:
            assert client.confirm("o-1").order_id == "o-1"
    for pins in (pin(other), [pin(next_one), pin(other)]):
        with make(pins) as client, pytest.raises(merchantpay.TransportError) as refused:
            client.confirm("o-1")
        assert (refused.value.outcome, refused.value.is_transient) == ("not_sent", False)
    assert len(script.requests) == 2


def test_a_client_certificate_is_shown_to_a_service_that_asks_for_one(script, merchant, service, tmp_path):
    authority = trustme.CA()
    serve(script, authority.issue_cert("127.0.0.1"), authority)
    shown = authority.issue_cert("merchant.example")
    certificate, key = tmp_path / "client.pem", tmp_path / "client.key"
    certificate.write_bytes(b"".join(pem.bytes() for pem in shown.cert_chain_pems))
    key.write_bytes(shown.private_key_pem.bytes())
    trusted = {"ca_pem": authority.cert_pem.bytes(), "exclusive_ca": True}
    for files in ((certificate, key), (str(certificate), str(key))):
        script.answer(Reply({"success": True, "orderId": "o-1"}, service))
        with merchantpay.Client(script.url, "m", merchant.private_key, service.public_key, **trusted, client_certificate=files) as client:
            assert client.confirm("o-1").order_id == "o-1"
    with merchantpay.Client(script.url, "m", merchant.private_key, service.public_key, **trusted) as client:
        with pytest.raises(merchantpay.TransportError):
            client.confirm("o-1")
    assert len(script.requests) == 2
