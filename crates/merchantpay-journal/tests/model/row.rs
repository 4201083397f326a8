//! The abstract row of the search, and its concrete attempt. Texts become numbers. Times become "passed",
//! "ahead" and "far", because the search lets any time pass at any moment.

use merchantpay::Amount;
use merchantpay_journal::model::attempt::{Attempt, Intent, IntentState, State};
use merchantpay_journal::model::clock::{Clock, LONGEST_CALL, Moment};
use merchantpay_journal::model::report::{Answer, Problem, Report};
use merchantpay_journal::model::request::Request;

pub const NOW: i64 = 1_700_000_000_000;
/// The longest call of this process. Another process's may be as long as any.
const OWN_CALL: i64 = 40_000;
const DAY: i64 = 86_400_000;
/// No order, no row.
pub const NO: u8 = 255;

#[derive(Clone, Copy, PartialEq, Eq, Hash, Debug, Default, PartialOrd, Ord)]
pub enum When {
    #[default]
    Never,
    Passed,
    Ahead,
    /// Stored before the clock was set back: further ahead than any delay.
    Far,
}

impl When {
    fn time(self) -> Option<i64> {
        match self {
            When::Never => None,
            When::Passed => Some(NOW),
            When::Ahead => Some(NOW + 30_000),
            When::Far => Some(NOW + 1000 * DAY),
        }
    }

    fn of(time: Option<i64>, now: i64) -> When {
        match time {
            None => When::Never,
            Some(time) if time <= now => When::Passed,
            Some(time) if time <= now + 40 * DAY => When::Ahead,
            Some(_) => When::Far,
        }
    }
}

/// What the service says about an order's status.
#[derive(Clone, Copy, PartialEq, Eq, Hash, Debug, Default, PartialOrd, Ord)]
pub enum Told {
    #[default]
    Nothing,
    Pending,
    Receipt,
    Success,
    Fail,
}

impl Told {
    pub fn text(self) -> Option<String> {
        let text = match self {
            Told::Nothing => return None,
            Told::Pending => "pending",
            Told::Receipt => "receiptRequired",
            Told::Success => "doneSuccess",
            Told::Fail => "doneFail",
        };
        Some(text.to_owned())
    }

    fn of(text: Option<&str>) -> Told {
        let all = [Told::Pending, Told::Receipt, Told::Success, Told::Fail];
        all.into_iter().find(|told| told.text().as_deref() == text).unwrap_or_default()
    }
}

#[derive(Clone, Copy, PartialEq, Eq, Hash, Debug, Default, PartialOrd, Ord)]
pub enum Sum {
    #[default]
    Missing,
    Asked,
    Other,
}

pub fn asked() -> Amount {
    Amount::from_minor(10_000)
}

impl Sum {
    pub fn amount(self) -> Option<Amount> {
        match self {
            Sum::Missing => None,
            Sum::Asked => Some(asked()),
            Sum::Other => Some(Amount::from_minor(9_000)),
        }
    }

    fn of(amount: Option<Amount>) -> Sum {
        match amount {
            None => Sum::Missing,
            Some(amount) if amount == asked() => Sum::Asked,
            Some(_) => Sum::Other,
        }
    }
}

/// What `getStatus` says about an order at one moment.
#[derive(Clone, Copy, PartialEq, Eq, Hash, Debug, Default, PartialOrd, Ord)]
pub struct Seen {
    pub told: Told,
    pub sum: Sum,
    pub credentials: bool,
}

