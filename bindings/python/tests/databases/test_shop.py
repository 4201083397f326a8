"""A shop whose journal is in its own database: it acknowledges in its own transactions, forks after the journal was
opened, and its processes are killed. The servers are those of `with-databases`."""

import asyncio
import concurrent.futures
import contextlib
import html
import http.client
import os
import pathlib
import re
import secrets
import signal
import socket
import subprocess
import sys
import threading
import time
import urllib.parse

import asyncpg
import django
import merchantpay
import psycopg
import pymysql
import pytest
import sqlalchemy
from django.conf import settings as django_settings
from merchantpay.testing import Sandbox
from own_sandbox import SETTINGS, merchant, until

POSTGRESQL, MARIADB = os.environ["MERCHANTPAY_POSTGRESQL"], os.environ["MERCHANTPAY_MARIADB"]
EXAMPLES = pathlib.Path(__file__).resolve().parents[4] / "examples" / "python"
sys.path.append(str(EXAMPLES))
import acknowledge  # noqa: E402

NEW = {"sum": "10", "payment_method": "sbp", "customer_account": "79001234567"}
PATIENCE = 120


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


@pytest.fixture(scope="module")
def client():
    with merchant() as (_, client):
        yield client


@pytest.fixture
def journal(client, place):
    with merchantpay.Journal(client, place.url, create=True, **SETTINGS) as journal:
        yield journal


def driver(place):
    def act(entry):
        with contextlib.closing(place.connect(autocommit=False)) as connection:
            cursor = connection.cursor()
            cursor.execute(*entry.acknowledge_sql("percent"))
            if cursor.rowcount > 0:
                cursor.execute("INSERT INTO shipments (number) VALUES (%s)", [entry.reference])
                connection.commit()

    return act


def framework_sqlalchemy(place):
    engine = sqlalchemy.create_engine(place.sqlalchemy.format(place.name), poolclass=sqlalchemy.NullPool)
    return lambda entry: acknowledge.act_with_sqlalchemy(engine, entry)


def framework_django(place):
    def act(entry):
        try:
            acknowledge.act_with_django(type(place).__name__, entry)
        finally:
            django.db.connections.close_all()

    return act


def driver_asyncpg(place):
    async def act(entry):
        async with asyncpg.create_pool(host=POSTGRESQL, user="shop", database=place.name, min_size=1) as pool:
            await acknowledge.act_with_asyncpg(pool, entry)

    return lambda entry: asyncio.run(act(entry))


EVERYWHERE = [driver, framework_sqlalchemy, framework_django]
SHOPS = [(server, shop) for server in ("Postgresql", "Mariadb") for shop in EVERYWHERE] + [("Postgresql", driver_asyncpg)]


@pytest.mark.parametrize("place, shop", SHOPS, indirect=["place"])
def test_a_shop_acknowledges_in_its_own_transaction_once(journal, place, shop):
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


def test_each_worker_that_is_forked_from_a_preloaded_application_has_a_connection_of_its_own(journal, place):
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
    assert journal.find("preloaded").order_id == order_id
    [os.close(end) for end in (ready, tell, wait, go)]


class Shop:
    """The program examples/python/shop.py with its database and a sandbox."""

    def __init__(self, place, settings):
        with socket.socket() as listener:
            listener.bind(("127.0.0.1", 0))
            self.port = listener.getsockname()[1]
        url = f"http://127.0.0.1:{self.port}"
        self.environment = {**os.environ, **settings, "SHOP_DATABASE": place.url, "SHOP_URL": url, "PYTHONUNBUFFERED": "1"}

    def start(self, *command):
        return subprocess.Popen([sys.executable, *command], cwd=EXAMPLES, env=self.environment, start_new_session=True)

    def serve(self):
        """gunicorn, whose 8 workers are forked after the journal was opened."""
        address = f"127.0.0.1:{self.port}"
        server = self.start("-m", "gunicorn", "--preload", "--workers", "8", "--bind", address, "--log-level", "error", "shop:app")
        self.insist("GET", "/")
        return server

    def work(self):
        return self.start("shop.py", "worker")

    def request(self, method, path, form=None):
        connection = http.client.HTTPConnection("127.0.0.1", self.port, timeout=20)
        try:
            body = None if form is None else urllib.parse.urlencode(form)
            connection.request(method, path, body, {"Content-Type": "application/x-www-form-urlencoded"})
            reply = connection.getresponse()
            return reply.status, reply.getheader("Location"), reply.read().decode()
        finally:
            connection.close()

    def insist(self, method, path, form=None):
        """Plays a customer who presses a button again if the page does not come."""

        def ask():
            with contextlib.suppress(OSError, http.client.HTTPException):
                reply = self.request(method, path, form)
                return reply if reply[0] < 500 else None
            return None

        return until(ask)


