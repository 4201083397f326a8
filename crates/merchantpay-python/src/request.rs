//! The arguments that `Client` and `Protocol` share, as requests of the core.

use merchantpay::{AmountsRequest, Outcome, PaymentRequest, Receipt, RequestFields};
use pyo3::exceptions::PyTypeError;
use pyo3::prelude::*;
use pyo3::types::{PyBytes, PyString, PyTuple};

use crate::amount::{digits, optional_digits};
use crate::argument::{bytes, optional_text, path, text, wrong_type};
use crate::call::call;

type Argument<'a, 'py> = &'a Bound<'py, PyAny>;

/// The arguments of `new_payment` and `new_payment_async`.
pub(crate) struct PaymentArguments<'a, 'py> {
    pub sum: Argument<'a, 'py>,
    pub payment_method: Argument<'a, 'py>,
    pub customer_account: Argument<'a, 'py>,
    pub currency: Option<Argument<'a, 'py>>,
    pub payer_bank: Option<Argument<'a, 'py>>,
    pub merchant_id: Option<Argument<'a, 'py>>,
    pub status_webhook_url: Option<Argument<'a, 'py>>,
    pub credentials_webhook_url: Option<Argument<'a, 'py>>,
}

impl PaymentArguments<'_, '_> {
    pub(crate) fn read(self, py: Python<'_>) -> PyResult<PaymentRequest> {
        let mut fields = RequestFields::default();
        fields.sum = Some(digits("sum", self.sum)?);
        fields.payment_method = Some(text("payment_method", self.payment_method)?);
        fields.customer_account = Some(text("customer_account", self.customer_account)?);
        fields.currency = optional_text("currency", self.currency)?;
        fields.payer_bank = optional_text("payer_bank", self.payer_bank)?;
        fields.merchant_id = optional_text("merchant_id", self.merchant_id)?;
        fields.status_webhook_url = optional_text("status_webhook_url", self.status_webhook_url)?;
        fields.credentials_webhook_url = optional_text("credentials_webhook_url", self.credentials_webhook_url)?;
        call(py, Outcome::NotSent, || fields.payment_request())
    }
}

/// The arguments of `get_available_amounts`.
pub(crate) struct AmountsArguments<'a, 'py> {
    pub sum: Argument<'a, 'py>,
    pub payment_method: Argument<'a, 'py>,
    pub currency: Option<Argument<'a, 'py>>,
    pub sum_drift_up: Option<Argument<'a, 'py>>,
    pub sum_drift_down: Option<Argument<'a, 'py>>,
    pub customer_account: Option<Argument<'a, 'py>>,
}

impl AmountsArguments<'_, '_> {
    pub(crate) fn read(self, py: Python<'_>) -> PyResult<AmountsRequest> {
        let mut fields = RequestFields::default();
        fields.sum = Some(digits("sum", self.sum)?);
        fields.payment_method = Some(text("payment_method", self.payment_method)?);
        fields.currency = optional_text("currency", self.currency)?;
        fields.sum_drift_up = optional_digits("sum_drift_up", self.sum_drift_up)?;
        fields.sum_drift_down = optional_digits("sum_drift_down", self.sum_drift_down)?;
        fields.customer_account = optional_text("customer_account", self.customer_account)?;
        call(py, Outcome::NotSent, || fields.amounts_request())
    }
}

const FILES: &str = "a list of paths and (name, bytes, content type) tuples";

/// The files of `attach_receipt`, read now.
pub(crate) fn receipt(py: Python<'_>, order_id: &Bound<'_, PyAny>, files: &Bound<'_, PyAny>) -> PyResult<Receipt> {
    let mut receipt = Receipt::new(text("order_id", order_id)?);
    // One path is a sequence of letters: a list of one is what was meant.
    if files.is_instance_of::<PyString>() || files.is_instance_of::<PyBytes>() || files.hasattr("__fspath__")? {
        return Err(wrong_type("files", FILES, files));
    }
    for file in files.try_iter().map_err(|_| wrong_type("files", FILES, files))? {
        let file = file?;
        if let Ok(tuple) = file.cast::<PyTuple>() {
            let (name, data, content_type): (Bound<'_, PyAny>, Bound<'_, PyAny>, Bound<'_, PyAny>) = tuple
                .extract()
                .map_err(|_| PyTypeError::new_err("a receipt from memory is a tuple of its file name, its bytes and its content type"))?;
            let (name, content_type) = (text("the file name", &name)?, text("the content type", &content_type)?);
            let data = bytes("the data", &data, "a file from disk is given by its path")?;
            call(py, Outcome::NotSent, || receipt.add_bytes(&name, &content_type, data).map(drop))?;
        } else {
            let path = path("a receipt", &file)?;
            call(py, Outcome::NotSent, || receipt.add_file(&path).map(drop))?;
        }
    }
    Ok(receipt)
}
