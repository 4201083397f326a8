//! The statements by which `settle` claims due attempts, so that several workers can share the work. No index
//! contains a column of a claim, so a claim writes no index on PostgreSQL. A claim does not change `version`,
//! so that the write of a concurrent webhook succeeds.

use super::attempts::{columns, many};
use crate::storage::schema::JOURNAL;
use crate::storage::store::Dialect;

/// The condition that no worker holds a claim on the row.
const IS_FREE: &str = "(due_claimed_until IS NULL OR due_claimed_until <= {now})";

/// Claims attempts of an account for a number of milliseconds. The attempts are due and not claimed; those
/// with the earliest due time come first. A random text identifies the claim. On PostgreSQL the statement
/// also returns the attempts.
pub(crate) fn claim(dialect: Dialect, limit: u32) -> String {
    let set = "SET due_claimed_until = {now} + ?#, due_claim = ?";
    let due = format!("WHERE due_at <= {{now}} AND {IS_FREE} AND account = ? ORDER BY due_at LIMIT {limit}");
    match dialect {
        Dialect::Sqlite => {
            format!("UPDATE {JOURNAL} {set} WHERE rowid IN (SELECT rowid FROM {JOURNAL} {due})")
        }
        // PostgreSQL's parameters are numbered in the order of the text, so the query `c` comes first.
        // PostgreSQL runs the query `d` only once, because `d` locks rows.
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

/// The attempts of a claim. Those with the earliest due time come first.
pub(crate) fn claimed(limit: u32) -> String {
    many(&format!("WHERE j.due_at <= {{now}} AND j.due_claim = ? ORDER BY j.due_at LIMIT {limit}"))
}

/// Ends the claim of one attempt before the claim's time is up.
pub(crate) const RELEASE: &str = "UPDATE merchantpay_journal SET due_claimed_until = NULL, due_claim = NULL \
    WHERE reference = ? AND attempt = ?# AND due_claim = ?";

/// The milliseconds until an unclaimed attempt is due, and the milliseconds until the claim on the attempt
/// with the earliest due time ends.
pub(crate) fn next_free() -> String {
    let first = |column: &str, condition: &str| {
        format!(
            "(SELECT {column} FROM {JOURNAL} WHERE due_at IS NOT NULL AND account = ?{condition} \
             ORDER BY due_at LIMIT 1) - {{now}}"
        )
    };
    format!("SELECT {}, {}", first("due_at", &format!(" AND {IS_FREE}")), first("due_claimed_until", ""))
}
