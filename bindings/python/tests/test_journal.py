"""Python's own parts of the journal: types, values, pickles. tests/contract tests the journal's behaviour."""

import copy
import dataclasses
import datetime
import gc
import pathlib
import pickle
import weakref
from decimal import Decimal

import merchantpay
import pytest
from conftest import NEW, OWN, SERVICE, make
from merchantpay import testing

CALLBACK = "http://127.0.0.1:9/callback"
UTC = datetime.timezone.utc
ORPHAN = merchantpay.Orphan("o-1", datetime.datetime.now(UTC))
REFUSED = merchantpay.InvalidArgumentError


@pytest.fixture
def journal(client, tmp_path):
    with merchantpay.Journal(client, tmp_path / "payments.db", create=True, callback_url=CALLBACK, timeout=15) as journal:
        yield journal


def test_an_entry_is_a_plain_value(journal):
    before = datetime.datetime.now(UTC) - datetime.timedelta(seconds=1)
    entry = journal.confirm(journal.pay("order", **NEW))
    assert (entry.reference, entry.attempt, entry.standing, entry.error) == ("order", 1, merchantpay.Standing.OPEN, None)
    assert (entry.intent, entry.intent_state) == (merchantpay.Intent.CONFIRM, merchantpay.IntentState.ACCEPTED)
    assert entry.sum_asked == Decimal("1500.50") and type(entry.credentials) is merchantpay.Payment and entry.details == ()
    assert before < entry.created_at <= entry.updated_at and entry.created_at.tzinfo is UTC
    assert entry.created_at.microsecond % 1000 == 0 and type(entry.news) is int and not entry.acknowledged
    assert entry.credentials.payee_account not in repr(entry) and entry.json.startswith('{"reference":"order"')
    with pytest.raises(AttributeError):
        entry.reference = "x"
    changed = dataclasses.replace(entry, attempt=2)
    for again in (pickle.loads(pickle.dumps(entry)), copy.deepcopy(entry), dataclasses.replace(changed, attempt=1)):
        assert again == entry and hash(again) == hash(entry) and again.json == entry.json and again != changed
    assert journal.acknowledge(pickle.loads(pickle.dumps(entry))) and not journal.acknowledge(entry)
    assert testing.entry().acknowledge_sql("at") == testing.entry().acknowledge_sql(merchantpay.Style.AT)


def test_stats_are_a_plain_value(journal):
    journal.pay("order", **NEW)
    stats = journal.stats()
    assert stats.standings == {"sending": 0, "unknown": 0, "open": 1}
    assert (stats.attention, stats.orphans, stats.news, stats.pause, stats.durability_vouched) == (0, 0, 1, None, ())
    assert stats.json.startswith('{"standings":') and pickle.loads(pickle.dumps(stats)) == stats


@pytest.mark.parametrize(
    "call, error, message",
    [
        (lambda j: j.pay(7, **NEW), TypeError, "reference must be str, not int"),
        (lambda j: j.pay("a", **{**NEW, "sum": 1.5}), TypeError, "sum must be Decimal, int or str, not float"),
        (lambda j: j.replace("a", "1", **NEW), TypeError, "attempt must be int, not str"),
        (lambda j: j.replace("a", -1, **NEW), REFUSED, "attempt must be a whole number from 0"),
        (lambda j: j.confirm("a"), TypeError, "entry must be Entry, or str and the number of the attempt, not str"),
        (lambda j: j.acknowledge(ORPHAN), TypeError, "entry must be Entry, or str and the number of the attempt, not Orphan"),
        (lambda j: j.acknowledge("a", 1), REFUSED, "news is missing"),
        (lambda j: j.wait("a", timeout="1"), TypeError, "timeout must be a number of seconds, not str"),
        (lambda j: j.list(limit=True), TypeError, "limit must be int, not bool"),
        (lambda j: j.list(before="a"), TypeError, "before must be Entry, not str"),
        (lambda j: j.receive("/x", "{}", "s"), TypeError, "body must be bytes"),
        (lambda j: j.receive(b"/x", b"{}", "s"), TypeError, "path must be str, not bytes"),
        (lambda j: j.resolve("a", note="x", seen=True), TypeError, "item must be Entry or Orphan, not str"),
        (lambda j: j.resolve(testing.entry(), note="x"), REFUSED, "exactly one of order_id, no_payment, seen"),
        (lambda j: j.resolve(testing.entry(), note="x", seen=True, trusted=True), REFUSED, "exactly one of"),
        (lambda j: j.resolve(testing.entry(), note="x", no_payment=True, sum=1), REFUSED, "only with order_id"),
        (lambda j: j.resolve(testing.entry(), note="x", seen=["late"]), REFUSED, "is no reason of Attention"),
        (lambda j: j.resolve(ORPHAN, note="x", no_payment=True), REFUSED, "an orphan accepts only seen=True"),
        (lambda j: j.resolve(ORPHAN, note="x", seen=["stuck"]), REFUSED, "an orphan accepts only seen=True"),
        (lambda j: testing.entry().acknowledge_sql("oracle"), REFUSED, "style must be one of question, dollar"),
        (copy.copy, TypeError, "Journal cannot be pickled or copied"),
        (pickle.dumps, TypeError, "Journal cannot be pickled or copied"),
    ],
)
def test_wrong_arguments(journal, call, error, message):
    with pytest.raises(error, match=message):
        call(journal)


