"""Every failure is the library's own error with a code and an outcome, or a TypeError; never a crash."""

import copy
import pathlib
import pickle

import merchantpay
import pytest
from conftest import client_of

NEW = {"sum": "1", "payment_method": "sbp", "customer_account": "1"}
TREE = {
    "invalid_argument": (merchantpay.InvalidArgumentError, ValueError),
    "invalid_key": (merchantpay.InvalidKeyError, ValueError),
    "signer": (merchantpay.SignerError, merchantpay.Error),
    "transport": (merchantpay.TransportError, merchantpay.Error),
    "timeout": (merchantpay.RequestTimeoutError, TimeoutError),
    "cancelled": (merchantpay.CallCancelledError, merchantpay.Error),
    "unverified": (merchantpay.UnverifiedError, merchantpay.Error),
    "malformed": (merchantpay.MalformedError, merchantpay.Error),
    "rejected": (merchantpay.RejectedError, merchantpay.Error),
    "storage": (merchantpay.StorageError, merchantpay.Error),
    "conflict": (merchantpay.ConflictError, merchantpay.Error),
    "internal": (merchantpay.InternalError, merchantpay.Error),
}


def test_every_code_has_a_class_of_its_own():
    assert set(TREE) == {code.value for code in merchantpay.Code}
    for own, other in TREE.values():
        assert issubclass(own, merchantpay.Error) and issubclass(own, other)
        assert own.__module__ == "merchantpay"


def test_an_error_that_is_made_by_hand_has_the_code_of_its_class():
    for code, (own, _) in TREE.items():
        error = own("x")
        assert (error.code, error.message, str(error)) == (code, "x", f"{code}: x")
        assert error.outcome == ("rejected" if code == "rejected" else "unknown")
        assert own("x", outcome="not_sent").outcome == "not_sent"
        assert f"`{code}`" in own.__doc__
    assert merchantpay.Error("x").code == "internal" and merchantpay.Error("x", code="timeout").code == "timeout"


def test_an_error_that_is_made_by_hand_is_transient_as_the_cores_are():
    transient = {"transport", "timeout", "cancelled", "storage", "signer"}
    assert {code for code, (own, _) in TREE.items() if own("x").is_transient} == transient
    for status, expected in ((429, True), (500, True), (502, True), (200, False), (404, False), (None, False)):
        assert merchantpay.UnverifiedError("x", http_status=status).is_transient is expected
        assert not merchantpay.RejectedError("x", http_status=status).is_transient
    assert not merchantpay.TransportError("x", is_transient=False).is_transient


@pytest.mark.parametrize("order_id", ["\ud800", "\udcff"])
def test_an_order_id_that_cannot_be_right_is_refused(client, order_id):
    calls = (client.confirm, client.cancel, client.get_status, client.wait)
    for call in (*calls, lambda id: client.attach_receipt(id, [("a.pdf", b"%PDF", "application/pdf")])):
        with pytest.raises(merchantpay.InvalidArgumentError) as refused:
            call(order_id)
        assert refused.value.outcome == "not_sent"


@pytest.mark.parametrize("value", [None, 1, b"o-1", ["o-1"], object()])
def test_an_order_id_that_is_no_str_is_a_type_error(client, value):
    for call in (client.confirm, client.cancel, client.get_status, client.wait, lambda id: client.attach_receipt(id, [])):
        with pytest.raises(TypeError, match="order_id must be str"):
            call(value)


@pytest.mark.parametrize(
    "changed",
    [
        {"payment_method": merchantpay.PaymentMethod("cash")},
        {"customer_account": "\ud800"},
        {"status_webhook_url": "https://shop.example/\ud800"},
    ],
)
def test_a_request_that_cannot_be_right_is_refused_before_anything_is_sent(scripted, script, changed):
    for method, more in ((scripted.new_payment, {}), (scripted.new_payment_async, {"credentials_webhook_url": "https://s.example"})):
        with pytest.raises(merchantpay.InvalidArgumentError) as refused:
            method(**{**NEW, **more, **changed})
        assert refused.value.outcome == "not_sent"
    assert script.requests == []


@pytest.mark.parametrize("name", ["payment_method", "customer_account", "currency", "payer_bank", "merchant_id", "status_webhook_url"])
def test_a_request_of_another_type_is_a_type_error(scripted, name):
    for value in (1, b"x", ["x"]):
        with pytest.raises(TypeError, match=f"{name} must be str"):
            scripted.new_payment(**{**NEW, name: value})


def test_request_arguments_are_keywords_that_are_spelled_right(client):
    for call in (
        lambda: client.new_payment("1", "sbp", "1"),
        lambda: client.new_payment(sum="1", payment_method="sbp"),
        lambda: client.new_payment(**NEW, customerAccount="1"),
        lambda: client.new_payment_async(**NEW),
        lambda: client.get_available_amounts("1", "sbp"),
    ):
        with pytest.raises(TypeError):
            call()


SETTINGS = {"base_url": "https://pay.example", "key_id": "m"}


