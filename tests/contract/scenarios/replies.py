"""The results of honest replies: each operation once over HTTP, and the size limit of a reply.
tests/contract/vectors (replies, amounts, statuses) tests the other contents.
"""

from harness.behaviours import answer
from harness.scenario import *
from harness.service import ORDER, Reply, document, payment, status

suite = Suite("replies")
add = suite.add

# A proxy's page is described, and not kept as a body.
PAGE = Reply("<html><h1>Bad Gateway</h1>", status=502, signature=None, key_id=None, content_type="text/html; charset=utf-8")
add(
    "confirm: a page of a proxy",
    confirm(unverified(502, is_transient=1, content_type="text/html; charset=utf-8", excerpt="<html><h1>Bad Gateway</h1>")),
    server=answer(PAGE),
)

CREDENTIALS = {
    "payee_account": "2200000000000001", "payee_account_bank": "Банк", "payee_name": "Иван И.", "deal_sum": "1455.49",
    "deal_currency": "USDT", "deal_rate": "92.50", "deeplink": "https://pay.example/o-1",
}  # fmt: skip
NEW = ok(order_id=ORDER, sum="1500.50", currency="RUB", **CREDENTIALS)


def status_of(word: str, final: str) -> dict:
    return ok(order_id=ORDER, sum="1500.50", status=word, final=final, **CREDENTIALS)


DONE = Reply(document(success=True, orderId=ORDER))
add("new: every field", new_payment(NEW), server=answer(Reply(payment())))
add("new-async: the order id", new_payment_async(ok(order_id=ORDER)), server=answer(DONE))
add("confirm: done", confirm(ok()), server=answer(DONE))
add("cancel: done", cancel(ok()), server=answer(DONE))
for word, final in (("pending", "0"), ("doneSuccess", "1"), ("frozen", "0")):
    add(f"status: {word}", get_status(status_of(word, final)), server=answer(Reply(status(word))))
add(
    "status: amounts keep their digits",
    get_status(
        ok(order_id=ORDER, sum="1500", deal_sum="0.00000001", deal_rate="1234567890123456789012345678", status="pending", final="0")
    ),
    server=answer(
        Reply(
            document(
                success=True, orderId=ORDER, sum="@1.5e3", dealSum="@0.00000001", dealRate="@1234567890123456789012345678", status="pending"
            )
        )
    ),
)
add(
    "status: escapes and other planes",
    get_status(ok(order_id=ORDER, payee_name='Ж "\\/\n\U0001f4b3', status="pending", final="0")),
    server=answer(Reply('{"success":true,"orderId":"o-1","payeeName":"\\u0416 \\"\\\\\\/\\n\\ud83d\\udcb3","status":"pending"}')),
)
add(
    "new: what is signed holds under any HTTP status and type",
    new_payment(NEW),
    new_payment(NEW),
    server=answer(Reply(payment(), status=500), Reply(payment(), status=404, content_type="text/html")),
)
for name, list_, other, read in (("with their digits", "[1500.50,2000,0.10]", True, "1500.50,2000,0.10"), ("none", "null", False, "")):
    add(
        f"available: {name}",
        amounts(ok(amounts=read, other=str(int(other)))),
        server=answer(Reply(document(success=True, availableAmounts="@" + list_, otherAmountsPossible=other))),
    )
largest = status(extra="x" * (1024 * 1024 - len(status(extra="").encode())))
add("status: 1 MiB is not too large", get_status(status_of("pending", "0")), server=answer(Reply(largest)))
add("status: a byte more is", get_status(transport(http_status=200)), server=answer(Reply(largest + " ")))
add(
    "status: a limit of one's own",
    get_status(transport(http_status=200, is_transient=0), max_reply_bytes=100),
    server=answer(Reply(status())),
)
