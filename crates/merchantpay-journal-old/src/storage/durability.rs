//! The database settings that decide whether commits are durable, and whether the database can hold a
//! journal.

use crate::storage::file_names::FUSE;
use crate::storage::store::Dialect;

/// A setting: its name, and the expression that reads it.
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
    ("file", SQLITE_FILE),
];

/// The file of the database; empty for a database in memory, and for a temporary one.
pub(crate) const SQLITE_FILE: &str = "(SELECT file FROM pragma_database_list WHERE name = 'main')";

/// The settings that `durability_vouched` accepts.
pub(crate) const VOUCHABLE: &[&str] = &[
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

fn settings(dialect: Dialect) -> &'static [Setting] {
    match dialect {
        Dialect::Sqlite => SQLITE,
        Dialect::Postgresql => POSTGRESQL,
        Dialect::Mysql => MYSQL,
    }
}

/// The expressions that read a dialect's settings, as columns.
pub(crate) fn columns(dialect: Dialect) -> String {
    settings(dialect).iter().map(|(_, expression)| format!(", {expression}")).collect()
}

/// The values of a database's settings.
#[derive(Debug)]
pub(crate) struct Settings {
    dialect: Dialect,
    values: Vec<String>,
}

impl Settings {
    /// Reads the values of [`columns`]. `None` if there are too few or too many values.
    pub(crate) fn read(dialect: Dialect, values: &[Option<String>]) -> Option<Settings> {
        let values: Vec<String> = values.iter().map(|value| value.clone().unwrap_or_default()).collect();
        (values.len() == settings(dialect).len()).then_some(Settings { dialect, values })
    }

    fn value(&self, name: &str) -> &str {
        let place = settings(self.dialect).iter().position(|(known, _)| *known == name);
        place.map_or("", |place| &self.values[place])
    }

    /// The file of a SQLite database, empty for one in memory; `None` for a database server.
    pub(crate) fn file(&self) -> Option<&str> {
        (self.dialect == Dialect::Sqlite).then(|| self.value("file"))
    }

    fn is_on(&self, name: &str) -> bool {
        ["on", "ON", "1"].contains(&self.value(name))
    }

