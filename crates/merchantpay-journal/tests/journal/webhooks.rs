//! Webhooks are hints: what they are answered, and what they cannot do.

use merchantpay::Code;
use merchantpay_journal::{Attention, Journal, Reason, Standing};
use serde_json::json;

use crate::service::{Plan, Service, webhook};
use crate::shop::{PATIENCE, Shop, give, good, request, sql};

fn orphans(journal: &Journal) -> Vec<(String, Option<String>)> {
    let items = journal.attention(10).unwrap();
    assert_eq!(journal.stats().unwrap().attention, items.len() as u64);
    items
        .into_iter()
        .filter_map(|item| match item {
            Attention::Orphan(orphan) => Some((orphan.order_id, orphan.status)),
            _ => None,
        })
        .collect()
}

#[test]
fn answer_follows_from_what_was_stored() {
    let shop = Shop::new();
    let journal = shop.journal();
    let [entry, other] = ["order", "other"].map(|reference| {
        let entry = journal.pay(reference, &good()).unwrap();
        journal.confirm(&entry).unwrap();
        shop.delivery(entry.order_id.as_deref().unwrap(), "status")
    });
    let to =
        |url: &str, body: &[u8], signature: &str| journal.receive(url, body, signature, None).http_status;
    for (url, body, signature, expected) in [
        (entry.url.as_str(), &b"{}"[..], entry.signature.as_str(), 400),
        (&entry.url, &entry.body, "", 400),
        ("/callback/", &entry.body, &entry.signature, 404),
        ("/callback/00000000000000000000000000000000", &entry.body, &entry.signature, 404),
        (&other.url, &entry.body, &entry.signature, 409),
        (&entry.url, &entry.body, &entry.signature, 200),
        (&entry.url, &entry.body, &entry.signature, 200),
    ] {
        assert_eq!(to(url, body, signature), expected, "{url} {signature}");
    }
    assert!(orphans(&journal).is_empty(), "an attempt has the order");
    let found = journal.find("other").unwrap().unwrap();
    assert_eq!(found.attention, [Reason::OrderUnproven]);
}

#[test]
fn webhook_of_another_order_does_not_bind_it_whatever_its_status() {
    for foreign in ["pending", "receiptRequired", "doneSuccess", "doneFail"] {
        let service = Service::new();
        let journal = service.journal();
        let stranger = service.journal_in("stranger.db");
        stranger.pay("foreign", &good()).unwrap();
        service.set(0, foreign);
        // The foreign order's own webhook came to its own URL first.
        service.send_status(&journal, 0);
        service.plan(Plan::Lost);
        assert_eq!(journal.pay("order", &good()).unwrap().standing, Standing::Unknown);
        let leaked = service.order(1).token;
        let received = service.send(&journal, &leaked, webhook(&service.order(0)));
        let entry = received.entry.unwrap();
        assert_eq!(
            (received.http_status, entry.standing, &entry.order_id, entry.succeeded),
            (200, Standing::Unknown, &None, false)
        );
        assert!(entry.attention.contains(&Reason::OrderUnproven), "{foreign}: {entry:?}");
        // The reference is not stuck: its own order's webhook heals it.
        let own = service.send_status(&journal, 1).entry.unwrap();
        assert_eq!((own.standing, own.order_id.as_deref()), (Standing::Open, Some("o-2")), "{foreign}");
    }
}

#[test]
fn order_of_another_attempt_is_not_bound_twice() {
    let service = Service::new();
    let journal = service.journal();
    journal.pay("other", &good()).unwrap();
    service.plan(Plan::Lost);
    journal.pay("order", &good()).unwrap();
    let leaked = service.order(1).token;
    let entry = service.send(&journal, &leaked, webhook(&service.order(0))).entry.unwrap();
    assert_eq!((entry.standing, &entry.order_id), (Standing::Unknown, &None));
    assert!(entry.attention.contains(&Reason::OrderUnproven), "{entry:?}");
}

