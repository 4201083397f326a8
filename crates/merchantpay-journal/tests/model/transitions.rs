//! The product's own transitions over abstract rows: row to attempt, transition, attempt to row. Equal
//! questions are computed once.

use std::cell::RefCell;

use merchantpay_journal::model::attempt::{Attempt, Intent, State};
use merchantpay_journal::model::call::{CallEnd, ended, shows_reply};
use merchantpay_journal::model::decision::{Call, Decision, IfChanged, Write};
use merchantpay_journal::model::hint::{Hint, Webhook, hinted, questions, received};
use merchantpay_journal::model::instruction;
use merchantpay_journal::model::order::{self, Beside};
use merchantpay_journal::model::payment::{self, Pay};
use merchantpay_journal::model::report::MessageKind;
use merchantpay_journal::model::{news, person, plan, upkeep};

use crate::row::{NO, Row, Seen, Told, answer, moment, order_id, problem, request, token};
use crate::search::FoldMap;

pub const ORDERS: usize = 4;
pub const ATTEMPTS: usize = 3;

/// What a process has read of the other attempts of the reference.
#[derive(Clone, Copy, PartialEq, Eq, Hash, Debug, Default, PartialOrd, Ord)]
pub struct Others {
    pub is_success: bool,
    pub has_succeeded: bool,
}

#[derive(Clone, Copy, PartialEq, Eq, Hash, Debug, PartialOrd, Ord)]
pub enum End {
    Reply { order: u8, seen: Seen, is_taken: bool },
    Refused,
    NotSent,
    Unclear,
}

#[derive(Clone, Copy, PartialEq, Eq, Hash, Debug)]
pub struct Hinted {
    pub order: u8,
    pub seen: Option<Seen>,
    pub tokens: u8,
    pub is_taken: bool,
}

#[derive(Clone, Copy, PartialEq, Eq, Hash, Debug)]
pub enum Event {
    Claim,
    Ended(u8, End),
    Answered(Option<Seen>, Others),
    Hinted([Option<Hinted>; ORDERS], Others),
    Received {
        order: u8,
        kind: MessageKind,
        told: Told,
        is_new: bool,
    },
    Instruct(Intent),
    /// The answer to an instruction: accepted, or refused with the status that was asked then.
    Instructed(Intent, Result<(), Option<Seen>>, Others),
    HasOrder {
        order: u8,
        seen: Seen,
        is_taken: bool,
        others: Others,
    },
    NoPayment,
    Trusted,
    ReceiptAttached,
    Purge,
    Forget,
}

/// A decision about an abstract row. `new_row` is absent if nothing is written.
#[derive(Clone, Copy, PartialEq, Eq, Debug)]
pub struct Outcome {
    pub new_row: Option<Row>,
    pub starts_payment: bool,
    pub drops: bool,
    pub call: Option<Call>,
}

#[derive(Clone, Copy, PartialEq, Eq, Debug)]
pub enum Paying {
    /// Returns an entry, with credentials or not.
    Return(u32, bool),
    Nothing,
    Insert(u32),
    Reuse(Outcome),
    Raise(Outcome),
}

/// The attempts of one reference; numbers from 1.
pub type Attempts = [Row; ATTEMPTS];

/// The attempts of a reference, the answer about the last one's order, and the clock.
type Question = (Attempts, Option<Seen>, u8);

#[derive(Default)]
pub struct Transitions {
    events: RefCell<FoldMap<(Row, Event, u8), Outcome>>,
    pays: RefCell<FoldMap<(Attempts, u8, u8), Paying>>,
    replaces: RefCell<FoldMap<Question, Option<Outcome>>>,
    shown: RefCell<FoldMap<(Attempts, u8, u8, u8), bool>>,
    questions: RefCell<FoldMap<Row, u8>>,
}

impl Transitions {
    pub fn apply(&self, row: &Row, event: Event, tick: u8) -> Outcome {
        let key = (*row, event, tick);
        if let Some(outcome) = self.events.borrow().get(&key) {
            return *outcome;
        }
        let attempt = row.attempt(1, tick);
        let outcome = outcome(row, &decide(&attempt, event, tick, row.no_credentials), tick);
        self.events.borrow_mut().insert(key, outcome);
        outcome
    }

