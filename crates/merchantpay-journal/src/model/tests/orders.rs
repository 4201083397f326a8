//! What reports, hints and replies do to a row.

use super::*;
use crate::model::attempt::{Intent, IntentState, Reason};
use crate::model::call::{self, CallEnd};
use crate::model::clock::{DAY, MINUTE};
use crate::model::decision::{Call, IfChanged};
use crate::model::hint::{Hint, Webhook, contradicts, hinted, questions, received};
use crate::model::instruction::instruct;
use crate::model::report::MessageKind;
use crate::model::{instruction, news, upkeep};

fn has(row: &Attempt, reason: Reason) -> bool {
    row.attention & reason.bit() != 0
}

#[test]
fn only_the_asked_sum_succeeds() {
    for (sum, succeeded) in
        [("100", true), ("100.00", true), ("99.99", false), ("100.01", false), ("", false)]
    {
        let row = answered(&open(), report("doneSuccess", sum));
        assert_eq!((row.state, row.succeeded()), (State::Final, succeeded), "{sum}");
        assert_eq!(has(&row, Reason::SumDiffers), !succeeded, "{sum}");
        assert!(is_news(&open(), &row) && row.due_at.is_none());
    }
    assert!(!Attempt { success_of: Some("r".to_owned()), ..ended("doneFail") }.succeeded());
}

#[test]
fn success_is_never_promoted_later() {
    let short = answered(&open(), report("doneSuccess", "90"));
    let corrected = answered(&Attempt { attention: 0, ..short.clone() }, report("doneSuccess", "100"));
    assert!(!corrected.succeeded() && is_news(&short, &corrected) && has(&corrected, Reason::StatusChanged));
    assert_eq!(corrected.sum_paid, Some(corrected.sum_asked));
    let lowered = answered(&ended("doneSuccess"), report("doneSuccess", "90"));
    assert!(!lowered.succeeded() && lowered.success_of.is_none() && has(&lowered, Reason::SumDiffers));
}

#[test]
fn second_success_is_paid_unasked() {
    let others = [Attempt { attempt: 2, ..ended("doneSuccess") }];
    let beside = Beside::of(&others);
    let row = open();
    let answer = Answer::Report(report("doneSuccess", "100"));
    let row = after(&row, order::answered(&row, &answer, beside, &now()));
    assert!(!row.succeeded() && has(&row, Reason::PaidUnasked));
    // The first success of a reference has succeeded, also that of a replaced or refused attempt.
    for row in
        [Attempt { replaced: true, ..open() }, Attempt { order_id: Some("o1".to_owned()), ..refused() }]
    {
        let row = answered(&row, report("doneSuccess", "100"));
        assert!(row.succeeded() && has(&row, Reason::PaidUnasked), "{row:?}");
    }
}

#[test]
fn failure_refuses_only_what_nobody_saw() {
    let unseen = Attempt { details: None, ..open() };
    for (row, state) in [
        (open(), State::Final),
        (unseen.clone(), State::Refused),
        (Attempt { restored: true, ..unseen }, State::Final),
    ] {
        for status in ["doneFail", "arbitrageCancelledByMerchant"] {
            let row = answered(&row, report(status, "100"));
            assert_eq!((row.state, row.due_at.is_some()), (state, state == State::Final), "{row:?}");
            assert!(row.news > 0);
        }
    }
    let refused = Attempt { order_id: open().order_id, ..refused() };
    let failed = answered(&refused, report("doneFail", "100"));
    assert!(failed.state == State::Refused && !is_news(&refused, &failed));
}

#[test]
fn details_of_a_final_status_are_stored_unless_refused() {
    let unseen = Attempt { details: None, ..open() };
    for (row, status, is_stored) in
        [(open(), "doneSuccess", true), (open(), "doneFail", true), (unseen, "doneFail", false)]
    {
        let details = answered(&row, report(status, "100")).details.unwrap_or_default();
        assert_eq!(details.contains("orderId"), is_stored, "{row:?} {status}");
    }
}

