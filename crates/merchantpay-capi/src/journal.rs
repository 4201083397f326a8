//! `mpay_journal`: its life, and what it reads.

use std::ffi::c_char;

use merchantpay_journal::{Journal, Standing, Stats};

use crate::boundary::{
    CallPhase, create_handle, create_optional_handle, known, needed, needed_text, run, text,
};
use crate::client::mpay_client;
use crate::entry::{mpay_entries, mpay_entry};
use crate::error::mpay_error;
use crate::handle::{act, free, put, read};
use crate::journal_config::mpay_journal_config;
use crate::texts::Texts;

/// A journal: each order number has at most one payment that a customer can pay. Threads may share it without
/// a lock.
pub struct mpay_journal(pub(crate) Journal);

/// The counts of a journal. Any number of threads may read them at once.
pub struct mpay_stats {
    stats: Stats,
    texts: Texts<2>,
}

impl From<Stats> for mpay_stats {
    fn from(stats: Stats) -> mpay_stats {
        mpay_stats { texts: Texts::new([Some(&stats.to_json()), stats.pause.as_deref()]), stats }
    }
}

/// Opens a journal. It copies the client and the settings, so both may be freed afterwards. The first one to
/// open a journal stores the client's base URL and key id; a client with others is refused from then on.
/// Returns MPAY_OK, MPAY_INVALID_ARGUMENT, or MPAY_STORAGE if the place cannot be used. *out is to be freed by
/// mpay_journal_free. Any thread. Since 0.2.0.
#[unsafe(no_mangle)]
pub unsafe extern "C" fn mpay_journal_open(
    client: Option<&mpay_client>,
    config: Option<&mpay_journal_config>,
    out: *mut *mut mpay_journal,
    error: *mut *mut mpay_error,
) -> i32 {
    // SAFETY: the header's rule for out-pointers.
    unsafe {
        create_handle(CallPhase::Setup, out, error, || {
            let client = &needed(client, "client")?.0;
            Journal::open(client, needed(config, "config")?.get()).map(mpay_journal)
        })
    }
}

/// Makes a derived handle of the same journal. Its calls can be interrupted separately; interrupting the
/// journal interrupts them too. This function is cheap. Free both handles, in any order. Returns MPAY_OK or
/// MPAY_INVALID_ARGUMENT. *out is to be freed by mpay_journal_free. Any thread. Since 0.2.0.
#[unsafe(no_mangle)]
pub unsafe extern "C" fn mpay_journal_derive(
    journal: Option<&mpay_journal>,
    out: *mut *mut mpay_journal,
    error: *mut *mut mpay_error,
) -> i32 {
    // SAFETY: the header's rule for out-pointers.
    unsafe {
        create_handle(CallPhase::Setup, out, error, || {
            Ok(mpay_journal(needed(journal, "journal")?.0.derive()))
        })
    }
}

/// Ends the calls to the service that this handle and every handle derived from it have started, in all
/// threads. The interruption is permanent: later calls do not start (see mpay_client_interrupt). The result
/// of an interrupted call is still stored. The journal from which this handle was derived continues. NULL
/// does nothing. Any thread, but not a signal handler. Do not free the handle before this function has
/// returned. Since 0.2.0.
#[unsafe(no_mangle)]
pub extern "C" fn mpay_journal_interrupt(journal: Option<&mpay_journal>) {
    act(journal, |journal| journal.0.interrupt());
}

/// Finds the last attempt of a reference. Returns MPAY_OK, MPAY_INVALID_ARGUMENT or MPAY_STORAGE. *out is to
/// be freed by mpay_entry_free, and NULL if there is no such reference. Any thread. Since 0.2.0.
#[unsafe(no_mangle)]
pub unsafe extern "C" fn mpay_journal_find(
    journal: Option<&mpay_journal>,
    reference: *const c_char,
    out: *mut *mut mpay_entry,
    error: *mut *mut mpay_error,
) -> i32 {
    // SAFETY: the header's rules for texts and out-pointers.
    unsafe {
        create_optional_handle(CallPhase::Setup, out, error, || {
            let found = needed(journal, "journal")?.0.find(needed_text(reference, "reference")?)?;
            Ok(found.map(mpay_entry::from))
        })
    }
}

/// Lists at most `limit` entries, the newest first: of one standing (MPAY_STANDING_OPEN and so on), or each
/// reference's last attempt (0). before_reference is NULL for the first page; for the next one it is the
/// reference of the last entry, and before_created_at_ms its creation time. Returns MPAY_OK,
/// MPAY_INVALID_ARGUMENT or MPAY_STORAGE. *out is to be freed by mpay_entries_free. Any thread. Since 0.2.0.
#[unsafe(no_mangle)]
pub unsafe extern "C" fn mpay_journal_list(
    journal: Option<&mpay_journal>,
    standing: i32,
    limit: u32,
    before_reference: *const c_char,
    before_created_at_ms: i64,
    out: *mut *mut mpay_entries,
    error: *mut *mut mpay_error,
) -> i32 {
    // SAFETY: the header's rules for texts and out-pointers.
    unsafe {
        create_handle(CallPhase::Setup, out, error, || {
            let standing = match standing {
                0 => None,
                number => Some(known(Standing::from_number(number), "standing", "MPAY_STANDING_")?),
            };
            let before = text(before_reference, "before_reference")?;
            let before = before.map(|reference| (before_created_at_ms, reference));
            needed(journal, "journal")?.0.list_before(standing, limit, before).map(mpay_entries::from)
        })
    }
}

