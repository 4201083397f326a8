//! The statements about the journal as a whole: its settings, and the server.

use crate::storage::store::Dialect;

/// Whether the journal is paused, as a column.
pub(super) const PAUSE: &str = "(SELECT value FROM merchantpay_journal_settings WHERE name = 'pause')";

/// The clock, and a setting, or no value.
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

/// Marks every attempt as restored: the truth may be newer.
pub(crate) const SET_RESTORED: &str = "UPDATE merchantpay_journal SET restored = 1 WHERE restored = 0";

/// Statements that name the server, each tried if the one before fails: for want of a right, or on a server that
/// lacks a variable. None where there is no server.
pub(crate) fn server(dialect: Dialect) -> &'static [&'static str] {
    match dialect {
        Dialect::Sqlite => &[],
        Dialect::Postgresql => &[
            "SELECT 'system_identifier=' || CAST(system_identifier AS TEXT) \
             || ' timeline=' || substr(pg_walfile_name(pg_current_wal_lsn()), 1, 8) FROM pg_control_system()",
            "SELECT 'timeline=' || substr(pg_walfile_name(pg_current_wal_lsn()), 1, 8)",
        ],
        // To MySQL the second comment is one, to MariaDB the first. Older versions of MariaDB have no server_uid.
        Dialect::Mysql => &[
            "SELECT CONCAT_WS(' ', CONCAT('server_id=', @@global.server_id) \
             /*!50700 , CONCAT('server_uuid=', @@global.server_uuid) */ \
             /*M! , CONCAT('server_uid=', @@global.server_uid) */)",
            "SELECT CONCAT('server_id=', @@global.server_id)",
        ],
    }
}
