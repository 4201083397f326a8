"""Goes through arbitration: the service disputes a payment, and a receipt of the customer's settles it.

Give the receipt's file (PDF, JPEG or PNG), or none for a made-up one. Settings as in accept.py.
"""

import os
import sys
import time

import merchantpay


def main() -> None:
    with merchantpay.Client(
        os.environ["MERCHANTPAY_BASE_URL"],
        os.environ["MERCHANTPAY_KEY_ID"],
        os.environ["MERCHANTPAY_PRIVATE_KEY"],
        os.environ["MERCHANTPAY_SERVER_PUBLIC_KEY"],
        server_key_id=os.environ.get("MERCHANTPAY_SERVER_KEY_ID") or None,
    ) as client:
        # The sandbox disputes the payments of this account.
        payment = client.new_payment(sum="1500.50", payment_method="card", customer_account="arbitration")
        client.confirm(payment.order_id)

        while True:
            payment = client.get_status(payment.order_id)
            if payment.is_final or payment.status == merchantpay.Status.RECEIPT_REQUIRED:
                break
            time.sleep(0.5)
        print(f"{payment.order_id}: {payment.status}")

        if payment.status == merchantpay.Status.RECEIPT_REQUIRED:
            file = sys.argv[1] if len(sys.argv) > 1 else ("receipt.pdf", b"%PDF-1.4 a receipt", "application/pdf")
            client.attach_receipt(payment.order_id, [file])
            payment = client.wait(payment.order_id, timeout=60)
        print(f"{payment.order_id}: {payment.status}")


if __name__ == "__main__":
    main()