@pytest.mark.parametrize(
    "place, settings, error, message",
    [
        (7, {}, TypeError, "place must be str or os.PathLike, not int"),
        ("x.db", {"create": True}, REFUSED, "an absolute path"),
        ("/x.db", {"create": 1}, TypeError, "create must be bool"),
        ("/x.db", {"timeout": "30"}, TypeError, "timeout must be a number of seconds"),
        ("/x.db", {"callback_url": 7}, TypeError, "callback_url must be str"),
        ("/x.db", {"callback": "x"}, TypeError, "unexpected keyword argument"),
        ("/x.db", {"durability_vouched": ["fsync", "luck"]}, REFUSED, "luck"),
        (pathlib.Path("/nowhere/x.db").absolute(), {}, merchantpay.StorageError, "x.db"),  # On Windows it needs a drive.
    ],
)
def test_wrong_settings(client, place, settings, error, message):
    with pytest.raises(error, match=message):
        merchantpay.Journal(client, place, **settings)


def test_place_and_list_can_be_str(client, tmp_path):
    with merchantpay.Journal(client, str(tmp_path / "payments.db"), create=True, durability_vouched="fsync, fuse") as journal:
        assert journal.stats().durability_vouched == ("fsync", "fuse")


def test_closed_journal_refuses_and_entries_stay(client, tmp_path):
    with merchantpay.Journal(client, tmp_path / "payments.db", create=True) as journal:
        entry = journal.pay("order", **NEW)
        assert not journal.closed and repr(journal) == "Journal()"
    assert journal.closed and repr(journal) == "Journal(closed)"
    journal.close()
    for call in (lambda: journal.find("order"), lambda: journal.settle(), lambda: journal.__enter__(), lambda: journal.confirm(entry)):
        with pytest.raises(REFUSED, match="the journal is closed"):
            call()
    assert not client.closed and entry.credentials is not None


def test_receive_request_takes_framework_headers(sandbox, journal):
    entry = journal.confirm(journal.pay("received", **NEW))
    webhook = sandbox.webhook(entry.order_id)
    signature = webhook.signature
    for headers in ({}, {"X-Signature": "AAAA"}, [("X-Signature", signature), ("x-signature", signature)]):
        received = journal.receive_request(webhook.path, webhook.body, headers)
        assert (received.http_status, received.entry) == (400, None) and isinstance(received.error, merchantpay.UnverifiedError)
    for headers in ({"HTTP_X_SIGNATURE": signature}, [(b"X-Signature", signature.encode())]):
        received = journal.receive_request(webhook.path, webhook.body, headers)
        assert (received.http_status, received.entry.reference, received.error) == (200, "received", None)
    assert received == merchantpay.Received(200, received.entry)


def test_orphan_is_a_plain_value_and_can_be_resolved(sandbox, client, journal, tmp_path):
    with merchantpay.Journal(client, tmp_path / "other.db", create=True, callback_url=CALLBACK) as other:
        webhook = sandbox.webhook(other.confirm(other.pay("of another journal", **NEW)).order_id)
    assert journal.receive(webhook.path, webhook.body, webhook.signature).http_status == 404
    [orphan] = journal.attention()
    assert isinstance(orphan, merchantpay.Orphan) and orphan.status == "doneSuccess" and orphan.reference is None
    assert pickle.loads(pickle.dumps(orphan)) == orphan and orphan.json.startswith('{"orphan":')
    assert journal.resolve(orphan, seen=True, note="of another journal") is None and journal.attention() == []


def test_journal_cycle_is_collected(tmp_path):
    class Shop:
        def sign(self, body):
            raise NotImplementedError

    owner = Shop()
    client = make(merchantpay.Client, private_key=None, signer=owner.sign, public_key=OWN.public_key, server_public_key=SERVICE.public_key)
    owner.journal = merchantpay.Journal(client, tmp_path / "circle.db", create=True)
    gone = weakref.ref(owner)
    del owner, client
    gc.collect()
    assert gone() is None
