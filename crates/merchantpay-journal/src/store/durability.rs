//! The settings that decide whether a database keeps what it has committed.

use super::connection::Value;
use super::dialect::Dialect;

/// A setting's name, and the expression that reads it.
type Setting = (&'static str, &'static str);

const POSTGRESQL: &[Setting] = &[
    ("transaction_read_only", "current_setting('transaction_read_only')"),
    ("fsync", "current_setting('fsync')"),
    ("full_page_writes", "current_setting('full_page_writes')"),
    ("synchronous_commit", "current_setting('synchronous_commit')"),
    ("synchronous_standby_names", "current_setting('synchronous_standby_names')"),
    ("client_encoding", "current_setting('client_encoding')"),
    ("server_encoding", "current_setting('server_encoding')"),
];

const MYSQL: &[Setting] = &[
    ("read_only", "@@global.read_only"),
    ("sql_mode", "@@sql_mode"),
    ("autocommit", "@@autocommit"),
    ("innodb_flush_log_at_trx_commit", "@@global.innodb_flush_log_at_trx_commit"),
    ("innodb_doublewrite", "@@global.innodb_doublewrite"),
    ("innodb_flush_method", "@@global.innodb_flush_method"),
    ("log_bin", "@@global.log_bin"),
    ("sync_binlog", "@@global.sync_binlog"),
    ("character_set_client", "@@character_set_client"),
];

const SQLITE: &[Setting] = &[
    ("journal_mode", "(SELECT journal_mode FROM pragma_journal_mode)"),
    ("synchronous", "(SELECT synchronous FROM pragma_synchronous)"),
    ("file", "(SELECT file FROM pragma_database_list WHERE name = 'main')"),
];

/// What a merchant can vouch for: settings that can lose a commit, and `fuse` for the file system of a file.
pub const VOUCHABLE: &[&str] = &[
    "fsync",
    "full_page_writes",
    "synchronous_commit",
    "innodb_flush_log_at_trx_commit",
    "innodb_doublewrite",
    "innodb_flush_method",
    "sync_binlog",
    "journal_mode",
    "synchronous",
    FUSE,
];

/// The word by which a merchant vouches for a file system in user space.
pub(super) const FUSE: &str = "fuse";

/// With another encoding, other connections would read another reference.
const NOT_UTF8: &str = "client_encoding is not UTF8: other connections would read other texts";

const READ_ONLY: &str = "the database can only be read: the journal needs the primary server";

const IN_MEMORY: &str =
    "it is a database in memory or a temporary one, which ends with its connection: payments would be lost";

const fn settings(dialect: Dialect) -> &'static [Setting] {
    match dialect {
        Dialect::Sqlite => SQLITE,
        Dialect::Postgresql => POSTGRESQL,
        Dialect::Mysql => MYSQL,
    }
}

/// The expressions that read a dialect's settings, as columns that follow others.
pub(super) fn columns(dialect: Dialect) -> String {
    settings(dialect).iter().map(|(_, expression)| format!(", {expression}")).collect()
}

pub(super) struct Settings {
    dialect: Dialect,
    values: Vec<String>,
}

impl Settings {
    /// Reads the values of [`columns`]. `None` if there are too few or too many.
    pub(super) fn read(dialect: Dialect, values: &[Value]) -> Option<Settings> {
        let values: Vec<String> =
            values.iter().map(|value| value.clone().into_text().unwrap_or_default()).collect();
        (values.len() == settings(dialect).len()).then_some(Settings { dialect, values })
    }

    fn value(&self, name: &str) -> &str {
        let place = settings(self.dialect).iter().position(|(known, _)| *known == name);
        place.map_or("", |place| &self.values[place])
    }

    fn is_on(&self, name: &str) -> bool {
        ["on", "ON", "1"].contains(&self.value(name))
    }

    /// Why the database cannot hold a journal; a merchant can vouch for what only may lose a commit.
    pub(super) fn fault(&self, vouched: &[String]) -> Option<String> {
        if let Some(fault) = self.unusable() {
            return Some(fault.to_owned());
        }
        let is_vouched = |name: &str| vouched.iter().any(|vouched| vouched == name);
        let (name, needed) = self.not_durable().into_iter().find(|(name, _)| !is_vouched(name))?;
        Some(format!(
            "{name} is {} and must be {needed}: the database could lose a payment that it has stored, which \
             would then be sent again; durability_vouched={name} accepts this risk",
            self.shown(name)
        ))
    }

