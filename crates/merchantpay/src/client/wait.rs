//! Waits for a payment's final status: decides when `getStatus` is called, and when the wait ends.

use std::collections::VecDeque;
use std::sync::{Arc, Mutex};
use std::time::{Duration, Instant};

use crate::config::LONGEST;
use crate::error::{Code, Error, Outcome, Result};
use crate::payment::Payment;
use crate::status::Status;

/// The pause after the first answer. Each further pause is longer, up to [`LONGEST_PAUSE`].
const FIRST_PAUSE: Duration = Duration::from_millis(250);
const LONGEST_PAUSE: Duration = Duration::from_secs(5);

/// Without a timeout, `wait` ends after this many consecutive failed calls.
const FAILURES: u32 = 8;

/// The rules of [`Client::wait`](crate::Client::wait) without its calls and pauses. It is for a host that
/// makes the calls and pauses itself, to show progress or to handle signals between two calls.
///
/// ```no_run
/// # fn wait(client: &merchantpay::Client) -> merchantpay::Result<merchantpay::Payment> {
/// use merchantpay::NextStep;
///
/// let mut wait = client.status_wait("o-1", Some(std::time::Duration::from_secs(60)));
/// client.pause(wait.first_pause())?;
/// if let Some(error) = wait.ended_unasked() {
///     return Err(error);
/// }
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
    /// The time of the first query, if an earlier wait for the order has queried recently.
    due: Option<Instant>,
    /// The last reported status.
    status: Option<Status>,
    orders: Arc<WaitedOrders>,
}

/// The orders for which a client has waited, the latest order last. A new wait continues the pauses of the
/// earlier wait for the same order. So several short waits query no more often than one long wait. No thread
/// waits for the lock: in a forked child it may be held for ever, and then each wait counts as the first
/// wait.
#[derive(Debug, Default)]
pub(crate) struct WaitedOrders(Mutex<VecDeque<WaitedOrder>>);

#[derive(Debug, Clone)]
struct WaitedOrder {
    order_id: String,
    pause: Duration,
    due: Instant,
    status: Option<Status>,
}

/// The number of orders that are kept.
const MOST_ORDERS: usize = 256;

impl WaitedOrders {
    fn take(&self, order_id: &str) -> Option<WaitedOrder> {
        let mut orders = self.0.try_lock().ok()?;
        let place = orders.iter().position(|order| order.order_id == order_id)?;
        orders.remove(place)
    }

    fn put(&self, order: WaitedOrder) {
        let Ok(mut orders) = self.0.try_lock() else { return };
        orders.retain(|known| known.order_id != order.order_id);
        if orders.len() == MOST_ORDERS {
            orders.pop_front();
        }
        orders.push_back(order);
    }
}

/// The step after a response to `getStatus`.
#[derive(Debug)]
pub enum NextStep {
    /// Query again after this pause.
    Ask(Duration),
    /// The payment with its final status, or the error.
    Done(Box<Result<Payment>>),
}

impl StatusWait {
    /// Waits for the order's final status, with this time limit; `None` for no limit.
    pub fn new(order_id: impl Into<String>, timeout: Option<Duration>) -> StatusWait {
        StatusWait::of(Arc::default(), order_id.into(), timeout)
    }

    /// Continues the pauses of an earlier wait for the same order.
    pub(crate) fn of(orders: Arc<WaitedOrders>, order_id: String, timeout: Option<Duration>) -> StatusWait {
        let end = timeout.map(|timeout| Instant::now() + timeout.min(LONGEST));
        let earlier = orders.take(&order_id);
        let (pause, due) =
            earlier.as_ref().map_or((FIRST_PAUSE, None), |earlier| (earlier.pause, Some(earlier.due)));
        let status = earlier.clone().and_then(|earlier| earlier.status);
        if let Some(earlier) = earlier {
            orders.put(earlier);
        }
        StatusWait { order_id, end, pause, failures: 0, due, status, orders }
    }

    /// The pause before the first query. It is not zero if an earlier wait for the same order has queried
    /// recently. It is never longer than the time of this wait.
    pub fn first_pause(&self) -> Duration {
        let pause = self.due.map_or(Duration::ZERO, |due| due.saturating_duration_since(Instant::now()));
        self.left().map_or(pause, |left| pause.min(left))
    }