/// Returns at most `limit` entries with news that nobody has acknowledged, the oldest first. Act on a payment
/// only when this function returns its entry, and then acknowledge it. Each entry is leased to the caller for
/// a minute, so that concurrent workers get different entries; an entry that is not acknowledged by then is
/// returned again. Returns MPAY_OK, MPAY_INVALID_ARGUMENT, or MPAY_STORAGE, also while the journal is paused.
/// *out is to be freed by mpay_entries_free. Any thread. Since 0.2.0.
#[unsafe(no_mangle)]
pub unsafe extern "C" fn mpay_journal_news(
    journal: Option<&mpay_journal>,
    limit: u32,
    out: *mut *mut mpay_entries,
    error: *mut *mut mpay_error,
) -> i32 {
    // SAFETY: the header's rule for out-pointers.
    unsafe {
        create_handle(CallPhase::Setup, out, error, || {
            needed(journal, "journal")?.0.news(limit).map(mpay_entries::from)
        })
    }
}

/// Acknowledges the news with this number (mpay_entry_news) of an attempt. *acknowledged is 1 if this call did
/// it; 0 if they were acknowledged before, or if there are newer news, which nobody has read yet. Of two
/// workers only one gets 1. Returns MPAY_OK, MPAY_INVALID_ARGUMENT, or MPAY_STORAGE; with
/// MPAY_OUTCOME_UNKNOWN the entry comes again unless it is acknowledged. `acknowledged` may be NULL. Any
/// thread. Since 0.2.0.
#[unsafe(no_mangle)]
pub unsafe extern "C" fn mpay_journal_acknowledge(
    journal: Option<&mpay_journal>,
    reference: *const c_char,
    attempt: u32,
    news: i64,
    acknowledged: *mut i32,
    error: *mut *mut mpay_error,
) -> i32 {
    // SAFETY: the header's rules for texts and out-pointers.
    unsafe {
        put(acknowledged, 0);
        run(CallPhase::Call, error, || {
            let reference = needed_text(reference, "reference")?;
            let done = needed(journal, "journal")?.0.acknowledge((reference, attempt, news))?;
            put(acknowledged, i32::from(done));
            Ok(())
        })
    }
}

/// Counts what is open, due, new and for a person. Returns MPAY_OK, MPAY_INVALID_ARGUMENT or MPAY_STORAGE.
/// *out is to be freed by mpay_stats_free. Any thread. Since 0.3.0.
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

/// Returns the number of attempts with the standing MPAY_STANDING_SENDING, MPAY_STANDING_UNKNOWN or
/// MPAY_STANDING_OPEN. The others are not counted, because their number only grows: 0. Any thread. Since
/// 0.3.0.
#[unsafe(no_mangle)]
pub extern "C" fn mpay_stats_count(stats: Option<&mpay_stats>, standing: i32) -> u64 {
    read(stats, |stats| match Standing::from_number(standing) {
        Some(Standing::Sending) => stats.stats.standings.sending,
        Some(Standing::Unknown) => stats.stats.standings.unknown,
        Some(Standing::Open) => stats.stats.standings.open,
        _ => 0,
    })
}

/// Returns the number of items that a person must look at: attempts and orphans. Any thread. Since 0.3.0.
#[unsafe(no_mangle)]
pub extern "C" fn mpay_stats_attention(stats: Option<&mpay_stats>) -> u64 {
    read(stats, |stats| stats.stats.attention)
}

/// Returns the number of attempts about which the service must be asked now. Any thread. Since 0.3.0.
#[unsafe(no_mangle)]
pub extern "C" fn mpay_stats_due(stats: Option<&mpay_stats>) -> u64 {
    read(stats, |stats| stats.stats.due)
}

/// Returns the time in milliseconds for which an attempt has been due; 0 if none is. Any thread. Since 0.3.0.
#[unsafe(no_mangle)]
pub extern "C" fn mpay_stats_overdue_ms(stats: Option<&mpay_stats>) -> u64 {
    read(stats, |stats| stats.stats.overdue_ms.and_then(|ms| u64::try_from(ms).ok()).unwrap_or_default())
}

/// Returns the number of entries that nobody has acknowledged. Any thread. Since 0.4.0.
#[unsafe(no_mangle)]
pub extern "C" fn mpay_stats_news(stats: Option<&mpay_stats>) -> u64 {
    read(stats, |stats| stats.stats.news)
}

/// Returns the note of the pause; NULL if the journal is not paused. Borrowed from the stats. Any thread.
/// Since 0.3.0.
#[unsafe(no_mangle)]
pub extern "C" fn mpay_stats_pause_note(stats: Option<&mpay_stats>) -> *const c_char {
    read(stats, |stats| stats.texts.get(1))
}

/// Returns the stats as one line of JSON. Its fields are standings, attention, orphans, due, overdueMs, news,
/// pause and durabilityVouched. Borrowed from the stats. Any thread. Since 0.3.0.
#[unsafe(no_mangle)]
pub extern "C" fn mpay_stats_json(stats: Option<&mpay_stats>) -> *const c_char {
    read(stats, |stats| stats.texts.get(0))
}

/// Frees stats and all that was borrowed from them; NULL is allowed. Any thread, once. Since 0.3.0.
#[unsafe(no_mangle)]
pub extern "C" fn mpay_stats_free(stats: Option<Box<mpay_stats>>) {
    free(stats);
}

/// Frees a journal; NULL is allowed. Its entries stay valid. No other thread may use the journal while it is
/// freed. Any thread, once. Since 0.2.0.
#[unsafe(no_mangle)]
pub extern "C" fn mpay_journal_free(journal: Option<Box<mpay_journal>>) {
    free(journal);
}
