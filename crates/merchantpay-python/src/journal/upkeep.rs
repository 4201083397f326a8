//! An operator's methods: they count, erase and copy attempts, and pause the journal in every process.

use std::sync::{Mutex, PoisonError};

use merchantpay::Outcome;
use pyo3::prelude::*;
use pyo3::types::PyDict;

use super::Journal;
use super::entry::time;
use crate::argument::{Argument, moment, path, text};
use crate::call::call;

#[pymethods]
impl Journal {
    /// Counts the journal's attempts. Above a thousand attempts the number of final ones is an estimate, so
    /// that the cost does not grow. Raises StorageError if the journal failed.
    fn stats(&self, py: Python<'_>) -> PyResult<Stats> {
        self.call(py, Outcome::NotSent, |journal| journal.stats()).map(Stats)
    }

    /// Deletes the details of finished attempts and seen orphans that were last written before `before`, a
    /// datetime with a time zone. Reference, attempt, standing, order id and token stay for ever. Returns the
    /// number of attempts and orphans whose details it deleted.
    ///
    /// Raises InvalidArgumentError for a time without a zone or before 1970, StorageError if the journal failed.
    fn purge(&self, py: Python<'_>, before: Argument<'_, '_>) -> PyResult<u64> {
        let before = moment("before", before)?;
        self.call(py, Outcome::NotSent, |journal| journal.purge(before))
    }

    /// Deletes the details of all attempts of a reference, and of their orphans. Use it when a customer asks
    /// for erasure. Returns the number of attempts and orphans that had details.
    ///
    /// Raises InvalidArgumentError if there is no such reference, or if one of its attempts or orphans is not
    /// finished; StorageError if the journal failed.
    fn forget(&self, py: Python<'_>, reference: Argument<'_, '_>) -> PyResult<u64> {
        let reference = text("reference", reference)?;
        self.call(py, Outcome::NotSent, |journal| journal.forget(&reference))
    }

    /// Returns an iterator over each attempt and each orphan, as lines for `import_line`. Pause the journal
    /// first. The iterator raises StorageError if the journal failed, and then ends.
    fn export_lines(&self, py: Python<'_>) -> PyResult<Export> {
        self.call(py, Outcome::NotSent, |journal| Ok(Export(Mutex::new(journal.export_lines()))))
    }

    /// Stores the attempt or orphan of an export's line, and marks it as restored. Returns False if the
    /// journal already has that attempt or orphan.
    ///
    /// Raises InvalidArgumentError if `line` is not a line of an export, or belongs to a different account;
    /// StorageError if the journal failed.
    fn import_line(&self, py: Python<'_>, line: Argument<'_, '_>) -> PyResult<bool> {
        let line = text("line", line)?;
        self.call(py, Outcome::NotSent, |journal| journal.import(&line))
    }

    /// Stops `pay` and `news` in every process that uses the journal, until `resume`: they raise a
    /// StorageError that is transient. Returns when no payment call is running; for the call of a killed
    /// process it waits until the call's deadline. The note, of 1 to 500 characters, names the operator and
    /// the reason.
    ///
    /// Raises StorageError if the journal failed, CallCancelledError if the client was interrupted. After
    /// CallCancelledError the journal is paused, but payment calls can still be running.
    fn pause(&self, py: Python<'_>, note: Argument<'_, '_>) -> PyResult<()> {
        let note = text("note", note)?;
        let pause = self.pause_between(py)?;
        self.call(py, Outcome::NotSent, |journal| journal.pause_with(&note, pause))
    }

    /// Ends a pause, and stores the operator's note. Raises StorageError if the journal failed.
    fn resume(&self, py: Python<'_>, note: Argument<'_, '_>) -> PyResult<()> {
        let note = text("note", note)?;
        self.call(py, Outcome::NotSent, |journal| journal.resume(&note))
    }

    /// Copies a journal's file to a new file at an absolute path, also while other processes use the journal.
    /// The copy is paused, and its rows are marked as restored.
    ///
    /// Raises InvalidArgumentError if the journal is in a database or the path is relative; StorageError if
    /// the copy cannot be written, also if the new file exists already.
    fn backup(&self, py: Python<'_>, file: Argument<'_, '_>) -> PyResult<()> {
        let file = path("file", file)?;
        self.call(py, Outcome::NotSent, |journal| journal.backup(&file))
    }
}

