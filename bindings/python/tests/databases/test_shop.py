"""Runs the example's shop under gunicorn with 8 workers, and two shipping workers. All workers are killed
during their work."""

import contextlib
import html
import http.client
import os
import pathlib
import re
import signal
import socket
import subprocess
import sys
import threading
import time
import urllib.parse

import merchantpay
import places
import pytest
from merchantpay.testing import Sandbox
from own_sandbox import until

EXAMPLES = pathlib.Path(__file__).resolve().parents[4] / "examples" / "python"
CUSTOMERS = 24
PATIENCE = 120
FORM = "application/x-www-form-urlencoded"


def free_port():
    with socket.socket() as listener:
        listener.bind(("127.0.0.1", 0))
        return listener.getsockname()[1]


class Shop:
    def __init__(self, place, settings):
        self.port = free_port()
        database = f"host={places.POSTGRESQL} user=shop dbname={place.name}"
        url = f"http://127.0.0.1:{self.port}"
        self.environment = {**os.environ, **settings, "SHOP_DATABASE": database, "SHOP_URL": url, "PYTHONUNBUFFERED": "1"}

    def start(self, *command):
        return subprocess.Popen([sys.executable, *command], cwd=EXAMPLES, env=self.environment, start_new_session=True)

    def serve(self):
        server = self.start("-m", "gunicorn", "--workers", "8", "--bind", f"127.0.0.1:{self.port}", "--log-level", "error", "shop:app")
        until(lambda: self.answers())
        return server

    def answers(self):
        with contextlib.suppress(OSError, http.client.HTTPException):
            return self.get("/")[0] == 200
        return False

    def work(self):
        return self.start("shop.py", "worker")

    def request(self, method, path, form=None):
        connection = http.client.HTTPConnection("127.0.0.1", self.port, timeout=20)
        try:
            body = None if form is None else urllib.parse.urlencode(form)
            connection.request(method, path, body, {"Content-Type": FORM})
            reply = connection.getresponse()
            return reply.status, reply.getheader("Location"), reply.read().decode()
        finally:
            connection.close()

    def get(self, path):
        return self.request("GET", path)

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
def shop(tmp_path):
    with Sandbox(step=0.02) as sandbox:
        place = places.Psycopg(tmp_path)
        shop = Shop(place, sandbox.environment)
        for _ in range(2):
            assert shop.start("shop.py", "tables").wait() == 0
        yield shop, place, sandbox


def test_a_customer_sees_where_to_pay_and_that_it_is_paid(shop):
    shop, place, _ = shop
    with running(shop.serve(), shop.work()):
        status, location, _ = shop.request("POST", "/orders", {"sum": "1500.50"})
        assert status == 303 and "Pay 1500.50" in shop.get(location)[2]
        assert shop.get("/orders/order-0")[0] == 404
        assert shop.request("POST", location + "/pay", {"phone": ""})[0] == 400
        for _ in range(2):
            assert shop.request("POST", location + "/pay", {"phone": "79001234567"})[:2] == (303, location)
        page = until(lambda: (page := shop.get(location)[2]) and "I have paid" in page and page)
        assert page.count("<svg") == 1 and "exactly <strong>" not in page and "exactly 1500.50 ₽" in html.unescape(page)
        assert re.search(r'<a class="button" href="http[^"]+"', page) and "http-equiv" in page
        assert shop.request("POST", location + "/paid")[0] == 303
        page = until(lambda: (page := shop.get(location)[2]) and "on its way" in page and page)
        assert "<svg" not in page and "http-equiv" not in page
        assert until(lambda: place.run("SELECT number FROM shipments")) == [(location.rsplit("/", 1)[1],)]


def test_a_worker_goes_on_after_a_restart_of_postgresql_and_ends_where_the_tables_are_missing(shop, monkeypatch):
    shop, place, _ = shop
    for name, value in shop.environment.items():
        monkeypatch.setenv(name, value)
    shipped = []
    with merchantpay.Client.from_env() as client, merchantpay.Journal(client, place.connect) as journal, running(worker := shop.work()):
        for reference in ("order-1", "order-2"):
            journal.pay(reference, sum="1500.50", payment_method="sbp", customer_account="79001234567")
            until(lambda reference=reference: journal.find(reference).acknowledged == "credentials")
            places.restart_postgresql()
            journal.confirm(until(lambda reference=reference: find(journal, reference)))
            shipped.append((reference,))
            until(lambda: place.run("SELECT number FROM shipments ORDER BY number") == shipped)
        assert worker.poll() is None
    place.run("DROP TABLE merchantpay_journal, merchantpay_orphans, merchantpay_journal_settings")
    ended = subprocess.run([sys.executable, "shop.py", "worker"], cwd=EXAMPLES, env=shop.environment, stderr=subprocess.PIPE, text=True)
    assert ended.returncode == 1 and "`merchantpay journal schema postgresql`" in ended.stderr


