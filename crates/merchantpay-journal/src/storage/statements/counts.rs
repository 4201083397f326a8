//! The statements that count.

use crate::storage::store::Dialect;

/// How many attempts that are not final have each stored standing.
pub(crate) const COUNT_BY_STANDING: &str =
    "SELECT standing, COUNT(*) FROM merchantpay_journal WHERE standing <> 'final' GROUP BY standing";

/// How many attempts are due, how many calls have ended without an answer, and how many messages nobody has seen.
pub(crate) const COUNTS: &str = "SELECT (SELECT COUNT(*) FROM merchantpay_journal WHERE due_at <= {now}), \
    (SELECT COUNT(*) FROM merchantpay_journal WHERE standing = 'sending' AND due_at <= {now}), \
    (SELECT COUNT(*) FROM merchantpay_orphans WHERE seen = 0)";

/// How many attempts need an operator for which reasons.
pub(crate) const COUNT_REASONS: &str =
    "SELECT j.attention, COUNT(*) FROM merchantpay_journal AS j WHERE {attention} GROUP BY j.attention";

/// How many attempts there are, up to a limit.
pub(crate) fn count_up_to(limit: u64) -> String {
    format!("SELECT COUNT(*) FROM (SELECT 1 FROM merchantpay_journal LIMIT {limit}) AS counted")
}

/// About how many attempts there are, without counting them.
pub(crate) fn estimate(dialect: Dialect) -> &'static str {
    match dialect {
        // Rows are never deleted.
        Dialect::Sqlite => "SELECT MAX(rowid) FROM merchantpay_journal",
        // As its planner does. Before the first ANALYZE a page is taken to hold 14 rows.
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
