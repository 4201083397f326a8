//! Every statement, written once, and what it looks like in each dialect.
//!
//! In a template `?` is a text, `?#` a number, `{now}` the database's clock in milliseconds and `{attention}`
//! the condition that an attempt needs an operator.

use crate::model::standing::Standing;
use crate::storage::durability;
use crate::storage::store::{Dialect, Placeholders};

/// The table of attempts.
pub(crate) const JOURNAL: &str = "merchantpay_journal";

/// The table of messages that found no place.
pub(crate) const ORPHANS: &str = "merchantpay_orphans";

/// The columns of an attempt, in the order in which they are read.
pub(crate) const COLUMNS: &[&str] = &[
    "reference",
    "attempt",
    "account",
    "standing",
    "order_id",
    "status",
    "sum_asked",
    "sum_paid",
    "reported",
    "acknowledged",
    "attention",
    "due_at",
    "created_at",
    "updated_at",
    "version",
    "writer",
    "token",
    "record",
    "purged",
    "restored",
];

/// Columns that hold numbers.
pub(crate) const NUMBERS: &[&str] = &[
    "attempt",
    "reported",
    "acknowledged",
    "due_at",
    "created_at",
    "updated_at",
    "version",
    "purged",
    "restored",
];

/// The place of a column's value in a template.
fn place(column: &str) -> &'static str {
    if NUMBERS.contains(&column) { "?#" } else { "?" }
}

/// Stores an attempt, all of its columns, and since when it is news.
pub(crate) fn insert() -> String {
    let places: Vec<&str> = COLUMNS.iter().map(|column| place(column)).collect();
    format!("INSERT INTO {JOURNAL} ({}, news_at) VALUES ({}, ?#)", COLUMNS.join(", "), places.join(", "))
}

/// What a compare-and-swap writes. `acknowledged` has a statement of its own, so that neither disturbs the
/// other.
pub(crate) const WRITTEN: &[&str] = &[
    "standing",
    "order_id",
    "status",
    "sum_paid",
    "reported",
    "attention",
    "due_at",
    "updated_at",
    "version",
    "writer",
    "record",
];

/// Writes an attempt over the version that was read, and makes it news if its level, which is given once more,
/// is above what was acknowledged. `purged` is written only where it is not 0, which it never becomes again:
/// SQLite writes each index that holds a column of the statement, also if its value stays.
pub(crate) fn update(purged: bool) -> String {
    let columns = WRITTEN.iter().chain(purged.then_some(&"purged"));
    let sets: Vec<String> = columns.map(|column| format!("{column} = {}", place(column))).collect();
    format!(
        "UPDATE {JOURNAL} SET {}, news_at = CASE WHEN ?# > acknowledged THEN COALESCE(news_at, {{now}}) END \
         WHERE reference = ? AND attempt = ?# AND version = ?#",
        sets.join(", ")
    )
}

/// The same, only over the row that this writer has stored.
pub(crate) fn update_own() -> String {
    format!("{} AND writer = ?", update(false))
}

fn columns(table: &str) -> String {
    COLUMNS.iter().map(|column| format!("{table}.{column}")).collect::<Vec<_>>().join(", ")
}

/// Reads the clock and one attempt, or the clock alone.
fn one(rest: &str) -> String {
    let inner = format!("SELECT {} FROM {JOURNAL} {rest}", COLUMNS.join(", "));
    format!("SELECT {{now}}, {} {ONE_ROW} LEFT JOIN ({inner}) AS j ON 1 = 1", columns("j"))
}

const ONE_ROW: &str = "FROM (SELECT 1 AS one) AS o";

/// A statement that reads one attempt, with what [`opening`] asks behind its columns. What is added is the same in a template and in
/// what is rendered of it.
pub(crate) fn with_opening(one: &str, dialect: Dialect) -> String {
    one.replacen(ONE_ROW, &format!(", {} {ONE_ROW}", opening_columns(dialect)), 1)
}

/// The last attempt of a reference.
pub(crate) fn last() -> String {
    one("WHERE reference = ? ORDER BY attempt DESC LIMIT 1")
}

/// One attempt of a reference.
pub(crate) fn attempt() -> String {
    one("WHERE reference = ? AND attempt = ?#")
}

/// The attempt of a token.
pub(crate) fn by_token() -> String {
    one("WHERE token = ?")
}

/// Rows that `rest` names, each with the clock before it.
fn many(rest: &str) -> String {
    format!("SELECT {{now}}, {} FROM {JOURNAL} AS j {rest}", columns("j"))
}

