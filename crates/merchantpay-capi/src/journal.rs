//! `mpay_journal`: takes payments by the merchant's own order numbers.

use std::ffi::{c_char, c_void};
use std::time::Duration;

use merchantpay_journal::{Journal, Standing, Until};

use crate::boundary::{
    CallPhase, bytes, create_handle, create_optional_handle, foreign_text, known, needed, needed_text, run,
};
use crate::client::mpay_client;
use crate::entry::{mpay_entries, mpay_entry};
use crate::error::mpay_error;
use crate::handle::{act, free, put};
use crate::journal_config::mpay_journal_config;
use crate::rows::{DatabaseCallback, mpay_database_callback};
use crate::user_data::UserData;

/// A journal: each order number has at most one payment that a customer can pay. Threads may share it without
/// a lock.
pub struct mpay_journal(pub(crate) Journal);

/// Opens a journal. It copies the client and the settings, so both may be freed afterwards. Returns MPAY_OK,
/// MPAY_INVALID_ARGUMENT, or MPAY_STORAGE if the file or the database cannot be used. *out is to be freed by
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
            Journal::open(client, needed(config, "config")?.get()?).map(mpay_journal)
        })
    }
}

/// Makes a derived handle of the same journal. Its calls can be interrupted separately; interrupting the
/// journal interrupts them too. This function is cheap. Free both handles, in any order; the callback of the
/// database must be usable until both are freed. Returns MPAY_OK or MPAY_INVALID_ARGUMENT. *out is to be
/// freed by mpay_journal_free. Any thread. Since 0.2.0.
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

/// Finds the entry of a reference, with its earlier attempts (mpay_entry_earlier). Returns MPAY_OK,
/// MPAY_INVALID_ARGUMENT or MPAY_STORAGE. *out is to be freed by mpay_entry_free, and NULL if there is no
/// such reference. Any thread. Since 0.2.0.
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

/// Lists at most `limit` entries of one standing (MPAY_STANDING_OPEN and so on) or of all standings (0), the
/// newest first. If `before` is not NULL, the list has only entries that are older than that entry. Returns
/// MPAY_OK, MPAY_INVALID_ARGUMENT or MPAY_STORAGE. *out is to be freed by mpay_entries_free. Any thread.
/// Since 0.2.0.
#[unsafe(no_mangle)]
pub unsafe extern "C" fn mpay_journal_list(
    journal: Option<&mpay_journal>,
    standing: i32,
    limit: u32,
    before: Option<&mpay_entry>,
    out: *mut *mut mpay_entries,
    error: *mut *mut mpay_error,
) -> i32 {
    // SAFETY: the header's rule for out-pointers.
    unsafe {
        create_handle(CallPhase::Setup, out, error, || {
            let standing = match standing {
                0 => None,
                number => Some(known(Standing::from_number(number), "standing", "MPAY_STANDING_")?),
            };
            let before = before.map(mpay_entry::attempt).transpose()?;
            needed(journal, "journal")?.0.list(standing, limit, before).map(mpay_entries::from)
        })
    }
}

/// Returns at most `limit` entries whose level is above the acknowledged level, the oldest first. Act on a
/// payment only when this function returns its entry. The function claims each entry for claim_ms
/// milliseconds (0: a minute), so that concurrent workers get different entries. An entry that is not
/// acknowledged by then is returned again. Returns MPAY_OK, MPAY_INVALID_ARGUMENT or MPAY_STORAGE. *out is to
/// be freed by mpay_entries_free. Any thread. Since 0.2.0.
#[unsafe(no_mangle)]
pub unsafe extern "C" fn mpay_journal_news(
    journal: Option<&mpay_journal>,
    limit: u32,
    claim_ms: u32,
    out: *mut *mut mpay_entries,
    error: *mut *mut mpay_error,
) -> i32 {
    // SAFETY: the header's rule for out-pointers.
    unsafe {
        create_handle(CallPhase::Setup, out, error, || {
            let journal = &needed(journal, "journal")?.0;
            match claim_ms {
                0 => journal.news(limit),
                claim => journal.news_for(limit, Duration::from_millis(claim.into())),
            }
            .map(mpay_entries::from)
        })
    }
}

/// Records that the merchant has acted on this entry's level; later changes are reported again. *changed is 1
/// if this call acknowledged the level, else 0: of two workers only one gets 1. Returns MPAY_OK,
/// MPAY_INVALID_ARGUMENT or MPAY_STORAGE. Any thread. Since 0.2.0.
#[unsafe(no_mangle)]
pub unsafe extern "C" fn mpay_journal_acknowledge(
    journal: Option<&mpay_journal>,
    entry: Option<&mpay_entry>,
    changed: *mut i32,
    error: *mut *mut mpay_error,
) -> i32 {
    // SAFETY: the header's rule for out-pointers.
    unsafe {
        put(changed, 0);
        run(CallPhase::Setup, error, || {
            let entry = needed(entry, "entry")?.attempt()?;
            put(changed, i32::from(needed(journal, "journal")?.0.acknowledge(entry)?));
            Ok(())
        })
    }
}

