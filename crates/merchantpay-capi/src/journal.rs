//! `mpay_journal`: the functions for which no table has a row.

use std::ffi::{c_char, c_void};

use merchantpay_calls::{Object, ObjectKind, Phase, Value};

use crate::arguments::{block, foreign_text, needed, number, text, word};
use crate::boundary::{create_handle, report, run};
use crate::constants::{MPAY_STANDING_OPEN, MPAY_STANDING_SENDING, MPAY_STANDING_UNKNOWN};
use crate::entry::{mpay_entries, mpay_entry};
use crate::handle::{put, read};
use crate::journal_config::mpay_journal_config;
use crate::object::{call, on, open};
use crate::places::{self, received, settled, stats};
use crate::typed::{mpay_client, mpay_error, mpay_journal, mpay_stats};

/// Opens a journal. It copies the client and the settings, so both may be freed afterwards. The first one to
/// open a journal stores the client's base URL and key id; a client with others is refused from then on.
/// Returns MPAY_OK, MPAY_INVALID_ARGUMENT, or MPAY_STORAGE if the place cannot be used. *out is to be freed
/// by mpay_journal_free. Any thread. Since 0.2.0.
#[unsafe(no_mangle)]
pub unsafe extern "C" fn mpay_journal_open(
    client: Option<&mpay_client>,
    config: Option<&mpay_journal_config>,
    out: *mut *mut mpay_journal,
    error: *mut *mut mpay_error,
) -> i32 {
    // SAFETY: the header's rule for out-pointers.
    unsafe {
        create_handle(Phase::Setup, out, error, || {
            let client: &Object = on(client, "client")?;
            let settings = needed(config, "config")?.settings.pairs();
            open(ObjectKind::Journal, Some(client), None, settings, None, None).map(mpay_journal)
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
        create_handle(Phase::Setup, out, error, || {
            let standing = match standing {
                0 => None,
                standing => word(standing, "Standing", "standing", "STANDING_")?,
            };
            let created_at = number(before_created_at_ms);
            let before =
                text(before_reference).map(|reference| Value::List(vec![created_at, Some(reference)]));
            let arguments = [standing, number(limit), before];
            call(on(journal, "journal")?, places::number::JOURNAL_LIST, &arguments).map(mpay_entries::new)
        })
    }
}

/// Lists what a person must look at: at most `limit` attempts of each kind (mpay_entry_attention), at most
/// `limit` orphans (mpay_entry_is_orphan), and rows that cannot be read (mpay_entry_unreadable). Returns
/// MPAY_OK, MPAY_INVALID_ARGUMENT or MPAY_STORAGE. *out is to be freed by mpay_entries_free. Any thread.
/// Since 0.2.0.
#[unsafe(no_mangle)]
pub unsafe extern "C" fn mpay_journal_attention(
    journal: Option<&mpay_journal>,
    limit: u32,
    out: *mut *mut mpay_entries,
    error: *mut *mut mpay_error,
) -> i32 {
    // SAFETY: the header's rule for out-pointers.
    unsafe {
        create_handle(Phase::Setup, out, error, || {
            let items = call(on(journal, "journal")?, places::number::JOURNAL_ATTENTION, &[number(limit)]);
            items.map(mpay_entries::of_items)
        })
    }
}

/// Acknowledges the news with this number (mpay_entry_news) of an attempt. *acknowledged is 1 if this call
/// did it; 0 if they were acknowledged before, or if there are newer news, which nobody has read yet. Of two
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
        run(Phase::Call, error, || {
            let reference = needed(text(reference), "reference")?;
            let arguments = [Some(reference), number(attempt), number(news)];
            let done = call(on(journal, "journal")?, places::number::JOURNAL_ACKNOWLEDGE, &arguments)?;
            put(acknowledged, done.number(&[0]));
            Ok(())
        })
    }
}

/// Receives a webhook, which is stored and makes the journal ask the service. The arguments are its path or
/// URL, the `len` unchanged bytes of its body, and the values of the signature header and the key id header,
/// each NULL if absent. *http_status is the answer to send: 200 if the webhook is stored; 400 if it does not
/// verify; 404 for an unknown token in the path, and 409 if the order does not belong to the token's attempt
/// (both are stored for mpay_journal_attention); 503 if the journal failed, so that the service retries. *out
/// is the attempt after the service was asked, or NULL if there is no attempt; to be freed by
/// mpay_entry_free. `out` may be NULL. Returns MPAY_OK for 200, 404 and 409, else the reason why the webhook
/// was not stored: MPAY_UNVERIFIED, MPAY_MALFORMED, MPAY_STORAGE or MPAY_INVALID_ARGUMENT. Any thread. Since
/// 0.2.0.
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
        let mut refused = None;
        let code = run(Phase::Reply, error, || {
            let arguments = [foreign_text(path), block(body, len, "body")?, text(signature), text(key_id)];
            let mut answer = call(on(journal, "journal")?, places::number::JOURNAL_RECEIVE, &arguments)?;
            put(http_status, answer.number(&[received::HTTP_STATUS]));
            if let (Some(entry), false) = (answer.take(received::ENTRY), out.is_null()) {
                put(out, Box::into_raw(Box::new(mpay_entry::new(entry))));
            }
            refused = answer.take(received::ERROR);
            Ok(())
        });
        refused.map_or(code, |refused| report(error, || refused))
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
        run(Phase::Call, error, || {
            let settled = call(on(journal, "journal")?, places::number::JOURNAL_SETTLE, &[number(limit)])?;
            put(done, settled.number(&[settled::DONE]));
            let next = settled.str(&[settled::NEXT_DUE_MS]).map(|ms| ms.parse().unwrap_or(i64::MAX));
            put(next_due_ms, next.unwrap_or(-1));
            Ok(())
        })
    }
}

/// Returns the number of attempts with the standing MPAY_STANDING_SENDING, MPAY_STANDING_UNKNOWN or
/// MPAY_STANDING_OPEN. The others are not counted, because their number only grows: 0. Any thread. Since
/// 0.3.0.
#[unsafe(no_mangle)]
pub extern "C" fn mpay_stats_count(stats: Option<&mpay_stats>, standing: i32) -> u64 {
    let place = match standing {
        MPAY_STANDING_SENDING => stats::SENDING,
        MPAY_STANDING_UNKNOWN => stats::UNKNOWN,
        MPAY_STANDING_OPEN => stats::OPEN,
        _ => usize::MAX,
    };
    read(stats, |stats| stats.0.number(&[place]))
}