/// All attempts of a reference, the last first.
pub(crate) fn attempts() -> String {
    many("WHERE j.reference = ? ORDER BY j.attempt DESC")
}

/// What is due, the longest first.
pub(crate) fn due(limit: u32) -> String {
    many(&format!("WHERE j.due_at <= {{now}} AND j.account = ? ORDER BY j.due_at LIMIT {limit}"))
}

/// In how many milliseconds something is due.
pub(crate) const NEXT_DUE: &str =
    "SELECT MIN(due_at) - {now} FROM merchantpay_journal WHERE due_at IS NOT NULL";

/// Whether it is the last attempt of its reference.
const IS_LAST: &str = "NOT EXISTS (SELECT 1 FROM merchantpay_journal AS n WHERE n.reference = j.reference AND n.attempt > j.attempt)";

/// Entries of a standing before a place in the list, the newest first: the place is created_at, reference.
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

/// The condition that an attempt reads as this standing. `<> 'final'` lets the index of the others serve it.
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

/// What is not acknowledged and nobody has claimed, the oldest first. A clock that was ahead hides none that
/// nobody has claimed.
pub(crate) fn news(limit: u32) -> String {
    many(&format!(
        "WHERE j.news_at IS NOT NULL AND (j.news_claim IS NULL OR j.news_at <= {{now}}) ORDER BY j.news_at LIMIT {limit}"
    ))
}

/// Claims an entry of the news. One that is not acknowledged comes again when the claim ends, after what has
/// become news by then: so it fills no page for ever.
pub(crate) const CLAIM_NEWS: &str = "UPDATE merchantpay_journal SET news_at = {now} + ?#, news_claim = ? \
    WHERE reference = ? AND attempt = ?# AND news_at IS NOT NULL AND (news_claim IS NULL OR news_at <= {now})";

/// Raises the level that is acknowledged. It leaves `version` alone, so that a webhook that comes meanwhile
/// is not lost.
pub(crate) const ACKNOWLEDGE: &str = "UPDATE merchantpay_journal SET news_at = CASE WHEN reported > ?# THEN {now} END, \
    news_claim = NULL, acknowledged = ?#, acknowledged_by = ? WHERE reference = ? AND attempt = ?# AND acknowledged < ?#";

/// What is reported of an attempt, and whose it is.
pub(crate) const REPORTED: &str =
    "SELECT reported, account FROM merchantpay_journal WHERE reference = ? AND attempt = ?#";

/// Who raised the acknowledged level last.
pub(crate) const ACKNOWLEDGED_BY: &str =
    "SELECT acknowledged_by FROM merchantpay_journal WHERE reference = ? AND attempt = ?#";

/// What a person must look at, the oldest first.
pub(crate) fn attention(limit: u32) -> String {
    many(&format!("WHERE {{attention}} ORDER BY j.created_at LIMIT {limit}"))
}

/// What was under way and has ended without an answer.
pub(crate) fn ended(limit: u32) -> String {
    many(&format!("WHERE j.standing = 'sending' AND j.due_at <= {{now}} ORDER BY j.due_at LIMIT {limit}"))
}

/// Attempts that were stored before a time and are not purged, after one of them, in the order of their times.
pub(crate) fn unpurged(limit: u32) -> String {
    many(&format!(
        "WHERE j.purged = 0 AND j.created_at < ?# AND j.created_at >= ?# \
         AND (j.created_at, j.reference, j.attempt) > (?#, ?, ?#) \
         ORDER BY j.created_at, j.reference, j.attempt LIMIT {limit}"
    ))
}

/// The orders of orphans after one, in the order of the keys.
pub(crate) fn orphans_after(limit: u32) -> String {
    format!("SELECT order_id FROM merchantpay_orphans WHERE order_id > ? ORDER BY order_id LIMIT {limit}")
}

/// Deletes the details of the orphans between two orders that an operator has seen, and that were last written
/// before a time.
pub(crate) const PURGE_ORPHANS: &str = "UPDATE merchantpay_orphans SET record = '{}', note = NULL, purged = 1, \
    version = version + 1 WHERE order_id > ? AND order_id <= ? AND seen = 1 AND purged = 0 AND updated_at < ?#";

/// How many attempts have each standing.
pub(crate) const COUNT_BY_STANDING: &str = "SELECT CASE WHEN standing = 'sending' AND due_at <= {now} THEN 'unknown' ELSE standing END AS s, \
    COUNT(*) FROM merchantpay_journal GROUP BY s ORDER BY s";

