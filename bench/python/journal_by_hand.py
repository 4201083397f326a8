"""Stores a payment before sending it, without the journal. A careful merchant could write such code around his client, with sqlite3.

A row is durable before the first byte of the request is sent. The row contains a random token, which ends the webhook's URL. The reply is
durable before the program shows the credentials. A stored reference is not paid again. The journal does more than this code. If the process
was killed or the reply was lost, the journal's row becomes `unknown` after a deadline. The journal also has second attempts, the hash of
the request, several writing processes, webhooks, status queries, news, and the list for an operator.
"""

import itertools
import json
import os
import secrets
import sqlite3
import time

CALLBACK_URL = "https://shop.example/pay/callback"


class Journal:
    def __init__(self, call):
        """`call(**request)` makes the payment, and returns the verified payment as a dict and as text."""
        self.call = call
        self.shop, self.numbers = secrets.token_hex(4), itertools.count(1)
        self.database = sqlite3.connect(os.environ["BENCH_JOURNAL"], isolation_level=None, timeout=10)
        self.database.execute("PRAGMA journal_mode = WAL")
        self.database.execute("PRAGMA synchronous = FULL")
        self.database.execute(
            "CREATE TABLE IF NOT EXISTS payments (reference TEXT PRIMARY KEY, state TEXT NOT NULL, token TEXT NOT NULL UNIQUE,"
            " request TEXT NOT NULL, order_id TEXT UNIQUE, reply TEXT, created_at REAL NOT NULL, updated_at REAL NOT NULL)"
        )

    def new_reference(self):
        return f"order-{self.shop}-{next(self.numbers)}"

    def pay(self, reference, **request):
        known = self.database.execute("SELECT reply FROM payments WHERE reference = ?", (reference,)).fetchone()
        if known:
            return json.loads(known[0]) if known[0] else None
        token, now = secrets.token_hex(16), time.time()
        self.database.execute(
            "INSERT INTO payments (reference, state, token, request, created_at, updated_at) VALUES (?, 'sending', ?, ?, ?, ?)",
            (reference, token, json.dumps(request), now, now),
        )
        payment, text = self.call(merchantId=reference, statusWebhookUrl=f"{CALLBACK_URL}/{token}", **request)
        written = self.database.execute(
            "UPDATE payments SET state = 'open', order_id = ?, reply = ?, updated_at = ? WHERE reference = ? AND state = 'sending'",
            (payment["orderId"], text, time.time(), reference),
        )
        return payment if written.rowcount else None
