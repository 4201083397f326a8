//! `mpay_payment_request` and `mpay_receipt`: the functions for which no table has a row.

use std::ffi::c_char;
use std::sync::Arc;

use merchantpay::{Amount, Error, REQUEST_FIELDS, RequestValues, Result};
use merchantpay_calls::{Object, Phase};

use crate::arguments::{Argument, given, list, needed, needed_text, text, utf8};
use crate::boundary::{run, set};
use crate::handle::make;
use crate::object::{Holds, LIBRARY, call};
use crate::places::{number, request};
use crate::typed::mpay_error;

/// The request of mpay_get_available_amounts, mpay_new_payment and mpay_new_payment_async. Its fields can be
/// set in any order, and are checked when the request is used. The request can be used several times. One
/// thread at a time may set its fields; any number of threads may use it at once.
#[derive(Default)]
pub struct mpay_payment_request([Option<Box<[u8]>>; REQUEST_FIELDS.len()]);

impl mpay_payment_request {
    /// Sets a field by its place in the table, or unsets it. A value that is not a text stays, so that the request
    /// is never sent without that field.
    pub(crate) fn put(&mut self, place: usize, value: &Argument<'_>) -> Result<()> {
        let value = given(value);
        if let Some(field) = self.0.get_mut(place) {
            *field = value.map(Box::from);
        }
        let name = REQUEST_FIELDS.get(place).map_or("", |row| row.snake_case);
        value.map_or(Ok(()), |value| utf8(name, value).map(drop))
    }

    pub(crate) fn argument(&self) -> Argument<'_> {
        list(self.0.iter().map(Option::as_deref))
    }
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
        needed(request, "request")?.put(request::SUM, &Some(sum.into()))
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
        run(Phase::Setup, error, || {
            let (name, value) = (needed_text(name, "name")?, crate::arguments::text(text));
            let request = needed(request, "request")?;
            let place = REQUEST_FIELDS.iter().position(|row| row.name == name || row.snake_case == name);
            if let Some(place) = place {
                request.put(place, &value)?;
            }
            let text = given(&value).map(|value| utf8(name, value)).transpose()?;
            RequestValues::default().set(name, text).map_err(|error| named(error, name))
        })
    }
}

/// The error with the name of the field as C writes it.
fn named(error: Error, name: &str) -> Error {
    match error.message().contains(name) {
        true => error,
        false => Error::invalid_argument(format!("{name}: {}", error.message())),
    }
}

/// One or more receipts for a payment in arbitration (contract, section 4.7). One thread at a time may add
/// files; any number of threads may use the receipt at once.
pub struct mpay_receipt(Result<Arc<Object>>);

impl Holds for mpay_receipt {
    fn object(&self) -> Result<&Arc<Object>> {
        self.0.as_ref().map_err(Error::clone)
    }
}

/// A new receipt without files. If the order id is NULL or not UTF-8, the functions that use the receipt
/// report the error. Never NULL. Any thread. Since 0.1.0.
#[unsafe(no_mangle)]
pub unsafe extern "C" fn mpay_receipt_new(order_id: *const c_char) -> *mut mpay_receipt {
    // SAFETY: the header's rule for texts.
    let order_id = unsafe { text(order_id) };
    make(|| {
        let order_id = needed(order_id, "order_id");
        let made = order_id.and_then(|order_id| call(LIBRARY, number::LIBRARY_RECEIPT, &[Some(order_id)]));
        mpay_receipt(made.and_then(|made| made.object(0)))
    })
}
