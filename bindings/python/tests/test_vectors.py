"""The vectors that every language is held against (tests/contract/vectors of the project, whose README says what a case is)."""

import base64
import collections
import json
import pathlib
import re
import subprocess
import sys
from decimal import Decimal

import merchantpay
import nacl.signing
import pytest

FOLDER = pathlib.Path(__file__).resolve().parents[3] / "tests" / "contract" / "vectors"
FILES = ["amounts", "headers", "keys", "misdirected", "receipts", "replies", "requests", "statuses", "webhooks"]

# The contract's names in Python's case, and whether a field is an amount.
FIELDS = {
    "orderId": ("order_id", False),
    "sum": ("sum", True),
    "currency": ("currency", False),
    "payeeAccount": ("payee_account", False),
    "payeeAccountBank": ("payee_account_bank", False),
    "payeeName": ("payee_name", False),
    "dealSum": ("deal_sum", True),
    "dealCurrency": ("deal_currency", False),
    "dealRate": ("deal_rate", True),
    "deeplink": ("deeplink", False),
    "status": ("status", False),
}
ARGUMENTS = {
    "sum": "sum",
    "currency": "currency",
    "paymentMethod": "payment_method",
    "customerAccount": "customer_account",
    "payerBank": "payer_bank",
    "merchantId": "merchant_id",
    "statusWebhookUrl": "status_webhook_url",
    "credentialsWebhookUrl": "credentials_webhook_url",
    "sumDriftUp": "sum_drift_up",
    "sumDriftDown": "sum_drift_down",
    "orderId": "order_id",
    "files": "files",
}
OPERATIONS = {
    "getAvailableAmounts": "prepare_get_available_amounts",
    "newPayment": "prepare_new_payment",
    "newPaymentAsync": "prepare_new_payment_async",
    "confirm": "prepare_confirm",
    "cancel": "prepare_cancel",
    "getStatus": "prepare_get_status",
    "attachReceipt": "prepare_attach_receipt",
}


def read(name):
    document = json.loads((FOLDER / f"{name}.json").read_text(encoding="utf-8"))
    assert document["count"] == len(document["cases"]) >= 30, name
    return [{**case, "settings": {**document["settings"], **case.get("settings", {})}} for case in document["cases"]]


def content(value):
    return value.encode() if isinstance(value, str) else base64.b64decode(value["base64"], validate=True)


def protocol(settings):
    return merchantpay.Protocol(
        settings["base_url"],
        settings["key_id"],
        settings["private_key"],
        settings["server_public_keys"],
        server_key_id=settings["server_key_ids"],
    )


def verifier(settings):
    return merchantpay.WebhookVerifier(settings["server_public_keys"], server_key_id=settings["server_key_ids"], key_id=settings["key_id"])


def prepare(case, operation, arguments):
    given = {ARGUMENTS[name]: value for name, value in arguments.items()}
    if "files" in given:
        given["files"] = [(file["name"], content(file["data"]), file["content_type"]) for file in given["files"]]
    return getattr(protocol(case["settings"]), OPERATIONS[operation])(**given)


def failure(case, call):
    with pytest.raises(merchantpay.Error) as raised:
        call()
    wanted, error = case["expected"]["error"], raised.value
    assert (error.code, error.outcome) == (wanted["code"], wanted["outcome"]), error
    return error


def check_error(case, call, body):
    wanted, error = case["expected"]["error"], failure(case, call)
    for name in ("description", "reason", "http_status", "order_id"):
        assert getattr(error, name) == wanted.get(name), name
    assert error.body == (body if error.code in ("rejected", "malformed") else None)


def check_payment(expected, payment, body):
    assert not set(expected["payment"]) - set(FIELDS)
    for name, (attribute, is_amount) in FIELDS.items():
        wanted, got = expected["payment"].get(name), getattr(payment, attribute)
        if is_amount and wanted is not None:
            assert isinstance(got, Decimal) and f"{got:f}" == wanted, name
        else:
            assert got == wanted, name
    assert payment.is_final is expected["final"]
    assert payment.json.encode() == body


def settings(case):
    for made in case["makes"]:
        make = {"protocol": protocol, "verifier": verifier}[made]
        if "error" in case["expected"]:
            failure(case, lambda make=make: make(case["settings"]))
            continue
        make(case["settings"])
        if "signature" in case["expected"]:
            request = prepare(case, "confirm", case["expected"]["arguments"])
            assert request.body == case["expected"]["body"].encode()
            assert request.headers["X-Signature"] == case["expected"]["signature"]


