"""Arguments of another type are a TypeError; those that cannot be right are refused before anything is sent."""

import pathlib

import merchantpay
import pytest
from conftest import NEW, OWN, SERVICE, make, signed

FILE = ("a.pdf", b"%PDF", "application/pdf")
OPERATIONS = [name[len("prepare_") :] for name in vars(merchantpay.Protocol.__mro__[2]) if name.startswith("prepare_")]


@pytest.fixture(scope="module")
def client():
    with make(merchantpay.Client) as client:
        yield client


def refused(match=None):
    return pytest.raises(merchantpay.InvalidArgumentError, match=match)


@pytest.mark.parametrize("name", ["confirm", "cancel", "get_status", "wait", "attach_receipt"])
def test_an_order_id_is_text(client, name):
    def call(order_id):
        return getattr(client, name)(order_id, **({"files": [FILE]} if name == "attach_receipt" else {}))

    for value in (None, 1, b"o-1", ["o-1"]):
        with pytest.raises(TypeError, match="order_id must be str"):
            call(value)
    for value in ("\ud800", "\udcff"):
        with refused() as error:
            call(value)
        assert error.value.outcome == "not_sent"


@pytest.mark.parametrize("name", ["payment_method", "customer_account", "currency", "payer_bank", "merchant_id", "status_webhook_url"])
def test_a_field_of_a_request_is_text(client, name):
    for value in (1, b"x", ["x"]):
        with pytest.raises(TypeError, match=f"{name} must be str"):
            client.new_payment(**{**NEW, name: value})
    with refused():
        client.new_payment(**{**NEW, name: "\ud800"})


def test_request_fields_are_checked_keywords(client):
    calls = [
        lambda: client.new_payment("1", "sbp", "1"),
        lambda: client.new_payment(sum="1", payment_method="sbp"),
        lambda: client.new_payment(**NEW, customerAccount="1"),
        lambda: client.new_payment_async(**NEW),
        lambda: merchantpay.Client.from_env(time_out=1),
        lambda: merchantpay.Client.from_env(timeout_ms=1),
        lambda: merchantpay.Protocol.from_env(timeout=1),
    ]
    for call in calls:
        with pytest.raises(TypeError):
            call()


@pytest.mark.parametrize(
    "changed",
    [{"base_url": "\ud800"}, {"timeout": 0}, {"timeout": float("nan")}, {"timeout": 10**400}, {"max_retries": -1}, {"max_retries": 2**40},
     {"ca_file": pathlib.Path("/nonexistent.pem")}, {"ca_pem": b"nonsense"}, {"exclusive_ca": True}, {"reuse_idle": -1}, {"connect_idle": float("inf")},
     {"base_url": "http://pay.example", "allow_http": False}],
)  # fmt: skip
def test_unusable_setting_is_refused(changed):
    with refused() as error:
        make(merchantpay.Client, **changed)
    assert error.value.outcome == "not_sent"


def test_client_certificate_is_two_files():
    with refused("/certificate.pem"):
        make(merchantpay.Client, client_certificate=("/nonexistent/certificate.pem", pathlib.Path("/nonexistent/key.pem")))


@pytest.mark.parametrize(
    "changed",
    [{"base_url": b"https://pay.example"}, {"private_key": None}, {"server_public_key": [b"x"]}, {"server_key_id": 7}, {"ca_file": 7}, {"ca_pem": 7},
     {"timeout": "30"}, {"timeout": True}, {"max_retries": 1.0}, {"max_retries": True}, {"max_reply_bytes": "1"}, {"signer": print}, {"public_key": 7},
     {"exclusive_ca": 1}, {"allow_http": "1"}, {"pin_spki": [7]}, {"client_certificate": "client.pem"}, {"client_certificate": (7, "client.key")},
     {"private_key": None, "signer": 7, "public_key": "x"}],
)  # fmt: skip
def test_setting_of_wrong_type_is_a_type_error(changed):
    with pytest.raises(TypeError):
        make(merchantpay.Client, **changed)


@pytest.mark.parametrize("name", [*OPERATIONS, "connect", "derive"])
def test_a_timeout_is_a_number_of_seconds(client, name):
    calls = {"new_payment": NEW, "get_available_amounts": {"sum": 1, "payment_method": "sbp"}, "connect": {}, "derive": {}}
    calls["new_payment_async"] = {**NEW, "credentials_webhook_url": "https://shop.example"}
    calls["attach_receipt"] = {"order_id": "o-1", "files": [FILE]}
    for timeout in (0, -1, 1e-12, float("nan"), float("inf")):
        with refused("timeout") as error:
            getattr(client, name)(**calls.get(name, {"order_id": "o-1"}), timeout=timeout)
        assert error.value.outcome == "not_sent"
    for timeout in ("1", True, [1]):
        with pytest.raises(TypeError, match="timeout must be a number of seconds"):
            getattr(client, name)(**calls.get(name, {"order_id": "o-1"}), timeout=timeout)


def test_environment_has_milliseconds_and_arguments_seconds(monkeypatch):
    needed = {"BASE_URL": "http://127.0.0.1:1", "KEY_ID": "m", "PRIVATE_KEY": OWN.private_key, "SERVER_PUBLIC_KEY": SERVICE.public_key}
    for name, value in {**needed, "TIMEOUT_MS": "1500"}.items():
        monkeypatch.setenv(f"MERCHANTPAY_{name}", value)
    assert merchantpay.Client.from_env(signer=None).timeout == 1.5
    assert merchantpay.Client.from_env(timeout=2.5).timeout == 2.5


def test_a_receipt_is_paths_and_tuples(client, tmp_path):
    class Broken:
        def __fspath__(self):
            raise LookupError("not mounted")

    def dry():
        yield FILE
        raise LookupError("ran dry")

    path = tmp_path / "receipt.pdf"
    path.write_bytes(b"%PDF-1.4")
    protocol = make(merchantpay.Protocol)
    assert protocol.prepare_attach_receipt("o-1", (file for file in (path, str(path), FILE))).body.count(b"%PDF") == 3
    wrong = [
        (TypeError, files)
        for files in ("a.pdf", b"a.pdf", path, None, 7, [7], [FILE[:2]], [("a.pdf", "%PDF", FILE[2])], [(*FILE[:2], None)])
    ]
    wrong += [(LookupError, [Broken()]), (LookupError, dry())]
    unusable = (["missing\0.pdf"], ["\ud800.pdf"], [tmp_path], [("a\ud800.pdf", *FILE[1:])])
    for error, files in [*wrong, *((merchantpay.InvalidArgumentError, files) for files in unusable)]:
        with pytest.raises(error):
            client.attach_receipt("o-1", files)


def test_open_checks_status_headers_and_body():
    request, body = make(merchantpay.Protocol).prepare_get_status("o-1"), b'{"success":true,"orderId":"o-1","status":"doneFail"}'
    request.headers["X-KeyId"] = "changed"
    assert (request.method, request.headers["X-KeyId"]) == ("POST", "m")
    pairs = [(name.lower().encode(), value.encode()) for name, value in signed(body).items()]
    assert request.open(200, pairs, body).status == "doneFail"
    with pytest.raises(merchantpay.UnverifiedError):
        request.open(200, [*pairs, *pairs], body)
    for status in (-1, 0, 1000, 2**70):
        with refused() as error:
            request.open(status, {}, body)
        assert error.value.outcome == "unknown"
    for arguments in (("200", {}, b""), (200, None, b""), (200, {}, "text"), (200.0, {}, b"")):
        with pytest.raises(TypeError):
            request.open(*arguments)
