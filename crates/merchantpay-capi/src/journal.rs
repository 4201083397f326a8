//! `mpay_journal`: payments by the merchant's own order numbers.

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

/// A journal: at most one payment that a customer could pay for each order number, whatever happens. Shared by
/// any number of threads as it is.
pub struct mpay_journal(pub(crate) Journal);

/// Opens a journal with a client and settings, which are copied and may be freed. Returns MPAY_OK,
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

/// Makes a handle of its own on the same journal, whose calls can be interrupted alone; they are interrupted
/// together with the journal's too. It costs little, and is freed by itself, before or after the journal; the
/// callback of its database must be usable until then. Returns MPAY_OK or MPAY_INVALID_ARGUMENT. *out is to be
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

/// Ends the calls to the service that run on this handle and on everything derived from it, in whatever
/// threads, and lets no more start, for good, as mpay_client_interrupt does; what the end of a call reports is
/// stored all the same. The journal that it was derived from goes on. NULL does nothing. Any thread, but not a
/// signal handler; the handle is freed only after this has returned. Since 0.2.0.
#[unsafe(no_mangle)]
pub extern "C" fn mpay_journal_interrupt(journal: Option<&mpay_journal>) {
    act(journal, |journal| journal.0.interrupt());
}

/// The entry of a reference, with the attempts before it (mpay_entry_earlier). Returns MPAY_OK,
/// MPAY_INVALID_ARGUMENT or MPAY_STORAGE. *out is to be freed by mpay_entry_free, and NULL where there is no
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

/// At most limit entries, of one standing (MPAY_STANDING_OPEN and so on) or of all (0), the newest first; only
/// those behind before in that order, or from the first one on (NULL). Returns MPAY_OK, MPAY_INVALID_ARGUMENT
/// or MPAY_STORAGE. *out is to be freed by mpay_entries_free. Any thread. Since 0.2.0.
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

/// At most limit entries whose level is above what was acknowledged, the oldest first: the one place to act.
/// Each is this caller's for claim_ms milliseconds (0: a minute), so that several workers do not get the same;
/// one that is not acknowledged comes again. Returns MPAY_OK, MPAY_INVALID_ARGUMENT or MPAY_STORAGE. *out is to
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

/// Reports that the merchant has acted on this entry's level; later changes are reported again. *changed
/// is 1 if there was anything to acknowledge, else 0: of two workers only one gets 1. Returns MPAY_OK,
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

/// The same within the merchant's own transaction on the journal's database, whose statements callback runs:
/// called first in that transaction, what is done in it is done exactly once. If another worker has
/// acknowledged the entry it fails with MPAY_CONFLICT and *changed is 0: roll back. Keep the transaction short,
/// and READ COMMITTED. Call no other function of the journal about this entry before it ends: that one would wait
/// for a lock that this transaction holds, without an end. Returns MPAY_OK, MPAY_INVALID_ARGUMENT, MPAY_STORAGE or
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

/// At most limit attempts, and as many orphans (mpay_entry_is_orphan), that a person must
/// look at. Returns MPAY_OK, MPAY_INVALID_ARGUMENT or MPAY_STORAGE. *out is to be freed by mpay_entries_free.
/// Any thread. Since 0.2.0.
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

/// Waits for the last attempt of a reference until it has come so far (MPAY_UNTIL_CREDENTIALS or
/// MPAY_UNTIL_FINAL), asks the service about it meanwhile, and returns it as it is when that is reached or
/// timeout_ms milliseconds are over. In both cases the result is MPAY_OK: look at mpay_entry_standing. (mpay_wait
/// has no entry to return when its time is over, and fails with MPAY_TIMEOUT.) The pauses between two questions
/// belong to the attempt: waiting in short slices asks no more often. mpay_client_interrupt ends it with
/// MPAY_CANCELLED. Returns MPAY_OK, MPAY_INVALID_ARGUMENT, MPAY_STORAGE or MPAY_CANCELLED. *out is to be freed by mpay_entry_free. Any thread.
/// Since 0.2.0.
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

/// Asks the service about at most limit attempts that are due, and retries unanswered confirms and cancels. Call
/// it from cron or in a loop; several may share the work. *done is how many attempts it looked at,
/// *next_due_ms in how many milliseconds the next is due, -1 for never; each may be NULL. Returns MPAY_OK,
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

/// Takes a webhook: its path or URL, the len bytes of its body as they came, and the texts of the headers with
/// signature and key id, or NULL. *http_status is what to answer: 200 applied or seen before, 400 not verified,
/// 404 no such token, 409 another order, 503 the journal failed, so that the service sends it again. *out, which
/// may be NULL, is the attempt as it is now, or NULL; to be freed by mpay_entry_free. Returns MPAY_OK for 200,
/// 404 and 409, else why it was not applied: MPAY_UNVERIFIED, MPAY_MALFORMED, MPAY_STORAGE or
/// MPAY_INVALID_ARGUMENT. Any thread. Since 0.2.0.
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
        // Where this fails before the journal has said anything, the service sends it again.
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

/// Frees a journal; NULL is allowed. Entries that it gave stay. It must not be used by another thread
/// meanwhile, and its database's callback not after it. Any thread, once. Since 0.2.0.
#[unsafe(no_mangle)]
pub extern "C" fn mpay_journal_free(journal: Option<Box<mpay_journal>>) {
    free(journal);
}
