//! An attacker read an attempt's token in a log, and sends old genuine webhooks of other orders to the
//! attempt's URL.

use merchantpay::PaymentRequest;
use merchantpay_journal_old::{Attention, Entry, Journal, Level, Reason, Standing};
use merchantpay_sandbox::{Delivery, Fault};

use crate::progress::settle_until;
use crate::shop::{PATIENCE, Shop, give, request};

/// Another program's callback URL.
const ANOTHER: &str = "http://127.0.0.1:9/another";

/// Makes an order of another program of the merchant. Returns the webhook about the end of that order.
fn another_order(shop: &Shop, asked: &PaymentRequest, kind: &str) -> Delivery {
    let asked = asked.clone().credentials_webhook_url(ANOTHER).status_webhook_url(ANOTHER);
    let order = shop.client.new_payment_async(&asked).unwrap();
    if kind == "status" {
        shop.sandbox.wait_for_delivery(order.order_id(), "credentials", PATIENCE).unwrap();
        shop.client.confirm(order.order_id()).unwrap();
    }
    shop.sandbox.wait_for_delivery(order.order_id(), kind, PATIENCE).unwrap()
}

impl Shop {
    /// Waits for a webhook of an order. The test does not know the order id.
    pub fn delivery(&self, wanted: impl Fn(&Delivery) -> bool) -> Delivery {
        loop {
            match self.sandbox.deliveries().into_iter().find(&wanted) {
                Some(delivery) => break delivery,
                None => std::thread::yield_now(),
            }
        }
    }
}

/// Makes a payment of 10 and loses the reply. Returns the webhook that names the payment's order.
fn lost_reply(shop: &Shop, journal: &Journal) -> Delivery {
    shop.sandbox.misbehave(Fault::DropAfterCommit, Some("newPaymentAsync"), 1);
    assert_eq!(
        journal.pay_async("order", &request("10", "79001234567")).unwrap().standing(),
        Standing::Unknown
    );
    shop.delivery(|delivery| delivery.url != ANOTHER)
}

fn play(journal: &Journal, old: &Delivery, to: &Delivery) -> Entry {
    let received = journal.receive(&to.url, &old.body, &old.signature, None);
    assert_eq!(received.http_status, 200);
    received.entry.unwrap()
}

#[test]
fn an_old_order_of_another_sum_leaves_a_lost_reply_unknown_for_an_operator() {
    let shop = Shop::new();
    let journal = shop.journal();
    let old = another_order(&shop, &request("11", "79001234567"), "status");
    let own = lost_reply(&shop, &journal);
    play(&journal, &old, &own);
    let entry = settle_until(&journal, "order", |entry| entry.standing() == Standing::Unknown);
    assert_eq!(
        (entry.order_id(), entry.payment(), entry.attention()),
        (None, None, &[Reason::Unknown, Reason::OrderUnproven][..])
    );
    // No second payment is made, and an operator sees the message.
    let sent = shop.sandbox.requests("newPaymentAsync");
    assert_eq!(journal.pay_async("order", &request("10", "79001234567")).unwrap().attempt(), 1);
    assert_eq!(shop.sandbox.requests("newPaymentAsync"), sent);
    assert!(has_orphan(&journal, &old.order_id));
    // The webhook of the attempt's own order makes the credentials known.
    let known = play(&journal, &own, &own);
    assert_eq!(
        (known.standing(), known.order_id(), known.attention()),
        (Standing::Open, Some(own.order_id.as_str()), &[][..])
    );
    assert!(known.credentials().is_some());
    journal.confirm(&known).unwrap();
    assert!(settle_until(&journal, "order", |entry| entry.standing() == Standing::Final).succeeded());
}

fn has_orphan(journal: &Journal, order_id: &str) -> bool {
    let is_it = |item: &Attention| matches!(item, Attention::Orphan(orphan) if orphan.order_id == order_id);
    journal.attention(10).unwrap().iter().any(is_it)
}

/// An old webhook of a failed order can make an attempt with a lost response `refused`. Then the service can
/// make two payments. The design accepts this, because only the credentials of the second payment are shown.
#[test]
fn an_old_order_that_failed_refuses_a_lost_reply_whose_credentials_stay_hidden() {
    let shop = Shop::new();
    let journal = shop.journal();
    let old = another_order(&shop, &request("10", "no-credentials"), "credentials_failed");
    let own = lost_reply(&shop, &journal);
    play(&journal, &old, &own);
    let refused = settle_until(&journal, "order", |entry| entry.standing() == Standing::Refused);
    assert_eq!((refused.order_id(), refused.attention()), (Some(old.order_id.as_str()), &[][..]));
    assert_eq!(journal.pay_async("order", &request("10", "79001234567")).unwrap().attempt(), 2);
    // The wrong order stays bound to the attempt. So the attempt's own webhook becomes an orphan. The
    // credentials in this webhook are not shown.
    let received = journal.receive(&own.url, &own.body, &own.signature, None);
    assert_eq!((received.http_status, received.entry.unwrap().credentials()), (409, None));
    assert!(has_orphan(&journal, &own.order_id));
    assert_eq!(journal.find("order").unwrap().unwrap().earlier()[0].credentials(), None);
}

#[test]
fn lost_responses_whose_payments_expire_are_closed_without_an_operator() {
    const COUNT: usize = 5;
    let shop = Shop::new();
    let journal = shop.journal();
    shop.sandbox.misbehave(Fault::DropAfterCommit, Some("newPayment"), 5);
    for number in 0..COUNT {
        let entry = journal.pay(&format!("order-{number}"), &request("10", "never-pays")).unwrap();
        assert_eq!((entry.standing(), entry.attempt()), (Standing::Unknown, 1));
    }
    let is_delivered =
        || shop.sandbox.deliveries().iter().filter(|delivery| delivery.kind == "status").count() == COUNT;
    while !is_delivered() {
        std::thread::yield_now();
    }
    for delivery in shop.sandbox.deliveries() {
        assert_eq!(give(&journal, &delivery).http_status, 200);
    }
    for number in 0..COUNT {
        let reference = format!("order-{number}");
        let refused = settle_until(&journal, &reference, |entry| entry.standing() == Standing::Refused);
        assert_eq!((refused.reported(), refused.attention()), (Level::Refused, &[][..]));
        let next = journal.pay(&reference, &request("10", "79001234567")).unwrap();
        assert_eq!((next.attempt(), next.credentials().is_some()), (2, true));
    }
    assert!(journal.attention(10).unwrap().is_empty());
    assert_eq!(shop.sandbox.requests("newPayment"), 2 * COUNT as u64);
}

#[test]
fn a_failure_after_credentials_by_webhook_alone_is_final_and_nothing_is_paid_again() {
    let shop = Shop::new();
    let journal = shop.journal();
    let own = lost_reply(&shop, &journal);
    let healed = play(&journal, &own, &own);
    shop.client.cancel(healed.order_id().unwrap()).unwrap();
    let end = settle_until(&journal, "order", |entry| entry.standing() == Standing::Final);
    assert_eq!((end.succeeded(), end.attention()), (false, &[][..]));
    assert_eq!(journal.pay_async("order", &request("10", "79001234567")).unwrap().attempt(), 1);
}
