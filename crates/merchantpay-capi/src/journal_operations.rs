//! The journal's calls: a payment, its confirm and its cancel; and an operator's resolution.

use std::ffi::c_char;

use merchantpay::{PaymentRequest, Result};
use merchantpay_journal::{Attention, Entry, Journal, Resolution};

use crate::boundary::{CallPhase, create_handle, known, needed, needed_text, run};
use crate::entry::mpay_entry;
use crate::error::mpay_error;
use crate::journal::mpay_journal;
use crate::payment_request::mpay_payment_request;

/// mpay_journal_resolve: the attempt belongs to the order with the given order id.
pub const MPAY_RESOLUTION_ORDER_ID: i32 = 1;
/// mpay_journal_resolve: the service made no payment for the attempt.
pub const MPAY_RESOLUTION_NO_PAYMENT: i32 = 2;
/// mpay_journal_resolve: the operator has seen the item. The item leaves the list of mpay_journal_attention
/// until it has a new reason.
pub const MPAY_RESOLUTION_SEEN: i32 = 3;

/// A reference, its request, and the number of the attempt to replace, if any.
type Asked<'a> = (&'a str, &'a PaymentRequest, Option<u32>);

/// # Safety
///
/// The header's rule for texts holds.
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

/// Takes a payment by newPayment, or returns the existing payment of the reference: this call can be repeated
/// safely. `reference` is the merchant's own order number, 1 to 120 printable characters. If the entry has
/// credentials (mpay_entry_credentials), show them to the customer. If the standing is MPAY_STANDING_REFUSED,
/// call again. MPAY_STANDING_UNKNOWN stays until a webhook or an operator decides. `replace` is 0, or the
/// number of the attempt to replace; only a person may decide to replace an attempt. Returns MPAY_OK;
/// MPAY_INVALID_ARGUMENT if the reference or the request is invalid, or the reference belongs to a different
/// request; MPAY_STORAGE with MPAY_OUTCOME_NOT_SENT if no request was sent, or with MPAY_OUTCOME_UNKNOWN and
/// the order id if a reply had arrived. An error of the service or the network is in mpay_entry_error_code.
/// If another call for the same payment is running, this call waits until that call ends, for at most the
/// time of mpay_journal_config_set_pay_wait_ms. An interrupted call returns the entry as it is then. After
/// three consecutive refused attempts, no new attempt is made for 2 s, then for 4 s and so on up to 5 min;
/// meanwhile the call returns the refused attempt. *out is to be freed by mpay_entry_free. Any thread. Since
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

/// Like mpay_journal_pay, by newPaymentAsync: the credentials arrive by webhook, and mpay_journal_news and
/// mpay_journal_wait return them. The journal must have a callback URL
/// (mpay_journal_config_set_callback_url). Returns MPAY_OK, MPAY_INVALID_ARGUMENT or MPAY_STORAGE, as
/// mpay_journal_pay does. *out is to be freed by mpay_entry_free. Any thread. Since 0.2.0.
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

/// Reports to the service that the customer has paid this attempt. The journal stores the report before it
/// sends it, and mpay_journal_settle retries it while its outcome is unknown. mpay_entry_confirm_state returns
/// the state of the report. Returns MPAY_OK, MPAY_INVALID_ARGUMENT for an attempt whose order id is not known,
/// or MPAY_STORAGE. *out is to be freed by mpay_entry_free. Any thread. Since 0.2.0.
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

/// Cancels this attempt. From now on its credentials are not shown; once mpay_entry_cancel_state is
/// MPAY_INTENT_ACCEPTED, the attempt can be replaced. Returns MPAY_OK, MPAY_INVALID_ARGUMENT or MPAY_STORAGE,
/// as mpay_journal_confirm does. *out is to be freed by mpay_entry_free. Any thread. Since 0.2.0.
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

/// Stores an operator's decision about an attempt (MPAY_RESOLUTION_ORDER_ID with order_id,
/// MPAY_RESOLUTION_NO_PAYMENT or MPAY_RESOLUTION_SEEN), with the operator's note of 1 to 500 characters. For
/// an orphan or a changed server only MPAY_RESOLUTION_SEEN is possible. Returns MPAY_OK;
/// MPAY_INVALID_ARGUMENT if the decision does not fit the entry, or if the order has a different sum; the
/// error of getStatus for the order; or MPAY_STORAGE. This entry object does not change: read the new entry
/// by mpay_journal_find. Any thread. Since 0.2.0.
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
