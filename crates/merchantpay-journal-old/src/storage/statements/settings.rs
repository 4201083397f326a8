//! The SQL statements for the whole journal: its settings, and the database's server.

use crate::storage::store::Dialect;

/// A column that reads whether the journal is paused.
pub(super) const PAUSE: &str = "(SELECT value FROM merchantpay_journal_settings WHERE name = 'pause')";

/// Reads the clock and a setting. The setting is NULL if it is not stored.
pub(crate) const SETTING: &str =
    "SELECT {now}, (SELECT value FROM merchantpay_journal_settings WHERE name = ?)";

/// Stores a setting.
pub(crate) fn set(dialect: Dialect) -> String {
    let insert = "INSERT INTO merchantpay_journal_settings (name, value) VALUES (?, ?)";
    match dialect {
        Dialect::Mysql => format!("{insert} ON DUPLICATE KEY UPDATE value = VALUES(value)"),
        _ => format!("{insert} ON CONFLICT (name) DO UPDATE SET value = EXCLUDED.value"),
    }
}

/// Marks every attempt as restored: the service's state may be newer.
pub(crate) const SET_RESTORED: &str = "UPDATE merchantpay_journal SET restored = 1 WHERE restored = 0";

/// Statements that read the server's identity. If a statement fails, because a permission or a variable is
/// missing, the next statement is tried. The list is empty for a database without a server.
pub(crate) fn server(dialect: Dialect) -> &'static [&'static str] {
    match dialect {
        Dialect::Sqlite => &[],
        Dialect::Postgresql => &[
            "SELECT 'system_identifier=' || CAST(system_identifier AS TEXT) \
             || ' timeline=' || substr(pg_walfile_name(pg_current_wal_lsn()), 1, 8) FROM pg_control_system()",
            "SELECT 'timeline=' || substr(pg_walfile_name(pg_current_wal_lsn()), 1, 8)",
        ],
        // MySQL ignores the second SQL comment, and MariaDB ignores the first. Older MariaDB versions lack
        // `server_uid`.
        Dialect::Mysql => &[
            "SELECT CONCAT_WS(' ', CONCAT('server_id=', @@global.server_id) \
             /*!50700 , CONCAT('server_uuid=', @@global.server_uuid) */ \
             /*M! , CONCAT('server_uid=', @@global.server_uid) */)",
            "SELECT CONCAT('server_id=', @@global.server_id)",
        ],
    }
}
