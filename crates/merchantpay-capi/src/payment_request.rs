//! `mpay_payment_request`: the fields of a request.

use std::ffi::c_char;

use merchantpay::{Amount, AmountsRequest, Error, PaymentRequest, RequestValues, Result};

use crate::boundary::{self, CallPhase, needed, needed_text, run, set};
use crate::error::mpay_error;
use crate::handle::{free, make};

/// The request of mpay_get_available_amounts, mpay_new_payment and mpay_new_payment_async. Its fields can be
/// set in any order, and are checked when the request is used. The request can be used several times. One
/// thread at a time may set its fields; any number of threads may use it at once.
#[derive(Default)]
pub struct mpay_payment_request(RequestValues);

impl mpay_payment_request {
    /// Sets a field by its name, or unsets it. A refused text is remembered, so that the request is never sent
    /// without that field.
    fn set(&mut self, name: &str, text: Result<Option<&str>>) -> Result<()> {
        match text {
            Ok(text) => self.0.set(name, text),
            Err(error) => self.0.refuse(name, error),
        }
    }

    /// Like [`set`](Self::set), but only a text that is not UTF-8 is an error now. Any other is an error when the
    /// request is used.
    pub(crate) fn set_late(&mut self, name: &str, text: Result<Option<&str>>) -> Result<()> {
        let is_text = text.is_ok();
        let set = self.set(name, text);
        if is_text { Ok(()) } else { set }
    }

    pub(crate) fn amounts(&self) -> Result<AmountsRequest> {
        self.0.amounts_request()
    }

    pub(crate) fn payment(&self) -> Result<PaymentRequest> {
        self.0.payment_request()
    }
}

/// The error with the name of the field as C writes it.
fn named(error: Error, name: &str) -> Error {
    match error.message().contains(name) {
        true => error,
        false => Error::invalid_argument(format!("{name}: {}", error.message())),
    }
}

/// A new request, with the currency RUB and no other field. Never NULL. Any thread. Since 0.1.0.
#[unsafe(no_mangle)]
pub extern "C" fn mpay_payment_request_new() -> *mut mpay_payment_request {
    make(mpay_payment_request::default)
}

/// Sets the sum in kopecks, such as 150050 for 1500.50. Returns MPAY_OK or MPAY_INVALID_ARGUMENT. One thread
/// at a time. Since 0.1.0.
#[unsafe(no_mangle)]
pub extern "C" fn mpay_payment_request_set_sum_minor(
    request: Option<&mut mpay_payment_request>,
    kopecks: i64,
) -> i32 {
    set(|| {
        let sum = Amount::from_minor(kopecks).to_string();
        needed(request, "request")?.set_late("sum", Ok(Some(&sum)))
    })
}

/// Sets a field by its name in snake case, such as "customer_account", and its text; NULL unsets it. Returns
/// MPAY_OK, or MPAY_INVALID_ARGUMENT for an unknown name or an invalid text; the error names the field. One
/// thread at a time. Since 0.3.0.
#[unsafe(no_mangle)]
pub unsafe extern "C" fn mpay_payment_request_set(
    request: Option<&mut mpay_payment_request>,
    name: *const c_char,
    text: *const c_char,
    error: *mut *mut mpay_error,
) -> i32 {
    // SAFETY: the header's rules for texts and out-pointers.
    unsafe {
        run(CallPhase::Setup, error, || {
            let name = needed_text(name, "name")?;
            needed(request, "request")?
                .set(name, boundary::text(text, name))
                .map_err(|error| named(error, name))
        })
    }
}

/// Frees a request; NULL is allowed. Any thread, once. Since 0.1.0.
#[unsafe(no_mangle)]
pub extern "C" fn mpay_payment_request_free(request: Option<Box<mpay_payment_request>>) {
    free(request);
}
