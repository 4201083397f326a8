"""These cases test replies to each operation: the result, field by field, or the error (contract, sections 2, 4
and 7)."""

import json

from .bodies import not_json, pages
from .common import ARGUMENTS, failure, reply
from .failures import ORDER_OPERATIONS, REASONS, malformed, own, rejected

MAKING = ("newPayment", "newPaymentAsync")

CREDENTIALS = (
    '"sum":1500.50,"payeeAccount":"2200 1234 5678 9012","payeeAccountBank":"Банк","payeeName":"Иван И.",'
    '"currency":"RUB","dealSum":16.2256,"dealCurrency":"USDT","dealRate":92.451700000000000001,"deeplink":"https://pay.example/f?a=1&b=2"'
)
READ = {
    "sum": "1500.50",
    "currency": "RUB",
    "payeeAccount": "2200 1234 5678 9012",
    "payeeAccountBank": "Банк",
    "payeeName": "Иван И.",
    "dealSum": "16.2256",
    "dealCurrency": "USDT",
    "dealRate": "92.451700000000000001",
    "deeplink": "https://pay.example/f?a=1&b=2",
}

# The member that a success of getStatus must have.
STATUS = ',"status":"pending"'


def payment(order_id="o-1", final=False, **fields):
    return {"payment": {"orderId": order_id, **fields}, "final": final}


def success(fields="", order_id="o-1"):
    return f'{{"success":true,"orderId":"{order_id}"{fields}}}'


def refused(name, body, expected, operation="confirm", **others):
    """`body` are the members behind `success`."""
    return reply(name, operation, f'{{"success":false{body}}}', expected, **others)


def entries():
    return successes() + fields() + without_what_is_needed() + refusals() + wrong_orders() + not_json() + pages() + amounts_lists()


def pending(rows):
    """Replies to getStatus: the name, the members behind the status, and what is read of them."""
    return [reply(name, "getStatus", success(STATUS + members), payment(status="pending", **read)) for name, members, read in rows]


def successes():
    made = []
    digits = {"sum": "1500.500", "dealSum": "0.00000001", "dealRate": "1234567890123456789012345678"}
    other_order = '{"status":"pending","deeplink":"d","sum":1,"orderId":"o-1","success":true}'
    escapes = '{"\\u0073uccess":true,"order\\u0049d":"\\u006f-1","st\\u0061tus":"pend\\u0069ng"}'
    any_text = success(',"deeplink":"d"', '\\"/\\\\ \\u0416😀')
    made += [
        *pending([("amounts keep their digits", "".join(f',"{name}":{number}' for name, number in digits.items()), digits)]),
        reply("the fields in another order", "getStatus", other_order, payment(status="pending", deeplink="d", sum="1")),
        reply("blanks between everything", "confirm", ' \t\r\n{ "success" :\ttrue ,\n"orderId"\r: "o-1" }\n ', payment()),
        reply("names and values in escapes", "getStatus", escapes, payment(status="pending")),
        reply("an order id of any text", "newPayment", any_text, payment('"/\\ Ж😀', deeplink="d")),
        reply("a name twice in a field that nobody knows", "confirm", success(',"x":[{"y":1,"y":1}]'), payment()),
        reply("lists in lists, 128 deep", "confirm", success(f',"x":{"[" * 128}{"]" * 128}'), payment()),
        reply("a success with a description is a success", "confirm", success(',"errorDescription":"x"'), payment()),
        reply("a success with an error is a success", "confirm", success(',"error":"x"'), payment()),
    ]
    for status in (100, 201, 400, 403, 404, 500, 502):
        made.append(reply(f"a success with HTTP status {status}: the status is not signed", "confirm", success(), payment(), status=status))
    for status in (300, 301, 302, 303, 304, 307, 308, 399):
        error = failure("transport", "unknown", order_id="o-1")
        made.append(reply(f"a redirect by {status} is not followed and not read", "confirm", success(), error, status=status))
    for order_id in ("заказ-1", 'o"1"\\', "a\u2028", "😀", "x" * 3000):
        body = json.dumps({"success": True, "orderId": order_id, "status": "pending"})
        bound = payment(order_id, status="pending")
        made.append(reply(f"bound to the order {ascii(order_id)[:30]}", "getStatus", body, bound, arguments={"orderId": order_id}))
    return made


