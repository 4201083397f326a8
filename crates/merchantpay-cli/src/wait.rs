//! Asking for a payment's status until it is final.

use std::time::{Duration, Instant};

use merchantpay::{Client, Payment, Result, Status};

use crate::progress::Progress;

/// The pause before the second question; it grows to [`LONGEST_PAUSE`].
const FIRST_PAUSE: Duration = Duration::from_millis(250);
const LONGEST_PAUSE: Duration = Duration::from_secs(5);

/// How many calls in a row may fail on the way before the failure is told.
const FAILURES: u32 = 5;

/// Asks until the status is final, or until the time runs out: then the payment is given as it stands. A fault that may
/// pass, such as a proxy's 502, is asked through; a refusal, a forged or a misread reply ends the waiting.
pub(crate) fn until_final(client: &Client, order_id: &str, limit_ms: Option<u64>) -> Result<Payment> {
    let end = limit_ms.and_then(|ms| Instant::now().checked_add(Duration::from_millis(ms)));
    let left = || end.map(|end| end.saturating_duration_since(Instant::now()));
    let mut progress = Progress::new();
    let mut pause = FIRST_PAUSE;
    let mut failures = 0;
    loop {
        // The last question gets a moment of its own, so that there is an answer to give.
        let client = left().map_or_else(|| client.clone(), |left| client.derive(left.max(FIRST_PAUSE).min(client.timeout())));
        let asked = client.get_status(order_id);
        let out_of_time = left().is_some_and(|left| left.is_zero());
        if let Ok(payment) = &asked {
            progress.status(payment.status().map_or("no status", Status::as_str));
        }
        match asked {
            Ok(payment) if payment.is_final() || out_of_time => return Ok(payment),
            Ok(_) => failures = 0,
            Err(error) => {
                failures += 1;
                if !error.is_transient() || failures >= FAILURES || out_of_time {
                    return Err(error);
                }
            }
        }
        progress.sleep(left().map_or(pause, |left| pause.min(left)));
        pause = (pause * 3 / 2).min(LONGEST_PAUSE);
    }
}
