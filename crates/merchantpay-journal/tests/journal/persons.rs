//! What a person decides: resolve and replace.

use merchantpay::{Code, Outcome};
use merchantpay_journal::{Attention, IntentState, Journal, Reason, Resolution, Standing, Until};
use merchantpay_sandbox::Fault;

use crate::service::{Plan, Service};
use crate::shop::{PATIENCE, Shop, give, good, request, select, sql};

/// The reasons that `attention` lists.
fn reasons(journal: &Journal) -> Vec<Vec<Reason>> {
    let items = journal.attention(10).unwrap();
    assert_eq!(journal.stats().unwrap().attention, items.len() as u64, "the alarm counts what is listed");
    items
        .into_iter()
        .filter_map(
            |item| if let Attention::Entry { entry, .. } = item { Some(entry.attention) } else { None },
        )
        .collect()
}

#[test]
fn open_attempt_is_replaced_only_after_an_accepted_cancel() {
    let shop = Shop::new();
    let journal = shop.journal();
    let first = journal.pay("order", &good()).unwrap();
    assert_eq!(journal.replace("order", 1, &good()).unwrap().attempt, 1, "it is payable");
    let cancelled = journal.cancel(&first).unwrap();
    assert_eq!((cancelled.intent_state, &cancelled.credentials), (Some(IntentState::Accepted), &None));
    assert_eq!(journal.pay("order", &good()).unwrap().attempt, 1, "only replace makes another");
    let second = journal.replace("order", 1, &good()).unwrap();
    assert_eq!((second.attempt, second.credentials.is_some()), (2, true));
    assert_eq!(journal.replace("order", 1, &good()).unwrap().attempt, 2, "a double click");
    let all = merchantpay_journal::operator::Operator::of(&journal).attempts("order").unwrap();
    assert_eq!((all[0].standing, &all[0].credentials), (Standing::Superseded, &None));
    assert_eq!(shop.sandbox.requests("newPayment"), 2);
    assert_eq!(journal.replace("order", 7, &good()).unwrap_err().code(), Code::InvalidArgument);
}

#[test]
fn unknown_is_replaced_at_once_and_what_turns_up_is_cancelled() {
    let service = Service::new();
    let journal = service.journal();
    service.plan(Plan::Lost);
    journal.pay("order", &good()).unwrap();
    let second = journal.replace("order", 1, &good()).unwrap();
    assert_eq!((second.attempt, second.credentials.is_some()), (2, true));
    let first = service.send_status(&journal, 0).entry.unwrap();
    assert_eq!((first.standing, first.credentials), (Standing::Superseded, None));
    sql(&service.file(), "UPDATE merchantpay_attempts SET due_at = 1 WHERE attempt = 1");
    journal.settle(10).unwrap();
    assert_eq!(service.order(0).status, "doneFail");
    assert!(journal.find("order").unwrap().unwrap().credentials.is_some(), "the second one stays payable");
}

#[test]
fn replace_of_an_attempt_whose_order_cannot_be_asked_about_makes_nothing() {
    let service = Service::new();
    let journal = service.journal();
    let entry = journal.pay("order", &good()).unwrap();
    journal.cancel(&entry).unwrap();
    service.state().orders.clear();
    let error = journal.replace("order", 1, &good()).unwrap_err();
    assert_eq!((error.code(), error.outcome()), (Code::Rejected, Outcome::NotSent));
    assert_eq!(service.count("new"), 1);
}

#[test]
fn no_payment_frees_the_reference_and_a_payment_that_turns_up_is_not_shown() {
    let shop = Shop::new();
    let journal = shop.journal();
    shop.sandbox.misbehave(Fault::DropAfterCommit, Some("newPaymentAsync"), 1);
    let unknown = journal.pay_async("order", &good()).unwrap();
    assert!(reasons(&journal).is_empty(), "it may still come");
    sql(&shop.file(), "UPDATE merchantpay_attempts SET call_until = call_until - 200000");
    assert_eq!(reasons(&journal), [[Reason::Unknown]]);
    let refused = journal.resolve(&unknown, &Resolution::NoPayment, "support says so").unwrap();
    assert_eq!((refused.standing, refused.acknowledged), (Standing::Refused, false));
    assert!(reasons(&journal).is_empty());
    let notes = select(&shop.file(), "SELECT body FROM merchantpay_messages WHERE kind = 'note'");
    assert_eq!(notes, [Some("support says so".to_owned())]);
    let found = give(&journal, &shop.first_delivery()).entry.unwrap();
    assert_eq!((found.standing, found.credentials), (Standing::Refused, None));
    assert!(found.order_id.is_some(), "it is watched");
    assert_eq!(journal.pay_async("order", &good()).unwrap().attempt, 2);
}

