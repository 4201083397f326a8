//! Converts the core's errors to Python exceptions.

use merchantpay::Error;
use merchantpay_calls::{Kind, Returned, Style};
use pyo3::exceptions::{PyException, PyTypeError};
use pyo3::prelude::*;

use crate::write::Writer;

pub(crate) fn exception(py: Python<'_>, error: Error) -> PyErr {
    let written = Writer::write(py, Kind::Record("error"), None, &Returned::from(error));
    written.map_or_else(|failure| failure, PyErr::from_value)
}

/// The error for a wrong type, such as `TypeError: sum must be Decimal, int or str, not float`.
pub(crate) fn wrong_type(name: &str, wanted: &str, value: &Bound<'_, PyAny>) -> PyErr {
    let found = value.get_type().name().map_or_else(|_| "that".to_owned(), |name| name.to_string());
    PyTypeError::new_err(format!("{} must be {wanted}, not {found}", Style::Python.spell(name)))
}

/// Whether an exception is an ordinary one, not KeyboardInterrupt or SystemExit.
pub(crate) fn is_ordinary(py: Python<'_>, error: &PyErr) -> bool {
    error.is_instance_of::<PyException>(py)
}
