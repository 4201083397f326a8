"""A shop with FastAPI and SQLite: uvicorn fastapi_shop:app, and at the same time: python fastapi_shop.py worker

SHOP_DATABASE names the shop's SQLite file, and MERCHANTPAY_JOURNAL the journal's, or a database; `python fastapi_shop.py tables` creates
both. SHOP_URL is the URL at which the service reaches this shop. The client reads its settings from MERCHANTPAY_BASE_URL and so on.
"""

import asyncio
import contextlib
import os
import sqlite3
import sys
from collections.abc import AsyncGenerator
from typing import Annotated

import fastapi
import merchantpay

TABLES = "CREATE TABLE orders (number TEXT PRIMARY KEY, sum TEXT NOT NULL); CREATE TABLE shipments (number TEXT PRIMARY KEY);"


def connect() -> sqlite3.Connection:
    return sqlite3.connect(os.environ["SHOP_DATABASE"], timeout=10)


# [service]
@contextlib.asynccontextmanager
async def open_journal(create: bool = False) -> AsyncGenerator[merchantpay.AsyncJournal, None]:
    async with merchantpay.AsyncClient.from_env() as client:
        place, url = os.environ["MERCHANTPAY_JOURNAL"], os.environ["SHOP_URL"] + "/callback"
        async with merchantpay.AsyncJournal(client, place, callback_url=url, create=create) as journal:
            yield journal


@contextlib.asynccontextmanager
async def lifespan(app: fastapi.FastAPI) -> AsyncGenerator[None, None]:
    # A client belongs to one event loop, so it is made when the worker of uvicorn or gunicorn starts.
    async with open_journal() as app.state.journal:
        yield


def journal_of(request: fastapi.Request) -> merchantpay.AsyncJournal:
    journal: merchantpay.AsyncJournal = request.app.state.journal
    return journal


# [/service]


def sum_of(number: str) -> str:
    with contextlib.closing(connect()) as database:
        row = database.execute("SELECT sum FROM orders WHERE number = ?", [number]).fetchone()
    if row is None:
        raise fastapi.HTTPException(404)
    return str(row[0])


Journal = Annotated[merchantpay.AsyncJournal, fastapi.Depends(journal_of)]
app = fastapi.FastAPI(lifespan=lifespan)


@app.post("/orders/{number}/pay")
async def pay(number: str, sum: Annotated[str, fastapi.Depends(sum_of)], phone: str, journal: Journal) -> dict[str, object]:
    # The same order number returns the same payment.
    entry = await journal.pay(number, sum=sum, payment_method="sbp", customer_account=phone)
    shown = entry.credentials  # only if the customer can pay now
    return {"standing": entry.standing, "sum": sum, "deeplink": shown.deeplink if shown else None}


@app.post("/orders/{number}/paid", status_code=204)
async def paid(number: str, journal: Journal) -> None:
    entry = await journal.find(number)
    if entry is None or entry.credentials is None:
        raise fastapi.HTTPException(409, "nothing is to be paid")
    await journal.confirm(entry)


# [webhook]
@app.post("/callback/{token}")
async def callback(request: fastapi.Request, journal: Journal) -> fastapi.Response:
    # Uses the raw body and all headers: a parsed and rewritten body does not verify.
    received = await journal.receive_request(request.url.path, await request.body(), request.scope["headers"])
    return fastapi.Response(status_code=received.http_status)


# [/webhook]


@app.exception_handler(merchantpay.InvalidArgumentError)
async def invalid(_: fastapi.Request, error: Exception) -> fastapi.Response:
    return fastapi.Response(str(error), status_code=400)


# [ship]
async def ship_paid(journal: merchantpay.AsyncJournal) -> None:
    """Ships paid orders. After a crash an entry comes again, so shipping an order twice must have the effect of once."""
    await journal.settle()
    for entry in await journal.news():
        if entry.succeeded:  # exactly the requested sum was paid
            with contextlib.closing(connect()) as database, database:
                database.execute("INSERT INTO shipments (number) VALUES (?) ON CONFLICT DO NOTHING", [entry.reference])
        await journal.acknowledge(entry)


# [/ship]


async def main(command: str) -> None:
    async with open_journal(create=command == "tables") as journal:
        if command == "tables":
            with contextlib.closing(connect()) as database:
                database.executescript(TABLES)
        while command == "worker":
            await ship_paid(journal)
            await asyncio.sleep(1)


if __name__ == "__main__":
    asyncio.run(main(sys.argv[1]))
