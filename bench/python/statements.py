"""Stores a payment before it would be sent, and its reply, with psycopg over the journal's table.

A careful merchant could write such code around his client. The row is durable before the first byte of the request is sent. It has a random
token, which ends the webhook's URL, a hash of the request in place of the customer's account, and the time from which the attempt is unknown.
A random stamp identifies each write. The reply is durable before the program shows the credentials. The journal does more than this code: it
finds again what was lost, and has a pause, second attempts, webhooks, status queries and news.
"""

import hashlib
import hmac
import json
import os
import secrets
import time

import psycopg

import commands

LOOK = "SELECT details FROM merchantpay_attempts WHERE reference = %s ORDER BY attempt DESC LIMIT 1"
INSERT = (
    "INSERT INTO merchantpay_attempts (reference, attempt, token, stamp, state, sum_asked, asked, call_until, created_at, updated_at, news,"
    " acked, tries, intent_calls, attention, seen, refusals, replaced, restored, not_sent, asynchronous, receipt_given)"
    " VALUES (%s, 1, %s, %s, 'sent', %s, %s, %s, %s, %s, 0, 0, 0, 0, 0, 0, 0, 0, 0, 0, 0, 0)"
)
UPDATE = (
    "UPDATE merchantpay_attempts SET stamp = %s, state = 'open', call_until = NULL, order_id = %s, sum_paid = %s, details = %s, due_at = %s,"
    " asking_since = %s, news = %s, news_due = %s, updated_at = %s WHERE reference = %s AND attempt = 1 AND stamp = %s"
)
REQUEST = {"sum": "1500.50", "currency": "RUB", "paymentMethod": "sbp", "customerAccount": "79001234567"}
REPLY = json.loads(commands.WEBHOOK)

# No statement is prepared by name, as a pooler of connections needs it.
database = psycopg.connect(os.environ["BENCH_JOURNAL"], autocommit=True, prepare_threshold=None)


def pay():
    reference, now = f"order-{secrets.token_hex(8)}", time.time_ns() // 1_000_000
    if database.execute(LOOK, [reference]).fetchone():
        raise RuntimeError("it is there already")
    token, stamp = secrets.token_hex(16), secrets.token_hex(16)
    asked = hmac.new(token.encode(), json.dumps(REQUEST).encode(), hashlib.sha256).hexdigest()
    database.execute(INSERT, [reference, token, stamp, REQUEST["sum"], asked, now + 40_000, now, now])
    # Here the request is sent.
    order_id = f"sb-{secrets.token_hex(12)}"
    details, now = json.dumps({**REPLY, "orderId": order_id}), time.time_ns() // 1_000_000
    values = [secrets.token_hex(16), order_id, REQUEST["sum"], details, now + 2_000, now, now, now, now, reference, stamp]
    if database.execute(UPDATE, values).rowcount != 1:
        raise RuntimeError("another process has it")


commands.serve(pay=pay)
