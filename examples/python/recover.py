"""Finds a payment again whose reply was lost: recover.py FILE [PORT], where FILE keeps the orders and PORT is where webhooks come,
any free one unless given. Run it again with both after a crash: it goes on with the order that is open.

The standard library serves HTTP here, on loopback: what comes while a call is under way waits in the listener's queue. In a shop
a web server receives, and TLS is its business.
"""

import http.server
import os
import secrets
import sys
from typing import Optional

import example
import merchantpay

# No webhook of the contract is near it.
LARGEST_BODY = 65536


class Order:
    def __init__(self, token: str, sum: str, order_id: Optional[str] = None) -> None:
        self.token, self.sum, self.order_id = token, sum, order_id


class Orders:
    """The shop's orders, a line each: token, sum and order id, which is - while it is not known."""

    def __init__(self, path: str) -> None:
        self.path = path
        self.all: list[Order] = []
        if os.path.exists(path):
            with open(path) as file:
                for line in file:
                    token, sum, order_id = line.split()
                    self.all.append(Order(token, sum, None if order_id == "-" else order_id))

    def save(self) -> None:
        """All of it or nothing, also if the machine stops here."""
        with open(self.path + ".new", "w") as file:
            for order in self.all:
                print(order.token, order.sum, order.order_id or "-", file=file)
            file.flush()
            os.fsync(file.fileno())
        os.replace(self.path + ".new", self.path)

    def name(self, order: Order, order_id: str) -> bool:
        """Gives an order its id, unless it has another one or that one is another order's: an old message that is replayed
        has a good signature too."""
        if order.order_id not in (None, order_id) or any(o.order_id == order_id for o in self.all if o is not order):
            return False
        order.order_id = order_id
        self.save()
        return True


class Receiver(http.server.BaseHTTPRequestHandler):
    orders: Orders
    verifier: merchantpay.WebhookVerifier
    found: Optional[str] = None
    # A caller may not hold the others up.
    timeout = 10

    def do_POST(self) -> None:
        # The token says which order is meant. It proves nothing: it stands in logs, and the signature is the proof.
        order = next((order for order in self.orders.all if self.path == "/hooks/" + order.token), None)
        if order is None:
            return self.answer(404)
        length = self.headers.get("Content-Length", "")
        # The bytes as they came: a parser in between would make other bytes of them.
        body = self.rfile.read(min(int(length), LARGEST_BODY) if length.isdecimal() and len(length) < 10 else 0)
        try:
            event = self.verifier.verify_request(body, self.headers)
        except merchantpay.Error as error:
            print("refused", error.code, flush=True)
            return self.answer(400)
        # Written before it is answered: a webhook that was taken does not come again.
        if not self.orders.name(order, event.order_id):
            print("refused other_order", flush=True)
            return self.answer(409)
        Receiver.found = event.order_id
        self.answer(200)

    def answer(self, status: int) -> None:
        self.send_response(status)
        self.send_header("Content-Length", "0")
        self.end_headers()

    def log_message(self, format: str, *args: object) -> None:
        """The lines on stdout are enough."""


def ask_for_payment(client: merchantpay.Client, orders: Orders, port: int) -> bool:
    """Makes an order and calls for its payment. Says whether its webhook has to be waited for."""
    order = Order(secrets.token_hex(32), "1500.55")
    # Before the call: what is lost in it has to be found by this.
    orders.all.append(order)
    orders.save()
    print("stored", order.sum, "RUB", flush=True)
    try:
        payment = client.new_payment(
            sum=order.sum,
            payment_method="sbp",
            customer_account="79001234567",
            status_webhook_url=f"http://127.0.0.1:{port}/hooks/{order.token}",
        )
    except merchantpay.Error as error:
        if error.outcome in (merchantpay.Outcome.NOT_SENT, merchantpay.Outcome.REJECTED):
            # There is no such payment.
            orders.all.remove(order)
            orders.save()
            raise
        print(f"unknown {error.code}: wait for the webhook", flush=True)
        return True
    if not orders.name(order, payment.order_id):
        raise RuntimeError("this reply is about another order")
    print("order", payment.order_id)
    return False


def main() -> None:
    arguments = sys.argv[1:]
    if len(arguments) not in (1, 2) or not all(argument.isdecimal() for argument in arguments[1:]):
        example.usage("recover FILE [PORT]")
    Receiver.orders = orders = Orders(arguments[0])
    Receiver.verifier = merchantpay.WebhookVerifier(
        example.setting("MERCHANTPAY_SERVER_PUBLIC_KEY"),
        server_key_id=os.environ.get("MERCHANTPAY_SERVER_KEY_ID") or None,
        key_id=os.environ.get("MERCHANTPAY_KEY_ID") or None,
    )
    address = ("127.0.0.1", int(arguments[1]) if len(arguments) > 1 else 0)
    with merchantpay.Client.from_env() as client, http.server.HTTPServer(address, Receiver) as server:
        print("listening", server.server_address[1], flush=True)
        waiting = [order for order in orders.all if order.order_id is None]
        if waiting:
            # The program ended while its call was under way, or before the webhook came: nobody knows whether it took effect.
            print("open", waiting[0].sum, "RUB", flush=True)
        elif not ask_for_payment(client, orders, server.server_address[1]):
            return
        while Receiver.found is None:
            server.handle_request()
        print("found", Receiver.found)
        example.show("status", client.get_status(Receiver.found).status)


if __name__ == "__main__":
    example.run(main)
