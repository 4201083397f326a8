"""Shows what to do about each of the three outcomes of a call that failed: outcomes.py"""

import sys
from typing import Callable

import example
import merchantpay


def show_outcome(call: Callable[[], object]) -> None:
    """Makes a call that must fail, and prints what to do about its error."""
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
        # No server listens at this URL, so no byte was sent.
        with merchantpay.Client.from_env(base_url="http://127.0.0.1:1", max_retries=0) as unreachable:
            show_outcome(lambda: pay(unreachable))

        # The service refuses the request, and signs its refusal.
        show_outcome(lambda: client.cancel("no-such-order"))

        # A client with a wrong service key cannot verify a reply. The service still executes the client's requests.
        order_id = pay(client).order_id
        print("order", order_id)
        with merchantpay.Client.from_env(server_public_key=merchantpay.generate_keypair().public_key) as mistaken:
            show_outcome(lambda: mistaken.confirm(order_id))

        # Do not guess and confirm again: the status shows whether the first confirm took effect.
        example.show("status", client.wait(order_id, timeout=60).status)


if __name__ == "__main__":
    example.run(main)
