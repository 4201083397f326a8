//! The SQL statements that read and write orphans: messages that match no attempt.

/// The order ids of orphans after a given order id, sorted.
pub(crate) fn orphans_after(limit: u32) -> String {
    format!("SELECT order_id FROM merchantpay_orphans WHERE order_id > ? ORDER BY order_id LIMIT {limit}")
}

/// Deletes the details of seen orphans that were last written before a time and have order ids in a range.
pub(crate) const PURGE_ORPHANS: &str = "UPDATE merchantpay_orphans SET record = '{}', note = NULL, purged = 1, \
    version = version + 1 WHERE order_id > ? AND order_id <= ? AND seen = 1 AND purged = 0 AND updated_at < ?#";

/// The number of a reference's orphans that no operator has seen.
pub(crate) const UNSEEN_ORPHANS: &str =
    "SELECT COUNT(*) FROM merchantpay_orphans WHERE reference = ? AND seen = 0";

/// Deletes the details of a reference's orphans that an operator has seen.
pub(crate) const FORGET_ORPHANS: &str = "UPDATE merchantpay_orphans SET record = '{}', note = NULL, purged = 1, \
    version = version + 1 WHERE reference = ? AND seen = 1 AND (record <> '{}' OR note IS NOT NULL)";

/// Stores a message as an orphan.
pub(crate) const INSERT_ORPHAN: &str = "INSERT INTO merchantpay_orphans \
    (order_id, received_at, updated_at, version, status, sum_reported, reference, attempt, seen, record) \
    VALUES (?, {now}, {now}, 1, ?, ?, ?, ?#, 0, ?)";

/// Overwrites an orphan if its row still has the version that was read. The orphan becomes unseen if the
/// status changed. So the status is a parameter twice.
pub(crate) const UPDATE_ORPHAN: &str = "UPDATE merchantpay_orphans \
    SET seen = CASE WHEN COALESCE(status, '') = COALESCE(?, '') THEN seen ELSE 0 END, \
    status = ?, sum_reported = ?, record = ?, purged = 0, updated_at = {now}, version = version + 1 \
    WHERE order_id = ? AND version = ?#";

/// The columns of an orphan, in the order of the export.
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

/// All orphans after a given orphan, sorted by key.
pub(crate) fn export_orphans(limit: u32) -> String {
    format!(
        "SELECT {} FROM merchantpay_orphans WHERE order_id > ? ORDER BY order_id LIMIT {limit}",
        ORPHAN_COLUMNS.join(", ")
    )
}

/// Stores an exported orphan.
pub(crate) fn import_orphan() -> String {
    let numbers = ["received_at", "updated_at", "version", "attempt", "seen", "purged"];
    let place = |column: &&str| if numbers.contains(column) { "?#" } else { "?" };
    let places: Vec<&str> = ORPHAN_COLUMNS.iter().map(place).collect();
    format!("INSERT INTO merchantpay_orphans ({}) VALUES ({})", ORPHAN_COLUMNS.join(", "), places.join(", "))
}

/// Orphans that no operator has seen.
pub(crate) fn orphans(limit: u32) -> String {
    format!(
        "SELECT order_id, received_at, status, sum_reported, reference, attempt FROM merchantpay_orphans WHERE seen = 0 \
         ORDER BY received_at LIMIT {limit}"
    )
}

/// The orphan of an order.
pub(crate) const ORPHAN: &str =
    "SELECT status, sum_reported, version, record FROM merchantpay_orphans WHERE order_id = ?";

/// Marks an orphan as seen by an operator.
pub(crate) const SEE_ORPHAN: &str = "UPDATE merchantpay_orphans SET seen = 1, note = ? WHERE order_id = ?";

/// Like [`SEE_ORPHAN`], but only if the orphan still has the status that the operator has read.
pub(crate) const SEE_READ_ORPHAN: &str = "UPDATE merchantpay_orphans SET seen = 1, note = ? \
    WHERE order_id = ? AND COALESCE(status, '') = COALESCE(?, '')";
