"""An authority of the merchant's own is believed when it is given, and not before."""

import pathlib
import ssl

import merchantpay
import pytest
import trustme
from conftest import Reply


@pytest.fixture
def authority(script):
    authority = trustme.CA()
    context = ssl.SSLContext(ssl.PROTOCOL_TLS_SERVER)
    authority.issue_cert("127.0.0.1").configure_cert(context)
    script.server.socket = context.wrap_socket(script.server.socket, server_side=True)
    script.url = script.url.replace("http://", "https://")
    return authority.cert_pem.bytes()


@pytest.mark.parametrize("how", ["bytes", "str", "file", "path"])
def test_an_authority_that_is_given_is_believed(script, merchant, service, authority, tmp_path, how):
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


def test_an_authority_that_is_not_given_is_not_believed(script, merchant, service, authority):
    with merchantpay.Client(script.url, "m", merchant.private_key, service.public_key) as client:
        with pytest.raises(merchantpay.TransportError) as refused:
            client.confirm("o-1")
    assert refused.value.outcome == "not_sent" and script.requests == []
