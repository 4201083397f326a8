//! The journal's payments: pay, replace, confirm, cancel, wait, receive and settle.

use std::ffi::{c_char, c_void};
use std::time::Duration;

use merchantpay_journal::Until;

use crate::boundary::{CallPhase, bytes, create_handle, foreign_text, known, needed, needed_text, run};
use crate::entry::mpay_entry;
use crate::error::mpay_error;
use crate::handle::put;
use crate::journal::mpay_journal;
use crate::payment_request::mpay_payment_request;

/// Takes a payment by newPayment, or returns the existing payment of the reference: this call can be repeated
/// safely. `reference` is the merchant's own order number, 1 to 120 printable characters. If the entry has
/// credentials (mpay_entry_credentials), show them to the customer. If the standing is MPAY_STANDING_REFUSED,
/// call again. MPAY_STANDING_UNKNOWN stays until a webhook or a person decides. If another call for the same
/// reference is running, this call waits until that call ends, for at most the time of
/// mpay_journal_config_set_pay_wait_ms. After three consecutive refused attempts, no new attempt is made for
/// 2 s, then for 4 s and so on up to 5 min; meanwhile the call returns the refused attempt. Returns MPAY_OK;
/// MPAY_INVALID_ARGUMENT if the reference or the request is invalid, or the reference belongs to a different
/// request; MPAY_STORAGE with MPAY_OUTCOME_NOT_SENT if nothing was sent, as while the journal is paused, or
/// with MPAY_OUTCOME_UNKNOWN and the order id if a reply had arrived. An error of the service or the network
/// is in mpay_entry_error_code. *out is to be freed by mpay_entry_free. Any thread. Since 0.2.0.
#[unsafe(no_mangle)]
pub unsafe extern "C" fn mpay_journal_pay(
    journal: Option<&mpay_journal>,
    reference: *const c_char,
    request: Option<&mpay_payment_request>,
    out: *mut *mut mpay_entry,
    error: *mut *mut mpay_error,
) -> i32 {
    // SAFETY: the header's rules for texts and out-pointers.
    unsafe {
        create_handle(CallPhase::Call, out, error, || {
            let (request, reference) =
                (needed(request, "request")?.payment()?, needed_text(reference, "reference")?);
            needed(journal, "journal")?.0.pay(reference, &request).map(mpay_entry::from)
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
    out: *mut *mut mpay_entry,
    error: *mut *mut mpay_error,
) -> i32 {
    // SAFETY: the header's rules for texts and out-pointers.
    unsafe {
        create_handle(CallPhase::Call, out, error, || {
            let (request, reference) =
                (needed(request, "request")?.payment()?, needed_text(reference, "reference")?);
            needed(journal, "journal")?.0.pay_async(reference, &request).map(mpay_entry::from)
        })
    }
}

/// Makes a payment in place of this attempt, by the same operation. A person decides it, who knows that the
/// customer will not pay the old one. The attempt must be the reference's last one, and unknown, refused,
/// cancelled by an accepted cancel, or final without success. If it has an order, the service is asked first;
/// a success is stored, and nothing is replaced. An attempt that cannot be replaced stays as it is, and *out
/// is the present entry of the reference. Returns MPAY_OK; MPAY_INVALID_ARGUMENT if there is no such attempt,
/// or if it comes from a backup and nobody has decided about it; the error of getStatus; or MPAY_STORAGE, as
/// mpay_journal_pay does. *out is to be freed by mpay_entry_free. Any thread. Since 0.4.0.
#[unsafe(no_mangle)]
pub unsafe extern "C" fn mpay_journal_replace(
    journal: Option<&mpay_journal>,
    reference: *const c_char,
    attempt: u32,
    request: Option<&mpay_payment_request>,
    out: *mut *mut mpay_entry,
    error: *mut *mut mpay_error,
) -> i32 {
    // SAFETY: the header's rules for texts and out-pointers.
    unsafe {
        create_handle(CallPhase::Call, out, error, || {
            let (request, reference) =
                (needed(request, "request")?.payment()?, needed_text(reference, "reference")?);
            needed(journal, "journal")?.0.replace(reference, attempt, &request).map(mpay_entry::from)
        })
    }
}

/// Waits until the last attempt of a reference has credentials (MPAY_UNTIL_CREDENTIALS) or is final
/// (MPAY_UNTIL_FINAL), for at most timeout_ms milliseconds, and returns its entry. Meanwhile it asks the
/// service every two seconds, together with all others that wait. The result is MPAY_OK even if the time is
/// over: check mpay_entry_standing. (mpay_wait differs: when its time is over it has no entry to return, and
/// fails with MPAY_TIMEOUT.) Returns MPAY_OK, MPAY_INVALID_ARGUMENT if there is no such reference,
/// MPAY_STORAGE or MPAY_CANCELLED. *out is to be freed by mpay_entry_free. Any thread. Since 0.2.0.
#[unsafe(no_mangle)]
pub unsafe extern "C" fn mpay_journal_wait(
    journal: Option<&mpay_journal>,
    reference: *const c_char,
    timeout_ms: u32,
    wanted: i32,
    out: *mut *mut mpay_entry,
    error: *mut *mut mpay_error,
) -> i32 {
    // SAFETY: the header's rules for texts and out-pointers.
    unsafe {
        create_handle(CallPhase::Call, out, error, || {
            let until = known(Until::from_number(wanted), "wanted", "MPAY_UNTIL_")?;
            let timeout = Duration::from_millis(timeout_ms.into());
            let reference = needed_text(reference, "reference")?;
            needed(journal, "journal")?.0.wait(reference, until, timeout).map(mpay_entry::from)
        })
    }
}

/// Reports to the service that the customer has paid this attempt. The journal stores the report before it
/// sends it, and mpay_journal_settle sends it again until the service has answered. mpay_entry_intent_state
/// says what became of it. An attempt that is over stays as it is. Returns MPAY_OK, MPAY_INVALID_ARGUMENT for
/// an attempt that does not exist or has no order yet, or MPAY_STORAGE. *out is to be freed by
/// mpay_entry_free. Any thread. Since 0.2.0.
#[unsafe(no_mangle)]
pub unsafe extern "C" fn mpay_journal_confirm(
    journal: Option<&mpay_journal>,
    reference: *const c_char,
    attempt: u32,
    out: *mut *mut mpay_entry,
    error: *mut *mut mpay_error,
) -> i32 {
    // SAFETY: the header's rules for texts and out-pointers.
    unsafe {
        create_handle(CallPhase::Call, out, error, || {
            let reference = needed_text(reference, "reference")?;
            needed(journal, "journal")?.0.confirm((reference, attempt)).map(mpay_entry::from)
        })
    }
}

/// Cancels this attempt, as mpay_journal_confirm confirms it. From now on its credentials are not shown; once
/// mpay_entry_intent_state is MPAY_INTENT_STATE_ACCEPTED, the attempt can be replaced. Returns MPAY_OK,
/// MPAY_INVALID_ARGUMENT or MPAY_STORAGE, as mpay_journal_confirm does. *out is to be freed by
/// mpay_entry_free. Any thread. Since 0.2.0.
#[unsafe(no_mangle)]
pub unsafe extern "C" fn mpay_journal_cancel(
    journal: Option<&mpay_journal>,
    reference: *const c_char,
    attempt: u32,
    out: *mut *mut mpay_entry,
    error: *mut *mut mpay_error,
) -> i32 {
    // SAFETY: the header's rules for texts and out-pointers.
    unsafe {
        create_handle(CallPhase::Call, out, error, || {
            let reference = needed_text(reference, "reference")?;
            needed(journal, "journal")?.0.cancel((reference, attempt)).map(mpay_entry::from)
        })
    }
}

/// Receives a webhook, which is stored and makes the journal ask the service. The arguments are its path or
/// URL, the `len` unchanged bytes of its body, and the values of the signature header and the key id header,
/// each NULL if absent. *http_status is the answer to send: 200 if the webhook is stored; 400 if it does not
/// verify; 404 for an unknown token in the path, and 409 if the order does not belong to the token's attempt
/// (both are stored for mpay_journal_attention); 503 if the journal failed, so that the service retries. *out
/// is the attempt after the service was asked, or NULL if there is no attempt; to be freed by mpay_entry_free.
/// `out` may be NULL. Returns MPAY_OK for 200, 404 and 409, else the reason why the webhook was not stored:
/// MPAY_UNVERIFIED, MPAY_MALFORMED, MPAY_STORAGE or MPAY_INVALID_ARGUMENT. Any thread. Since 0.2.0.
#[unsafe(no_mangle)]
pub unsafe extern "C" fn mpay_journal_receive(
    journal: Option<&mpay_journal>,
    path: *const c_char,
    body: *const c_void,
    len: usize,
    signature: *const c_char,
    key_id: *const c_char,
    http_status: *mut i32,
    out: *mut *mut mpay_entry,
    error: *mut *mut mpay_error,
) -> i32 {
    // SAFETY: the header's rules for texts, bytes and out-pointers.
    unsafe {
        // The default answer: the service retries if this function fails before the journal has decided.
        put(http_status, 503);
        put(out, std::ptr::null_mut());
        run(CallPhase::Reply, error, || {
            let journal = &needed(journal, "journal")?.0;
            let (body, path) = (bytes(body, len, "body")?, foreign_text(path).unwrap_or_default());
            let (signature, key_id) = (foreign_text(signature).unwrap_or_default(), foreign_text(key_id));
            let received = journal.receive(&path, body, &signature, key_id.as_deref());
            put(http_status, i32::from(received.http_status));
            if let (Some(entry), false) = (received.entry, out.is_null()) {
                put(out, Box::into_raw(Box::new(mpay_entry::from(entry))));
            }
            received.error.map_or(Ok(()), Err)
        })
    }
}

/// Asks the service about at most `limit` attempts that are due, and sends unanswered instructions again; at
/// most 10 calls a second. Call it from cron or in a loop; several callers may share the work. *done is the
/// number of attempts about which the service was asked. *next_due_ms is the time in milliseconds until the
/// next one is due, -1 for never. `done` and `next_due_ms` may be NULL. Returns MPAY_OK,
/// MPAY_INVALID_ARGUMENT, MPAY_STORAGE or MPAY_CANCELLED. Any thread. Since 0.2.0.
#[unsafe(no_mangle)]
pub unsafe extern "C" fn mpay_journal_settle(
    journal: Option<&mpay_journal>,
    limit: u32,
    done: *mut u32,
    next_due_ms: *mut i64,
    error: *mut *mut mpay_error,
) -> i32 {
    // SAFETY: the header's rule for out-pointers.
    unsafe {
        put(done, 0);
        put(next_due_ms, -1);
        run(CallPhase::Call, error, || {
            let settled = needed(journal, "journal")?.0.settle(limit)?;
            put(done, settled.done);
            let next = settled.next_due.map(|next| i64::try_from(next.as_millis()).unwrap_or(i64::MAX));
            put(next_due_ms, next.unwrap_or(-1));
            Ok(())
        })
    }
}
