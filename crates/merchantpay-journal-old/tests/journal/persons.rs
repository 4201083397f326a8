//! Tests of the decisions of a person: to make another attempt, to say that there is no payment, and to name
//! the order of a payment. The file also tests other tasks of an operator.

use std::time::Duration;

use merchantpay::{Client, Code, Keypair, Outcome, Status};
use merchantpay_journal_old::{
    Attention, Dialect, Entry, IntentState, Journal, JournalConfig, Level, Reason, Resolution, Rows,
    Standing, Store, StoreError, Until,
};
use merchantpay_sandbox::{Fault, Options};

use crate::progress::settle_until;
use crate::shop::{PATIENCE, Shop, give, options, request};

#[test]
fn another_attempt_needs_an_accepted_cancel_and_the_number_of_the_last_one() {
    let shop = Shop::new();
    let journal = shop.journal();
    let asked = request("10", "79001234567");
    let first = journal.pay("order", &asked).unwrap();
    assert_eq!(journal.replace("order", &asked, 1).unwrap().attempt(), 1, "it is open");
    let cancelled = journal.cancel(&first).unwrap();
    assert_eq!((cancelled.cancel(), cancelled.credentials()), (Some(IntentState::Accepted), None));
    assert_eq!(journal.pay("order", &asked).unwrap().attempt(), 1, "only replace makes another");
    let second = journal.replace("order", &asked, 1).unwrap();
    assert_eq!((second.attempt(), second.credentials().is_some()), (2, true));
    assert_eq!(journal.replace("order", &asked, 1).unwrap().attempt(), 2, "a double click");
    let found = journal.find("order").unwrap().unwrap();
    let earlier: Vec<_> = found
        .earlier()
        .iter()
        .map(|entry| (entry.attempt(), entry.standing(), entry.credentials().is_some()))
        .collect();
    assert_eq!(earlier, [(1, Standing::Superseded, false)]);
    assert_eq!(shop.sandbox.requests("newPayment"), 2);
}

#[test]
fn a_refused_payment_can_be_tried_again_by_pay_alone() {
    let shop = Shop::new();
    let journal = shop.journal();
    let refused = journal.pay("order", &request("10", "no-credentials")).unwrap();
    assert_eq!(
        (refused.standing(), refused.attempt(), refused.reported()),
        (Standing::Refused, 1, Level::None)
    );
    assert_eq!(refused.error().unwrap().description.as_deref(), Some("credentials not found"));
    let again = journal.pay("order", &request("10", "79001234567")).unwrap();
    assert_eq!((again.standing(), again.attempt()), (Standing::Open, 2));
}

#[test]
fn a_person_says_that_there_is_no_payment_and_one_turns_up_all_the_same() {
    let shop = Shop::new();
    let journal = shop.journal();
    shop.sandbox.misbehave(Fault::DropAfterCommit, Some("newPaymentAsync"), 1);
    let unknown = journal.pay_async("order", &request("10", "79001234567")).unwrap();
    let attention = journal.attention(10).unwrap();
    let Attention::Entry(entry) = &attention[0] else { panic!("{attention:?}") };
    assert_eq!((entry.reference(), entry.attention()), ("order", &[Reason::Unknown][..]));
    let refused = journal.resolve(&unknown, &Resolution::NoPayment, "support says so").unwrap();
    assert_eq!((refused.standing(), refused.reported()), (Standing::Refused, Level::Refused));
    assert!(journal.attention(10).unwrap().is_empty());
    let order_id = shop.delivery(|_| true).order_id;
    let received = shop.deliver(&journal, &order_id, "credentials");
    let found = received.entry.unwrap();
    assert_eq!((received.http_status, found.standing(), found.credentials()), (200, Standing::Refused, None));
    assert_eq!(found.attention(), [Reason::FoundAfterRefused]);
    // The next attempt replaces the first one, and `settle` cancels the first one.
    let next = journal.pay_async("order", &request("10", "79001234567")).unwrap();
    assert_eq!(next.attempt(), 2);
    let ended = settle_until(&journal, "order", |entry| {
        entry.earlier()[0]
            .payment()
            .and_then(|payment| payment.status())
            .is_some_and(|status| status.is_final())
    });
    assert_eq!(ended.earlier()[0].cancel(), Some(IntentState::Accepted));
    let seen = journal.resolve(&ended.earlier()[0], &Resolution::Seen, "cancelled by the journal").unwrap();
    assert!(seen.attention().is_empty());
}

