"""The hand-written code around the HTTP client of peer_httpx.py and of peer_requests.py, with PyNaCl, base64 and json.

The package does more than this code: the strict check of a signature (libsodium also refuses weak keys, but the two checks differ for some
unusual signatures), checks of key ids, of duplicate names in JSON and of the fields' types, a limit of the reply's size, retries, and
outcomes.
"""

import base64
import decimal
import json

import nacl.signing

import commands

signing_key = nacl.signing.SigningKey(base64.b64decode(commands.PRIVATE_KEY)[:32])
verify_key = nacl.signing.VerifyKey(base64.b64decode(commands.SERVER_PUBLIC_KEY))
URL = commands.URL + "/api/v1/merchant/pay/"


def sign(body):
    signature = base64.b64encode(signing_key.sign(body).signature).decode()
    return {"Content-Type": "application/json", "X-KeyId": commands.KEY_ID, "X-Signature": signature}


def open_signed(body, signature, order_id=None):
    verify_key.verify(body, base64.b64decode(signature))
    payment = json.loads(body, parse_float=decimal.Decimal)
    if not payment["success"]:
        raise RuntimeError(payment.get("errorDescription"))
    if order_id and payment["orderId"] != order_id:
        raise RuntimeError("the reply is about another order")
    return payment


def read(payment):
    assert payment["status"] == "doneSuccess" and payment["sum"]


def webhook():
    read(open_signed(commands.WEBHOOK, commands.SIGNATURE, commands.ORDER_ID))


class Merchant:
    """Makes the measured calls. `make_client` makes the HTTP client, and `post(client, url, body, headers)` returns
    the body and the headers of the reply."""

    def __init__(self, make_client, post):
        self.make_client, self.post = make_client, post
        self.client = make_client()
        self.journal = None

    def send(self, path, content):
        body = json.dumps(content).encode()
        reply, headers = self.post(self.client, URL + path, body, sign(body))
        return reply, headers["X-Signature"]

    def call(self, path, **content):
        read(open_signed(*self.send(path, content), commands.ORDER_ID))

    def status(self):
        self.call("status", orderId=commands.ORDER_ID)

    def new(self):
        self.call("new", sum=1500.50, currency="RUB", paymentMethod="sbp", customerAccount="79001234567")

    def sale(self):
        """Makes the three calls of a payment one after another."""
        self.call("available", sum=1500.50, currency="RUB", paymentMethod="sbp")
        self.new()
        self.call("confirm", orderId=commands.ORDER_ID)

    def new_order(self, **content):
        """Makes a payment with its own order."""
        reply, signature = self.send("new", content)
        return open_signed(reply, signature), reply.decode()

    def pay(self):
        """Makes a payment that is stored before it is sent, and stored again when its result is known."""
        if self.journal is None:
            import journal_by_hand  # Imported here, because the process that makes one call does not need it.

            self.journal = journal_by_hand.Journal(self.new_order)
        request = {"sum": 1500.50, "currency": "RUB", "paymentMethod": "sbp", "customerAccount": "79001234567"}
        assert self.journal.pay(self.journal.new_reference(), **request)["payeeAccount"]

    def cold(self):
        self.client.close()
        self.client = self.make_client()
        self.new()


def serve(make_client, post):
    merchant = Merchant(make_client, post)
    commands.serve(webhook=webhook, status=merchant.status, new=merchant.new, sale=merchant.sale, cold=merchant.cold, pay=merchant.pay)
