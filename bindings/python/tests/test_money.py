"""Money is exact: Decimal, int or str as input, Decimal as output, never a float."""

import decimal
import enum
import sys
from decimal import Decimal

import merchantpay
import pytest
from conftest import Reply


class Whole(enum.IntEnum):
    HUNDRED = 100


class OwnDecimal(Decimal):
    def __str__(self):
        return "1"


class OwnInt(int):
    def _nine(self, *_):
        return 9

    def _text(self):
        return "9"

    __index__ = __int__ = __and__ = __rshift__ = bit_length = _nine
    __str__ = __repr__ = _text


@pytest.mark.parametrize(
    "given, sent",
    [
        ("1500.50", b"1500.50"),
        (Decimal("1500.50"), b"1500.50"),
        (Decimal("0.10"), b"0.10"),
        (Decimal("1E+3"), b"1000"),
        (OwnDecimal("2.50"), b"2.50"),
        (1500, b"1500"),
        (Whole.HUNDRED, b"100"),
        (10**27, b"1000000000000000000000000000"),
        (OwnInt(1500), b"1500"),
        ("1234567890123456789012345.678", b"1234567890123456789012345.678"),
    ],
)
def test_a_sum_is_sent_with_the_digits_it_was_given(merchant, service, given, sent):
    protocol = merchantpay.Protocol("https://pay.example", "m", merchant.private_key, service.public_key)
    request = protocol.prepare_new_payment(sum=given, payment_method="sbp", customer_account="1")
    assert request.body.startswith(b'{"sum":' + sent + b',"currency":"RUB","paymentMethod":"sbp"')


@pytest.mark.parametrize("given", [1.5, 1500.0, float("nan"), True, False, b"1", [1], 1j, object()])
def test_what_is_not_exact_money_is_a_type_error(client, given):
    calls = [
        lambda: client.new_payment(sum=given, payment_method="sbp", customer_account="1"),
        lambda: client.get_available_amounts(sum=given, payment_method="sbp"),
        lambda: merchantpay.to_balance(given, "1", "RUB", scale=2, rounding="down"),
        lambda: merchantpay.to_balance("1", given, "RUB", scale=2, rounding="down"),
    ]
    calls.append(lambda: client.get_available_amounts(sum="1", payment_method="sbp", sum_drift_up=given))
    for call in calls:
        with pytest.raises(TypeError, match="must be Decimal, int or str"):
            call()


@pytest.mark.parametrize(
    "given",
    ["0", "-1", "", "1,5", "NaN", "1_000", " 1", "0x1", "1\0", "\ud800", "1" * 29, "9" * 1_000_000, 0, -1, 10**28, 10**5000, -(10**5000),
     Decimal("NaN"), Decimal("sNaN"), Decimal("Infinity"), Decimal("1E+400"), Decimal("-0")],
)  # fmt: skip
def test_a_sum_that_cannot_be_right_is_refused_before_anything_is_sent(client, given):
    with pytest.raises(merchantpay.InvalidArgumentError) as refused:
        client.new_payment(sum=given, payment_method="sbp", customer_account="1")
    assert (refused.value.code, refused.value.outcome) == ("invalid_argument", "not_sent")
    assert isinstance(refused.value, ValueError) and len(str(refused.value)) < 200


def test_amounts_come_back_as_decimals_with_their_own_digits(script, scripted, service):
    body = b'{"success":true,"orderId":"o-1","status":"pending","sum":1500.50,"dealSum":0.10,"dealRate":92.451700000000000001,"fee":1.10,"n":[7]}'
    script.answer(Reply(body, service))
    with decimal.localcontext() as context:
        context.prec = 3
        payment = scripted.get_status("o-1")
        shown = [str(amount) for amount in (payment.sum, payment.deal_sum, payment.deal_rate)]
    assert shown == ["1500.50", "0.10", "92.451700000000000001"]
    assert str(payment.unknown_fields["fee"]) == "1.10" and payment.unknown_fields["n"] == [7]
    assert payment.json == body.decode()


@pytest.mark.parametrize("trap", [True, False])
def test_an_unknown_field_that_python_cannot_read_is_its_text(script, scripted, service, trap):
    texts = {"int": "1" * 5000, "small": "1e-99999999999999999999", "large": "1e99999999999999999999", "list": "[1e99999999999999999999]"}
    body = '{"success":true,"orderId":"o-1","status":"pending","n":7,' + ",".join(f'"{name}":{text}' for name, text in texts.items()) + "}"
    script.answer(Reply(body.encode(), service))
    with decimal.localcontext() as context:
        context.traps[decimal.InvalidOperation] = trap
        fields = scripted.get_status("o-1").unknown_fields
    whole = fields.pop("int")
    assert whole == (texts.pop("int") if hasattr(sys, "set_int_max_str_digits") else int(whole))
    # Some versions of Python read a number near zero as 0; others keep its text.
    assert fields.pop("n") == 7 and fields.pop("small") in (texts.pop("small"), 0)
    assert fields == texts


@pytest.mark.parametrize(
    "sum, rate, balance, scale, rounding, expected",
    [
        ("1500.50", "92.45", "USDT", 6, "half_even", "16.230395"),
        (Decimal("1500.50"), Decimal("0.97"), "RUB", 2, decimal.ROUND_DOWN, "1455.48"),
        (1, 3, "USDT", 2, decimal.ROUND_UP, "0.34"),
        ("0.05", "0.1", "RUB", 2, decimal.ROUND_HALF_UP, "0.01"),
        ("0.05", "0.1", "RUB", 2, decimal.ROUND_HALF_EVEN, "0.00"),
    ],
)
def test_the_paid_sum_is_converted_to_the_balance_exactly(sum, rate, balance, scale, rounding, expected):
    converted = merchantpay.to_balance(sum, rate, balance, scale=scale, rounding=rounding)
    assert isinstance(converted, Decimal) and str(converted) == expected


@pytest.mark.parametrize(
    "changed",
    [{"sum": "-1"}, {"rate": 0}, {"balance": "EUR"}, {"scale": 29}, {"scale": -1}, {"scale": 2**70}, {"rounding": "ROUND_CEILING"}],
)
def test_what_cannot_be_converted_is_refused(changed):
    arguments = {"sum": "1", "rate": "1", "balance": "RUB", "scale": 2, "rounding": "down", **changed}
    with pytest.raises(merchantpay.InvalidArgumentError):
        merchantpay.to_balance(arguments.pop("sum"), arguments.pop("rate"), arguments.pop("balance"), **arguments)
