//! The journal's calls: a payment, its confirm and its cancel; and an operator's resolution.

use std::ffi::c_char;

use merchantpay::{PaymentRequest, Result};
use merchantpay_journal::{Attention, Entry, Journal, Resolution};

use crate::boundary::{CallPhase, create_handle, known, needed, needed_text, run};
use crate::entry::mpay_entry;
use crate::error::mpay_error;
use crate::journal::mpay_journal;
use crate::payment_request::mpay_payment_request;

/// mpay_journal_resolve: the attempt is this order.
pub const MPAY_RESOLUTION_ORDER_ID: i32 = 1;
/// mpay_journal_resolve: the service made no payment for the attempt.
pub const MPAY_RESOLUTION_NO_PAYMENT: i32 = 2;
/// mpay_journal_resolve: looked at; it goes off the list until something new is found.
pub const MPAY_RESOLUTION_SEEN: i32 = 3;

/// What is paid: a reference, its request, and the attempt that is replaced, if one is.
type Asked<'a> = (&'a str, &'a PaymentRequest, Option<u32>);

/// # Safety
///
/// The header's rule for texts.
unsafe fn pay(
    journal: Option<&mpay_journal>,
    reference: *const c_char,
    request: Option<&mpay_payment_request>,
    replace: u32,
    take: impl FnOnce(&Journal, Asked<'_>) -> Result<Entry>,
) -> Result<mpay_entry> {
    let request = needed(request, "request")?.payment()?;
    // SAFETY: the caller's promise.
    let reference = unsafe { needed_text(reference, "reference") }?;
    let replace = (replace > 0).then_some(replace);
    take(&needed(journal, "journal")?.0, (reference, &request, replace)).map(mpay_entry::from)
}

/// Takes a payment by newPayment, or returns the existing one: it can be repeated safely.
/// reference is the merchant's own order number, 1 to 120 printable characters. Show
/// mpay_entry_credentials where there are some, and try again where the standing is MPAY_STANDING_REFUSED;
/// MPAY_STANDING_UNKNOWN stays until a webhook or a person decides it. replace is 0, or the number of the
/// attempt in whose place another one is wanted, which is a person's decision. Returns MPAY_OK;
/// MPAY_INVALID_ARGUMENT if the reference or the request cannot be right, or the reference is another
/// request's; MPAY_STORAGE with MPAY_OUTCOME_NOT_SENT if nothing left, with MPAY_OUTCOME_UNKNOWN and the order id
/// if the reply had come. What the service or the network said is mpay_entry_error_code. While another call for the
/// same payment is under way it waits for that one's end, for as long as mpay_journal_config_set_pay_wait_ms says. An
/// interrupted call returns the entry as it is. After three refused attempts in a row it makes no other for 2 s, then
/// 4 s and so on up to 5 min, and returns the refused one. *out is to be freed by mpay_entry_free. Any thread. Since
/// 0.2.0.
#[unsafe(no_mangle)]
pub unsafe extern "C" fn mpay_journal_pay(
    journal: Option<&mpay_journal>,
    reference: *const c_char,
    request: Option<&mpay_payment_request>,
    replace: u32,
    out: *mut *mut mpay_entry,
    error: *mut *mut mpay_error,
) -> i32 {
    // SAFETY: the header's rules for texts and out-pointers.
    unsafe {
        create_handle(CallPhase::Call, out, error, || {
            pay(journal, reference, request, replace, |journal, asked| match asked {
                (reference, request, None) => journal.pay(reference, request),
                (reference, request, Some(attempt)) => journal.replace(reference, request, attempt),
            })
        })
    }
}

/// The same by newPaymentAsync: the credentials come by webhook, into mpay_journal_news and mpay_journal_wait.
/// It needs a callback URL. Returns MPAY_OK,
/// MPAY_INVALID_ARGUMENT or MPAY_STORAGE, as mpay_journal_pay does. *out is to be freed by mpay_entry_free. Any thread.
/// Since 0.2.0.
#[unsafe(no_mangle)]
pub unsafe extern "C" fn mpay_journal_pay_async(
    journal: Option<&mpay_journal>,
    reference: *const c_char,
    request: Option<&mpay_payment_request>,
    replace: u32,
    out: *mut *mut mpay_entry,
    error: *mut *mut mpay_error,
) -> i32 {
    // SAFETY: the header's rules for texts and out-pointers.
    unsafe {
        create_handle(CallPhase::Call, out, error, || {
            pay(journal, reference, request, replace, |journal, asked| match asked {
                (reference, request, None) => journal.pay_async(reference, request),
                (reference, request, Some(attempt)) => journal.replace_async(reference, request, attempt),
            })
        })
    }
}

/// Reports to the service that the customer has paid this attempt. It is stored first, and mpay_journal_settle
/// retries it while its outcome is unknown; mpay_entry_confirm_state has its state. Returns MPAY_OK,
/// MPAY_INVALID_ARGUMENT for an attempt whose order id is not known, or MPAY_STORAGE. *out is to be freed by
/// mpay_entry_free. Any thread. Since 0.2.0.
#[unsafe(no_mangle)]
pub unsafe extern "C" fn mpay_journal_confirm(
    journal: Option<&mpay_journal>,
    entry: Option<&mpay_entry>,
    out: *mut *mut mpay_entry,
    error: *mut *mut mpay_error,
) -> i32 {
    // SAFETY: the header's rule for out-pointers.
    unsafe {
        create_handle(CallPhase::Call, out, error, || {
            let entry = needed(entry, "entry")?.attempt()?;
            needed(journal, "journal")?.0.confirm(entry).map(mpay_entry::from)
        })
    }
}

/// Cancels this attempt. Its credentials are not shown from now on; once mpay_entry_cancel_state is
/// MPAY_INTENT_ACCEPTED it can be replaced. Returns MPAY_OK, MPAY_INVALID_ARGUMENT or MPAY_STORAGE, as
/// mpay_journal_confirm does. *out is to be freed by
/// mpay_entry_free. Any thread. Since 0.2.0.
#[unsafe(no_mangle)]
pub unsafe extern "C" fn mpay_journal_cancel(
    journal: Option<&mpay_journal>,
    entry: Option<&mpay_entry>,
    out: *mut *mut mpay_entry,
    error: *mut *mut mpay_error,
) -> i32 {
    // SAFETY: the header's rule for out-pointers.
    unsafe {
        create_handle(CallPhase::Call, out, error, || {
            let entry = needed(entry, "entry")?.attempt()?;
            needed(journal, "journal")?.0.cancel(entry).map(mpay_entry::from)
        })
    }
}

/// Stores what a person says of an attempt (MPAY_RESOLUTION_ORDER_ID with order_id, MPAY_RESOLUTION_NO_PAYMENT or
/// MPAY_RESOLUTION_SEEN), with the person's note, of 1 to 500 characters. An orphan, and a
/// changed server, take MPAY_RESOLUTION_SEEN alone. Returns MPAY_OK; MPAY_INVALID_ARGUMENT if that cannot be said of it, or if the
/// order's sum is another one; what getStatus says of the order; or MPAY_STORAGE. The entry itself stays as it
/// is: see mpay_journal_find. Any thread. Since 0.2.0.
#[unsafe(no_mangle)]
pub unsafe extern "C" fn mpay_journal_resolve(
    journal: Option<&mpay_journal>,
    entry: Option<&mpay_entry>,
    resolution: i32,
    order_id: *const c_char,
    note: *const c_char,
    error: *mut *mut mpay_error,
) -> i32 {
    // SAFETY: the header's rules for texts and out-pointers.
    unsafe {
        run(CallPhase::Call, error, || {
            let (journal, note) = (&needed(journal, "journal")?.0, needed_text(note, "note")?);
            let resolution = match resolution {
                MPAY_RESOLUTION_ORDER_ID => {
                    Resolution::OrderId(needed_text(order_id, "order_id")?.to_owned())
                }
                MPAY_RESOLUTION_NO_PAYMENT => Resolution::NoPayment,
                MPAY_RESOLUTION_SEEN => Resolution::Seen,
                _ => return known(None, "resolution", "MPAY_RESOLUTION_"),
            };
            match (&needed(entry, "entry")?.item, &resolution) {
                (Attention::Orphan(orphan), Resolution::Seen) => {
                    journal.resolve_read_orphan(&orphan.order_id, orphan.status.as_deref(), note)
                }
                (Attention::ServerChange(change), Resolution::Seen) => journal.resolve_server(change, note),
                _ => journal.resolve(needed(entry, "entry")?.attempt()?, &resolution, note).map(drop),
            }
        })
    }
}
