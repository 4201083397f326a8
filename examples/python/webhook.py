"""Receives webhooks: webhook.py [COUNT]. The program ends after COUNT webhooks; without COUNT, or with 0, it does not end.

Here the standard library serves HTTP on loopback, one request at a time. In production a proxy in front of the server does TLS.
For production see the receivers for Flask, Django and FastAPI in this folder.
"""

import http.server
import os
import sys

import example
import merchantpay

# The largest body that is accepted, in bytes. Every webhook of the contract is far smaller.
LARGEST_BODY = 65536


def show_event(event: merchantpay.Event) -> None:
    payment = event.payment
    if isinstance(event, merchantpay.CredentialsIssued):
        pay = f"pay {example.digits(payment.sum)} RUB to {payment.payee_account or '-'}"
        print("credentials", event.order_id, pay, flush=True)
    elif isinstance(event, merchantpay.CredentialsFailed):
        print("credentials_failed", event.order_id, flush=True)
    else:
        print("status", event.order_id, payment.status, flush=True)


class Receiver(http.server.BaseHTTPRequestHandler):
    """Receives webhooks. The same event may come again: a shop must handle an event only once."""

    verifier: merchantpay.WebhookVerifier
    received = 0
    # The time limit of a connection, in seconds: a slow sender must not delay the others.
    timeout = 10

    def parse_request(self) -> bool:
        if not super().parse_request():
            return False
        if self.command != "POST":
            self.answer(405)
            return False
        return True

    def do_POST(self) -> None:
        length = self.headers.get("Content-Length", "")
        left = int(length) if length.isdecimal() and len(length) < 10 else 0
        if left > LARGEST_BODY:
            # Reads the whole body before the answer: a sender that still writes would miss the answer.
            while left > 0 and (part := self.rfile.read(min(left, LARGEST_BODY))):
                left -= len(part)
            print("refused too_large", flush=True)
            return self.answer(400)

        # Uses the unchanged bytes: a parsed and rewritten body does not verify.
        body = self.rfile.read(left)
        try:
            event = self.verifier.verify_request(body, self.headers)
        except merchantpay.Error as error:
            print("refused", error.code, flush=True)
            why = self.verifier.explain(body, self.headers.get("X-Signature"), self.headers.get("X-KeyId"))
            print("webhook refused:", f"{why.cause}: {why.hint}" if why else error, file=sys.stderr)  # for your log, not for the sender
            return self.answer(400)
        show_event(event)
        Receiver.received += 1
        self.answer(200)

    def answer(self, status: int) -> None:
        self.send_response(status)
        if status == 405:
            self.send_header("Allow", "POST")
        self.send_header("Content-Length", "0")
        self.end_headers()

    def log_message(self, format: str, *args: object) -> None:
        """Logs nothing: the lines on stdout are enough."""


def main() -> None:
    arguments = sys.argv[1:]
    if len(arguments) > 1 or not all(argument.isdecimal() for argument in arguments):
        example.usage("webhook [COUNT]")
    count = int(arguments[0]) if arguments else 0

    # A verifier needs only the service's public key. The other settings make the verifier stricter.
    Receiver.verifier = merchantpay.WebhookVerifier(
        example.setting("MERCHANTPAY_SERVER_PUBLIC_KEY"),
        server_key_id=os.environ.get("MERCHANTPAY_SERVER_KEY_ID") or None,
        key_id=os.environ.get("MERCHANTPAY_KEY_ID") or None,
    )
    with http.server.HTTPServer(("127.0.0.1", 0), Receiver) as server:
        print("listening", server.server_address[1], flush=True)
        while count == 0 or Receiver.received < count:
            server.handle_request()


if __name__ == "__main__":
    example.run(main)
