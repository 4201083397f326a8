//! The steps of a client's `wait`, so that Python sleeps between the queries.

use merchantpay::{NextStep, Outcome};
use merchantpay_calls::Kind;
use pyo3::prelude::*;
use pyo3::types::PyFloat;

use crate::call::{attempt, call, guarded};
use crate::error::exception;
use crate::handle::Handle;
use crate::read;
use crate::write::Writer;

/// One wait without its pauses. Between the queries, `Client.wait` sleeps, and `AsyncClient.wait` releases its
/// thread.
#[pyclass(module = "merchantpay._merchantpay")]
pub(crate) struct StatusWait {
    order_id: String,
    wait: merchantpay::StatusWait,
}

#[pymethods]
impl StatusWait {
    #[new]
    #[pyo3(signature = (order_id, timeout=None))]
    fn new(order_id: &Bound<'_, PyAny>, timeout: Option<&Bound<'_, PyAny>>) -> PyResult<StatusWait> {
        let order_id = read::order_id(order_id)?;
        let timeout = timeout.map(|timeout| read::duration("timeout", timeout)).transpose()?;
        let wait = merchantpay::StatusWait::new(order_id.as_str(), timeout);
        Ok(StatusWait { order_id, wait })
    }

    /// The longest time for the next query, in seconds: no more than the wait has left.
    fn patience(&self, handle: &Bound<'_, Handle>) -> PyResult<f64> {
        let held = handle.get().held(handle.py())?;
        let timeout = held.object.client().map(merchantpay::Client::timeout).unwrap_or_default();
        Ok(self.wait.question_timeout(timeout).as_secs_f64())
    }

    /// Queries once: returns the payment, or the seconds until the next query.
    fn ask<'py>(&mut self, handle: &Bound<'py, Handle>) -> PyResult<Bound<'py, PyAny>> {
        let py = handle.py();
        guarded(py, Outcome::Unknown, || self.step(handle))
    }

    /// Raises the error that ends a wait during a pause: the client was closed or interrupted.
    fn check(&self, handle: &Bound<'_, Handle>) -> PyResult<()> {
        let py = handle.py();
        let held = handle.get().held(py)?;
        let order_id = self.order_id.as_str();
        call(py, || {
            let paused = held.object.pause(std::time::Duration::ZERO);
            paused.map_err(|error| error.with_outcome(Outcome::Unknown).with_order_id(Some(order_id)))
        })
    }
}

impl StatusWait {
    fn step<'py>(&mut self, handle: &Bound<'py, Handle>) -> PyResult<Bound<'py, PyAny>> {
        let py = handle.py();
        let held = handle.get().held(py)?;
        let Some(client) = held.object.client() else { return Ok(py.None().into_bound(py)) };
        let asking = client.derive(self.wait.question_timeout(client.timeout()));
        let asked = attempt(py, || asking.get_status(&self.order_id))?;
        let (answer, failed) = match asked {
            Ok(payment) => (Ok(payment), None),
            // An exception in the signer ends the wait. A signal handler in the signer may have raised it.
            Err(failed) if failed.is_by_signer() => return Err(failed.into_exception(py)),
            Err(failed) => (Err(failed.error.clone()), Some(failed)),
        };
        match self.wait.answer(answer) {
            NextStep::Ask(pause) => Ok(PyFloat::new(py, pause.as_secs_f64()).into_any()),
            NextStep::Done(result) => match (*result, failed) {
                (Ok(payment), _) => Writer::write(py, Kind::Record("payment"), None, &payment.into()),
                (Err(_), Some(failed)) => Err(failed.into_exception(py)),
                (Err(error), None) => Err(exception(py, error)),
            },
        }
    }
}
