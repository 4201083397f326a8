"""One of the paying processes, in Python: it works like src/journal/worker.rs and shop.rs, with PostgreSQL
through psycopg. Separate threads serve the callbacks."""

import http.server
import os
import sys
import threading
import time

import merchantpay
import psycopg

WORKERS, PATIENCE = 8, 60.0


def connect():
    return psycopg.connect(host=os.environ["SOCKET"], user="shop", dbname=os.environ["DATABASE"])


def open_journal():
    client = merchantpay.Client.from_env()
    return merchantpay.Journal(client, connect, callback_url=os.environ["HOOKS"], timeout=15.0, calls_per_second=1000)


WORKER, PAYMENTS, LOG = int(os.environ["WORKER"]), int(os.environ["PAYMENTS"]), os.environ["LOG"]
log = os.open(LOG, os.O_WRONLY | os.O_CREAT | os.O_APPEND, 0o600)
journal = open_journal()


def note(line):
    """Each line is one write, so that a kill leaves no half line."""
    os.write(log, f"{line}\n".encode())


def reached():
    """The number of the payment that this process had reached before it was killed."""
    with open(LOG) as lines:
        done = [int(line.split()[1]) + 1 for line in lines if line.startswith("done ")]
    return done[-1] if done else 0


def steadily(call, *arguments, **others):
    """Repeats a call while the journal or its database is busy."""
    end = time.monotonic() + PATIENCE
    while True:
        try:
            return call(*arguments, **others)
        except merchantpay.Error as error:
            if not error.is_transient or time.monotonic() > end:
                raise
        time.sleep(0.02)


def number_of(entry):
    return int(entry.reference[len("order-") :])


def pay(number, replace=None):
    """Each payment has a different sum."""
    minor = 10010 + 10 * number
    account = {3: "no-credentials", 5: "pays-less", 9: "payment-fails"}.get(number % 40, "79001234567")
    return steadily(
        journal.pay if number % 2 == 0 else journal.pay_async,
        f"order-{number}",
        sum=f"{minor // 100}.{minor % 100:02}",
        payment_method="sbp",
        customer_account=account,
        replace=replace,
    )


def serve(entry):
    """Gives the credentials, if any, to a customer who pays immediately. For one customer in fifty the shop
    cancels the payment and makes another payment."""
    if entry.order_id is None or entry.credentials is None:
        return
    note(f"handed {entry.reference} {entry.attempt} {entry.order_id}")
    if number_of(entry) % 50 == 7 and entry.attempt == 1:
        cancelled = steadily(journal.cancel, entry)
        if cancelled.cancel == "accepted":
            note(f"cancelled {entry.reference} {entry.attempt}")
            serve(pay(number_of(entry), replace=entry.attempt))
    elif entry.confirm is None:
        steadily(journal.confirm, entry)


def take(number):
    """Creates a payment. A cashier replaces one third of the payments whose reply is lost."""
    entry = pay(number)
    serve(entry)
    if entry.standing == "unknown" and number % 3 == 0:
        serve(pay(number, replace=entry.attempt))


def turn(limit):
    """Handles some reported changes (news), and settles some due attempts. Returns whether there was anything to do."""
    news = steadily(journal.news, limit)
    for entry in news:
        serve(entry)
        if steadily(journal.acknowledge, entry) and entry.succeeded:
            note(f"shipped {entry.reference}")
    settled = steadily(journal.settle, limit)
    return bool(news) or settled.done > 0


class Receiver(http.server.BaseHTTPRequestHandler):
    def do_POST(self):
        body = self.rfile.read(int(self.headers["Content-Length"]))
        self.send_response(journal.receive_request(self.path, body, self.headers).http_status)
        self.send_header("Content-Length", "0")
        self.end_headers()

    def log_request(self, *_):
        pass


def wait_for_the_end():
    """Ends this process when the parent closes its input, at the end of the run."""
    sys.stdin.buffer.read()
    os._exit(0)


receiver = http.server.ThreadingHTTPServer(("127.0.0.1", 0), Receiver)
for work in (wait_for_the_end, receiver.serve_forever):
    threading.Thread(target=work, daemon=True).start()
print("listening", receiver.server_port, flush=True)
for number in range(reached(), PAYMENTS):
    if number % WORKERS in (WORKER, (WORKER + 1) % WORKERS):
        take(number)
        turn(4)
        note(f"done {number}")
print("finished", flush=True)
while True:
    if not turn(20):
        time.sleep(0.05)
