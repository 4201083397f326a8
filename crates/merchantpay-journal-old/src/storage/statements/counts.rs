//! The SQL statements that count rows.

use super::attempts::ENDS_AT;
use crate::storage::store::Dialect;

/// The number of non-final attempts by stored standing.
pub(crate) const COUNT_BY_STANDING: &str =
    "SELECT standing, COUNT(*) FROM merchantpay_journal WHERE standing <> 'final' GROUP BY standing";

/// The numbers of due attempts, of calls that ended without a response, and of orphans that nobody has seen.
pub(crate) fn counts() -> String {
    format!(
        "SELECT (SELECT COUNT(*) FROM merchantpay_journal WHERE due_at <= {{now}}), \
         (SELECT COUNT(*) FROM merchantpay_journal WHERE standing <> 'final' AND standing = 'sending' \
         AND {ENDS_AT} <= {{now}}), \
         (SELECT COUNT(*) FROM merchantpay_orphans WHERE seen = 0)"
    )
}

/// The number of attempts that need an operator, by their reasons.
pub(crate) const COUNT_REASONS: &str =
    "SELECT j.attention, COUNT(*) FROM merchantpay_journal AS j WHERE {attention} GROUP BY j.attention";

/// The number of attempts, counted up to a limit.
pub(crate) fn count_up_to(limit: u64) -> String {
    format!("SELECT COUNT(*) FROM (SELECT 1 FROM merchantpay_journal LIMIT {limit}) AS counted")
}

/// An estimate of the number of attempts.
pub(crate) fn estimate(dialect: Dialect) -> &'static str {
    match dialect {
        // Rows are never deleted, so the largest rowid is the count.
        Dialect::Sqlite => "SELECT MAX(rowid) FROM merchantpay_journal",
        // Estimates in the same way as PostgreSQL's planner. Before the first ANALYZE the statement assumes
        // 14 rows per page.
        Dialect::Postgresql => {
            "SELECT CAST(pg_relation_size(oid) / CAST(current_setting('block_size') AS BIGINT) \
             * CASE WHEN relpages > 0 AND reltuples > 0 THEN reltuples / relpages ELSE 14 END AS BIGINT) \
             FROM pg_class WHERE oid = to_regclass('merchantpay_journal')"
        }
        Dialect::Mysql => {
            "SELECT table_rows FROM information_schema.tables \
             WHERE table_schema = DATABASE() AND table_name = 'merchantpay_journal'"
        }
    }
}
