//! The SQL statements that read and write attempts.

use crate::model::standing::Standing;
use crate::storage::columns::{COLUMNS, NEW, NUMBERS, WRITTEN};
use crate::storage::schema::JOURNAL;
use crate::storage::statements::settings::PAUSE;

/// The placeholder for a column's value in a template.
fn place(column: &str) -> &'static str {
    if NUMBERS.contains(&column) { "?#" } else { "?" }
}

/// Stores a new attempt. Columns with the same value in every new attempt are not parameters, because a
/// database driver spends time on each parameter.
pub(crate) fn insert_new() -> String {
    let places: Vec<&str> = NEW.iter().map(|column| place(column)).collect();
    format!(
        "INSERT INTO {JOURNAL} ({}, standing, reported, acknowledged, version) VALUES ({}, 'sending', 0, 0, 1)",
        NEW.join(", "),
        places.join(", ")
    )
}

/// Stores `count` attempts, or none of them. The statement writes all columns, and the time since which an
/// attempt is news.
pub(crate) fn insert_rows(count: usize) -> String {
    let places: Vec<&str> = COLUMNS.iter().map(|column| place(column)).collect();
    let row = format!("({}, ?#)", places.join(", "));
    format!("INSERT INTO {JOURNAL} ({}, news_at) VALUES {}", COLUMNS.join(", "), vec![row; count].join(", "))
}

/// Overwrites an attempt if its row still has the version that was read. The attempt becomes news if its
/// level is above the acknowledged level, so the level is a parameter twice. The column `purged` is written
/// only if its value is not 0. This is enough, because such a value never becomes 0 again. If a statement
/// names a column, SQLite writes every index with that column, even if the value stays the same.
pub(crate) fn update(purged: bool) -> String {
    update_after("", purged)
}

/// Like [`update`], but the statement also ends the claim of this worker. The first two parameters are the
/// text of that claim. The claim of another worker stays.
pub(crate) fn update_claimed() -> String {
    // MySQL assigns from left to right, so `due_claim` comes last.
    let release = "due_claimed_until = CASE WHEN due_claim = ? THEN NULL ELSE due_claimed_until END, \
        due_claim = CASE WHEN due_claim = ? THEN NULL ELSE due_claim END, ";
    update_after(release, false)
}

fn update_after(release: &str, purged: bool) -> String {
    let columns = WRITTEN.iter().chain(purged.then_some(&"purged"));
    let sets: Vec<String> = columns.map(|column| format!("{column} = {}", place(column))).collect();
    format!(
        "UPDATE {JOURNAL} SET {release}{}, news_at = CASE WHEN ?# > acknowledged THEN COALESCE(news_at, {{now}}) END \
         WHERE reference = ? AND attempt = ?# AND version = ?#",
        sets.join(", ")
    )
}

/// Like [`update`], but the statement changes the row only if this writer has stored the version that was
/// read.
pub(crate) fn update_own() -> String {
    format!("{} AND writer = ?", update(false))
}

pub(super) fn columns(table: &str) -> String {
    COLUMNS.iter().map(|column| format!("{table}.{column}")).collect::<Vec<_>>().join(", ")
}

/// Reads the clock, one attempt if it exists, and whether the journal is paused.
fn one(rest: &str) -> String {
    let inner = format!("SELECT {} FROM {JOURNAL} {rest}", COLUMNS.join(", "));
    format!("SELECT {{now}}, {}, {PAUSE} {ONE_ROW} LEFT JOIN ({inner}) AS j ON 1 = 1", columns("j"))
}

pub(super) const ONE_ROW: &str = "FROM (SELECT 1 AS one) AS o";

/// The last attempt of a reference.
pub(crate) fn last() -> String {
    one("WHERE reference = ? ORDER BY attempt DESC LIMIT 1")
}

/// Reads the clock, whether a reference has an attempt, and the journal's pause. Each new payment begins with
/// this statement, because a database plans it in a third of the time that [`last`] takes.
pub(crate) fn known() -> String {
    format!(
        "SELECT {{now}}, CASE WHEN EXISTS (SELECT 1 FROM {JOURNAL} WHERE reference = ?) THEN 1 ELSE 0 END, {PAUSE} {ONE_ROW}"
    )
}

/// One attempt of a reference.
pub(crate) fn attempt() -> String {
    one("WHERE reference = ? AND attempt = ?#")
}

/// The attempt with this token.
pub(crate) fn by_token() -> String {
    one("WHERE token = ?")
}

/// Reads the rows that `rest` selects, each with the clock as its first value.
pub(super) fn many(rest: &str) -> String {
    format!("SELECT {{now}}, {} FROM {JOURNAL} AS j {rest}", columns("j"))
}

/// The attempt with this order id.
pub(crate) fn by_order() -> String {
    many("WHERE j.order_id = ?")
}

/// All attempts of a reference, the newest first.
pub(crate) fn attempts() -> String {
    many("WHERE j.reference = ? ORDER BY j.attempt DESC")
}

/// The milliseconds until an attempt is due.
pub(crate) const NEXT_DUE: &str =
    "SELECT MIN(due_at) - {now} FROM merchantpay_journal WHERE due_at IS NOT NULL";

/// The condition that a row is the last attempt of its reference.
const IS_LAST: &str = "NOT EXISTS (SELECT 1 FROM merchantpay_journal AS n WHERE n.reference = j.reference AND n.attempt > j.attempt)";

