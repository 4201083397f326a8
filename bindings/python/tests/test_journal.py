"""Python's own parts of the journal: types, values, pickles and threads. tests/contract tests the journal's behaviour."""

import copy
import dataclasses
import datetime
import gc
import inspect
import pathlib
import pickle
import threading
import time
import weakref
from decimal import Decimal

import merchantpay
import pytest
from merchantpay import testing
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


def test_an_entry_is_a_plain_value(journal):
    before = datetime.datetime.now(datetime.timezone.utc) - datetime.timedelta(seconds=1)
    entry = journal.confirm(journal.pay("order", **NEW))
    assert (entry.reference, entry.attempt, entry.standing, entry.error) == ("order", 1, merchantpay.Standing.OPEN, None)
    assert (entry.intent, entry.intent_state) == (merchantpay.Intent.CONFIRM, merchantpay.IntentState.ACCEPTED)
    assert entry.sum_asked == Decimal("10") and type(entry.credentials) is merchantpay.Payment and entry.details == ()
    assert before < entry.created_at <= entry.updated_at and entry.created_at.tzinfo is datetime.timezone.utc
    assert entry.created_at.microsecond % 1000 == 0 and type(entry.news) is int and not entry.acknowledged
    assert entry.credentials.payee_account not in repr(entry) and entry.json.startswith('{"reference":"order"')
    with pytest.raises(AttributeError):
        entry.reference = "x"
    changed = dataclasses.replace(entry, attempt=2)
    for again in (pickle.loads(pickle.dumps(entry)), copy.deepcopy(entry), dataclasses.replace(changed, attempt=1)):
        assert again == entry and hash(again) == hash(entry) and again.json == entry.json and again != changed
    assert journal.acknowledge(pickle.loads(pickle.dumps(entry))) and not journal.acknowledge(entry)


def test_a_statement_has_one_of_the_styles():
    assert testing.entry().acknowledge_sql("at") == testing.entry().acknowledge_sql(merchantpay.Style.AT)
    with pytest.raises(merchantpay.InvalidArgumentError, match="style must be one of question, dollar"):
        testing.entry().acknowledge_sql("oracle")


def test_stats_are_a_plain_value(journal):
    journal.pay("order", **NEW)
    stats = journal.stats()
    assert stats.standings == {"sending": 0, "unknown": 0, "open": 1}
    assert (stats.attention, stats.orphans, stats.news, stats.pause, stats.durability_vouched) == (0, 0, 1, None, ())
    assert stats.json.startswith('{"standings":') and pickle.loads(pickle.dumps(stats)) == stats


def test_journals_are_not_copied(journal):
    for make in (copy.copy, copy.deepcopy, pickle.dumps):
        with pytest.raises(TypeError, match="Journal cannot be pickled or copied"):
            make(journal)


ORPHAN = merchantpay.Orphan("o-1", datetime.datetime.now(datetime.timezone.utc))


@pytest.mark.parametrize(
    "call, error, message",
    [
        (lambda j: j.pay(7, **NEW), TypeError, "reference must be str, not int"),
        (lambda j: j.pay("a", **{**NEW, "sum": 1.5}), TypeError, "sum must be Decimal, int or str, not float"),
        (lambda j: j.replace("a", "1", **NEW), TypeError, "attempt must be int, not str"),
        (lambda j: j.replace("a", -1, **NEW), merchantpay.InvalidArgumentError, "attempt must be a whole number from 0"),
        (lambda j: j.confirm("a"), TypeError, "entry must be Entry, or str and the number of the attempt, not str"),
        (lambda j: j.acknowledge(ORPHAN), TypeError, "entry must be Entry, or str and the number of the attempt, not Orphan"),
        (lambda j: j.acknowledge("a", 1), merchantpay.InvalidArgumentError, "news is missing"),
        (lambda j: j.wait("a", timeout="1"), TypeError, "timeout must be a number of seconds, not str"),
        (lambda j: j.wait("a", timeout=1, until="paid"), merchantpay.InvalidArgumentError, "until must be one of credentials, final"),
        (lambda j: j.list("paid"), merchantpay.InvalidArgumentError, "standing must be one of sending, unknown"),
        (lambda j: j.list(limit=True), TypeError, "limit must be int, not bool"),
        (lambda j: j.list(before="a"), TypeError, "before must be Entry, not str"),
        (lambda j: j.receive("/x", "{}", "s"), TypeError, "body must be bytes"),
        (lambda j: j.receive(b"/x", b"{}", "s"), TypeError, "path must be str, not bytes"),
        (lambda j: j.resolve("a", note="x", seen=True), TypeError, "item must be Entry or Orphan, not str"),
        (lambda j: j.resolve(testing.entry(), note="x"), merchantpay.InvalidArgumentError, "exactly one of order_id, no_payment, seen"),
        (lambda j: j.resolve(testing.entry(), note="x", seen=True, trusted=True), merchantpay.InvalidArgumentError, "exactly one of"),
        (lambda j: j.resolve(testing.entry(), note="x", no_payment=True, sum=1), merchantpay.InvalidArgumentError, "only with order_id"),
        (lambda j: j.resolve(testing.entry(), note="x", seen=["late"]), merchantpay.InvalidArgumentError, "is no reason of Attention"),
        (lambda j: j.resolve(ORPHAN, note="x", no_payment=True), merchantpay.InvalidArgumentError, "an orphan accepts only seen=True"),
        (lambda j: j.resolve(ORPHAN, note="x", seen=["stuck"]), merchantpay.InvalidArgumentError, "an orphan accepts only seen=True"),
    ],
)
def test_wrong_arguments(journal, call, error, message):
    with pytest.raises(error, match=message):
        call(journal)


