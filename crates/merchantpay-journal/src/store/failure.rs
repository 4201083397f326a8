//! Why a statement failed, and whether it can have taken effect.

use std::fmt;

use merchantpay::{Error, Outcome};

use super::dialect::Dialect;

/// The most characters of a driver's text in a message.
const LONGEST: usize = 300;

/// MySQL and MariaDB quote values of a statement or a row after these words.
const BEFORE_VALUES: [&str; 3] = [" near '", " value: '", " entry '"];

/// The failure of a statement.
#[derive(Debug, Clone, PartialEq, Eq)]
pub enum Failure {
    /// A unique key is taken; nothing was written.
    Duplicate,
    /// Nothing was written.
    Failed {
        /// The reason, for a person.
        why: String,
        /// Whether a retry fails too, until an operator changes something.
        lasting: bool,
    },
    /// The statement may have taken effect.
    Unclear(String),
}

impl Failure {
    /// A failure that a retry may not meet again.
    pub fn failed(why: impl Into<String>) -> Failure {
        Failure::Failed { why: why.into(), lasting: false }
    }

    /// A failure until an operator changes something.
    pub fn lasting(why: impl Into<String>) -> Failure {
        Failure::Failed { why: why.into(), lasting: true }
    }

    /// Classifies an error code: a SQLSTATE of PostgreSQL, an error number of MySQL or MariaDB, or an extended
    /// result code of SQLite. A code that is not the server's own leaves the effect unclear.
    pub fn of_code(dialect: Dialect, code: &str, text: &str) -> Failure {
        let number = code.parse().ok();
        let is_duplicate = match dialect {
            Dialect::Postgresql => code == "23505",
            Dialect::Mysql => number == Some(1062),
            // SQLITE_CONSTRAINT_PRIMARYKEY and SQLITE_CONSTRAINT_UNIQUE.
            Dialect::Sqlite => matches!(number, Some(1555 | 2067)),
        };
        let is_without_effect = match dialect {
            Dialect::Postgresql => is_rolled_back(code),
            Dialect::Mysql => number.is_some_and(is_refused_by_mysql),
            Dialect::Sqlite => number.is_some_and(is_refused_by_sqlite),
        };
        match () {
            () if is_duplicate => Failure::Duplicate,
            () if is_without_effect => Failure::failed(shortened(text)),
            () => Failure::Unclear(shortened(text)),
        }
    }

    pub(crate) fn is_lasting(&self) -> bool {
        matches!(self, Failure::Failed { lasting: true, .. })
    }

    pub(super) fn error(&self, place: &str, outcome: Outcome) -> Error {
        let error = |verb| Error::storage(outcome, format!("the journal {place} {verb}: {self}"));
        if self.is_lasting() { error("cannot be used").permanent() } else { error("failed") }
    }
}

impl fmt::Display for Failure {
    fn fmt(&self, f: &mut fmt::Formatter<'_>) -> fmt::Result {
        match self {
            Failure::Duplicate => f.write_str("another row has this key"),
            Failure::Unclear(why) | Failure::Failed { why, .. } => f.write_str(why),
        }
    }
}

impl std::error::Error for Failure {}

/// The first line of a driver's text, without the values that MySQL quotes there: a value can be the number of
/// a person's account.
pub(super) fn shortened(text: &str) -> String {
    let line = text.trim_start().lines().next().unwrap_or_default();
    let end = BEFORE_VALUES.iter().filter_map(|words| Some(line.find(words)? + words.len() - 1)).min();
    let shown = line[..end.unwrap_or(line.len())].chars();
    let mut shown: String =
        shown.map(|c| if c.is_control() { '\u{fffd}' } else { c }).take(LONGEST).collect();
    if end.is_some() {
        shown.push('…');
    }
    shown
}

/// After these errors PostgreSQL rolls the transaction back. The others end the connection, perhaps after the
/// commit; a pooler also reports a lost server with classes 08, 58 and XX.
fn is_rolled_back(state: &str) -> bool {
    const CLASSES: [&str; 17] = [
        "0A", "21", "22", "23", "25", "26", "28", "2B", "34", "3D", "3F", "42", "44", "53", "54", "55", "P0",
    ];
    const STATES: [&str; 5] = ["40000", "40001", "40002", "40P01", "57014"];
    state.len() == 5
        && (state.get(..2).is_some_and(|class| CLASSES.contains(&class)) || STATES.contains(&state))
}

