//! `mpay_payment_request`: what is asked for.

use std::ffi::c_char;

use merchantpay::{Amount, AmountsRequest, Error, PaymentRequest, RequestFields, Result};

use crate::boundary::{free, make, needed, set, text};

/// The fields of mpay_get_available_amounts, mpay_new_payment and mpay_new_payment_async, set in any order; checked when it
/// is used, which does not consume it. One thread at a time while it is set; any number may use it at once.
#[derive(Default)]
pub struct mpay_payment_request {
    fields: RequestFields,
    /// Names of fields whose last text was not UTF-8.
    wrong: Vec<&'static str>,
}

impl mpay_payment_request {
    /// Takes a text, or takes the field back. A text that cannot be read is remembered, so that nothing is sent without it.
    fn set(&mut self, name: &'static str, field: fn(&mut RequestFields) -> &mut Option<String>, value: Result<Option<&str>>) -> Result<()> {
        self.wrong.retain(|wrong| *wrong != name);
        let (value, told) = match value {
            Ok(value) => (value, Ok(())),
            Err(error) => {
                self.wrong.push(name);
                (None, Err(error))
            }
        };
        *field(&mut self.fields) = value.map(str::to_owned);
        told
    }

    fn fields(&self) -> Result<&RequestFields> {
        match self.wrong.first() {
            Some(name) => Err(Error::invalid_argument(format!("{name} is not UTF-8"))),
            None => Ok(&self.fields),
        }
    }

    pub(crate) fn amounts(&self) -> Result<AmountsRequest> {
        self.fields()?.amounts_request()
    }

    pub(crate) fn payment(&self) -> Result<PaymentRequest> {
        self.fields()?.payment_request()
    }
}

/// A new request, with RUB for its currency and nothing else set. Never NULL. Any thread. Since 0.1.0.
#[unsafe(no_mangle)]
pub extern "C" fn mpay_payment_request_new() -> *mut mpay_payment_request {
    make(mpay_payment_request::default)
}

/// The sum as decimal text, such as "1500.50": greater than 0, exact, at most 28 digits. Needed; NULL unsets it. Returns
/// MPAY_OK or MPAY_INVALID_ARGUMENT. One thread at a time. Since 0.1.0.
#[unsafe(no_mangle)]
pub unsafe extern "C" fn mpay_payment_request_set_sum(request: Option<&mut mpay_payment_request>, sum: *const c_char) -> i32 {
    // SAFETY: the header's rule for texts.
    let sum = unsafe { text(sum, "sum") };
    set(|| needed(request, "request")?.set("sum", |fields| &mut fields.sum, sum))
}

/// The sum in kopecks, such as 150050. Returns MPAY_OK or MPAY_INVALID_ARGUMENT. One thread at a time. Since 0.1.0.
#[unsafe(no_mangle)]
pub extern "C" fn mpay_payment_request_set_sum_minor(request: Option<&mut mpay_payment_request>, kopecks: i64) -> i32 {
    set(|| {
        let sum = Amount::from_minor(kopecks).to_string();
        needed(request, "request")?.set("sum", |fields| &mut fields.sum, Ok(Some(&sum)))
    })
}

/// The currency: "RUB", also if it is unset. NULL unsets it. Returns MPAY_OK or MPAY_INVALID_ARGUMENT. One thread at a
/// time. Since 0.1.0.
#[unsafe(no_mangle)]
pub unsafe extern "C" fn mpay_payment_request_set_currency(request: Option<&mut mpay_payment_request>, currency: *const c_char) -> i32 {
    // SAFETY: the header's rule for texts.
    let currency = unsafe { text(currency, "currency") };
    set(|| needed(request, "request")?.set("currency", |fields| &mut fields.currency, currency))
}

/// The payment method: "card" or "sbp". Needed; NULL unsets it. Returns MPAY_OK or MPAY_INVALID_ARGUMENT. One thread at a
/// time. Since 0.1.0.
#[unsafe(no_mangle)]
pub unsafe extern "C" fn mpay_payment_request_set_payment_method(
    request: Option<&mut mpay_payment_request>,
    payment_method: *const c_char,
) -> i32 {
    // SAFETY: the header's rule for texts.
    let payment_method = unsafe { text(payment_method, "payment_method") };
    set(|| needed(request, "request")?.set("payment_method", |fields| &mut fields.payment_method, payment_method))
}

/// The customer's account. Needed, but by mpay_get_available_amounts, where it has no effect at present. NULL unsets it.
/// Returns MPAY_OK or MPAY_INVALID_ARGUMENT. One thread at a time. Since 0.1.0.
#[unsafe(no_mangle)]
pub unsafe extern "C" fn mpay_payment_request_set_customer_account(
    request: Option<&mut mpay_payment_request>,
    customer_account: *const c_char,
) -> i32 {
    // SAFETY: the header's rule for texts.
    let customer_account = unsafe { text(customer_account, "customer_account") };
    set(|| needed(request, "request")?.set("customer_account", |fields| &mut fields.customer_account, customer_account))
}

