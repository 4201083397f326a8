//! Asks for a payment's status until it is final.

use std::time::Duration;

use merchantpay::{Client, Code, NextStep, Payment, Result, Status, StatusWait};

use crate::terminal::progress::Progress;

/// Asks until the status is final or the time is over. When the time is over, returns the payment as it is,
/// if the last request was answered.
pub(crate) fn until_final(client: &Client, order_id: &str, limit: Option<Duration>) -> Result<Payment> {
    let mut wait = StatusWait::new(order_id, limit);
    let progress = Progress::start("no answer yet");
    loop {
        let answer = client.derive(wait.question_timeout(client.timeout())).get_status(order_id);
        let last = answer.as_ref().ok().cloned();
        if let Some(payment) = &last {
            progress.status(payment.status().map_or("no status", Status::as_str));
        }
        match wait.answer(answer) {
            NextStep::Ask(pause) => std::thread::sleep(pause),
            NextStep::Done(result) => {
                return result.or_else(|error| last.filter(|_| error.code() == Code::Timeout).ok_or(error));
            }
        }
    }
}
