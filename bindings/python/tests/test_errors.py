"""Every failure is the library's own error with a code and an outcome."""

import copy
import pickle
import traceback

import merchantpay
import pytest
from conftest import NEW, OWN, SERVICE, make, opened, signed

CLASSES = merchantpay._generated.error_classes.CLASSES
BUILT_IN = {"invalid_argument": ValueError, "invalid_key": ValueError, "timeout": TimeoutError}
ACCOUNT = "79001234567"


def test_every_code_has_a_class_of_its_own():
    assert set(CLASSES) == {code.value for code in merchantpay.Code}
    for code, own in CLASSES.items():
        assert issubclass(own, merchantpay.Error) and issubclass(own, BUILT_IN.get(code, Exception)) and f"`{code}`" in own.__doc__
        error = own("x")
        assert (error.code, error.message, str(error)) == (code, "x", f"{code}: x")
        assert error.outcome == ("rejected" if code == "rejected" else "unknown")
    assert merchantpay.Error("x").code == "internal" and merchantpay.Error("x", code="timeout", outcome="not_sent").outcome == "not_sent"


def test_constructed_error_is_transient_like_the_cores():
    transient = {"transport", "timeout", "cancelled", "storage", "signer"}
    assert {code for code, own in CLASSES.items() if own("x").is_transient} == transient
    for status, expected in ((429, True), (500, True), (502, True), (200, False), (404, False), (None, False)):
        assert merchantpay.UnverifiedError("x", http_status=status).is_transient is expected
        assert not merchantpay.RejectedError("x", http_status=status).is_transient
    assert not merchantpay.TransportError("x", is_transient=False).is_transient


def failures():
    refusal = f'{{"success":false,"errorDescription":"account {ACCOUNT} of Ivan Petrov is blocked"}}'.encode()
    page = f"<p>{ACCOUNT} {signed(refusal)['X-Signature']}".encode()
    malformed = f'{{"success":true,"orderId":7,"payeeName":"Ivan Petrov","payeeAccount":"{ACCOUNT}"}}'.encode()
    replies = [(refusal, 400, {}), (page, 502, {"X-Signature": "x", "Content-Type": "text/html"}), (malformed, 200, {})]
    kinds = (merchantpay.RejectedError, merchantpay.UnverifiedError, merchantpay.MalformedError)
    for (body, status, headers), kind in zip(replies, kinds):
        with pytest.raises(kind) as failed:
            opened(body, status, **headers)
        yield failed.value


def test_error_is_pickled_and_shows_no_personal_data():
    for error in failures():
        again = pickle.loads(pickle.dumps(error))
        assert type(again) is type(error) and again.__dict__ == error.__dict__ and repr(again) == repr(error)
        shown = "".join([str(error), repr(error), *traceback.format_exception_only(type(error), error)])
        assert ACCOUNT not in shown and "Petrov" not in shown and OWN.private_key not in shown


@pytest.mark.parametrize("kind", [merchantpay.Client, merchantpay.AsyncClient, merchantpay.Protocol])
@pytest.mark.parametrize("from_env", [False, True])
def test_traceback_of_a_refused_key_does_not_show_it(kind, from_env, monkeypatch):
    for name, value in (("BASE_URL", "https://pay.example"), ("KEY_ID", "m"), ("SERVER_PUBLIC_KEY", SERVICE.public_key)):
        monkeypatch.setenv(f"MERCHANTPAY_{name}", value)
    with pytest.raises(merchantpay.InvalidKeyError) as refused:
        kind.from_env(private_key="not a key\n") if from_env else make(kind, private_key="not a key\n")
    report = traceback.TracebackException.from_exception(refused.value, capture_locals=True)
    frames = [frame for frame in report.stack if "/merchantpay/_" in frame.filename.replace("\\", "/")]
    assert frames and not [frame for frame in frames if "not a key" in str(frame.locals)]
    assert f"{kind.__name__}(not made)" in str(frames[0].locals)


def test_panic_is_an_internal_error():
    with pytest.raises(merchantpay.InternalError) as caught:
        merchantpay._merchantpay._panic()
    assert (caught.value.code, caught.value.outcome) == ("internal", "not_sent")


def test_key_holders_are_neither_pickled_nor_copied():
    client, protocol = make(merchantpay.Client), make(merchantpay.Protocol)
    for thing in (client, client.webhook_verifier(), OWN, protocol, protocol.prepare_new_payment(**NEW), make(merchantpay.AsyncClient)):
        for take in (pickle.dumps, copy.copy, copy.deepcopy):
            with pytest.raises(TypeError, match="cannot be pickled or copied"):
                take(thing)