/// Like mpay_journal_acknowledge, within the merchant's own transaction on the journal's database; `callback`
/// runs the statements. Call this function first in the transaction; the transaction's other work is then
/// done exactly once. If another worker has acknowledged the entry, this function fails with MPAY_CONFLICT
/// and *changed is 0: roll back. Keep the transaction short, and use the isolation level READ COMMITTED. Call
/// no other function of the journal about this entry before the transaction ends: that call would wait for
/// ever for a lock that this transaction holds. Returns MPAY_OK, MPAY_INVALID_ARGUMENT, MPAY_STORAGE or
/// MPAY_CONFLICT. Any thread. Since 0.2.0.
#[unsafe(no_mangle)]
pub unsafe extern "C" fn mpay_journal_acknowledge_with(
    journal: Option<&mpay_journal>,
    entry: Option<&mpay_entry>,
    callback: mpay_database_callback,
    user_data: *mut c_void,
    changed: *mut i32,
    error: *mut *mut mpay_error,
) -> i32 {
    // SAFETY: the header's rule for out-pointers.
    unsafe {
        put(changed, 0);
        run(CallPhase::Setup, error, || {
            let journal = &needed(journal, "journal")?.0;
            let transaction = DatabaseCallback::new(callback, UserData::new(user_data, None))?
                .database(journal.dialect(), journal.placeholders());
            journal.acknowledge_with(needed(entry, "entry")?.attempt()?, &transaction)?;
            put(changed, 1);
            Ok(())
        })
    }
}

/// Lists the items about which an operator must decide: at most `limit` attempts, at most `limit` orphans
/// (mpay_entry_is_orphan), and a changed server. Returns MPAY_OK, MPAY_INVALID_ARGUMENT or MPAY_STORAGE. *out
/// is to be freed by mpay_entries_free. Any thread. Since 0.2.0.
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

/// Waits until the last attempt of a reference has credentials (MPAY_UNTIL_CREDENTIALS) or is final
/// (MPAY_UNTIL_FINAL), for at most timeout_ms milliseconds, and returns its entry. Meanwhile it queries the
/// service. The result is MPAY_OK even if the time is over: check mpay_entry_standing. (mpay_wait differs:
/// when its time is over it has no entry to return, and fails with MPAY_TIMEOUT.) The pauses between queries
/// are stored with the attempt: several short waits query no more often than one long wait.
/// mpay_client_interrupt ends the wait with MPAY_CANCELLED. Returns MPAY_OK, MPAY_INVALID_ARGUMENT,
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
            needed(journal, "journal")?.0.wait(reference, timeout, until).map(mpay_entry::from)
        })
    }
}

/// Asks the service about at most `limit` attempts whose next query is due, and retries unanswered confirms
/// and cancels. Call it from cron or in a loop; several callers may share the work. *done is the number of
/// processed attempts. *next_due_ms is the time in milliseconds until the next query is due, -1 for never.
/// `done` and `next_due_ms` may be NULL. Returns MPAY_OK, MPAY_INVALID_ARGUMENT, MPAY_STORAGE or
/// MPAY_CANCELLED. Any thread. Since 0.2.0.
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

/// Receives a webhook. The arguments are its path or URL, the `len` unchanged bytes of its body, and the
/// values of the signature header and the key id header, each NULL if absent. *http_status is the answer to
/// send: 200 if the webhook was applied, now or earlier; 400 if it does not verify; 404 for an unknown token
/// in the path; 409 if the order does not belong to the token's attempt; 503 if the journal failed, so that
/// the service retries. *out is the attempt after the webhook, or NULL if there is no attempt; to be freed by
/// mpay_entry_free. `out` may be NULL. Returns MPAY_OK for 200, 404 and 409, else the reason why the webhook
/// was not applied: MPAY_UNVERIFIED, MPAY_MALFORMED, MPAY_STORAGE or MPAY_INVALID_ARGUMENT. Any thread. Since
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

/// Frees a journal; NULL is allowed. Its entries stay valid. No other thread may use the journal while it is
/// freed. When its derived handles and exports are freed too, the callback of its database is not called any
/// more. Any thread, once. Since 0.2.0.
#[unsafe(no_mangle)]
pub extern "C" fn mpay_journal_free(journal: Option<Box<mpay_journal>>) {
    free(journal);
}
