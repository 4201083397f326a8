"""Every setting of the definition is an argument of `Client`, with Python's types. tests/contract tests the variables."""

import inspect

import merchantpay
import pytest
from conftest import Reply

SETTINGS = {row["name"].replace("_ms", ""): row["variable"] for row in merchantpay._merchantpay.library(5, "client")}
OK = {"success": True, "orderId": "o-1", "status": "pending"}


def argument(setting):
    """The argument of a setting. Two settings with files have one common argument."""
    return "client_certificate" if setting in ("client_cert_file", "client_key_file") else setting


ARGUMENTS = {argument(setting) for setting in SETTINGS} | {"signer"}


def takes(kind, name):
    return name in inspect.signature(kind).parameters


def test_every_setting_is_an_argument_that_is_documented():
    assert len(SETTINGS) > 15 and not takes(merchantpay.Client, "time_out")
    for kind in (merchantpay.Client, merchantpay.Protocol):
        taken = {name for name in ARGUMENTS if takes(kind, name)}
        assert taken == ARGUMENTS if kind is merchantpay.Client else taken < ARGUMENTS
        assert {name for name in ARGUMENTS if f"\n- {name}: " in inspect.getdoc(kind.__init__)} == taken


def test_plain_http_to_another_machine_has_to_be_allowed(merchant, service):
    keys = ("m", merchant.private_key, service.public_key)
    for make in (merchantpay.Client, merchantpay.Protocol):
        for allow in (None, False):
            with pytest.raises(merchantpay.InvalidArgumentError):
                make("http://pay.example", *keys, allow_http=allow)
        make("http://pay.example", *keys, allow_http=True)


@pytest.fixture
def variables(monkeypatch, script, merchant, service):
    """An environment with the required variables of a client, and a function that changes it."""
    for name in [*SETTINGS.values(), "MERCHANTPAY_PRIVATE_KEY_FILE"]:
        monkeypatch.delenv(name, raising=False)

    def change(**changed):
        for name, value in changed.items():
            monkeypatch.setenv(f"MERCHANTPAY_{name}", value)

    change(BASE_URL=script.url, KEY_ID="merchant-1", PRIVATE_KEY=merchant.private_key, SERVER_PUBLIC_KEY=service.public_key)
    return change


def test_times_are_milliseconds_in_the_environment_and_seconds_in_an_argument(variables):
    variables(TIMEOUT_MS="1500")
    assert merchantpay.Client.from_env().timeout == 1.5
    assert merchantpay.Client.from_env(timeout=2.5).timeout == 2.5


def test_a_signer_stands_in_for_the_key_of_the_environment(variables, script, merchant, service):
    variables(PRIVATE_KEY="", PUBLIC_KEY=merchant.public_key)
    script.answer(Reply(OK, service))
    assert merchantpay.Client.from_env(signer=merchant.raw).get_status("o-1").order_id == "o-1"


def test_a_signer_of_none_leaves_the_key_of_the_environment(variables, script, merchant, service):
    script.answer(Reply(OK, service))
    assert merchantpay.Client.from_env(signer=None).get_status("o-1").order_id == "o-1"
    _, headers, body = script.requests[0]
    assert merchant.verifies(body, headers["X-Signature"])


def test_an_override_that_is_spelled_wrong_is_a_type_error(variables):
    for wrong in ({"time_out": 1}, {"timeout_ms": 1}, {"timeout": "1"}):
        with pytest.raises(TypeError):
            merchantpay.Client.from_env(**wrong)
    with pytest.raises(TypeError):
        merchantpay.Protocol.from_env(timeout=1)
