//! Renders a template as a statement of a dialect.

use crate::storage::store::{Dialect, Placeholders};

/// Renders a template in a dialect.
pub(crate) fn render(template: &str, dialect: Dialect, placeholders: Placeholders) -> String {
    let (integer, now, attention, unpurged_at) = match dialect {
        // SQLite before 3.42 lacks unixepoch('subsec').
        Dialect::Sqlite => (
            "INTEGER",
            "CAST((julianday('now') - 2440587.5) * 86400000 AS INTEGER)",
            "j.attention IS NOT NULL",
            "j.created_at",
        ),
        // clock_timestamp() is not used: it is volatile, so a comparison with it would use no index.
        Dialect::Postgresql => (
            "BIGINT",
            "CAST(EXTRACT(EPOCH FROM statement_timestamp()) * 1000 AS BIGINT)",
            "j.attention IS NOT NULL",
            "(j.created_at + 0)",
        ),
        // NOW() is not used: it follows the session's time zone, which jumps when summer time starts or ends.
        Dialect::Mysql => (
            "SIGNED",
            "(TIMESTAMPDIFF(MICROSECOND, '1970-01-01 00:00:00', UTC_TIMESTAMP(3)) DIV 1000)",
            "j.needs_operator = 1",
            "j.unpurged_at",
        ),
    };
    let template = template
        .replace("{now}", now)
        .replace("{attention}", attention)
        .replace("{unpurged_at}", unpurged_at);
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
            // PostgreSQL cannot infer the type of a lone text parameter.
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
