"""Webhooks of every shape (contract, section 6), and of none."""

import base64

from harness.scenario import *
from harness.service import MERCHANT, MERCHANT_ID, NEXT_SERVER, NEXT_SERVER_ID, ORDER, SERVER, SERVER_ID, STRANGER, Reply, document, payment, refusal, status

from harness.behaviours import nobody as ready
suite = Suite("webhooks")
NO_SIGNATURE = {"cli": "its flag for the signature is required"}


def hook(name: str, reply: Reply, expect: Expected, without: dict[str, str] | None = None, **fields: object) -> None:
    suite.add(name, verify(reply, expect, **fields), server=ready, without=without)


def refuse(name: str, body: str | bytes, **named: object) -> None:
    """Provably the service's, and no webhook."""
    hook(name, Reply(body), malformed(None, **named))


def forge(name: str, reply: Reply, without: dict[str, str] | None = None, **fields: object) -> None:
    hook(name, reply, unverified(None), without, **fields)


FIELDS = {
    "payee_account": "2200000000000001", "payee_account_bank": "Банк", "payee_name": "Иван И.", "deal_sum": "1455.49",
    "deal_currency": "USDT", "deal_rate": "92.50", "deeplink": "https://pay.example/o-1",
}  # fmt: skip
ISSUED = ok(kind="credentials", order_id=ORDER, sum="1500.50", currency="RUB", **FIELDS)
FAILED = document(success=False, orderId=ORDER)
CHANGED = Reply(status("doneSuccess"))

hook("credentials", Reply(payment()), ISSUED)
hook("credentials: the account alone", Reply(document(success=True, orderId=ORDER, payeeAccount="2200")), ok(kind="credentials", order_id=ORDER, payee_account="2200"))
hook("credentials: the link alone", Reply(document(success=True, orderId=ORDER, deeplink="https://pay.example/")), ok(kind="credentials", order_id=ORDER, deeplink="https://pay.example/"))
hook("credentials failed", Reply(FAILED), ok(kind="credentials_failed", order_id=ORDER))
for word, final in (("receiptRequired", "0"), ("doneSuccess", "1"), ("doneFail", "1"), ("arbitrageCancelledByMerchant", "1"), ("frozen", "0")):
    hook(f"status: {word}", Reply(status(word)), ok(kind="status", order_id=ORDER, sum="1500.50", status=word, final=final, **FIELDS))
hook("status: empty fields are left out", Reply(document(success=True, orderId=ORDER, status="doneFail")), ok(kind="status", order_id=ORDER, status="doneFail", final="1"))
hook("status: fields that are none of ours", Reply(status("doneFail", extra=[1, {"a": 2}])), ok_with(kind="status", status="doneFail"))
hook("digits are kept", Reply(status("doneFail", sum="@1500.500", dealSum="@1.10")), ok_with(sum="1500.500", deal_sum="1.10"))
hook("no key id", CHANGED.but(key_id=None), ok_with(kind="status"))
hook("no key id of the service's is known", CHANGED.but(key_id="any"), ok_with(kind="status"), server_key_id=[])
hook("the key after a rotation", CHANGED.but(key=NEXT_SERVER, key_id=NEXT_SERVER_ID), ok_with(kind="status"),
     server_public_key=[SERVER.public, NEXT_SERVER.public], server_key_id=[SERVER_ID, NEXT_SERVER_ID])  # fmt: skip

for word in ("free", "pending"):
    refuse(f"status {word} is never sent", status(word), order_id=ORDER)
refuse("a reply to confirm", document(success=True, orderId=ORDER), order_id=ORDER)
refuse("a refusal", refusal("order not found", orderId=ORDER), order_id=ORDER)
refuse("a refusal with credentials", payment(success=False, errorDescription="a"), order_id=ORDER)
refuse("an error", document(error="a"))
refuse("a failure with a status", status("doneFail", success=False), order_id=ORDER)
refuse("no success", document(orderId=ORDER, status="doneFail"), order_id=ORDER)
refuse("no order", document(success=True, status="doneFail"))
refuse("an empty order", status("doneFail", orderId=""))
refuse("an order that is a number", status("doneFail", orderId=1))
refuse("a list of amounts", document(success=True, availableAmounts="@[1]", otherAmountsPossible=False))
refuse("a sum that is a text", status("doneFail", sum="1500.50"))
refuse("a sum of too many digits", status("doneFail", sum="@" + "1" * 29))
refuse("a sum of 1e999999999", status("doneFail", sum="@1e999999999"))
refuse("an account with a NUL", payment(payeeAccount="a\0b"))
refuse("a name twice", status("doneFail")[:-1] + ',"status":"doneSuccess"}')
refuse("invalid UTF-8", status("doneFail").encode() + b"\xff")
refuse("nothing", b"")
refuse("no JSON", "done")
refuse("200 000 deep", status("doneFail")[:-1] + ',"extra":' + "[" * 200_000 + "]" * 200_000 + "}")
refuse("a byte of 0 behind it", status("doneFail").encode() + b"\0")

forge("no signature", CHANGED.but(signature=None), NO_SIGNATURE)
forge("an empty signature", CHANGED.but(signature=" "))
forge("a stranger's signature", CHANGED.but(key=STRANGER))
forge("the merchant's signature", CHANGED.but(key=MERCHANT))
forge("tampered", CHANGED.but(sent=lambda body: body.replace(b"1500.50", b"9500.50")))
forge("a blank behind it", CHANGED.but(sent=lambda body: body + b" "))
forge("written anew", CHANGED.but(sent=lambda body: body.replace(b",", b", ")))
forge("nothing left of the body", CHANGED.but(sent=lambda body: b""))
signature = SERVER.sign(CHANGED.payload(None))
forge("a signature without padding", CHANGED.but(signature=signature.rstrip("=")))
forge("a signature in hexadecimal", CHANGED.but(signature=base64.b64decode(signature).hex()))
forge("a signature of 63 bytes", CHANGED.but(signature=base64.b64encode(base64.b64decode(signature)[:63]).decode()))
forge("a signature that is no ASCII", CHANGED.but(signature="подпись"))
forge("two signatures in one header", CHANGED.but(signature=f"{signature}, {signature}"))
forge("the merchant's key id", CHANGED.but(key_id=MERCHANT_ID))
forge("an unknown key id", CHANGED.but(key_id="server-9"))
forge("the next key before it is known", CHANGED.but(key=NEXT_SERVER))
hook("a signature with blanks around it, as in a header", CHANGED.but(signature=f" {signature} "), ok_with(kind="status"))

bad_key = error("invalid_key", "not_sent")
hook("a key that is none", CHANGED, bad_key, server_public_key=["AAAA"])
hook("a key id that is the merchant's", CHANGED, refused(), server_key_id=[MERCHANT_ID])
