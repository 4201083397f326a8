//! An operator's functions: count, erase and copy entries, and pause payments in every process.

use std::ffi::{CString, c_char};
use std::sync::{Mutex, MutexGuard, PoisonError};

use merchantpay::{Error, Outcome, Result};
use merchantpay_journal::{Export, Standing, Stats};

use crate::boundary::{CallPhase, create_handle, needed, needed_text, run};
use crate::error::mpay_error;
use crate::handle::{free, put, read};
use crate::journal::mpay_journal;
use crate::texts::Texts;

/// The counts of a journal. Any number of threads may read them at once.
pub struct mpay_stats {
    stats: Stats,
    texts: Texts<2>,
}

/// The lines of an export. One thread at a time may use them.
pub struct mpay_export(Mutex<Lines>);

struct Lines {
    export: Export,
    /// The line that mpay_export_line returns.
    line: Option<CString>,
}

impl From<Stats> for mpay_stats {
    fn from(stats: Stats) -> mpay_stats {
        let json = stats.to_json();
        let note = stats.pause.as_ref().map(|pause| pause.note.as_str());
        mpay_stats { texts: Texts::new([Some(&json), note]), stats }
    }
}

/// Counts the attempts of each standing. Above a thousand attempts the number of final attempts is an
/// estimate, so that the cost does not grow. Returns MPAY_OK, MPAY_INVALID_ARGUMENT or MPAY_STORAGE. *out is
/// to be freed by mpay_stats_free. Any thread. Since 0.3.0.
#[unsafe(no_mangle)]
pub unsafe extern "C" fn mpay_journal_stats(
    journal: Option<&mpay_journal>,
    out: *mut *mut mpay_stats,
    error: *mut *mut mpay_error,
) -> i32 {
    // SAFETY: the header's rule for out-pointers.
    unsafe {
        create_handle(CallPhase::Setup, out, error, || {
            needed(journal, "journal")?.0.stats().map(mpay_stats::from)
        })
    }
}

/// Returns the number of attempts with this standing (MPAY_STANDING_SENDING and so on); 0 if the number is
/// not a standing. Any thread. Since 0.3.0.
#[unsafe(no_mangle)]
pub extern "C" fn mpay_stats_count(stats: Option<&mpay_stats>, standing: i32) -> u64 {
    read(stats, |stats| {
        let name = Standing::from_number(standing).map(Standing::name);
        let mut counts = stats.stats.standings.iter();
        counts.find(|(known, _)| Some(known.as_str()) == name).map_or(0, |(_, count)| *count)
    })
}

/// Returns the number of items about which an operator must decide: attempts, orphans and a changed server. Any
/// thread. Since 0.3.0.
#[unsafe(no_mangle)]
pub extern "C" fn mpay_stats_attention(stats: Option<&mpay_stats>) -> u64 {
    read(stats, |stats| stats.stats.attention)
}

/// Returns the number of attempts whose next query of the service is due. Any thread. Since 0.3.0.
#[unsafe(no_mangle)]
pub extern "C" fn mpay_stats_due(stats: Option<&mpay_stats>) -> u64 {
    read(stats, |stats| stats.stats.due)
}

/// Returns the time in milliseconds for which the oldest due query has been due; 0 if no query is due. Any
/// thread. Since 0.3.0.
#[unsafe(no_mangle)]
pub extern "C" fn mpay_stats_overdue_ms(stats: Option<&mpay_stats>) -> u64 {
    read(stats, |stats| stats.stats.overdue.and_then(|ms| u64::try_from(ms).ok()).unwrap_or_default())
}

/// Returns the note of the operator who paused the journal; NULL if it is not paused. Borrowed from the stats. Any
/// thread. Since 0.3.0.
#[unsafe(no_mangle)]
pub extern "C" fn mpay_stats_pause_note(stats: Option<&mpay_stats>) -> *const c_char {
    read(stats, |stats| stats.texts.get(1))
}

/// Returns the stats as one line of JSON. Its fields are standings, estimated, attention, reasons, due,
/// overdueMs, durabilityVouched, pause, server and serverBefore. Borrowed from the stats. Any thread. Since
/// 0.3.0.
#[unsafe(no_mangle)]
pub extern "C" fn mpay_stats_json(stats: Option<&mpay_stats>) -> *const c_char {
    read(stats, |stats| stats.texts.get(0))
}

