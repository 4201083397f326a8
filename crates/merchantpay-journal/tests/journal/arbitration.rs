//! Final statuses that change, and receipts that are required again.

use merchantpay::Receipt;
use merchantpay_journal::{Intent, Reason, Standing};

use crate::service::{Plan, Service};
use crate::shop::{PATIENCE, Shop, acknowledge_all, give, good, request, sql};

#[test]
fn success_after_a_failure_is_news_and_forbids_another_payment() {
    for by_webhook in [true, false] {
        let service = Service::new();
        let journal = service.journal();
        journal.pay("order", &good()).unwrap();
        service.set(0, "doneFail");
        service.send_status(&journal, 0);
        let failed = journal.find("order").unwrap().unwrap();
        assert_eq!((failed.standing, failed.succeeded), (Standing::Final, false));
        assert_eq!(acknowledge_all(&journal).len(), 1);

        service.set(0, "doneSuccess");
        if by_webhook {
            assert_eq!(service.send_status(&journal, 0).http_status, 200);
        } else {
            // Its webhook is lost: a failure is watched.
            sql(&service.file(), "UPDATE merchantpay_attempts SET due_at = 1");
            assert_eq!(journal.settle(10).unwrap().done, 1);
        }
        let news = acknowledge_all(&journal);
        assert_eq!((news.len(), news[0].succeeded, news[0].sum_paid), (1, true, Some(news[0].sum_asked)));
        assert_eq!(news[0].attention, [Reason::StatusChanged]);
        let paid = journal.replace("order", 1, &good()).unwrap();
        assert_eq!((paid.attempt, paid.succeeded), (1, true));
        assert_eq!(journal.pay("order", &good()).unwrap().attempt, 1);
        assert_eq!(service.count("new"), 1);
    }
}

#[test]
fn replace_asks_first_and_finds_the_success() {
    let service = Service::new();
    let journal = service.journal();
    journal.pay("order", &good()).unwrap();
    service.set(0, "doneFail");
    service.send_status(&journal, 0);
    service.set(0, "doneSuccess");
    let paid = journal.replace("order", 1, &good()).unwrap();
    assert_eq!((paid.attempt, paid.succeeded), (1, true));
    assert_eq!(service.count("new"), 1);
}

#[test]
fn attempt_that_replaced_a_late_success_is_hidden_and_cancelled() {
    let service = Service::new();
    let journal = service.journal();
    journal.pay("order", &good()).unwrap();
    service.set(0, "doneFail");
    service.send_status(&journal, 0);
    let second = journal.replace("order", 1, &good()).unwrap();
    assert_eq!((second.attempt, second.credentials.is_some()), (2, true));
    service.set(0, "doneSuccess");
    let first = service.send_status(&journal, 0).entry.unwrap();
    assert_eq!((first.attempt, first.standing, first.succeeded), (1, Standing::Superseded, true));
    assert_eq!(first.attention, [Reason::PaidUnasked, Reason::StatusChanged]);
    let hidden = journal.find("order").unwrap().unwrap();
    assert_eq!((hidden.attempt, hidden.credentials), (2, None), "nobody may pay beside a success");
    assert!(journal.news(10).unwrap().iter().all(|entry| entry.credentials.is_none()));
    sql(&service.file(), "UPDATE merchantpay_attempts SET due_at = 1 WHERE attempt = 2");
    journal.settle(10).unwrap();
    let cancelled = journal.find("order").unwrap().unwrap();
    assert_eq!(cancelled.intent, Some(Intent::Cancel));
    assert_eq!(service.order(1).status, "doneFail");
}

#[test]
fn receipt_that_is_required_again_is_news_again() {
    let shop = Shop::new();
    let journal = shop.journal();
    let entry = journal.pay("order", &request("10", "arbitration-again")).unwrap();
    acknowledge_all(&journal);
    journal.confirm(&entry).unwrap();
    let order_id = entry.order_id.clone().unwrap();
    give(&journal, &shop.delivery(&order_id, "status"));
    let first = acknowledge_all(&journal);
    assert_eq!(first[0].status.as_ref().map(|status| status.as_str()), Some("receiptRequired"));
    // Nobody asks, and no webhook comes, until the next receipt is required.
    let mut receipt = Receipt::new(&order_id);
    receipt.add_bytes("receipt.pdf", "application/pdf", b"%PDF-1.4 first".as_slice()).unwrap();
    shop.client.derive(PATIENCE).attach_receipt(&receipt).unwrap();
    while shop.client.get_status(&order_id).unwrap().status() != first[0].status.as_ref() {
        std::thread::yield_now();
    }
    sql(&shop.file(), "UPDATE merchantpay_attempts SET due_at = 1");
    journal.settle(10).unwrap();
    let second = acknowledge_all(&journal);
    assert_eq!(second.len(), 1);
    assert!(second[0].news > first[0].news);
    // Another program attached it: the next webhook has the same body.
    let again = shop.delivery(&order_id, "status");
    assert_eq!(give(&journal, &again).http_status, 200);
    assert_eq!(acknowledge_all(&journal).len(), 1);
}

#[test]
fn corrected_sum_is_asked_about_and_never_promoted() {
    for (first, second) in [("9", "10"), ("10", "9")] {
        let service = Service::new();
        let journal = service.journal();
        journal.pay("order", &good()).unwrap();
        service.set(0, "doneSuccess");
        service.state().orders[0].sum = first.to_owned();
        service.send_status(&journal, 0);
        acknowledge_all(&journal);
        service.state().orders[0].sum = second.to_owned();
        let entry = service.send_status(&journal, 0).entry.unwrap();
        assert_eq!((entry.sum_paid, entry.succeeded), (Some(second.parse().unwrap()), false));
        assert!(entry.attention.contains(&Reason::SumDiffers), "{entry:?}");
        assert_eq!(acknowledge_all(&journal).len(), 1);
    }
}

#[test]
fn second_success_of_a_reference_has_not_succeeded() {
    let service = Service::new();
    let journal = service.journal();
    service.plan(Plan::Lost);
    journal.pay("order", &good()).unwrap();
    let second = journal.replace("order", 1, &good()).unwrap();
    assert_eq!(second.attempt, 2);
    for place in [1, 0] {
        service.set(place, "pending");
        service.send_status(&journal, place);
        service.set(place, "doneSuccess");
        service.send_status(&journal, place);
        sql(&service.file(), "UPDATE merchantpay_attempts SET due_at = 1 WHERE due_at IS NOT NULL");
        journal.settle(10).unwrap();
    }
    let operator = merchantpay_journal::operator::Operator::of(&journal);
    let succeeded: Vec<bool> =
        operator.attempts("order").unwrap().iter().map(|entry| entry.succeeded).collect();
    assert_eq!(succeeded, [false, true]);
    let first = &operator.attempts("order").unwrap()[0];
    assert_eq!(first.attention, [Reason::PaidUnasked], "{first:?}");
}