    pub fn pay(&self, rows: &Attempts, new_token: u8, tick: u8) -> Paying {
        let key = (*rows, new_token, tick);
        *self.pays.borrow_mut().entry(key).or_insert_with(|| pay(rows, new_token, tick))
    }

    /// `None`: the last attempt cannot be replaced. `seen` is the answer about its order.
    pub fn replace(&self, rows: &Attempts, seen: Option<Seen>, tick: u8) -> Option<Outcome> {
        let key = (*rows, seen, tick);
        *self.replaces.borrow_mut().entry(key).or_insert_with(|| {
            let all = attempts(rows, tick);
            let last = all.last()?;
            let answer = answer(rows[all.len() - 1].order, seen);
            let decision =
                payment::replace(&all, last.attempt, Some(&answer), &request(), &moment(tick, 0)).ok()?;
            Some(outcome(&rows[all.len() - 1], &decision, tick))
        })
    }

    pub fn may_replace(&self, rows: &Attempts, tick: u8) -> bool {
        let all = attempts(rows, tick);
        all.last().is_some_and(|last| payment::may_replace(&all, last.attempt, moment(tick, 0).clock).is_ok())
    }

    /// The orders to ask about, as a mask.
    pub fn questions(&self, row: &Row) -> u8 {
        *self.questions.borrow_mut().entry(*row).or_insert_with(|| {
            let named = (0..ORDERS as u8).filter(|order| row.hints & (1 << order) != 0);
            let hints: Vec<Hint> =
                named.map(|order| Hint { order_id: order_id(order), tokens: 1, is_taken: false }).collect();
            let attempt = row.attempt(1, 0);
            questions(&attempt, &hints).iter().map(|id| 1 << order_number(id)).sum()
        })
    }

    pub fn shows_reply(&self, rows: &Attempts, place: u8, call_token: u8, order: u8) -> bool {
        let key = (*rows, place, call_token, order);
        *self.shown.borrow_mut().entry(key).or_insert_with(|| {
            let all = attempts(rows, 0);
            shows_reply(&all[usize::from(place)], &token(call_token), &order_id(order), &all)
        })
    }
}

fn attempts(rows: &Attempts, tick: u8) -> Vec<Attempt> {
    let number = |place: usize| place as u32 + 1;
    let stored = rows.iter().enumerate().filter(|(_, row)| row.state.is_some());
    stored.map(|(place, row)| row.attempt(number(place), tick)).collect()
}

fn pay(rows: &Attempts, new_token: u8, tick: u8) -> Paying {
    let all = attempts(rows, tick);
    let last = || &rows[all.len() - 1];
    match payment::pay("r", &all, &request(), &moment(tick, new_token)) {
        Pay::Return(number) => {
            let row = &all[number as usize - 1];
            Paying::Return(number, row.shows_credentials(&all))
        }
        Pay::Wait(_) | Pay::Later(_) => Paying::Nothing,
        Pay::OtherRequest => panic!("the request is always the same"),
        Pay::Send(Decision { write: Some(Write::Insert(row)), .. }) => Paying::Insert(row.attempt),
        Pay::Send(decision) => Paying::Reuse(outcome(last(), &decision, tick)),
        Pay::Raise(decision) => Paying::Raise(outcome(last(), &decision, tick)),
    }
}

pub fn new_row(new_token: u8) -> Row {
    let Pay::Send(Decision { write: Some(Write::Insert(row)), .. }) =
        payment::pay("r", &[], &request(), &moment(0, new_token))
    else {
        panic!("a new reference is paid");
    };
    Row { token: new_token, ..Row::default() }.after(&row, 0)
}

pub fn may_claim(row: &Row, tick: u8) -> bool {
    plan::is_due(&row.attempt(1, tick), moment(tick, 0).clock)
}

pub fn may_lease(row: &Row, tick: u8) -> bool {
    news::lease(&row.attempt(1, tick), moment(tick, 0).clock).is_some()
}

pub fn acknowledges(row: &Row, number: u8) -> bool {
    let read = Row { news: number, ..*row }.attempt(1, 0).news;
    news::acknowledges(&row.attempt(1, 0), read)
}

