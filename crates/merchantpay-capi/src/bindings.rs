//! What only bindings of other languages need: reads that save foreign calls, and what suits a process that
//! makes all of its objects anew for each request. Its functions are in `merchantpay_bindings.h`.

use std::ffi::c_void;

#[cfg(feature = "journal")]
use crate::boundary::set;
use crate::handle::read_bytes;
use crate::http_request::mpay_http_request;
#[cfg(feature = "journal")]
use crate::journal_config::{change_check_later, mpay_journal_config};
use crate::payment::mpay_payment;
use crate::webhook::mpay_event;

/// All of a payment at once: the contract's fields in the order of their getters in merchantpay.h, from
/// mpay_payment_order_id on; "1" if it is final, else "0"; the JSON. A NUL stands between two; an absent one
/// is the byte 0xFF, which is in no text. Borrowed from the payment. Any thread. Since 0.1.0.
#[unsafe(no_mangle)]
pub unsafe extern "C" fn mpay_payment_fields(
    payment: Option<&mpay_payment>,
    len: *mut usize,
) -> *const c_void {
    // SAFETY: the header's rule for out-pointers.
    unsafe { read_bytes(payment, len, mpay_payment::fields) }
}

/// All of an event at once: what mpay_event_kind gives, in digits, a NUL, and what mpay_payment_fields gives
/// of its payment. Borrowed from the event. Any thread. Since 0.1.0.
#[unsafe(no_mangle)]
pub unsafe extern "C" fn mpay_event_fields(event: Option<&mpay_event>, len: *mut usize) -> *const c_void {
    // SAFETY: the header's rule for out-pointers.
    unsafe { read_bytes(event, len, mpay_event::fields) }
}

/// The URL and all headers of a request at once: the URL, then the name and the value of each header in turn.
/// A NUL stands between two. Borrowed from the request. Any thread. Since 0.1.0.
#[unsafe(no_mangle)]
pub unsafe extern "C" fn mpay_http_request_head(
    request: Option<&mpay_http_request>,
    len: *mut usize,
) -> *const c_void {
    // SAFETY: the header's rule for out-pointers.
    unsafe { read_bytes(request, len, mpay_http_request::head) }
}

/// Sets whether a database is asked along with the first attempt that is read (1), or when the journal is
/// opened (0, as unless set), what it must give: so a journal that is opened for one request costs no statement
/// of its own. What is wrong is then the error of that operation, before anything is sent. Returns MPAY_OK or
/// MPAY_INVALID_ARGUMENT. One thread at a time. Since 0.2.0.
#[cfg(feature = "journal")]
#[unsafe(no_mangle)]
pub extern "C" fn mpay_journal_config_set_check_later(
    config: Option<&mut mpay_journal_config>,
    later: i32,
) -> i32 {
    set(|| change_check_later(config, later))
}