#[test]
fn credentials_of_another_sum_are_never_shown() {
    let service = Service::new();
    let journal = service.journal();
    let stranger = service.journal_in("stranger.db");
    stranger.pay("small", &request("10", "79001234567")).unwrap();
    service.plan(Plan::Lost);
    journal.pay("large", &request("1000", "79001234567")).unwrap();
    let token = service.order(1).token;
    let bare = json!({"success": true, "orderId": "o-1", "payeeAccount": "2200-o-1", "currency": "RUB"});
    let entry = service.send(&journal, &token, bare).entry.unwrap();
    assert_eq!((entry.standing, &entry.credentials), (Standing::Unknown, &None));
    assert!(entry.attention.contains(&Reason::OrderUnproven));
    let items = journal.attention(10).unwrap();
    let Attention::Entry { details, .. } = &items[0] else { panic!("{items:?}") };
    assert!(details.iter().any(|detail| detail.contains("o-1")), "the order is named: {details:?}");
}

#[test]
fn missing_credentials_count_only_at_the_attempts_own_url() {
    for is_own in [false, true] {
        let service = Service::new();
        let journal = service.journal();
        let entry = journal.pay_async("order", &good()).unwrap();
        journal.pay("other", &good()).unwrap();
        sql(&service.file(), "UPDATE merchantpay_attempts SET details = NULL");
        // getStatus shows none either.
        service.state().orders[0].sum = "11".to_owned();
        let failed = json!({"success": false, "orderId": entry.order_id});
        let token = service.order(usize::from(!is_own)).token;
        let expected = if is_own { (200, Standing::Refused) } else { (409, Standing::Open) };
        let http_status = service.send(&journal, &token, failed).http_status;
        sql(&service.file(), "UPDATE merchantpay_attempts SET due_at = 1");
        journal.settle(10).unwrap();
        assert_eq!((http_status, journal.find("order").unwrap().unwrap().standing), expected);
    }
}

#[test]
fn paid_order_is_not_bound_without_a_person() {
    let service = Service::new();
    let journal = service.journal();
    service.plan(Plan::Lost);
    journal.pay("order", &good()).unwrap();
    service.set(0, "doneSuccess");
    let entry = service.send_status(&journal, 0).entry.unwrap();
    assert_eq!((entry.standing, entry.succeeded), (Standing::Unknown, false));
    assert!(entry.attention.contains(&Reason::OrderUnproven));
}

#[test]
fn orphan_that_is_paid_later_is_listed_again() {
    for is_seen in [false, true] {
        let shop = Shop::new();
        let journal = shop.journal();
        let lost = Journal::open(&shop.client, crate::shop::config(&shop.folder.file("lost.db"))).unwrap();
        let entry = lost.pay_async("order", &good()).unwrap();
        let order_id = entry.order_id.as_deref().unwrap();
        let credentials = shop.sandbox.wait_for_delivery(order_id, "credentials", PATIENCE).unwrap();
        assert_eq!(give(&journal, &credentials).http_status, 404);
        if is_seen {
            journal.resolve_orphan(order_id, None, "nobody has paid yet").unwrap();
            journal.resolve_orphan(order_id, None, "the same again").unwrap();
            assert_eq!(give(&journal, &credentials).http_status, 404);
            assert!(orphans(&journal).is_empty(), "the same message is not news");
        }
        shop.client.confirm(order_id).unwrap();
        assert_eq!(give(&journal, &shop.delivery(order_id, "status")).http_status, 404);
        assert_eq!(orphans(&journal), [(order_id.to_owned(), Some("doneSuccess".to_owned()))]);
        let error = journal.resolve_orphan(order_id, None, "nobody has paid yet").unwrap_err();
        assert_eq!((error.code(), error.order_id()), (Code::InvalidArgument, Some(order_id)));
        assert_eq!(orphans(&journal).len(), 1, "what nobody has read stays");
        journal.resolve_orphan(order_id, Some("doneSuccess"), "refunded").unwrap();
        assert!(orphans(&journal).is_empty());
    }
}

#[test]
fn webhook_outlasts_a_busy_file() {
    let shop = Shop::new();
    let journal = shop.journal();
    let entry = journal.pay("order", &good()).unwrap();
    shop.client.confirm(entry.order_id.as_deref().unwrap()).unwrap();
    let delivery = shop.delivery(entry.order_id.as_deref().unwrap(), "status");
    let blocker = rusqlite::Connection::open(shop.file()).unwrap();
    blocker.execute_batch("BEGIN IMMEDIATE").unwrap();
    std::thread::scope(|scope| {
        let received = scope.spawn(|| give(&journal, &delivery));
        std::thread::sleep(std::time::Duration::from_millis(500));
        blocker.execute_batch("COMMIT").unwrap();
        assert_eq!(received.join().unwrap().http_status, 200);
    });
}
