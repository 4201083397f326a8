//! Functions for a caller that has no `mpay_entry`, but knows an attempt's reference, number and level.

use std::ffi::{c_char, c_void};

use merchantpay::Result;
use merchantpay_journal::Level;

use crate::boundary::{CallPhase, create_handle, known, needed, needed_text, run};
use crate::entry::mpay_entry;
use crate::error::mpay_error;
use crate::handle::put;
use crate::journal::mpay_journal;
use crate::rows::{DatabaseCallback, mpay_database_callback};
use crate::user_data::UserData;

fn level_of(number: i32) -> Result<Level> {
    known(Level::from_number(number), "level", "MPAY_LEVEL_")
}

/// Acknowledges the attempt with this reference and number, as mpay_journal_acknowledge does. `level` is the
/// value that mpay_entry_reported had when the entry was read. mpay_journal_news still reports higher levels.
/// *changed, which may be NULL, is 1 if this call acknowledged the level, else 0. Returns MPAY_OK;
/// MPAY_INVALID_ARGUMENT if there is no such attempt, or if the level is MPAY_LEVEL_NONE or above the
/// reported level; or MPAY_STORAGE. Any thread. Since 0.3.0.
#[unsafe(no_mangle)]
pub unsafe extern "C" fn mpay_journal_acknowledge_by(
    journal: Option<&mpay_journal>,
    reference: *const c_char,
    attempt: u32,
    level: i32,
    changed: *mut i32,
    error: *mut *mut mpay_error,
) -> i32 {
    // SAFETY: the header's rules for texts and out-pointers.
    unsafe {
        put(changed, 0);
        run(CallPhase::Setup, error, || {
            let reference = needed_text(reference, "reference")?;
            let journal = &needed(journal, "journal")?.0;
            put(changed, i32::from(journal.acknowledge_by(reference, attempt, level_of(level)?)?));
            Ok(())
        })
    }
}

/// Like mpay_journal_acknowledge_by, within the merchant's own transaction on the journal's database, as
/// mpay_journal_acknowledge_with does. Returns MPAY_OK, MPAY_INVALID_ARGUMENT, MPAY_STORAGE or MPAY_CONFLICT.
/// Any thread. Since 0.3.0.
#[unsafe(no_mangle)]
pub unsafe extern "C" fn mpay_journal_acknowledge_by_with(
    journal: Option<&mpay_journal>,
    reference: *const c_char,
    attempt: u32,
    level: i32,
    callback: mpay_database_callback,
    user_data: *mut c_void,
    changed: *mut i32,
    error: *mut *mut mpay_error,
) -> i32 {
    // SAFETY: the header's rules for texts and out-pointers.
    unsafe {
        put(changed, 0);
        run(CallPhase::Setup, error, || {
            let reference = needed_text(reference, "reference")?;
            let journal = &needed(journal, "journal")?.0;
            let transaction = DatabaseCallback::new(callback, UserData::new(user_data, None))?
                .database(journal.dialect(), journal.placeholders());
            journal.acknowledge_by_with(reference, attempt, level_of(level)?, &transaction)?;
            put(changed, 1);
            Ok(())
        })
    }
}

/// Confirms the attempt with this reference and number, as mpay_journal_confirm does. Returns MPAY_OK;
/// MPAY_INVALID_ARGUMENT, for example if there is no such attempt; or MPAY_STORAGE. *out is to be freed by
/// mpay_entry_free. Any thread. Since 0.3.0.
#[unsafe(no_mangle)]
pub unsafe extern "C" fn mpay_journal_confirm_by(
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
            needed(journal, "journal")?.0.confirm_by(reference, attempt).map(mpay_entry::from)
        })
    }
}

/// Cancels the attempt with this reference and number, as mpay_journal_cancel does. Returns MPAY_OK;
/// MPAY_INVALID_ARGUMENT, for example if there is no such attempt; or MPAY_STORAGE. *out is to be freed by
/// mpay_entry_free. Any thread. Since 0.3.0.
#[unsafe(no_mangle)]
pub unsafe extern "C" fn mpay_journal_cancel_by(
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
            needed(journal, "journal")?.0.cancel_by(reference, attempt).map(mpay_entry::from)
        })
    }
}
