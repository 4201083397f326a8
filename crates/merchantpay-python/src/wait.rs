//! Queries a payment's status until the status is final, and handles Ctrl-C between the queries.

use std::time::{Duration, Instant};

use merchantpay::{Error, NextStep, Outcome};
use pyo3::IntoPyObjectExt;
use pyo3::prelude::*;

use crate::argument::{Argument, optional_seconds, text};
use crate::call::{attempt, call};
use crate::client::Client;
use crate::error::exception;
use crate::payment::Payment;

/// The longest time for which a pause delays Ctrl-C or a `close`.
const SLICE: Duration = Duration::from_millis(50);

#[pymethods]
impl Client {
    /// Calls `get_status` until the status is final, with pauses growing from 0.25 to 5 s, and returns the
    /// payment. Between two calls, Ctrl-C ends the wait immediately, `close` ends it with
    /// InvalidArgumentError, and `interrupt` ends it with CallCancelledError.
    ///
    /// The wait continues after a transient error: a broken or late connection, or a proxy's unsigned reply
    /// with HTTP 429, 500 or more. With a `timeout` it continues until the time is over; without a
    /// `timeout` it raises the eighth consecutive error. Any other error, such as a refusal or a forged
    /// reply, is raised immediately.
    ///
    /// `timeout` is in seconds, None for no limit. When the time is over, `wait` raises RequestTimeoutError
    /// if the status is not final, or the error of the last query. The status "receiptRequired" (arbitration)
    /// is not final: the service waits for `attach_receipt`.
    #[pyo3(signature = (order_id, *, timeout=None))]
    fn wait(
        slf: &Bound<'_, Self>,
        order_id: Argument<'_, '_>,
        timeout: Option<Argument<'_, '_>>,
    ) -> PyResult<Payment> {
        let mut wait = _StatusWait::new(slf, order_id, timeout)?;
        loop {
            match wait.step(slf)? {
                Step::Pause(pause) => wait.sleep(slf, pause)?,
                Step::Done(payment) => return Ok(Payment(*payment)),
            }
        }
    }
}

/// One wait without its pauses. Between the queries, `Client.wait` sleeps, and `AsyncClient.wait` releases
/// its thread.
#[pyclass(module = "merchantpay._merchantpay")]
pub(crate) struct _StatusWait {
    order_id: String,
    wait: merchantpay::StatusWait,
}

/// The next step after a query.
enum Step {
    Pause(Duration),
    Done(Box<merchantpay::Payment>),
}

#[pymethods]
impl _StatusWait {
    #[new]
    #[pyo3(signature = (client, order_id, timeout=None))]
    fn new(
        client: &Bound<'_, Client>,
        order_id: Argument<'_, '_>,
        timeout: Option<Argument<'_, '_>>,
    ) -> PyResult<_StatusWait> {
        let order_id = text("order_id", order_id)?;
        let timeout = optional_seconds("timeout", timeout)?;
        drop(client.get().open(client.py())?);
        let wait = merchantpay::StatusWait::new(order_id.as_str(), timeout);
        Ok(_StatusWait { order_id, wait })
    }

    /// The longest time for the next query, in seconds: no more than the wait has left.
    fn patience(&self, client: &Bound<'_, Client>) -> PyResult<f64> {
        Ok(self.wait.question_timeout(client.get().open(client.py())?.timeout()).as_secs_f64())
    }

    /// Queries once: returns the payment, or the seconds until the next query.
    fn ask<'py>(&mut self, client: &Bound<'py, Client>) -> PyResult<Bound<'py, PyAny>> {
        let py = client.py();
        match self.step(client)? {
            Step::Pause(pause) => pause.as_secs_f64().into_bound_py_any(py),
            Step::Done(payment) => Payment(*payment).into_bound_py_any(py),
        }
    }

    /// Raises the error that ends a wait during a pause: the client was closed or interrupted.
    fn check(&self, client: &Bound<'_, Client>) -> PyResult<()> {
        self.pause(client, Duration::ZERO)
    }
}

impl _StatusWait {
    fn step(&mut self, client: &Bound<'_, Client>) -> PyResult<Step> {
        let py = client.py();
        let open = client.get().open(py)?;
        let asking = open.derive(self.wait.question_timeout(open.timeout()));
        // Drops the clone now: if the client is closed during the query, it is released when the reply has
        // arrived, not after the pause.
        drop(open);
        let asked = attempt(py, Outcome::Unknown, || asking.get_status(&self.order_id))?;
        drop(asking);
        let (answer, failed) = match asked {
            Ok(payment) => (Ok(payment), None),
            // An exception in the signer ends the wait. A signal handler in the signer may have raised it.
            Err(failed) if failed.is_by_signer() => return Err(failed.into_exception(py)),
            Err(failed) => (Err(failed.error.clone()), Some(failed)),
        };
        match self.wait.answer(answer) {
            NextStep::Ask(pause) => Ok(Step::Pause(pause)),
            NextStep::Done(result) => {
                result.map(|payment| Step::Done(Box::new(payment))).map_err(|error| match failed {
                    Some(failed) => failed.into_exception(py),
                    None => exception(py, &error),
                })
            }
        }
    }

    fn pause(&self, client: &Bound<'_, Client>, pause: Duration) -> PyResult<()> {
        let open = client.get().open(client.py())?;
        let about = |error: Error| error.with_outcome(Outcome::Unknown).with_order_id(Some(&self.order_id));
        call(client.py(), Outcome::Unknown, || open.pause(pause).map_err(about))
    }

    /// Sleeps; Ctrl-C, a `close` or an interruption ends the sleep immediately.
    fn sleep(&self, client: &Bound<'_, Client>, pause: Duration) -> PyResult<()> {
        let end = Instant::now() + pause;
        loop {
            client.py().check_signals()?;
            let left = end.saturating_duration_since(Instant::now());
            self.pause(client, left.min(SLICE))?;
            if left.is_zero() {
                return Ok(());
            }
        }
    }
}
