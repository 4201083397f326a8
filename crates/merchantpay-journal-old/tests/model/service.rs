//! The simulated service: its actions on requests, and its reports.

use merchantpay::Amount;
use merchantpay_journal_old::internals::{CallEnd, Event, Instruction, Problem, Report};

use crate::world::{FOREIGN, Hook, News, OF_OTHER_SUM, Order, State, World, report};

pub fn problem() -> Problem {
    Problem { code: String::new(), outcome: String::new(), description: None }
}

pub fn status_text(state: State, mute_cancel: bool) -> &'static str {
    match state {
        State::Finding => "free",
        State::Awaiting | State::Verifying => "pending",
        State::Receipt => "receiptRequired",
        State::Success => "doneSuccess",
        // The contract does not specify the status of a cancelled payment.
        State::Cancelled if mute_cancel => "pending",
        State::Fail | State::Cancelled => "doneFail",
    }
}

impl World {
    /// The result of `getStatus`.
    pub fn status(&self, order: usize, mute_cancel: bool) -> Event {
        match self.orders.get(order) {
            Some(found) => {
                let status = Some(status_text(found.state, mute_cancel));
                let reported = report(order, status, found.had_credentials);
                let is_less = found.is_less && found.state == State::Success;
                let sum = if is_less { Some(Amount::from_minor(99)) } else { reported.sum };
                Event::StatusReported(Report { sum, ..reported })
            }
            None if order == FOREIGN => Event::StatusReported(report(order, Some("doneFail"), false)),
            None if order == OF_OTHER_SUM => Event::StatusReported(report(order, Some("doneSuccess"), true)),
            None => Event::StatusFailed(true, problem()),
        }
    }

    pub fn event_of(&self, hook: &Hook) -> Event {
        let had_credentials = self.orders.get(hook.order).is_some_and(|order| order.had_credentials);
        match hook.news {
            News::Credentials => Event::WebhookReported(report(hook.order, None, true)),
            News::CredentialsFailed => Event::CredentialsFailed(report(hook.order, None, false)),
            News::Status(state) => {
                let reported = report(hook.order, Some(status_text(state, false)), had_credentials);
                let is_less = self.orders.get(hook.order).is_some_and(|order| order.is_less);
                let sum = reported.sum.filter(|_| !(is_less && state == State::Success));
                Event::WebhookReported(Report { sum, ..reported })
            }
        }
    }

    /// Makes a payment. Returns its number.
    pub fn make_order(&mut self, token: &str, state: State, asynchronous: bool) -> usize {
        let had_credentials = state == State::Awaiting;
        self.orders.push(Order {
            token: token.to_owned(),
            state,
            paid: false,
            is_less: false,
            asynchronous,
            had_credentials,
        });
        self.orders.len() - 1
    }

    pub fn move_to(&mut self, order: usize, state: State) {
        self.orders[order].state = state;
        self.orders[order].had_credentials |= state == State::Awaiting;
        if matches!(state, State::Receipt | State::Success | State::Fail) {
            self.hook(order, News::Status(state));
        }
    }

    /// The service processes a confirm or a cancel.
    pub fn instruct(&mut self, order: usize, instruction: Instruction, mute_cancel: bool) -> CallEnd {
        let Some(state) = self.orders.get(order).map(|order| order.state) else { return CallEnd::Refused };
        match (instruction, state) {
            (Instruction::Confirm, State::Awaiting) => self.orders[order].state = State::Verifying,
            (Instruction::Cancel, State::Awaiting | State::Receipt) => {
                self.orders[order].state = State::Cancelled;
                if !mute_cancel {
                    self.hook(order, News::Status(State::Cancelled));
                }
            }
            _ => return CallEnd::Refused,
        }
        CallEnd::Accepted
    }
}
