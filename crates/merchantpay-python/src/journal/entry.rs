//! The journal's results: entries, orphans, and the results of operations. An entry's fields are in
//! `entry_fields`.

use std::hash::{DefaultHasher, Hash, Hasher};
use std::time::Duration;

use merchantpay::{Code, Outcome};
use pyo3::prelude::*;
use pyo3::types::PyTuple;

use crate::amount::decimal;
use crate::error::word;
use crate::payment::{Pickled, pickled, quoted};
use crate::python_half;

/// One attempt of a reference (the merchant's order number), as it was when the journal was read. The object
/// does not change: `Journal.find` returns a new one. The entry of a reference is its last attempt.
///
/// `repr()` leaves out the payee. An entry can be pickled; the pickle contains the service's reports about
/// the payment.
#[pyclass(frozen, module = "merchantpay")]
#[derive(Clone)]
pub(crate) struct Entry(pub(crate) merchantpay_journal::Entry);

#[pymethods]
impl Entry {
    /// The earlier attempts, the newest first, as a tuple; empty if the call returned the entry without its
    /// earlier attempts.
    #[getter]
    fn earlier<'py>(&self, py: Python<'py>) -> PyResult<Bound<'py, PyTuple>> {
        PyTuple::new(
            py,
            self.0
                .earlier()
                .iter()
                .cloned()
                .map(Entry)
                .map(|entry| Py::new(py, entry))
                .collect::<PyResult<Vec<_>>>()?,
        )
    }

    /// All fields as one line of JSON, with the names that the program `merchantpay` prints.
    #[getter]
    fn json(&self) -> String {
        self.0.to_json()
    }

    fn __eq__(&self, other: &Bound<'_, PyAny>) -> bool {
        other.cast::<Entry>().is_ok_and(|other| self.texts() == other.get().texts())
    }

    fn __hash__(&self) -> u64 {
        hash(&self.texts())
    }

    fn __repr__(&self, py: Python<'_>) -> PyResult<String> {
        let order_id = self.0.order_id().map_or(Ok("None".to_owned()), |id| quoted(py, id))?;
        Ok(format!(
            "Entry(reference={}, attempt={}, standing='{}', order_id={order_id}, reported='{}', acknowledged='{}')",
            quoted(py, self.0.reference())?,
            self.0.attempt(),
            self.0.standing(),
            self.0.reported(),
            self.0.acknowledged()
        ))
    }

    fn __copy__(slf: Bound<'_, Self>) -> Bound<'_, Self> {
        slf
    }

    #[pyo3(signature = (memo, /))]
    #[expect(unused_variables)]
    fn __deepcopy__<'py>(slf: Bound<'py, Self>, memo: &Bound<'py, PyAny>) -> Bound<'py, Self> {
        slf
    }

    fn __reduce__<'py>(&self, py: Python<'py>) -> PyResult<Pickled<'py>> {
        pickled(py, "Entry", &self.0.to_carried())
    }
}

impl Entry {
    /// The text of an entry with its earlier attempts: entries with equal texts are equal.
    fn texts(&self) -> Vec<String> {
        std::iter::once(&self.0).chain(self.0.earlier()).map(merchantpay_journal::Entry::to_json).collect()
    }
}

/// The error of the last call for an attempt.
#[pyclass(frozen, eq, hash, module = "merchantpay")]
#[derive(Clone, PartialEq, Eq, Hash)]
pub(crate) struct Problem(pub(crate) merchantpay_journal::Problem);

#[pymethods]
impl Problem {
    /// The code: a Code, or a text if only a newer version knows the code.
    #[getter]
    fn code<'py>(&self, py: Python<'py>) -> PyResult<Bound<'py, PyAny>> {
        known(py, "Code", &self.0.code, Code::from_name(&self.0.code).is_some())
    }

    /// Shows whether the request may have taken effect: an Outcome, or a text if only a newer version knows
    /// the outcome.
    #[getter]
    fn outcome<'py>(&self, py: Python<'py>) -> PyResult<Bound<'py, PyAny>> {
        known(py, "Outcome", &self.0.outcome, Outcome::from_name(&self.0.outcome).is_some())
    }

    /// The service's text about a refusal.
    #[getter]
    fn description(&self) -> Option<&str> {
        self.0.description.as_deref()
    }

    fn __repr__(&self) -> String {
        format!("Problem(code='{}', outcome='{}')", self.0.code, self.0.outcome)
    }
}

fn known<'py>(py: Python<'py>, kind: &str, text: &str, is_known: bool) -> PyResult<Bound<'py, PyAny>> {
    if is_known { word(py, kind, text) } else { Ok(text.into_pyobject(py)?.into_any()) }
}

/// A verified message of the service that matches no attempt: the URL that received it belongs to no attempt,
/// or to an attempt with a different order. `Journal.attention` lists it, and `Journal.resolve` takes it off
/// the list.
#[pyclass(frozen, eq, module = "merchantpay")]
#[derive(Clone, PartialEq, Eq)]
pub(crate) struct Orphan(pub(crate) merchantpay_journal::Orphan);