#[test]
fn changed_final_status_is_news_and_attention() {
    let failed = Attempt { seen: Reason::StatusChanged.bit(), ..ended("doneFail") };
    let paid = answered(&failed, report("doneSuccess", "100"));
    assert!(paid.succeeded() && is_news(&failed, &paid) && has(&paid, Reason::StatusChanged));
    assert!(!has(&paid, Reason::PaidUnasked) && paid.seen == 0);
    let back = answered(&paid, report("doneFail", "100"));
    assert!(!back.succeeded() && back.success_of.is_none() && is_news(&paid, &back) && back.due_at.is_some());
    for row in [back, ended("doneSuccess")] {
        let same = answered(&row, report(row.status.as_deref().unwrap(), "100"));
        assert!(!is_news(&row, &same), "{row:?}");
    }
}

#[test]
fn answer_about_another_order_changes_nothing() {
    let other = Report { order_id: "o2".to_owned(), ..report("doneSuccess", "100") };
    let decision = order::answered(&open(), &Answer::Report(other), Beside::default(), &now());
    assert_eq!(decision, Decision::default());
}

#[test]
fn final_order_that_is_not_found_is_watched_on() {
    for (row, due_at) in [(ended("doneFail"), Some(NOW + DAY)), (ended("doneSuccess"), None)] {
        let decision = order::answered(&row, &Answer::NotFound(problem()), Beside::default(), &now());
        assert_eq!(after(&row, decision).due_at, due_at, "{row:?}");
    }
}

#[test]
fn each_required_receipt_is_news() {
    let first = answered(&open(), report("receiptRequired", "100"));
    assert!(is_news(&open(), &first));
    let again = answered(&first, report("receiptRequired", "100"));
    assert!(!is_news(&first, &again));
    let verified = answered(&again, report("pending", "100"));
    let second = answered(&verified, report("receiptRequired", "100"));
    assert!(!is_news(&again, &verified) && is_news(&verified, &second));
    let webhook = Webhook {
        order_id: second.order_id.clone().unwrap(),
        kind: MessageKind::Status,
        status: second.status.clone(),
        sum: second.sum_paid,
        is_new: false,
    };
    assert_eq!(received(&second, &webhook, &now()), Decision::default(), "not acknowledged yet");
    let acknowledged = Attempt { acked: second.news, ..second.clone() };
    let told = after(&acknowledged, received(&acknowledged, &webhook, &now()));
    let third = answered(&told, report("receiptRequired", "100"));
    assert!(!is_news(&acknowledged, &told) && is_news(&told, &third) && !third.receipt_given);
    assert_eq!(order::receipt_attached(&verified, &now()), Decision::default());
    let attached = after(&second, order::receipt_attached(&second, &now()));
    for row in [&told, &attached] {
        assert!(row.receipt_given && !row.shows_credentials(&[]), "the customer has paid");
        assert_eq!(after(row, received(row, &webhook, &now())).due_at, Some(NOW));
    }
    assert!(is_news(&attached, &answered(&attached, report("receiptRequired", "100"))));
    assert!(!is_news(&told, &answered(&told, report("pending", "100"))));
}

#[test]
fn credentials_for_another_sum_are_not_stored() {
    let row = Attempt { details: None, sum_paid: None, ..open() };
    for (report, stored) in [
        (report("pending", "100"), true),
        (report("pending", "10"), false),
        (report("pending", ""), false),
        (Report { currency: Some("USD".to_owned()), ..report("pending", "100") }, false),
    ] {
        let next = answered(&row, with_credentials(report));
        assert_eq!((next.has_credentials(), is_news(&row, &next)), (stored, stored));
        assert_eq!(has(&next, Reason::SumDiffers), !stored);
    }
    let none = answered(&row, report("pending", "10"));
    assert!(none.details.is_some() && !has(&none, Reason::SumDiffers));
}

#[test]
fn no_credentials_refuses_only_what_has_none() {
    let without = Attempt { details: None, ..open() };
    let beside = Beside { others: &[], no_credentials: true };
    for (row, report, state) in [
        (without.clone(), report("pending", "100"), State::Refused),
        (without.clone(), with_credentials(report("pending", "100")), State::Open),
        (without.clone(), report("doneSuccess", "100"), State::Final),
        (Attempt { restored: true, ..without }, report("pending", "100"), State::Open),
        (open(), report("pending", "100"), State::Open),
    ] {
        let next = after(&row, order::answered(&row, &Answer::Report(report), beside, &now()));
        assert_eq!(next.state, state, "{row:?}");
        assert!(state != State::Refused || next.due_at.is_some() && is_news(&row, &next));
    }
}

