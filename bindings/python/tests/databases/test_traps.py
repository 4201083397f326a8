"""Tests, with each driver, that the journal handles faults and unsafe settings of a real database."""

import gc
import os
import signal
import threading
import time
from concurrent.futures import ThreadPoolExecutor

import merchantpay
import places
import pytest
from own_sandbox import SETTINGS, merchant

NEW = {"sum": "10", "payment_method": "sbp", "customer_account": "79001234567"}


@pytest.fixture
def shop():
    with merchant() as (control, client):
        yield control, client


@pytest.fixture(params=places.SERVERS)
def place(request, tmp_path):
    return request.param(tmp_path)


@pytest.fixture
def journal(shop, place):
    with place.journal(shop[1], **SETTINGS) as journal:
        yield journal


def requests(shop, operation="newPayment"):
    return shop[0]("GET", "")["requests"].get(operation, 0)


def refused(error, message):
    assert (error.code, error.outcome) == ("storage", "not_sent") and message in error.message, error


def begun(place, **others):
    """A connection with an open transaction."""
    connection = place.connect(**others)
    cursor = connection.cursor()
    if isinstance(place, places.Mariadb):
        cursor.execute("BEGIN")
    cursor.execute("SELECT 1")
    cursor.fetchall()
    return connection


def test_a_connection_within_a_transaction_sends_nothing(shop, place, journal):
    connections = []

    def connect():
        connections.append(begun(place))
        return connections[-1]

    with pytest.raises(merchantpay.StorageError) as raised:
        merchantpay.Journal(shop[1], connect, **SETTINGS)
    refused(raised.value, "in a transaction: give the journal connections of its own")

    assert journal.find("order") is None and requests(shop) == 0
    assert journal.pay("order", **NEW).credentials is not None


def test_a_transaction_that_is_begun_later_sends_nothing(shop, place, journal):
    """The program uses the journal's only connection too."""
    kept = place.connect()
    with merchantpay.Journal(shop[1], lambda: kept, **SETTINGS) as within:
        cursor = kept.cursor()
        cursor.execute("BEGIN")
        cursor.execute("SELECT 1")
        cursor.fetchall()
        with pytest.raises(merchantpay.StorageError) as raised:
            within.pay("order", **NEW)
        refused(raised.value, "in a transaction: give the journal connections of its own")
        cursor.execute("ROLLBACK")
        assert requests(shop) == 0 and journal.find("order") is None
        assert within.pay("order", **NEW).credentials is not None
        assert journal.pay("order", **NEW).attempt == 1 and requests(shop) == 1


def test_a_connection_with_autocommit_off_is_put_right(shop, place, journal):
    def connect():
        connection = place.connect()
        if isinstance(place, places.Mariadb):
            connection.autocommit(False)
        else:
            connection.autocommit = False
        return connection

    with merchantpay.Journal(shop[1], connect, **SETTINGS) as other:
        entry = other.pay("order", **NEW)
    assert journal.pay("order", **NEW).order_id == entry.order_id and requests(shop) == 1


@pytest.mark.parametrize("kind", [places.Psycopg, places.Psycopg2])
def test_a_connection_that_can_only_read_is_refused(shop, tmp_path, kind):
    place = kind(tmp_path)
    place.journal(shop[1], **SETTINGS).close()
    with pytest.raises(merchantpay.StorageError) as raised:
        merchantpay.Journal(shop[1], lambda: place.connect(options="-c default_transaction_read_only=on"), **SETTINGS)
    refused(raised.value, "the database can only be read")


@pytest.mark.parametrize("kind", [places.PyMySQL, places.Mysqlclient])
def test_a_mariadb_that_cuts_texts_is_refused(shop, tmp_path, kind):
    place = kind(tmp_path)
    place.journal(shop[1], **SETTINGS).close()
    with pytest.raises(merchantpay.StorageError) as raised:
        merchantpay.Journal(shop[1], lambda: place.connect(sql_mode="NO_ENGINE_SUBSTITUTION"), **SETTINGS)
    refused(raised.value, "the database would shorten long texts")


@pytest.mark.parametrize("kind, flag", [(places.PyMySQL, 0), (places.PyMySQL, 2), (places.Mysqlclient, 0), (places.Mysqlclient, 2)])
def test_counts_of_found_or_of_changed_rows_change_nothing(shop, tmp_path, kind, flag):
    place = kind(tmp_path)
    # With the flag 2, CLIENT_FOUND_ROWS, the server counts found rows, not changed rows.
    with place.journal(shop[1], lambda: place.connect(client_flag=flag), **SETTINGS) as one, place.journal(shop[1], **SETTINGS) as other:
        entry = one.confirm(one.pay("order", **NEW))
        assert other.pay("order", **NEW).order_id == entry.order_id
        webhook = shop[0].webhook("order", "status")
        for journal in (one, other):
            assert journal.receive(webhook["url"], webhook["body"], webhook["request"]["signature"]).http_status == 200
        news = one.news()
        assert len(news) == 1 and other.news() == []
        assert one.acknowledge(news[0]) is True and other.acknowledge(news[0]) is False
    assert requests(shop) == 1