/// How many attempts and messages a person must look at.
pub(crate) const COUNT_ATTENTION: &str = "SELECT (SELECT COUNT(*) FROM merchantpay_journal AS j WHERE {attention}) \
    + (SELECT COUNT(*) FROM merchantpay_journal WHERE standing = 'sending' AND due_at <= {now}) \
    + (SELECT COUNT(*) FROM merchantpay_orphans WHERE seen = 0)";

/// Every attempt after one, in the order of the keys.
pub(crate) fn export(limit: u32) -> String {
    many(&format!(
        "WHERE j.reference > ? OR (j.reference = ? AND j.attempt > ?#) ORDER BY j.reference, j.attempt LIMIT {limit}"
    ))
}

/// Stores a message that finds no place.
pub(crate) const INSERT_ORPHAN: &str = "INSERT INTO merchantpay_orphans \
    (order_id, received_at, updated_at, version, status, sum_reported, reference, attempt, seen, record) \
    VALUES (?, {now}, {now}, 1, ?, ?, ?, ?#, 0, ?)";

/// Writes a message over the version that was read; it becomes unseen if its status, which is given twice,
/// is another one.
pub(crate) const UPDATE_ORPHAN: &str = "UPDATE merchantpay_orphans \
    SET seen = CASE WHEN COALESCE(status, '') = COALESCE(?, '') THEN seen ELSE 0 END, \
    status = ?, sum_reported = ?, record = ?, purged = 0, updated_at = {now}, version = version + 1 \
    WHERE order_id = ? AND version = ?#";

/// The columns of a message that found no place, in the order in which they are exported.
pub(crate) const ORPHAN_COLUMNS: &[&str] = &[
    "order_id",
    "received_at",
    "updated_at",
    "version",
    "status",
    "sum_reported",
    "reference",
    "attempt",
    "seen",
    "purged",
    "note",
    "record",
];

/// Every message that found no place after one, in the order of the keys.
pub(crate) fn export_orphans(limit: u32) -> String {
    format!(
        "SELECT {} FROM merchantpay_orphans WHERE order_id > ? ORDER BY order_id LIMIT {limit}",
        ORPHAN_COLUMNS.join(", ")
    )
}

/// Stores a message as it was exported.
pub(crate) fn import_orphan() -> String {
    let numbers = ["received_at", "updated_at", "version", "attempt", "seen", "purged"];
    let place = |column: &&str| if numbers.contains(column) { "?#" } else { "?" };
    let places: Vec<&str> = ORPHAN_COLUMNS.iter().map(place).collect();
    format!("INSERT INTO merchantpay_orphans ({}) VALUES ({})", ORPHAN_COLUMNS.join(", "), places.join(", "))
}

/// Messages that found no place and nobody has looked at.
pub(crate) fn orphans(limit: u32) -> String {
    format!(
        "SELECT order_id, received_at, status, sum_reported, reference, attempt FROM merchantpay_orphans WHERE seen = 0 \
         ORDER BY received_at LIMIT {limit}"
    )
}

/// The message about an order.
pub(crate) const ORPHAN: &str =
    "SELECT status, sum_reported, version, record FROM merchantpay_orphans WHERE order_id = ?";

/// A person has looked at a message.
pub(crate) const SEE_ORPHAN: &str = "UPDATE merchantpay_orphans SET seen = 1, note = ? WHERE order_id = ?";

/// The same, only if it still has the status that the operator has read.
pub(crate) const SEE_READ_ORPHAN: &str = "UPDATE merchantpay_orphans SET seen = 1, note = ? \
    WHERE order_id = ? AND COALESCE(status, '') = COALESCE(?, '')";

/// The version of the tables, and whose payments the journal holds: of any row, as all are of one account.
/// Behind them what the database must give, as far as it can be asked.
pub(crate) fn opening(dialect: Dialect) -> String {
    format!("SELECT {}", opening_columns(dialect))
}

/// Whether the journal's tables exist, which does not fail if they are missing.
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

/// Who wrote an attempt as it is seen from here, how many attempts before it are not sealed, and whether
/// this connection is in a transaction.
pub(crate) fn stored(dialect: Dialect) -> String {
    let in_transaction = match dialect {
        Dialect::Sqlite => "0",
        Dialect::Postgresql => "CASE WHEN txid_current_if_assigned() IS NULL THEN 0 ELSE 1 END",
        // To MySQL, which has no such variable, it is a comment.
        Dialect::Mysql => "CASE WHEN @@autocommit = 0 /*M! OR @@in_transaction = 1 */ THEN 1 ELSE 0 END",
    };
    format!(
        "SELECT (SELECT writer FROM {JOURNAL} WHERE reference = ? AND attempt = ?#), \
         (SELECT COUNT(*) FROM {JOURNAL} WHERE reference = ? AND attempt < ?# \
         AND standing NOT IN ('superseded', 'final')), {in_transaction}"
    )
}