def find(journal, reference):
    with contextlib.suppress(merchantpay.StorageError):
        return journal.find(reference)


def test_gunicorn_and_workers_that_are_killed_ship_each_paid_order_once(shop, tmp_path):
    shop, place, sandbox = shop
    with running(shop.serve(), shop.work(), shop.work()) as processes:
        end = threading.Event()

        def kill():
            for turn in range(1000):
                if end.wait(0.7):
                    return
                if turn % 3 == 0:
                    # Kills one of gunicorn's worker processes. gunicorn replaces it.
                    children = subprocess.run(["pgrep", "-P", str(processes[0].pid)], capture_output=True, text=True).stdout.split()
                    if children:
                        with contextlib.suppress(ProcessLookupError):
                            os.kill(int(children[turn % len(children)]), signal.SIGKILL)
                else:
                    number = turn % 3
                    processes[number].kill()
                    processes[number].wait()
                    processes[number] = shop.work()

        killer = threading.Thread(target=kill)
        killer.start()
        orders, failures = [], []

        def buy(customer, press=None):
            try:
                location = shop.insist("POST", "/orders", {"sum": f"{100 + customer}.50"})[1]
                orders.append(location.rsplit("/", 1)[1])
                account = "payment-fails" if customer % 6 == 0 else "79001234567"
                if press:
                    press(location + "/pay", account)
                shop.insist("POST", location + "/pay", {"phone": account})
                pressed, last = time.monotonic(), time.monotonic() + PATIENCE
                while time.monotonic() < last:
                    page = shop.insist("GET", location)[2]
                    if "I have paid" in page:
                        shop.insist("POST", location + "/paid")
                    elif "on its way" in page or "did not succeed" in page:
                        return
                    elif "Your phone number" in page and time.monotonic() - pressed > 1:
                        # The request was lost when its worker was killed.
                        shop.insist("POST", location + "/pay", {"phone": account})
                        pressed = time.monotonic()
                    time.sleep(0.3)
                # The shop was killed within the call. No customer saw credentials, and an operator must decide.
                assert "Looking for where you can pay" in page, page
            except Exception as error:
                failures.append(error)

        def press_by_wrk(path, account):
            """Plays 32 browsers that press "pay" repeatedly for one order, while the shop's processes are killed."""
            script = tmp_path / "press.lua"
            script.write_text(f'wrk.method = "POST"\nwrk.body = "phone={account}"\nwrk.headers["Content-Type"] = "{FORM}"\n')
            command = ["wrk", "--threads", "2", "--connections", "32", "--duration", "5s", "--latency", "--script", script]
            ran = subprocess.run([*command, f"http://127.0.0.1:{shop.port}{path}"], capture_output=True, text=True, check=True)
            print(ran.stdout)
            assert int(re.search(r"(\d+) requests in", ran.stdout)[1]) > 100, ran.stdout

        customers = [threading.Thread(target=buy, args=[customer]) for customer in range(1, CUSTOMERS)]
        customers.append(threading.Thread(target=buy, args=[CUSTOMERS + 1, press_by_wrk]))
        [customer.start() for customer in customers]
        [customer.join() for customer in customers]
        end.set()
        killer.join()
        assert not failures, failures
        paid = {p["merchantId"] for p in sandbox.payments(limit="500", status="doneSuccess")}
        until(lambda: place.run("SELECT COUNT(*) FROM shipments")[0][0] >= len(paid))
        time.sleep(2)
        shipped = [number for (number,) in place.run("SELECT number FROM shipments")]
        assert sorted(shipped) == sorted(paid) and len(paid) >= CUSTOMERS / 2
        payments = sandbox.payments(limit="500")
        assert len(payments) == len({payment["merchantId"] for payment in payments}) <= CUSTOMERS
        assert {payment["merchantId"] for payment in payments} <= set(orders)