/// After these errors MySQL and MariaDB have refused the statement or rolled it back. 2000 to 2999 are errors
/// of the client library, which proxies send too.
fn is_refused_by_mysql(number: u32) -> bool {
    // Errors that interrupt the connection or the commit: ER_UNKNOWN_COM_ERROR (a node of a cluster is not
    // ready), ER_SERVER_SHUTDOWN, ER_UNKNOWN_ERROR (of proxies), ER_ABORTING_CONNECTION, ER_NET_*,
    // ER_ERROR_DURING_COMMIT, ER_NEW_ABORTING_CONNECTION, ER_QUERY_INTERRUPTED, ER_CONNECTION_KILLED,
    // ER_CLIENT_INTERACTION_TIMEOUT.
    const UNCLEAR: [u32; 13] = [1047, 1053, 1105, 1152, 1158, 1159, 1160, 1161, 1180, 1184, 1317, 1927, 4031];
    matches!(number, 1000..=1999 | 3000..=6999) && !UNCLEAR.contains(&number)
}

/// ERROR, PERM, BUSY, LOCKED, READONLY, FULL, CANTOPEN, SCHEMA, TOOBIG, CONSTRAINT, MISMATCH, RANGE and NOTADB.
/// The lower eight bits of an extended code are the primary code.
fn is_refused_by_sqlite(code: u32) -> bool {
    matches!(code & 0xff, 1 | 3 | 5 | 6 | 8 | 13 | 14 | 17..=20 | 25 | 26)
}

#[cfg(test)]
mod tests {
    use super::*;

    #[test]
    fn only_the_servers_own_error_says_that_nothing_was_written() {
        let cases: [(Dialect, &str, &[&str], &[&str]); 3] = [
            (
                Dialect::Postgresql,
                "23505",
                &["23502", "40001", "40P01", "42P01", "53100", "55P03", "57014", "P0001"],
                &[
                    "", "40003", "57P01", "57P02", "08006", "08P01", "58000", "58030", "XX000", "HY000",
                    "4200", "ÄÄa",
                ],
            ),
            (
                Dialect::Mysql,
                "1062",
                &["1040", "1146", "1205", "1213", "1290", "1366", "1792", "1969", "3024", "4025"],
                &[
                    "", "0", "-1", "1047", "1053", "1105", "1317", "1927", "2006", "2013", "4031", "9001",
                    "1e3",
                ],
            ),
            (
                Dialect::Sqlite,
                "2067",
                &["1", "5", "517", "13", "19", "1299"],
                &["", "7", "10", "1034", "9", "11", "99999999999"],
            ),
        ];
        for (dialect, duplicate, failed, unclear) in cases {
            let of = |code: &&str| Failure::of_code(dialect, code, "text");
            assert_eq!(of(&duplicate), Failure::Duplicate);
            assert!(failed.iter().all(|code| of(code) == Failure::failed("text")), "{dialect:?}");
            assert!(
                unclear.iter().all(|code| of(code) == Failure::Unclear("text".to_owned())),
                "{dialect:?}"
            );
        }
        assert_eq!(Failure::of_code(Dialect::Sqlite, "1555", ""), Failure::Duplicate);
    }

    #[test]
    fn a_message_has_one_line_and_no_values() {
        for (text, shown) in [
            ("relation \"a\" is missing\nDETAIL: 79001234567", "relation \"a\" is missing"),
            ("\n  Incorrect string value: '\\xF0' for column 'record'", "Incorrect string value: …"),
            ("error in your syntax near '{\"customerAccount\"' entry 'x", "error in your syntax near …"),
            ("Duplicate entry 'o-1' for key 'PRIMARY'", "Duplicate entry …"),
            ("", ""),
        ] {
            assert_eq!(shortened(text), shown);
        }
        assert_eq!(shortened(&"ы".repeat(1000)), "ы".repeat(LONGEST));
    }
}
