"""The Python package."""

import merchantpay

import commands

verifier = merchantpay.WebhookVerifier(commands.SERVER_PUBLIC_KEY)
client = merchantpay.Client(commands.URL, commands.KEY_ID, commands.PRIVATE_KEY, commands.SERVER_PUBLIC_KEY)
protocol = merchantpay.Protocol("https://pay.example", commands.KEY_ID, commands.PRIVATE_KEY, commands.SERVER_PUBLIC_KEY)


def read(payment):
    assert payment.order_id == commands.ORDER_ID and payment.is_final and payment.sum


def webhook():
    read(verifier.verify(commands.WEBHOOK, commands.SIGNATURE, commands.SERVER_KEY_ID).payment)


def status():
    read(client.get_status(commands.ORDER_ID))


def prepare():
    request = protocol.prepare_new_payment(sum="1500.50", payment_method="sbp", customer_account="79001234567")
    return request.headers, request.body


def by_threads(count):
    """A thousand calls, by so many threads."""
    import threading  # Not for the process that makes one call.

    calls = 1000 // count
    threads = [threading.Thread(target=lambda: [status() for _ in range(calls)]) for _ in range(count)]
    for thread in threads:
        thread.start()
    for thread in threads:
        thread.join()


commands.serve(webhook=webhook, status=status, prepare=prepare, threads1=lambda: by_threads(1), threads2=lambda: by_threads(2))
