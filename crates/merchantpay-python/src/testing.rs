//! For `merchantpay.testing`: signatures without a service.

use merchantpay::{Outcome, PrivateKey};
use pyo3::prelude::*;

use crate::argument::{Argument, bytes, text};
use crate::call::call;

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