impl Seen {
    pub fn report(self, order: u8) -> Report {
        let account = if self.credentials { r#","payeeAccount":"1""# } else { "" };
        Report {
            order_id: order_id(order),
            status: self.told.text(),
            sum: self.sum.amount(),
            currency: None,
            details: format!(r#"{{"orderId":"{order}"{account}}}"#),
        }
    }
}

/// An order that is hidden is not found.
pub fn answer(order: u8, seen: Option<Seen>) -> Answer {
    seen.map_or_else(|| Answer::NotFound(problem()), |seen| Answer::Report(seen.report(order)))
}

pub fn problem() -> Problem {
    Problem { code: "rejected".to_owned(), outcome: "rejected".to_owned(), description: None }
}

#[derive(Clone, Copy, PartialEq, Eq, Hash, Debug, PartialOrd, Ord)]
pub struct Row {
    /// `None`: there is no row.
    pub state: Option<State>,
    pub token: u8,
    pub call: When,
    pub order: u8,
    pub status: Told,
    pub sum: Sum,
    pub credentials: bool,
    pub purged: bool,
    /// Never, passed or far: a question may come due at any moment.
    pub due: When,
    pub news: u8,
    pub acked: u8,
    pub lease: When,
    pub succeeded: bool,
    pub intent: Option<(Intent, IntentState)>,
    pub calls: u8,
    pub attention: u8,
    pub replaced: bool,
    pub restored: bool,
    pub not_sent: bool,
    pub receipt_given: bool,
    /// The orders of messages at the row's token, as a mask; of messages at its former tokens; and a
    /// `no_credentials` message about the bound order. They are rows of another table.
    pub hints: u8,
    pub old_hints: u8,
    pub no_credentials: bool,
}

impl Default for Row {
    fn default() -> Row {
        Row {
            state: None,
            token: 0,
            call: When::Never,
            order: NO,
            status: Told::Nothing,
            sum: Sum::Missing,
            credentials: false,
            purged: false,
            due: When::Never,
            news: 0,
            acked: 0,
            lease: When::Passed,
            succeeded: false,
            intent: None,
            calls: 0,
            attention: 0,
            replaced: false,
            restored: false,
            not_sent: false,
            receipt_given: false,
            hints: 0,
            old_hints: 0,
            no_credentials: false,
        }
    }
}

impl Row {
    pub fn is(&self, state: State) -> bool {
        self.state == Some(state)
    }

    /// A sent row whose call is over, whatever the clock says.
    pub fn is_over(&self) -> bool {
        self.is(State::Sent) && self.call != When::Ahead
    }

    /// The attempt with this row's columns. `tick` is how often the clock has gone on.
    pub fn attempt(&self, number: u32, tick: u8) -> Attempt {
        let token = token(self.token);
        Attempt {
            reference: "r".to_owned(),
            attempt: number,
            stamp: "read".to_owned(),
            state: self.state.expect("a row"),
            call_until: match self.call {
                When::Ahead => Some(NOW + LONGEST_CALL),
                call => call.time(),
            },
            order_id: (self.order != NO).then(|| order_id(self.order)),
            status: self.status.text(),
            sum_asked: asked(),
            sum_paid: self.sum.amount(),
            details: self.credentials.then(|| r#"{"payeeAccount":"1"}"#.to_owned()),
            asked: (!self.purged).then(|| request().hash(&token)),
            token,
            due_at: self.due.time(),
            tries: 0,
            asking_since: (self.order != NO).then_some(NOW),
            news: number_of_news(self.news),
            acked: number_of_news(self.acked),
            news_due: self.lease.time(),
            success_of: self.succeeded.then(|| "r".to_owned()),
            error: None,
            intent: self.intent.map(|(intent, _)| intent),
            intent_state: self.intent.map(|(_, state)| state),
            intent_calls: self.calls.into(),
            attention: self.attention.into(),
            seen: 0,
            replaced: self.replaced,
            restored: self.restored,
            not_sent: self.not_sent,
            refusals: 0,
            asynchronous: false,
            receipt_given: self.receipt_given,
            created_at: NOW,
            updated_at: moment(tick, 0).clock.now,
        }
    }

    /// The row after a write. Messages are in another table, so they stay, but for those of a former token.
    pub fn after(&self, attempt: &Attempt, tick: u8) -> Row {
        let now = moment(tick, 0).clock.now;
        let is_new_token = attempt.token != token(self.token);
        let due = match When::of(attempt.due_at, now) {
            When::Ahead => When::Passed,
            due => due,
        };
        let lease = match When::of(attempt.news_due, now) {
            When::Never => When::Passed,
            lease => lease,
        };
        Row {
            state: Some(attempt.state),
            token: attempt.token[1..].parse().expect("a token"),
            call: When::of(attempt.call_until, now),
            order: attempt.order_id.as_ref().map_or(NO, |id| id[1..].parse().expect("an order")),
            status: Told::of(attempt.status.as_deref()),
            sum: Sum::of(attempt.sum_paid),
            credentials: attempt.has_credentials(),
            purged: attempt.is_purged(),
            due,
            news: small_news(attempt.news),
            acked: small_news(attempt.acked),
            lease,
            succeeded: attempt.success_of.is_some(),
            intent: attempt.intent.zip(attempt.intent_state),
            calls: attempt.intent_calls.min(2) as u8,
            attention: attempt.attention as u8,
            replaced: attempt.replaced,
            restored: attempt.restored,
            not_sent: attempt.not_sent,
            receipt_given: attempt.receipt_given,
            hints: if is_new_token { 0 } else { self.hints },
            old_hints: if is_new_token { self.old_hints | self.hints } else { self.old_hints },
            no_credentials: self.no_credentials,
        }
    }
}

/// News number 1 is the first time of the clock, so that small numbers and times have one order.
fn number_of_news(small: u8) -> i64 {
    if small == 0 { 0 } else { NOW + i64::from(small) - 1 }
}

fn small_news(number: i64) -> u8 {
    let small = if number < NOW { number } else { number - NOW + 1 };
    u8::try_from(small).expect("few news")
}

pub fn token(number: u8) -> String {
    format!("t{number}")
}

pub fn order_id(order: u8) -> String {
    format!("o{order}")
}

pub fn request() -> Request {
    Request { sum: asked(), asynchronous: false, fields: "{}".to_owned() }
}

pub fn moment(tick: u8, new_token: u8) -> Moment {
    let clock = Clock { now: NOW + i64::from(tick) };
    Moment { clock, own_call: OWN_CALL, stamp: "written".to_owned(), token: token(new_token), step: 0 }
}
