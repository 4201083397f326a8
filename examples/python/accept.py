"""Accepts a payment: accept.py [CUSTOMER_ACCOUNT]

Set the variables MERCHANTPAY_BASE_URL, _KEY_ID, _PRIVATE_KEY, _SERVER_PUBLIC_KEY and _SERVER_KEY_ID; `merchantpay sandbox` prints
their values.
"""

import sys

import example
import merchantpay


def main() -> None:
    if len(sys.argv) > 2:
        example.usage("accept [CUSTOMER_ACCOUNT]")
    account = sys.argv[1] if len(sys.argv) > 1 else "79001234567"

    with merchantpay.Client.from_env() as client:
        # Money is Decimal, int or decimal text, never a float.
        amounts = client.get_available_amounts(sum="1500.55", payment_method="sbp", customer_account=account)
        for amount in amounts.available_amounts:
            print(f"available {example.digits(amount)} RUB")
        print("others possible", "yes" if amounts.other_amounts_possible else "no")

        payment = client.new_payment(sum="1500.55", payment_method="sbp", customer_account=account)
        # A shop stores the order id before it does anything else.
        print("order", payment.order_id)
        print(f"pay {example.digits(payment.sum)} {payment.currency} to {payment.payee_account}")
        example.show("bank", payment.payee_account_bank)
        example.show("holder", payment.payee_name)
        example.show("link", payment.deeplink)

        # The customer has reported the transfer, so the shop reports it to the service.
        client.confirm(payment.order_id)
        print("confirmed")

        # A shop uses webhooks, and waits like this only without webhooks.
        payment = client.wait(payment.order_id, timeout=60)
        example.show("status", payment.status)
        # A failed payment also has a sum. The paid sum can differ from the requested sum: payment.paid("1500.55") compares them.
        if payment.status == "doneSuccess":
            example.show("paid", payment.sum)


if __name__ == "__main__":
    example.run(main)
