"""Compares the cost of `Journal.pay` on PostgreSQL with the same steps in hand-written code, with the same driver and in one process:
journal_over_postgresql.py CONNINFO [PAYMENTS]. The client's settings are in the environment.

A careful merchant could write the hand-written code with the same client. The code gives the guarantees of `pay`. The row is durable before
the first byte of the request is sent. The row contains a random token, which ends the webhook's URL, a hash of the request in place of the
customer's account, and the time from which the attempt is unknown. A random writer and a version identify a write: a write whose result was
lost is found again. The code reads the row back outside any transaction, as other processes see the row, with the earlier attempts. The
reply is durable before the credentials are shown. The code does not handle failures, webhooks or status queries. The table has the indexes
for due attempts, for news and for attention. This program prints the medians of elapsed time and of
its own CPU time, and the ratios.
"""

import hashlib
import hmac
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
NOW = "CAST(EXTRACT(EPOCH FROM clock_timestamp()) * 1000 AS BIGINT)"
TABLE = (
    "CREATE TABLE IF NOT EXISTS payments (reference TEXT NOT NULL, attempt BIGINT NOT NULL, account TEXT NOT NULL, standing TEXT NOT NULL,"
    " order_id TEXT UNIQUE, status TEXT, sum_asked TEXT NOT NULL, sum_paid TEXT, reported BIGINT NOT NULL, acknowledged BIGINT NOT NULL,"
    " attention TEXT, due_at BIGINT, created_at BIGINT NOT NULL, updated_at BIGINT NOT NULL, version BIGINT NOT NULL, writer TEXT NOT NULL,"
    " token TEXT NOT NULL UNIQUE, record TEXT NOT NULL, PRIMARY KEY (reference, attempt));"
    " CREATE INDEX IF NOT EXISTS payments_due ON payments (due_at) WHERE due_at IS NOT NULL;"
    " CREATE INDEX IF NOT EXISTS payments_news ON payments (updated_at) WHERE reported > acknowledged;"
    " CREATE INDEX IF NOT EXISTS payments_attention ON payments (created_at) WHERE attention IS NOT NULL"
)
LOOK = (
    f"SELECT {NOW}, p.account, p.record FROM (SELECT 1 AS one) AS o LEFT JOIN"
    " (SELECT account, record FROM payments WHERE reference = %s ORDER BY attempt DESC LIMIT 1) AS p ON true"
)
INSERT = (
    "INSERT INTO payments (reference, attempt, account, standing, sum_asked, reported, acknowledged, due_at, created_at, updated_at,"
    " version, writer, token, record) VALUES (%s, 1, 'shop', 'sending', %s, 0, 0, %s, %s, %s, 1, %s, %s, %s)"
)
STORED = (
    "SELECT (SELECT writer FROM payments WHERE reference = %s AND attempt = 1), (SELECT COUNT(*) FROM payments WHERE reference = %s"
    " AND attempt < 1 AND standing NOT IN ('superseded', 'final')), txid_current_if_assigned() IS NULL"
)
UPDATE = (
    "UPDATE payments SET standing = 'open', order_id = %s, status = %s, sum_paid = %s, reported = 1, due_at = %s, updated_at = %s,"
    " version = 2, writer = %s, record = %s WHERE reference = %s AND attempt = 1 AND version = 1"
)


class ByHand:
    def __init__(self, client, conninfo):
        self.client = client
        self.database = psycopg.connect(conninfo, autocommit=True)
        self.database.prepare_threshold = None
        self.database.execute(TABLE)

    def pay(self, reference, **request):
        now, account, record = self.database.execute(LOOK, [reference]).fetchone()
        if account is not None:
            return json.loads(record).get("payment")
        token, writer = secrets.token_hex(16), secrets.token_hex(16)
        asked = json.dumps(request, sort_keys=True).encode()
        record = {"requestHash": hmac.new(token.encode(), asked, hashlib.sha256).hexdigest(), "paymentMethod": request["payment_method"]}
        row = [reference, request["sum"], now + 40_000, now, now, writer, token, json.dumps(record)]
        self.database.execute(INSERT, row)
        if self.database.execute(STORED, [reference, reference]).fetchone() != (writer, 0, True):
            raise RuntimeError("it is not stored for good")
        payment = self.client.new_payment(**request, merchant_id=reference, status_webhook_url=f"{CALLBACK_URL}/{token}")
        record["payment"] = json.loads(payment.json)
        values = [
            payment.order_id,
            payment.status,
            str(payment.sum),
            now + 2_000,
            now,
            secrets.token_hex(16),
            json.dumps(record),
            reference,
        ]
        return payment if self.database.execute(UPDATE, values).rowcount else None


def main():
    conninfo, payments = sys.argv[1], int(sys.argv[2]) if len(sys.argv) > 2 else 300
    client, shop, numbers = merchantpay.Client.from_env(), secrets.token_hex(4), itertools.count()

    def connect():
        return psycopg.connect(conninfo)

    journal = merchantpay.Journal(client, connect, callback_url=CALLBACK_URL, create=True)
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