def request(case):
    if case["operation"] == "newPayment" and "credentialsWebhookUrl" in case["arguments"]:
        # The method has no such argument.
        with pytest.raises(TypeError, match="credentials_webhook_url"):
            prepare(case, case["operation"], case["arguments"])
        return
    if "error" in case["expected"]:
        failure(case, lambda: prepare(case, case["operation"], case["arguments"]))
        return
    made = prepare(case, case["operation"], case["arguments"])
    assert (made.url, made.body) == (case["expected"]["url"], case["expected"]["body"].encode())
    assert list(made.headers.items()) == [tuple(header) for header in case["expected"]["headers"]]


def receipt(case):
    if "error" in case["expected"]:
        failure(case, lambda: prepare(case, "attachReceipt", case["arguments"]))
        return
    made = prepare(case, "attachReceipt", case["arguments"])
    headers = made.headers
    boundary = headers["Content-Type"].partition("boundary=")[2]
    signature = headers.pop("X-Signature")
    wanted = [(name, value.replace("@boundary@", boundary)) for name, value in case["expected"]["headers"]]
    assert (made.url, list(headers.items())) == (case["expected"]["url"], wanted)
    assert made.body == content(case["expected"]["body"]).replace(b"@boundary@", boundary.encode())
    key = nacl.signing.VerifyKey(base64.b64decode(case["settings"]["public_key"]))
    assert key.verify(made.body, base64.b64decode(signature, validate=True)) == made.body


def amount_text(case):
    arguments = {"sum": case["text"], "paymentMethod": "card"}
    failure(case, lambda: prepare(case, "getAvailableAmounts", arguments))


def reply(case):
    sent, reply = prepare(case, case["operation"], case["arguments"]), case["reply"]
    body, expected = content(reply["body"]), case["expected"]

    def opened():
        return sent.open(reply["status"], [tuple(header) for header in reply["headers"]], body)

    if "error" in expected:
        check_error(case, opened, body)
    elif "amounts" in expected:
        amounts = opened()
        assert [f"{amount:f}" for amount in amounts.available_amounts] == expected["amounts"]
        assert amounts.other_amounts_possible is expected["other_amounts_possible"]
        assert amounts.json.encode() == body
    else:
        check_payment(expected, opened(), body)


def status(case):
    reply = case["reply"]
    sent = prepare(case, "getStatus", {"orderId": "o-1"})
    payment = sent.open(reply["status"], [tuple(header) for header in reply["headers"]], content(reply["body"]))
    assert payment.status == case["text"]
    assert payment.is_final is case["final"]
    assert (payment.status in list(merchantpay.Status)) is case["known"]


def webhook(case):
    body, expected = content(case["webhook"]["body"]), case["expected"]

    def verified():
        return verifier(case["settings"]).verify(body, case["webhook"]["signature"], case["webhook"]["key_id"])

    if "error" in expected:
        check_error(case, verified, body)
    else:
        event = verified()
        assert event.kind == expected["event"]
        check_payment(expected, event.payment, body)


KINDS = {
    "settings": settings,
    "request": request,
    "receipt": receipt,
    "amount_text": amount_text,
    "reply": reply,
    "status": status,
    "webhook": webhook,
}


def test_the_files_are_the_known_ones():
    assert sorted(path.stem for path in FOLDER.glob("*.json")) == FILES


@pytest.mark.parametrize("file", FILES)
def test_what_every_vector_says_holds(file):
    broken = []
    for case in read(file):
        # An unknown kind is a failure of its own: nobody would have looked at it.
        check = KINDS[case["kind"]]
        try:
            check(case)
        except (Exception, pytest.fail.Exception) as error:
            broken.append(f"{case['name']}: {type(error).__name__}: {str(error)[:400]}")
    assert not broken, "\n".join(broken)


def test_every_kind_has_cases():
    kinds = collections.Counter(case["kind"] for file in FILES for case in read(file))
    assert set(kinds) == set(KINDS) and min(kinds.values()) >= 20, kinds


def test_the_files_are_what_their_script_makes():
    """The script has nothing of ours in it, so that no vector was recorded from the library."""
    made = subprocess.run([sys.executable, "-B", FOLDER / "make.py", "--check"], capture_output=True, text=True, check=False)
    assert made.returncode == 0, made.stderr
    for script in (FOLDER / "make.py", FOLDER / "foreign.py", *(FOLDER / "cases").glob("*.py")):
        assert not re.search(r"^\s*(import|from)\s+merchantpay", script.read_text(encoding="utf-8"), re.MULTILINE), script


def test_both_pins_are_one():
    pins = [
        [line for line in path.read_text(encoding="utf-8").splitlines() if line.startswith("PyNaCl")]
        for path in (FOLDER / "requirements.txt", pathlib.Path(__file__).with_name("requirements.txt"))
    ]
    assert pins[0] == pins[1] != []