def fields():
    """Each field in each form."""
    made = []
    for name in ("payeeAccount", "payeeAccountBank", "payeeName", "deeplink", "currency", "dealCurrency", "status"):
        status, needs = ("", {}) if name == "status" else (STATUS, {"status": "pending"})
        for what, lexeme, value in (
            ("plain", '"x"', "x"),
            ("in escapes", '"\\"\\\\\\/\\b\\f\\n\\r\\t\\u0416\\ud83d\\ude00"', '"\\/\b\f\n\r\tЖ😀'),
            ("null, which is absent", "null", None),
        ):
            read = needs if value is None else {**needs, name: value}
            expected = payment(**read) if read else malformed()
            what = f"{name} {what}" if read else "status null, which is none"
            made.append(reply(what, "getStatus", success(f'{status},"{name}":{lexeme}'), expected))
        for lexeme in ("1", "true", "[]", '{"x":1}', '["x"]', '"\\u0000"', '"2200\\u00001234"', '"\\ud800"'):
            made.append(reply(f"{name} as {lexeme}", "getStatus", success(f'{status},"{name}":{lexeme}'), malformed()))
    for name in ("sum", "dealSum", "dealRate"):

        def made_with(lexeme, name=name):
            return success(f',"deeplink":"d","{name}":{lexeme}')

        for lexeme in ('"1"', "true", "[1]", '{"x":1}', '""'):
            made.append(reply(f"{name} as {lexeme}", "newPayment", made_with(lexeme), malformed()))
        # For a text that is not JSON, no order id is reported. For a number that does not fit, the order id is still reported.
        for lexeme, order_id in (
            ("1e999999999", "o-1"), ("1e-999999999", "o-1"), ("1" * 29, "o-1"), ("0." + "1" * 29, "o-1"), ("NaN", None), ("01", None),
        ):  # fmt: skip
            made.append(reply(f"{name} as {lexeme[:20]}", "newPayment", made_with(lexeme), malformed(order_id)))
        made.append(reply(f"{name} as null, which is absent", "newPayment", made_with("null"), payment(deeplink="d")))
        made.append(reply(f"{name} as 0", "newPayment", made_with("0"), payment(deeplink="d", **{name: "0"})))
    unknown = ',"new":{"a":[1,{"b":null}],"c":1e400},"sum2":"\\u0000","x":' + "[" * 40 + "]" * 40
    made += pending(
        [
            ("fields that nobody knows, at any depth that is sane", unknown, {}),
            ("a name in other letters is another field", ',"Sum":1,"STATUS":2', {}),
            ("an empty name", ',"":1', {}),
        ]
    )
    made.append(reply("a status of tomorrow is not final", "getStatus", success(',"status":"refunded"'), payment(status="refunded")))
    return made + pending([("a payee in Latin letters", ',"payeeName":"Ivan I."', {"payeeName": "Ivan I."})])


def without_what_is_needed():
    """The response to another operation, signed by the same key: newPayment requires credentials, getStatus a
    status."""
    made = []
    for what, fields_ in (
        ("nothing but its order id", ""),
        ("a status", ',"status":"pending"'),
        ("an empty account and link", ',"payeeAccount":"","deeplink":""'),
        ("an account and link of null", ',"payeeAccount":null,"deeplink":null'),
        ("a payee's name and bank", ',"payeeName":"I","payeeAccountBank":"b"'),
    ):
        made.append(reply(f"newPayment: {what}", "newPayment", success(fields_, "o-9"), malformed("o-9")))
    account = payment(payeeAccount="2200")
    return [
        *made,
        reply("getStatus: an empty status", "getStatus", success(',"status":""'), malformed()),
        reply("newPayment: an account alone", "newPayment", success(',"payeeAccount":"2200"'), account),
    ]


