//! A webhook is a hint: it names an order at a token, and makes the journal ask `getStatus`. It never carries
//! a status or credentials into a row, because its URL may have leaked, and old genuine bodies may be in a
//! log.

use merchantpay::{Amount, Status};

use crate::model::attempt::{Attempt, Reason, State};
use crate::model::clock::{Clock, Moment};
use crate::model::decision::{Decision, Edit, IfChanged};
use crate::model::order::{Beside, reported, required_again};
use crate::model::plan;
use crate::model::report::{Answer, MessageKind, Report};

/// A verified webhook at an attempt's URL.
#[derive(Debug, Clone, PartialEq, Eq)]
pub struct Webhook {
    pub order_id: String,
    pub kind: MessageKind,
    pub status: Option<String>,
    pub sum: Option<Amount>,
    /// It was not stored before.
    pub is_new: bool,
}

/// The webhook names another order than the bound one: answer 409.
pub fn contradicts(row: &Attempt, webhook: &Webhook) -> bool {
    row.order_id.as_ref().is_some_and(|order_id| *order_id != webhook.order_id)
}

/// Makes the attempt due after its message is stored, unless the row already says the same. The write renews
/// the stamp, so an answer that was asked before the webhook does not overwrite the due time.
pub fn received(row: &Attempt, webhook: &Webhook, moment: &Moment) -> Decision {
    let mut edit = Edit::new(row, moment);
    if contradicts(row, webhook) || row.order_id.is_none() && row.restored {
        // Nothing will be asked: only a person can tell what the order is.
        match webhook.is_new {
            true => edit.raise(Reason::OrderUnproven),
            false => edit.hold(Reason::OrderUnproven),
        }
        return edit.finish(IfChanged::DecideAgain);
    }
    let requires_receipt = webhook.status.as_deref() == Some(Status::ReceiptRequired.as_str());
    let is_next_receipt = row.news <= row.acked || row.receipt_given;
    if requires_receipt && row.status == webhook.status && row.state == State::Open && is_next_receipt {
        return required_again(row, moment);
    }
    let is_said = match webhook.kind {
        _ if row.order_id.is_none() => false,
        MessageKind::Status => row.status == webhook.status && !corrects_sum(row, webhook),
        MessageKind::Credentials => row.has_credentials() || row.is_purged(),
        MessageKind::NoCredentials => row.state != State::Open || row.has_credentials(),
        MessageKind::Reply => true,
    };
    if is_said {
        return Decision::default();
    }
    if row.order_id.is_none() && webhook.is_new {
        edit.row.seen &= !Reason::OrderUnproven.bit();
    }
    edit.row.due_at = Some(moment.clock.now);
    edit.write(IfChanged::DecideAgain)
}

/// The service reports a success again, with another sum.
fn corrects_sum(row: &Attempt, webhook: &Webhook) -> bool {
    row.is_success() && webhook.sum.is_some() && webhook.sum != row.sum_paid
}

/// An order that messages have named at an attempt's token.
#[derive(Debug, Clone, PartialEq, Eq)]
pub struct Hint {
    pub order_id: String,
    /// At how many tokens it was named.
    pub tokens: u32,
    pub is_taken: bool,
}

/// The orders to ask about for a due row. If there are none, [`hinted`] with no answers ends the questions.
pub fn questions<'a>(row: &'a Attempt, hints: &'a [Hint]) -> Vec<&'a str> {
    match &row.order_id {
        Some(order_id) => vec![order_id],
        None if row.restored || !matches!(row.state, State::Sent | State::Refused) => Vec::new(),
        None => hints.iter().map(|hint| hint.order_id.as_str()).collect(),
    }
}

/// Decides about the hinted orders of an attempt without an order. The only one that is proven is bound; of two,
/// one is a stranger's, and a person must tell which. Each other one that could be this attempt's is left to a
/// person too.
pub fn hinted(row: &Attempt, answers: &[(Hint, Answer)], beside: Beside<'_>, moment: &Moment) -> Decision {
    let mut edit = Edit::new(row, moment);
    if row.order_id.is_some() || row.restored {
        if row.order_id.is_none() {
            // A hint made it due, but only a person can tell what the order of a restored row is.
            edit.row.due_at = None;
            edit.hold(Reason::OrderUnproven);
        }
        return edit.finish(IfChanged::Drop);
    }
    edit.row.due_at = None;
    let (mut is_asked_again, mut may_be_proven) = (false, false);
    let mut proven = Vec::new();
    for (hint, answer) in answers {
        match (proof(row, hint, answer, moment.clock), answer) {
            (Proof::Enough, Answer::Report(report)) => proven.push(report),
            (Proof::Later, answer) => {
                is_asked_again = true;
                may_be_proven |= !matches!(answer, Answer::NotFound(_));
            }
            (Proof::Enough | Proof::TooLittle, _) => edit.hold(Reason::OrderUnproven),
        }
    }
    match proven.as_slice() {
        [report] if !may_be_proven => {
            if answers.len() == 1 {
                // What a person was to decide is decided.
                edit.row.attention &= !Reason::OrderUnproven.bit();
            }
            bind(&mut edit, report, beside);
        }
        [_, _, ..] => edit.hold(Reason::OrderUnproven),
        _ if is_asked_again => {
            let call_until = row.call_until.filter(|_| row.call_runs(moment.clock));
            plan::ask_again(&mut edit);
            edit.row.due_at = call_until.or(edit.row.due_at);
        }
        _ => {}
    }
    edit.write(IfChanged::Drop)
}

fn bind(edit: &mut Edit<'_>, report: &Report, beside: Beside<'_>) {
    edit.row.order_id = Some(report.order_id.clone());
    plan::restart(edit);
    if edit.row.state == State::Sent {
        edit.row.state = State::Open;
        edit.row.call_until = None;
        edit.news();
    }
    reported(edit, report, beside);
}

enum Proof {
    Enough,
    TooLittle,
    Later,
}

fn proof(row: &Attempt, hint: &Hint, answer: &Answer, clock: Clock) -> Proof {
    let Answer::Report(report) = answer else { return Proof::Later };
    // A leaked URL: the order's own webhooks come to its own URL.
    let is_elsewhere = hint.tokens > 1 || hint.is_taken;
    let fits = report.sum == Some(row.sum_asked) && report.order_id == hint.order_id;
    if is_elsewhere || !fits {
        return Proof::TooLittle;
    }
    match report.status() {
        Some(Status::Free | Status::Pending) => Proof::Enough,
        // Until the call is over its own reply may come, with credentials for a customer who waits.
        Some(Status::DoneFail) if row.call_runs(clock) => Proof::Later,
        Some(Status::DoneFail) => Proof::Enough,
        // Nobody has seen the credentials of a lost reply, so nobody can have paid it: a paid order is
        // somebody else's.
        _ => Proof::TooLittle,
    }
}
