//! Tests every statement in every dialect, and its query plan in SQLite.

use super::*;
use crate::model::standing::Standing;
use crate::storage::columns::{COLUMNS, NEW, WRITTEN};
use crate::storage::store::{Dialect, Placeholders};

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

/// Every statement, with its number of parameters.
fn statements() -> Vec<(String, usize)> {
    vec![
        (insert_rows(3), 3 * (COLUMNS.len() + 1)),
        (insert_new(), NEW.len()),
        (update(false), WRITTEN.len() + 4),
        (update(true), WRITTEN.len() + 5),
        (update_own(), WRITTEN.len() + 5),
        (known(), 1),
        (last(), 1),
        (attempt(), 2),
        (by_order(), 1),
        (by_token(), 1),
        (attempts(), 1),
        (update_claimed(), WRITTEN.len() + 6),
        (claim(Dialect::Sqlite, 5), 3),
        (claimed(5), 1),
        (RELEASE.to_owned(), 3),
        (next_free(), 2),
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
        (being_made(5), 0),
        (COUNT_BY_STANDING.to_owned(), 0),
        (COUNT_REASONS.to_owned(), 0),
        (counts(), 0),
        (count_up_to(5), 0),
        (estimate(Dialect::Sqlite).to_owned(), 0),
        (SETTING.to_owned(), 1),
        (set(Dialect::Sqlite), 2),
        (SET_RESTORED.to_owned(), 0),
        (UNSEEN_ORPHANS.to_owned(), 1),
        (FORGET_ORPHANS.to_owned(), 1),
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
        (with_opening(&attempt(), Dialect::Sqlite), 2),
        (with_opening(&known(), Dialect::Sqlite), 1),
        (stored(Dialect::Sqlite, true), 2),
        (stored(Dialect::Sqlite, false), 4),
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

/// The tables and indexes to which a statement writes.
fn written(template: &str) -> Vec<String> {
    let connection = rusqlite::Connection::open_in_memory().unwrap();
    for statement in crate::storage::schema::schema(Dialect::Sqlite) {
        connection.execute_batch(&statement).unwrap();
    }
    let [statement, ..] = rendered(template);
    let mut program = connection.prepare(&format!("EXPLAIN {statement}")).unwrap();
    let count = program.parameter_count();
    let steps = program.query_map(rusqlite::params_from_iter(vec!["1"; count]), |row| {
        Ok((row.get::<_, String>("opcode")?, row.get::<_, i64>("p2")?))
    });
    let steps: Vec<(String, i64)> = steps.unwrap().collect::<Result<_, _>>().unwrap();
    let pages = steps.iter().filter(|(code, _)| code == "OpenWrite").map(|(_, page)| page);
    let name = |page: &i64| {
        let query = "SELECT name FROM sqlite_schema WHERE rootpage = ?";
        connection.query_row(query, [page], |row| row.get(0)).unwrap()
    };
    pages.map(name).collect()
}

#[test]
fn an_update_writes_no_index_whose_columns_stay() {
    let written = written(&update(false));
    let is_written = |name: &str| written.iter().any(|written| written == name);
    assert!(is_written("merchantpay_journal") && is_written("merchantpay_journal_standing"));
    for index in ["token", "created_at", "unpurged"] {
        assert!(!is_written(&format!("merchantpay_journal_{index}")), "{index}");
    }
}

#[test]
fn a_claim_and_its_end_write_no_index() {
    for template in [claim(Dialect::Sqlite, 5), RELEASE.to_owned()] {
        // The statement finds the row through the index of the primary key, so this index does not count.
        let mut written = written(&template);
        written.retain(|name| name != "sqlite_autoindex_merchantpay_journal_1");
        assert_eq!(written, ["merchantpay_journal"], "{template}");
    }
}

#[test]
fn a_claim_of_postgresql_locks_its_rows_and_skips_those_of_others() {
    let statement = render(&claim(Dialect::Postgresql, 5), Dialect::Postgresql, Placeholders::Numbered);
    assert!(statement.contains("LIMIT 5 FOR UPDATE SKIP LOCKED)") && statement.contains(" RETURNING "));
    // The parameters have the same order as in other dialects: time, claim, account.
    for (place, after) in [("$1", " AS claimed_until"), ("$2", " AS claim)"), ("$3", " ORDER BY due_at")] {
        let (_, rest) = statement.split_once(place).unwrap();
        assert!(rest.split_once(')').is_some_and(|(_, rest)| rest.contains(after)), "{statement}");
    }
}

#[test]
fn every_statement_is_one_that_sqlite_takes_and_none_looks_at_every_row() {
    let connection = rusqlite::Connection::open_in_memory().unwrap();
    for statement in crate::storage::schema::schema(Dialect::Sqlite) {
        connection.execute_batch(&statement).unwrap();
    }
    let by_design = [
        count_up_to(5),
        SET_RESTORED.to_owned(),
        UNSEEN_ORPHANS.to_owned(),
        FORGET_ORPHANS.to_owned(),
        opening(Dialect::Sqlite),
        with_opening(&attempt(), Dialect::Sqlite),
        with_opening(&known(), Dialect::Sqlite),
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
        // If the statement of a purge needed a sort, it would read more rows than one page returns.
        let sorts = |step: &String| step.contains("TEMP B-TREE");
        assert!(template != unpurged(5) || !steps.iter().any(sorts), "{sqlite}: {steps:?}");
    }
}
