//! Attempts and messages for tests.

use merchantpay_databases::{Place, Servers, random};
use merchantpay_journal::model::attempt::{Attempt, State};
use merchantpay_journal::model::clock::{Clock, Moment};
use merchantpay_journal::model::decision::{Decision, Write};
use merchantpay_journal::model::payment::{Pay, pay};
use merchantpay_journal::model::request::Request;
use merchantpay_journal::store::{Database, Message, Options, Written};

pub fn journal(servers: &Servers) -> (Place, Database) {
    let place = servers.place();
    let database = create(&place);
    (place, database)
}

pub fn create(place: &Place) -> Database {
    Database::open(&place.url(), &Options { create: true, ..Options::default() }).unwrap()
}

pub fn open(place: &Place) -> Database {
    Database::open(&place.url(), &Options::default()).unwrap()
}

/// A new attempt whose call runs for another minute.
pub fn attempt(database: &Database, reference: &str, number: u32) -> Attempt {
    let now = database.look("nobody").unwrap().now;
    let moment = Moment { clock: Clock { now }, own_call: 60_000, stamp: random(), token: random(), step: 0 };
    let request = Request { sum: "1500.50".parse().unwrap(), asynchronous: false, fields: "{}".to_owned() };
    let Pay::Send(Decision { write: Some(Write::Insert(row)), .. }) = pay(reference, &[], &request, &moment)
    else {
        panic!("a new reference is paid")
    };
    Attempt { attempt: number, call_until: Some(now + 60_000), ..*row }
}

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
