//! What fields and results are made of.

use merchantpay::{Code, Outcome};
use merchantpay_journal::Problem;
use pyo3::prelude::*;
use pyo3::types::PyDict;

use crate::error::word;
use crate::python_half;

/// Makes a value as its `__init__` would, but runs no Python code, for the reason that
/// [`exception`](crate::error::exception) has.
pub(super) fn made<'py>(
    class: &Bound<'py, PyAny>,
    fields: &Bound<'py, PyDict>,
) -> PyResult<Bound<'py, PyAny>> {
    let value = class.call_method1("__new__", (class,))?;
    value.getattr("__dict__")?.call_method1("update", (fields,))?;
    Ok(value)
}

pub(super) fn problem<'py>(py: Python<'py>, problem: &Problem) -> PyResult<Bound<'py, PyAny>> {
    let fields = PyDict::new(py);
    let known = Code::from_name(&problem.code).is_some();
    fields.set_item("code", known_word(py, "Code", &problem.code, known)?)?;
    let known = Outcome::from_name(&problem.outcome).is_some();
    fields.set_item("outcome", known_word(py, "Outcome", &problem.outcome, known)?)?;
    fields.set_item("description", &problem.description)?;
    made(&python_half!(py, "merchantpay._entry", "Problem")?, &fields)
}

/// A text that only a newer version knows stays a text.
fn known_word<'py>(py: Python<'py>, kind: &str, text: &str, known: bool) -> PyResult<Bound<'py, PyAny>> {
    if known { word(py, kind, text) } else { Ok(text.into_pyobject(py)?.into_any()) }
}

/// Milliseconds since 1970 as a `datetime` in UTC.
pub(super) fn time<'py>(py: Python<'py>, milliseconds: i64) -> PyResult<Bound<'py, PyAny>> {
    let utc = python_half!(py, "datetime", "timezone")?.getattr("utc")?;
    let seconds = milliseconds.div_euclid(1000);
    let whole = python_half!(py, "datetime", "datetime")?.call_method1("fromtimestamp", (seconds, utc))?;
    let rest = (0, 0, milliseconds.rem_euclid(1000) * 1000);
    whole.add(python_half!(py, "datetime", "timedelta")?.call1(rest)?)
}