/// The code of the payer's bank, which the merchant's agreement may require. NULL unsets it. mpay_get_available_amounts
/// leaves it out. Returns MPAY_OK or MPAY_INVALID_ARGUMENT. One thread at a time. Since 0.1.0.
#[unsafe(no_mangle)]
pub unsafe extern "C" fn mpay_payment_request_set_payer_bank(request: Option<&mut mpay_payment_request>, payer_bank: *const c_char) -> i32 {
    // SAFETY: the header's rule for texts.
    let payer_bank = unsafe { text(payer_bank, "payer_bank") };
    set(|| needed(request, "request")?.set("payer_bank", |fields| &mut fields.payer_bank, payer_bank))
}

/// The merchant's own identifier, for reconciliation and support. NULL unsets it. mpay_get_available_amounts leaves it out.
/// Returns MPAY_OK or MPAY_INVALID_ARGUMENT. One thread at a time. Since 0.1.0.
#[unsafe(no_mangle)]
pub unsafe extern "C" fn mpay_payment_request_set_merchant_id(
    request: Option<&mut mpay_payment_request>,
    merchant_id: *const c_char,
) -> i32 {
    // SAFETY: the header's rule for texts.
    let merchant_id = unsafe { text(merchant_id, "merchant_id") };
    set(|| needed(request, "request")?.set("merchant_id", |fields| &mut fields.merchant_id, merchant_id))
}

/// The absolute http or https URL that receives status webhooks (contract, section 6.2). NULL unsets it.
/// mpay_get_available_amounts leaves it out. Returns MPAY_OK or MPAY_INVALID_ARGUMENT. One thread at a time. Since 0.1.0.
#[unsafe(no_mangle)]
pub unsafe extern "C" fn mpay_payment_request_set_status_webhook_url(
    request: Option<&mut mpay_payment_request>,
    status_webhook_url: *const c_char,
) -> i32 {
    // SAFETY: the header's rule for texts.
    let status_webhook_url = unsafe { text(status_webhook_url, "status_webhook_url") };
    set(|| needed(request, "request")?.set("status_webhook_url", |fields| &mut fields.status_webhook_url, status_webhook_url))
}

/// The absolute http or https URL that receives the credentials (contract, section 6.1). mpay_new_payment_async needs it,
/// mpay_new_payment refuses it, mpay_get_available_amounts leaves it out. NULL unsets it. Returns MPAY_OK or
/// MPAY_INVALID_ARGUMENT. One thread at a time. Since 0.1.0.
#[unsafe(no_mangle)]
pub unsafe extern "C" fn mpay_payment_request_set_credentials_webhook_url(
    request: Option<&mut mpay_payment_request>,
    credentials_webhook_url: *const c_char,
) -> i32 {
    // SAFETY: the header's rule for texts.
    let credentials_webhook_url = unsafe { text(credentials_webhook_url, "credentials_webhook_url") };
    set(|| {
        needed(request, "request")?.set("credentials_webhook_url", |fields| &mut fields.credentials_webhook_url, credentials_webhook_url)
    })
}

/// For mpay_get_available_amounts: how far above the sum an amount may be, as decimal text. NULL unsets it. Returns MPAY_OK
/// or MPAY_INVALID_ARGUMENT. One thread at a time. Since 0.1.0.
#[unsafe(no_mangle)]
pub unsafe extern "C" fn mpay_payment_request_set_sum_drift_up(
    request: Option<&mut mpay_payment_request>,
    sum_drift_up: *const c_char,
) -> i32 {
    // SAFETY: the header's rule for texts.
    let sum_drift_up = unsafe { text(sum_drift_up, "sum_drift_up") };
    set(|| needed(request, "request")?.set("sum_drift_up", |fields| &mut fields.sum_drift_up, sum_drift_up))
}

/// For mpay_get_available_amounts: how far below the sum an amount may be, as decimal text. NULL unsets it. Returns MPAY_OK
/// or MPAY_INVALID_ARGUMENT. One thread at a time. Since 0.1.0.
#[unsafe(no_mangle)]
pub unsafe extern "C" fn mpay_payment_request_set_sum_drift_down(
    request: Option<&mut mpay_payment_request>,
    sum_drift_down: *const c_char,
) -> i32 {
    // SAFETY: the header's rule for texts.
    let sum_drift_down = unsafe { text(sum_drift_down, "sum_drift_down") };
    set(|| needed(request, "request")?.set("sum_drift_down", |fields| &mut fields.sum_drift_down, sum_drift_down))
}

/// Frees a request; NULL is allowed. Any thread, once. Since 0.1.0.
#[unsafe(no_mangle)]
pub extern "C" fn mpay_payment_request_free(request: Option<Box<mpay_payment_request>>) {
    free(request);
}