pub fn has_paused(rows: &[Row], tick: u8) -> bool {
    let sent: Vec<Attempt> =
        rows.iter().filter(|row| row.is(State::Sent)).map(|row| row.attempt(1, tick)).collect();
    upkeep::has_paused(&sent, 0, 0, moment(tick, 0).clock)
}

fn outcome(row: &Row, decision: &Decision, tick: u8) -> Outcome {
    let mut outcome = Outcome { new_row: None, starts_payment: false, drops: false, call: decision.call };
    if let Some(Write::Update(update) | Write::Replace(update, _)) = &decision.write {
        assert_eq!((update.row.acked, update.read.as_str()), (row.attempt(1, tick).acked, "read"));
        assert_eq!(update.row.stamp, "written");
        outcome.new_row = Some(row.after(&update.row, tick));
        outcome.starts_payment = update.starts_payment;
        outcome.drops = update.if_changed == IfChanged::Drop;
    }
    outcome
}

/// Other attempts of which a process has read no more than this.
fn others(read: Others) -> Vec<Attempt> {
    let success = Row {
        state: Some(State::Final),
        status: Told::Success,
        succeeded: read.has_succeeded,
        ..Row::default()
    };
    let is_any = read.is_success || read.has_succeeded;
    if is_any { vec![success.attempt(9, 0)] } else { Vec::new() }
}

fn decide(row: &Attempt, event: Event, tick: u8, no_credentials: bool) -> Decision {
    let moment = moment(tick, 0);
    match event {
        Event::Claim => plan::claim(row, &moment),
        Event::Ended(call_token, end) => {
            let (end, is_taken) = match end {
                End::Reply { order, seen, is_taken } => (CallEnd::Accepted(seen.report(order)), is_taken),
                End::Refused => (CallEnd::Refused(problem()), false),
                End::NotSent => (CallEnd::NotSent(problem()), false),
                End::Unclear => (CallEnd::Unclear(problem()), false),
            };
            ended(row, &token(call_token), &end, is_taken, &moment)
        }
        Event::Answered(seen, read) => {
            let answer = answer(bound(row), seen);
            order::answered(row, &answer, Beside { others: &others(read), no_credentials }, &moment)
        }
        Event::Hinted(found, read) => {
            let of = |hinted: Hinted| {
                let (tokens, is_taken) = (hinted.tokens.into(), hinted.is_taken);
                let hint = Hint { order_id: order_id(hinted.order), tokens, is_taken };
                (hint, answer(hinted.order, hinted.seen))
            };
            let answers: Vec<_> = found.into_iter().flatten().map(of).collect();
            hinted(row, &answers, Beside { others: &others(read), no_credentials }, &moment)
        }
        Event::Received { order, kind, told, is_new } => {
            let webhook = Webhook { order_id: order_id(order), kind, status: told.text(), sum: None, is_new };
            received(row, &webhook, &moment)
        }
        Event::Instruct(intent) => instruction::instruct(row, intent, &moment),
        Event::Instructed(intent, result, read) => {
            let (end, asked) = match result {
                Ok(()) => (CallEnd::Accepted(()), None),
                Err(seen) => (CallEnd::Refused(problem()), Some(answer(bound(row), seen))),
            };
            let others = others(read);
            let beside = Beside { others: &others, no_credentials };
            instruction::answered(row, intent, &end, asked.as_ref(), beside, &moment)
        }
        Event::HasOrder { order, seen, is_taken, others: read } => {
            let sum = seen.sum.amount().expect("a sum");
            let others = others(read);
            let beside = Beside { others: &others, no_credentials };
            person::has_order(row, &seen.report(order), sum, is_taken, beside, &moment).unwrap_or_default()
        }
        Event::NoPayment => person::no_payment(row, &moment).unwrap_or_default(),
        Event::Trusted => person::trusted(row, &moment).unwrap_or_default(),
        Event::ReceiptAttached => order::receipt_attached(row, &moment),
        Event::Purge => upkeep::purge(row, &moment),
        Event::Forget => upkeep::forget(row, &moment),
    }
}

pub fn restored(row: &Row) -> Row {
    row.after(&upkeep::restored(&row.attempt(1, 0)), 0)
}

fn bound(row: &Attempt) -> u8 {
    row.order_id.as_deref().map_or(NO, order_number)
}

fn order_number(id: &str) -> u8 {
    id[1..].parse().expect("an order")
}
