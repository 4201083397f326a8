//! Waiting for a payment's final status: when to call `getStatus`, and when to stop.

use std::time::{Duration, Instant};

use crate::config::LONGEST;
use crate::error::{Code, Error, Outcome, Result};
use crate::payment::Payment;
use crate::status::Status;

/// The pause after the first answer; it grows to [`LONGEST_PAUSE`].
const FIRST_PAUSE: Duration = Duration::from_millis(250);
const LONGEST_PAUSE: Duration = Duration::from_secs(5);

/// How many calls in a row may fail, where no time was given.
const FAILURES: u32 = 8;

/// The rules of [`Client::wait`](crate::Client::wait) without its calls and pauses, for a host that makes
/// them itself: one that shows progress, or handles signals between two calls.
///
/// ```no_run
/// # fn wait(client: &merchantpay::Client) -> merchantpay::Result<merchantpay::Payment> {
/// use merchantpay::{NextStep, StatusWait};
///
/// let mut wait = StatusWait::new("o-1", Some(std::time::Duration::from_secs(60)));
/// loop {
///     let answer = client.derive(wait.question_timeout(client.timeout())).get_status("o-1");
///     match wait.answer(answer) {
///         NextStep::Ask(pause) => client.pause(pause)?,
///         NextStep::Done(result) => return *result,
///     }
/// }
/// # }
/// ```
#[derive(Debug)]
pub struct StatusWait {
    order_id: String,
    end: Option<Instant>,
    pause: Duration,
    failures: u32,
}

/// What follows an answer.
#[derive(Debug)]
pub enum NextStep {
    /// Ask again after this pause.
    Ask(Duration),
    /// The payment with its final status, or why there is none.
    Done(Box<Result<Payment>>),
}

impl StatusWait {
    /// Waits for the order's final status, for so long; `None` for no end.
    pub fn new(order_id: impl Into<String>, timeout: Option<Duration>) -> StatusWait {
        let end = timeout.map(|timeout| Instant::now() + timeout.min(LONGEST));
        StatusWait { order_id: order_id.into(), end, pause: FIRST_PAUSE, failures: 0 }
    }

    fn left(&self) -> Option<Duration> {
        self.end.map(|end| end.saturating_duration_since(Instant::now()))
    }

    /// The deadline of the next call, of which the client's own is the longest. The last call gets a little
    /// time, so that there is an answer to return.
    pub fn question_timeout(&self, longest: Duration) -> Duration {
        self.left().map_or(longest, |left| left.max(FIRST_PAUSE).min(longest))
    }

    /// A transient error is retried until the time is up, or, where none was given, until the eighth in a
    /// row. Any other ends the wait, and so does the end of its time: `timeout` with the outcome `unknown` if
    /// the status is not final then.
    pub fn answer(&mut self, answer: Result<Payment>) -> NextStep {
        let left = self.left();
        let is_over = left.is_some_and(|left| left.is_zero());
        self.failures = if answer.is_ok() { 0 } else { self.failures + 1 };
        match answer {
            Ok(payment) if payment.is_final() => return NextStep::Done(Box::new(Ok(payment))),
            Ok(payment) if is_over => return NextStep::Done(Box::new(Err(self.not_final(payment.status())))),
            Err(error) if !error.is_transient() || error.code() == Code::Cancelled || is_over => {
                return NextStep::Done(Box::new(Err(error)));
            }
            Err(error) if left.is_none() && self.failures >= FAILURES => {
                return NextStep::Done(Box::new(Err(error)));
            }
            _ => {}
        }
        let pause = left.map_or(self.pause, |left| left.min(self.pause));
        self.pause = (self.pause * 3 / 2).min(LONGEST_PAUSE);
        NextStep::Ask(pause)
    }

    fn not_final(&self, status: Option<&Status>) -> Error {
        let status = match status {
            // The service's own text.
            Some(Status::Unknown(_)) | None => "one that this version does not know",
            Some(status) => status.as_str(),
        };
        Error::new(
            Code::Timeout,
            Outcome::Unknown,
            format!("the status was not final in time: it is {status}"),
        )
        .with_order_id(Some(&self.order_id))
    }
}