#[test]
fn unwanted_order_is_cancelled_until_accepted() {
    let replaced = Attempt { replaced: true, ..open() };
    let pending = Answer::Report(report("pending", "100"));
    let decision = order::answered(&replaced, &pending, Beside::default(), &now());
    assert_eq!(decision.call, Some(Call::Instruct(Intent::Cancel)));
    let cancelling = after(&replaced, decision);
    let refusal = CallEnd::Refused(problem());
    let refused = after(
        &cancelling,
        instruction::answered(&cancelling, Intent::Cancel, &refusal, None, Beside::default(), &now()),
    );
    assert!(refused.intent_state == Some(IntentState::Refused) && has(&refused, Reason::Stuck));
    let again = order::answered(&refused, &pending, Beside::default(), &now());
    assert_eq!(again.call, Some(Call::Instruct(Intent::Cancel)));
    let again = after(&refused, again);
    let end = CallEnd::Accepted(());
    let decision = instruction::answered(&again, Intent::Cancel, &end, None, Beside::default(), &now());
    let accepted = after(&again, decision);
    assert_eq!(order::answered(&accepted, &pending, Beside::default(), &now()).call, None);
    // Beside a success the same.
    let others = [Attempt { attempt: 2, ..ended("doneSuccess") }];
    let beside = Beside::of(&others);
    let call = order::answered(&open(), &pending, beside, &now()).call;
    assert_eq!(call, Some(Call::Instruct(Intent::Cancel)));
    assert_eq!(order::answered(&open(), &pending, Beside::default(), &now()).call, None);
}

#[test]
fn repeated_refusal_asks_the_status_first() {
    let stored = after(&open(), instruct(&open(), Intent::Confirm, &now()));
    assert!(!instruction::refusal_needs_status(&stored));
    let again = instruct(&stored, Intent::Confirm, &now());
    assert_eq!(again.call, Some(Call::Ask));
    assert_eq!(after(&stored, again).due_at, Some(NOW + MINUTE));
    let twice = Attempt { intent_calls: 2, ..stored.clone() };
    let refusal = CallEnd::Refused(problem());
    let end = |asked: Option<&Answer>| {
        after(
            &twice,
            instruction::answered(&twice, Intent::Confirm, &refusal, asked, Beside::default(), &now()),
        )
    };
    assert!(instruction::refusal_needs_status(&twice));
    assert_eq!(end(Some(&Answer::Failed(problem()))).intent_state, Some(IntentState::Stored));
    let pending = end(Some(&Answer::Report(report("pending", "100"))));
    assert!(pending.intent_state == Some(IntentState::Refused) && has(&pending, Reason::Stuck));
    let paid = end(Some(&Answer::Report(report("doneSuccess", "100"))));
    assert!(paid.succeeded() && paid.intent_state == Some(IntentState::Accepted));
    // What the service has answered is not sent again.
    for state in [IntentState::Refused, IntentState::Accepted] {
        let answered = Attempt { intent_state: Some(state), ..stored.clone() };
        let pending = Answer::Report(report("pending", "100"));
        assert_eq!(order::answered(&answered, &pending, Beside::default(), &now()).call, None);
    }
    let seen = Attempt { seen: Reason::Stuck.bit() | Reason::Unknown.bit(), ..open() };
    assert_eq!(after(&seen, instruct(&seen, Intent::Confirm, &now())).seen, Reason::Unknown.bit());
    // A newer instruction takes the place, and the count goes on; an accepted cancel stays.
    let cancel = after(&stored, instruct(&stored, Intent::Cancel, &now()));
    assert_eq!((cancel.intent, cancel.intent_calls), (Some(Intent::Cancel), 2));
    let accepted = Attempt { intent_state: Some(IntentState::Accepted), ..cancel };
    assert_eq!(instruct(&accepted, Intent::Confirm, &now()), Decision::default());
    assert!(!accepted.shows_credentials(&[]) && open().shows_credentials(&[]));
}