#[test]
fn a_person_names_the_payment_whose_reply_was_lost() {
    let shop = Shop::new();
    let journal = shop.journal();
    let wrong = shop.client.new_payment(&request("11", "79001234567")).unwrap();
    let right = shop.client.new_payment(&request("10", "79001234567")).unwrap();
    shop.sandbox.misbehave(Fault::DropBeforeCommit, Some("newPayment"), 1);
    let unknown = journal.pay("order", &request("10", "79001234567")).unwrap();
    assert_eq!(unknown.standing(), Standing::Unknown);
    let name =
        |order_id: &str| journal.resolve(&unknown, &Resolution::OrderId(order_id.to_owned()), "support");
    assert_eq!(name(wrong.order_id()).unwrap_err().code(), Code::InvalidArgument, "another sum");
    assert_eq!(name("sb-000000000000000000000000").unwrap_err().code(), Code::Rejected);
    let open = name(right.order_id()).unwrap();
    assert_eq!(
        (open.standing(), open.order_id(), open.credentials().is_some()),
        (Standing::Open, Some(right.order_id()), true)
    );
    let other = journal.pay("other", &request("10", "79001234567")).unwrap();
    assert!(name(other.order_id().unwrap()).is_err(), "another attempt's");
    assert!(journal.attention(10).unwrap().is_empty(), "a refused command stores no orphan");
}

#[test]
fn a_sum_that_differs_is_no_success_and_for_a_person() {
    let shop = Shop::new();
    let journal = shop.journal();
    let entry = journal.pay("order", &request("10", "pays-less")).unwrap();
    journal.confirm(&entry).unwrap();
    let end = journal.wait("order", PATIENCE, Until::Final).unwrap();
    assert_eq!(
        (end.standing(), end.paid(), end.succeeded()),
        (Standing::Final, Some(merchantpay::Paid::Less), false)
    );
    assert_eq!(end.attention(), [Reason::PaidDiffers]);
}

#[test]
fn a_success_without_a_sum_is_paid_only_if_the_status_has_the_sum() {
    let key = Keypair::generate().unwrap().private_key().clone();
    let shop = Shop::with(Options { server_private_key: Some(key.clone()), ..options() });
    let journal = shop.journal();
    let entry = journal.pay("order", &request("10", "79001234567")).unwrap();
    let tokens = shop.folder.store().run("SELECT token FROM merchantpay_journal", &[]).unwrap().rows;
    let order_id = entry.order_id().unwrap();
    let body = format!("{{\"success\":true,\"orderId\":\"{order_id}\",\"status\":\"doneSuccess\"}}");
    let signature = key.sign(body.as_bytes()).to_base64();
    let received = journal.receive(tokens[0][0].as_deref().unwrap(), body.as_bytes(), &signature, None);
    let due = received.entry.unwrap();
    assert_eq!(
        (received.http_status, due.standing(), due.paid(), due.succeeded()),
        (200, Standing::Open, None, false)
    );
    // The service reports `pending`, so the attempt stays open.
    assert_eq!(journal.settle(10).unwrap().done, 1);
    assert_eq!(journal.find("order").unwrap().unwrap().status(), Some(Status::Pending));
}

#[test]
fn seen_does_not_cover_what_was_found_after_the_operator_looked() {
    let shop = Shop::new();
    let journal = shop.journal();
    let entry = journal.pay("order", &request("10", "pays-less")).unwrap();
    journal.confirm(&entry).unwrap();
    let read = journal.wait("order", PATIENCE, Until::Final).unwrap();
    assert_eq!(read.attention(), [Reason::PaidDiffers]);
    let since = "UPDATE merchantpay_journal SET attention = CONCAT(attention, ',final_contradicted'), version = version + 1";
    shop.folder.store().run(since, &[]).unwrap();
    let after = journal.resolve(&read, &Resolution::Seen, "refunded the rest").unwrap();
    assert_eq!(after.attention(), [Reason::FinalContradicted]);
    assert_eq!(journal.attention(10).unwrap().len(), 1);
}

