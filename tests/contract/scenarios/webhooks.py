"""Webhooks (contract, section 6): each kind of event and of refusal once, and bodies that are too long for a
vector. tests/contract/vectors (webhooks, statuses, keys) has all other webhooks.
"""

from harness.behaviours import nobody as ready
from harness.scenario import *
from harness.service import MERCHANT_ID, NEXT_SERVER, NEXT_SERVER_ID, ORDER, OTHER, SERVER, SERVER_ID, Reply, document, payment, status

suite = Suite("webhooks")


def hook(name: str, reply: Reply, expect: Expected, without: dict[str, str] | None = None, **fields: object) -> None:
    suite.add(name, verify(reply, expect, **fields), server=ready, without=without)


FIELDS = {
    "payee_account": "2200000000000001", "payee_account_bank": "Банк", "payee_name": "Иван И.", "deal_sum": "1455.49",
    "deal_currency": "USDT", "deal_rate": "92.50", "deeplink": "https://pay.example/o-1",
}  # fmt: skip
ISSUED = ok(kind="credentials", order_id=ORDER, sum="1500.50", currency="RUB", **FIELDS)
CHANGED = Reply(status("doneSuccess"))

hook("credentials", Reply(payment()), ISSUED)
hook("credentials failed", Reply(document(success=False, orderId=ORDER)), ok(kind="credentials_failed", order_id=ORDER))
hook("status: doneSuccess", CHANGED, ok(kind="status", order_id=ORDER, sum="1500.50", status="doneSuccess", final="1", **FIELDS))
hook("status: a new one", Reply(status("frozen")), ok(kind="status", order_id=ORDER, sum="1500.50", status="frozen", final="0", **FIELDS))
hook("no key id", CHANGED.but(key_id=None), ok_with(kind="status"))
hook("the key after a rotation", CHANGED.but(key=NEXT_SERVER, key_id=NEXT_SERVER_ID), ok_with(kind="status"),
     server_public_key=[SERVER.public, NEXT_SERVER.public], server_key_id=[SERVER_ID, NEXT_SERVER_ID])  # fmt: skip

hook("status pending is never sent", Reply(status("pending")), malformed(None, order_id=ORDER))
hook("not JSON", Reply("done"), malformed(None))
deep = status("doneFail")[:-1] + ',"extra":' + "[" * 200_000 + "]" * 200_000 + "}"
hook("200 000 deep", Reply(deep), malformed(None))

# A vector's signature is always a text, so the case without a signature is a scenario.
hook("no signature", CHANGED.but(signature=None), unverified(None), {"shell": "its flag for the signature is required"})
hook("the signature of another key", CHANGED.but(key=OTHER), unverified(None))
hook("a blank behind it", CHANGED.but(sent=lambda body: body + b" "), unverified(None))
hook("the merchant's key id", CHANGED.but(key_id=MERCHANT_ID), unverified(None))
hook("an unknown key id", CHANGED.but(key_id="server-9"), unverified(None))

hook("a key that is not a key", CHANGED, error("invalid_key", "not_sent"), server_public_key=["AAAA"])
hook("a key id that is the merchant's", CHANGED, refused(), server_key_id=[MERCHANT_ID])
