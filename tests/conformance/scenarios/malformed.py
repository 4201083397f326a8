"""Replies that are provably the service's and yet not what the contract says."""

from harness.behaviours import answer
from harness.scenario import *
from harness.service import ORDER, Reply, document, payment, status

suite = Suite("malformed")
add = suite.add


def bad_status(name: str, body: str | bytes, **fields: object) -> None:
    """Asked once: what was misread will be misread again."""
    add(name, get_status(malformed(order_id=ORDER, **fields)), server=answer(Reply(body)), requests={"status": 1})


def bad_new(name: str, body: str | bytes, **fields: object) -> None:
    add(f"new: {name}", new_payment(malformed(**fields)), server=answer(Reply(body)), requests={"new": 1})


whole = status()
for name, body in (
    ("nothing", ""),
    ("a blank", " "),
    ("no JSON", "done"),
    ("a list", f"[{whole}]"),
    ("a text", '"done"'),
    ("null", "null"),
    ("an object that ends too early", whole[:-1]),
    ("two objects", whole + whole),
    ("something behind the object", whole + "x"),
    ("a mark of byte order", "\ufeff" + whole),
    ("UTF-16", whole.encode("utf-16")),
    ("invalid UTF-8 in a text", whole.encode().replace(b"pending", b"pend\xffng")),
    ("invalid UTF-8 in a field that is none of ours", whole[:-1].encode() + b',"extra":"\xc3\x28"}'),
    ("half a surrogate", whole.replace("pending", "pend\\ud800")),
    ("a comma too many", whole[:-1] + ",}"),
    ("a comment", whole[:-1] + "/* */}"),
    ("single quotes", whole.replace('"', "'")),
    ("a line in a text", whole.replace("pending", "pend\ning")),
    ("a name twice", whole[:-1] + ',"sum":1}'),
    ("a name twice, once with escapes", whole[:-1] + ',"\\u0073um":1}'),
    ("success twice", whole[:-1] + ',"success":true}'),
    ("the order twice", whole[:-1] + ',"orderId":"o-1"}'),
    ("a name twice, further down", whole[:-1] + ',"extra":{"a":1,"a":2}}'),
    ("lists 200 000 deep", whole[:-1] + ',"extra":' + "[" * 200_000 + "]" * 200_000 + "}"),
    ("objects 100 000 deep", whole[:-1] + ',"extra":' + '{"a":' * 100_000 + "1" + "}" * 100_000 + "}"),
    ("lists 200 000 deep that never end", "[" * 200_000),
    ("no success", document(orderId=ORDER, status="pending")),
    ("success that is a text", document(success="true", orderId=ORDER)),
    ("success that is a number", document(success=1, orderId=ORDER)),
    ("another order", status(orderId="o-2")),
    ("another order by its case", status(orderId="O-1")),
    ("no order", status(orderId=...)),
    ("an order that is null", status(orderId=None)),
    ("an order that is a number", status(orderId=1)),
):
    bad_status(name, body)
for field in ("payeeAccount", "payeeAccountBank", "payeeName", "dealCurrency", "deeplink", "status"):
    bad_status(f"{field} that is a number", status(**{field: 1}))
    bad_status(f"{field} with a NUL", status(**{field: "a\0b"}))
for field in ("sum", "dealSum", "dealRate"):
    for number in ('"1500.50"', "1e999999999", "1e-999999999", "12345678901234567890123456789", "0.12345678901234567890123456789", "NaN", "01", "true"):
        bad_status(f"{field} of {number[:16]}", status(**{field: "@" + number}))
bad_status("sum of 100 000 digits", status(sum="@" + "9" * 100_000))
bad_status("an exponent of 100 000 digits", status(sum="@1e" + "9" * 100_000))

bad_new("no order", payment(orderId=...))
bad_new("an order that is empty", payment(orderId=""))
bad_new("a sum that is a text names its order", payment(sum="1500.50"), order_id=ORDER)
bad_new("a reply to available", document(success=True, availableAmounts="@[1]", otherAmountsPossible=True))
add("new-async: no order", new_payment_async(malformed()), server=answer(Reply(document(success=True))), requests={"new-async": 1})
for command, operation in ((confirm, "confirm"), (cancel, "cancel")):
    for name, body in (("another order", document(success=True, orderId="o-2")), ("no order", document(success=True))):
        add(f"{operation}: {name}", command(malformed(order_id=ORDER)), server=answer(Reply(body)), requests={operation: 1})
add(
    "attach: another order",
    attach(malformed(order_id=ORDER), file=RECEIPT),
    server=answer(Reply(document(success=True, orderId="o-2"))),
    requests={"receipt/attach": 1},
)
for name, fields in (
    ("no list", {"availableAmounts": ...}),
    ("a list of texts", {"availableAmounts": '@["1"]'}),
    ("an amount of too many digits", {"availableAmounts": "@[1,12345678901234567890123456789]"}),
    ("a number in place of the list", {"availableAmounts": "@1"}),
    ("no word of other amounts", {"otherAmountsPossible": ...}),
    ("a text in place of that word", {"otherAmountsPossible": "true"}),
):
    reply = {"success": True, "availableAmounts": "@[1]", "otherAmountsPossible": True, **fields}
    body = document(**{name: value for name, value in reply.items() if value is not ...})
    add(f"available: {name}", amounts(malformed()), server=answer(Reply(body)), requests={"available": 1})
