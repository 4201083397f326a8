"""Python's own values: exact money, words that are their texts, and results that do not change."""

import copy
import decimal
import enum
import json
import pickle
import sys
from decimal import Decimal

import merchantpay
import pytest
from conftest import NEW, OWN, SERVICE, make, opened, signed
from merchantpay import Balance, Code, Outcome, PaymentMethod, Reason, Rounding, Status

PAID = b'{"success":true,"orderId":"o-1","status":"doneSuccess","sum":1500.50,"payeeAccount":"2200","payeeName":"Ivan","fee":[1.10]}'


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
        (Decimal("1E+3"), b"1000"),
        (OwnDecimal("2.50"), b"2.50"),
        (1500, b"1500"),
        (Whole.HUNDRED, b"100"),
        (10**27, b"1000000000000000000000000000"),
        (OwnInt(1500), b"1500"),
    ],
)
def test_a_sum_is_sent_with_its_own_digits(given, sent):
    request = make(merchantpay.Protocol).prepare_new_payment(**{**NEW, "sum": given})
    assert request.body.startswith(b'{"sum":' + sent + b',"currency"')


@pytest.mark.parametrize("given", [1.5, float("nan"), True, b"1", [1], 1j, object()])
def test_inexact_money_is_a_type_error(given):
    calls = [
        lambda: make(merchantpay.Client).new_payment(**{**NEW, "sum": given}),
        lambda: make(merchantpay.Client).get_available_amounts(sum="1", payment_method="sbp", sum_drift_up=given),
        lambda: merchantpay.to_balance(given, "1", "RUB", scale=2, rounding="down"),
        lambda: opened(PAID).paid(given),
    ]
    for call in calls:
        with pytest.raises(TypeError, match="must be Decimal, int or str"):
            call()


@pytest.mark.parametrize(
    "given",
    ["\ud800", "9" * 1_000_000, 0, -1, 10**28, 10**5000, -(10**5000), *map(Decimal, ("NaN", "sNaN", "Infinity", "1E+400", "-0"))],
)
def test_impossible_sum_is_refused_briefly(given):
    with pytest.raises(merchantpay.InvalidArgumentError) as refused:
        make(merchantpay.Client).new_payment(**{**NEW, "sum": given})
    assert refused.value.outcome == "not_sent" and len(str(refused.value)) < 200


@pytest.mark.parametrize("trap", [True, False])
def test_amounts_ignore_the_decimal_context(trap):
    unreadable = {"small": "1e-99999999999999999999", "large": "1e99999999999999999999", "list": "[1e99999999999999999999]"}
    unknown = {"int": "1" * 5000, **unreadable}
    fields = ",".join(f'"{name}":{text}' for name, text in unknown.items())
    body = f'{{"success":true,"orderId":"o-1","status":"pending","sum":1500.50,"dealRate":92.451700000000000001,"n":[7,1.10],{fields}}}'
    with decimal.localcontext() as context:
        context.prec, context.traps[decimal.InvalidOperation] = 3, trap
        payment = opened(body.encode())
        found = payment.unknown_fields
    assert [str(payment.sum), str(payment.deal_rate)] == ["1500.50", "92.451700000000000001"] and payment.json == body
    assert found.pop("n") == [7, Decimal("1.10")]
    # A value that Python refuses to read is its text. Some versions of Python read a number near zero as 0.
    whole = found.pop("int")
    assert whole == (unknown["int"] if hasattr(sys, "set_int_max_str_digits") else int(whole))
    assert found.pop("small") in (unreadable.pop("small"), 0) and found == unreadable


def test_to_balance_takes_words_and_decimal_constants():
    assert str(merchantpay.to_balance("1500.50", Decimal("92.45"), "USDT", scale=6, rounding="half_even")) == "16.230395"
    assert str(merchantpay.to_balance(1, 3, Balance.USDT, scale=2, rounding=decimal.ROUND_UP)) == "0.34"
    for rounding in [*Rounding, *(f"ROUND_{rounding.name}" for rounding in Rounding)]:
        merchantpay.to_balance("1", "1", "RUB", scale=2, rounding=rounding)
    wrong = [{"balance": "EUR"}, {"scale": -1}, {"scale": 2**70}, *({"rounding": name} for name in ("HALF_UP", "ROUND_CEILING"))]
    for changed in wrong:
        with pytest.raises(merchantpay.InvalidArgumentError):
            merchantpay.to_balance("1", "1", **{"balance": "RUB", "scale": 2, "rounding": "down", **changed})


def test_paid_compares_numbers():
    payment = opened(PAID)
    assert payment.paid("1500.5") is merchantpay.Paid.EXACTLY
    assert [payment.paid(asked) for asked in (Decimal("1500.500"), 1501, "1500.49")] == ["exactly", "less", "more"]
    assert merchantpay.Payment("o-1").paid(1) is None