#[test]
fn hint_is_bound_only_with_every_proof() {
    let hint = Hint { order_id: "o1".to_owned(), tokens: 1, is_taken: false };
    let twice = Hint { tokens: 2, ..hint.clone() };
    let taken = Hint { is_taken: true, ..hint.clone() };
    let (bound, left, later) = (Some("o1"), None, None);
    for (row, hint, report, order, attention) in [
        (unknown(), &hint, report("pending", "100"), bound, false),
        (unknown(), &hint, report("free", "100"), bound, false),
        (sent(), &hint, report("free", "100"), bound, false),
        (refused(), &hint, report("pending", "100"), bound, false),
        (unknown(), &hint, report("doneFail", "100"), bound, false),
        (sent(), &hint, report("doneFail", "100"), later, false),
        (unknown(), &hint, report("doneSuccess", "100"), left, true),
        (unknown(), &hint, report("receiptRequired", "100"), left, true),
        (unknown(), &hint, report("arbitrageCancelledByMerchant", "100"), left, true),
        (unknown(), &hint, report("paused", "100"), left, true),
        (unknown(), &hint, report("pending", "10"), left, true),
        (unknown(), &hint, report("pending", ""), left, true),
        (unknown(), &twice, report("pending", "100"), left, true),
        (unknown(), &taken, report("pending", "100"), left, true),
    ] {
        let answers = [(hint.clone(), Answer::Report(report.clone()))];
        let next = after(&row, hinted(&row, &answers, Beside::default(), &now()));
        assert_eq!(
            (next.order_id.as_deref(), has(&next, Reason::OrderUnproven)),
            (order, attention),
            "{report:?}"
        );
        let is_over = attention || order.is_some() && report.status.as_deref() == Some("doneFail");
        assert_eq!(next.due_at.is_none(), is_over, "{report:?}");
    }
    let restored = Attempt { restored: true, ..unknown() };
    assert!(questions(&restored, std::slice::from_ref(&hint)).is_empty());
    let answers = [(hint.clone(), Answer::Report(report("pending", "100")))];
    let due = Attempt { due_at: Some(NOW), ..restored };
    let left = after(&due, hinted(&due, &[], Beside::default(), &now()));
    assert!(left.due_at.is_none() && left.order_id.is_none() && has(&left, Reason::OrderUnproven));
    let held = Attempt { attention: Reason::OrderUnproven.bit(), ..unknown() };
    let bound = after(&held, hinted(&held, &answers, Beside::default(), &now()));
    assert!(bound.order_id.is_some() && !has(&bound, Reason::OrderUnproven));
    let decision = hinted(&sent(), &[(hint, Answer::NotFound(problem()))], Beside::default(), &now());
    assert_eq!(after(&sent(), decision).due_at, sent().call_until);
}

#[test]
fn of_two_proven_orders_none_is_bound() {
    let hint = |id: &str| Hint { order_id: id.to_owned(), tokens: 1, is_taken: false };
    let other = Report { order_id: "o2".to_owned(), ..report("pending", "100") };
    for (answer, order_id, is_left, is_due) in [
        (Answer::Report(other), None, true, false),
        // It may be proven later.
        (Answer::Failed(problem()), None, false, true),
        (Answer::NotFound(problem()), Some("o1"), false, true),
    ] {
        let answers = [(hint("o1"), Answer::Report(report("pending", "100"))), (hint("o2"), answer)];
        let row = after(&unknown(), hinted(&unknown(), &answers, Beside::default(), &now()));
        assert_eq!((row.order_id.as_deref(), row.due_at.is_some()), (order_id, is_due));
        assert_eq!(has(&row, Reason::OrderUnproven), is_left);
    }
}

