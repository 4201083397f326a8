"""Meets each of the three outcomes, and does what each calls for. Settings as in accept.py."""

import os
import socket

import merchantpay


def client_of(base_url: str, timeout: float = 30.0) -> merchantpay.Client:
    return merchantpay.Client(
        base_url,
        os.environ["MERCHANTPAY_KEY_ID"],
        os.environ["MERCHANTPAY_PRIVATE_KEY"],
        os.environ["MERCHANTPAY_SERVER_PUBLIC_KEY"],
        server_key_id=os.environ.get("MERCHANTPAY_SERVER_KEY_ID") or None,
        timeout=timeout,
    )


def cancel(client: merchantpay.Client, order_id: str) -> None:
    """Cancels a payment, or finds out why not."""
    try:
        client.cancel(order_id)
        print("done")
    except merchantpay.Error as error:
        if error.outcome == merchantpay.Outcome.NOT_SENT:
            print(f"not_sent: not one byte left, safe to try again ({error.code})")
        elif error.outcome == merchantpay.Outcome.REJECTED:
            print(f"rejected: the service refused, {error.reason or error.description}")
        else:
            print(f"unknown: it may have taken effect, ask before trying again ({error.code})")
            with client_of(os.environ["MERCHANTPAY_BASE_URL"]) as asking:
                print(f"         get_status says {asking.get_status(order_id).status}")


def main() -> None:
    with client_of(os.environ["MERCHANTPAY_BASE_URL"]) as client:
        payment = client.new_payment(sum=100, payment_method="card", customer_account="79001234567")
        with socket.create_server(("127.0.0.1", 0)) as silent:
            # Nobody answers: a listener that never accepts, then, once it is closed, a port with no listener.
            url = f"http://127.0.0.1:{silent.getsockname()[1]}"
            with client_of(url, timeout=0.5) as unanswered:
                cancel(unanswered, payment.order_id)
        with client_of(url) as refused:
            cancel(refused, payment.order_id)
        cancel(client, payment.order_id)
        cancel(client, payment.order_id)


if __name__ == "__main__":
    main()
