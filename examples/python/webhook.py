"""Receives webhooks with the standard library alone: webhook.py [port]

Prints where it listens, then a line for each event. For production see the receivers for Flask, Django and FastAPI beside this.
Settings as in accept.py; no private key is needed.
"""

import http.server
import os
import sys

import merchantpay

verifier = merchantpay.WebhookVerifier(
    os.environ["MERCHANTPAY_SERVER_PUBLIC_KEY"],
    server_key_id=os.environ.get("MERCHANTPAY_SERVER_KEY_ID") or None,
    key_id=os.environ.get("MERCHANTPAY_KEY_ID") or None,
)
LARGEST = 1024 * 1024


class Handler(http.server.BaseHTTPRequestHandler):
    def do_POST(self) -> None:
        # The bytes as they came: the signature is over them.
        body = self.rfile.read(min(int(self.headers.get("Content-Length") or 0), LARGEST))
        try:
            event = verifier.verify_request(body, self.headers)
        except merchantpay.Error as error:
            print(f"refused: {error}", flush=True)
            self.send_response(400)
        else:
            if isinstance(event, merchantpay.CredentialsIssued):
                print(f"{event.order_id}: show the customer the link", flush=True)
            elif isinstance(event, merchantpay.CredentialsFailed):
                print(f"{event.order_id}: nobody to pay to", flush=True)
            else:
                print(f"{event.order_id}: {event.payment.status}", flush=True)
            self.send_response(204)
        self.end_headers()

    def log_message(self, format: str, *args: object) -> None:
        """The lines above are enough."""


def main() -> None:
    port = int(sys.argv[1]) if len(sys.argv) > 1 else 0
    with http.server.ThreadingHTTPServer(("127.0.0.1", port), Handler) as server:
        print(f"listening at http://127.0.0.1:{server.server_address[1]}/", flush=True)
        server.serve_forever()


if __name__ == "__main__":
    main()
