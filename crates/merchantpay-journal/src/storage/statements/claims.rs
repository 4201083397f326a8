//! The statements by which `settle` claims what is due, so that several workers share it.
//!
//! No index holds a column of a claim: on PostgreSQL a claim then writes no index. A claim leaves `version` alone, so
//! that a webhook that comes meanwhile is not lost.

use super::attempts::{columns, many};
use crate::storage::schema::JOURNAL;
use crate::storage::store::Dialect;

/// No worker has claimed it, or the claim has ended.
const IS_FREE: &str = "(due_claimed_until IS NULL OR due_claimed_until <= {now})";

/// Claims what is due and free, the longest first: for so many milliseconds, by a random text, of an account. On
/// PostgreSQL it also returns the attempts.
pub(crate) fn claim(dialect: Dialect, limit: u32) -> String {
    let set = "SET due_claimed_until = {now} + ?#, due_claim = ?";
    let due = format!("WHERE due_at <= {{now}} AND {IS_FREE} AND account = ? ORDER BY due_at LIMIT {limit}");
    match dialect {
        Dialect::Sqlite => {
            format!("UPDATE {JOURNAL} {set} WHERE rowid IN (SELECT rowid FROM {JOURNAL} {due})")
        }
        // The parameters follow the order of the text. A WITH that locks rows is never run twice.
        Dialect::Postgresql => format!(
            "WITH c AS (SELECT {{now}} + ?# AS claimed_until, ? AS claim), \
             d AS (SELECT reference, attempt FROM {JOURNAL} {due} FOR UPDATE SKIP LOCKED) \
             UPDATE {JOURNAL} AS j SET due_claimed_until = c.claimed_until, due_claim = c.claim FROM c, d \
             WHERE j.reference = d.reference AND j.attempt = d.attempt RETURNING {{now}}, {}",
            columns("j")
        ),
        Dialect::Mysql => format!("UPDATE {JOURNAL} {set} {due}"),
    }
}

/// What a claim holds, the longest due first.
pub(crate) fn claimed(limit: u32) -> String {
    many(&format!("WHERE j.due_at <= {{now}} AND j.due_claim = ? ORDER BY j.due_at LIMIT {limit}"))
}

/// Ends a claim of one attempt before its time.
pub(crate) const RELEASE: &str = "UPDATE merchantpay_journal SET due_claimed_until = NULL, due_claim = NULL \
    WHERE reference = ? AND attempt = ?# AND due_claim = ?";

/// In how many milliseconds something free is due, and in how many the claim of the first that is due ends.
pub(crate) fn next_free() -> String {
    let first = |column: &str, condition: &str| {
        format!(
            "(SELECT {column} FROM {JOURNAL} WHERE due_at IS NOT NULL AND account = ?{condition} \
             ORDER BY due_at LIMIT 1) - {{now}}"
        )
    };
    format!("SELECT {}, {}", first("due_at", &format!(" AND {IS_FREE}")), first("due_claimed_until", ""))
}