def test_to_dict_has_the_contracts_names():
    payment = opened(PAID)
    fields = payment.to_dict()
    known = {"orderId": "o-1", "sum": Decimal("1500.50"), "payeeAccount": "2200", "payeeName": "Ivan", "status": "doneSuccess"}
    assert fields == {**known, "fee": [Decimal("1.10")]} and str(fields["sum"]) == "1500.50"
    fields["sum"] = None
    assert payment.to_dict()["sum"] == payment.sum


@pytest.mark.parametrize("word", [Status.PENDING, Status("frozen"), PaymentMethod("cash"), Code.TIMEOUT, Reason.ORDER_NOT_FOUND])
def test_a_word_is_its_text(word):
    text = word.value
    assert word == text and hash(word) == hash(text) and json.dumps(word) == json.dumps(text)
    assert str(word) == f"{word}" == "%s" % word == text and f"{word:>20}" == f"{text:>20}"  # noqa: UP031
    for again in (pickle.loads(pickle.dumps(word)), copy.deepcopy(word), type(word)(text)):
        assert again == word and type(again) is type(word)


def test_only_service_words_may_be_unknown():
    frozen = Status("frozen")
    assert (frozen.name, frozen.is_known, frozen.is_final, Status.FREE.is_known) == ("UNKNOWN", False, False, True)
    assert [status.value for status in Status if status.is_final] == ["doneSuccess", "doneFail", "arbitrageCancelledByMerchant"]
    for kind, value in ((Code, "frozen"), (Outcome, "frozen"), (Reason, "frozen"), (Status, None), (Status, ["free"])):
        with pytest.raises(ValueError):
            kind(value)


def results():
    verifier = merchantpay.WebhookVerifier(SERVICE.public_key)
    credentials = b'{"success":true,"orderId":"o-1","payeeAccount":"1","deeplink":"https://pay.example/1"}'
    yield from (
        opened(PAID),
        *(verifier.verify_request(body, signed(body)) for body in (PAID, credentials, b'{"success":false,"orderId":"o-1"}')),
    )
    body = b'{"success":true,"availableAmounts":[1.50],"otherAmountsPossible":true}'
    yield make(merchantpay.Protocol).prepare_get_available_amounts(sum=1, payment_method="sbp").open(200, signed(body), body)


def test_results_are_copied_and_pickled():
    for result in results():
        assert copy.copy(result) is result and copy.deepcopy([result])[0] is result
        for protocol in range(pickle.HIGHEST_PROTOCOL + 1):
            again = pickle.loads(pickle.dumps(result, protocol))
            assert type(again) is type(result) and again == result and hash(again) == hash(result) and repr(again) == repr(result)
    assert len({type(result) for result in results()}) == len(set(results())) == 5


def test_results_are_frozen():
    for thing, name in [*((result, name) for result in results() for name in (result._shown[0], "other")), (OWN, "private_key")]:
        with pytest.raises(AttributeError):
            setattr(thing, name, 1)
        with pytest.raises(AttributeError):
            delattr(thing, name)


def test_results_are_made_by_hand():
    made = merchantpay.Payment("o-1", sum=Decimal("1.50"), status=Status.DONE_SUCCESS)
    assert made == merchantpay.Payment(order_id="o-1", status=Status.DONE_SUCCESS, sum=Decimal("1.5")) and made != 7
    assert (made.currency, made.is_final, made.unknown_fields) == (None, True, {})
    assert merchantpay.StatusChanged(made).order_id == "o-1" and merchantpay.StatusChanged(made) != merchantpay.CredentialsFailed(made)
    assert merchantpay.AvailableAmounts((Decimal(1),)).available_amounts == (1,)
    for fields in ({}, {"order_id": "o-2"}, {"total": 1}):
        with pytest.raises(TypeError):
            merchantpay.Payment(*["o-1"] * len(fields), **fields)


def test_repr_shows_no_secrets():
    request = make(merchantpay.Protocol).prepare_new_payment(**NEW)
    things = [*results(), OWN, request, make(merchantpay.Protocol), make(merchantpay.Client)]
    shown = "".join(text for thing in things for text in (repr(thing), str(thing), f"{thing}"))
    for secret in ("2200", "Ivan", "https://pay.example/1", OWN.private_key, request.headers["X-Signature"], NEW["customer_account"]):
        assert secret not in shown


@pytest.mark.parametrize("kind, json", [("Payment", "{}"), ("Payment", "no"), ("AvailableAmounts", "{}"), ("Other", '{"orderId":"o-1"}')])
def test_broken_0_3_0_pickle_is_a_value_error(kind, json):
    with pytest.raises(ValueError, match="pickle"):
        merchantpay._merchantpay._unpickle(kind, json)
