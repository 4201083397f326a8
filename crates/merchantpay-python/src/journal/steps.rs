//! Used by `AsyncJournal`: calls that can be interrupted separately, and a wait without its pauses.

use std::sync::{Arc, Mutex};
use std::time::Duration;

use merchantpay::{Error, Outcome};
use merchantpay_journal::Until;
use pyo3::IntoPyObjectExt;
use pyo3::prelude::*;

use super::calls::known_word;
use super::entry::Entry;
use super::{Journal, Open};
use crate::argument::{Argument, seconds, text};
use crate::call::{attempt, call};

#[pymethods]
impl Journal {
    /// A derived journal, whose calls can be interrupted separately.
    fn _derive(&self, py: Python<'_>) -> PyResult<Journal> {
        let open = self.with_open(py, |open| Open {
            journal: Arc::new(open.journal.derive()),
            core: open.core.clone(),
            client: open.client.clone_ref(py),
            database: open.database.clone(),
            is_derived: true,
        })?;
        Ok(Journal { inner: Mutex::new(Some(open)) })
    }

    /// Ends this journal's calls to the service. The result of an interrupted call is still stored.
    fn _interrupt(&self, py: Python<'_>) -> PyResult<()> {
        let journal = self.with_open(py, |open| Arc::clone(&open.journal))?;
        py.detach(|| journal.interrupt());
        Ok(())
    }

    /// One query of `wait`: returns the entry, or the seconds until the next query.
    #[pyo3(signature = (reference, timeout, until))]
    fn _look<'py>(
        &self,
        py: Python<'py>,
        reference: Argument<'_, 'py>,
        timeout: Argument<'_, 'py>,
        until: Argument<'_, 'py>,
    ) -> PyResult<Bound<'py, PyAny>> {
        let (reference, timeout) = (text("reference", reference)?, seconds("timeout", timeout)?);
        let until = known_word(py, "until", Some(until), Until::from_name, Until::TABLE)?.unwrap_or_default();
        let journal = self.with_open(py, |open| Arc::clone(&open.journal))?;
        let mut next = None;
        let looked = attempt(py, Outcome::Unknown, || {
            journal.wait_with(&reference, timeout, until, |pause| {
                next = Some(pause);
                Err(Error::internal(Outcome::Unknown, "the wait was not handed to Python"))
            })
        })?;
        match (looked, next) {
            (Err(_), Some(pause)) => pause.as_secs_f64().into_bound_py_any(py),
            (looked, _) => looked
                .map_err(|failed| failed.into_exception(py))
                .and_then(|entry| Entry(entry).into_bound_py_any(py)),
        }
    }

    /// Raises the error that ends a wait during a pause: the journal was closed, or its client interrupted.
    fn _check(&self, py: Python<'_>) -> PyResult<()> {
        let core = self.with_open(py, |open| open.core.clone())?;
        call(py, Outcome::Unknown, || core.pause(Duration::ZERO))
    }
}