def refusals():
    made = []
    for operation in ARGUMENTS:
        order_id = own(operation)
        for text in REASONS:
            described = f',"errorDescription":"{text}"'
            made.append(refused(f"{operation} is refused: {text}", described, rejected(text, order_id), operation, status=400))
        made += [
            refused(f"{operation} is refused", ',"errorDescription":"not today"', rejected("not today", order_id), operation),
            refused(f"{operation} is refused without a description", "", rejected(None, order_id), operation),
        ]
    late, o7 = "payment could not be canceled", ',"orderId":"o-7","errorDescription":"no credentials"'
    made += [
        refused("a cancel that comes too late", f',"orderId":"o-1","errorDescription":"{late}"', rejected(late), "cancel", status=403),
        refused("no credentials in time", ',"errorDescription":"timeout"', rejected("timeout", None), "newPayment"),
        refused("a refusal that names its order", o7, rejected("no credentials", "o-7"), "newPayment"),
        refused("a refusal that names an empty order", ',"orderId":""', rejected(None, None), "newPayment"),
        reply("an error with a reason", "newPayment", '{"error":"invalid currency"}', rejected("invalid currency", None)),
    ]
    for what, members, description in (
        ("a description beside an error", '"error":"b","errorDescription":"a"', "a"),
        ("a description of null is none", '"errorDescription":null', None),
        ("a description of null beside an error", '"errorDescription":null,"error":"b"', "b"),
        ("an empty description is none", '"errorDescription":""', None),
        ("a reason in other letters is none", '"errorDescription":"Order not found"', "Order not found"),
        ("a reason with more words is none", '"errorDescription":"order not found."', "order not found."),
        ("a description in Cyrillic", '"errorDescription":"Заказ не найден 😀"', "Заказ не найден 😀"),
        ("a description's control characters", '"errorDescription":"a\\r\\nb\\u0000c\\u001bd"', "a b c d"),
        ("a description of 500 letters", f'"errorDescription":"{"я" * 500}"', "я" * 500),
        ("a description of 501 letters", f'"errorDescription":"{"я" * 501}"', "я" * 499 + "…"),
    ):
        made.append(refused(what, f",{members}", rejected(description)))
    made += [
        reply("an error on HTTP status 400", "getAvailableAmounts", '{"error":"invalid JSON"}', rejected("invalid JSON", None), status=400),
        refused("a refusal on HTTP status 500", ',"errorDescription":"x"', rejected("x"), status=500),
    ]
    for what, body in (
        ("a description that is not a string", '{"success":false,"errorDescription":1}'),
        ("an error that is not a string", '{"success":false,"error":{}}'),
        ("neither success nor error", '{"orderId":"o-1"}'),
        ("a success of null and no error", '{"success":null,"orderId":"o-1"}'),
        ("a success that is a text", '{"success":"true","orderId":"o-1"}'),
        ("a success that is a number", '{"success":1,"orderId":"o-1"}'),
        ("a refusal in text", '{"success":"false","errorDescription":"x"}'),
        ("a description alone", '{"errorDescription":"order not found"}'),
        ("an error of null alone", '{"error":null}'),
        ("an empty object", "{}"),
    ):
        made.append(reply(what, "confirm", body, malformed()))
    return made


