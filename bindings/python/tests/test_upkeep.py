"""Tests the methods of a journal for an operator, with and without asyncio. tests/contract tests their effects
in every language."""

import asyncio
import contextlib
import json
import pathlib
from datetime import datetime, timedelta, timezone

import merchantpay
import pytest
from conftest import run_sandbox
from own_sandbox import SETTINGS, Control, merchant, until
from test_deadlines import NEW

FUTURE = datetime(2100, 1, 1, tzinfo=timezone.utc)
NOWHERE = pathlib.Path("/nowhere/copy.db").absolute()  # On Windows an absolute path needs a drive.


@pytest.fixture(scope="module")
def shop():
    with merchant() as (control, client):
        yield control, client


@pytest.fixture
def journal(shop, tmp_path):
    with merchantpay.Journal(shop[1], tmp_path / "payments.db", create=True, **SETTINGS) as journal:
        yield journal


@contextlib.contextmanager
def not_sent(error, message):
    with pytest.raises(error, match=message) as refused:
        yield refused
    assert refused.value.outcome == "not_sent"


def test_stats_have_types_and_a_pause_its_time(journal):
    stats = journal.stats()
    assert (stats.attention, stats.due, stats.overdue, stats.pause_note, stats.paused_at) == (0, 0, None, None, None)
    assert (stats.estimated, stats.reasons, stats.durability_vouched) == (False, {}, [])
    assert stats.server is None and stats.server_before is None
    journal.pay("order", **NEW)
    journal.pause("db2 – Иван")
    stats = journal.stats()
    assert stats.standings["open"] == 1 and stats.pause_note == "db2 – Иван"
    assert timedelta() <= datetime.now(timezone.utc) - stats.paused_at < timedelta(hours=1)
    assert json.loads(stats.json)["pause"]["note"] == "db2 – Иван" and stats.json in repr(stats)


@pytest.mark.parametrize(
    "call, error, message",
    [
        (lambda j: j.purge(datetime(2026, 1, 1)), merchantpay.InvalidArgumentError, "before must be a datetime with a time zone"),
        (lambda j: j.purge(datetime(1969, 12, 31, tzinfo=timezone.utc)), merchantpay.InvalidArgumentError, "milliseconds since 1970"),
        (lambda j: j.forget("nobody"), merchantpay.InvalidArgumentError, "no such entry"),
        (lambda j: j.import_line("{}"), merchantpay.InvalidArgumentError, "not written by export"),
        (lambda j: j.pause(" "), merchantpay.InvalidArgumentError, "note"),
        (lambda j: j.resume("x" * 501), merchantpay.InvalidArgumentError, "note"),
        (lambda j: j.backup("copy.db"), merchantpay.InvalidArgumentError, "absolute"),
        (lambda j: j.backup(NOWHERE), merchantpay.StorageError, "copy.db"),
    ],
)
def test_a_wrong_value_is_refused_with_an_outcome(journal, call, error, message):
    with not_sent(error, message):
        call(journal)


@pytest.mark.parametrize(
    "call, message",
    [
        (lambda j: j.purge(0), "before must be datetime, not int"),
        (lambda j: j.purge(FUTURE.timetz()), "before must be datetime, not time"),
        (lambda j: j.forget(7), "reference must be str, not int"),
        (lambda j: j.import_line(b"{}"), "line must be str, not bytes"),
        (lambda j: j.pause(None), "note must be str, not NoneType"),
        (lambda j: j.backup(7), "file must be str or os.PathLike, not int"),
    ],
)
def test_a_value_of_another_type_is_a_type_error(journal, call, message):
    with pytest.raises(TypeError, match=message):
        call(journal)


def test_an_export_is_an_iterator_that_outlives_its_journal(shop, tmp_path):
    with merchantpay.Journal(shop[1], tmp_path / "a.db", create=True, **SETTINGS) as journal:
        for number in range(3):
            journal.pay(f"order-{number}", **NEW)
        lines = journal.export_lines()
        assert iter(lines) is lines
        first = next(lines)
    rest = list(lines)
    assert [json.loads(line)["reference"] for line in (first, *rest)] == ["order-0", "order-1", "order-2"]
    assert list(lines) == []
    with merchantpay.Journal(shop[1], tmp_path / "b.db", create=True, account="another", **SETTINGS) as journal:
        with not_sent(merchantpay.InvalidArgumentError, "another account"):
            journal.import_line(first)


