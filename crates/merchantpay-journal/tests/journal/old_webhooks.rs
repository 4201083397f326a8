//! Old genuine webhooks of other orders that come to an attempt's URL: somebody has read its token in a log.

use merchantpay::PaymentRequest;
use merchantpay_journal::{Attention, Entry, Journal, Reason, Standing};
use merchantpay_sandbox::{Delivery, Fault};

use crate::progress::settle_until;
use crate::shop::{PATIENCE, Shop, request};

/// Where another program takes its webhooks.
const ANOTHER: &str = "http://127.0.0.1:9/another";

/// An order that another program of the merchant made, and a webhook of its end.
fn another_order(shop: &Shop, asked: &PaymentRequest, kind: &str) -> Delivery {
    let asked = asked.clone().credentials_webhook_url(ANOTHER).status_webhook_url(ANOTHER);
    let order = shop.client.new_payment_async(&asked).unwrap();
    if kind == "status" {
        shop.sandbox.wait_for_delivery(order.order_id(), "credentials", PATIENCE).unwrap();
        shop.client.confirm(order.order_id()).unwrap();
    }
    shop.sandbox.wait_for_delivery(order.order_id(), kind, PATIENCE).unwrap()
}

/// A payment of 10 whose reply is lost, and the webhook that names it.
fn lost_reply(shop: &Shop, journal: &Journal) -> Delivery {
    shop.sandbox.misbehave(Fault::DropAfterCommit, Some("newPaymentAsync"), 1);
    assert_eq!(
        journal.pay_async("order", &request("10", "79001234567")).unwrap().standing(),
        Standing::Unknown
    );
    loop {
        match shop.sandbox.deliveries().into_iter().find(|delivery| delivery.url != ANOTHER) {
            Some(delivery) => break delivery,
            None => std::thread::yield_now(),
        }
    }
}

fn play(journal: &Journal, old: &Delivery, to: &Delivery) -> Entry {
    let received = journal.receive(&to.url, &old.body, &old.signature, None);
    assert_eq!(received.http_status, 200);
    received.entry.unwrap()
}

#[test]
fn an_old_order_that_failed_or_had_another_sum_leaves_a_lost_reply_unknown_for_a_person() {
    for (asked, kind) in
        [(request("10", "no-credentials"), "credentials_failed"), (request("11", "79001234567"), "status")]
    {
        let shop = Shop::new();
        let journal = shop.journal();
        let old = another_order(&shop, &asked, kind);
        let own = lost_reply(&shop, &journal);
        play(&journal, &old, &own);
        let entry = settle_until(&journal, "order", |entry| entry.standing() == Standing::Unknown);
        assert_eq!(
            (entry.order_id(), entry.payment(), entry.attention()),
            (None, None, &[Reason::Unknown, Reason::OrderUnproven][..])
        );
        // Nothing is paid again, and the message is shown to a person.
        let sent = shop.sandbox.requests("newPaymentAsync");
        assert_eq!(journal.pay_async("order", &request("10", "79001234567")).unwrap().attempt(), 1);
        assert_eq!(shop.sandbox.requests("newPaymentAsync"), sent);
        let is_kept =
            |item: &Attention| matches!(item, Attention::Orphan(orphan) if orphan.order_id == old.order_id);
        assert_eq!(journal.attention(10).unwrap().iter().filter(|item| is_kept(item)).count(), 1);
        // The callback of the order itself heals it all the same.
        let healed = play(&journal, &own, &own);
        assert_eq!(
            (healed.standing(), healed.order_id(), healed.attention()),
            (Standing::Open, Some(own.order_id.as_str()), &[][..])
        );
        assert!(healed.credentials().is_some());
        journal.confirm(&healed).unwrap();
        assert!(settle_until(&journal, "order", |entry| entry.standing() == Standing::Final).succeeded());
    }
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
