//! Calls of the core's journal: reads their arguments, releases the GIL, and ends pauses on a signal.

use std::sync::{Arc, Mutex, MutexGuard, PoisonError};
use std::time::{Duration, Instant};

use merchantpay::{Error, Outcome, PaymentRequest, RequestValues};
use merchantpay_journal::JournalConfig;
use pyo3::prelude::*;

use super::{Journal, Open, values};
use crate::argument::{Argument, bytes, optional_text, text, whole, wrong_type};
use crate::call::{attempt, call, run_signal_handlers};
use crate::client::Client;
use crate::error::{exception, invalid};
use crate::python_half;
use crate::request::request;
use crate::request_arguments::RequestArguments;
use crate::webhook::header;

/// The longest time for which a pause delays Ctrl-C.
const SLICE: Duration = Duration::from_millis(50);

impl Journal {
    pub(super) fn open(
        py: Python<'_>,
        client: Bound<'_, Client>,
        config: JournalConfig,
    ) -> PyResult<Journal> {
        // Imports the module of the values now: later calls must not run Python code, see `values`.
        python_half!(py, "merchantpay._entry", "Entry")?;
        let core = client.get().open(py)?;
        let journal = call(py, Outcome::NotSent, || merchantpay_journal::Journal::open(&core, config))?;
        let open = Open { journal: Arc::new(journal), core, client: client.unbind() };
        Ok(Journal { inner: Mutex::new(Some(open)) })
    }

    /// Runs one operation of the core's journal without the GIL.
    pub(super) fn call<T: Send>(
        &self,
        py: Python<'_>,
        panicked: Outcome,
        operation: impl FnOnce(&merchantpay_journal::Journal) -> merchantpay::Result<T> + Send,
    ) -> PyResult<T> {
        let journal = self.with_open(py, |open| Arc::clone(&open.journal))?;
        call(py, panicked, || operation(&journal))
    }

    /// Like [`call`](Journal::call), for an operation that may take effect and returns an entry.
    pub(super) fn entry<'py>(
        &self,
        py: Python<'py>,
        operation: impl FnOnce(&merchantpay_journal::Journal) -> merchantpay::Result<merchantpay_journal::Entry>
        + Send,
    ) -> PyResult<Bound<'py, PyAny>> {
        let entry = self.call(py, Outcome::Unknown, operation)?;
        values::entry(py, &entry)
    }

    pub(super) fn take_payment<'py>(
        &self,
        py: Python<'py>,
        reference: Argument<'_, 'py>,
        arguments: &RequestArguments<'_, 'py>,
        pay: impl FnOnce(
            &merchantpay_journal::Journal,
            &str,
            &PaymentRequest,
        ) -> merchantpay::Result<merchantpay_journal::Entry>
        + Send,
    ) -> PyResult<Bound<'py, PyAny>> {
        let reference = text("reference", reference)?;
        let request = request(py, arguments, RequestValues::payment_request)?;
        self.entry(py, |journal| pay(journal, &reference, &request))
    }

    pub(super) fn take_webhook<'py>(
        &self,
        py: Python<'py>,
        path: Argument<'_, 'py>,
        body: Argument<'_, 'py>,
        signature: Option<&str>,
        key_id: Option<&str>,
    ) -> PyResult<Bound<'py, PyAny>> {
        let path = header("path", Some(path))?.unwrap_or_default();
        let why = "the request's unchanged body: exactly these bytes were signed";
        let body = bytes("body", body, why)?;
        let journal = self.with_open(py, |open| Arc::clone(&open.journal))?;
        // 503 is the default answer: the service retries if this call fails before the journal has decided.
        let (mut http_status, mut entry) = (503, None);
        let received = attempt(py, Outcome::Unknown, || {
            let received = journal.receive(&path, body, signature.unwrap_or_default(), key_id);
            (http_status, entry) = (received.http_status, received.entry);
            received.error.map_or(Ok(()), Err)
        })?;
        let error = received.err().map(|failed| failed.into_exception(py).into_value(py).into_bound(py));
        let entry = entry.map(|entry| values::entry(py, &entry)).transpose()?;
        values::received(py, http_status, entry, error.map(Bound::into_any))
    }

    /// The function that pauses between two calls to the service. It runs signal handlers, and ends when the
    /// client is interrupted. If a handler raises an exception, the call that pauses raises it too.
    pub(super) fn pause_between(
        &self,
        py: Python<'_>,
    ) -> PyResult<impl FnMut(Duration) -> merchantpay::Result<()> + Send + use<>> {
        let client = self.with_open(py, |open| open.core.clone())?;
        Ok(move |pause: Duration| {
            let end = Instant::now() + pause;
            loop {
                if Python::try_attach(run_signal_handlers) == Some(false) {
                    return Err(Error::internal(Outcome::Unknown, "a signal handler raised an exception"));
                }
                let left = end.saturating_duration_since(Instant::now());
                if left.is_zero() {
                    return Ok(());
                }
                client.pause(left.min(SLICE))?;
            }
        })
    }

    pub(super) fn with_open<T>(&self, py: Python<'_>, read: impl FnOnce(&Open) -> T) -> PyResult<T> {
        self.lock().as_ref().map(read).ok_or_else(|| invalid(py, "the journal is closed"))
    }

    pub(super) fn lock(&self) -> MutexGuard<'_, Option<Open>> {
        self.inner.lock().unwrap_or_else(PoisonError::into_inner)
    }
}

/// An attempt's reference and number: of an `Entry`, or as two arguments.
pub(super) fn key(entry: Argument<'_, '_>, attempt: Option<Argument<'_, '_>>) -> PyResult<(String, u32)> {
    match attempt {
        None if is_entry(entry)? => Ok((
            text("reference", &entry.getattr("reference")?)?,
            whole("attempt", &entry.getattr("attempt")?)?,
        )),
        None => Err(wrong_type("entry", "Entry, or str and the number of the attempt", entry)),
        Some(attempt) => Ok((text("reference", entry)?, whole("attempt", attempt)?)),
    }
}

pub(super) fn is_entry(value: Argument<'_, '_>) -> PyResult<bool> {
    value.is_instance(&python_half!(value.py(), "merchantpay._entry", "Entry")?)
}

/// Finds a constant by its name; `None` if no name is given.
pub(super) fn known_word<T>(
    py: Python<'_>,
    name: &str,
    value: Option<Argument<'_, '_>>,
    find: impl FnOnce(&str) -> Option<T>,
    table: &[merchantpay::Word],
) -> PyResult<Option<T>> {
    let Some(given) = optional_text(name, value)? else { return Ok(None) };
    match find(&given) {
        Some(found) => Ok(Some(found)),
        None => {
            let names: Vec<_> = table.iter().map(|word| word.name).collect();
            Err(exception(
                py,
                &Error::invalid_argument(format!("{name} must be one of {}", names.join(", "))),
            ))
        }
    }
}