#[pymethods]
impl Orphan {
    /// The order id in the message.
    #[getter]
    fn order_id(&self) -> &str {
        &self.0.order_id
    }

    /// The time at which the message arrived, by the database's clock.
    #[getter]
    fn received_at<'py>(&self, py: Python<'py>) -> PyResult<Bound<'py, PyAny>> {
        time(py, self.0.received_at)
    }

    /// The reported status, as text.
    #[getter]
    fn status(&self) -> Option<&str> {
        self.0.status.as_deref()
    }

    /// The reported sum.
    #[getter]
    fn sum<'py>(&self, py: Python<'py>) -> PyResult<Option<Bound<'py, PyAny>>> {
        let sum = self.0.sum.as_deref().and_then(|sum| sum.parse().ok());
        sum.map(|sum| decimal(py, sum)).transpose()
    }

    /// The reference of the attempt to whose URL the message came; None if the URL belongs to no attempt.
    #[getter]
    fn reference(&self) -> Option<&str> {
        self.0.attempt.as_ref().map(|(reference, _)| reference.as_str())
    }

    /// The number of the attempt to whose URL the message came; None if the URL belongs to no attempt.
    #[getter]
    fn attempt(&self) -> Option<u32> {
        self.0.attempt.as_ref().map(|(_, attempt)| *attempt)
    }

    /// The message as one line of JSON.
    #[getter]
    fn json(&self) -> String {
        self.0.to_json()
    }

    fn __hash__(&self) -> u64 {
        hash(&self.0.order_id)
    }

    fn __repr__(&self, py: Python<'_>) -> PyResult<String> {
        Ok(format!("Orphan(order_id={})", quoted(py, &self.0.order_id)?))
    }
}

/// The result of `Journal.receive` for a webhook.
#[pyclass(frozen, module = "merchantpay")]
pub(crate) struct Received {
    /// The HTTP status to answer with: 200 if the webhook was applied, now or earlier; 400 if it does not
    /// verify; 404 for an unknown attempt; 409 if the order does not belong to this attempt; 503 if the
    /// journal failed, so that the service retries.
    #[pyo3(get)]
    pub(crate) http_status: u16,
    /// The attempt after the webhook was applied; None if the webhook belongs to no attempt.
    #[pyo3(get)]
    pub(crate) entry: Option<Py<Entry>>,
    /// The reason why the webhook was not applied, an Error; None if it was applied, or is an orphan.
    #[pyo3(get)]
    pub(crate) error: Option<Py<PyAny>>,
}

#[pymethods]
impl Received {
    fn __repr__(&self, py: Python<'_>) -> PyResult<String> {
        let shown = |object: Option<&Bound<'_, PyAny>>| {
            object.map_or(Ok("None".to_owned()), |object| object.repr()?.extract::<String>())
        };
        let entry = shown(self.entry.as_ref().map(|entry| entry.bind(py).as_any()))?;
        let error = shown(self.error.as_ref().map(|error| error.bind(py)))?;
        Ok(format!("Received(http_status={}, entry={entry}, error={error})", self.http_status))
    }
}

/// The result of `Journal.settle`.
#[pyclass(frozen, module = "merchantpay")]
pub(crate) struct Settled {
    /// The number of processed attempts.
    #[pyo3(get)]
    pub(crate) done: u32,
    pub(crate) next_due: Option<Duration>,
}

impl From<merchantpay_journal::Settled> for Settled {
    fn from(settled: merchantpay_journal::Settled) -> Settled {
        Settled { done: settled.done, next_due: settled.next_due }
    }
}

#[pymethods]
impl Settled {
    /// The seconds until the next attempt is due: 0 if an attempt is due now, None if no attempt will be due.
    #[getter]
    fn next_due(&self) -> Option<f64> {
        self.next_due.map(|next| next.as_secs_f64())
    }

    fn __repr__(&self) -> String {
        let next = self.next_due().map_or("None".to_owned(), |next| format!("{next:?}"));
        format!("Settled(done={}, next_due={next})", self.done)
    }
}

/// Milliseconds since 1970 as a `datetime` in UTC.
pub(crate) fn time<'py>(py: Python<'py>, milliseconds: i64) -> PyResult<Bound<'py, PyAny>> {
    let utc = python_half!(py, "datetime", "timezone")?.getattr("utc")?;
    let seconds = milliseconds.div_euclid(1000);
    let whole = python_half!(py, "datetime", "datetime")?.call_method1("fromtimestamp", (seconds, utc))?;
    let rest = (0, 0, milliseconds.rem_euclid(1000) * 1000);
    whole.add(python_half!(py, "datetime", "timedelta")?.call1(rest)?)
}

fn hash(of: &impl Hash) -> u64 {
    let mut hasher = DefaultHasher::new();
    of.hash(&mut hasher);
    hasher.finish()
}
