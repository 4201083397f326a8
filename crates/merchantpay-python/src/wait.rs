//! Asking for a payment's status until it is final, and for Ctrl-C in between.

use std::time::{Duration, Instant};

use merchantpay::{Client, Error, NextStep, Outcome, Payment};
use pyo3::prelude::*;

use crate::call::{attempt, call};
use crate::error::exception;

/// How long a pause may keep Ctrl-C or a `close` waiting.
const SLICE: Duration = Duration::from_millis(50);

/// As the core's own; `open` gives the client, or the error that it was closed meanwhile.
pub(crate) fn until_final(
    py: Python<'_>,
    open: impl Fn() -> PyResult<Client>,
    order_id: &str,
    timeout: Option<Duration>,
) -> PyResult<Payment> {
    let mut wait = open()?.status_wait(order_id, timeout);
    let first_pause = wait.first_pause();
    if !first_pause.is_zero() {
        sleep(py, &open, order_id, first_pause)?;
    }
    if let Some(error) = wait.ended_unasked() {
        return Err(exception(py, &error));
    }
    loop {
        let client = open()?;
        let asking = client.derive(wait.question_timeout(client.timeout()));
        // A client that is closed meanwhile is let go of when the answer has come, not when the pause is
        // over.
        drop(client);
        let asked = attempt(py, Outcome::Unknown, || asking.get_status(order_id))?;
        drop(asking);
        let (answer, failed) = match asked {
            Ok(payment) => (Ok(payment), None),
            // What a signer raises, such as a signal's handler within it, ends the waiting.
            Err(failed) if failed.is_by_signer() => return Err(failed.into_exception(py)),
            Err(failed) => (Err(failed.error.clone()), Some(failed)),
        };
        match wait.answer(answer) {
            NextStep::Ask(pause) => sleep(py, &open, order_id, pause)?,
            NextStep::Done(result) => {
                return result.map_err(|error| match failed {
                    Some(failed) => failed.into_exception(py),
                    None => exception(py, &error),
                });
            }
        }
    }
}

/// Ends at once by Ctrl-C, a `close` or an interruption.
fn sleep(
    py: Python<'_>,
    open: impl Fn() -> PyResult<Client>,
    order_id: &str,
    pause: Duration,
) -> PyResult<()> {
    let end = Instant::now() + pause;
    loop {
        py.check_signals()?;
        let client = open()?;
        let left = end.saturating_duration_since(Instant::now());
        if left.is_zero() {
            return Ok(());
        }
        let about = |error: Error| error.with_outcome(Outcome::Unknown).with_order_id(Some(order_id));
        call(py, Outcome::Unknown, || client.pause(left.min(SLICE)).map_err(about))?;
    }
}