@pytest.mark.parametrize(
    "changed",
    [{"base_url": "\ud800"}, {"timeout": 0}, {"timeout": -1}, {"timeout": float("nan")}, {"timeout": float("inf")}, {"timeout": 10**400},
     {"connect_timeout": 0.0}, {"max_retries": -1}, {"max_retries": 2**40}, {"max_reply_bytes": -1}, {"ca_file": "nul\0byte"}, {"ca_pem": b"nonsense"}, {"exclusive_ca": True},
     {"client_certificate": ("/nonexistent/client.pem", "/nonexistent/client.key")}, {"reuse_idle": -1}, {"connect_idle": float("nan")}],
)  # fmt: skip
def test_a_setting_that_cannot_be_used_is_refused(merchant, service, changed):
    keys = {"private_key": merchant.private_key, "server_public_key": service.public_key}
    with pytest.raises(merchantpay.InvalidArgumentError) as refused:
        merchantpay.Client(**{**SETTINGS, **keys, **changed})
    assert refused.value.outcome == "not_sent"


@pytest.mark.parametrize(
    "changed",
    [{"base_url": b"https://pay.example"}, {"key_id": 7}, {"private_key": b"x"}, {"private_key": None}, {"server_public_key": None},
     {"server_public_key": b"x"}, {"server_public_key": [b"x"]}, {"server_key_id": 7}, {"ca_file": 7}, {"ca_pem": 7}, {"proxy": 7},
     {"timeout": "30"}, {"timeout": True}, {"max_retries": 1.0}, {"max_retries": True}, {"max_reply_bytes": "1"}, {"user_agent": b"x"},
     {"signer": print}, {"public_key": 7}, {"exclusive_ca": 1}, {"allow_http": "1"}, {"pin_spki": b"x"}, {"pin_spki": [7]},
     {"client_certificate": "client.pem"}, {"client_certificate": ("client.pem",)}, {"client_certificate": (7, "client.key")},
     {"reuse_idle": "1"}, {"connect_idle": True}, {"private_key": None, "signer": 7, "public_key": "x"}],
)  # fmt: skip
def test_a_setting_of_another_type_is_a_type_error(merchant, service, changed):
    keys = {"private_key": merchant.private_key, "server_public_key": service.public_key}
    with pytest.raises(TypeError):
        merchantpay.Client(**{**SETTINGS, **keys, **changed})


def test_a_receipt_that_cannot_be_sent_is_refused(scripted, script, tmp_path):
    for files in (["missing\0.pdf"], ["\ud800.pdf"], [tmp_path], ["/dev/zero"], [("a\ud800.pdf", b"%PDF", "application/pdf")]):
        with pytest.raises(merchantpay.InvalidArgumentError) as refused:
            scripted.attach_receipt("o-1", files)
        assert refused.value.outcome == "not_sent"
    assert script.requests == []


def test_a_receipt_of_another_type_is_a_type_error(scripted):
    for files in ("a.pdf", b"a.pdf", pathlib.Path("a.pdf"), None, 7, [7], [None], [("a.pdf", b"%PDF")], [("a.pdf", "%PDF", "application/pdf")],
                  [(b"a.pdf", b"%PDF", "application/pdf")], [("a.pdf", b"%PDF", None)]):  # fmt: skip
        with pytest.raises(TypeError):
            scripted.attach_receipt("o-1", files)


def test_what_an_iterator_or_a_path_raises_is_left_alone(scripted):
    class Broken:
        def __fspath__(self):
            raise LookupError("not mounted")

    def files():
        yield "a.pdf" if False else ("a.pdf", b"%PDF", "application/pdf")
        raise LookupError("ran dry")

    for value in ([Broken()], files()):
        with pytest.raises(LookupError):
            scripted.attach_receipt("o-1", value)


def test_a_panic_arrives_as_an_internal_error():
    with pytest.raises(merchantpay.InternalError) as caught:
        merchantpay._merchantpay._panic()
    assert (caught.value.code, caught.value.outcome) == ("internal", "not_sent")


def test_an_error_survives_a_task_queue(client):
    with pytest.raises(merchantpay.Error) as refused:
        client.cancel("sb-000000000000000000000000")
    again = pickle.loads(pickle.dumps(refused.value))
    assert type(again) is merchantpay.RejectedError and again.__dict__ == refused.value.__dict__
    assert (str(again), repr(again)) == (str(refused.value), repr(refused.value))


def test_what_holds_a_key_is_neither_pickled_nor_copied(sandbox, merchant, service):
    client = client_of(sandbox)
    protocol = merchantpay.Protocol("https://pay.example", "m", merchant.private_key, service.public_key)
    request = protocol.prepare_confirm("o-1")
    for thing in (client, client.webhook_verifier(), merchantpay.generate_keypair(), protocol, request):
        for take in (pickle.dumps, copy.copy, copy.deepcopy):
            with pytest.raises(TypeError, match="cannot be pickled or copied"):
                take(thing)
