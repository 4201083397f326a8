"""What `Journal.pay` costs over PostgreSQL beside the same steps by hand over the same driver, side by side in one process:
journal_over_postgresql.py CONNINFO [PAYMENTS], with a client's settings in the environment.

By hand is what a careful merchant writes with the same client: a row that is durable before the first byte leaves, with a random token
that is the end of its webhook's URL, a look whether it is stored as others see it, and the reply durable before it is shown. What the
journal does beside that is in journal_by_hand.py. Prints the medians of time and of the process's own CPU, and the ratios.
"""

import itertools
import json
import os
import secrets
import statistics
import sys
import time

import merchantpay
import psycopg

CALLBACK_URL = "https://shop.example/pay/callback"
REQUEST = {"sum": "1500.50", "payment_method": "sbp", "customer_account": "79001234567"}
TABLE = (
    "CREATE TABLE IF NOT EXISTS payments (reference TEXT PRIMARY KEY, state TEXT NOT NULL, token TEXT NOT NULL UNIQUE,"
    " request TEXT NOT NULL, order_id TEXT UNIQUE, reply TEXT, version INT NOT NULL, created_at TIMESTAMPTZ NOT NULL DEFAULT now())"
)


class ByHand:
    def __init__(self, client, conninfo):
        self.client = client
        self.database = psycopg.connect(conninfo, autocommit=True)
        self.database.prepare_threshold = None
        self.database.execute(TABLE)

    def pay(self, reference, **request):
        known = self.database.execute("SELECT reply FROM payments WHERE reference = %s", [reference]).fetchone()
        if known:
            return json.loads(known[0]) if known[0] else None
        token = secrets.token_hex(16)
        self.database.execute(
            "INSERT INTO payments (reference, state, token, request, version) VALUES (%s, 'sending', %s, %s, 1)",
            [reference, token, json.dumps(request)],
        )
        stored = self.database.execute(
            "SELECT token, txid_current_if_assigned() IS NULL FROM payments WHERE reference = %s", [reference]
        ).fetchone()
        if stored != (token, True):
            raise RuntimeError("it is not stored for good")
        payment = self.client.new_payment(**request, merchant_id=reference, status_webhook_url=f"{CALLBACK_URL}/{token}")
        written = self.database.execute(
            "UPDATE payments SET state = 'open', order_id = %s, reply = %s, version = 2 WHERE reference = %s AND version = 1",
            [payment.order_id, payment.json, reference],
        )
        return payment if written.rowcount else None


def main():
    conninfo, payments = sys.argv[1], int(sys.argv[2]) if len(sys.argv) > 2 else 300
    client, shop, numbers = merchantpay.Client.from_env(), secrets.token_hex(4), itertools.count()

    def connect():
        return psycopg.connect(conninfo)

    journal = merchantpay.Journal(client, connect, callback_url=CALLBACK_URL, create_tables=True)
    costs = {"journal": [], "by hand": []}
    ways = {"journal": journal.pay, "by hand": ByHand(client, conninfo).pay}
    for turn in range(payments + 20):
        for name, pay in ways.items():
            reference = f"order-{shop}-{next(numbers)}"
            begun, cpu = time.perf_counter(), time.process_time()
            paid = pay(reference, **REQUEST)
            if turn >= 20:
                costs[name].append((time.perf_counter() - begun, time.process_time() - cpu))
            if paid is None:
                sys.exit("a payment was not made")
    medians = {name: [statistics.median(column) * 1e6 for column in zip(*rows)] for name, rows in costs.items()}
    for name, (elapsed, cpu) in medians.items():
        print(f"{name:8} {elapsed:8.0f} µs {cpu:8.0f} µs CPU")
    ours, hand = medians["journal"], medians["by hand"]
    print(f"journal ÷ by hand: time {ours[0] / hand[0]:.2f}, CPU {ours[1] / hand[1]:.2f} (nice {os.nice(0)})")


if __name__ == "__main__":
    main()
