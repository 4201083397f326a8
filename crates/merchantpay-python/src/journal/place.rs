//! The place of a journal's rows: a file, or the merchant's own database with a Python driver.

use std::path::PathBuf;
use std::sync::Arc;
use std::time::Duration;

use merchantpay::{Error, Outcome};
use merchantpay_journal::{Dialect, JournalConfig, Placeholders, Rows, Store, StoreError};
use pyo3::exceptions::PyTypeError;
use pyo3::prelude::*;
use pyo3::types::{PyString, PyTuple};

use crate::argument::{Argument, path, wrong_type};
use crate::call::{RaisedBy, keep, run_signal_handlers};
use crate::error::{exception, invalid, is_ordinary};
use crate::python_half;

/// The file or the database that `path_or_connect` and `dialect` describe.
pub(crate) enum Place {
    File(PathBuf),
    Database(Database),
}

impl Place {
    pub(crate) fn read(
        path_or_connect: Argument<'_, '_>,
        dialect: Option<Argument<'_, '_>>,
        max_connections: Option<u32>,
        timeout: Option<Duration>,
    ) -> PyResult<Place> {
        let py = path_or_connect.py();
        if path_or_connect.is_callable() {
            let limits = (max_connections, timeout.map(|timeout| timeout.as_secs_f64()));
            let made = python_half!(py, "merchantpay._database", "Database")?.call1((
                path_or_connect,
                dialect,
                limits.0,
                limits.1,
            ));
            return Database::of(&made.map_err(|error| unusable(py, error))?).map(Place::Database);
        }
        if max_connections.is_some() {
            return Err(invalid(
                py,
                "max_connections is allowed only with a function that returns connections, not with a file",
            ));
        }
        if dialect.is_some() {
            return Err(invalid(
                py,
                "dialect is allowed only with a function that returns connections, not with a file",
            ));
        }
        let wanted = "str, os.PathLike or a function that returns a connection";
        path("path_or_connect", path_or_connect).map(Place::File).map_err(|error| {
            if error.is_instance_of::<PyTypeError>(py) {
                wrong_type("path_or_connect", wanted, path_or_connect)
            } else {
                error
            }
        })
    }

    pub(crate) fn config(&self) -> JournalConfig {
        match self {
            Place::File(file) => JournalConfig::new(file),
            Place::Database(database) => JournalConfig::over(database.clone()),
        }
    }

    pub(crate) fn database(self) -> Option<Database> {
        match self {
            Place::File(_) => None,
            Place::Database(database) => Some(database),
        }
    }
}

/// An object `Database` or `Transaction` of the package's Python files. A `Database` runs statements on its
/// own connections, a `Transaction` on a given connection.
#[derive(Clone)]
pub(crate) struct Database {
    /// The only reference to the Python object. The garbage collector visits the object through the journal.
    object: Arc<Py<PyAny>>,
    dialect: Dialect,
    placeholders: Placeholders,
}

impl Database {
    fn of(object: &Bound<'_, PyAny>) -> PyResult<Database> {
        let unknown = || invalid(object.py(), "the database's dialect or parameter style is not supported");
        let dialect: String = object.getattr("dialect")?.extract()?;
        let placeholders: String = object.getattr("placeholders")?.extract()?;
        Ok(Database {
            object: Arc::new(object.clone().unbind()),
            dialect: Dialect::from_name(&dialect).ok_or_else(unknown)?,
            placeholders: Placeholders::from_name(&placeholders).ok_or_else(unknown)?,
        })
    }

    /// The merchant's own transaction on `connection`, which must belong to this kind of database.
    pub(crate) fn transaction(&self, connection: Argument<'_, '_>) -> PyResult<Database> {
        let py = connection.py();
        let made = python_half!(py, "merchantpay._database", "Transaction")?
            .call1((connection, self.dialect.name()));
        Database::of(&made.map_err(|error| unusable(py, error))?)
    }

    pub(crate) fn object(&self) -> &Py<PyAny> {
        &self.object
    }

    /// Closes the idle connections.
    pub(crate) fn close(&self, py: Python<'_>) -> PyResult<()> {
        self.object.call_method0(py, "close").map(drop)
    }

    fn run_attached(
        &self,
        py: Python<'_>,
        sql: &str,
        parameters: &[Option<&str>],
    ) -> Result<Rows, StoreError> {
        let _ = run_signal_handlers(py);
        let answered = PyTuple::new(py, parameters)
            .and_then(|parameters| self.object.bind(py).call_method1("run", (sql, parameters)))
            .and_then(|answer| answer.extract::<Answer<'_>>());
        match answered {
            Ok((word, rows, affected, message, cause)) => {
                if let Some(cause) = cause {
                    keep(py, RaisedBy::Database, PyErr::from_value(cause));
                }
                match word.as_str() {
                    "ok" => Ok(Rows { rows, affected }),
                    "duplicate" => Err(StoreError::Duplicate),
                    "failed" => Err(StoreError::Failed(message)),
                    _ => Err(StoreError::Unclear(message)),
                }
            }
            // After a Ctrl-C or an internal error, the statement may have been sent.
            Err(error) => {
                let message = text_of(py, &error);
                keep(py, RaisedBy::Database, error);
                Err(StoreError::Unclear(message))
            }
        }
    }
}

/// The result of `run`: the effect of the statement, its rows, the number of written rows, the error text and
/// the raised exception.
type Answer<'py> = (String, Vec<Vec<Option<String>>>, u64, String, Option<Bound<'py, PyAny>>);

impl Store for Database {
    fn dialect(&self) -> Dialect {
        self.dialect
    }

    fn placeholders(&self) -> Placeholders {
        self.placeholders
    }

    fn run(&self, sql: &str, parameters: &[Option<&str>]) -> Result<Rows, StoreError> {
        // Uses `try_attach`, because at the interpreter's end no driver is left. `attach` would panic.
        Python::try_attach(|py| self.run_attached(py, sql, parameters))
            .unwrap_or_else(|| Err(StoreError::Failed("the interpreter is ending".to_owned())))
    }
}

/// The error if no connection was possible. The library's own errors and type errors stay unchanged.
fn unusable(py: Python<'_>, error: PyErr) -> PyErr {
    let is_own =
        python_half!(py, "merchantpay._errors", "Error").is_ok_and(|class| error.is_instance(py, &class));
    if is_own || !is_ordinary(py, &error) || error.is_instance_of::<PyTypeError>(py) {
        return error;
    }
    let message = format!("the journal failed: {}", text_of(py, &error));
    let raised = exception(py, &Error::storage(Outcome::NotSent, message));
    raised.set_cause(py, Some(error));
    raised
}

/// An exception in one line, without secrets.
fn text_of(py: Python<'_>, error: &PyErr) -> String {
    let text =
        python_half!(py, "merchantpay._database", "text_of").and_then(|text| text.call1((error.value(py),)));
    let text = text.and_then(|text| Ok(text.cast::<PyString>()?.to_cow()?.into_owned()));
    text.unwrap_or_else(|_| "the connection failed".to_owned())
}

/// Keeps an object from ever being freed. An object that a fork inherited belongs to the parent process.
#[pyfunction]
pub(crate) fn _forget(object: Py<PyAny>) {
    std::mem::forget(object);
}

/// The effect of a statement that failed with an error code of the database.
#[pyfunction]
pub(crate) fn _effect(dialect: &str, code: &str) -> &'static str {
    match Dialect::from_name(dialect).map(|dialect| StoreError::of_code(dialect, code, "")) {
        Some(StoreError::Duplicate) => "duplicate",
        Some(StoreError::Failed(_)) => "failed",
        _ => "unclear",
    }
}
