"""The code of the package's README, which shows the lines between two marks. tests/docs runs it with a sandbox: guide.py RECEIPT"""

import asyncio
import http.client
import logging
import os
import sys
import time
import urllib.parse
from decimal import Decimal

# [client]
import merchantpay

client = merchantpay.Client.from_env()
# [/client]


# [pay]
def pay():
    try:
        payment = client.new_payment(sum="1500.50", payment_method="sbp", customer_account="79001234567", merchant_id="order-1017")
    except merchantpay.Error as error:
        if error.outcome == "not_sent":
            print("nothing was sent:", error)
        elif error.outcome == "rejected":
            print("refused:", error.description)
        else:  # "unknown"
            print("a payment may exist, do not send again:", error)
        raise
    print(f"{payment.order_id}: pay at {payment.deeplink}")
    return payment


# [/pay]


# [available]
def available():
    amounts = client.get_available_amounts(sum=1500, payment_method="sbp")
    for amount in amounts.available_amounts:
        print("available:", amount, "RUB")
    print("other amounts may succeed too:", amounts.other_amounts_possible)


# [/available]


# [confirm]
def confirm(order_id):
    client.confirm(order_id)  # the customer says that the money was sent
    payment = client.wait(order_id, timeout=60)  # calls getStatus until the status is final
    return payment.status == "doneSuccess" and payment.paid("1500.50") == "exactly"


# [/confirm]


# [cancel]
def cancel(order_id):
    try:
        client.cancel(order_id)
        print(f"{order_id}: cancelled")
    except merchantpay.RejectedError:
        print(f"{order_id}: {client.get_status(order_id).status}")  # too late to cancel: the status shows why


# [/cancel]


# [receipt]
def attach(order_id, file):
    client.attach_receipt(order_id, [file])  # a PDF, JPEG or PNG by its content; or (name, bytes, content_type)


# [/receipt]


# [money]
def money(payment):
    converted = merchantpay.to_balance("1500.50", "92.45", "USDT", scale=6, rounding="half_even")
    assert converted == Decimal("16.230395")
    # The payment's deal_currency names the merchant's balance:
    print("paid", payment.paid("1500.50"), "balance", payment.deal_currency)


# [/money]


# [keys]
def keys():
    pair = merchantpay.generate_keypair()
    print("for the service:", pair.public_key)
    return pair.private_key  # keep it only in a secret store


# [/keys]


# [rotation]
def rotated(private_key, old, new):
    # Responses and webhooks verify with either key.
    return merchantpay.Client("https://pay.example", "merchant-1", private_key, [old, new])


# [/rotation]


# [webhook]
def receive(verifier, body, headers):
    """Takes the unchanged body and the request's headers. Returns the HTTP status of the answer."""
    try:
        event = verifier.verify_request(body, headers)
    except merchantpay.Error as error:
        why = verifier.explain(body, headers.get("X-Signature"), headers.get("X-KeyId"))
        logging.warning("webhook refused: %s", why or error)  # for your log, not for the sender
        return 400
    if isinstance(event, merchantpay.CredentialsIssued):
        print("show the customer", event.payment.deeplink)
    elif isinstance(event, merchantpay.CredentialsFailed):
        print(event.order_id, "has no payee")
    elif isinstance(event, merchantpay.StatusChanged):
        print(event.order_id, "is now", event.payment.status)
    return 200  # only when the event is stored


# [/webhook]


# [journal]
journal = merchantpay.Journal(client, os.environ["MERCHANTPAY_JOURNAL"], callback_url="https://shop.example/pay/callback")


def sell(show):
    entry = journal.pay("order-1017", sum="1500.50", payment_method="sbp", customer_account="79001234567")
    if entry.credentials:  # a repeated call returns the same payment; present only if the customer can pay now
        show(entry.credentials)


def customer_has_paid():
    journal.confirm(journal.find("order-1017"))


def callback(path, body, headers):
    return journal.receive_request(path, body, headers).http_status  # the HTTP status of the answer


def every_few_seconds(ship):
    journal.settle()  # asks the service about open attempts that are due
    for entry in journal.news():  # unacknowledged changes, also from before a crash
        if entry.succeeded:
            ship(entry)  # doneSuccess, and exactly the requested sum was paid
        journal.acknowledge(entry)


# [/journal]


# [async]
async def pay_async():
    async with merchantpay.AsyncClient.from_env(max_calls=100) as client:
        payment = await client.new_payment(sum="1500.50", payment_method="sbp", customer_account="79001234567")
        try:
            await asyncio.wait_for(client.confirm(payment.order_id), 20)
        except asyncio.TimeoutError as error:
            if merchantpay.outcome_of(error) != "not_sent":
                print("it may be confirmed:", await client.get_status(payment.order_id))


# [/async]


# [protocol]
def pay_with_my_own_stack():
    protocol = merchantpay.Protocol.from_env()
    request = protocol.prepare_new_payment(sum="1500.50", payment_method="sbp", customer_account="79001234567")
    url = urllib.parse.urlsplit(request.url)
    kind = http.client.HTTPSConnection if url.scheme == "https" else http.client.HTTPConnection
    connection = kind(url.netloc, timeout=30)
    connection.request(request.method, url.path, request.body, request.headers)  # once, and unchanged
    response = connection.getresponse()
    return request.open(response.status, response.headers, response.read())


# [/protocol]


client.connect()
available()
first = pay()
money(first)
assert confirm(first.order_id)
cancel(first.order_id)
cancel(pay().order_id)

disputed = client.new_payment(sum="1500.50", payment_method="card", customer_account="arbitration")
client.confirm(disputed.order_id)
while client.get_status(disputed.order_id).status != "receiptRequired":
    time.sleep(0.05)
attach(disputed.order_id, sys.argv[1])

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
