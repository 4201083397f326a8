//! Attempts and messages for tests.

use merchantpay_databases::random;
use merchantpay_journal::model::attempt::{Attempt, State};
use merchantpay_journal::store::{Database, Message, Written};

/// A new attempt whose call runs for another minute.
pub fn attempt(database: &Database, reference: &str, number: u32) -> Attempt {
    let now = database.look("nobody").unwrap().now;
    Attempt {
        reference: reference.to_owned(),
        attempt: number,
        token: random(),
        stamp: random(),
        state: State::Sent,
        call_until: Some(now + 60_000),
        order_id: None,
        status: None,
        sum_asked: "1500.50".parse().unwrap(),
        sum_paid: None,
        details: None,
        asked: Some("hash".to_owned()),
        due_at: None,
        tries: 0,
        asking_since: None,
        news: 0,
        acked: 0,
        news_due: None,
        success_of: None,
        error: None,
        intent: None,
        intent_state: None,
        intent_calls: 0,
        attention: 0,
        seen: 0,
        replaced: false,
        restored: false,
        not_sent: false,
        refusals: 0,
        asynchronous: false,
        receipt_given: false,
        created_at: now,
        updated_at: now,
    }
}

/// Stores a new attempt.
pub fn insert(database: &Database, reference: &str) -> Attempt {
    let attempt = attempt(database, reference, 1);
    assert_eq!(database.insert(&attempt), Ok(Written::Reported));
    attempt
}

/// Changes a stored attempt, and returns it with its new stamp.
pub fn change(database: &Database, attempt: &Attempt, edit: impl FnOnce(&mut Attempt)) -> Attempt {
    let next = edited(attempt, edit);
    assert_eq!(database.store(&next, &attempt.stamp), Ok(Written::Reported));
    next
}

pub fn edited(attempt: &Attempt, edit: impl FnOnce(&mut Attempt)) -> Attempt {
    let mut next = Attempt { stamp: random(), ..attempt.clone() };
    edit(&mut next);
    next
}

/// The attempt becomes open, with an order and news.
pub fn opened(attempt: &mut Attempt) {
    attempt.state = State::Open;
    attempt.call_until = None;
    attempt.order_id = Some(format!("o-{}", random()));
    attempt.status = Some("pending".to_owned());
    attempt.details = Some("{\"payeeAccount\":\"4000 1234\",\"payeeName\":\"Иван И.\"}".to_owned());
    attempt.news += 1_000;
}

pub fn paid(attempt: &mut Attempt) {
    attempt.state = State::Final;
    attempt.status = Some("doneSuccess".to_owned());
    attempt.sum_paid = Some(attempt.sum_asked);
    attempt.success_of = Some(attempt.reference.clone());
    attempt.due_at = None;
}

pub fn last(database: &Database, reference: &str) -> Attempt {
    database.look(reference).unwrap().attempt.unwrap()
}

pub fn message(token: &str, order_id: &str) -> Message {
    Message {
        token: token.to_owned(),
        digest: random(),
        order_id: order_id.to_owned(),
        kind: "status".to_owned(),
        body: "{\"status\":\"pending\"}".to_owned(),
        received_at: 0,
        seen: false,
    }
}
