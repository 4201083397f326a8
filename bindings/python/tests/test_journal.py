"""Python's own parts of the journal: types, pickles and threads. tests/contract tests the journal's behaviour."""

import copy
import datetime
import gc
import pickle
import sqlite3
import threading
import time
import weakref
from decimal import Decimal

import merchantpay
import pytest
from own_sandbox import CALLBACK, merchant

NEW = {"sum": "10", "payment_method": "sbp", "customer_account": "79001234567"}


@pytest.fixture(scope="module")
def shop():
    with merchant() as (control, client):
        yield control, client


@pytest.fixture
def journal(shop, tmp_path):
    with merchantpay.Journal(shop[1], tmp_path / "payments.db", create=True, callback_url=CALLBACK, timeout=15) as journal:
        yield journal


def test_an_entry_shows_what_it_is_and_not_whom_the_customer_pays(journal):
    before = datetime.datetime.now(datetime.timezone.utc) - datetime.timedelta(seconds=1)
    entry = journal.pay("order", **NEW)
    assert repr(entry) == (
        f"Entry(reference='order', attempt=1, standing='open', order_id={entry.order_id!r}, reported='credentials', acknowledged='none')"
    )
    assert entry.standing is merchantpay.Standing.OPEN and entry.reported is merchantpay.Level.CREDENTIALS
    assert entry.sum_asked == Decimal("10") and entry.credentials.payee_account not in repr(entry)
    assert before < entry.created_at <= entry.updated_at < entry.due_at and entry.created_at.tzinfo is datetime.timezone.utc
    assert entry.created_at.microsecond % 1000 == 0
    for name in ("reference", "standing", "json"):
        with pytest.raises(AttributeError):
            setattr(entry, name, "x")


def test_an_attempt_is_confirmed_cancelled_and_acknowledged_by_value(journal):
    entry = journal.pay("by value", **NEW)
    for wrong in (("by value", 1, "final"), ("by value", 1, "none"), ("by value", 2, "credentials"), ("other", 1, "credentials")):
        with pytest.raises(merchantpay.InvalidArgumentError):
            journal.acknowledge_by(*wrong)
    assert journal.acknowledge_by("by value", 1, entry.reported)
    assert not journal.acknowledge_by("by value", 1, "credentials")
    assert journal.confirm_by("by value", 1).confirm is merchantpay.Intent.ACCEPTED
    journal.pay("to cancel", **NEW)
    assert journal.cancel_by("to cancel", 1).cancel is merchantpay.Intent.ACCEPTED
    with pytest.raises(merchantpay.InvalidArgumentError):
        journal.confirm_by("to cancel", 2)


def test_an_entry_is_carried_by_pickle_and_goes_on_from_there(journal, shop):
    journal.cancel(journal.pay("order", **NEW))
    journal.pay("order", **NEW, replace=1)
    entry = journal.find("order")
    token = shop[0]("GET", "/webhooks?merchantId=order~2")["webhooks"]
    for again in (pickle.loads(pickle.dumps(entry)), copy.copy(entry), copy.deepcopy(entry)):
        assert again == entry and hash(again) == hash(entry) and again.json == entry.json
        assert [one.json for one in again.earlier] == [one.json for one in entry.earlier] and len(again.earlier) == 1
    assert not any(hook["token"] in repr(pickle.dumps(entry)) for hook in token)
    again = pickle.loads(pickle.dumps(entry))
    assert journal.acknowledge(again) and not journal.acknowledge(again)
    assert journal.confirm(again).confirm is merchantpay.Intent.ACCEPTED
    assert entry != journal.find("order") and entry != entry.json
    with pytest.raises(ValueError, match="cannot read"):
        merchantpay._merchantpay._unpickle("Entry", "{}")


def test_journals_are_not_copied(journal):
    for make in (copy.copy, copy.deepcopy, pickle.dumps):
        with pytest.raises(TypeError, match="Journal cannot be pickled or copied"):
            make(journal)


