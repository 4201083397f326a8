//! Asking for a payment's status until it is final, with an ear for Ctrl-C.

use std::time::{Duration, Instant};

use merchantpay::{Client, Code, Outcome, Payment, Status};
use pyo3::prelude::*;

use crate::call::attempt;
use crate::error::raised;

/// The pause before the second question; it grows to [`LONGEST_PAUSE`].
const FIRST_PAUSE: Duration = Duration::from_millis(250);
const LONGEST_PAUSE: Duration = Duration::from_secs(5);
/// How many calls in a row may fail on the way before the failure is told, where no time was given.
const FAILURES: u32 = 8;
/// How long a pause may keep Ctrl-C or a `close` waiting.
const SLICE: Duration = Duration::from_millis(50);

/// As `status --wait` of the program; but a status that is not final in time is an error.
/// `open` gives the client, or the error that it was closed meanwhile.
pub(crate) fn until_final(
    py: Python<'_>,
    open: impl Fn() -> PyResult<Client>,
    order_id: &str,
    timeout: Option<Duration>,
) -> PyResult<Payment> {
    let end = timeout.and_then(|timeout| Instant::now().checked_add(timeout));
    let left = || end.map(|end| end.saturating_duration_since(Instant::now()));
    let (mut pause, mut failures) = (FIRST_PAUSE, 0);
    loop {
        // The last question gets a moment of its own, so that there is an answer to give.
        let client = open()?;
        let asking = left().map_or_else(|| client.clone(), |left| client.derive(left.max(FIRST_PAUSE).min(client.timeout())));
        // A client that is closed meanwhile is let go of when the answer has come, not when the pause is over.
        drop(client);
        let asked = attempt(py, Outcome::Unknown, || asking.get_status(order_id))?;
        drop(asking);
        let out_of_time = left().is_some_and(|left| left.is_zero());
        match asked {
            Ok(payment) if payment.is_final() => return Ok(payment),
            Ok(payment) if out_of_time => return Err(not_final(py, &payment)),
            Ok(_) => failures = 0,
            Err(failed) => {
                failures += 1;
                let patience = if end.is_some() { !out_of_time } else { failures < FAILURES };
                // What a signer raises, such as a signal's handler within it, is no fault that passes.
                if failed.is_by_signer() || !failed.error.is_transient() || !patience {
                    return Err(failed.told(py));
                }
            }
        }
        sleep(py, &open, left().map_or(pause, |left| pause.min(left)))?;
        pause = (pause * 3 / 2).min(LONGEST_PAUSE);
    }
}

fn not_final(py: Python<'_>, payment: &Payment) -> PyErr {
    let status = match payment.status() {
        Some(Status::Unknown(_)) | None => "one that is not known",
        Some(status) => status.as_str(),
    };
    let message = format!("the status is not final in time: it is {status}");
    raised(py, Code::Timeout, Outcome::Unknown, &message, Some(payment.order_id()))
}

fn sleep(py: Python<'_>, open: impl Fn() -> PyResult<Client>, pause: Duration) -> PyResult<()> {
    let end = Instant::now() + pause;
    loop {
        py.check_signals()?;
        drop(open()?);
        let left = end.saturating_duration_since(Instant::now());
        if left.is_zero() {
            return Ok(());
        }
        py.detach(|| std::thread::sleep(left.min(SLICE)));
    }
}
