"""The package's terms, fields and operations match the core's lists."""

import copy
import inspect
import json
import pathlib
import pickle
import re

import merchantpay
import pytest
from merchantpay import Balance, Code, Outcome, PaymentMethod, Reason, Rounding, Status


def snake(name):
    return re.sub(r"([A-Z])", r"_\1", name).lower()


def test_final_statuses():
    assert [status.value for status in Status if status.is_final] == ["doneSuccess", "doneFail", "arbitrageCancelledByMerchant"]
    assert not Status("frozen").is_final


OPERATIONS = [name[len("prepare_") :] for name in vars(merchantpay.Protocol.__mro__[2]) if name.startswith("prepare_")]


def test_a_method_and_its_preparation_have_the_same_arguments():
    assert len(OPERATIONS) == 7
    for name in OPERATIONS:
        called, prepared = getattr(merchantpay.Client, name), getattr(merchantpay.Protocol, f"prepare_{name}")
        method, preparation = inspect.signature(called).parameters, inspect.signature(prepared).parameters
        assert [*preparation, "timeout"] == [*method]
        assert list(inspect.signature(getattr(merchantpay.AsyncClient, name)).parameters) == list(method)
        for function, parameters in ((called, method), (prepared, preparation)):
            documented = re.findall(r"^- (\w+): ", inspect.getdoc(function), re.MULTILINE)
            assert documented == [parameter for parameter in parameters if parameter != "self"], name


def test_the_readme_names_the_class_of_every_code():
    readme = (pathlib.Path(__file__).parents[1] / "README.md").read_text()
    for code, kind in merchantpay._generated.error_classes.CLASSES.items():
        assert re.search(rf"^\| `{kind.__name__}`.* \| `{code}` \|", readme, re.MULTILINE), code
        assert kind.__name__ in merchantpay.__all__
    assert list(merchantpay._generated.error_classes.CLASSES) == [*Code]


def test_to_balance_takes_every_balance_and_rounding():
    for balance in Balance:
        for rounding in [*Rounding, *(f"ROUND_{rounding.name}" for rounding in Rounding)]:
            merchantpay.to_balance("1", "1", balance, scale=2, rounding=rounding)
    wrong = [{"balance": "EUR"}, *({"rounding": name} for name in ("half", "HALF_UP", "ROUND_CEILING", "ROUND_half_up"))]
    for changed in wrong:
        with pytest.raises(merchantpay.InvalidArgumentError, match="must be one of"):
            merchantpay.to_balance("1", "1", **{"balance": "RUB", "scale": 2, "rounding": "down", **changed})


def test_every_field_of_a_payment_is_read_from_its_own_name(service):
    names = merchantpay.Payment._contract
    body = {"success": True, **{field: field for field in names.values()}, "sum": 1, "dealSum": 2, "dealRate": 3}
    raw = json.dumps(body).encode()
    payment = merchantpay.WebhookVerifier(service.public_key).verify(raw, service.sign(raw)).payment
    for name, field in names.items():
        assert name == snake(field) and getattr(payment, name) == body[field], field
    assert payment.unknown_fields == {}


@pytest.mark.parametrize("word", [Status.PENDING, Status("frozen"), PaymentMethod("cash"), Code.TIMEOUT, Reason.ORDER_NOT_FOUND])
def test_a_word_is_its_text(word):
    text = word.value
    assert word == text and text == word and hash(word) == hash(text) and {text: 1}[word] == 1
    assert str(word) == f"{word}" == "%s" % word == text and f"{word:>20}" == f"{text:>20}" and json.dumps(word) == json.dumps(text)  # noqa: UP031
    for again in (pickle.loads(pickle.dumps(word)), copy.deepcopy(word), type(word)(text)):
        assert again == word and type(again) is type(word)


def test_the_services_words_may_grow_and_the_librarys_do_not():
    assert Status("frozen").name == "UNKNOWN" and not Status("frozen").is_known and Status("free").is_known
    assert [status.name for status in Status] == [name for name in Status.__members__] and "UNKNOWN" not in Status.__members__
    for kind in (Code, Outcome, Reason):
        with pytest.raises(ValueError):
            kind("frozen")
    for value in (None, 7, ["free"]):
        with pytest.raises(ValueError):
            Status(value)


def test_every_public_name_is_documented_and_says_where_it_lives():
    assert len(merchantpay.__doc__) > 500
    for name in merchantpay.__all__:
        thing = getattr(merchantpay, name)
        if name in ("Event", "__version__"):
            continue
        assert len(thing.__doc__ or "") > 20, name
        assert thing.__module__ == "merchantpay" or not isinstance(thing, type), name
        for member, value in vars(thing).items() if isinstance(thing, type) and not issubclass(thing, (str, Exception)) else ():
            # A value's fields have their documentation beside them in the source.
            fields = getattr(thing, "_fields", getattr(thing, "__dataclass_fields__", ()))
            if not member.startswith("_") and member not in fields:
                assert len(value.__doc__ or "") > 10, f"{name}.{member}"
    assert re.fullmatch(r"\d+\.\d+\.\d+", merchantpay.__version__)
