"""These cases test which of the service's signed bodies the library accepts as the reply to which operation, and
which as a webhook (docs/threat-model.md has the table). One key signs all bodies, so whoever controls the connection can answer one
request with the reply to another.
"""

from .common import ARGUMENTS, paired, reply, webhook
from .failures import malformed, own, rejected
from .replies import CREDENTIALS, READ, amounts, payment

OK, REFUSED, MALFORMED = "ok", "rejected", "-"

# The operations in the contract's order, then a webhook's receiver. The rows are the bodies below.
COLUMNS = (*ARGUMENTS, "webhook")

ITS_ORDER = """
ok       -        -        -        -        -        -        -
-        ok       ok       ok       ok       -        ok       credentials
-        -        ok       ok       ok       -        ok       -
-        ok       ok       ok       ok       ok       ok       -
-        -        ok       ok       ok       ok       ok       -
-        ok       ok       ok       ok       ok       ok       status
-        -        ok       ok       ok       ok       ok       status
rejected rejected rejected rejected rejected rejected rejected credentials_failed
rejected rejected rejected rejected rejected rejected rejected -
rejected rejected rejected rejected rejected rejected rejected -
rejected rejected rejected rejected rejected rejected rejected -
"""
# Of the bodies that name their order.
ANOTHER_ORDER = """
-        ok       ok       -        -        -        -        credentials
-        -        ok       -        -        -        -        -
-        ok       ok       -        -        -        -        -
-        -        ok       -        -        -        -        -
-        ok       ok       -        -        -        -        status
-        -        ok       -        -        -        -        status
rejected rejected rejected -        -        -        -        credentials_failed
rejected rejected rejected -        -        -        -        -
"""


def bodies(order):
    """Every kind of body that the service signs (contract, sections 4, 6 and 7), and the payment's fields or the description in it."""
    about = f'"orderId":"{order}"'

    def success(fields=""):
        return f'{{"success":true,{about}{fields}}}'

    return (
        ("an available reply", '{"success":true,"availableAmounts":[1500.50],"otherAmountsPossible":true}', {}, False),
        ("a reply to new, or a credentials webhook", success(f",{CREDENTIALS}"), READ, True),
        ("a reply to new-async, confirm, cancel or attach", success(), {}, True),
        ("a pending status", success(f',{CREDENTIALS},"status":"pending"'), {**READ, "status": "pending"}, True),
        ("a free status", success(',"status":"free"'), {"status": "free"}, True),
        ("a final status", success(f',{CREDENTIALS},"status":"doneSuccess"'), {**READ, "status": "doneSuccess"}, True),
        ("a status webhook without credentials", success(',"status":"doneFail"'), {"status": "doneFail"}, True),
        ("a webhook of failed credentials", f'{{"success":false,{about}}}', None, True),
        ("a refusal", '{"success":false,"errorDescription":"order not found"}', "order not found", False),
        (
            "a refusal of cancel",
            f'{{"success":false,{about},"errorDescription":"payment could not be canceled"}}',
            "payment could not be canceled",
            True,
        ),
        ("a simplified refusal", '{"error":"sum must be greater than 0"}', "sum must be greater than 0", False),
    )


def entries():
    made = []
    own_order, another = bodies("o-1"), [body for body in bodies("o-2") if body[-1]]
    for order, whose, sent, table in (("o-1", "the same order", own_order, ITS_ORDER), ("o-2", "another order", another, ANOTHER_ORDER)):
        rows = [line.split() for line in table.strip().splitlines()]
        for (what, body, content, names_order), row in paired(sent, rows):
            named = order if names_order else None
            for column, cell in paired(COLUMNS, row):
                name = f"{column}: {what}, of {whose}"
                if column == "webhook":
                    made.append(webhook(name, body, event(cell, named, content)))
                else:
                    made.append(reply(name, column, body, outcome(column, cell, named, content)))
    return made


def outcome(operation, cell, named, content):
    """An error has the request's order id, or the reply's if the request has none."""
    order_id = own(operation) or named
    if cell == MALFORMED:
        return malformed(order_id)
    if cell == REFUSED:
        return rejected(content, order_id)
    assert cell == OK
    if operation == "getAvailableAmounts":
        return amounts(["1500.50"], True)
    return payment(named, is_final(content), **content)


def event(cell, named, content):
    if cell == MALFORMED:
        return malformed(named)
    fields = content or {}
    return {"event": cell, **payment(named, is_final(fields), **fields)}


def is_final(fields):
    return fields.get("status") in ("doneSuccess", "doneFail")