    /// Call this after the first pause. It returns an error if the time of the wait is over before a query is
    /// due.
    pub fn ended_unasked(&self) -> Option<Error> {
        let is_due = self.due.is_none_or(|due| due <= Instant::now());
        let is_over = self.left().is_some_and(|left| left.is_zero());
        (is_over && !is_due).then(|| self.not_final(self.status.as_ref()))
    }

    fn left(&self) -> Option<Duration> {
        self.end.map(|end| end.saturating_duration_since(Instant::now()))
    }

    /// The timeout of the next call: the remaining time of the wait, but at most `longest`. A call near the
    /// end of the wait still gets 250 ms, the length of the first pause, so that it can return a status.
    pub fn question_timeout(&self, longest: Duration) -> Duration {
        self.left().map_or(longest, |left| left.max(FIRST_PAUSE).min(longest))
    }

    /// Handles a response. A transient error is retried until the time is up. Without a time limit, the
    /// eighth transient error in a row ends the wait. Any other error ends the wait immediately. If the time
    /// is up before the status is final, the error is `timeout` with the outcome `unknown`.
    pub fn answer(&mut self, answer: Result<Payment>) -> NextStep {
        let left = self.left();
        let is_over = left.is_some_and(|left| left.is_zero());
        self.failures = if answer.is_ok() { 0 } else { self.failures + 1 };
        self.remember(&answer);
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
        self.pause = self.next_pause();
        NextStep::Ask(pause)
    }

    /// Stores the time of the next query, for a later wait for the same order.
    fn remember(&mut self, answer: &Result<Payment>) {
        if let Ok(payment) = answer {
            self.status = payment.status().cloned();
        }
        if self.status.as_ref().is_some_and(Status::is_final) {
            self.orders.take(&self.order_id);
            return;
        }
        self.orders.put(WaitedOrder {
            order_id: self.order_id.clone(),
            pause: self.next_pause(),
            due: Instant::now() + self.pause,
            status: self.status.clone(),
        });
    }

    fn next_pause(&self) -> Duration {
        (self.pause * 3 / 2).min(LONGEST_PAUSE)
    }

    fn not_final(&self, status: Option<&Status>) -> Error {
        let status = match status {
            // The error's text does not repeat a status that this version does not know.
            Some(Status::Unknown(_)) | None => "a status that this version does not know",
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
    fn the_pauses_belong_to_the_order_and_not_to_the_call() {
        let orders = Arc::<WaitedOrders>::default();
        let slice = |timeout| StatusWait::of(orders.clone(), "o-1".to_owned(), Some(timeout));
        let mut first = slice(LONGEST);
        assert_eq!((first.first_pause(), first.ended_unasked().is_none()), (Duration::ZERO, true));
        for expected in [250, 375, 562, 843, 1265, 1898, 2847, 4271, 5000] {
            assert_eq!(pause(first.answer(payment("pending"))).as_millis(), expected);
        }
        // A short wait that ends before the next query is due makes no query.
        let short = slice(Duration::ZERO);
        let error = short.ended_unasked().unwrap();
        assert_eq!(
            (short.first_pause(), error.code(), error.outcome()),
            (Duration::ZERO, Code::Timeout, Outcome::Unknown)
        );
        assert!(error.message().contains("pending"), "{error}");
        // A longer wait makes the query, and continues the same pauses.
        let mut long = slice(LONGEST);
        assert!(long.first_pause() > Duration::from_secs(1));
        assert_eq!(pause(long.answer(payment("pending"))).as_millis(), 5000);
        // Another order has its own pauses. A final status ends the pauses of its order.
        assert_eq!(StatusWait::of(orders.clone(), "o-2".to_owned(), None).first_pause(), Duration::ZERO);
        assert!(done(long.answer(payment("doneFail"))).is_ok());
        assert_eq!(slice(LONGEST).first_pause(), Duration::ZERO);
    }

    #[test]
    fn a_client_remembers_a_limited_number_of_orders() {
        let orders = Arc::<WaitedOrders>::default();
        for number in 0..=MOST_ORDERS {
            StatusWait::of(orders.clone(), number.to_string(), None).answer(payment("pending"));
        }
        assert!(orders.take("0").is_none() && orders.take("1").is_some());
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
            [("pending", "pending"), ("79001234567", "a status that this version does not know")]
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
