"""Makes the measured calls with the Python package."""

import merchantpay

import commands

verifier = merchantpay.WebhookVerifier(commands.SERVER_PUBLIC_KEY)


client = merchantpay.Client(commands.URL, commands.KEY_ID, commands.PRIVATE_KEY, commands.SERVER_PUBLIC_KEY, ca_file=commands.CA_FILE)


def read(payment):
    assert payment.order_id == commands.ORDER_ID and payment.is_final and payment.sum


def webhook():
    read(verifier.verify(commands.WEBHOOK, commands.SIGNATURE, "service-1").payment)


def status():
    read(client.get_status(commands.ORDER_ID))


def new():
    read(client.new_payment(sum="1500.50", payment_method="sbp", customer_account="79001234567"))


commands.serve(webhook=webhook, status=status, new=new)
