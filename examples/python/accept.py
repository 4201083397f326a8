"""Accepts a payment: asks for amounts, creates the payment, reports that the customer has paid, waits for the end.

Set MERCHANTPAY_BASE_URL, _KEY_ID, _PRIVATE_KEY, _SERVER_PUBLIC_KEY and _SERVER_KEY_ID; `merchantpay sandbox` prints them.
"""

import os

import merchantpay


def main() -> None:
    with merchantpay.Client(
        os.environ["MERCHANTPAY_BASE_URL"],
        os.environ["MERCHANTPAY_KEY_ID"],
        os.environ["MERCHANTPAY_PRIVATE_KEY"],
        os.environ["MERCHANTPAY_SERVER_PUBLIC_KEY"],
        server_key_id=os.environ.get("MERCHANTPAY_SERVER_KEY_ID") or None,
    ) as client:
        amounts = client.get_available_amounts(sum="1500.50", payment_method="sbp")
        if not amounts.available_amounts and not amounts.other_amounts_possible:
            print("no offer for this sum now")
            return

        payment = client.new_payment(
            sum="1500.50",
            payment_method=merchantpay.PaymentMethod.SBP,
            customer_account="79001234567",
            merchant_id="invoice-42",
        )
        print(f"{payment.order_id}: pay {payment.sum} {payment.currency} to {payment.payee_account_bank}, or by the link")
        # … show payment.deeplink to the customer; once the customer says that it is paid:
        client.confirm(payment.order_id)

        payment = client.wait(payment.order_id, timeout=60)
        print(f"{payment.order_id}: {payment.status}, {payment.sum} paid, {payment.deal_sum} {payment.deal_currency} to the balance")


if __name__ == "__main__":
    main()