#[test]
fn person_names_the_order_of_an_unknown_attempt() {
    let shop = Shop::new();
    let journal = shop.journal();
    let wrong = shop.client.new_payment(&request("11", "79001234567")).unwrap();
    let right = shop.client.new_payment(&good()).unwrap();
    shop.sandbox.misbehave(Fault::DropBeforeCommit, Some("newPayment"), 1);
    let unknown = journal.pay("order", &good()).unwrap();
    let name = |order_id: &str, sum: Option<&str>| {
        let sum = sum.map(|sum| sum.parse().unwrap());
        journal.resolve(&unknown, &Resolution::Order(order_id.to_owned(), sum), "support")
    };
    assert_eq!(name(wrong.order_id(), None).unwrap_err().code(), Code::InvalidArgument, "another sum");
    assert_eq!(name("sb-000000000000000000000000", None).unwrap_err().code(), Code::Rejected);
    let other = journal.pay("other", &good()).unwrap();
    assert_eq!(
        name(other.order_id.as_deref().unwrap(), None).unwrap_err().code(),
        Code::InvalidArgument,
        "taken"
    );
    let open = name(right.order_id(), None).unwrap();
    assert_eq!(
        (open.standing, open.order_id.as_deref(), open.credentials.is_some()),
        (Standing::Open, Some(right.order_id()), true)
    );
    assert_eq!(
        name(right.order_id(), None).unwrap_err().code(),
        Code::InvalidArgument,
        "it is not unknown any more"
    );
    assert!(reasons(&journal).is_empty());
}

#[test]
fn order_with_another_sum_is_bound_by_naming_that_sum_and_is_no_success() {
    let service = Service::new();
    let journal = service.journal();
    service.plan(Plan::Lost);
    let unknown = journal.pay("order", &request("1000", "79001234567")).unwrap();
    service.state().orders[0].sum = "900".to_owned();
    service.set(0, "doneSuccess");
    let order = |sum: Option<&str>| Resolution::Order("o-1".to_owned(), sum.map(|sum| sum.parse().unwrap()));
    assert!(journal.resolve(&unknown, &order(None), "support named it").is_err());
    let paid = journal.resolve(&unknown, &order(Some("900")), "support named it").unwrap();
    assert_eq!(
        (paid.standing, paid.succeeded, paid.sum_paid),
        (Standing::Final, false, Some("900".parse().unwrap()))
    );
    assert_eq!(paid.attention, [Reason::SumDiffers]);
    assert_eq!(journal.pay("order", &request("1000", "79001234567")).unwrap().attempt, 1, "a success blocks");
    assert_eq!(service.count("new"), 1);
}

#[test]
fn underpayment_is_no_success_and_needs_a_person() {
    let shop = Shop::new();
    let journal = shop.journal();
    let entry = journal.pay("order", &request("10", "pays-less")).unwrap();
    journal.confirm(&entry).unwrap();
    let end = journal.wait("order", Until::Final, PATIENCE).unwrap();
    assert_eq!(
        (end.standing, end.succeeded, end.attention.as_slice()),
        (Standing::Final, false, &[Reason::SumDiffers][..])
    );
    let seen = |reasons: &[Reason]| journal.resolve(&end, &Resolution::Seen(reasons.to_vec()), "refunded");
    assert_eq!(seen(&[]).unwrap_err().code(), Code::InvalidArgument, "what was seen must be named");
    assert_eq!(seen(&[Reason::Stuck]).unwrap_err().code(), Code::InvalidArgument, "nobody has seen that");
    let bit = Reason::StatusChanged.bit();
    sql(&shop.file(), &format!("UPDATE merchantpay_attempts SET attention = attention | {bit}"));
    let after = seen(&[Reason::SumDiffers]).unwrap();
    assert_eq!(after.attention, [Reason::StatusChanged], "what came meanwhile stays");
    assert!(seen(&[Reason::SumDiffers]).is_ok(), "it can be repeated");
}

#[test]
fn refused_cancel_of_a_replaced_attempt_is_repeated() {
    let service = Service::new();
    let journal = service.journal();
    service.plan(Plan::Lost);
    journal.pay("order", &good()).unwrap();
    journal.replace("order", 1, &good()).unwrap();
    service.send_status(&journal, 0);
    service.state().refuses_cancel = true;
    let settle = || {
        sql(&service.file(), "UPDATE merchantpay_attempts SET due_at = 1 WHERE attempt = 1");
        journal.settle(10).unwrap();
    };
    settle();
    let all = || merchantpay_journal::operator::Operator::of(&journal).attempts("order").unwrap();
    assert_eq!(all()[0].attention, [Reason::Stuck]);
    service.state().refuses_cancel = false;
    settle();
    assert_eq!(all()[0].intent_state, Some(IntentState::Accepted));
}
