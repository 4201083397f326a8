"""A shop with PostgreSQL: each payment is taken once and each order is shipped once, even if any process is killed.

    python shop.py tables                             # once
    gunicorn --workers 8 --bind 127.0.0.1:8000 shop:app
    python shop.py worker                             # as many as you like

SHOP_DATABASE is PostgreSQL's URL, for the shop's tables and the journal's. SHOP_URL is the URL at which the service reaches this shop. The
other settings are the MERCHANTPAY_ variables.
"""

import os
import secrets
import sys
import time
from decimal import Decimal
from typing import Optional

import flask
import merchantpay
import psycopg
import segno
from markupsafe import Markup
from werkzeug.wrappers import Response

TABLES = """
CREATE TABLE IF NOT EXISTS orders (number TEXT PRIMARY KEY, sum NUMERIC NOT NULL);
CREATE TABLE IF NOT EXISTS shipments (number TEXT NOT NULL, shipped_at TIMESTAMPTZ NOT NULL DEFAULT now());
"""


def connect() -> "psycopg.Connection[tuple[Decimal]]":
    return psycopg.connect(os.environ["SHOP_DATABASE"])


# [journal]
def open_journal(create: bool = False) -> merchantpay.Journal:
    client, url = merchantpay.Client.from_env(), os.environ["SHOP_URL"] + "/callback"
    return merchantpay.Journal(client, os.environ["SHOP_DATABASE"], callback_url=url, create=create)


# [/journal]

app = flask.Flask(__name__, template_folder=".")
journal: merchantpay.Journal


@app.get("/")
def index() -> str:
    return flask.render_template("shop.html", order=None)


@app.post("/orders")
def new_order() -> Response:
    number = f"order-{secrets.token_hex(8)}"  # random, so that a customer cannot guess another customer's link
    with connect() as database:
        database.execute("INSERT INTO orders (number, sum) VALUES (%s, %s)", [number, flask.request.form["sum"]])
    return flask.redirect(flask.url_for("order", number=number), 303)


def sum_of(number: str) -> Decimal:
    with connect() as database:
        row = database.execute("SELECT sum FROM orders WHERE number = %s", [number]).fetchone()
    if row is None:
        flask.abort(404)
    return row[0]


@app.get("/orders/<number>")
def order(number: str) -> str:
    known = {"order": number, "sum": sum_of(number), "entry": (entry := journal.find(number))}
    return flask.render_template("shop.html", **known, state=state_of(entry), qr=qr_of(entry))


def state_of(entry: Optional[merchantpay.Entry]) -> str:
    if entry is None or entry.standing == "refused":
        return "new"
    if entry.succeeded:
        return "paid"
    if entry.standing == "final":
        # If a different sum was paid, an operator must decide: `attention` lists the payment.
        return "differs" if entry.status == "doneSuccess" else "failed"
    if entry.intent == "confirm":
        return "checking"
    return "pay" if entry.credentials is not None else "waiting"


def qr_of(entry: Optional[merchantpay.Entry]) -> Markup:
    link = entry.credentials.deeplink if entry is not None and entry.credentials is not None else None
    return Markup(segno.make(link).svg_inline(scale=5)) if link else Markup()


@app.post("/orders/<number>/pay")
def pay(number: str) -> Response:
    phone, failed = flask.request.form["phone"], flask.request.form.get("replace", type=int)
    if failed is None:
        journal.pay_async(number, sum=sum_of(number), payment_method="sbp", customer_account=phone)
    else:
        journal.replace(number, failed, sum=sum_of(number), payment_method="sbp", customer_account=phone)
    return flask.redirect(flask.url_for("order", number=number), 303)


@app.post("/orders/<number>/paid")
def paid(number: str) -> Response:
    if (entry := journal.find(number)) is not None and entry.credentials is not None:
        journal.confirm(entry)
    return flask.redirect(flask.url_for("order", number=number), 303)


# [webhook]
@app.post("/callback/<token>")
def callback(token: str) -> tuple[str, int]:
    received = journal.receive_request(token, flask.request.get_data(), flask.request.headers)
    return "", received.http_status


# [/webhook]


@app.errorhandler(merchantpay.InvalidArgumentError)
def invalid(error: merchantpay.InvalidArgumentError) -> tuple[str, int]:
    return f"That cannot be right: {error.message}", 400


# [act]
def act(entry: merchantpay.Entry) -> None:
    """Ships a paid order. One transaction contains the shipment and the acknowledgement: both happen, or neither."""
    with connect() as database:
        if database.execute(*entry.acknowledge_sql("percent")).rowcount == 0:
            return  # another worker was first, or there are newer news
        if entry.succeeded:
            database.execute("INSERT INTO shipments (number) VALUES (%s)", [entry.reference])


# [/act]


def work() -> None:
    while True:
        try:
            journal.settle()
            for entry in journal.news():
                act(entry)
        except (merchantpay.Error, psycopg.OperationalError) as error:
            # The worker continues after a restart of the database. An error that needs an operator ends it.
            if isinstance(error, merchantpay.Error) and not error.is_transient:
                raise
            print(f"later again: {error}", file=sys.stderr)
        time.sleep(1)


if sys.argv[1:] == ["tables"]:
    open_journal(create=True).close()
    with connect() as shop_database:
        shop_database.execute(TABLES)
else:
    journal = open_journal()
    if sys.argv[1:] == ["worker"]:
        work()