@pytest.mark.parametrize(
    "call, error, message",
    [
        (lambda j: j.pay(7, **NEW), TypeError, "reference must be str, not int"),
        (lambda j: j.pay("a", **{**NEW, "sum": 1.5}), TypeError, "sum must be Decimal, int or str, not float"),
        (lambda j: j.pay("a", **NEW, replace="1"), TypeError, "replace must be int, not str"),
        (lambda j: j.pay("a", **NEW, replace=-1), merchantpay.InvalidArgumentError, "replace is negative or too large"),
        (lambda j: j.confirm("a"), TypeError, "entry must be Entry, not str"),
        (lambda j: j.wait("a", timeout="1"), TypeError, "timeout must be a number of seconds, not str"),
        (lambda j: j.wait("a", timeout=1, until="paid"), merchantpay.InvalidArgumentError, "until must be one of credentials, final"),
        (lambda j: j.list("paid"), merchantpay.InvalidArgumentError, "standing must be one of sending, unknown"),
        (lambda j: j.list(limit=True), TypeError, "limit must be int, not bool"),
        (lambda j: j.news(claim=-1), merchantpay.InvalidArgumentError, "claim is negative, or longer than this system can wait"),
        (lambda j: j.receive("/x", "{}", "s"), TypeError, "body must be bytes"),
        (lambda j: j.receive(b"/x", b"{}", "s"), TypeError, "path must be str, not bytes"),
        (lambda j: j.resolve(j.pay("r", **NEW), note="x"), merchantpay.InvalidArgumentError, "one of order_id, no_payment and seen"),
        (lambda j: j.resolve(j.pay("r", **NEW), note="x", seen=True, no_payment=True), merchantpay.InvalidArgumentError, "one of"),
        (lambda j: j.acknowledge(j.pay("r", **NEW), object()), merchantpay.InvalidArgumentError, "in its own SQLite file"),
    ],
)
def test_wrong_arguments(journal, call, error, message):
    with pytest.raises(error, match=message):
        call(journal)


@pytest.mark.parametrize(
    "arguments, settings, error, message",
    [
        ((7,), {}, TypeError, "path_or_connect must be str, os.PathLike or a function that returns a connection, not int"),
        (("x.db",), {}, merchantpay.InvalidArgumentError, "must be absolute"),
        (("x.db",), {"create": True}, merchantpay.InvalidArgumentError, "must be absolute"),
        (("x.db",), {"create": 1}, TypeError, "create must be bool"),
        (("x.db",), {"dialect": "sqlite"}, merchantpay.InvalidArgumentError, "dialect is allowed only with a function"),
        (("x.db",), {"timeout": "30"}, TypeError, "timeout must be a number of seconds"),
        (("x.db",), {"callback_url": 7}, TypeError, "callback_url must be str"),
        ((lambda: object(),), {}, merchantpay.InvalidArgumentError, "of builtins.object is not known: give the argument dialect"),
        ((lambda: object(),), {"dialect": "mysql"}, merchantpay.InvalidArgumentError, "the parameter style of the driver is not supported"),
        ((lambda: sqlite3.connect(":memory:"),), {"dialect": "oracle"}, merchantpay.InvalidArgumentError, "dialect must be one of"),
        ((lambda: 1 / 0,), {}, merchantpay.StorageError, "the journal failed: ZeroDivisionError: division by zero"),
    ],
)
def test_wrong_settings(shop, arguments, settings, error, message):
    with pytest.raises(error, match=message) as raised:
        merchantpay.Journal(shop[1], *arguments, **settings)
    if isinstance(raised.value, merchantpay.Error):
        assert raised.value.outcome == "not_sent"
    if "ZeroDivision" in message:
        assert isinstance(raised.value.__cause__, ZeroDivisionError)


def test_a_file_that_is_not_a_journal_is_refused(shop, tmp_path):
    (tmp_path / "other.txt").write_text("a file of another program, which has no tables")
    for file, create, why in [
        (tmp_path / "missing.db", False, "`merchantpay journal init --journal "),
        (tmp_path / "no" / "folder.db", True, "folder.db"),
        (tmp_path, True, "not a regular file"),
        (tmp_path / "other.txt", True, "not a database"),
    ]:
        with pytest.raises(merchantpay.StorageError, match=why) as raised:
            merchantpay.Journal(shop[1], file, create=create)
        assert raised.value.outcome == "not_sent" and not raised.value.is_transient and str(file) in raised.value.message
    assert sorted(path.name for path in tmp_path.iterdir()) == ["other.txt"]


@pytest.mark.parametrize(
    "pragma, setting, refusal",
    [
        ("synchronous = NORMAL", "synchronous", "synchronous is NORMAL (1) and must be FULL (2): "),
        ("journal_mode = MEMORY", "journal_mode", "journal_mode is memory and must be wal: "),
    ],
)
def test_a_setting_that_can_lose_a_payment_is_refused_unless_it_is_vouched_for(shop, tmp_path, pragma, setting, refusal):
    def connect():
        connection = sqlite3.connect(tmp_path / "shop.db", isolation_level=None)
        connection.execute(f"PRAGMA {pragma}")
        return connection

    merchantpay.Journal(shop[1], lambda: sqlite3.connect(tmp_path / "shop.db", isolation_level=None), create=True).close()
    with pytest.raises(merchantpay.StorageError) as refused:
        merchantpay.Journal(shop[1], connect)
    assert refusal in str(refused.value) and f"durability_vouched={setting} accepts this risk" in str(refused.value)
    assert refused.value.outcome is merchantpay.Outcome.NOT_SENT and not refused.value.is_transient
    with merchantpay.Journal(shop[1], connect, durability_vouched=setting, timeout=15) as journal:
        assert journal.pay("order", **NEW).credentials
    with pytest.raises(merchantpay.InvalidArgumentError, match=f"unknown name '?\"?{setting}s"):
        merchantpay.Journal(shop[1], connect, durability_vouched=f"{setting}s")


