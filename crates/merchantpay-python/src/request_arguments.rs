//! The fields of a request from Python.

use merchantpay::RequestFields;
use pyo3::prelude::*;

use crate::amount::optional_digits;
use crate::argument::{Argument, optional_text};

/// The fields of a request; `None` for an absent field.
#[derive(Default)]
pub(crate) struct RequestArguments<'a, 'py> {
    // generated: begin fields
    pub(crate) sum: Option<Argument<'a, 'py>>,
    pub(crate) currency: Option<Argument<'a, 'py>>,
    pub(crate) payment_method: Option<Argument<'a, 'py>>,
    pub(crate) customer_account: Option<Argument<'a, 'py>>,
    pub(crate) status_webhook_url: Option<Argument<'a, 'py>>,
    pub(crate) credentials_webhook_url: Option<Argument<'a, 'py>>,
    pub(crate) payer_bank: Option<Argument<'a, 'py>>,
    pub(crate) merchant_id: Option<Argument<'a, 'py>>,
    pub(crate) sum_drift_up: Option<Argument<'a, 'py>>,
    pub(crate) sum_drift_down: Option<Argument<'a, 'py>>,
    // generated: end
}

impl RequestArguments<'_, '_> {
    /// The fields' texts; the core checks their values.
    pub(crate) fn read(&self) -> PyResult<RequestFields> {
        let mut fields = RequestFields::default();
        // generated: begin read
        fields.sum = optional_digits("sum", self.sum)?;
        fields.currency = optional_text("currency", self.currency)?;
        fields.payment_method = optional_text("payment_method", self.payment_method)?;
        fields.customer_account = optional_text("customer_account", self.customer_account)?;
        fields.status_webhook_url = optional_text("status_webhook_url", self.status_webhook_url)?;
        fields.credentials_webhook_url =
            optional_text("credentials_webhook_url", self.credentials_webhook_url)?;
        fields.payer_bank = optional_text("payer_bank", self.payer_bank)?;
        fields.merchant_id = optional_text("merchant_id", self.merchant_id)?;
        fields.sum_drift_up = optional_digits("sum_drift_up", self.sum_drift_up)?;
        fields.sum_drift_down = optional_digits("sum_drift_down", self.sum_drift_down)?;
        // generated: end
        Ok(fields)
    }
}