#[test]
fn webhook_makes_due_unless_the_row_says_the_same() {
    let webhook = |kind, status: &str| Webhook {
        order_id: "o1".to_owned(),
        kind,
        status: (!status.is_empty()).then(|| status.to_owned()),
        sum: None,
        is_new: true,
    };
    let of_sum = |webhook: Webhook, sum: &str| Webhook { sum: Some(sum.parse().unwrap()), ..webhook };
    let (status, credentials) = (MessageKind::Status, MessageKind::Credentials);
    let none = MessageKind::NoCredentials;
    for (row, webhook, is_due) in [
        (open(), webhook(status, "doneSuccess"), true),
        (ended("doneFail"), webhook(status, "doneFail"), false),
        (ended("doneFail"), webhook(status, "doneSuccess"), true),
        (open(), webhook(credentials, ""), false),
        (Attempt { details: None, ..open() }, webhook(credentials, ""), true),
        (Attempt { details: None, ..open() }, webhook(none, ""), true),
        (open(), webhook(none, ""), false),
        (sent(), webhook(status, "doneFail"), true),
        (sent(), webhook(none, ""), true),
        (refused(), webhook(credentials, ""), true),
        (ended("doneSuccess"), of_sum(webhook(status, "doneSuccess"), "100"), false),
        (ended("doneSuccess"), of_sum(webhook(status, "doneSuccess"), "90"), true),
        (ended("doneFail"), of_sum(webhook(status, "doneFail"), "90"), false),
    ] {
        let row = Attempt { due_at: None, ..row };
        assert_eq!(
            after(&row, received(&row, &webhook, &now())).due_at,
            is_due.then_some(NOW),
            "{webhook:?}"
        );
    }
    let other = Attempt { order_id: Some("o2".to_owned()), ..open() };
    let webhook = webhook(status, "doneSuccess");
    assert!(contradicts(&other, &webhook) && !contradicts(&open(), &webhook));
    for row in [other, Attempt { restored: true, ..refused() }] {
        let seen = Attempt { seen: Reason::OrderUnproven.bit(), ..row };
        assert!(has(&after(&seen, received(&seen, &webhook, &now())), Reason::OrderUnproven));
        let repeated = Webhook { is_new: false, ..webhook.clone() };
        assert!(!has(&after(&seen, received(&seen, &repeated, &now())), Reason::OrderUnproven));
    }
    let seen = Attempt { seen: Reason::OrderUnproven.bit() | Reason::Unknown.bit(), ..refused() };
    assert_eq!(after(&seen, received(&seen, &webhook, &now())).seen, Reason::Unknown.bit());
    let repeated = Webhook { is_new: false, ..webhook };
    assert_eq!(after(&seen, received(&seen, &repeated, &now())).seen, seen.seen);
}

