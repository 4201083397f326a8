//! The SQL dialects, and what a statement is in each.

/// The SQL dialect of a store.
#[derive(Debug, Clone, Copy, PartialEq, Eq)]
#[non_exhaustive]
pub enum Dialect {
    /// SQLite.
    Sqlite,
    /// PostgreSQL 12 or later.
    Postgresql,
    /// MySQL 8 or later, and MariaDB 10.5 or later.
    Mysql,
}

/// Writes a template in a dialect. It has `?` for a text, `?#` for a number, `{now}` for the database's clock in
/// milliseconds, and words for what the dialects index differently.
pub(super) fn render(template: &str, dialect: Dialect) -> String {
    let now = match dialect {
        // SQLite before 3.42 lacks unixepoch('subsec'). Rounded, because the floating-point number may be a
        // little too small: the clock would seem to go back by a millisecond.
        Dialect::Sqlite => "CAST(ROUND((julianday('now') - 2440587.5) * 86400000) AS INTEGER)",
        // clock_timestamp() is volatile: a comparison with it would use no index.
        Dialect::Postgresql => "CAST(EXTRACT(EPOCH FROM statement_timestamp()) * 1000 AS BIGINT)",
        // NOW() follows the session's time zone, which jumps when summer time begins or ends.
        Dialect::Mysql => "(TIMESTAMPDIFF(MICROSECOND, '1970-01-01 00:00:00', UTC_TIMESTAMP(3)) DIV 1000)",
    };
    let [unacked, news, attention, attention_at] = match dialect {
        Dialect::Mysql => {
            ["j.unacked IS NOT NULL", "j.unacked", "j.needs_person IS NOT NULL", "j.needs_person"]
        }
        _ => ["j.news > j.acked", "j.news", "j.attention <> 0", "j.created_at"],
    };
    let template = template
        .replace("{now}", now)
        .replace("{unacked}", unacked)
        .replace("{news}", news)
        .replace("{attention}", attention)
        .replace("{attention_at}", attention_at);
    if dialect != Dialect::Postgresql {
        return template.replace("?#", "?");
    }
    // PostgreSQL infers the type of a NULL or of a lone parameter from its cast.
    let mut sql = String::with_capacity(template.len() + 512);
    let mut pieces = template.split('?');
    sql.push_str(pieces.next().unwrap_or_default());
    for (number, piece) in pieces.enumerate() {
        let (kind, rest) = piece.strip_prefix('#').map_or(("TEXT", piece), |rest| ("BIGINT", rest));
        sql.push_str(&format!("CAST(${} AS {kind}){rest}", number + 1));
    }
    sql
}

#[cfg(test)]
mod tests {
    use super::*;

    #[test]
    fn template_is_written_in_each_dialect() {
        let of = |dialect| render("UPDATE t SET a = ?, b = {now} + ?# WHERE {unacked} AND c = ?", dialect);
        assert_eq!(
            of(Dialect::Sqlite),
            "UPDATE t SET a = ?, b = CAST(ROUND((julianday('now') - 2440587.5) * 86400000) AS INTEGER) + ? \
             WHERE j.news > j.acked AND c = ?"
        );
        assert_eq!(
            of(Dialect::Postgresql),
            "UPDATE t SET a = CAST($1 AS TEXT), b = CAST(EXTRACT(EPOCH FROM statement_timestamp()) * 1000 AS BIGINT) \
             + CAST($2 AS BIGINT) WHERE j.news > j.acked AND c = CAST($3 AS TEXT)"
        );
        assert_eq!(
            of(Dialect::Mysql),
            "UPDATE t SET a = ?, b = (TIMESTAMPDIFF(MICROSECOND, '1970-01-01 00:00:00', UTC_TIMESTAMP(3)) DIV 1000) + ? \
             WHERE j.unacked IS NOT NULL AND c = ?"
        );
    }
}