def test_a_closed_journal_refuses_an_operator(shop, tmp_path):
    journal = merchantpay.Journal(shop[1], tmp_path / "payments.db", create=True, **SETTINGS)
    journal.close()
    for call in (
        lambda: journal.stats(),
        lambda: journal.purge(FUTURE),
        lambda: journal.forget("order"),
        lambda: journal.export_lines(),
        lambda: journal.import_line("{}"),
        lambda: journal.pause("why"),
        lambda: journal.resume("why"),
        lambda: journal.backup(tmp_path / "copy.db"),
    ):
        with not_sent(merchantpay.InvalidArgumentError, "the journal is closed"):
            call()


def test_max_connections_belongs_to_a_database_and_is_a_positive_number(shop, tmp_path):
    for most, error, message in (
        (2, merchantpay.InvalidArgumentError, "max_connections is allowed only with a function that returns connections"),
        ("2", TypeError, "max_connections must be int, not str"),
    ):
        with pytest.raises(error, match=message):
            merchantpay.Journal(shop[1], tmp_path / "payments.db", create=True, max_connections=most)
    for most in (0, -1):
        with not_sent(merchantpay.InvalidArgumentError, "max_connections"):
            merchantpay.Journal(shop[1], lambda: None, max_connections=most)


def test_asyncio_has_the_same_methods(tmp_path, monkeypatch):
    async def main():
        async with (
            merchantpay.AsyncClient.from_env(timeout=15) as client,
            merchantpay.AsyncJournal(client, tmp_path / "payments.db", create=True, timeout=15) as journal,
            merchantpay.AsyncJournal(client, tmp_path / "copy.db", create=True, timeout=15) as copy,
        ):
            # The export has more lines than one call reads.
            references = [f"order-{number:03}" for number in range(205)]
            for reference in references:
                await journal.pay(reference, **NEW)
            await journal.pause("moving")
            lines = [line async for line in journal.export_lines()]
            assert [json.loads(line)["reference"] for line in lines] == references
            assert [await copy.import_line(line) for line in lines[:2]] == [True, True]
            assert (await copy.stats()).standings["open"] == 2
            with not_sent(merchantpay.InvalidArgumentError, "cannot be deleted yet"):
                await journal.forget(references[0])
            assert await journal.purge(FUTURE) == 0
            await journal.backup(tmp_path / "backup.db")
            await journal.resume("moved")
            assert (await journal.pay("another", **NEW)).credentials
            async for _ in journal.export_lines():
                break
        with not_sent(merchantpay.InvalidArgumentError, "the journal is closed"):
            _ = [line async for line in journal.export_lines()]

    with run_sandbox("--pace-ms", "0") as settings:
        for name, value in settings.items():
            monkeypatch.setenv(name, value)
        asyncio.run(main())


def test_a_pause_waits_for_a_payment_that_is_under_way(tmp_path, monkeypatch):
    """The test also checks that `forget` refuses an order with a running payment."""

    async def main(control):
        async with (
            merchantpay.AsyncClient.from_env(timeout=60) as client,
            merchantpay.AsyncJournal(client, tmp_path / "payments.db", create=True, timeout=60) as journal,
        ):
            outside = asyncio.get_running_loop().run_in_executor
            paid = asyncio.ensure_future(journal.pay("order", **{**NEW, "customer_account": "slow-credentials"}))
            await outside(None, lambda: until(lambda: control("GET", "/payments")["payments"]))
            with not_sent(merchantpay.InvalidArgumentError, "attempt 1 of this reference cannot be deleted yet"):
                await journal.forget("order")
            paused = asyncio.ensure_future(journal.pause("looking"))
            while (await journal.stats()).pause_note is None:
                await asyncio.sleep(0.01)
            with not_sent(merchantpay.StorageError, "the journal is paused, and nothing was sent: looking") as refused:
                await journal.pay("another", **NEW)
            assert refused.value.is_transient and not paused.done()
            await outside(None, lambda: control("POST", "/clock", {"advanceMs": 8000}))
            await paused
            assert (await paid).order_id
            with not_sent(merchantpay.StorageError, "the journal is paused"):
                await journal.news()

    with run_sandbox("--clock", "manual") as settings:
        for name, value in settings.items():
            monkeypatch.setenv(name, value)
        asyncio.run(main(Control(settings)))
