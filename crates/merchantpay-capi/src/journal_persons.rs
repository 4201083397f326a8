//! What a person of the journal reads and decides.

use std::ffi::c_char;

use merchantpay::{Error, Result};
use merchantpay_journal::{Reason, Resolution};

use crate::boundary::{CallPhase, create_handle, needed, needed_text, run, text};
use crate::entry::{mpay_entries, mpay_entry};
use crate::error::mpay_error;
use crate::journal::mpay_journal;

/// Lists what a person must look at: at most `limit` attempts of each kind (mpay_entry_attention), at most
/// `limit` orphans (mpay_entry_is_orphan), and rows that cannot be read (mpay_entry_unreadable). Returns
/// MPAY_OK, MPAY_INVALID_ARGUMENT or MPAY_STORAGE. *out is to be freed by mpay_entries_free. Any thread. Since
/// 0.2.0.
#[unsafe(no_mangle)]
pub unsafe extern "C" fn mpay_journal_attention(
    journal: Option<&mpay_journal>,
    limit: u32,
    out: *mut *mut mpay_entries,
    error: *mut *mut mpay_error,
) -> i32 {
    // SAFETY: the header's rule for out-pointers.
    unsafe {
        create_handle(CallPhase::Setup, out, error, || {
            needed(journal, "journal")?.0.attention(limit).map(mpay_entries::from)
        })
    }
}

/// Stores a person's decision that an attempt's payment is this order. The service is asked about it, and must
/// report `sum`, as decimal text; NULL means the asked sum. `note` has 1 to 500 characters: who decided, and
/// why. Returns MPAY_OK; MPAY_INVALID_ARGUMENT if the attempt is not unknown, or if the order has another sum
/// or another attempt; the error of getStatus; or MPAY_STORAGE. *out is the new entry, to be freed by
/// mpay_entry_free. Any thread. Since 0.4.0.
#[unsafe(no_mangle)]
pub unsafe extern "C" fn mpay_journal_resolve_order(
    journal: Option<&mpay_journal>,
    reference: *const c_char,
    attempt: u32,
    order_id: *const c_char,
    sum: *const c_char,
    note: *const c_char,
    out: *mut *mut mpay_entry,
    error: *mut *mut mpay_error,
) -> i32 {
    // SAFETY: the header's rules for texts and out-pointers.
    unsafe {
        create_handle(CallPhase::Call, out, error, || {
            let (reference, note) = (needed_text(reference, "reference")?, needed_text(note, "note")?);
            let sum = text(sum, "sum")?.map(str::parse).transpose()?;
            let decision = Resolution::Order(needed_text(order_id, "order_id")?.to_owned(), sum);
            needed(journal, "journal")?.0.resolve((reference, attempt), &decision, note).map(mpay_entry::from)
        })
    }
}

/// Stores a person's decision that there is no payment for an unknown attempt, as support says. Returns
/// MPAY_OK, MPAY_INVALID_ARGUMENT or MPAY_STORAGE, as mpay_journal_resolve_order does. *out is the new entry,
/// to be freed by mpay_entry_free. Any thread. Since 0.4.0.
#[unsafe(no_mangle)]
pub unsafe extern "C" fn mpay_journal_resolve_no_payment(
    journal: Option<&mpay_journal>,
    reference: *const c_char,
    attempt: u32,
    note: *const c_char,
    out: *mut *mut mpay_entry,
    error: *mut *mut mpay_error,
) -> i32 {
    // SAFETY: the header's rules for texts and out-pointers.
    unsafe {
        create_handle(CallPhase::Call, out, error, || {
            let (reference, note) = (needed_text(reference, "reference")?, needed_text(note, "note")?);
            let key = (reference, attempt);
            needed(journal, "journal")?.0.resolve(key, &Resolution::NoPayment, note).map(mpay_entry::from)
        })
    }
}

/// Stores that a person has seen these reasons of an attempt, and no others. `reasons` are their names,
/// separated by commas. A reason that was seen is listed again only for a new event. Returns MPAY_OK,
/// MPAY_INVALID_ARGUMENT or MPAY_STORAGE, as mpay_journal_resolve_order does. *out is the new entry, to be
/// freed by mpay_entry_free. Any thread. Since 0.4.0.
#[unsafe(no_mangle)]
pub unsafe extern "C" fn mpay_journal_resolve_seen(
    journal: Option<&mpay_journal>,
    reference: *const c_char,
    attempt: u32,
    reasons: *const c_char,
    note: *const c_char,
    out: *mut *mut mpay_entry,
    error: *mut *mut mpay_error,
) -> i32 {
    // SAFETY: the header's rules for texts and out-pointers.
    unsafe {
        create_handle(CallPhase::Call, out, error, || {
            let (reference, note) = (needed_text(reference, "reference")?, needed_text(note, "note")?);
            let decision = Resolution::Seen(reasons_of(needed_text(reasons, "reasons")?)?);
            needed(journal, "journal")?.0.resolve((reference, attempt), &decision, note).map(mpay_entry::from)
        })
    }
}

/// Stores a person's decision that a restored attempt is as new as the truth: support was asked about every
/// merchantId of the reference. Returns MPAY_OK, MPAY_INVALID_ARGUMENT or MPAY_STORAGE, as
/// mpay_journal_resolve_order does. *out is the new entry, to be freed by mpay_entry_free. Any thread. Since
/// 0.4.0.
#[unsafe(no_mangle)]
pub unsafe extern "C" fn mpay_journal_resolve_trusted(
    journal: Option<&mpay_journal>,
    reference: *const c_char,
    attempt: u32,
    note: *const c_char,
    out: *mut *mut mpay_entry,
    error: *mut *mut mpay_error,
) -> i32 {
    // SAFETY: the header's rules for texts and out-pointers.
    unsafe {
        create_handle(CallPhase::Call, out, error, || {
            let (reference, note) = (needed_text(reference, "reference")?, needed_text(note, "note")?);
            let key = (reference, attempt);
            needed(journal, "journal")?.0.resolve(key, &Resolution::Trusted, note).map(mpay_entry::from)
        })
    }
}

/// Stores that a person has seen the messages about an order that no attempt has. `status` is the orphan's
/// mpay_entry_status, or NULL if it has none: messages that report another status by now stay on the list.
/// Returns MPAY_OK, MPAY_INVALID_ARGUMENT or MPAY_STORAGE. Any thread. Since 0.4.0.
#[unsafe(no_mangle)]
pub unsafe extern "C" fn mpay_journal_resolve_orphan(
    journal: Option<&mpay_journal>,
    order_id: *const c_char,
    status: *const c_char,
    note: *const c_char,
    error: *mut *mut mpay_error,
) -> i32 {
    // SAFETY: the header's rules for texts and out-pointers.
    unsafe {
        run(CallPhase::Call, error, || {
            let (order_id, status) = (needed_text(order_id, "order_id")?, text(status, "status")?);
            needed(journal, "journal")?.0.resolve_orphan(order_id, status, needed_text(note, "note")?)
        })
    }
}

fn reasons_of(names: &str) -> Result<Vec<Reason>> {
    let reason = |name: &str| {
        Reason::from_name(name).ok_or_else(|| Error::invalid_argument(format!("there is no reason {name:?}")))
    };
    names.split(',').map(str::trim).filter(|name| !name.is_empty()).map(reason).collect()
}
