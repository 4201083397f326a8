//! For `merchantpay.testing`: results and signatures without a service. Pickles of version 0.3.0 are read here too.

use merchantpay::{AvailableAmounts, Error, Payment, PrivateKey};
use merchantpay_calls::{Kind, Returned};
use pyo3::exceptions::PyValueError;
use pyo3::prelude::*;
use pyo3::types::PyDict;

use crate::call::call;
use crate::write::{Writer, classes};

#[pyfunction]
pub(crate) fn _sign(py: Python<'_>, private_key: &str, body: &[u8]) -> PyResult<String> {
    call(py, || {
        let key =
            PrivateKey::from_base64(private_key).map_err(|error| Error::in_argument(error, "private_key"))?;
        Ok(key.sign(body).to_base64())
    })
}

/// Makes a result from a body. Pickles of version 0.3.0 name this function.
#[pyfunction]
pub(crate) fn _unpickle<'py>(py: Python<'py>, kind: &str, json: &str) -> PyResult<Bound<'py, PyAny>> {
    let unreadable = || PyValueError::new_err("this version of merchantpay cannot read this pickle");
    let (record, returned) = match kind {
        "AvailableAmounts" => ("amounts", AvailableAmounts::carried(json).map(Returned::from)),
        _ => ("payment", Payment::carried(json).map(Returned::from)),
    };
    let made = Writer::write(py, Kind::Record(record), None, &returned.ok_or_else(unreadable)?)?;
    if matches!(kind, "AvailableAmounts" | "Payment") {
        return Ok(made);
    }
    let classes = classes(py).get_item("events")?.ok_or_else(unreadable)?.call_method0("values")?;
    for class in classes.try_iter()? {
        let class = class?;
        if class.getattr("__name__")?.extract::<String>()? == kind {
            return class.call1((made,));
        }
    }
    Err(unreadable())
}

/// The fields of a payment's body that this version does not know, each as JSON text.
#[pyfunction]
pub(crate) fn _unknown_fields<'py>(py: Python<'py>, json: &str) -> PyResult<Bound<'py, PyDict>> {
    let fields = PyDict::new(py);
    if let Some(payment) = Payment::carried(json) {
        for name in payment.unknown_fields() {
            fields.set_item(&name, payment.field(&name))?;
        }
    }
    Ok(fields)
}