    /// A fault that nobody can vouch for.
    pub(super) fn unusable(&self) -> Option<&'static str> {
        match self.dialect {
            Dialect::Sqlite => self.file().is_none().then_some(IN_MEMORY),
            Dialect::Postgresql if self.is_on("transaction_read_only") => Some(READ_ONLY),
            Dialect::Postgresql if !keeps_utf8(self.value("server_encoding")) => {
                Some("the encoding of the database is not UTF8: it cannot store every text")
            }
            Dialect::Postgresql if !keeps_utf8(self.value("client_encoding")) => Some(NOT_UTF8),
            Dialect::Postgresql => None,
            // On MariaDB the value can also be NO_LOCK or NO_LOCK_NO_ADMIN.
            Dialect::Mysql if !["0", "OFF"].contains(&self.value("read_only")) => Some(READ_ONLY),
            Dialect::Mysql if !self.value("sql_mode").contains("STRICT_") => {
                Some("sql_mode is not strict: the database would shorten long texts")
            }
            Dialect::Mysql if !self.is_on("autocommit") => {
                Some("autocommit is off: give the journal connections of its own")
            }
            Dialect::Mysql if self.value("character_set_client") != "utf8mb4" => {
                Some("character_set_client is not utf8mb4: other connections would read other texts")
            }
            Dialect::Mysql => None,
        }
    }

    /// The file of a SQLite database that is not in memory.
    pub(super) fn file(&self) -> Option<&str> {
        Some(self.value("file")).filter(|file| !file.is_empty())
    }

    /// The settings that can lose a commit, each with the value that it needs.
    fn not_durable(&self) -> Vec<(&'static str, &'static str)> {
        let faults = match self.dialect {
            Dialect::Postgresql => vec![
                (!self.is_on("fsync"), "fsync", "on"),
                (!self.is_on("full_page_writes"), "full_page_writes", "on"),
                (self.value("synchronous_commit") == "off", "synchronous_commit", "on"),
                // Without a standby, `local` and `remote_write` wait for the primary's disk.
                (
                    ["local", "remote_write"].contains(&self.value("synchronous_commit"))
                        && !self.value("synchronous_standby_names").is_empty(),
                    "synchronous_commit",
                    "on, because synchronous_standby_names is set",
                ),
            ],
            Dialect::Mysql => vec![
                (self.value("innodb_flush_log_at_trx_commit") != "1", "innodb_flush_log_at_trx_commit", "1"),
                // Recovery rolls back a commit that the binary log has lost.
                (
                    self.is_on("log_bin") && self.value("sync_binlog") != "1",
                    "sync_binlog",
                    "1, because log_bin is on",
                ),
                (
                    ["0", "OFF", "DETECT_ONLY"].contains(&self.value("innodb_doublewrite")),
                    "innodb_doublewrite",
                    "ON",
                ),
                (
                    ["nosync", "littlesync"]
                        .iter()
                        .any(|method| self.value("innodb_flush_method").eq_ignore_ascii_case(method)),
                    "innodb_flush_method",
                    "fsync or O_DIRECT",
                ),
            ],
            Dialect::Sqlite => vec![
                (["memory", "off"].contains(&self.value("journal_mode")), "journal_mode", "wal"),
                (["0", "1"].contains(&self.value("synchronous")), "synchronous", "FULL (2)"),
                // With FULL, SQLite deletes the rollback journal but does not sync its folder. If the journal
                // reappears after a power loss, SQLite undoes the commit.
                (
                    self.value("journal_mode") == "delete" && self.value("synchronous") == "2",
                    "journal_mode",
                    "wal, or synchronous must be EXTRA (3)",
                ),
            ],
        };
        faults
            .into_iter()
            .filter(|(is_fault, ..)| *is_fault)
            .map(|(_, name, needed)| (name, needed))
            .collect()
    }

    fn shown(&self, name: &str) -> String {
        match (name, self.value(name)) {
            ("synchronous", "0") => "OFF (0)".to_owned(),
            ("synchronous", "1") => "NORMAL (1)".to_owned(),
            (_, value) => value.to_owned(),
        }
    }
}

/// With these encodings PostgreSQL does not change the bytes of a text in UTF-8.
fn keeps_utf8(encoding: &str) -> bool {
    ["UTF8", "SQL_ASCII"].contains(&encoding)
}

#[cfg(test)]
mod tests {
    use super::*;

    fn fault_of(dialect: Dialect, values: &[&str], vouched: &[&str]) -> Option<String> {
        let values: Vec<Value> = values.iter().map(|value| Value::from(*value)).collect();
        let vouched: Vec<String> = vouched.iter().map(|name| (*name).to_owned()).collect();
        Settings::read(dialect, &values).unwrap().fault(&vouched)
    }

    /// The fault of a database with these settings and with correct encodings.
    fn fault(dialect: Dialect, values: &[&str], vouched: &[&str]) -> Option<String> {
        let encodings: &[&str] = match dialect {
            Dialect::Postgresql => &["UTF8", "UTF8"],
            Dialect::Mysql => &["utf8mb4"],
            Dialect::Sqlite => &[],
        };
        fault_of(dialect, &[values, encodings].concat(), vouched)
    }

