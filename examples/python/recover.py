"""Makes exactly one payment, whatever fails: recover.py FILE [PORT]. FILE is the journal: a path, postgresql:// or mysql://. The program
receives webhooks on PORT; without PORT, on any free port. Kill the program, lose its replies, and run it again with the same arguments: it
continues the same payment.

Here the standard library serves HTTP on loopback. In a shop a web server receives the webhooks and does TLS.
"""

import http.server
import sys
import threading
import time

import example
import merchantpay

# The largest body that is read, in bytes. Every webhook of the contract is far smaller.
LARGEST_BODY = 65536


class Receiver(http.server.BaseHTTPRequestHandler):
    journal: merchantpay.Journal
    # The time limit of a connection, in seconds: a slow sender must not delay the others.
    timeout = 10

    def do_POST(self) -> None:
        length = self.headers.get("Content-Length", "")
        # Uses the unchanged bytes: a parsed and rewritten body does not verify.
        body = self.rfile.read(min(int(length), LARGEST_BODY) if length.isdecimal() and len(length) < 10 else 0)
        self.send_response(self.journal.receive_request(self.path, body, self.headers).http_status)
        self.send_header("Content-Length", "0")
        self.end_headers()

    def log_message(self, format: str, *args: object) -> None:
        """Logs nothing: the lines on stdout are enough."""


def sell(journal: merchantpay.Journal, reference: str) -> None:
    # A repeated call returns the same payment. If the reply is lost, a webhook still brings the credentials.
    entry = journal.pay_async(reference, sum="1500.55", payment_method="sbp", customer_account="79001234567")
    print(reference, entry.standing, flush=True)
    while True:
        for news in journal.news():
            task = ": ship it" if news.succeeded else ": show the credentials" if news.credentials else ""
            print(f"{news.reference} {news.standing}{task}", flush=True)
            journal.acknowledge(news)
        found = journal.find(reference)
        if found is not None and found.standing in ("final", "refused") and found.acknowledged:
            return
        journal.settle()
        time.sleep(0.1)


def main() -> None:
    arguments = sys.argv[1:]
    if len(arguments) not in (1, 2) or not all(argument.isdecimal() for argument in arguments[1:]):
        example.usage("recover FILE [PORT]")
    address = ("127.0.0.1", int(arguments[1]) if len(arguments) > 1 else 0)
    with merchantpay.Client.from_env() as client, http.server.HTTPServer(address, Receiver) as server:
        print("listening", server.server_address[1], flush=True)
        callback_url = f"http://127.0.0.1:{server.server_address[1]}/hooks"
        with merchantpay.Journal(client, arguments[0], callback_url=callback_url) as journal:
            Receiver.journal = journal
            threading.Thread(target=server.serve_forever, daemon=True).start()
            sell(journal, "order-1017")
            server.shutdown()


example.run(main)
