//! Converts the core's errors to Python exceptions.

use merchantpay::{Code, Error, Outcome};
use pyo3::exceptions::PyException;
use pyo3::prelude::*;
use pyo3::types::{PyBytes, PyDict};

use crate::python_half;

/// The exception for an error of the core.
pub(crate) fn exception(py: Python<'_>, error: &Error) -> PyErr {
    let fields = PyDict::new(py);
    let filled = || {
        fields.set_item("description", error.description())?;
        fields.set_item(
            "reason",
            error.reason().map(|reason| word(py, "Reason", reason.name())).transpose()?,
        )?;
        fields.set_item("is_transient", error.is_transient())?;
        fields.set_item("http_status", error.http_status())?;
        fields.set_item("retry_after", error.retry_after().map(|pause| pause.as_millis()))?;
        fields.set_item("order_id", error.order_id())?;
        fields.set_item("content_type", error.content_type())?;
        fields.set_item("excerpt", error.excerpt())?;
        fields.set_item("body", error.body().map(|body| PyBytes::new(py, body)))
    };
    filled()
        .and_then(|()| make(error.code(), error.outcome(), error.message(), &fields))
        .unwrap_or_else(|failure| failure)
}

/// An exception for an error that the Python package detects, and not the core.
pub(crate) fn raised(
    py: Python<'_>,
    code: Code,
    outcome: Outcome,
    message: &str,
    order_id: Option<&str>,
) -> PyErr {
    let fields = PyDict::new(py);
    let filled = || {
        let absent =
            ["description", "reason", "http_status", "retry_after", "content_type", "excerpt", "body"];
        for name in absent {
            fields.set_item(name, py.None())?;
        }
        fields.set_item("is_transient", false)?;
        fields.set_item("order_id", order_id)
    };
    filled().and_then(|()| make(code, outcome, message, &fields)).unwrap_or_else(|failure| failure)
}

/// The error `invalid_argument`: nothing was sent.
pub(crate) fn invalid(py: Python<'_>, message: impl Into<String>) -> PyErr {
    exception(py, &Error::invalid_argument(message))
}

/// Makes the same exception as `Error.__init__`, but with `__new__`, so that no Python code runs. Before 3.14
/// CPython ends a thread that runs Python code after the interpreter's end. The values of this function would
/// then be dropped without the GIL.
fn make(code: Code, outcome: Outcome, message: &str, fields: &Bound<'_, PyDict>) -> PyResult<PyErr> {
    let py = fields.py();
    fields.set_item("message", message)?;
    fields.set_item("code", word(py, "Code", code.name())?)?;
    fields.set_item("outcome", word(py, "Outcome", outcome.name())?)?;
    let class = python_half!(py, "merchantpay._error_classes", "CLASSES")?.get_item(code.name())?;
    let made = class.call_method1("__new__", (&class, message))?;
    // Sets the arguments, because `OSError.__new__` leaves them to `__init__`.
    made.setattr("args", (message,))?;
    made.setattr("__dict__", fields)?;
    Ok(PyErr::from_value(made))
}

/// A member of an enum of the package, which its Python files define.
pub(crate) fn word<'py>(py: Python<'py>, kind: &str, text: &str) -> PyResult<Bound<'py, PyAny>> {
    python_half!(py, "merchantpay._words", "MEMBERS")?.get_item(kind)?.get_item(text)
}

/// Returns `true` if an exception is an ordinary one, not KeyboardInterrupt or SystemExit.
pub(crate) fn is_ordinary(py: Python<'_>, error: &PyErr) -> bool {
    error.is_instance_of::<PyException>(py)
}