    #[test]
    fn setting_that_can_lose_a_commit_is_refused_unless_vouched_for() {
        use Dialect::{Mysql, Postgresql, Sqlite};
        let strict = "STRICT_TRANS_TABLES";
        let cases: &[(Dialect, &[&str], Option<&str>)] = &[
            (Postgresql, &["off", "on", "on", "on", ""], None),
            (Postgresql, &["off", "on", "on", "remote_apply", "s"], None),
            (Postgresql, &["off", "on", "on", "local", ""], None),
            (Postgresql, &["off", "on", "on", "remote_write", ""], None),
            (Postgresql, &["off", "off", "on", "on", ""], Some("fsync")),
            (Postgresql, &["off", "on", "off", "on", ""], Some("full_page_writes")),
            (Postgresql, &["off", "on", "on", "off", ""], Some("synchronous_commit")),
            (Postgresql, &["off", "on", "on", "local", "s"], Some("synchronous_commit")),
            (Postgresql, &["off", "on", "on", "remote_write", "s"], Some("synchronous_commit")),
            (Mysql, &["0", strict, "1", "1", "1", "O_DIRECT", "0", "0"], None),
            (Mysql, &["OFF", strict, "1", "1", "ON", "", "1", "1"], None),
            (Mysql, &["0", strict, "1", "1", "1", "fsync", "1", "0"], Some("sync_binlog")),
            (Mysql, &["0", strict, "1", "1", "1", "fsync", "1", "100"], Some("sync_binlog")),
            (Mysql, &["0", strict, "1", "2", "1", "fsync", "0", "0"], Some("innodb_flush_log_at_trx_commit")),
            (Mysql, &["0", strict, "1", "1", "OFF", "fsync", "0", "0"], Some("innodb_doublewrite")),
            (Mysql, &["0", strict, "1", "1", "1", "nosync", "0", "0"], Some("innodb_flush_method")),
            (Sqlite, &["wal", "2", "f"], None),
            (Sqlite, &["delete", "3", "f"], None),
            (Sqlite, &["truncate", "2", "f"], None),
            (Sqlite, &["wal", "1", "f"], Some("synchronous")),
            (Sqlite, &["delete", "0", "f"], Some("synchronous")),
            (Sqlite, &["delete", "2", "f"], Some("journal_mode")),
            (Sqlite, &["memory", "2", "f"], Some("journal_mode")),
        ];
        for (dialect, values, refused) in cases {
            let found = fault(*dialect, values, &[]);
            let Some(name) = refused else {
                assert_eq!(found, None, "{values:?}");
                continue;
            };
            let text = found.unwrap_or_else(|| panic!("{values:?} is accepted"));
            let (begin, end) = (format!("{name} is "), format!("durability_vouched={name} "));
            assert!(text.starts_with(&begin) && text.contains(&end), "{text}");
            assert!(VOUCHABLE.contains(name));
            assert_eq!(fault(*dialect, values, &[name]), None, "{values:?}");
        }
    }

    #[test]
    fn nobody_can_vouch_for_a_database_that_cannot_keep_a_journal() {
        for values in [["1", "STRICT_ALL_TABLES", "1"], ["0", "", "1"], ["0", "STRICT_ALL_TABLES", "0"]] {
            let rest = ["1", "1", "fsync", "0", "0"];
            assert!(fault(Dialect::Mysql, &[&values[..], &rest].concat(), VOUCHABLE).is_some(), "{values:?}");
        }
        assert!(fault(Dialect::Postgresql, &["on", "on", "on", "on", ""], VOUCHABLE).is_some());
        let in_memory = fault(Dialect::Sqlite, &["memory", "2", ""], VOUCHABLE).unwrap();
        assert!(in_memory.contains("in memory"));
    }

    #[test]
    fn connection_that_changes_the_bytes_of_texts_is_refused() {
        let of_postgresql = |encodings: [&str; 2]| {
            let values = [&["off", "on", "on", "on", ""][..], &encodings].concat();
            fault_of(Dialect::Postgresql, &values, VOUCHABLE)
        };
        assert_eq!(of_postgresql(["SQL_ASCII", "SQL_ASCII"]), None);
        assert_eq!(of_postgresql(["WIN1251", "UTF8"]).as_deref(), Some(NOT_UTF8));
        assert!(of_postgresql(["UTF8", "WIN1251"]).is_some_and(|text| text.contains("of the database")));
        let latin1 = ["0", "STRICT_ALL_TABLES", "1", "1", "1", "fsync", "0", "0", "latin1"];
        assert!(fault_of(Dialect::Mysql, &latin1, VOUCHABLE).is_some_and(|text| text.contains("utf8mb4")));
    }
}
