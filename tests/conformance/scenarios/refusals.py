"""The service's refusals (contract, section 7), provably its own."""

from harness.behaviours import answer
from harness.scenario import *
from harness.service import ORDER, Reply, document, refusal

suite = Suite("refusals")
add = suite.add

OPERATIONS = {
    "available": amounts, "new": new_payment, "new-async": new_payment_async, "confirm": confirm, "cancel": cancel, "status": get_status,
}  # fmt: skip
# Where the order was asked for, the error names it.
ASKED = {"confirm", "cancel", "status"}


def refuses(name: str, operation: str, reply: Reply, expect: Expected, **fields: object) -> None:
    named = {"order_id": ORDER} if operation in ASKED and "order_id" not in expect else {}
    expect = {**expect, "http_status": str(reply.status), **named}
    # A refusal is never asked about again.
    add(f"{operation}: {name}", OPERATIONS[operation](expect, **fields), server=answer(reply), requests={operation: 1})


for text, reason in (
    ("invalid currency", "invalid_currency"),
    ("invalid orderId", "invalid_order_id"),
    ("order not found", "order_not_found"),
    ("invalid file format", "invalid_file_format"),
    ("payment could not be canceled", "payment_could_not_be_canceled"),
):
    for operation in OPERATIONS:
        refuses(text, operation, Reply(refusal(text), status=400), rejected(text, reason))
for text in ("Invalid currency", "invalid currency.", "insufficient funds"):
    refuses(f"no reason that the contract names: {text!r}", "new", Reply(refusal(text)), rejected(text))
refuses("an error alone", "available", Reply(document(error="sum must be positive"), status=400), rejected("sum must be positive"))
refuses("an error alone, with a reason", "available", Reply(document(error="invalid currency")), rejected("invalid currency", "invalid_currency"))
refuses("both texts", "new", Reply(document(success=False, errorDescription="a", error="b")), rejected("a"))
refuses("no word of why", "new", Reply(document(success=False)), error("rejected", "rejected"))
refuses("an empty text", "new", Reply(refusal("")), error("rejected", "rejected"))
refuses("a text of 600 letters", "new", Reply(refusal("я" * 600)), {**rejected(""), "description": ANY})
refuses("control characters in the text", "new", Reply(refusal("a\u0000b\u001b[31m\nc")), {**rejected(""), "description": ANY})
refuses("it names an order", "new", Reply(refusal("no credentials", orderId="o-7")), rejected("no credentials", order_id="o-7"))
refuses("the contract's own: 403", "cancel", Reply(refusal("payment could not be canceled", orderId=ORDER), status=403),
        rejected("payment could not be canceled", "payment_could_not_be_canceled"))  # fmt: skip
refuses("under 200", "status", Reply(refusal("order not found"), status=200), rejected("order not found", "order_not_found"))
refuses("under 500, and not asked again", "status", Reply(refusal("order not found"), status=500), rejected("order not found", "order_not_found"))
refuses("under 429, and not asked again", "available", Reply(refusal("slow down"), status=429), rejected("slow down"))
add(
    "a receipt's format",
    attach(
        rejected("invalid file format", "invalid_file_format", order_id=ORDER, http_status=400),
        file=RECEIPT,
    ),
    server=answer(Reply(refusal("invalid file format"), status=400)),
    requests={"receipt/attach": 1},
)
for operation in ("confirm", "cancel", "status"):
    another = Reply(refusal("order not found", orderId="o-2"))
    add(
        f"{operation}: of another order is nobody's",
        OPERATIONS[operation](malformed(order_id=ORDER)),
        server=answer(another),
        requests={operation: 1},
    )
