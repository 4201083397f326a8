//! The fields of a request from Python.

use merchantpay::RequestValues;
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
    pub(crate) fn read(&self) -> PyResult<RequestValues> {
        let mut values = RequestValues::default();
        // The values remember what they refuse.
        let mut set = |name: &str, text: Option<String>| drop(values.set(name, text.as_deref()));
        // generated: begin read
        set("sum", optional_digits("sum", self.sum)?);
        set("currency", optional_text("currency", self.currency)?);
        set("payment_method", optional_text("payment_method", self.payment_method)?);
        set("customer_account", optional_text("customer_account", self.customer_account)?);
        set("status_webhook_url", optional_text("status_webhook_url", self.status_webhook_url)?);
        set(
            "credentials_webhook_url",
            optional_text("credentials_webhook_url", self.credentials_webhook_url)?,
        );
        set("payer_bank", optional_text("payer_bank", self.payer_bank)?);
        set("merchant_id", optional_text("merchant_id", self.merchant_id)?);
        set("sum_drift_up", optional_digits("sum_drift_up", self.sum_drift_up)?);
        set("sum_drift_down", optional_digits("sum_drift_down", self.sum_drift_down)?);
        // generated: end
        Ok(values)
    }
}