#[test]
fn a_wait_ends_when_its_client_is_interrupted() {
    let shop = Shop::new();
    let journal = shop.journal();
    journal.pay("order", &request("10", "stays-pending")).unwrap();
    std::thread::scope(|scope| {
        let waiting = scope.spawn(|| journal.wait("order", PATIENCE, Until::Final));
        shop.client.interrupt();
        assert_eq!(waiting.join().unwrap().unwrap_err().code(), Code::Cancelled);
    });
}

#[test]
fn a_derived_journal_is_interrupted_alone() {
    let shop = Shop::new();
    let journal = shop.journal();
    let entry = journal.pay("order", &request("10", "stays-pending")).unwrap();
    let (derived, other) = (journal.derive(), journal.derive());
    std::thread::scope(|scope| {
        let waiting = scope.spawn(|| derived.wait("order", PATIENCE, Until::Final));
        derived.interrupt();
        assert_eq!(waiting.join().unwrap().unwrap_err().code(), Code::Cancelled);
    });
    for going in [&journal, &other] {
        assert_eq!(going.wait("order", Duration::ZERO, Until::Final).unwrap().order_id(), entry.order_id());
    }
    journal.interrupt();
    assert_eq!(other.wait("order", PATIENCE, Until::Final).unwrap_err().code(), Code::Cancelled);
}

/// Interrupts the client at the first write of an attempt. This write stores the reply to `getStatus`.
struct InterruptingStore {
    inner: Box<dyn Store>,
    client: Client,
}

impl Store for InterruptingStore {
    fn dialect(&self) -> Dialect {
        self.inner.dialect()
    }

    fn run(&self, sql: &str, parameters: &[Option<&str>]) -> Result<Rows, StoreError> {
        let rows = self.inner.run(sql, parameters)?;
        if rows.affected > 0 && sql.contains("AND version = ") {
            self.client.interrupt();
        }
        Ok(rows)
    }
}

#[test]
fn a_settle_that_pauses_between_two_calls_ends_when_its_client_is_interrupted() {
    let shop = Shop::new();
    let entry = shop.journal().pay("order", &request("10", "stays-pending")).unwrap();
    make_due(&shop, &entry);
    let store = InterruptingStore { inner: shop.folder.store(), client: shop.client.clone() };
    let slow = shop.with_settings(JournalConfig::over(store)).calls_per_second(1);
    let journal = Journal::open(&shop.client, slow).unwrap();
    assert_eq!(journal.settle(10).unwrap_err().code(), Code::Cancelled);
    // The reported status is stored despite the interruption.
    assert_eq!(shop.journal().find("order").unwrap().unwrap().status(), Some(Status::Pending));
}

fn make_due(shop: &Shop, entry: &Entry) {
    let update =
        format!("UPDATE merchantpay_journal SET due_at = 0 WHERE reference = '{}'", entry.reference());
    assert_eq!(shop.folder.store().run(&update, &[]).unwrap().affected, 1);
}

#[test]
fn a_required_receipt_is_reported() {
    let shop = Shop::new();
    let journal = shop.journal();
    let entry = journal.pay("order", &request("10", "arbitration")).unwrap();
    for entry in journal.news(10).unwrap() {
        journal.acknowledge(&entry).unwrap();
    }
    journal.confirm(&entry).unwrap();
    settle_until(&journal, "order", |entry| entry.reported() == Level::ReceiptRequired);
    let news = journal.news(10).unwrap();
    assert_eq!((news.len(), news[0].reported(), news[0].credentials()), (1, Level::ReceiptRequired, None));
}

#[test]
fn settle_retries_a_lost_confirm() {
    let shop = Shop::new();
    let journal = shop.journal();
    let entry = journal.pay("order", &request("10", "79001234567")).unwrap();
    shop.sandbox.misbehave(Fault::DropBeforeCommit, Some("confirm"), 1);
    assert_eq!(journal.confirm(&entry).unwrap().confirm(), Some(IntentState::Stored));
    let end = settle_until(&journal, "order", |entry| entry.standing() == Standing::Final);
    assert_eq!(
        (end.succeeded(), end.confirm(), shop.sandbox.requests("confirm")),
        (true, Some(IntentState::Accepted), 2)
    );
}

