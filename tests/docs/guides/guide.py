"""Runs the code of the pages, which guides.py puts in. examples.py sets the environment."""

import asyncio
import http.client
import logging
import os
import time
import urllib.parse
from decimal import Decimal

# docs/payments.md


# docs/money.md


# docs/keys.md


# docs/webhooks.md


# docs/journal.md


# bindings/python/README.md


client.connect()
available()
first = pay()
money(first)
assert confirm(first.order_id)
cancel(first.order_id)
cancel(pay().order_id)

attach(os.environ["DISPUTED"], os.environ["RECEIPT"])
asyncio.run(pay_async())
assert pay_with_my_own_stack().order_id
one, other = merchantpay.generate_keypair(), merchantpay.generate_keypair()
rotated(keys(), one.public_key, other.public_key)
webhook_verifier = client.webhook_verifier()
signature = os.environ["WEBHOOK_SIGNATURE"]
assert receive(webhook_verifier, os.environ["WEBHOOK_BODY"].encode(), {"X-Signature": signature}) == 200
assert receive(webhook_verifier, b"{}", {"X-Signature": signature}) == 400

shown, shipped = [], []
sell(shown.append)
sell(shown.append)
assert len(shown) == 2 and shown[0] == shown[1]
customer_has_paid()
assert callback("/pay/callback/0", os.environ["WEBHOOK_BODY"].encode(), {"X-Signature": signature}) == 404
while not shipped:
    every_few_seconds(shipped.append)
    time.sleep(0.1)
assert [entry.reference for entry in shipped] == ["order-1017"]
print("the end")