/// Frees stats and all that was borrowed from them; NULL is allowed. Any thread, once. Since 0.3.0.
#[unsafe(no_mangle)]
pub extern "C" fn mpay_stats_free(stats: Option<Box<mpay_stats>>) {
    free(stats);
}

/// Deletes the details of finished attempts, and of orphans that an operator has seen, if they were last
/// written before a time, in milliseconds since 1970. Reference, attempt, standing, order id and token stay
/// for ever. *purged, which may be NULL, is the number of attempts and orphans whose details it deleted.
/// Returns MPAY_OK; MPAY_INVALID_ARGUMENT for a negative time; or MPAY_STORAGE. Any thread. Since 0.3.0.
#[unsafe(no_mangle)]
pub unsafe extern "C" fn mpay_journal_purge(
    journal: Option<&mpay_journal>,
    before_ms: i64,
    purged: *mut u64,
    error: *mut *mut mpay_error,
) -> i32 {
    // SAFETY: the header's rule for out-pointers.
    unsafe {
        put(purged, 0);
        run(CallPhase::Setup, error, || {
            put(purged, needed(journal, "journal")?.0.purge(before_ms)?);
            Ok(())
        })
    }
}

/// Deletes the details of all attempts of a reference, and of their orphans, as mpay_journal_purge does. Use
/// it when a customer asks for erasure. *forgotten, which may be NULL, is the number of attempts and orphans
/// that had details. Returns MPAY_OK; MPAY_INVALID_ARGUMENT if there is no such reference, or if one of its
/// attempts or orphans is not finished; or MPAY_STORAGE. Any thread. Since 0.3.0.
#[unsafe(no_mangle)]
pub unsafe extern "C" fn mpay_journal_forget(
    journal: Option<&mpay_journal>,
    reference: *const c_char,
    forgotten: *mut u64,
    error: *mut *mut mpay_error,
) -> i32 {
    // SAFETY: the header's rules for texts and out-pointers.
    unsafe {
        put(forgotten, 0);
        run(CallPhase::Setup, error, || {
            let reference = needed_text(reference, "reference")?;
            put(forgotten, needed(journal, "journal")?.0.forget(reference)?);
            Ok(())
        })
    }
}

/// Begins an export: mpay_export_next reads each attempt and each orphan as a line for mpay_journal_import.
/// Pause the journal first. Returns MPAY_OK or MPAY_INVALID_ARGUMENT. *out is to be freed by
/// mpay_export_free, before or after the journal is freed. The callback of the journal's database must be
/// usable until the export is freed. Any thread. Since 0.3.0.
#[unsafe(no_mangle)]
pub unsafe extern "C" fn mpay_journal_export(
    journal: Option<&mpay_journal>,
    out: *mut *mut mpay_export,
    error: *mut *mut mpay_error,
) -> i32 {
    // SAFETY: the header's rule for out-pointers.
    unsafe {
        create_handle(CallPhase::Setup, out, error, || {
            let export = needed(journal, "journal")?.0.export_lines();
            Ok(mpay_export(Mutex::new(Lines { export, line: None })))
        })
    }
}

/// Reads the next line, which mpay_export_line then returns. *found, which may be NULL, is 1 if there is a
/// line, and 0 after the last one. Returns MPAY_OK, MPAY_INVALID_ARGUMENT, or MPAY_STORAGE; after
/// MPAY_STORAGE there are no more lines. One thread at a time. Since 0.3.0.
#[unsafe(no_mangle)]
pub unsafe extern "C" fn mpay_export_next(
    lines: Option<&mpay_export>,
    found: *mut i32,
    error: *mut *mut mpay_error,
) -> i32 {
    // SAFETY: the header's rule for out-pointers.
    unsafe {
        put(found, 0);
        run(CallPhase::Setup, error, || {
            put(found, i32::from(needed(lines, "lines")?.lock().read()?));
            Ok(())
        })
    }
}

impl mpay_export {
    fn lock(&self) -> MutexGuard<'_, Lines> {
        self.0.lock().unwrap_or_else(PoisonError::into_inner)
    }
}

impl Lines {
    /// Reads the next line. Returns `false` after the last line.
    fn read(&mut self) -> Result<bool> {
        self.line = None;
        if let Some(line) = self.export.next().transpose()? {
            let line = CString::new(line)
                .map_err(|_| Error::internal(Outcome::NotSent, "a line of the export has a NUL"))?;
            self.line = Some(line);
        }
        Ok(self.line.is_some())
    }
}

