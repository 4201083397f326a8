//! Finds out from the database's error code whether a failed statement can have taken effect.

use rusqlite::ErrorCode;

use crate::storage::store::{Dialect, StoreError};

/// `SQLITE_CONSTRAINT_PRIMARYKEY` and `SQLITE_CONSTRAINT_UNIQUE`.
const DUPLICATES: [i32; 2] = [1555, 2067];

/// `SQLITE_IOERR_FSYNC`.
const IOERR_FSYNC: i32 = 1034;

impl StoreError {
    pub(super) fn of_sqlite(error: rusqlite::Error) -> StoreError {
        let extended = error.sqlite_error().map(|error| error.extended_code);
        match error.sqlite_error_code() {
            _ if extended.is_some_and(|code| DUPLICATES.contains(&code)) => StoreError::Duplicate,
            // The write may be in the -wal file: only the sync of that file has failed.
            Some(ErrorCode::SystemIoFailure) if extended == Some(IOERR_FSYNC) => {
                StoreError::Unclear(error.to_string())
            }
            _ => StoreError::Failed(error.to_string()),
        }
    }

    /// The failure with this error code: the SQLSTATE of PostgreSQL, the error number of MySQL and MariaDB, or
    /// the extended result code of SQLite. A code that does not come from the server, such as an empty one,
    /// leaves the effect unclear.
    pub fn of_code(dialect: Dialect, code: &str, text: impl Into<String>) -> StoreError {
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
            () if is_duplicate => StoreError::Duplicate,
            () if is_without_effect => StoreError::Failed(text.into()),
            () => StoreError::Unclear(text.into()),
        }
    }
}

/// After these errors, PostgreSQL rolls the statement's transaction back. Other errors end the connection, and
/// the transaction may have been committed before. A pooler also reports a lost server with classes 08, 58 and
/// XX.
fn is_rolled_back(state: &str) -> bool {
    const CLASSES: [&str; 17] = [
        "0A", "21", "22", "23", "25", "26", "28", "2B", "34", "3D", "3F", "42", "44", "53", "54", "55", "P0",
    ];
    const STATES: [&str; 5] = ["40000", "40001", "40002", "40P01", "57014"];
    state.len() == 5
        && (state.get(..2).is_some_and(|class| CLASSES.contains(&class)) || STATES.contains(&state))
}

/// After these errors, MySQL and MariaDB have refused the statement or rolled it back. Errors from 2000 to
/// 2999 come from the client library, and proxies send them too.
fn is_refused_by_mysql(number: u32) -> bool {
    // These errors interrupt the connection or the commit, so the effect of the statement is unclear:
    // ER_UNKNOWN_COM_ERROR (the node of a cluster is not ready), ER_SERVER_SHUTDOWN, ER_UNKNOWN_ERROR (which
    // proxies use), ER_ABORTING_CONNECTION, ER_NET_*,
    // ER_ERROR_DURING_COMMIT, ER_NEW_ABORTING_CONNECTION, ER_QUERY_INTERRUPTED, ER_CONNECTION_KILLED,
    // ER_CLIENT_INTERACTION_TIMEOUT.
    const UNCLEAR: [u32; 13] = [1047, 1053, 1105, 1152, 1158, 1159, 1160, 1161, 1180, 1184, 1317, 1927, 4031];
    matches!(number, 1000..=1999 | 3000..=6999) && !UNCLEAR.contains(&number)
}

/// After these errors, SQLite has refused the statement or rolled it back: ERROR, PERM, BUSY, LOCKED,
/// READONLY, FULL, CANTOPEN, SCHEMA, TOOBIG, CONSTRAINT, MISMATCH, RANGE and NOTADB. The lower eight bits of
/// an extended code are the primary code.
fn is_refused_by_sqlite(code: u32) -> bool {
    matches!(code & 0xff, 1 | 3 | 5 | 6 | 8 | 13 | 14 | 17..=20 | 25 | 26)
}

#[cfg(test)]
mod tests {
    use super::*;

    fn of(dialect: Dialect, codes: &[&str]) -> Vec<StoreError> {
        codes.iter().map(|code| StoreError::of_code(dialect, code, "text")).collect()
    }

    #[test]
    fn only_an_error_of_the_server_itself_says_that_nothing_was_written() {
        let cases: [(Dialect, &str, &[&str], &[&str]); 3] = [
            (
                Dialect::Postgresql,
                "23505",
                &["23502", "40001", "40P01", "42P01", "53100", "57014", "P0001"],
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
            assert_eq!(of(dialect, &[duplicate]), [StoreError::Duplicate]);
            let is_failed = |error: &StoreError| *error == StoreError::Failed("text".to_owned());
            assert!(of(dialect, failed).iter().all(is_failed), "{dialect:?}");
            let is_unclear = |error: &StoreError| *error == StoreError::Unclear("text".to_owned());
            assert!(of(dialect, unclear).iter().all(is_unclear), "{dialect:?}");
        }
        assert_eq!(of(Dialect::Sqlite, &["1555"]), [StoreError::Duplicate]);
    }
}