/// Writes a template in a dialect.
pub(crate) fn render(template: &str, dialect: Dialect, placeholders: Placeholders) -> String {
    let (integer, now, attention) = match dialect {
        // Before 3.42 there is no unixepoch('subsec').
        Dialect::Sqlite => (
            "INTEGER",
            "CAST((julianday('now') - 2440587.5) * 86400000 AS INTEGER)",
            "j.attention IS NOT NULL",
        ),
        // clock_timestamp() is volatile: a column that is compared with it uses no index.
        Dialect::Postgresql => (
            "BIGINT",
            "CAST(EXTRACT(EPOCH FROM statement_timestamp()) * 1000 AS BIGINT)",
            "j.attention IS NOT NULL",
        ),
        // NOW() follows the session's time zone, which jumps at the ends of summer time.
        Dialect::Mysql => (
            "SIGNED",
            "(TIMESTAMPDIFF(MICROSECOND, '1970-01-01 00:00:00', UTC_TIMESTAMP(3)) DIV 1000)",
            "j.needs_operator = 1",
        ),
    };
    let template = template.replace("{now}", now).replace("{attention}", attention);
    let mut sql = String::with_capacity(template.len() + 64);
    let (mut rest, mut number) = (template.as_str(), 0);
    while let Some((before, after)) = rest.split_once('?') {
        number += 1;
        let place = match placeholders {
            Placeholders::Question => "?".to_owned(),
            Placeholders::Numbered => format!("${number}"),
            Placeholders::Percent => "%s".to_owned(),
        };
        sql.push_str(before);
        match after.strip_prefix('#') {
            Some(after) => {
                sql.push_str(&format!("CAST({place} AS {integer})"));
                rest = after;
            }
            // PostgreSQL cannot infer the type of a text that stands alone.
            None if dialect == Dialect::Postgresql => {
                sql.push_str(&format!("CAST({place} AS TEXT)"));
                rest = after;
            }
            None => {
                sql.push_str(&place);
                rest = after;
            }
        }
    }
    sql.push_str(rest);
    sql
}

#[cfg(test)]
mod tests {
    use super::*;

    fn rendered(template: &str) -> [String; 3] {
        [
            render(template, Dialect::Sqlite, Placeholders::Question),
            render(template, Dialect::Postgresql, Placeholders::Numbered),
            render(template, Dialect::Mysql, Placeholders::Percent),
        ]
    }

    #[test]
    fn a_template_is_written_in_each_dialect_with_explicit_casts() {
        let template = "UPDATE t SET a = ?, b = {now} + ?# WHERE c = ?";
        assert_eq!(
            rendered(template),
            [
                "UPDATE t SET a = ?, b = CAST((julianday('now') - 2440587.5) * 86400000 AS INTEGER) + CAST(? AS INTEGER) WHERE c = ?",
                "UPDATE t SET a = CAST($1 AS TEXT), b = CAST(EXTRACT(EPOCH FROM statement_timestamp()) * 1000 AS BIGINT) + CAST($2 AS BIGINT) \
                 WHERE c = CAST($3 AS TEXT)",
                "UPDATE t SET a = %s, b = (TIMESTAMPDIFF(MICROSECOND, '1970-01-01 00:00:00', UTC_TIMESTAMP(3)) DIV 1000) + CAST(%s AS SIGNED) WHERE c = %s",
            ]
        );
    }

    /// Every statement, with how many parameters it has.
    fn statements() -> Vec<(String, usize)> {
        vec![
            (insert(), COLUMNS.len() + 1),
            (update(false), WRITTEN.len() + 4),
            (update(true), WRITTEN.len() + 5),
            (update_own(), WRITTEN.len() + 5),
            (last(), 1),
            (attempt(), 2),
            (by_token(), 1),
            (attempts(), 1),
            (due(5), 1),
            (NEXT_DUE.to_owned(), 0),
            (list(None, false, 5), 0),
            (list(Some(Standing::Sending), false, 5), 0),
            (list(Some(Standing::Unknown), true, 5), 3),
            (list(Some(Standing::Open), true, 5), 3),
            (list(Some(Standing::Final), true, 5), 3),
            (news(5), 0),
            (CLAIM_NEWS.to_owned(), 4),
            (ACKNOWLEDGE.to_owned(), 6),
            (REPORTED.to_owned(), 2),
            (ACKNOWLEDGED_BY.to_owned(), 2),
            (attention(5), 0),
            (ended(5), 0),
            (unpurged(5), 5),
            (orphans_after(5), 1),
            (PURGE_ORPHANS.to_owned(), 3),
            (COUNT_BY_STANDING.to_owned(), 0),
            (COUNT_ATTENTION.to_owned(), 0),
            (export(5), 3),
            (INSERT_ORPHAN.to_owned(), 6),
            (UPDATE_ORPHAN.to_owned(), 6),
            (ORPHAN.to_owned(), 1),
            (orphans(5), 0),
            (export_orphans(5), 1),
            (import_orphan(), ORPHAN_COLUMNS.len()),
            (SEE_ORPHAN.to_owned(), 2),
            (SEE_READ_ORPHAN.to_owned(), 3),
            (opening(Dialect::Sqlite), 0),
            (with_opening(&last(), Dialect::Sqlite), 1),
            (stored(Dialect::Sqlite), 4),
        ]
    }

