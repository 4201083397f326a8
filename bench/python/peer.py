"""Makes the measured calls by hand, with httpx, PyNaCl, base64 and json.

The package does more than this program: the strict check of a signature (libsodium also refuses weak keys, but the two checks differ for some
unusual signatures), checks of key ids, of duplicate names in JSON and of the fields' types, a limit of the reply's size, retries, and outcomes.
"""

import base64
import decimal
import json
import ssl

import httpx
import nacl.signing

import commands

signing_key = nacl.signing.SigningKey(base64.b64decode(commands.PRIVATE_KEY)[:32])
verify_key = nacl.signing.VerifyKey(base64.b64decode(commands.SERVER_PUBLIC_KEY))

client = httpx.Client(timeout=30, verify=ssl.create_default_context(cafile=commands.CA_FILE) if commands.CA_FILE else True)


def read(body, signature):
    verify_key.verify(body, base64.b64decode(signature))
    payment = json.loads(body, parse_float=decimal.Decimal)
    if not payment["success"]:
        raise RuntimeError(payment.get("errorDescription"))
    if payment["orderId"] != commands.ORDER_ID:
        raise RuntimeError("the reply is about another order")
    assert payment["status"] == "doneSuccess" and payment["sum"]


def call(path, **content):
    body = json.dumps(content).encode()
    signature = base64.b64encode(signing_key.sign(body).signature).decode()
    headers = {"Content-Type": "application/json", "X-KeyId": commands.KEY_ID, "X-Signature": signature}
    reply = client.post(f"{commands.URL}/api/v1/merchant/pay/{path}", content=body, headers=headers)
    read(reply.content, reply.headers["X-Signature"])


def webhook():
    read(commands.WEBHOOK, commands.SIGNATURE)


def status():
    call("status", orderId=commands.ORDER_ID)


def new():
    call("new", sum=1500.50, currency="RUB", paymentMethod="sbp", customerAccount="79001234567")


commands.serve(webhook=webhook, status=status, new=new)
