//! The end of a call, and what that of the one that makes the payment does to a row.

use crate::model::attempt::{Attempt, Reason, State};
use crate::model::clock::Moment;
use crate::model::decision::{Decision, Edit, IfChanged};
use crate::model::order::store_details;
use crate::model::plan;
use crate::model::report::{Problem, Report};

/// How a call ended that changes something at the service.
#[derive(Debug, Clone, PartialEq, Eq)]
pub enum CallEnd<T = Report> {
    /// A verified reply accepts it; that of a payment names its order.
    Accepted(T),
    /// A verified refusal.
    Refused(Problem),
    /// No byte was sent, also because the deadline passed before.
    NotSent(Problem),
    /// Anything else: the request may have taken effect.
    Unclear(Problem),
}

/// Stores the end of the call that was made with `token`. `is_taken`: another attempt has the order of the
/// reply. The credentials of a reply may be returned only if [`shows_reply`] says so of what was stored.
pub fn ended(row: &Attempt, token: &str, end: &CallEnd, is_taken: bool, moment: &Moment) -> Decision {
    let mut edit = Edit::new(row, moment);
    // The row was used again with a new token, or lost and made anew: this call is not its own.
    if row.token != token {
        return Decision { keep_reply: matches!(end, CallEnd::Accepted(_)), ..Decision::default() };
    }
    let is_sent = row.state == State::Sent;
    match end {
        CallEnd::Accepted(report) => {
            let fits = row.order_id.as_ref().is_none_or(|order_id| *order_id == report.order_id);
            if !fits || is_taken {
                edit.raise(Reason::OrderUnproven);
                if is_sent {
                    end_call(&mut edit);
                }
                return Decision { keep_reply: true, ..edit.finish(IfChanged::DecideAgain) };
            }
            replied(&mut edit, report);
        }
        CallEnd::Refused(problem) | CallEnd::NotSent(problem) if is_sent => {
            edit.failed(problem);
            end_call(&mut edit);
            edit.row.state = State::Refused;
            edit.row.call_until = None;
            edit.row.not_sent = matches!(end, CallEnd::NotSent(_));
        }
        CallEnd::Unclear(problem) if is_sent => {
            edit.failed(problem);
            end_call(&mut edit);
        }
        _ => {}
    }
    edit.finish(IfChanged::DecideAgain)
}

/// The credentials of the reply to the call with `token` may be returned: its order is bound to the stored
/// row, the row is still the call's own, and no attempt of the reference has meanwhile succeeded. `all` are
/// its attempts, read after the reply was stored.
pub fn shows_reply(row: &Attempt, token: &str, order_id: &str, all: &[Attempt]) -> bool {
    row.token == token && row.order_id.as_deref() == Some(order_id) && row.shows_credentials(all)
}

/// The call is over: what waited for its end is asked at once.
fn end_call(edit: &mut Edit<'_>) {
    let now = edit.moment.clock.now;
    edit.row.call_until = Some(now);
    edit.row.due_at = edit.row.due_at.map(|due_at| due_at.min(now));
}

fn replied(edit: &mut Edit<'_>, report: &Report) {
    let is_bound = edit.row.order_id.is_some();
    if !is_bound {
        edit.row.order_id = Some(report.order_id.clone());
        edit.row.error = None;
        plan::restart(edit);
    }
    match edit.row.state {
        State::Sent => {
            edit.row.state = State::Open;
            edit.row.call_until = None;
            edit.row.sum_paid = report.sum;
            store_credentials(edit, report);
            edit.news();
        }
        State::Open if !edit.row.has_credentials() => {
            store_credentials(edit, report);
            if edit.row.has_credentials() {
                edit.news();
            }
        }
        // The credentials of an attempt that was refused meanwhile are not even stored.
        State::Open | State::Refused | State::Final => {}
    }
}

fn store_credentials(edit: &mut Edit<'_>, report: &Report) {
    if report.has_credentials_for(edit.row.sum_asked) || !report.has_credentials() {
        store_details(edit, report);
    } else {
        edit.hold(Reason::SumDiffers);
    }
}
