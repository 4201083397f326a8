"""Makes the measured calls with the Python package."""

import merchantpay

import commands

verifier = merchantpay.WebhookVerifier(commands.SERVER_PUBLIC_KEY)


def new_client():
    return merchantpay.Client(
        commands.URL, commands.KEY_ID, commands.PRIVATE_KEY, commands.SERVER_PUBLIC_KEY, ca_file=commands.CA_FILE, proxy=commands.PROXY
    )


client = new_client()
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


def new():
    read(client.new_payment(sum="1500.50", payment_method="sbp", customer_account="79001234567"))


def sale():
    """Makes the three calls of a payment one after another."""
    assert client.get_available_amounts(sum="1500.50", payment_method="sbp").available_amounts
    new()
    read(client.confirm(commands.ORDER_ID))


def cold():
    global client
    client = new_client()
    new()


def connect():
    global client
    client = new_client()
    client.connect()


def by_threads(count):
    """Makes a hundred calls with `count` threads."""
    import threading  # Imported here, because the process that makes one call does not need it.

    calls = 100 // count
    threads = [threading.Thread(target=lambda: [status() for _ in range(calls)]) for _ in range(count)]
    for thread in threads:
        thread.start()
    for thread in threads:
        thread.join()


commands.serve(
    webhook=webhook,
    status=status,
    prepare=prepare,
    new=new,
    sale=sale,
    cold=cold,
    connect=connect,
    threads1=lambda: by_threads(1),
    threads2=lambda: by_threads(2),
)
