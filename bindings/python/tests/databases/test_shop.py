"""A shop whose journal is in its own database: it acknowledges in its own transactions, and forks after the journal was opened. The
servers are those of `with-databases`."""

import asyncio
import concurrent.futures
import contextlib
import html
import http.client
import importlib
import os
import pathlib
import secrets
import signal
import socket
import subprocess
import sys
import urllib.parse

import asyncpg
import django
import merchantpay
import psycopg
import pymysql
import pytest
import sqlalchemy
from conftest import NEW, until
from django.conf import settings as django_settings
from django.db import connections, transaction
from merchantpay.testing import Sandbox

POSTGRESQL, MARIADB = os.environ["MERCHANTPAY_POSTGRESQL"], os.environ["MERCHANTPAY_MARIADB"]
EXAMPLES = pathlib.Path(__file__).resolve().parents[4] / "examples" / "python"
sys.path.append(str(EXAMPLES))
SHIP = "INSERT INTO shipments (number) VALUES "


class Place:
    """A database of its own on one of the servers."""

    def __init__(self):
        self.name = f"python_{secrets.token_hex(8)}"
        self.run(self.create.format(self.name), database=self.first)
        self.url = self.journal.format(self.name)

    def run(self, sql, database=None):
        with contextlib.closing(self.connect(database)) as connection:
            cursor = connection.cursor()
            cursor.execute(sql)
            return list(cursor.fetchall()) if cursor.description else []


class Postgresql(Place):
    first, create = "postgres", "CREATE DATABASE {} TEMPLATE template0"
    journal = "postgresql:///{}?user=shop&host=" + POSTGRESQL
    django = {"ENGINE": "django.db.backends.postgresql", "HOST": POSTGRESQL, "USER": "shop"}
    sqlalchemy = "postgresql+psycopg:///{}?user=shop&host=" + POSTGRESQL
    connections = "SELECT COUNT(*) FROM pg_stat_activity WHERE datname = current_database() AND pid <> pg_backend_pid()"

    def connect(self, database=None, autocommit=True):
        return psycopg.connect(host=POSTGRESQL, user="shop", dbname=database or self.name, autocommit=autocommit)


class Mariadb(Place):
    first, create = "mysql", "CREATE DATABASE {} CHARACTER SET utf8mb4"
    journal = "mysql:///{}?user=root&socket=" + MARIADB
    django = {"ENGINE": "django.db.backends.mysql", "HOST": MARIADB, "USER": "root"}
    sqlalchemy = "mysql+mysqldb://root@/{}?unix_socket=" + MARIADB
    connections = "SELECT COUNT(*) FROM information_schema.processlist WHERE db = database() AND id <> connection_id()"

    def connect(self, database=None, autocommit=True):
        return pymysql.connect(unix_socket=MARIADB, user="root", database=database or self.name, autocommit=autocommit)


@pytest.fixture(scope="module")
def places():
    """One database on each server: Django can be configured only once in a process."""
    places = {kind.__name__: kind() for kind in (Postgresql, Mariadb)}
    databases = {name: {**place.django, "NAME": place.name} for name, place in places.items()}
    django_settings.configure(DATABASES={"default": databases["Postgresql"], **databases})
    django.setup()
    for place in places.values():
        place.run("CREATE TABLE shipments (number VARCHAR(120) PRIMARY KEY)")
    return places


@pytest.fixture(params=["Postgresql", "Mariadb"])
def place(request, places):
    return places[request.param]


@pytest.fixture
def journal(sandbox, client, place, monkeypatch):
    sandbox.set_environment(monkeypatch)
    monkeypatch.setenv("SHOP_DATABASE", place.url)
    monkeypatch.setenv("SHOP_URL", "http://127.0.0.1:9")
    with merchantpay.Journal(client, place.url, create=True, callback_url="http://127.0.0.1:9/callback", timeout=15) as journal:
        yield journal


def driver(place):
    def act(entry):
        with contextlib.closing(place.connect(autocommit=False)) as connection:
            cursor = connection.cursor()
            cursor.execute(*entry.acknowledge_sql("percent"))
            if cursor.rowcount > 0:
                cursor.execute(SHIP + "(%s)", [entry.reference])
                connection.commit()

    return act


def framework_sqlalchemy(place):
    engine = sqlalchemy.create_engine(place.sqlalchemy.format(place.name), poolclass=sqlalchemy.NullPool)

    def act(entry):
        text, parameters = entry.acknowledge_sql("colon")
        with engine.begin() as database:
            if database.execute(sqlalchemy.text(text), parameters).rowcount > 0:
                database.execute(sqlalchemy.text(SHIP + "(:number)"), {"number": entry.reference})

    return act


def framework_django(place):
    def act(entry):
        using = type(place).__name__
        try:
            with transaction.atomic(using=using), connections[using].cursor() as cursor:
                cursor.execute(*entry.acknowledge_sql("percent"))
                if cursor.rowcount > 0:
                    cursor.execute(SHIP + "(%s)", [entry.reference])
        finally:
            connections.close_all()

    return act


