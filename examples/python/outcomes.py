"""Shows what to do about each of the three outcomes of a call that failed: outcomes.py"""

import sys
from typing import Callable

import example
import merchantpay


def show_outcome(call: Callable[[], object]) -> None:
    """Makes a call that has to fail, and prints the decision that its error asks for."""
    try:
        call()
    except merchantpay.Error as error:
        if error.outcome == merchantpay.Outcome.NOT_SENT:
            decision = "safe to send again"
        elif error.outcome == merchantpay.Outcome.REJECTED:
            decision = "nothing took effect"
        else:
            decision = "ask for the status"
        reason = f" {error.reason}" if error.reason else ""
        print(f"{error.outcome} {error.code}{reason}: {decision}")
    else:
        raise RuntimeError("a call succeeded that had to fail")


def main() -> None:
    if len(sys.argv) > 1:
        example.usage("outcomes")

    def pay(client: merchantpay.Client) -> merchantpay.Payment:
        return client.new_payment(sum="1500.55", payment_method="sbp", customer_account="79001234567")

    with merchantpay.Client.from_env() as client:
        # Nobody listens here: not one byte was sent.
        with merchantpay.Client.from_env(base_url="http://127.0.0.1:1", max_retries=0) as unreachable:
            show_outcome(lambda: pay(unreachable))

        # The service refuses, and signs that it does.
        show_outcome(lambda: client.cancel("no-such-order"))

        # A client with another key for the service, so that it can verify no reply. What it asks for happens all the same.
        order_id = pay(client).order_id
        print("order", order_id)
        with merchantpay.Client.from_env(server_public_key=merchantpay.generate_keypair().public_key) as mistaken:
            show_outcome(lambda: mistaken.confirm(order_id))

        # Never confirm twice on a guess: the status shows whether the first one counted.
        example.show("status", client.wait(order_id, timeout=60).status)


if __name__ == "__main__":
    example.run(main)