#[test]
fn what_was_purged_is_never_paid_again() {
    let shop = Shop::new();
    let journal = shop.journal();
    let entry = journal.pay("order", &request("10", "79001234567")).unwrap();
    journal.pay("open", &request("10", "79001234567")).unwrap();
    journal.confirm(&entry).unwrap();
    journal.wait("order", PATIENCE, Until::Final).unwrap();
    assert_eq!(journal.purge(i64::MAX).unwrap(), 0, "it is not acknowledged");
    for entry in journal.news(10).unwrap() {
        journal.acknowledge(&entry).unwrap();
    }
    assert_eq!(
        (journal.purge(0).unwrap(), journal.purge(i64::MAX).unwrap(), journal.purge(i64::MAX).unwrap()),
        (0, 1, 0)
    );
    let error = journal.purge(-1).unwrap_err();
    assert_eq!((error.code(), error.outcome()), (Code::InvalidArgument, Outcome::NotSent));
    let purged = journal.pay("order", &request("10", "79001234567")).unwrap();
    assert_eq!(
        (purged.standing(), purged.order_id(), purged.succeeded()),
        (Standing::Final, entry.order_id(), true)
    );
    assert!(purged.payment().is_none_or(|payment| payment.payee_account().is_none()));
    assert_eq!(shop.sandbox.requests("newPayment"), 2);
}

#[test]
fn purge_leaves_no_name_in_orphans_and_earlier_attempts() {
    let shop = Shop::new();
    let journal = shop.journal();
    let lost = Journal::open(&shop.client, shop.with_settings(shop.folder.another("lost"))).unwrap();
    let gone = lost.pay_async("gone", &request("10", "79001234567")).unwrap();
    let order_id = gone.order_id().unwrap();
    let credentials = shop.sandbox.wait_for_delivery(order_id, "credentials", PATIENCE).unwrap();
    assert_eq!(give(&journal, &credentials).http_status, 404);
    // A superseded attempt is cancelled, and the attempt after it is refused.
    let first = journal.pay("order", &request("10", "79001234567")).unwrap();
    journal.cancel(&first).unwrap();
    let next = journal.replace("order", &request("10", "no-credentials"), 1).unwrap();
    assert_eq!(next.standing(), Standing::Refused);
    settle_until(&journal, "order", |entry| {
        entry.earlier()[0].status().is_some_and(|status| status.is_final())
    });
    // Makes a final attempt that is due. In practice this happens if the webhook arrives while the attempt is
    // claimed for a query.
    let entry = journal.pay("final", &request("10", "79001234567")).unwrap();
    journal.confirm(&entry).unwrap();
    journal.wait("final", PATIENCE, Until::Final).unwrap();
    let store = shop.folder.store();
    store.run("UPDATE merchantpay_journal SET due_at = 0 WHERE reference = 'final'", &[]).unwrap();
    for entry in journal.news(10).unwrap() {
        journal.acknowledge(&entry).unwrap();
    }
    let named = |table: &str| {
        let query = format!("SELECT COUNT(*) FROM {table} WHERE record LIKE '%payeeName%'");
        store.run(&query, &[]).unwrap().rows[0][0].clone().unwrap()
    };
    let tables = ["merchantpay_journal", "merchantpay_orphans"];
    assert_eq!(tables.map(named), ["2", "1"]);
    assert_eq!(journal.purge(0).unwrap(), 0);
    assert_eq!(journal.purge(i64::MAX).unwrap(), 2);
    assert_eq!(tables.map(named), ["0", "1"], "an operator has not seen the orphan");
    assert!(journal.resolve_orphan(order_id, "called them").unwrap());
    assert_eq!((journal.purge(i64::MAX).unwrap(), journal.purge(i64::MAX).unwrap()), (1, 0));
    assert_eq!(tables.map(named), ["0", "0"]);
}

