"""Acknowledges and ships in one transaction of the shop, for shops that use SQLAlchemy, Django or asyncpg. The journal and the table
`shipments` are in one database. shop.py does the same with psycopg."""

import asyncpg
import merchantpay
import sqlalchemy
from django.db import connections, transaction


# [sqlalchemy]
def act_with_sqlalchemy(engine: sqlalchemy.Engine, entry: merchantpay.Entry) -> None:
    text, parameters = entry.acknowledge_sql("colon")
    with engine.begin() as database:
        if database.execute(sqlalchemy.text(text), parameters).rowcount == 0:
            return  # another worker was first, or there are newer news
        if entry.succeeded:
            database.execute(sqlalchemy.text("INSERT INTO shipments (number) VALUES (:number)"), {"number": entry.reference})


# [/sqlalchemy]


# [django]
def act_with_django(using: str, entry: merchantpay.Entry) -> None:
    with transaction.atomic(using=using), connections[using].cursor() as cursor:
        cursor.execute(*entry.acknowledge_sql("percent"))
        if cursor.rowcount == 0:
            return  # another worker was first, or there are newer news
        if entry.succeeded:  # this can also be Order.objects.using(using)…
            cursor.execute("INSERT INTO shipments (number) VALUES (%s)", [entry.reference])


# [/django]


# [asyncpg]
async def act_with_asyncpg(pool: asyncpg.Pool, entry: merchantpay.Entry) -> None:
    text, parameters = entry.acknowledge_sql("dollar")
    async with pool.acquire() as database, database.transaction():
        if await database.execute(text, *parameters) == "UPDATE 0":
            return  # another worker was first, or there are newer news
        if entry.succeeded:
            await database.execute("INSERT INTO shipments (number) VALUES ($1)", entry.reference)


# [/asyncpg]