def driver_asyncpg(place):
    async def act(entry):
        text, parameters = entry.acknowledge_sql("dollar")
        async with asyncpg.create_pool(host=POSTGRESQL, user="shop", database=place.name, min_size=1) as pool:
            async with pool.acquire() as database, database.transaction():
                if await database.execute(text, *parameters) != "UPDATE 0":
                    await database.execute(SHIP + "($1)", entry.reference)

    return lambda entry: asyncio.run(act(entry))


def shop_of_examples(place):
    return importlib.import_module("shop").act


EVERYWHERE = [driver, framework_sqlalchemy, framework_django]
SHOPS = [(server, shop) for server in ("Postgresql", "Mariadb") for shop in EVERYWHERE] + [
    ("Postgresql", driver_asyncpg),
    ("Postgresql", shop_of_examples),
]


@pytest.mark.parametrize("place, shop", SHOPS, indirect=["place"])
def test_shop_acknowledges_once_in_its_transaction(journal, place, shop):
    act, reference = shop(place), f"order-{shop.__name__}"
    shipped = f"FROM shipments WHERE number = '{reference}'"
    journal.confirm(journal.pay(reference, **NEW))
    journal.wait(reference, timeout=30, until="final")
    [entry] = [entry for entry in journal.news() if entry.reference == reference]
    place.run(f"INSERT INTO shipments (number) VALUES ('{reference}')")
    with pytest.raises(Exception, match="(?i)duplicate"):
        act(entry)
    assert not journal.find(reference).acknowledged
    place.run(f"DELETE {shipped}")
    with concurrent.futures.ThreadPoolExecutor(4) as workers:
        assert list(workers.map(act, [entry] * 4)) == [None] * 4
    assert place.run(f"SELECT COUNT(*) {shipped}") == [(1,)]
    assert journal.find(reference).acknowledged and not journal.acknowledge(entry)


def test_forked_workers_open_own_connections(journal, place):
    order_id = journal.pay("preloaded", **NEW).order_id
    (ready, tell), (wait, go) = os.pipe(), os.pipe()
    workers = []
    for number in range(8):
        worker = os.fork()
        if worker == 0:
            status = 1
            try:
                assert journal.pay("preloaded", **NEW).order_id == order_id and journal.pay(f"forked-{number}", **NEW).attempt == 1
                os.write(tell, b"x")
                os.read(wait, 1)
                assert journal.find(f"forked-{number}").credentials is not None
                journal.close()
                status = 0
            finally:
                os._exit(status)
        workers.append(worker)
    for _ in workers:
        assert os.read(ready, 1) == b"x"
    assert place.run(place.connections) == [(9,)]
    assert journal.find("forked-7").standing == "open"
    os.write(go, bytes(len(workers)))
    assert [os.waitpid(worker, 0)[1] for worker in workers] == [0] * len(workers)
    until(lambda: place.run(place.connections) == [(1,)])
    [os.close(end) for end in (ready, tell, wait, go)]


def test_the_shop_of_examples_ships_a_paid_order():
    place = Postgresql()
    with socket.socket() as listener:
        listener.bind(("127.0.0.1", 0))
        address = f"127.0.0.1:{listener.getsockname()[1]}"

    def request(method, path, **form):
        with contextlib.closing(http.client.HTTPConnection(address, timeout=20)) as connection, contextlib.suppress(ConnectionError):
            connection.request(method, path, urllib.parse.urlencode(form), {"Content-Type": "application/x-www-form-urlencoded"})
            reply = connection.getresponse()
            return reply.status, reply.getheader("Location"), html.unescape(reply.read().decode())

    with contextlib.ExitStack() as ends, Sandbox() as sandbox:
        environment = {**os.environ, **sandbox.environment, "SHOP_DATABASE": place.url, "SHOP_URL": f"http://{address}"}
        # The 8 workers are forked after the journal was opened.
        server = ["-m", "gunicorn", "--preload", "--workers", "8", "--bind", address, "--log-level", "error", "shop:app"]
        for command in (["shop.py", "tables"], server, ["shop.py", "worker"]):
            process = subprocess.Popen([sys.executable, *command], cwd=EXAMPLES, env=environment, start_new_session=True)
            if "tables" in command:
                assert process.wait() == 0
            else:
                ends.callback(process.wait)
                ends.callback(os.killpg, process.pid, signal.SIGKILL)
        status, location, _ = until(lambda: request("POST", "/orders", sum="1500.50"))
        assert status == 303 and "Pay 1500.50" in request("GET", location)[2]
        assert request("POST", location + "/pay", phone="")[0] == 400
        for _ in range(2):
            assert request("POST", location + "/pay", phone="79001234567")[:2] == (303, location)
        page = until(lambda: "I have paid" in (page := request("GET", location)[2]) and page)
        assert page.count("<svg") == 1 and "exactly 1500.50 ₽" in page
        assert request("POST", location + "/paid")[0] == 303
        assert until(lambda: place.run("SELECT number FROM shipments")) == [(location.rsplit("/", 1)[1],)]
