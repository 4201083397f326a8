"""Takes a payment through arbitration: arbitrate.py FILE, where FILE is a receipt (PDF, JPEG or PNG)."""

import sys
import time

import example
import merchantpay


def main() -> None:
    if len(sys.argv) != 2:
        example.usage("arbitrate FILE")

    with merchantpay.Client.from_env() as client:
        # This is a test account of the sandbox: its payments go to arbitration.
        order_id = client.new_payment(sum="1500.55", payment_method="card", customer_account="arbitration").order_id
        print("order", order_id)

        client.confirm(order_id)
        print("confirmed")

        payment = client.get_status(order_id)
        while not payment.is_final and payment.status != merchantpay.Status.RECEIPT_REQUIRED:
            time.sleep(0.2)
            payment = client.get_status(order_id)
        example.show("status", payment.status)
        if payment.is_final:
            return

        client.attach_receipt(order_id, [sys.argv[1]])
        print("receipt attached")

        example.show("status", client.wait(order_id, timeout=60).status)


if __name__ == "__main__":
    example.run(main)