#[cfg(test)]
mod tests {
    use super::*;

    fn payment(status: &str) -> Result<Payment> {
        Ok(Payment::carried(&format!(r#"{{"orderId":"o-1","status":"{status}"}}"#)).unwrap())
    }

    fn transient() -> Result<Payment> {
        Err(Error::new(Code::Transport, Outcome::Unknown, "broken"))
    }

    fn pause(step: NextStep) -> Duration {
        match step {
            NextStep::Ask(pause) => pause,
            NextStep::Done(result) => panic!("{result:?}"),
        }
    }

    fn done(step: NextStep) -> Result<Payment> {
        match step {
            NextStep::Ask(pause) => panic!("{pause:?}"),
            NextStep::Done(result) => *result,
        }
    }

    fn asked_through(wait: &mut StatusWait, errors: u32) {
        for _ in 0..errors {
            pause(wait.answer(transient()));
        }
    }

    #[test]
    fn each_pause_is_half_as_long_again_up_to_five_seconds() {
        let mut wait = StatusWait::new("o-1", None);
        let pauses: Vec<u128> = (0..10).map(|_| pause(wait.answer(payment("pending"))).as_millis()).collect();
        assert_eq!(pauses, [250, 375, 562, 843, 1265, 1898, 2847, 4271, 5000, 5000]);
    }

    #[test]
    fn a_final_status_ends_the_waiting_even_after_its_time() {
        for timeout in [None, Some(Duration::ZERO), Some(LONGEST)] {
            let mut wait = StatusWait::new("o-1", timeout);
            assert_eq!(done(wait.answer(payment("doneFail"))).unwrap().status(), Some(&Status::DoneFail));
        }
    }

    #[test]
    fn a_status_that_is_not_final_in_time_is_a_timeout_with_the_order() {
        for (status, shown) in
            [("pending", "pending"), ("79001234567", "one that this version does not know")]
        {
            let mut wait = StatusWait::new("o-1", Some(Duration::ZERO));
            let error = done(wait.answer(payment(status))).unwrap_err();
            assert_eq!(
                (error.code(), error.outcome(), error.order_id()),
                (Code::Timeout, Outcome::Unknown, Some("o-1"))
            );
            assert!(error.message().ends_with(shown), "{error}");
        }
    }

    #[test]
    fn transient_errors_are_asked_through_and_no_others() {
        let mut wait = StatusWait::new("o-1", None);
        for _ in 0..2 {
            asked_through(&mut wait, FAILURES - 1);
            pause(wait.answer(payment("pending")));
        }
        asked_through(&mut wait, FAILURES - 1);
        assert_eq!(done(wait.answer(transient())).unwrap_err().code(), Code::Transport);

        let mut wait = StatusWait::new("o-1", Some(LONGEST));
        asked_through(&mut wait, 2 * FAILURES);
        for error in [
            Error::cancelled(Outcome::Unknown),
            Error::malformed("misread"),
            Error::invalid_argument("no order"),
        ] {
            let code = error.code();
            assert_eq!(
                done(StatusWait::new("o-1", Some(LONGEST)).answer(Err(error))).unwrap_err().code(),
                code
            );
        }
        assert_eq!(
            done(StatusWait::new("o-1", Some(Duration::ZERO)).answer(transient())).unwrap_err().code(),
            Code::Transport
        );
    }

    #[test]
    fn a_question_has_what_is_left_and_the_last_one_a_moment() {
        let timeout =
            |wait: Option<Duration>| StatusWait::new("o-1", wait).question_timeout(Duration::from_secs(30));
        assert_eq!(timeout(None), Duration::from_secs(30));
        assert_eq!(timeout(Some(LONGEST)), Duration::from_secs(30));
        assert_eq!(timeout(Some(Duration::ZERO)), FIRST_PAUSE);
        let left = timeout(Some(Duration::from_secs(20)));
        assert!(left <= Duration::from_secs(20) && left > Duration::from_secs(10));
    }
}
