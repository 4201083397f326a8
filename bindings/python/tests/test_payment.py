"""The attributes and methods of a payment, in addition to its fields."""

import json
from decimal import Decimal

import merchantpay
import pytest


@pytest.fixture
def payment(service):
    verifier = merchantpay.WebhookVerifier(service.public_key)

    def made(text):
        body = b'{"success":true,"orderId":"o-1","status":"doneSuccess"' + text.encode() + b"}"
        return verifier.verify(body, service.sign(body)).payment

    return made


@pytest.mark.parametrize(
    "sum, asked, paid",
    [
        ("1500.5", "1500.50", "exactly"),
        ("1500.50", Decimal("1500.500"), "exactly"),
        ("1500", 1500, "exactly"),
        ("1500.49", "1500.50", "less"),
        ("1500.501", Decimal("1500.50"), "more"),
    ],
)
def test_what_was_paid_is_compared_as_a_number(payment, sum, asked, paid):
    compared = payment(f',"sum":{sum}').paid(asked)
    assert compared is merchantpay.Paid(paid) and compared == paid


def test_without_a_sum_nothing_can_be_compared(payment):
    assert payment("").paid("1") is None
    for wrong in (1.5, None, True, b"1"):
        with pytest.raises(TypeError, match="asked must be Decimal, int or str"):
            payment(',"sum":1').paid(wrong)
    with pytest.raises(merchantpay.InvalidArgumentError, match="asked"):
        payment(',"sum":1').paid("much")


def test_a_payment_is_a_dict_by_the_contracts_names(payment):
    made = payment(',"sum":1500.50,"dealRate":0.00000001,"payeeName":"Иван","currency":null,"extra":[1.10]')
    fields = made.to_dict()
    assert fields == {
        "orderId": "o-1",
        "sum": Decimal("1500.50"),
        "payeeName": "Иван",
        "dealRate": Decimal("0.00000001"),
        "status": "doneSuccess",
        "extra": [Decimal("1.10")],
    }
    # The digits are unchanged, and the fields are in the contract's order.
    assert [str(fields["sum"]), str(fields["extra"][0])] == ["1500.50", "1.10"]
    assert list(fields) == ["orderId", "sum", "payeeName", "dealRate", "status", "extra"]
    fields["sum"] = None
    assert made.to_dict()["sum"] == made.sum and '"sum":1500.50' in made.json
    again = json.loads(made.json, parse_float=Decimal)
    assert {name: value for name, value in again.items() if value is not None and name != "success"} == made.to_dict()
