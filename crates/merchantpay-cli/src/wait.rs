//! Asking for a payment's status until it is final.

use std::time::{Duration, Instant};

use merchantpay::{Client, Code, Payment, Result};

/// The pause before the second question; it grows to [`LONGEST_PAUSE`].
const FIRST_PAUSE: Duration = Duration::from_millis(250);
const LONGEST_PAUSE: Duration = Duration::from_secs(5);

/// How many calls in a row may fail on the way before the failure is told.
const FAILURES: u32 = 5;

/// Asks until the status is final. A call that fails on the network is asked again; a refusal, a forged or a misread
/// reply ends the waiting, and so does the time, with the payment as it then stands.
pub(crate) fn until_final(client: &Client, order_id: &str, limit_ms: Option<u64>) -> Result<Payment> {
    let end = limit_ms.and_then(|ms| Instant::now().checked_add(Duration::from_millis(ms)));
    let mut pause = FIRST_PAUSE;
    let mut failures = 0;
    loop {
        let left = end.map(|end| end.saturating_duration_since(Instant::now()));
        match client.get_status(order_id) {
            Ok(payment) if payment.is_final() || left.is_some_and(|left| left.is_zero()) => return Ok(payment),
            Ok(_) => failures = 0,
            Err(error) => {
                failures += 1;
                let passing = matches!(error.code(), Code::Transport | Code::Timeout);
                if !passing || failures >= FAILURES || left.is_some_and(|left| left.is_zero()) {
                    return Err(error);
                }
            }
        }
        std::thread::sleep(left.map_or(pause, |left| pause.min(left)));
        pause = (pause * 3 / 2).min(LONGEST_PAUSE);
    }
}
