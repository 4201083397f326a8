//! `mpay_payment_request`: the fields of a request.

use std::ffi::c_char;

use merchantpay::{
    Amount, AmountsRequest, Error, PaymentRequest, REQUEST_FIELDS, RequestField, RequestFields, Result,
};

use crate::boundary::{self, CallPhase, needed, needed_text, run, set};
use crate::config_texts::with_name;
use crate::error::mpay_error;
use crate::handle::{free, make};

/// The request of mpay_get_available_amounts, mpay_new_payment and mpay_new_payment_async. Its fields can be
/// set in any order, and are checked when the request is used. The request can be used several times. One
/// thread at a time may set its fields; any number of threads may use it at once.
#[derive(Default)]
pub struct mpay_payment_request {
    fields: RequestFields,
    /// The names of fields whose last text was not UTF-8.
    wrong: Vec<&'static str>,
}

impl mpay_payment_request {
    /// Sets a field, or unsets it. An invalid text is remembered, so that the request is never sent without
    /// that field.
    pub(crate) fn set(
        &mut self,
        name: &'static str,
        field: fn(&mut RequestFields) -> &mut Option<String>,
        value: Result<Option<&str>>,
    ) -> Result<()> {
        let (value, result) = self.noted(name, value);
        *field(&mut self.fields) = value.map(str::to_owned);
        result
    }

    /// Like [`set`](Self::set), by the field's name; an invalid value is reported immediately.
    fn set_text(&mut self, row: &'static RequestField, value: Result<Option<&str>>) -> Result<()> {
        let (value, result) = self.noted(row.snake_case, value);
        if let Some(field) = self.fields.field_mut(row.name) {
            *field = value.map(str::to_owned);
        }
        result.and_then(|()| value.map_or(Ok(()), |value| RequestFields::check(row.name, value)))
    }

    fn noted<'a>(
        &mut self,
        name: &'static str,
        value: Result<Option<&'a str>>,
    ) -> (Option<&'a str>, Result<()>) {
        self.wrong.retain(|wrong| *wrong != name);
        match value {
            Ok(value) => (value, Ok(())),
            Err(error) => {
                self.wrong.push(name);
                (None, Err(error))
            }
        }
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
        needed(request, "request")?.set("sum", |fields| &mut fields.sum, Ok(Some(&sum)))
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
            let row = REQUEST_FIELDS.iter().find(|row| row.snake_case == name);
            let row = row.ok_or_else(|| Error::invalid_argument(format!("there is no field {name:?}")))?;
            let set = needed(request, "request")?.set_text(row, boundary::text(text, row.snake_case));
            set.map_err(|error| with_name(error, row.snake_case))
        })
    }
}

/// Frees a request; NULL is allowed. Any thread, once. Since 0.1.0.
#[unsafe(no_mangle)]
pub extern "C" fn mpay_payment_request_free(request: Option<Box<mpay_payment_request>>) {
    free(request);
}