#[test]
fn news_that_nobody_acknowledges_hide_no_later_ones() {
    let shop = Shop::new();
    let journal = shop.journal();
    for number in 0..3 {
        journal.pay(&format!("never-{number}"), &request("10", "79001234567")).unwrap();
    }
    journal.pay("later", &request("10", "79001234567")).unwrap();
    // The claims are so short that they end at once. A default claim would end after a minute.
    let page = || journal.news_for(3, Duration::from_millis(1)).unwrap();
    assert!(page().iter().all(|entry| entry.reference() != "later"));
    assert!(page().iter().any(|entry| entry.reference() == "later"));
}

#[test]
fn an_orphan_that_is_paid_later_is_unseen_again() {
    for seen_first in [false, true] {
        let shop = Shop::new();
        let journal = shop.journal();
        let lost = Journal::open(&shop.client, shop.with_settings(shop.folder.another("lost"))).unwrap();
        let entry = lost.pay_async("order", &request("10", "79001234567")).unwrap();
        let order_id = entry.order_id().unwrap();
        let credentials = shop.sandbox.wait_for_delivery(order_id, "credentials", PATIENCE).unwrap();
        assert_eq!(give(&journal, &credentials).http_status, 404);
        if seen_first {
            assert!(journal.resolve_orphan(order_id, "nobody has paid yet").unwrap());
            assert_eq!(give(&journal, &credentials).http_status, 404);
            assert!(journal.attention(10).unwrap().is_empty(), "the same message is not news");
        }
        shop.client.confirm(order_id).unwrap();
        let status = shop.sandbox.wait_for_delivery(order_id, "status", PATIENCE).unwrap();
        assert_eq!(give(&journal, &status).http_status, 404);
        let attention = journal.attention(10).unwrap();
        let [Attention::Orphan(orphan)] = &attention[..] else { panic!("{attention:?}") };
        assert_eq!((orphan.status.as_deref(), orphan.sum.as_deref()), (Some("doneSuccess"), Some("10")));
        let records = shop.folder.store().run("SELECT record FROM merchantpay_orphans", &[]).unwrap().rows;
        assert!(records[0][0].as_deref().unwrap().contains("payeeAccount"), "the credentials are kept");
        // If an operator acts on an outdated list, the orphan stays on the list.
        let resolve = |status| journal.resolve_read_orphan(order_id, status, "nobody has paid yet");
        assert_eq!(resolve(None).unwrap_err().code(), Code::InvalidArgument);
        assert_eq!(journal.attention(10).unwrap().len(), 1);
        resolve(Some("doneSuccess")).unwrap();
        assert!(journal.attention(10).unwrap().is_empty());
    }
}

#[test]
fn an_entry_is_carried_to_another_process_with_the_attempts_before_it_and_without_its_token() {
    let shop = Shop::new();
    let journal = shop.journal();
    let asked = request("10", "79001234567");
    journal.cancel(&journal.pay("order", &asked).unwrap()).unwrap();
    journal.replace("order", &asked, 1).unwrap();
    let entry = journal.find("order").unwrap().unwrap();
    let text = entry.to_carried();
    let token = shop.folder.store().run("SELECT token FROM merchantpay_journal", &[]).unwrap().rows;
    assert!(token.iter().flatten().flatten().all(|token| !text.contains(token.as_str())), "{text}");
    let carried = Entry::carried(&text).unwrap();
    assert_eq!((carried.to_json(), carried.earlier().len()), (entry.to_json(), 1));
    assert_eq!(carried.earlier()[0].to_json(), entry.earlier()[0].to_json());
    assert_eq!(carried.credentials(), entry.credentials());
    // If an entry was passed to another process as JSON, the copy works like the original.
    assert!(journal.acknowledge(&carried).unwrap());
    assert_eq!(journal.confirm(&carried).unwrap().confirm(), Some(IntentState::Accepted));
    for text in [
        "",
        "{}",
        "{\"attempts\":[]}",
        "{\"attempts\":[{}]}",
        "{\"attempts\":7}",
        &text.replace("open", "ajar"),
    ] {
        assert_eq!(Entry::carried(text), None, "{text}");
    }
}
