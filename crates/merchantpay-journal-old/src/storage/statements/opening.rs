//! The SQL statements that check the database itself. They run when a journal is opened, and after an attempt
//! is stored.

use super::attempts::ONE_ROW;
use super::settings::PAUSE;
use crate::storage::durability;
use crate::storage::schema::JOURNAL;
use crate::storage::store::Dialect;

/// Reads the version of the tables, and the journal's account, which is the same in all rows. The values of
/// the database's settings follow, if they can be read.
pub(crate) fn opening(dialect: Dialect) -> String {
    format!("SELECT {}", opening_columns(dialect))
}

/// The statement that shows whether the journal's tables exist. The statement succeeds even if they are
/// missing.
pub(crate) fn has_tables(dialect: Dialect) -> &'static str {
    match dialect {
        Dialect::Sqlite => {
            "SELECT COUNT(*) FROM sqlite_master WHERE type = 'table' AND name = 'merchantpay_journal_settings'"
        }
        Dialect::Postgresql => {
            "SELECT CASE WHEN to_regclass('merchantpay_journal_settings') IS NULL THEN 0 ELSE 1 END"
        }
        Dialect::Mysql => {
            "SELECT COUNT(*) FROM information_schema.tables \
             WHERE table_schema = DATABASE() AND table_name = 'merchantpay_journal_settings'"
        }
    }
}

fn opening_columns(dialect: Dialect) -> String {
    let asked = durability::columns(dialect);
    format!(
        "(SELECT value FROM merchantpay_journal_settings WHERE name = 'layout'), \
         (SELECT account FROM {JOURNAL} LIMIT 1){asked}"
    )
}

/// Reads four values: the writer of the visible row of an attempt; the number of earlier attempts that are
/// neither final nor superseded; whether this connection is in a transaction; whether the journal is paused.
/// For a first attempt, the number of earlier attempts is the constant 0.
pub(crate) fn stored(dialect: Dialect, is_first: bool) -> String {
    let in_transaction = match dialect {
        Dialect::Sqlite => "0",
        Dialect::Postgresql => "CASE WHEN txid_current_if_assigned() IS NULL THEN 0 ELSE 1 END",
        // MySQL lacks the variable `in_transaction`. The part after `M!` is a comment for MySQL, and MariaDB
        // runs this part.
        Dialect::Mysql => "CASE WHEN @@autocommit = 0 /*M! OR @@in_transaction = 1 */ THEN 1 ELSE 0 END",
    };
    let unsealed = format!(
        "(SELECT COUNT(*) FROM {JOURNAL} WHERE reference = ? AND attempt < ?# AND standing NOT IN ('superseded', 'final'))"
    );
    format!(
        "SELECT (SELECT writer FROM {JOURNAL} WHERE reference = ? AND attempt = ?#), {}, {in_transaction}, {PAUSE}",
        if is_first { "0" } else { &unsealed }
    )
}

/// Appends the columns of [`opening`] to a statement that reads one attempt. The statement can be a template
/// or a rendered statement.
pub(crate) fn with_opening(one: &str, dialect: Dialect) -> String {
    one.replacen(ONE_ROW, &format!(", {} {ONE_ROW}", opening_columns(dialect)), 1)
}