def test_a_connection_that_gives_other_rows_and_prepares_is_put_right(shop, tmp_path):
    import MySQLdb.cursors
    import psycopg.rows
    import psycopg2.extras
    import pymysql.cursors

    for kind, others in (
        (places.Psycopg, {"row_factory": psycopg.rows.dict_row, "prepare_threshold": 0}),
        (places.Pgbouncer, {"prepare_threshold": 0}),
        (places.Psycopg2, {"cursor_factory": psycopg2.extras.RealDictCursor}),
        (places.PyMySQL, {"cursorclass": pymysql.cursors.DictCursor, "charset": "latin1"}),
        (places.Mysqlclient, {"cursorclass": MySQLdb.cursors.DictCursor, "charset": "latin1"}),
    ):
        place = kind(tmp_path)
        with place.journal(shop[1], lambda p=place, o=others: p.connect(**o), **SETTINGS) as journal:
            reference = f"заказ {kind.__name__}"
            entry = journal.pay(reference, **NEW)
            # The threads make the journal open more than one connection through pgbouncer.
            with ThreadPoolExecutor(4) as pool:
                assert all(pool.map(journal.find, [reference] * 32))
            assert journal.find(reference).order_id == entry.order_id and entry.standing == "open"


def test_connections_that_are_killed_all_the_time_pay_once_and_lose_nothing(shop, place, journal):
    end = threading.Event()

    def kill():
        while not end.wait(0.15):
            place.kill()

    killer = threading.Thread(target=kill)
    killer.start()
    entries, errors = [], []

    def work(worker):
        for number in range(8):
            # Two workers pay the same order.
            reference = f"order-{worker // 2}-{number}"
            try:
                entries.append(journal.confirm(journal.pay(reference, **NEW)))
            except merchantpay.Error as error:
                errors.append(error)

    workers = [threading.Thread(target=work, args=[worker]) for worker in range(4)]
    [worker.start() for worker in workers]
    [worker.join() for worker in workers]
    end.set()
    killer.join()
    # A repeated `pay` has returned the same payment, so each order has at most one payment.
    references = [f"order-{pair}-{number}" for pair in range(2) for number in range(8)]
    payments = {payment["merchantId"]: payment["orderId"] for payment in shop[0]("GET", "/payments?limit=500")["payments"]}
    assert len(payments) == requests(shop) <= len(references)
    for reference in references:
        entry = journal.find(reference)
        if reference in payments:
            assert entry.order_id == payments[reference] or entry.standing in ("sending", "unknown"), entry
        else:
            assert entry is None or entry.standing in ("sending", "unknown", "refused"), entry
    for error in errors:
        # While another worker's call is running, there is no order id to confirm yet.
        assert error.code in ("storage", "invalid_argument"), error
    assert entries


def test_connections_that_were_idle_when_they_were_killed_are_replaced(shop, place, journal):
    entry = journal.pay("order", **NEW)
    barrier = threading.Barrier(4)
    threads = [threading.Thread(target=lambda: (barrier.wait(), journal.list())) for _ in range(4)]
    [thread.start() for thread in threads]
    [thread.join() for thread in threads]
    for use in (lambda: journal.find("order"), lambda: journal.confirm(entry), lambda: journal.pay("order", **NEW)):
        place.kill()
        assert use().order_id == entry.order_id
    place.kill()
    assert journal.acknowledge(entry) is True
    place.kill()
    assert journal.pay("another", **NEW).attempt == 1 and requests(shop) == 2


def test_a_forked_child_opens_its_own_connection(shop, place, journal):
    entry = journal.pay("order", **NEW)

    def connections():
        if isinstance(place, places.Mariadb):
            return place.run("SELECT COUNT(*) FROM information_schema.processlist WHERE db = database()")[0][0]
        return place.run("SELECT COUNT(*) FROM pg_stat_activity WHERE datname = current_database()")[0][0]

    before = connections()
    children = []
    for number in range(4):
        child = os.fork()
        if child == 0:
            status = 1
            try:
                good = journal.pay("order", **NEW).order_id == entry.order_id and journal.pay(f"child-{number}", **NEW).attempt == 1
                status = 0 if good else 2
                # The child frees the inherited connection, as at the end of an interpreter, but does not close
                # it.
                journal.close()
                gc.collect()
            finally:
                os._exit(status)
        children.append(child)
        assert journal.find("order").order_id == entry.order_id
    assert [os.waitpid(child, 0)[1] for child in children] == [0] * 4
    # The parent still uses its old connection, and has made no new connection.
    assert journal.find("order").order_id == entry.order_id
    if not isinstance(place, places.Pgbouncer):
        assert connections() == before
    assert requests(shop) == 5


