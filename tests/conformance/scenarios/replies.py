"""What honest replies are read as."""

from harness.behaviours import answer
from harness.scenario import *
from harness.service import ORDER, Reply, document, payment, refusal, status

suite = Suite("replies")
add = suite.add

CREDENTIALS = {
    "payee_account": "2200000000000001", "payee_account_bank": "Банк", "payee_name": "Иван И.", "deal_sum": "1455.49",
    "deal_currency": "USDT", "deal_rate": "92.50", "deeplink": "https://pay.example/o-1",
}  # fmt: skip
NEW = ok(order_id=ORDER, sum="1500.50", currency="RUB", **CREDENTIALS)


def status_of(word: str, final: str, **changes: object) -> dict:
    return ok(order_id=ORDER, sum="1500.50", status=word, final=final, **CREDENTIALS, **changes)


add("new: every field", new_payment(NEW), server=answer(Reply(payment())), requests={"new": 1})
add(
    "new: the order id alone",
    new_payment(ok(order_id=ORDER)),
    server=answer(Reply(document(success=True, orderId=ORDER))),
    requests={"new": 1},
)
add("new-async: the order id", new_payment_async(ok(order_id=ORDER)), server=answer(Reply(document(success=True, orderId=ORDER))), requests={"new-async": 1})
add("confirm: done", confirm(ok()), server=answer(Reply(document(success=True, orderId=ORDER))), requests={"confirm": 1})
add("cancel: done", cancel(ok()), server=answer(Reply(document(success=True, orderId=ORDER))), requests={"cancel": 1})
for word, final in (
    ("free", "0"), ("pending", "0"), ("receiptRequired", "0"), ("doneSuccess", "1"), ("doneFail", "1"), ("arbitrageCancelledByMerchant", "1"),
    ("frozen", "0"), ("DONESUCCESS", "0"),
):  # fmt: skip
    add(f"status: {word}", get_status(status_of(word, final)), server=answer(Reply(status(word))), requests={"status": 1})
