"""Every setting of the definition is an argument of `Client`, and `Client.from_env` reads its variable."""

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


def test_a_client_is_made_of_the_environment(variables, script, service):
    script.answer(Reply(OK, service))
    with merchantpay.Client.from_env() as client:
        assert type(client) is merchantpay.Client and client.timeout == 30.0
        assert client.get_status("o-1").status == "pending"
    assert script.requests[0][1]["X-KeyId"] == "merchant-1"


def test_every_setting_is_read_from_its_variable(variables, merchant, service, tmp_path):
    file = str(tmp_path / "missing.pem")
    values = {
        "base_url": "http://pay.example/",
        "key_id": "m 1",
        "private_key": "short",
        "public_key": service.public_key,
        "server_public_key": f"{service.public_key},x",
        "server_key_id": "service-1, merchant-1",
        "ca_file": file,
        "ca_pem": "nonsense",
        "exclusive_ca": "1",
        "pin_spki": "sha1/AAAA",
        "client_cert_file": file,
        "client_key_file": file,
        "proxy": "nonsense",
        "allow_http": "2",
        "user_agent": "a\tb\n",
        "timeout": "0",
        "connect_timeout": "0",
        "reuse_idle": "x",
        "connect_idle": "1.5",
        "max_retries": "-1",
        "max_reply_bytes": "1e6",
    }
    assert set(values) == set(SETTINGS)
    for setting, value in values.items():
        variable = SETTINGS[setting]
        variables(**{variable[len("MERCHANTPAY_") :]: value})
        with pytest.raises((merchantpay.InvalidArgumentError, merchantpay.InvalidKeyError)) as refused:
            merchantpay.Client.from_env()
        assert refused.value.outcome == "not_sent"
        # A given argument takes precedence, and an empty variable has no effect.
        given = {"base_url": "http://127.0.0.1:1", "key_id": "merchant-1", "private_key": merchant.private_key}
        given["server_public_key"] = service.public_key
        if setting in given:
            merchantpay.Client.from_env(**{setting: given[setting]})
        variables(**{variable[len("MERCHANTPAY_") :]: given.get(setting, "")})
    merchantpay.Client.from_env()


@pytest.mark.parametrize(
    "name, value",
    [("TIMEOUT_MS", "30s"), ("TIMEOUT_MS", "4294967296"), ("CONNECT_TIMEOUT_MS", " 1"), ("MAX_RETRIES", "two"), ("MAX_REPLY_BYTES", "1MB"),
     ("ALLOW_HTTP", "yes"), ("EXCLUSIVE_CA", "true")],
)  # fmt: skip
def test_a_variable_that_cannot_be_read_is_named_and_its_value_is_not_shown(variables, name, value):
    variables(**{name: value})
    with pytest.raises(merchantpay.InvalidArgumentError, match=f"MERCHANTPAY_{name} must be") as refused:
        merchantpay.Client.from_env()
    assert refused.value.outcome == "not_sent" and value.strip() not in str(refused.value).split(" must be ")[0]
    assert not str(refused.value).endswith(value)


@pytest.mark.parametrize("name", ["BASE_URL", "KEY_ID", "PRIVATE_KEY", "SERVER_PUBLIC_KEY"])
def test_a_variable_that_is_missing_is_named(variables, name):
    variables(**{name: ""})
    with pytest.raises(merchantpay.InvalidArgumentError, match=f"MERCHANTPAY_{name} is missing") as refused:
        merchantpay.Client.from_env()
    assert refused.value.outcome == "not_sent"


def test_times_are_milliseconds_in_the_environment_and_seconds_in_an_argument(variables):
    variables(TIMEOUT_MS="1500")
    assert merchantpay.Client.from_env().timeout == 1.5
    assert merchantpay.Client.from_env(timeout=2.5).timeout == 2.5


def test_the_private_key_may_be_in_a_file(variables, script, merchant, service, tmp_path):
    file = tmp_path / "key"
    file.write_text(f"\n{merchant.private_key}\n")
    variables(PRIVATE_KEY="", PRIVATE_KEY_FILE=str(file))
    script.answer(Reply(OK, service))
    assert merchantpay.Client.from_env().get_status("o-1").order_id == "o-1"
    _, headers, body = script.requests[0]
    assert merchant.verifies(body, headers["X-Signature"])
    # The variable takes precedence, and then the file is not read.
    variables(PRIVATE_KEY=merchant.private_key, PRIVATE_KEY_FILE=str(tmp_path / "missing"))
    merchantpay.Client.from_env()
    variables(PRIVATE_KEY="")
    with pytest.raises(merchantpay.InvalidArgumentError, match="MERCHANTPAY_PRIVATE_KEY_FILE") as refused:
        merchantpay.Client.from_env()
    assert str(tmp_path) not in str(refused.value)