def transaction(place):
    connection = place.connect()
    if isinstance(place, places.Mariadb):
        connection.autocommit(False)
    return connection


def test_two_workers_that_acknowledge_first_ship_once(shop, place, journal):
    entry = journal.pay("order", **NEW)
    place.run("CREATE TABLE shipped (reference VARCHAR(120))")
    barrier, said = threading.Barrier(4), []

    def work():
        connection = transaction(place)
        barrier.wait()
        try:
            assert journal.acknowledge(entry, connection) is True
            connection.cursor().execute("INSERT INTO shipped (reference) VALUES ('order')")
            connection.commit()
            said.append("shipped")
        except merchantpay.ConflictError as error:
            connection.rollback()
            said.append(error.code)
        finally:
            connection.close()

    workers = [threading.Thread(target=work) for _ in range(4)]
    [worker.start() for worker in workers]
    [worker.join() for worker in workers]
    assert sorted(said) == sorted(["shipped"] + ["conflict"] * 3)
    assert place.run("SELECT COUNT(*) FROM shipped") == [(1,)] and journal.news() == []


def test_a_worker_that_is_killed_before_it_commits_has_shipped_nothing(shop, place, journal):
    entry = journal.pay("order", **NEW)
    place.run("CREATE TABLE shipped (reference VARCHAR(120))")
    read, write = os.pipe()
    child = os.fork()
    if child == 0:
        try:
            connection = transaction(place)
            journal.acknowledge(entry, connection)
            connection.cursor().execute("INSERT INTO shipped (reference) VALUES ('order')")
            os.write(write, b"x")
            time.sleep(60)
        finally:
            os._exit(1)
    assert os.read(read, 1) == b"x"
    os.kill(child, signal.SIGKILL)
    os.waitpid(child, 0)
    os.close(read), os.close(write)
    # The dead worker's transaction is rolled back, and the next worker gets the news.
    connection = transaction(place)
    (news,) = journal.news()
    assert news.reference == "order" and journal.acknowledge(news, connection)
    connection.cursor().execute("INSERT INTO shipped (reference) VALUES ('order')")
    connection.commit()
    connection.close()
    assert place.run("SELECT COUNT(*) FROM shipped") == [(1,)] and journal.news() == []


def test_acknowledging_needs_a_transaction_on_the_journals_database(shop, place, journal, tmp_path):
    entry = journal.pay("order", **NEW)
    connection = place.connect()
    if isinstance(place, places.Mariadb):
        connection.autocommit(True)
    else:
        connection.autocommit = True
    with pytest.raises(merchantpay.InvalidArgumentError, match="in autocommit: begin a transaction first"):
        journal.acknowledge(entry, connection)
    connection.cursor().execute("BEGIN")
    assert journal.acknowledge(entry, connection) is True
    connection.cursor().execute("ROLLBACK")
    connection.close()
    other = places.Sqlite(tmp_path).connect()
    with pytest.raises(merchantpay.InvalidArgumentError, match="the connection belongs to a sqlite database, but the journal is in a"):
        journal.acknowledge(entry, other)
    other.close()
    assert journal.acknowledge(entry) is True


@pytest.mark.parametrize("kind", [kind for kind in places.SERVERS if kind is not places.Pgbouncer])
def test_a_factory_that_fails_sends_nothing_and_its_text_has_no_secret(shop, tmp_path, kind):
    place, fail = kind(tmp_path), False

    def connect():
        if fail:
            raise RuntimeError("no way to shop:hunter2 at postgresql://shop:hunter2@db/shop password='hunter2'\nDETAIL: hunter2")
        return place.connect()

    with place.journal(shop[1], connect, **SETTINGS) as broken:
        # This ends the journal's connection. pgbouncer would keep the connection open, so this test does not use
        # pgbouncer.
        place.kill()
        fail = True
        begun = time.monotonic()
        with pytest.raises(merchantpay.StorageError) as raised:
            broken.pay("order", **NEW)
        assert time.monotonic() - begun < 5
    error = raised.value
    assert error.outcome == "not_sent" and error.is_transient and requests(shop) == 0
    assert "RuntimeError: no way to" in error.message and "postgresql://shop:***@db/shop password=***" in error.message
    assert "DETAIL" not in str(error) and isinstance(error.__cause__, RuntimeError)