#[test]
fn end_of_the_call_row_by_row() {
    let reply = || CallEnd::Accepted(with_credentials(report("", "100")));
    let end =
        |row: &Attempt, token: &str, end: CallEnd, is_taken| call::ended(row, token, &end, is_taken, &now());
    let opened = after(&sent(), end(&sent(), "t1", reply(), false));
    assert!(opened.state == State::Open && opened.shows_credentials(&[]) && is_news(&sent(), &opened));
    assert_eq!((opened.call_until, opened.order_id.as_deref()), (None, Some("o1")));
    assert!(call::shows_reply(&opened, "t1", "o1", &[]) && !call::shows_reply(&opened, "t0", "o1", &[]));
    for (row, token, is_taken, attention) in [
        (sent(), "t0", false, false),
        (sent(), "t1", true, true),
        (Attempt { order_id: Some("o2".to_owned()), ..open() }, "t1", false, true),
    ] {
        let decision = end(&row, token, reply(), is_taken);
        assert!(decision.keep_reply);
        let next = after(&row, decision);
        assert_eq!((next.state, has(&next, Reason::OrderUnproven)), (row.state, attention));
    }
    // A webhook may have bound the order before its reply arrives.
    let bare = Attempt { details: None, ..open() };
    let shown = after(&bare, end(&bare, "t1", reply(), false));
    assert!(shown.has_credentials() && is_news(&bare, &shown));
    let other = Report { details: r#"{"payeeAccount":"2"}"#.to_owned(), ..report("", "100") };
    let kept = after(&open(), end(&open(), "t1", CallEnd::Accepted(other), false));
    assert!(kept.details == open().details && !is_news(&open(), &kept));
    let late = after(&refused(), end(&refused(), "t1", reply(), false));
    assert!(late.state == State::Refused && late.order_id.is_some() && late.due_at.is_some());
    assert!(!late.has_credentials());
    let due = Attempt { due_at: sent().call_until, ..sent() };
    let lost = after(&due, end(&due, "t1", CallEnd::Unclear(problem()), false));
    assert_eq!((lost.state, lost.call_until, lost.due_at), (State::Sent, Some(NOW), Some(NOW)));
    let unsent = after(&sent(), end(&sent(), "t1", CallEnd::NotSent(problem()), false));
    assert!(unsent.state == State::Refused && unsent.not_sent && unsent.error.is_some());
    let rejected = after(&sent(), end(&sent(), "t1", CallEnd::Refused(problem()), false));
    assert!(rejected.state == State::Refused && !rejected.not_sent);
    for row in [open(), ended("doneSuccess")] {
        for late in [CallEnd::Refused(problem()), CallEnd::Unclear(problem())] {
            assert_eq!(end(&row, "t1", late, false), Decision::default());
        }
    }
}

#[test]
fn older_answer_is_dropped_and_own_end_decided_again() {
    let if_changed = |decision: Decision| match decision.write {
        Some(Write::Update(update)) => update.if_changed,
        write => panic!("{write:?}"),
    };
    let answer = Answer::Report(report("pending", "100"));
    let answered = order::answered(&open(), &answer, Beside::default(), &now());
    assert_eq!(if_changed(answered), IfChanged::Drop);
    let end = CallEnd::Unclear(problem());
    assert_eq!(if_changed(call::ended(&sent(), "t1", &end, false, &now())), IfChanged::DecideAgain);
}

#[test]
fn purged_row_stays_without_details() {
    let done = Attempt { news: 5, acked: 5, ..ended("doneFail") };
    let purged = after(&done, upkeep::purge(&done, &now()));
    assert!(purged.is_purged() && purged.details.is_none() && purged.sum_paid == done.sum_paid);
    let paid = answered(&purged, with_credentials(report("doneSuccess", "100")));
    assert!(paid.succeeded() && paid.details.is_none() && is_news(&purged, &paid));
    let refusal = Problem { description: Some("Ivan".to_owned()), ..problem() };
    for answer in [Answer::NotFound(refusal.clone()), Answer::Failed(refusal)] {
        let failed = after(&purged, order::answered(&purged, &answer, Beside::default(), &now()));
        assert_eq!(failed.error, problem().json(), "no text of the service that may name a customer");
    }
    for row in [
        Attempt { news: 6, ..done.clone() },
        Attempt { attention: Reason::Stuck.bit(), ..done.clone() },
        Attempt { due_at: Some(NOW), ..done.clone() },
        Attempt { due_at: None, ..open() },
    ] {
        assert_eq!(upkeep::purge(&row, &now()), Decision::default(), "{row:?}");
    }
    let watched = Attempt { due_at: Some(NOW + 9), ..done };
    assert!(after(&watched, upkeep::forget(&watched, &now())).due_at.is_none());
    let cancelled = Attempt { replaced: true, news: 0, ..open() };
    assert_eq!(upkeep::forget(&cancelled, &now()), Decision::default());
}

#[test]
fn number_of_news_grows_beyond_the_clock_and_a_random_step() {
    let next = answered(&open(), report("doneSuccess", "100"));
    assert_eq!((next.news, next.news_due), (NOW, Some(NOW)));
    let ahead = Attempt { news: NOW + 10, ..open() };
    assert_eq!(answered(&ahead, report("doneSuccess", "100")).news, NOW + 10 + 1 + 7);
    assert!(news::acknowledges(&next, NOW) && !news::acknowledges(&next, NOW - 1));
    assert!(!news::acknowledges(&Attempt { acked: NOW, ..next }, NOW));
}

#[test]
fn restored_row_takes_no_new_credentials() {
    let row = Attempt { restored: true, details: None, ..open() };
    let next = answered(&row, with_credentials(report("pending", "100")));
    assert!(!next.has_credentials() && has(&next, Reason::Unknown));
    let stored = Attempt { restored: true, ..open() };
    assert!(answered(&stored, with_credentials(report("pending", "100"))).shows_credentials(&[]));
}
