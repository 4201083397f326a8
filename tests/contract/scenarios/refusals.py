"""The service's verified refusals (contract, section 7)."""

from harness.behaviours import answer
from harness.scenario import *
from harness.service import Reply, document, refusal

suite = Suite("refusals")
add = suite.add

OPERATIONS = {
    "available": amounts, "new": new_payment, "new-async": new_payment_async, "confirm": confirm, "cancel": cancel, "status": get_status,
}  # fmt: skip


def refuses(name: str, operation: str, reply: Reply, expect: Expected, **fields: object) -> None:
    expect = {**expect, "http_status": str(reply.status)}
    # A refusal is never retried.
    add(f"{operation}: {name}", OPERATIONS[operation](expect, **fields), server=answer(reply))


# Each operation once, and each text of the contract; tests/contract/vectors/replies.json has every text for
# every operation.
for operation, text, reason in (
    ("available", "invalid currency", "invalid_currency"),
    ("new", "invalid currency", "invalid_currency"),
    ("new-async", "invalid currency", "invalid_currency"),
    ("confirm", "invalid orderId", "invalid_order_id"),
    ("cancel", "payment could not be canceled", "payment_could_not_be_canceled"),
    ("status", "order not found", "order_not_found"),
):
    refuses(text, operation, Reply(refusal(text), status=400), rejected(text, reason))
refuses("a text that the contract does not have", "new", Reply(refusal("insufficient funds")), rejected("insufficient funds"))
refuses("an error alone", "available", Reply(document(error="sum must be positive"), status=400), rejected("sum must be positive"))
refuses("no text", "new", Reply(document(success=False)), error("rejected", "rejected"))
refuses("it names an order", "new", Reply(refusal("no credentials", orderId="o-7")), rejected("no credentials", order_id="o-7"))
refuses(
    "under 500, and not asked again",
    "status",
    Reply(refusal("order not found"), status=500),
    rejected("order not found", "order_not_found"),
)
refuses("under 429, and not asked again", "available", Reply(refusal("slow down"), status=429), rejected("slow down"))
add(
    "a receipt's format",
    attach(
        rejected("invalid file format", "invalid_file_format", http_status=400),
        file=RECEIPT,
    ),
    server=answer(Reply(refusal("invalid file format"), status=400)),
)