/// Entries of a standing before a position in the list, the newest first. A position consists of created_at
/// and reference.
pub(crate) fn list(standing: Option<Standing>, before: bool, limit: u32) -> String {
    let mut conditions = vec![IS_LAST.to_owned()];
    conditions.extend(standing.map(has_standing));
    if before {
        conditions.push("j.created_at <= ?# AND (j.created_at < ?# OR j.reference < ?)".to_owned());
    }
    many(&format!(
        "WHERE {} ORDER BY j.created_at DESC, j.reference DESC LIMIT {limit}",
        conditions.join(" AND ")
    ))
}

/// The condition for a standing. With `<> 'final'` the query can use the partial index of the rows that are
/// not final.
fn has_standing(standing: Standing) -> String {
    let is = |standing: Standing| format!("j.standing = '{}'", standing.name());
    match standing {
        Standing::Final => is(standing),
        Standing::Sending => format!("j.standing <> 'final' AND {} AND j.due_at > {{now}}", is(standing)),
        Standing::Unknown => format!(
            "j.standing <> 'final' AND ({} OR ({} AND j.due_at <= {{now}}))",
            is(standing),
            is(Standing::Sending)
        ),
        _ => format!("j.standing <> 'final' AND {}", is(standing)),
    }
}

/// Entries that are neither acknowledged nor claimed, the oldest first, and whether the journal is paused. If
/// there are no entries, the statement returns one row without an attempt. An unclaimed entry is returned
/// even if its time is in the future, for example after a clock was ahead.
pub(crate) fn news(limit: u32) -> String {
    let inner = format!(
        "SELECT {}, j.news_at FROM {JOURNAL} AS j \
         WHERE j.news_at IS NOT NULL AND (j.news_claim IS NULL OR j.news_at <= {{now}}) ORDER BY j.news_at LIMIT {limit}",
        columns("j")
    );
    format!(
        "SELECT {{now}}, {}, {PAUSE} {ONE_ROW} LEFT JOIN ({inner}) AS n ON 1 = 1 ORDER BY n.news_at",
        columns("n")
    )
}

/// Claims an entry of the news. If the entry is not acknowledged, it returns when the claim ends. It then
/// comes after newer entries, so it cannot block a page of the news for ever.
pub(crate) const CLAIM_NEWS: &str = "UPDATE merchantpay_journal SET news_at = {now} + ?#, news_claim = ? \
    WHERE reference = ? AND attempt = ?# AND news_at IS NOT NULL AND (news_claim IS NULL OR news_at <= {now})";

/// Raises the acknowledged level. The statement does not change `version`, so that the write of a concurrent
/// webhook succeeds.
pub(crate) const ACKNOWLEDGE: &str = "UPDATE merchantpay_journal SET news_at = CASE WHEN reported > ?# THEN {now} END, \
    news_claim = NULL, acknowledged = ?#, acknowledged_by = ? WHERE reference = ? AND attempt = ?# AND acknowledged < ?#";

/// The reported level of an attempt, and its account.
pub(crate) const REPORTED: &str =
    "SELECT reported, account FROM merchantpay_journal WHERE reference = ? AND attempt = ?#";

/// The random text of the call that last raised the acknowledged level.
pub(crate) const ACKNOWLEDGED_BY: &str =
    "SELECT acknowledged_by FROM merchantpay_journal WHERE reference = ? AND attempt = ?#";

/// Attempts about which an operator must decide, the oldest first.
pub(crate) fn attention(limit: u32) -> String {
    many(&format!("WHERE {{attention}} ORDER BY j.created_at LIMIT {limit}"))
}

/// The time at which the call of a `sending` attempt has ended. This is an expression and not the plain
/// column, so that the database does not use the index of `due_at`: that index contains every open attempt.
/// The index of the standings finds the few `sending` attempts.
pub(super) const ENDS_AT: &str = "COALESCE(due_at, 9223372036854775807)";

/// Attempts with a call that has ended without a response.
pub(crate) fn ended(limit: u32) -> String {
    many(&format!(
        "WHERE j.standing <> 'final' AND j.standing = 'sending' AND {ENDS_AT} <= {{now}} ORDER BY {ENDS_AT} LIMIT {limit}"
    ))
}

/// Attempts that were stored before a time and are not purged, sorted by time. The page starts after a given
/// attempt.
pub(crate) fn unpurged(limit: u32) -> String {
    many(&format!(
        "WHERE j.purged = 0 AND {{unpurged_at}} < ?# AND {{unpurged_at}} >= ?# \
         AND ({{unpurged_at}}, j.reference, j.attempt) > (?#, ?, ?#) \
         ORDER BY {{unpurged_at}}, j.reference, j.attempt LIMIT {limit}"
    ))
}

/// Attempts with a call that may still be running, even if a webhook arrived before the reply. If an attempt
/// is older than a day, its call has ended.
pub(crate) fn being_made(limit: u32) -> String {
    many(&format!(
        "WHERE j.standing <> 'final' AND j.standing IN ('sending', 'open', 'unknown') \
         AND j.created_at > {{now}} - 86400000 AND j.record LIKE '%\"callEnded\":false%' \
         ORDER BY j.created_at DESC LIMIT {limit}"
    ))
}

/// All attempts after a given attempt, sorted by key.
pub(crate) fn export(limit: u32) -> String {
    many(&format!(
        "WHERE j.reference > ? OR (j.reference = ? AND j.attempt > ?#) ORDER BY j.reference, j.attempt LIMIT {limit}"
    ))
}