def wrong_orders():
    made = []
    for operation in ORDER_OPERATIONS:
        fields_ = STATUS if operation == "getStatus" else ""
        made += [
            reply(f"{operation}: a success for no order", operation, f'{{"success":true{fields_}}}', malformed()),
            refused(f"{operation}: a refusal for another order", ',"orderId":"o-2","errorDescription":"x"', malformed(), operation),
        ]
    for what, lexeme in (
        ("in other letters", '"O-1"'),
        ("with a blank", '"o-1 "'),
        ("with a NUL", '"o-1\\u0000"'),
        ("as a number", "1"),
        ("null", "null"),
        ("empty", '""'),
    ):
        made.append(reply(f"an order id {what}", "confirm", f'{{"success":true,"orderId":{lexeme}}}', malformed()))
    for operation in MAKING:
        for what, fields_ in (
            ("no order id", ""),
            ("an order id of null", ',"orderId":null'),
            ("an order id that is a number", ',"orderId":1'),
            ("an empty order id", ',"orderId":""'),
        ):
            made.append(reply(f"{operation}: {what}", operation, f'{{"success":true{fields_}}}', malformed(None)))
        body = '{"success":true,"orderId":"o-9","sum":"1500.50"}'
        made.append(reply(f"{operation}: a success that cannot be read still names its order", operation, body, malformed("o-9")))
    e = "e\u0301"
    composed = success(order_id="\\u00e9")
    return [*made, reply("the same order, composed another way", "confirm", composed, malformed(e), arguments={"orderId": e})]


def amounts(values, other=False):
    return {"amounts": values, "other_amounts_possible": other}


def amounts_lists():
    made = []
    for what, listed, other, values in (
        ("no amount and no other", "[]", "false", []),
        ("no amount, but others", "[]", "true", []),
        ("null, which is no amount", "null", "false", []),
        ("one amount", "[1500.50]", "false", ["1500.50"]),
        ("amounts in their order", "[3,1,2]", "true", ["3", "1", "2"]),
        ("the same amount twice", "[1,1.0]", "false", ["1", "1.0"]),
        ("amounts in many writings", "[1e3,0.01,1.50E+2,9999999999999999999999999999]", "true", ["1000", "0.01", "150", "9" * 28]),
        ("blanks in the list", "[ 1 ,\n2 ]", "false", ["1", "2"]),
        ("a hundred amounts", json.dumps(list(range(1, 101))), "true", [str(n) for n in range(1, 101)]),
    ):
        body = f'{{"success":true,"availableAmounts":{listed},"otherAmountsPossible":{other}}}'
        made.append(reply(f"getAvailableAmounts: {what}", "getAvailableAmounts", body, amounts(values, other == "true")))
    extra = '{"x":[{}],"otherAmountsPossible":true,"availableAmounts":[1],"orderId":"o-3","success":true}'
    made.append(reply("getAvailableAmounts: more fields than it has", "getAvailableAmounts", extra, amounts(["1"], True)))
    for what, rest in (
        ("no list", '"otherAmountsPossible":true'),
        ("no word of others", '"availableAmounts":[1]'),
        ("others of null", '"availableAmounts":[1],"otherAmountsPossible":null'),
        ("others as text", '"availableAmounts":[1],"otherAmountsPossible":"true"'),
        ("others as a number", '"availableAmounts":[1],"otherAmountsPossible":1'),
        ("a text for a list", '"availableAmounts":"1","otherAmountsPossible":true'),
        ("an object for a list", '"availableAmounts":{"0":1},"otherAmountsPossible":true'),
        ("a number for a list", '"availableAmounts":1,"otherAmountsPossible":true'),
        ("a text in the list", '"availableAmounts":[1,"2"],"otherAmountsPossible":true'),
        ("null in the list", '"availableAmounts":[1,null],"otherAmountsPossible":true'),
        ("a list in the list", '"availableAmounts":[[1]],"otherAmountsPossible":true'),
        ("too many digits in the list", f'"availableAmounts":[1,{"1" * 29}],"otherAmountsPossible":true'),
        ("a number that is none in the list", '"availableAmounts":[01],"otherAmountsPossible":true'),
    ):
        made.append(reply(f"getAvailableAmounts: {what}", "getAvailableAmounts", f'{{"success":true,{rest}}}', malformed(None)))
    return made
