"""Tests a journal's connections to a real database: their number, the wait for a connection, and a server that
changes."""

import contextlib
import sys
import threading

import merchantpay
import places
import pytest
from merchantpay._database import FAILED, Database
from own_sandbox import SETTINGS, merchant, until

NEW = {"sum": "10", "payment_method": "sbp", "customer_account": "79001234567"}
WAITING = "SELECT COUNT(*) FROM pg_stat_activity WHERE datname = current_database() AND wait_event_type = 'Lock'"


@pytest.fixture
def shop():
    with merchant() as (control, client):
        yield control, client


def wait_for_a_connection(threads):
    """The number of threads that wait for a connection from the pool."""
    frames = sys._current_frames()
    codes = [frames[thread.ident].f_code for thread in threads if thread.ident in frames]
    return sum(code.co_name == "wait" and code.co_filename == threading.__file__ for code in codes)


@pytest.mark.parametrize("kind", [places.Psycopg, places.Psycopg2])
@pytest.mark.parametrize("settings, most", [({}, 20), ({"max_connections": 3}, 3)])
def test_sixty_threads_pay_over_no_more_connections_than_allowed(shop, tmp_path, kind, settings, most):
    place, made, entries = kind(tmp_path), [], []

    def connect():
        made.append(place.connect())
        return made[-1]

    def work(number):
        entries.append(journal.pay(f"order-{number}", **NEW))

    with place.journal(shop[1], connect, **SETTINGS, **settings) as journal:
        threads = [threading.Thread(target=work, args=[number]) for number in range(60)]
        with contextlib.closing(place.connect()) as lock:
            lock.cursor().execute("LOCK TABLE merchantpay_journal")
            for thread in threads:
                thread.start()
            # Waits until every thread is blocked: either its statement waits for the lock, or the thread waits
            # for a connection.
            until(lambda: place.run(WAITING) == [(most,)] and wait_for_a_connection(threads) == 60 - most)
            assert len(made) == most
            lock.rollback()
        for thread in threads:
            thread.join()
        assert len(made) == most
    assert {entry.standing.value for entry in entries} == {"open"} and len({entry.order_id for entry in entries}) == 60


def test_a_statement_waits_no_longer_than_it_may_and_a_connection_that_fails_makes_room(tmp_path):
    place, fail = places.Psycopg(tmp_path), False

    def connect():
        if fail:
            raise RuntimeError("no way")
        return place.connect()

    database = Database(connect, None, 1, 0)
    with contextlib.closing(place.connect()) as lock:
        lock.cursor().execute("CREATE TABLE shop ()")
        lock.commit()
        lock.cursor().execute("LOCK TABLE shop")
        answers = []
        thread = threading.Thread(target=lambda: answers.append(database.run("SELECT COUNT(*) FROM shop", [])))
        thread.start()
        until(lambda: place.run(WAITING) == [(1,)])
        effect, _, _, why, _ = database.run("SELECT 1", [])
        assert (effect, why) == (FAILED, "none of the 1 connections was free within 0 s")
        lock.rollback()
    thread.join()
    assert answers[0][1] == [["0"]]
    place.kill()
    fail = True
    assert database.run("SELECT 1", [])[3] == "RuntimeError: no way"
    fail = False
    assert database.run("SELECT 1", [])[1] == [["1"]]
    database.close()


@pytest.mark.parametrize("kind", [places.Psycopg, places.PyMySQL])
def test_a_changed_server_is_shown_until_an_operator_has_seen_it(shop, tmp_path, kind):
    place = kind(tmp_path)
    with place.journal(shop[1], **SETTINGS) as journal:
        now = journal.stats().server
        assert now and journal.attention() == []
        place.run("UPDATE merchantpay_journal_settings SET value = 'the old one' WHERE name = 'server'")
        (change,) = journal.attention()
        assert isinstance(change, merchantpay.ServerChange) and (change.before, change.now) == ("the old one", now)
        stats = journal.stats()
        assert (stats.server_before, stats.attention, stats.reasons) == ("the old one", 1, {"server_changed": 1})
        for wrong in ({"no_payment": True}, {"order_id": "o-1"}):
            with pytest.raises(merchantpay.InvalidArgumentError, match="a changed server accepts only seen=True"):
                journal.resolve(change, note="failover", **wrong)
        assert journal.resolve(change, note="failover", seen=True) is None
        assert journal.attention() == [] and journal.stats().server_before is None
