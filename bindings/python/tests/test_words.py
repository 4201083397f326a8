"""The package's terms, fields and operations match the core's lists."""

import ast
import copy
import importlib
import inspect
import json
import pathlib
import pickle
import re

import merchantpay
import pytest
from merchantpay import (
    Attention,
    Balance,
    Cause,
    Code,
    EventKind,
    Intent,
    IntentState,
    Outcome,
    Paid,
    PaymentMethod,
    Reason,
    Rounding,
    Standing,
    Status,
    Style,
    Until,
)

CORE = merchantpay._merchantpay._words()


def snake(name):
    return re.sub(r"([A-Z])", r"_\1", name).lower()


@pytest.mark.parametrize(
    "kind, name",
    [(Code, "codes"), (Outcome, "outcomes"), (Reason, "reasons"), (Status, "statuses"), (PaymentMethod, "payment_methods"),
     (EventKind, "event_kinds"), (Cause, "causes"), (Paid, "paid"), (Balance, "balances"), (Rounding, "roundings"),
     (Standing, "standings"), (Intent, "intents"), (IntentState, "intent_states"),
     (Attention, "attentions"), (Until, "untils"), (Style, "styles")],
)  # fmt: skip
def test_the_words_are_the_cores(kind, name):
    assert [word.value for word in kind] == CORE[name] and CORE[name]


def test_the_final_statuses_are_the_cores():
    assert [status.value for status in Status if status.is_final] == CORE["final_statuses"]
    assert not Status("frozen").is_final


def test_every_operation_has_its_method_and_its_preparation():
    assert len(CORE["operations"]) == 7
    for name, path in CORE["operations"]:
        assert path in getattr(merchantpay.Client, snake(name)).__doc__
        assert path in getattr(merchantpay.Protocol, "prepare_" + snake(name)).__doc__


def test_every_field_of_a_request_is_an_argument_that_is_documented():
    assert len(CORE["request_fields"]) >= 10
    for operation in {name for _, operations, _ in CORE["request_fields"] for name in operations}:
        wanted = {snake(name): operation in required for name, operations, required in CORE["request_fields"] if operation in operations}
        method, preparation = getattr(merchantpay.Client, snake(operation)), getattr(merchantpay.Protocol, "prepare_" + snake(operation))
        for function, more in ((method, {"self": True, "timeout": False}), (preparation, {"self": True})):
            parameters = inspect.signature(function).parameters
            assert {name: parameter.default is parameter.empty for name, parameter in parameters.items()} == {**wanted, **more}
            for name in wanted:
                assert f"\n- {name}: " in inspect.getdoc(function), f"{operation}: {name}"


def test_a_method_and_its_preparation_have_the_same_arguments():
    for name, _ in CORE["operations"]:
        method = inspect.signature(getattr(merchantpay.Client, snake(name))).parameters
        preparation = inspect.signature(getattr(merchantpay.Protocol, "prepare_" + snake(name))).parameters
        assert [*preparation, "timeout"] == [*method] and "\n- timeout: " in inspect.getdoc(getattr(merchantpay.Client, snake(name)))


def test_every_kind_of_event_has_its_class(service):
    verifier = merchantpay.WebhookVerifier(service.public_key)
    bodies = (b'{"success":true,"orderId":"o-1","deeplink":"d"}', b'{"success":false,"orderId":"o-1"}',
              b'{"success":true,"orderId":"o-1","status":"doneFail"}')  # fmt: skip
    events = [verifier.verify(body, service.sign(body)) for body in bodies]
    assert [event.kind for event in events] == CORE["event_kinds"] and len({type(event) for event in events}) == len(events)


def test_the_readme_names_the_class_of_every_code():
    readme = (pathlib.Path(__file__).parents[1] / "README.md").read_text()
    for code, kind in merchantpay._error_classes.CLASSES.items():
        assert re.search(rf"^\| `{kind.__name__}`.* \| `{code}` \|", readme, re.MULTILINE), code
        assert kind.__name__ in merchantpay.__all__
    assert list(merchantpay._error_classes.CLASSES) == CORE["codes"]


def test_an_entry_has_the_cores_fields():
    assert list(merchantpay.Entry.__dataclass_fields__) == [*CORE["entry_fields"], "details", "json"]


def test_to_balance_takes_every_balance_and_rounding():
    for balance in Balance:
        for rounding in [*Rounding, *(f"ROUND_{rounding.upper()}" for rounding in CORE["roundings"])]:
            merchantpay.to_balance("1", "1", balance, scale=2, rounding=rounding)
    wrong = [{"balance": "EUR"}, *({"rounding": name} for name in ("half", "HALF_UP", "ROUND_CEILING", "ROUND_half_up"))]
    for changed in wrong:
        with pytest.raises(merchantpay.InvalidArgumentError, match="must be one of"):
            merchantpay.to_balance("1", "1", **{"balance": "RUB", "scale": 2, "rounding": "down", **changed})


def test_every_field_of_a_payment_is_read_from_its_own_name(service):
    body = {"success": True, **{field: field for field in CORE["payment_fields"]}, "sum": 1, "dealSum": 2, "dealRate": 3}
    raw = json.dumps(body).encode()
    payment = merchantpay.WebhookVerifier(service.public_key).verify(raw, service.sign(raw)).payment
    for field in CORE["payment_fields"]:
        assert getattr(payment, snake(field)) == body[field], field
        assert f"`{field}`" in getattr(merchantpay.Payment, snake(field)).__doc__
    assert payment.unknown_fields == {}


def test_every_type_of_receipt_is_taken(merchant, service):
    protocol = merchantpay.Protocol("https://pay.example", "m", merchant.private_key, service.public_key)
    heads = {"pdf": b"%PDF-", "jpeg": b"\xff\xd8\xff", "jpg": b"\xff\xd8\xff", "png": b"\x89PNG\r\n\x1a\n"}
    for content_type in CORE["receipt_types"]:
        data = heads[content_type.partition("/")[2]]
        body = protocol.prepare_attach_receipt("o-1", [("r", data, content_type)]).body
        assert f"Content-Type: {content_type}".encode() in body


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
            if not member.startswith("_") and member not in getattr(thing, "__dataclass_fields__", ()):
                assert len(value.__doc__ or "") > 10, f"{name}.{member}"
    assert re.fullmatch(r"\d+\.\d+\.\d+", merchantpay.__version__)


@pytest.mark.parametrize("module", ["_merchantpay", "_async"])
def test_a_stub_has_the_docstrings_of_its_module(module):
    loaded = importlib.import_module(f"merchantpay.{module}")
    stub = pathlib.Path(merchantpay.__file__).with_name(f"{module}.pyi").read_text(encoding="utf-8")
    found = 0
    for node in ast.parse(stub).body:
        if not isinstance(node, (ast.ClassDef, ast.FunctionDef)) or node.name.startswith("_"):
            continue
        thing = getattr(loaded, node.name)
        members = [one for one in getattr(node, "body", []) if isinstance(one, (ast.FunctionDef, ast.AsyncFunctionDef))]
        for one, its in [(node, thing), *((one, getattr(thing, one.name)) for one in members if not one.name.startswith("_"))]:
            assert ast.get_docstring(one) == inspect.getdoc(its), f"{node.name}.{one.name}"
            found += 1
    assert found > 25
