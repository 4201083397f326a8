//! Functions that only bindings of other languages need: reads that save foreign calls, and functions for
//! processes that create all objects anew for each request. They are in `merchantpay_bindings.h`.

use std::ffi::c_void;

#[cfg(feature = "journal")]
use crate::entry::mpay_entry;
use crate::error::mpay_error;
use crate::handle::read_bytes;
use crate::http_request::mpay_http_request;
use crate::log::mpay_attempt;
use crate::payment::mpay_payment;
use crate::webhook::mpay_event;

/// Returns all values of a payment at once: "1" if its status is final, else "0"; the JSON; the contract's
/// fields in the order of their getters in merchantpay.h, from mpay_payment_order_id on. A NUL separates two
/// fields; an absent field is the byte 0xFF, which no text contains. A later version may append fields.
/// Borrowed from the payment. Any thread. Since 0.1.0.
#[unsafe(no_mangle)]
pub unsafe extern "C" fn mpay_payment_fields(
    payment: Option<&mpay_payment>,
    len: *mut usize,
) -> *const c_void {
    // SAFETY: the header's rule for out-pointers.
    unsafe { read_bytes(payment, len, mpay_payment::fields) }
}

/// Returns all values of an event at once: the result of mpay_event_kind in digits, a NUL, and the result of
/// mpay_payment_fields for its payment. Borrowed from the event. Any thread. Since 0.1.0.
#[unsafe(no_mangle)]
pub unsafe extern "C" fn mpay_event_fields(event: Option<&mpay_event>, len: *mut usize) -> *const c_void {
    // SAFETY: the header's rule for out-pointers.
    unsafe { read_bytes(event, len, mpay_event::fields) }
}

/// Returns all values of an error at once, in the format of mpay_payment_fields: the names of code and
/// outcome; "1" if the error is transient, else "0"; the HTTP status in digits; message, description, reason,
/// order id, content type, excerpt, and the milliseconds to wait in digits. The body is not included. Borrowed
/// from the error. Any thread. Since 0.3.0.
#[unsafe(no_mangle)]
pub unsafe extern "C" fn mpay_error_fields(error: Option<&mpay_error>, len: *mut usize) -> *const c_void {
    // SAFETY: the header's rule for out-pointers.
    unsafe { read_bytes(error, len, mpay_error::fields) }
}

/// Returns all values of an HTTP attempt at once, in the format of mpay_payment_fields: the line of
/// mpay_attempt_line; operation and order id; number, HTTP status and elapsed milliseconds in digits; the
/// names of code and outcome, absent for a success. Borrowed from the attempt. The callback's thread only.
/// Since 0.3.0.
#[unsafe(no_mangle)]
pub unsafe extern "C" fn mpay_attempt_fields(
    attempt: Option<&mpay_attempt>,
    len: *mut usize,
) -> *const c_void {
    // SAFETY: the header's rule for out-pointers.
    unsafe { read_bytes(attempt, len, mpay_attempt::fields) }
}

/// Returns all values of an entry at once, in the format of mpay_payment_fields: the JSON; outcome and
/// description of its error; "1" for an orphan, else "0"; the column that cannot be read; the details as a
/// JSON array; then its fields in the order of the definition, from the reference to the time of the last
/// write. Numbers and times are digits, flags are "1" or "0", lists are names. The error is its code. Commas
/// separate the reasons for attention. Credentials are "1" if present: see mpay_entry_credentials. Borrowed
/// from the entry. Any thread. Since 0.3.0.
#[cfg(feature = "journal")]
#[unsafe(no_mangle)]
pub unsafe extern "C" fn mpay_entry_fields(entry: Option<&mpay_entry>, len: *mut usize) -> *const c_void {
    // SAFETY: the header's rule for out-pointers.
    unsafe { read_bytes(entry, len, mpay_entry::fields) }
}

/// Returns the URL and all headers of a request at once: the URL, then the name and the value of each header
/// in turn. A NUL separates two texts. Borrowed from the request. Any thread. Since 0.1.0.
#[unsafe(no_mangle)]
pub unsafe extern "C" fn mpay_http_request_head(
    request: Option<&mpay_http_request>,
    len: *mut usize,
) -> *const c_void {
    // SAFETY: the header's rule for out-pointers.
    unsafe { read_bytes(request, len, mpay_http_request::head) }
}