def test_a_signer_stands_in_for_the_key_of_the_environment(variables, script, merchant, service):
    variables(PRIVATE_KEY="", PUBLIC_KEY=merchant.public_key)
    script.answer(Reply(OK, service))
    assert merchantpay.Client.from_env(signer=merchant.raw).get_status("o-1").order_id == "o-1"


def test_a_signer_of_none_leaves_the_key_of_the_environment(variables, script, merchant, service):
    script.answer(Reply(OK, service))
    assert merchantpay.Client.from_env(signer=None).get_status("o-1").order_id == "o-1"
    _, headers, body = script.requests[0]
    assert merchant.verifies(body, headers["X-Signature"])


def test_an_empty_element_of_a_list_is_dropped(variables, script, service):
    variables(SERVER_PUBLIC_KEY=f" {service.public_key} ,", SERVER_KEY_ID=", service-1,,")
    script.answer(Reply(OK, service))
    assert merchantpay.Client.from_env().get_status("o-1").order_id == "o-1"


def test_a_client_certificate_needs_both_of_its_variables(variables):
    fault = "MERCHANTPAY_CLIENT_CERT_FILE and MERCHANTPAY_CLIENT_KEY_FILE must be set together"
    for one, other in (("CLIENT_CERT_FILE", "CLIENT_KEY_FILE"), ("CLIENT_KEY_FILE", "CLIENT_CERT_FILE")):
        variables(**{one: "x.pem", other: ""})
        with pytest.raises(merchantpay.InvalidArgumentError, match=fault):
            merchantpay.Client.from_env()


def test_an_override_that_is_spelled_wrong_is_a_type_error(variables):
    for wrong in ({"time_out": 1}, {"timeout_ms": 1}, {"timeout": "1"}):
        with pytest.raises(TypeError):
            merchantpay.Client.from_env(**wrong)


def test_a_protocol_is_made_of_the_environment(variables, merchant):
    variables(BASE_URL="http://shop.example", ALLOW_HTTP="1")
    request = merchantpay.Protocol.from_env(key_id="merchant-2").prepare_confirm("o-1")
    assert request.url.startswith("http://shop.example/") and request.headers["X-KeyId"] == "merchant-2"
    assert merchant.verifies(request.body, request.headers["X-Signature"])
    variables(ALLOW_HTTP="")
    with pytest.raises(merchantpay.InvalidArgumentError):
        merchantpay.Protocol.from_env()
    with pytest.raises(TypeError):
        merchantpay.Protocol.from_env(timeout=1)


def test_a_verifier_of_the_environment_needs_the_public_key_of_the_service_alone(variables, merchant, service):
    body = b'{"success":true,"orderId":"o-1","status":"doneSuccess"}'
    variables(BASE_URL="", KEY_ID="", PRIVATE_KEY="", SERVER_KEY_ID="service-1")
    verifier = merchantpay.WebhookVerifier.from_env()
    assert verifier.verify(body, service.sign(body), "service-1").order_id == "o-1"
    with pytest.raises(merchantpay.UnverifiedError):
        verifier.verify(body, service.sign(body), "service-2")
    for own in ({"PUBLIC_KEY": merchant.public_key}, {"PRIVATE_KEY": merchant.private_key}):
        variables(**{"PUBLIC_KEY": "", "PRIVATE_KEY": "", "SERVER_PUBLIC_KEY": merchant.public_key, **own})
        with pytest.raises(merchantpay.InvalidKeyError):
            merchantpay.WebhookVerifier.from_env()
    variables(SERVER_PUBLIC_KEY="")
    with pytest.raises(merchantpay.InvalidArgumentError, match="MERCHANTPAY_SERVER_PUBLIC_KEY is missing"):
        merchantpay.WebhookVerifier.from_env()
    variables(SERVER_PUBLIC_KEY=service.public_key, PRIVATE_KEY="", PRIVATE_KEY_FILE="/no/such/file")
    with pytest.raises(merchantpay.InvalidArgumentError, match="the file that MERCHANTPAY_PRIVATE_KEY_FILE names cannot be read"):
        merchantpay.WebhookVerifier.from_env()