    #[test]
    fn every_statement_has_its_parameters_in_every_dialect_and_nothing_of_the_template_left() {
        for (template, count) in statements() {
            let [sqlite, postgresql, mysql] = rendered(&template);
            assert_eq!(sqlite.matches('?').count(), count, "{sqlite}");
            assert_eq!(mysql.matches("%s").count(), count, "{mysql}");
            assert_eq!(postgresql.matches('$').count(), count, "{postgresql}");
            assert!((1..=count).all(|number| postgresql.contains(&format!("${number}"))), "{postgresql}");
            for statement in [sqlite, postgresql, mysql] {
                assert!(!statement.replace("'{}'", "").contains(['{', '}', '#']), "{statement}");
            }
        }
    }

    #[test]
    fn an_update_writes_no_index_whose_columns_stay() {
        let connection = rusqlite::Connection::open_in_memory().unwrap();
        for statement in crate::storage::schema::schema(Dialect::Sqlite) {
            connection.execute_batch(&statement).unwrap();
        }
        let [update, ..] = rendered(&update(false));
        let mut program = connection.prepare(&format!("EXPLAIN {update}")).unwrap();
        let count = program.parameter_count();
        let steps = program.query_map(rusqlite::params_from_iter(vec!["1"; count]), |row| {
            Ok((row.get::<_, String>("opcode")?, row.get::<_, i64>("p2")?))
        });
        let steps: Vec<(String, i64)> = steps.unwrap().collect::<Result<_, _>>().unwrap();
        let is_written = |name: &str| {
            let query = "SELECT rootpage FROM sqlite_schema WHERE name = ?";
            let root: i64 = connection.query_row(query, [name], |row| row.get(0)).unwrap();
            steps.contains(&("OpenWrite".to_owned(), root))
        };
        assert!(is_written("merchantpay_journal") && is_written("merchantpay_journal_standing"));
        for index in ["token", "created_at", "unpurged"] {
            assert!(!is_written(&format!("merchantpay_journal_{index}")), "{index}");
        }
    }

    #[test]
    fn every_statement_is_one_that_sqlite_takes_and_none_looks_at_every_row() {
        let connection = rusqlite::Connection::open_in_memory().unwrap();
        for statement in crate::storage::schema::schema(Dialect::Sqlite) {
            connection.execute_batch(&statement).unwrap();
        }
        let by_design = [
            COUNT_BY_STANDING.to_owned(),
            COUNT_ATTENTION.to_owned(),
            opening(Dialect::Sqlite),
            with_opening(&last(), Dialect::Sqlite),
        ];
        for (template, _) in statements() {
            let [sqlite, ..] = rendered(&template);
            let mut plan = connection.prepare(&format!("EXPLAIN QUERY PLAN {sqlite}")).unwrap();
            let count = plan.parameter_count();
            let steps = plan
                .query_map(rusqlite::params_from_iter(vec!["1"; count]), |row| row.get::<_, String>(3))
                .unwrap();
            let steps: Vec<String> = steps.collect::<Result<_, _>>().unwrap();
            let scans = |step: &String| {
                step.starts_with("SCAN")
                    && !step.contains("USING")
                    && !step.contains("CONSTANT")
                    && !step.contains("LEFT-JOIN")
                    && !step.contains("pragma_")
                    && step != "SCAN o"
            };
            assert!(by_design.contains(&template) || !steps.iter().any(scans), "{sqlite}: {steps:?}");
            // Else a page of a purge sorts more rows than it gives.
            let sorts = |step: &String| step.contains("TEMP B-TREE");
            assert!(template != unpurged(5) || !steps.iter().any(sorts), "{sqlite}: {steps:?}");
        }
    }
}
