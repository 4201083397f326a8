//! Converts the arguments of an operation to a request for the core.

use merchantpay::{Outcome, RequestValues, Result};
use pyo3::prelude::*;

use crate::call::call;
use crate::request_arguments::RequestArguments;

/// Reads the arguments and makes the request from their values.
pub(crate) fn request<R: Send>(
    py: Python<'_>,
    arguments: &RequestArguments<'_, '_>,
    make: impl FnOnce(&RequestValues) -> Result<R> + Send,
) -> PyResult<R> {
    let fields = arguments.read()?;
    call(py, Outcome::NotSent, || make(&fields))
}
