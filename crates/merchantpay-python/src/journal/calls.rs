//! Calls of the core's journal: reads their arguments, releases the GIL, and ends pauses on a signal.

use std::sync::{Arc, Mutex, MutexGuard, PoisonError};
use std::time::{Duration, Instant};

use merchantpay::{Error, Outcome, RequestFields};
use merchantpay_journal::JournalConfig;
use pyo3::prelude::*;
use pyo3::types::PyList;

use super::entry::{Entry, Orphan, Received};
use super::place::{Database, Place};
use super::{Journal, Open, Payments};
use crate::argument::{Argument, bytes, optional_text, optional_whole, text, wrong_type};
use crate::call::{attempt, call, run_signal_handlers};
use crate::client::Client;
use crate::error::{exception, invalid};
use crate::request::request;
use crate::request_arguments::RequestArguments;
use crate::webhook::header;

/// The longest time for which a pause delays Ctrl-C.
const SLICE: Duration = Duration::from_millis(50);

impl Journal {
    pub(crate) fn open(
        py: Python<'_>,
        client: Bound<'_, Client>,
        place: Place,
        set: impl FnOnce(JournalConfig) -> JournalConfig,
    ) -> PyResult<Journal> {
        let core = client.get().open(py)?;
        let config = set(place.config());
        let database = place.database();
        let opened = call(py, Outcome::NotSent, || merchantpay_journal::Journal::open(&core, config));
        match opened {
            Ok(journal) => {
                let journal = Arc::new(journal);
                let open = Open { journal, core, client: client.unbind(), database, is_derived: false };
                Ok(Journal { inner: Mutex::new(Some(open)) })
            }
            Err(error) => {
                // Ignores an error of `close`, because the error of opening is more informative.
                let _ = database.map(|database| database.close(py));
                Err(error)
            }
        }
    }

    /// Runs one operation of the core's journal without the GIL.
    pub(crate) fn call<T: Send>(
        &self,
        py: Python<'_>,
        panicked: Outcome,
        operation: impl FnOnce(&merchantpay_journal::Journal) -> merchantpay::Result<T> + Send,
    ) -> PyResult<T> {
        let journal = self.with_open(py, |open| Arc::clone(&open.journal))?;
        call(py, panicked, || operation(&journal))
    }

    /// Runs `pay` or `pay_async` with the given arguments.
    pub(crate) fn take_payment(
        &self,
        py: Python<'_>,
        operations: &Payments,
        reference: Argument<'_, '_>,
        arguments: &RequestArguments<'_, '_>,
        replace: Option<Argument<'_, '_>>,
    ) -> PyResult<Entry> {
        let reference = text("reference", reference)?;
        let replace = optional_whole("replace", replace)?;
        let request = request(py, arguments, RequestFields::payment_request)?;
        let taken = self.call(py, Outcome::Unknown, |journal| match replace {
            None => (operations.pay)(journal, &reference, &request),
            Some(attempt) => (operations.replace)(journal, &reference, &request, attempt),
        });
        taken.map(Entry)
    }

    pub(super) fn take_webhook(
        &self,
        py: Python<'_>,
        path: Argument<'_, '_>,
        body: Argument<'_, '_>,
        signature: Option<&str>,
        key_id: Option<&str>,
    ) -> PyResult<Received> {
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
        let error = received.err().map(|failed| failed.into_exception(py).into_value(py).into_any());
        let entry = entry.map(|entry| Py::new(py, Entry(entry))).transpose()?;
        Ok(Received { http_status, entry, error })
    }

    /// Returns the function that pauses between two calls. It runs signal handlers, and ends immediately when
    /// the client is interrupted. If a handler raises an exception, the call that pauses raises it too.
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

    /// The merchant's own transaction on the merchant's connection.
    pub(super) fn transaction(&self, py: Python<'_>, connection: Argument<'_, '_>) -> PyResult<Database> {
        let database = self.with_open(py, |open| open.database.clone())?;
        let why = "the journal is in its own SQLite file, which cannot be part of your transaction";
        database.ok_or_else(|| invalid(py, why))?.transaction(connection)
    }

    pub(super) fn with_open<T>(&self, py: Python<'_>, read: impl FnOnce(&Open) -> T) -> PyResult<T> {
        self.lock().as_ref().map(read).ok_or_else(|| invalid(py, "the journal is closed"))
    }

    pub(super) fn lock(&self) -> MutexGuard<'_, Option<Open>> {
        self.inner.lock().unwrap_or_else(PoisonError::into_inner)
    }
}

/// The entry of the core that a Python object `Entry` contains.
pub(super) fn attempt_of(name: &str, value: Argument<'_, '_>) -> PyResult<merchantpay_journal::Entry> {
    if value.is_instance_of::<Orphan>() {
        return Err(invalid(value.py(), format!("{name} is an orphan, which matches no attempt")));
    }
    let entry = value.cast::<Entry>().map_err(|_| wrong_type(name, "Entry", value))?;
    Ok(entry.get().0.clone())
}

pub(super) fn entries(
    py: Python<'_>,
    entries: Vec<merchantpay_journal::Entry>,
) -> PyResult<Bound<'_, PyList>> {
    PyList::new(
        py,
        entries.into_iter().map(|entry| Bound::new(py, Entry(entry))).collect::<PyResult<Vec<_>>>()?,
    )
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
