//! Arguments from Python, read strictly: a wrong type is a `TypeError`, and an invalid value is the library's
//! own error.

use std::path::PathBuf;
use std::time::Duration;

use pyo3::exceptions::{PyTypeError, PyUnicodeError};
use pyo3::prelude::*;
use pyo3::types::{PyBool, PyBytes, PyFloat, PyInt, PyString};

use crate::error::invalid;

/// The value that was passed for a parameter.
pub(crate) type Argument<'a, 'py> = &'a Bound<'py, PyAny>;

/// The error for a wrong type, such as `TypeError: sum must be Decimal, int or str, not float`.
pub(crate) fn wrong_type(name: &str, wanted: &str, value: &Bound<'_, PyAny>) -> PyErr {
    let found = value.get_type().name().map_or_else(|_| "that".to_owned(), |name| name.to_string());
    PyTypeError::new_err(format!("{name} must be {wanted}, not {found}"))
}

/// Reads a `str`. Refuses a text with a lone surrogate, because UTF-8 cannot contain it.
pub(crate) fn text(name: &str, value: &Bound<'_, PyAny>) -> PyResult<String> {
    let string = value.cast::<PyString>().map_err(|_| wrong_type(name, "str", value))?;
    match string.to_cow() {
        Ok(text) => Ok(text.into_owned()),
        Err(_) => Err(invalid(value.py(), format!("{name} is not valid Unicode text"))),
    }
}

/// A `str` or `None`.
pub(crate) fn optional_text(name: &str, value: Option<&Bound<'_, PyAny>>) -> PyResult<Option<String>> {
    value.map(|value| text(name, value)).transpose()
}

/// One `str`, or an iterable of `str`.
pub(crate) fn texts(name: &str, value: &Bound<'_, PyAny>) -> PyResult<Vec<String>> {
    if value.is_instance_of::<PyString>() {
        return Ok(vec![text(name, value)?]);
    }
    if value.is_instance_of::<PyBytes>() {
        return Err(wrong_type(name, "str or a list of str", value));
    }
    let items = value.try_iter().map_err(|_| wrong_type(name, "str or a list of str", value))?;
    items.map(|item| text(name, &item?)).collect()
}

/// One `str` or an iterable of `str`; an empty list for `None`.
pub(crate) fn optional_texts(name: &str, value: Option<&Bound<'_, PyAny>>) -> PyResult<Vec<String>> {
    value.map_or(Ok(Vec::new()), |value| texts(name, value))
}

/// Reads bytes. A value of any other type is refused.
pub(crate) fn bytes<'a>(name: &str, value: &'a Bound<'_, PyAny>, why: &str) -> PyResult<&'a [u8]> {
    match value.cast::<PyBytes>() {
        Ok(bytes) => Ok(bytes.as_bytes()),
        Err(_) => Err(wrong_type(name, &format!("bytes ({why})"), value)),
    }
}

/// Seconds, as `int` or `float`.
pub(crate) fn seconds(name: &str, value: &Bound<'_, PyAny>) -> PyResult<Duration> {
    let is_number = value.is_instance_of::<PyFloat>() || value.is_instance_of::<PyInt>();
    if !is_number || value.is_instance_of::<PyBool>() {
        return Err(wrong_type(name, "a number of seconds", value));
    }
    let seconds: f64 = value.extract().unwrap_or(f64::INFINITY);
    Duration::try_from_secs_f64(seconds)
        .map_err(|_| invalid(value.py(), format!("{name} is negative, or longer than this system can wait")))
}

/// Seconds or `None`.
pub(crate) fn optional_seconds(name: &str, value: Option<&Bound<'_, PyAny>>) -> PyResult<Option<Duration>> {
    value.map(|value| seconds(name, value)).transpose()
}

/// A whole number that is not negative.
pub(crate) fn whole<'py, T: FromPyObject<'py, 'py>>(
    name: &str,
    value: &'py Bound<'py, PyAny>,
) -> PyResult<T> {
    if !value.is_instance_of::<PyInt>() || value.is_instance_of::<PyBool>() {
        return Err(wrong_type(name, "int", value));
    }
    value.extract().map_err(|_| invalid(value.py(), format!("{name} is negative or too large")))
}

/// A whole number or `None`.
pub(crate) fn optional_whole<'py, T: FromPyObject<'py, 'py>>(
    name: &str,
    value: Option<&'py Bound<'py, PyAny>>,
) -> PyResult<Option<T>> {
    value.map(|value| whole(name, value)).transpose()
}

/// A `bool` or `None`.
pub(crate) fn optional_flag(name: &str, value: Option<&Bound<'_, PyAny>>) -> PyResult<Option<bool>> {
    let flag = |value: &Bound<'_, PyAny>| {
        value.cast::<PyBool>().map(|flag| flag.is_true()).map_err(|_| wrong_type(name, "bool", value))
    };
    value.map(flag).transpose()
}

/// A `datetime` with a time zone, as milliseconds since 1970.
pub(crate) fn moment(name: &str, value: &Bound<'_, PyAny>) -> PyResult<i64> {
    if !value.hasattr("tzinfo")? || !value.hasattr("timestamp")? {
        return Err(wrong_type(name, "datetime", value));
    }
    // Without a time zone the time would depend on the machine.
    if value.getattr("tzinfo")?.is_none() {
        return Err(invalid(value.py(), format!("{name} must be a datetime with a time zone")));
    }
    let seconds: f64 = value.call_method0("timestamp")?.extract()?;
    Ok((seconds * 1000.0).round() as i64)
}

/// A `str` or `os.PathLike`.
pub(crate) fn path(name: &str, value: &Bound<'_, PyAny>) -> PyResult<PathBuf> {
    value.extract().map_err(|error: PyErr| {
        let py = value.py();
        // Any other exception comes from the path's `__fspath__`, and is passed on unchanged.
        if error.is_instance_of::<PyTypeError>(py) {
            wrong_type(name, "str or os.PathLike", value)
        } else if error.is_instance_of::<PyUnicodeError>(py) {
            invalid(py, format!("{name} is not a valid path on this system"))
        } else {
            error
        }
    })
}

/// A path or `None`.
pub(crate) fn optional_path(name: &str, value: Option<&Bound<'_, PyAny>>) -> PyResult<Option<PathBuf>> {
    value.map(|value| path(name, value)).transpose()
}
