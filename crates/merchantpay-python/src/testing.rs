//! For `merchantpay.testing`: signatures, and results without a service.

use merchantpay::{Outcome, PrivateKey};
use pyo3::prelude::*;

use crate::argument::{Argument, bytes, optional_seconds, text, whole};
use crate::call::call;
use crate::journal::entry::{Entry, Received, Settled};

/// The signature of a body, as in a webhook.
#[pyfunction]
pub(crate) fn _sign(
    py: Python<'_>,
    private_key: Argument<'_, '_>,
    body: Argument<'_, '_>,
) -> PyResult<String> {
    let (private_key, body) =
        (text("private_key", private_key)?, bytes("body", body, "the message to sign")?);
    call(py, Outcome::NotSent, || Ok(PrivateKey::from_base64(&private_key)?.sign(body).to_base64()))
}

/// A result of `Journal.receive`.
#[pyfunction]
#[pyo3(signature = (http_status, entry, error))]
pub(crate) fn _received(http_status: u16, entry: Option<Py<Entry>>, error: Option<Py<PyAny>>) -> Received {
    Received { http_status, entry, error }
}

/// A result of `Journal.settle`.
#[pyfunction]
#[pyo3(signature = (done, next_due))]
pub(crate) fn _settled(done: Argument<'_, '_>, next_due: Option<Argument<'_, '_>>) -> PyResult<Settled> {
    Ok(Settled { done: whole("done", done)?, next_due: optional_seconds("next_due", next_due)? })
}