/// The counts of a journal.
#[pyclass(frozen, module = "merchantpay")]
pub(crate) struct Stats(merchantpay_journal::Stats);

#[pymethods]
impl Stats {
    /// The number of attempts by standing. Only the number for "final" can be an estimate.
    #[getter]
    fn standings<'py>(&self, py: Python<'py>) -> PyResult<Bound<'py, PyDict>> {
        counts(py, &self.0.standings)
    }

    /// True if the number of final attempts is the database's estimate, which is used above a thousand
    /// attempts.
    #[getter]
    fn estimated(&self) -> bool {
        self.0.is_estimated
    }

    /// The number of items about which an operator must decide: attempts, orphans and a changed server.
    #[getter]
    fn attention(&self) -> u64 {
        self.0.attention
    }

    /// The number of items about which an operator must decide, by reason; an orphan has the reason "orphan".
    #[getter]
    fn reasons<'py>(&self, py: Python<'py>) -> PyResult<Bound<'py, PyDict>> {
        counts(py, &self.0.reasons)
    }

    /// The number of attempts that are due: `settle` can process them now.
    #[getter]
    fn due(&self) -> u64 {
        self.0.due
    }

    /// The seconds since the oldest due attempt became due; None if no attempt is due.
    #[getter]
    fn overdue(&self) -> Option<f64> {
        self.0.overdue.map(|overdue| overdue as f64 / 1000.0)
    }

    /// The database settings that the merchant accepts although they can lose a row.
    #[getter]
    fn durability_vouched(&self) -> Vec<String> {
        self.0.durability_vouched.clone()
    }

    /// The note of the operator who paused the journal; None if the journal is not paused.
    #[getter]
    fn pause_note(&self) -> Option<&str> {
        self.0.pause.as_ref().map(|pause| pause.note.as_str())
    }

    /// The time of the pause, by the database's clock; None if the journal is not paused.
    #[getter]
    fn paused_at<'py>(&self, py: Python<'py>) -> PyResult<Option<Bound<'py, PyAny>>> {
        self.0.pause.as_ref().map(|pause| time(py, pause.at)).transpose()
    }

    /// The identity of the database server; None for SQLite, or if the server does not report it.
    #[getter]
    fn server(&self) -> Option<&str> {
        self.0.server.as_deref()
    }

    /// The server that an operator has accepted; None unless a different server answers now.
    #[getter]
    fn server_before(&self) -> Option<&str> {
        self.0.server_before.as_deref()
    }

    /// The stats as one line of JSON.
    #[getter]
    fn json(&self) -> String {
        self.0.to_json()
    }

    fn __repr__(&self) -> String {
        format!("Stats({})", self.0.to_json())
    }
}

fn counts<'py>(py: Python<'py>, counts: &[(String, u64)]) -> PyResult<Bound<'py, PyDict>> {
    let dict = PyDict::new(py);
    counts.iter().try_for_each(|(name, count)| dict.set_item(name, count))?;
    Ok(dict)
}

/// The lines of an export: an iterator.
#[pyclass(frozen, module = "merchantpay")]
pub(crate) struct Export(Mutex<merchantpay_journal::Export>);

#[pymethods]
impl Export {
    fn __iter__(slf: Bound<'_, Self>) -> Bound<'_, Self> {
        slf
    }

    fn __next__(&self, py: Python<'_>) -> PyResult<Option<String>> {
        call(py, Outcome::NotSent, || {
            self.0.lock().unwrap_or_else(PoisonError::into_inner).next().transpose()
        })
    }
}

/// A change of the database's server, after a failover or a restore: the server that answers is not the one
/// that an operator has accepted. `Journal.attention` lists the change, and `Journal.resolve` accepts the new
/// server.
#[pyclass(frozen, eq, module = "merchantpay")]
#[derive(Clone, PartialEq, Eq)]
pub(crate) struct ServerChange(pub(crate) merchantpay_journal::ServerChange);

#[pymethods]
impl ServerChange {
    /// The server that an operator has accepted.
    #[getter]
    fn before(&self) -> &str {
        &self.0.before
    }

    /// The server that answers now.
    #[getter]
    fn now(&self) -> &str {
        &self.0.now
    }

    /// The change as one line of JSON.
    #[getter]
    fn json(&self) -> String {
        self.0.to_json()
    }

    fn __repr__(&self) -> String {
        format!("ServerChange({})", self.0.to_json())
    }
}