/// Returns the line of JSON that mpay_export_next has read; NULL before the first one and after the last one. Borrowed
/// from the export until the next call of mpay_export_next. One thread at a time. Since 0.3.0.
#[unsafe(no_mangle)]
pub extern "C" fn mpay_export_line(lines: Option<&mpay_export>) -> *const c_char {
    read(lines, |lines| lines.lock().line.as_ref().map_or(std::ptr::null(), |line| line.as_ptr()))
}

/// Frees an export and the line that was borrowed from it; NULL is allowed. Any thread, once. Since 0.3.0.
#[unsafe(no_mangle)]
pub extern "C" fn mpay_export_free(lines: Option<Box<mpay_export>>) {
    free(lines);
}

/// Stores the attempt or orphan of a line of an export, and marks it as restored. *imported, which may be
/// NULL, is 0 if the journal already has that attempt or orphan, else 1. Returns MPAY_OK;
/// MPAY_INVALID_ARGUMENT if the text is not a line of an export, or if it belongs to a different account; or
/// MPAY_STORAGE. Any thread. Since 0.3.0.
#[unsafe(no_mangle)]
pub unsafe extern "C" fn mpay_journal_import(
    journal: Option<&mpay_journal>,
    line: *const c_char,
    imported: *mut i32,
    error: *mut *mut mpay_error,
) -> i32 {
    // SAFETY: the header's rules for texts and out-pointers.
    unsafe {
        put(imported, 0);
        run(CallPhase::Setup, error, || {
            let line = needed_text(line, "line")?;
            put(imported, i32::from(needed(journal, "journal")?.0.import(line)?));
            Ok(())
        })
    }
}

/// Stops mpay_journal_pay, mpay_journal_pay_async and mpay_journal_news in every process that uses the
/// journal, until mpay_journal_resume is called. Meanwhile these functions return MPAY_STORAGE with
/// MPAY_OUTCOME_NOT_SENT; repeat them later. mpay_journal_pause returns when no payment call is running; the
/// call of a killed process is treated as running until the call's deadline. `note`, which has 1 to 500
/// characters, names the operator and the reason. Returns MPAY_OK; MPAY_INVALID_ARGUMENT; MPAY_STORAGE; or
/// MPAY_CANCELLED if it was interrupted. After MPAY_CANCELLED the journal is paused, but payment calls can
/// still be running. Any thread. Since 0.3.0.
#[unsafe(no_mangle)]
pub unsafe extern "C" fn mpay_journal_pause(
    journal: Option<&mpay_journal>,
    note: *const c_char,
    error: *mut *mut mpay_error,
) -> i32 {
    // SAFETY: the header's rules for texts and out-pointers.
    unsafe {
        run(CallPhase::Setup, error, || {
            let note = needed_text(note, "note")?;
            needed(journal, "journal")?.0.pause(note)
        })
    }
}

/// Ends a pause, and stores the note. Returns MPAY_OK, MPAY_INVALID_ARGUMENT or MPAY_STORAGE. Any thread.
/// Since 0.3.0.
#[unsafe(no_mangle)]
pub unsafe extern "C" fn mpay_journal_resume(
    journal: Option<&mpay_journal>,
    note: *const c_char,
    error: *mut *mut mpay_error,
) -> i32 {
    // SAFETY: the header's rules for texts and out-pointers.
    unsafe {
        run(CallPhase::Setup, error, || {
            let note = needed_text(note, "note")?;
            needed(journal, "journal")?.0.resume(note)
        })
    }
}

/// Copies a journal's file to a new file at an absolute path, also while other processes use the journal. The
/// copy is paused, and its rows are marked as restored. Returns MPAY_OK; MPAY_INVALID_ARGUMENT if the journal
/// is in a database or the path is relative; or MPAY_STORAGE, also if the file exists. Any thread. Since
/// 0.3.0.
#[unsafe(no_mangle)]
pub unsafe extern "C" fn mpay_journal_backup(
    journal: Option<&mpay_journal>,
    path: *const c_char,
    error: *mut *mut mpay_error,
) -> i32 {
    // SAFETY: the header's rules for texts and out-pointers.
    unsafe {
        run(CallPhase::Setup, error, || {
            let path = needed_text(path, "path")?;
            needed(journal, "journal")?.0.backup(path)
        })
    }
}
