"""Which of the service's signed bodies passes as the response to which operation: all are signed by one key (SECURITY.md has the table)."""

from harness.behaviours import answer
from harness.scenario import *
from harness.service import ORDER, Reply, document, payment, refusal, status

suite = Suite("misdirected")

# Operation in the path, its call, and whether it asks about an order.
OPERATIONS = (
    ("available", amounts, False),
    ("new", new_payment, False),
    ("new-async", new_payment_async, False),
    ("confirm", confirm, True),
    ("cancel", cancel, True),
    ("status", get_status, True),
    ("receipt/attach", attach, True),
)
ALL = {path for path, _, _ in OPERATIONS}
BOUND = {path for path, _, bound in OPERATIONS if bound}
ACKNOWLEDGED = {"new-async", "confirm", "cancel", "receipt/attach"}


def bodies(order: str) -> tuple[tuple[str, str, set[str]], ...]:
    """What the service signs about an order, and for which operations about that order it is a success."""
    return (
        ("available", document(success=True, availableAmounts="@[1]", otherAmountsPossible=True), {"available"}),
        ("new", payment(orderId=order), ACKNOWLEDGED | {"new"}),
        ("confirm", document(success=True, orderId=order), ACKNOWLEDGED),
        ("status pending", status(orderId=order), ACKNOWLEDGED | {"new", "status"}),
        ("status free", document(success=True, orderId=order, status="free"), ACKNOWLEDGED | {"status"}),
        ("status doneSuccess", status("doneSuccess", orderId=order), ACKNOWLEDGED | {"new", "status"}),
    )


def refusals(order: str) -> tuple[tuple[str, str, bool], ...]:
    """Refusals, and whether they name the order."""
    return (
        ("credentials failed", document(success=False, orderId=order), True),
        ("refusal", refusal("order not found"), False),
        ("refusal of cancel", refusal("payment could not be canceled", orderId=order), True),
        ("simplified refusal", document(error="sum must be greater than 0"), False),
    )


def add(path: str, call, name: str, body: str, expect: dict) -> None:
    fields = {"file": RECEIPT} if path == "receipt/attach" else {}
    suite.add(f"{path}: {name}", call(expect, **fields), server=answer(Reply(body)), requests={path: 1})


for order, whose in ((ORDER, "its order"), ("o-2", "another order")):
    for path, call, bound in OPERATIONS:
        asked = {"order_id": ORDER} if bound else {}
        for name, body, passes in bodies(order):
            if path in passes and not (bound and order != ORDER):
                add(path, call, f"{name} of {whose} passes", body, ok_with())
            else:
                # Of a success that cannot be read the order that it names is known.
                named = asked or ({"order_id": order} if path == "new" and name != "available" else {})
                named = named or ({"order_id": order} if path == "available" and name != "available" else {})
                add(path, call, f"{name} of {whose} is malformed", body, malformed(**named))
        for name, body, names_order in refusals(order):
            if bound and names_order and order != ORDER:
                add(path, call, f"{name} of {whose} is malformed", body, malformed(**asked))
            else:
                fields = asked or ({"order_id": order} if names_order else {})
                add(path, call, f"{name} of {whose} is a refusal", body, {**error("rejected", "rejected", http_status=200, **fields), ...: ANY})
