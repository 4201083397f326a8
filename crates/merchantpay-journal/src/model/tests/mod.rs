//! The tables of the transitions, row by row. The order of events is the business of `tests/model`.

mod orders;
mod page;
mod payments;
mod persons;
mod times;

use merchantpay::Amount;

use crate::model::attempt::{Attempt, State};
use crate::model::clock::{Clock, LONGEST_CALL, Moment};
use crate::model::decision::{Decision, Write};
use crate::model::order::{self, Beside};
use crate::model::payment::{Pay, pay};
use crate::model::report::{Answer, Problem, Report};
use crate::model::request::Request;

const NOW: i64 = 1_700_000_000_000;

fn clock(now: i64) -> Clock {
    Clock { now }
}

fn at(now: i64) -> Moment {
    Moment {
        clock: clock(now),
        own_call: LONGEST_CALL,
        stamp: "s2".to_owned(),
        token: "t2".to_owned(),
        step: 7,
    }
}

fn now() -> Moment {
    at(NOW)
}

fn request() -> Request {
    Request { sum: Amount::from_minor(10_000), asynchronous: false, fields: "{}".to_owned() }
}

/// An attempt whose call runs.
fn sent() -> Attempt {
    let Pay::Send(Decision { write: Some(Write::Insert(row)), .. }) = pay("r", &[], &request(), &now())
    else {
        panic!("a new reference is paid")
    };
    Attempt { stamp: "s1".to_owned(), token: "t1".to_owned(), asked: Some(request().hash("t1")), ..*row }
}

fn unknown() -> Attempt {
    Attempt { call_until: Some(NOW), ..sent() }
}

fn refused() -> Attempt {
    Attempt { state: State::Refused, call_until: None, ..sent() }
}

/// An open attempt whose credentials are stored.
fn open() -> Attempt {
    Attempt {
        state: State::Open,
        call_until: None,
        order_id: Some("o1".to_owned()),
        status: Some("pending".to_owned()),
        sum_paid: Some(sent().sum_asked),
        details: Some(r#"{"payeeAccount":"1"}"#.to_owned()),
        due_at: Some(NOW),
        asking_since: Some(NOW),
        ..sent()
    }
}

fn ended(status: &str) -> Attempt {
    let success_of = (status == "doneSuccess").then(|| "r".to_owned());
    Attempt { state: State::Final, status: Some(status.to_owned()), success_of, due_at: None, ..open() }
}

fn report(status: &str, sum: &str) -> Report {
    Report {
        order_id: "o1".to_owned(),
        status: (!status.is_empty()).then(|| status.to_owned()),
        sum: (!sum.is_empty()).then(|| sum.parse().unwrap()),
        currency: None,
        details: r#"{"orderId":"o1"}"#.to_owned(),
    }
}

fn with_credentials(report: Report) -> Report {
    Report { details: r#"{"payeeAccount":"1"}"#.to_owned(), ..report }
}

fn problem() -> Problem {
    Problem { code: "rejected".to_owned(), outcome: "rejected".to_owned(), description: None }
}

fn answered(row: &Attempt, report: Report) -> Attempt {
    after(row, order::answered(row, &Answer::Report(report), Beside::default(), &now()))
}

fn after(row: &Attempt, decision: Decision) -> Attempt {
    match decision.write {
        None => row.clone(),
        Some(Write::Update(update)) => {
            assert_eq!((update.read.as_str(), update.row.stamp.as_str()), ("s1", "s2"));
            Attempt { stamp: "s1".to_owned(), ..update.row }
        }
        Some(write) => panic!("{write:?}"),
    }
}

fn is_news(before: &Attempt, after: &Attempt) -> bool {
    after.news > before.news
}
