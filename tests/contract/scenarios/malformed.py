"""Replies that are provably the service's but violate the contract: each operation once, and bodies that are
too long for a vector. tests/contract/vectors (replies, amounts, statuses) has all other malformed replies.
"""

from harness.behaviours import answer, nobody
from harness.scenario import *
from harness.service import ORDER, Reply, document, payment, status

suite = Suite("malformed")
add = suite.add


def bad_status(name: str, body: str | bytes, **fields: object) -> None:
    """Sent once, because a retry would get the same invalid bytes."""
    add(name, get_status(malformed(**fields)), server=answer(Reply(body)))


whole = status("doneFail")
lists = whole[:-1] + ',"extra":' + "[" * 200_000 + "]" * 200_000 + "}"
bad_status("not JSON", "done")
bad_status("another order", status(orderId="o-2"))
bad_status("lists 200 000 deep", lists)
bad_status("objects 100 000 deep", whole[:-1] + ',"extra":' + '{"a":' * 100_000 + "1" + "}" * 100_000 + "}")
bad_status("lists 200 000 deep that never end", "[" * 200_000)
bad_status("a sum of 100 000 digits", status(sum="@" + "9" * 100_000))
bad_status("an exponent of 100 000 digits", status(sum="@1e" + "9" * 100_000))
add("a webhook 200 000 deep", verify(Reply(lists), malformed(None)), server=nobody)

add("new: a sum that is a text names its order", new_payment(malformed(order_id=ORDER)), server=answer(Reply(payment(sum="1500.50"))))
add("new-async: no order", new_payment_async(malformed()), server=answer(Reply(document(success=True))))
another = answer(Reply(document(success=True, orderId="o-2")))
for operation, call in (("confirm", confirm), ("cancel", cancel)):
    add(f"{operation}: another order", call(malformed()), server=another)
add("attach: another order", attach(malformed(), file=RECEIPT), server=another)
no_list = Reply(document(success=True, otherAmountsPossible=True))
add("available: no list", amounts(malformed()), server=answer(no_list))
# The signed reply to another operation. tests/contract/vectors/misdirected.json has the replies to all operations.
add("status: the reply to new", get_status(malformed()), server=answer(Reply(payment())))