@pytest.mark.parametrize(
    "place, settings, error, message",
    [
        (7, {}, TypeError, "place must be str or os.PathLike, not int"),
        ("x.db", {"create": True}, merchantpay.InvalidArgumentError, "an absolute path"),
        ("postgresql://db.example", {}, merchantpay.InvalidArgumentError, "place"),
        ("/x.db", {"create": 1}, TypeError, "create must be bool"),
        ("/x.db", {"timeout": "30"}, TypeError, "timeout must be a number of seconds"),
        ("/x.db", {"callback_url": 7}, TypeError, "callback_url must be str"),
        ("/x.db", {"connections": 0}, merchantpay.InvalidArgumentError, "connections must be at least 1"),
        ("/x.db", {"durability_vouched": ["fsync", "luck"]}, merchantpay.InvalidArgumentError, "luck"),
        (pathlib.Path("/nowhere/x.db").absolute(), {}, merchantpay.StorageError, "x.db"),  # On Windows it needs a drive.
    ],
)
def test_wrong_settings(shop, place, settings, error, message):
    with pytest.raises(error, match=message) as raised:
        merchantpay.Journal(shop[1], place, **settings)
    assert error is TypeError or raised.value.outcome == "not_sent"


def test_the_constructor_takes_every_setting_of_the_core_and_documents_it(shop, tmp_path):
    settings = [name for name in inspect.signature(merchantpay.Journal).parameters if name not in ("client", "place")]
    with merchantpay.Journal(shop[1], tmp_path / "payments.db", **{**dict.fromkeys(settings), "create": True}):
        pass
    with merchantpay.Journal(shop[1], str(tmp_path / "payments.db"), durability_vouched="fsync, fuse") as journal:
        assert journal.stats().durability_vouched == ("fsync", "fuse")
    for name in [*settings, "client", "place"]:
        assert f"\n- {name}: " in inspect.getdoc(merchantpay.Journal.__init__), name
    with pytest.raises(TypeError, match="unexpected keyword argument"):
        merchantpay.Journal(shop[1], tmp_path / "payments.db", callback="x")


def test_a_closed_journal_refuses_and_entries_stay(shop, tmp_path):
    _, client = shop
    with merchantpay.Journal(client, tmp_path / "payments.db", create=True) as journal:
        entry = journal.pay("order", **NEW)
        assert not journal.closed and repr(journal) == "Journal()"
    assert journal.closed and repr(journal) == "Journal(closed)"
    journal.close()
    for call in (lambda: journal.find("order"), lambda: journal.settle(), lambda: journal.__enter__(), lambda: journal.confirm(entry)):
        with pytest.raises(merchantpay.InvalidArgumentError, match="the journal is closed"):
            call()
    assert not client.closed and entry.credentials is not None
    with merchantpay.Journal(client, tmp_path / "payments.db") as journal:
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
    assert received == merchantpay.Received(200, received.entry)
    webhook = journal.receive("/callback/nobody", webhook["body"], signature)
    assert (webhook.http_status, webhook.entry, webhook.error) == (404, None, None)


def test_an_orphan_is_a_plain_value_that_a_person_has_seen(shop, journal, tmp_path):
    control, client = shop
    with merchantpay.Journal(client, tmp_path / "other.db", create=True, callback_url=CALLBACK) as other:
        other.confirm(other.pay("of another journal", **NEW))
    webhook = control.webhook("of another journal", "status")
    assert journal.receive(webhook["url"], webhook["body"], webhook["request"]["signature"]).http_status == 404
    [orphan] = journal.attention()
    assert isinstance(orphan, merchantpay.Orphan) and orphan.status == "doneSuccess" and orphan.reference is None
    assert pickle.loads(pickle.dumps(orphan)) == orphan and orphan.json.startswith('{"orphan":')
    assert journal.stats().orphans == 1
    assert journal.resolve(orphan, seen=True, note="of another journal") is None and journal.attention() == []


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


def test_a_journal_in_a_circle_is_collected(tmp_path):
    class Shop:
        def sign(self, body):
            raise NotImplementedError

    owner = Shop()
    own, service = merchantpay.generate_keypair().public_key, merchantpay.generate_keypair().public_key
    client = merchantpay.Client("http://127.0.0.1:1", "m", None, service, signer=owner.sign, public_key=own)
    owner.journal = merchantpay.Journal(client, tmp_path / "circle.db", create=True)
    gone = weakref.ref(owner)
    del owner, client
    gc.collect()
    assert gone() is None