def test_the_constructor_takes_every_setting_of_the_core_and_documents_it(shop, tmp_path):
    settings = [name for name in merchantpay._merchantpay._words()["journal_settings"] if name != "file"]
    with merchantpay.Journal(shop[1], tmp_path / "payments.db", **{**dict.fromkeys(settings), "create": True}):
        pass
    for name in [*settings, "client", "path_or_connect", "dialect", "max_connections"]:
        assert f"\n- {name}: " in merchantpay.Journal.__doc__, name
    with pytest.raises(TypeError, match="unexpected keyword argument"):
        merchantpay.Journal(shop[1], tmp_path / "payments.db", callback="x")


def test_a_closed_journal_refuses_and_entries_stay(shop, tmp_path):
    _, client = shop
    with merchantpay.Journal(client, tmp_path / "payments.db", create=True) as journal:
        entry = journal.pay("order", **NEW)
        assert not journal.closed and repr(journal) == "Journal()"
    assert journal.closed and repr(journal) == "Journal(closed)"
    journal.close()
    for call in (lambda: journal.find("order"), lambda: journal.settle(), lambda: journal.__enter__(), lambda: journal.news()):
        with pytest.raises(merchantpay.InvalidArgumentError, match="the journal is closed"):
            call()
    assert not client.closed and entry.credentials is not None
    with merchantpay.Journal(client, tmp_path / "payments.db", create=True) as journal:
        assert journal.pay("order", **NEW).order_id == entry.order_id


def test_a_request_is_received_as_the_framework_has_it(shop, journal):
    control, _ = shop
    journal.confirm(journal.pay("received", **NEW))
    webhook = control.webhook("received", "status")
    path, signature = webhook["url"].partition("127.0.0.1:9")[2], webhook["request"]["signature"]
    wrong = [
        {},
        {"X-Signature": "AAAA"},
        [("X-Signature", signature), ("x-signature", signature)],
        [("X-Signature", signature), ("X-KeyId", "a"), ("X-KeyId", "b")],
    ]
    for headers in wrong:
        received = journal.receive_request(path, webhook["body"], headers)
        assert (received.http_status, received.entry) == (400, None) and isinstance(received.error, merchantpay.UnverifiedError)
    for headers in ({"x-signature": signature}, {"HTTP_X_SIGNATURE": signature}, [(b"X-Signature", signature.encode())]):
        received = journal.receive_request(path, webhook["body"], headers)
        assert (received.http_status, received.entry.reference, received.error) == (200, "received", None)
    assert repr(received) == f"Received(http_status=200, entry={received.entry!r}, error=None)"


def test_threads_share_a_journal_and_pay_once(shop, journal):
    before = shop[0]("GET", "")["requests"].get("newPayment", 0)
    entries = []

    def work():
        for number in range(4):
            entries.append(journal.pay(f"shared-{number}", **NEW))

    threads = [threading.Thread(target=work) for _ in range(6)]
    [thread.start() for thread in threads]
    [thread.join() for thread in threads]
    assert len(entries) == 24 and shop[0]("GET", "")["requests"]["newPayment"] == before + 4


def test_the_gil_is_released_while_a_payment_is_under_way(shop, journal):
    shop[0]("POST", "/faults", {"kind": "latency", "latencyMs": 600, "operation": "newPayment"})
    thread = threading.Thread(target=lambda: journal.pay("slow", **NEW))
    thread.start()
    ticks = 0
    while thread.is_alive():
        ticks += 1
        time.sleep(0.01)
    assert ticks > 10


def test_a_wait_ends_when_its_client_is_interrupted(shop, tmp_path):
    with shop[1].derive() as client, merchantpay.Journal(client, tmp_path / "payments.db", create=True, timeout=15) as journal:
        journal.pay("waiting", **{**NEW, "customer_account": "stays-pending"})
        timer = threading.Timer(0.3, client.interrupt)
        timer.start()
        with pytest.raises(merchantpay.CallCancelledError):
            journal.wait("waiting", timeout=20, until="final")
        timer.join()


def test_a_journal_in_a_circle_is_collected(shop, tmp_path):
    class Shop:
        def connect(self):
            return sqlite3.connect(tmp_path / "circle.db", isolation_level=None)

    owner = Shop()
    owner.journal = merchantpay.Journal(shop[1], owner.connect, create=True)
    gone = weakref.ref(owner)
    owner.journal.pay("order", **NEW)
    del owner
    gc.collect()
    assert gone() is None
