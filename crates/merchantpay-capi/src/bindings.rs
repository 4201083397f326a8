//! Reads of many values in one call, for bindings of other languages; they are in `merchantpay_bindings.h`. This
//! project's packages use the waist. The functions stay because programs may bind to their symbols, and within one
//! ABI no function goes.

use std::ffi::c_void;

#[cfg(feature = "journal")]
use crate::entry::mpay_entry;
use crate::handle::read_bytes;
use crate::http::mpay_http_request;
#[cfg(feature = "journal")]
use crate::places::entry;
use crate::places::{attempt, error, event, prepared};
use crate::record::Record;
use crate::typed::{mpay_attempt, mpay_error, mpay_event, mpay_payment};

type Texts = Vec<Option<String>>;

fn text(record: &Record, place: &[usize]) -> Option<String> {
    record.str(place).map(str::to_owned)
}

/// A number in digits, also where it is absent.
fn digits(record: &Record, place: &[usize]) -> Option<String> {
    Some(record.number::<u64>(place).to_string())
}

fn all(record: &Record) -> Texts {
    (0..record.len()).map(|place| text(record, &[place])).collect()
}

fn of_event(record: &Record) -> Texts {
    let kind = Some(record.word(&[event::KIND], "EventKind").to_string());
    let payment = record.inside(&[event::PAYMENT]).map(all);
    std::iter::once(kind).chain(payment.unwrap_or_default()).collect()
}

fn of_error(record: &Record) -> Texts {
    let of = |place| text(record, &[place]);
    vec![
        of(error::CODE),
        of(error::OUTCOME),
        of(error::IS_TRANSIENT),
        digits(record, &[error::HTTP_STATUS]),
        of(error::MESSAGE),
        of(error::DESCRIPTION),
        of(error::REASON),
        of(error::ORDER_ID).filter(|id| !id.contains('\0')),
        of(error::CONTENT_TYPE),
        of(error::EXCERPT),
        digits(record, &[error::RETRY_AFTER_MS]),
    ]
}

fn of_attempt(record: &Record) -> Texts {
    let mut texts = all(record);
    if let Some(status) = texts.get_mut(attempt::HTTP_STATUS) {
        *status = digits(record, &[attempt::HTTP_STATUS]);
    }
    texts
}

fn head(record: &Record) -> Texts {
    let headers = record.inside(&[prepared::HEADERS]).map(all);
    std::iter::once(text(record, &[prepared::URL])).chain(headers.unwrap_or_default()).collect()
}

#[cfg(feature = "journal")]
fn of_entry(its: &mpay_entry) -> Texts {
    let record = its.as_ref();
    let details = its.details();
    let mut texts = vec![
        its.json().map(str::to_owned),
        text(record, &[entry::ERROR, 1]),
        text(record, &[entry::ERROR, 2]),
        Some(if its.is_orphan() { "1" } else { "0" }.to_owned()),
        its.unreadable().map(str::to_owned),
        Some(serde_json::to_string(&details).unwrap_or_default()),
    ];
    texts.extend((entry::REFERENCE..record.len()).map(|place| match (place, record.inside(&[place])) {
        (entry::ERROR, Some(error)) => text(error, &[0]),
        (entry::ATTENTION, Some(reasons)) => {
            Some(all(reasons).into_iter().flatten().collect::<Vec<_>>().join(","))
        }
        (_, Some(_)) => Some("1".to_owned()),
        (entry::ORDER_ID, None) => text(record, &[place]).filter(|id| !id.contains('\0')),
        (_, None) => text(record, &[place]),
    }));
    texts
}

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
    unsafe { read_bytes(payment, len, |payment| payment.0.flat(|| all(&payment.0))) }
}

/// Returns all values of an event at once: the result of mpay_event_kind in digits, a NUL, and the result of
/// mpay_payment_fields for its payment. Borrowed from the event. Any thread. Since 0.1.0.
#[unsafe(no_mangle)]
pub unsafe extern "C" fn mpay_event_fields(event: Option<&mpay_event>, len: *mut usize) -> *const c_void {
    // SAFETY: the header's rule for out-pointers.
    unsafe { read_bytes(event, len, |event| event.0.flat(|| of_event(&event.0))) }
}

/// Returns all values of an error at once, in the format of mpay_payment_fields: the names of code and
/// outcome; "1" if the error is transient, else "0"; the HTTP status in digits; message, description, reason,
/// order id, content type, excerpt, and the milliseconds to wait in digits. The body is not included. Borrowed
/// from the error. Any thread. Since 0.3.0.
#[unsafe(no_mangle)]
pub unsafe extern "C" fn mpay_error_fields(error: Option<&mpay_error>, len: *mut usize) -> *const c_void {
    // SAFETY: the header's rule for out-pointers.
    unsafe { read_bytes(error, len, |error| error.0.flat(|| of_error(&error.0))) }
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
    unsafe { read_bytes(attempt, len, |attempt| attempt.0.flat(|| of_attempt(&attempt.0))) }
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
    unsafe { read_bytes(entry, len, |entry| entry.as_ref().flat(|| of_entry(entry))) }
}

/// Returns the URL and all headers of a request at once: the URL, then the name and the value of each header
/// in turn. A NUL separates two texts. Borrowed from the request. Any thread. Since 0.1.0.
#[unsafe(no_mangle)]
pub unsafe extern "C" fn mpay_http_request_head(
    request: Option<&mpay_http_request>,
    len: *mut usize,
) -> *const c_void {
    // SAFETY: the header's rule for out-pointers.
    unsafe { read_bytes(request, len, |request| request.as_ref().flat(|| head(request.as_ref()))) }
}
