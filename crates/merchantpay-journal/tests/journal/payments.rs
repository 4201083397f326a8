//! A payment from its order number to its end.

use merchantpay::{Code, Outcome, Paid};
use merchantpay_journal::{Level, Standing};
use merchantpay_sandbox::Fault;

use crate::progress::settle_until;
use crate::shop::{Shop, request};

#[test]
fn a_payment_is_taken_once_and_reported_until_it_is_acknowledged() {
    let shop = Shop::new();
    let journal = shop.journal();
    let entry = journal.pay("order-1", &request("1500.50", "79001234567")).unwrap();
    assert_eq!((entry.standing(), entry.attempt(), entry.credentials().is_some()), (Standing::Open, 1, true));
    let again = journal.pay("order-1", &request("1500.5", "79001234567")).unwrap();
    assert_eq!(
        (again.order_id(), again.attempt(), again.credentials()),
        (entry.order_id(), 1, entry.credentials())
    );
    assert_eq!(shop.sandbox.requests("newPayment"), 1);

    let news = journal.news(10).unwrap();
    assert_eq!(news.iter().map(|entry| entry.reported()).collect::<Vec<_>>(), [Level::Credentials]);
    assert!(journal.news(10).unwrap().is_empty(), "it is claimed");
    assert!(journal.acknowledge(&news[0]).unwrap());
    assert!(!journal.acknowledge(&news[0]).unwrap(), "once");

    let confirmed = journal.confirm(&entry).unwrap();
    assert_eq!(confirmed.confirm(), Some(merchantpay_journal::IntentState::Accepted));
    let received = shop.deliver(&journal, entry.order_id().unwrap(), "status");
    assert_eq!((received.http_status, received.entry.unwrap().succeeded()), (200, true));
    let news = journal.news(10).unwrap();
    assert_eq!(
        (news.len(), news[0].reported(), news[0].paid(), news[0].succeeded()),
        (1, Level::Final, Some(Paid::Exactly), true)
    );
    assert!(journal.acknowledge(&news[0]).unwrap());
    assert!(journal.news(10).unwrap().is_empty());
    let found = journal.find("order-1").unwrap().unwrap();
    assert_eq!((found.standing(), found.credentials(), found.due_at()), (Standing::Final, None, None));
    assert!(journal.attention(10).unwrap().is_empty());
}

#[test]
fn a_lost_reply_is_unknown_until_the_callback_heals_it() {
    let shop = Shop::new();
    let journal = shop.journal();
    shop.sandbox.misbehave(Fault::DropAfterCommit, Some("newPaymentAsync"), 1);
    let entry = journal.pay_async("order-2", &request("10", "79001234567")).unwrap();
    assert_eq!((entry.standing(), entry.order_id()), (Standing::Unknown, None));
    assert_eq!(
        entry.error().map(|error| (error.code.as_str(), error.outcome.as_str())),
        Some(("transport", "unknown"))
    );
    // Said again, nothing leaves.
    assert_eq!(
        journal.pay_async("order-2", &request("10", "79001234567")).unwrap().standing(),
        Standing::Unknown
    );
    assert_eq!(shop.sandbox.requests("newPaymentAsync"), 1);

    let order_id = loop {
        if let Some(delivery) = shop.sandbox.deliveries().first() {
            break delivery.order_id.clone();
        }
        std::thread::yield_now();
    };
    let received = shop.deliver(&journal, &order_id, "credentials");
    let healed = received.entry.unwrap();
    assert_eq!(
        (received.http_status, healed.standing(), healed.order_id()),
        (200, Standing::Open, Some(order_id.as_str()))
    );
    assert!(healed.credentials().is_some());
    journal.confirm(&healed).unwrap();
    let end = settle_until(&journal, "order-2", |entry| entry.standing() == Standing::Final);
    assert!(end.succeeded());
}

#[test]
fn another_request_under_the_same_reference_is_refused() {
    let shop = Shop::new();
    let journal = shop.journal();
    journal.pay("order-3", &request("10", "79001234567")).unwrap();
    for other in [request("11", "79001234567"), request("10", "79001234568")] {
        let error = journal.pay("order-3", &other).unwrap_err();
        assert_eq!((error.code(), error.outcome()), (Code::InvalidArgument, Outcome::NotSent));
    }
    assert_eq!(shop.sandbox.requests("newPayment"), 1);
}