    /// The reason why the database cannot hold a journal. `None` if the database has no fault, or only faults
    /// that the merchant accepts by `durability_vouched`.
    pub(crate) fn fault(&self, vouched: &[String]) -> Option<String> {
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

    /// A reason why the journal never uses this database, whatever settings the merchant accepts.
    fn unusable(&self) -> Option<&'static str> {
        match self.dialect {
            Dialect::Sqlite => None,
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

    /// The settings that can lose a commit, each with the value that it needs.
    fn not_durable(&self) -> Vec<(&'static str, &'static str)> {
        let faults = match self.dialect {
            Dialect::Postgresql => vec![
                (!self.is_on("fsync"), "fsync", "on"),
                (!self.is_on("full_page_writes"), "full_page_writes", "on"),
                (self.value("synchronous_commit") == "off", "synchronous_commit", "on"),
                // Without a standby, `local` and `remote_write` are durable: they wait for the primary's
                // disk.
                (
                    ["local", "remote_write"].contains(&self.value("synchronous_commit"))
                        && !self.value("synchronous_standby_names").is_empty(),
                    "synchronous_commit",
                    "on, because synchronous_standby_names is set",
                ),
            ],
            Dialect::Mysql => vec![
                (self.value("innodb_flush_log_at_trx_commit") != "1", "innodb_flush_log_at_trx_commit", "1"),
                // If the binary log has lost a commit, recovery rolls the commit back.
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
            // Only a test uses a database in memory, so it does not have to be durable.
            Dialect::Sqlite if self.value("file").is_empty() => Vec::new(),
            Dialect::Sqlite => vec![
                (["memory", "off"].contains(&self.value("journal_mode")), "journal_mode", "wal"),
                (["0", "1"].contains(&self.value("synchronous")), "synchronous", "FULL (2)"),
                // With FULL, SQLite deletes the rollback journal but does not sync its folder. If the
                // rollback journal reappears after a power loss, SQLite undoes the commit.
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

/// With these encodings, PostgreSQL does not change the bytes of a text in UTF-8.
pub(crate) fn keeps_utf8(encoding: &str) -> bool {
    ["UTF8", "SQL_ASCII"].contains(&encoding)
}

/// With another encoding, the reference of an attempt would be a different text for other connections.
pub(crate) const NOT_UTF8: &str = "client_encoding is not UTF8: other connections would read other texts";

const READ_ONLY: &str = "the database can only be read: the journal needs the primary server";

#[cfg(test)]
mod tests {
    use super::*;

    /// The fault of a database with these settings and with correct encodings.
    fn fault(dialect: Dialect, values: &[&str], vouched: &[&str]) -> Option<String> {
        let encodings: &[&str] = match dialect {
            Dialect::Postgresql => &["UTF8", "UTF8"],
            Dialect::Mysql => &["utf8mb4"],
            Dialect::Sqlite => &[],
        };
        fault_of(dialect, &[values, encodings].concat(), vouched)
    }

    fn fault_of(dialect: Dialect, values: &[&str], vouched: &[&str]) -> Option<String> {
        let values: Vec<Option<String>> = values.iter().map(|value| Some((*value).to_owned())).collect();
        let vouched: Vec<String> = vouched.iter().map(|name| (*name).to_owned()).collect();
        Settings::read(dialect, &values).unwrap().fault(&vouched)
    }

    #[test]
    fn a_setting_that_can_lose_an_answered_commit_is_refused_unless_it_is_vouched_for() {
        let strict = "STRICT_TRANS_TABLES";
        let cases: &[(Dialect, &[&str], Option<&str>)] = &[
            (Dialect::Postgresql, &["off", "on", "on", "on", ""], None),
            (Dialect::Postgresql, &["off", "on", "on", "remote_apply", "s"], None),
            (Dialect::Postgresql, &["off", "on", "on", "local", ""], None),
            (Dialect::Postgresql, &["off", "on", "on", "remote_write", ""], None),
            (Dialect::Postgresql, &["off", "off", "on", "on", ""], Some("fsync")),
            (Dialect::Postgresql, &["off", "on", "off", "on", ""], Some("full_page_writes")),
            (Dialect::Postgresql, &["off", "on", "on", "off", ""], Some("synchronous_commit")),
            (Dialect::Postgresql, &["off", "on", "on", "local", "s"], Some("synchronous_commit")),
            (Dialect::Postgresql, &["off", "on", "on", "remote_write", "s"], Some("synchronous_commit")),
            (Dialect::Mysql, &["0", strict, "1", "1", "1", "O_DIRECT", "0", "0"], None),
            (Dialect::Mysql, &["OFF", strict, "1", "1", "ON", "", "1", "1"], None),
            (Dialect::Mysql, &["0", strict, "1", "1", "1", "fsync", "1", "0"], Some("sync_binlog")),
            (Dialect::Mysql, &["0", strict, "1", "1", "1", "fsync", "1", "100"], Some("sync_binlog")),
            (
                Dialect::Mysql,
                &["0", strict, "1", "2", "1", "fsync", "0", "0"],
                Some("innodb_flush_log_at_trx_commit"),
            ),
            (Dialect::Mysql, &["0", strict, "1", "1", "OFF", "fsync", "0", "0"], Some("innodb_doublewrite")),
            (Dialect::Mysql, &["0", strict, "1", "1", "1", "nosync", "0", "0"], Some("innodb_flush_method")),
            (Dialect::Sqlite, &["wal", "2", "f"], None),
            (Dialect::Sqlite, &["delete", "3", "f"], None),
            (Dialect::Sqlite, &["truncate", "2", "f"], None),
            (Dialect::Sqlite, &["memory", "2", ""], None),
            (Dialect::Sqlite, &["wal", "1", "f"], Some("synchronous")),
            (Dialect::Sqlite, &["delete", "0", "f"], Some("synchronous")),
            (Dialect::Sqlite, &["delete", "2", "f"], Some("journal_mode")),
            (Dialect::Sqlite, &["memory", "2", "f"], Some("journal_mode")),
        ];
        for (dialect, values, refused) in cases {
            let found = fault(*dialect, values, &[]);
            let Some(name) = refused else {
                assert_eq!(found, None, "{values:?}");
                continue;
            };
            let text = found.unwrap_or_else(|| panic!("{values:?} is accepted"));
            assert!(text.starts_with(&format!("{name} is ")), "{text}");
            assert!(
                text.contains(" and must be ") && text.contains(&format!("durability_vouched={name} ")),
                "{text}"
            );
            assert!(VOUCHABLE.contains(name));
            assert_eq!(fault(*dialect, values, &[name]), None, "{values:?}");
        }
    }

    #[test]
    fn nobody_can_vouch_for_a_database_that_cannot_be_written() {
        for values in [["1", "STRICT_ALL_TABLES", "1"], ["0", "", "1"], ["0", "STRICT_ALL_TABLES", "0"]] {
            let rest = ["1", "1", "fsync", "0", "0"];
            assert!(fault(Dialect::Mysql, &[&values[..], &rest].concat(), VOUCHABLE).is_some(), "{values:?}");
        }
        assert!(fault(Dialect::Postgresql, &["on", "on", "on", "on", ""], VOUCHABLE).is_some());
    }

    #[test]
    fn a_connection_that_changes_the_bytes_of_texts_is_refused() {
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

    #[test]
    fn every_setting_that_is_refused_can_be_vouched_for() {
        let asked = [SQLITE, POSTGRESQL, MYSQL].concat();
        let is_asked = |name: &str| name == FUSE || asked.iter().any(|(known, _)| *known == name);
        assert!(VOUCHABLE.iter().all(|name| is_asked(name)));
    }
}