@contextlib.contextmanager
def running(*processes):
    processes = list(processes)
    try:
        yield processes
    finally:
        for process in processes:
            with contextlib.suppress(ProcessLookupError):
                os.killpg(process.pid, signal.SIGKILL)
            process.wait()


@pytest.fixture
def shop():
    with Sandbox(step=0.02) as sandbox:
        place = Postgresql()
        shop = Shop(place, sandbox.environment)
        assert shop.start("shop.py", "tables").wait() == 0
        yield shop, place, sandbox


def test_a_customer_sees_where_to_pay_and_that_it_is_paid(shop):
    shop, place, _ = shop
    with running(shop.serve(), shop.work()):
        status, location, _ = shop.request("POST", "/orders", {"sum": "1500.50"})
        assert status == 303 and "Pay 1500.50" in shop.request("GET", location)[2]
        assert shop.request("GET", "/orders/order-0")[0] == 404
        assert shop.request("POST", location + "/pay", {"phone": ""})[0] == 400
        for _ in range(2):
            assert shop.request("POST", location + "/pay", {"phone": "79001234567"})[:2] == (303, location)
        page = until(lambda: (page := shop.request("GET", location)[2]) and "I have paid" in page and page)
        assert page.count("<svg") == 1 and "exactly 1500.50 ₽" in html.unescape(page)
        assert re.search(r'<a class="button" href="http[^"]+"', page) and "http-equiv" in page
        assert shop.request("POST", location + "/paid")[0] == 303
        page = until(lambda: (page := shop.request("GET", location)[2]) and "on its way" in page and page)
        assert "<svg" not in page and "http-equiv" not in page
        assert until(lambda: place.run("SELECT number FROM shipments")) == [(location.rsplit("/", 1)[1],)]


def test_processes_that_are_killed_ship_each_paid_order_once(shop):
    """Also while PostgreSQL restarts."""
    shop, place, sandbox = shop
    with running(shop.serve(), shop.work(), shop.work()) as processes:
        end = threading.Event()

        def kill():
            for turn in range(1000):
                if end.wait(0.7):
                    return
                if turn == 4:
                    with socket.socket(socket.AF_UNIX) as request:
                        request.connect(f"{POSTGRESQL}/restart")
                        assert request.recv(1) == b""
                elif turn % 3 == 0:
                    # gunicorn replaces the worker.
                    children = subprocess.run(["pgrep", "-P", str(processes[0].pid)], capture_output=True, text=True).stdout.split()
                    with contextlib.suppress(ProcessLookupError, IndexError):
                        os.kill(int(children[turn % len(children or [0])]), signal.SIGKILL)
                else:
                    number = turn % 3
                    processes[number].kill()
                    processes[number].wait()
                    processes[number] = shop.work()

        failures = []

        def buy(customer):
            try:
                location = shop.insist("POST", "/orders", {"sum": f"{100 + customer}.50"})[1]
                account = "payment-fails" if customer % 6 == 0 else "79001234567"
                pressed, last = float("-inf"), time.monotonic() + PATIENCE
                while time.monotonic() < last:
                    page = shop.insist("GET", location)[2]
                    if "I have paid" in page:
                        shop.insist("POST", location + "/paid")
                    elif "on its way" in page or "did not succeed" in page:
                        return
                    elif "Your phone number" in page and time.monotonic() - pressed > 1:
                        # Again if the request was lost with its worker.
                        shop.insist("POST", location + "/pay", {"phone": account})
                        pressed = time.monotonic()
                    time.sleep(0.3)
                # The call was killed before its answer, and no customer saw credentials: a person must decide.
                assert "Looking for where you can pay" in page, page
            except Exception as error:
                failures.append(error)

        customers = [threading.Thread(target=buy, args=[customer]) for customer in range(16)]
        killer = threading.Thread(target=kill)
        [thread.start() for thread in (*customers, killer)]
        [customer.join() for customer in customers]
        end.set()
        killer.join()
        assert not failures, failures
        paid = {payment["merchantId"] for payment in sandbox.payments(limit="500", status="doneSuccess")}
        # A killed worker keeps its news for a minute.
        last = time.monotonic() + PATIENCE
        while place.run("SELECT COUNT(*) FROM shipments")[0][0] < len(paid) and time.monotonic() < last:
            time.sleep(0.5)
        time.sleep(2)
        shipped = [number for (number,) in place.run("SELECT number FROM shipments")]
        assert sorted(shipped) == sorted(paid) and len(paid) >= 8
        payments = sandbox.payments(limit="500")
        assert len(payments) == len({payment["merchantId"] for payment in payments})
