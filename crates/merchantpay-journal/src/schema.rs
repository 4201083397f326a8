//! The tables, in each dialect. Columns are only ever added, so that two versions of the library use one
//! journal side by side.

use crate::store::Dialect;

/// The version of the tables that this version of the library makes and understands.
pub(crate) const LAYOUT: i64 = 1;

/// The types that differ between the databases.
struct Types {
    /// A key, compared byte for byte, that is up to 480 bytes long.
    key: &'static str,
    /// A short word of ours.
    word: &'static str,
    /// An order id, whose length the contract does not show.
    order_id: &'static str,
    text: &'static str,
    number: &'static str,
    /// Behind the columns.
    end: &'static str,
}

impl Types {
    fn of(dialect: Dialect) -> Types {
        match dialect {
            Dialect::Sqlite => Types {
                key: "TEXT",
                word: "TEXT",
                order_id: "TEXT",
                text: "TEXT",
                number: "INTEGER",
                end: "",
            },
            Dialect::Postgresql => Types {
                key: "TEXT COLLATE \"C\"",
                word: "TEXT COLLATE \"C\"",
                order_id: "TEXT COLLATE \"C\"",
                text: "TEXT",
                number: "BIGINT",
                end: "",
            },
            // A collation holds "a" and "a " equal, also a binary one.
            Dialect::Mysql => Types {
                key: "VARBINARY(480)",
                word: "VARBINARY(64)",
                order_id: "VARBINARY(512)",
                text: "LONGTEXT CHARACTER SET utf8mb4",
                number: "BIGINT",
                end: " ENGINE = InnoDB",
            },
        }
    }
}

/// The statements that make the tables, one after the other. For migration tools; on PostgreSQL take them
/// under one advisory lock.
pub fn schema(dialect: Dialect) -> Vec<String> {
    let Types { key, word, order_id, text, number, end } = Types::of(dialect);
    let unacknowledged = match dialect {
        Dialect::Mysql => {
            format!(
                ",\n  unacknowledged {number} GENERATED ALWAYS AS (CASE WHEN reported > acknowledged THEN 1 END) VIRTUAL"
            )
        }
        _ => String::new(),
    };
    // MySQL has no IF NOT EXISTS for an index: there the indexes are part of the table.
    let (inline, separate) = match dialect {
        Dialect::Mysql => (indexes_of_mysql(), Vec::new()),
        _ => (String::new(), indexes()),
    };
    let journal = format!(
        "CREATE TABLE IF NOT EXISTS merchantpay_journal (
  reference {key} NOT NULL,
  attempt {number} NOT NULL,
  account {key} NOT NULL,
  standing {word} NOT NULL,
  order_id {order_id} NULL,
  status {text} NULL,
  sum_asked {text} NOT NULL,
  sum_paid {text} NULL,
  reported {number} NOT NULL,
  acknowledged {number} NOT NULL,
  acknowledged_by {word} NULL,
  claimed_until {number} NULL,
  claimed_by {word} NULL,
  attention {text} NULL,
  due_at {number} NULL,
  created_at {number} NOT NULL,
  updated_at {number} NOT NULL,
  version {number} NOT NULL,
  writer {word} NOT NULL,
  token {word} NOT NULL,
  record {text} NOT NULL,
  purged {number} DEFAULT 0 NOT NULL{unacknowledged},
  PRIMARY KEY (reference, attempt){inline}
){end}"
    );
    let orphans = format!(
        "CREATE TABLE IF NOT EXISTS merchantpay_orphans (
  order_id {order_id} NOT NULL,
  received_at {number} NOT NULL,
  status {text} NULL,
  sum_reported {text} NULL,
  reference {key} NULL,
  attempt {number} NULL,
  seen {number} NOT NULL,
  note {text} NULL,
  record {text} NOT NULL,
  PRIMARY KEY (order_id)
){end}"
    );
    let settings = format!(
        "CREATE TABLE IF NOT EXISTS merchantpay_journal_settings (
  name {word} NOT NULL,
  value {text} NOT NULL,
  PRIMARY KEY (name)
){end}"
    );
    let mut statements = vec![journal, orphans, settings];
    statements.extend(separate);
    statements.push(match dialect {
        Dialect::Mysql => format!("INSERT IGNORE INTO merchantpay_journal_settings (name, value) VALUES ('layout', '{LAYOUT}')"),
        _ => format!("INSERT INTO merchantpay_journal_settings (name, value) VALUES ('layout', '{LAYOUT}') ON CONFLICT DO NOTHING"),
    });
    statements
}

/// Each index, whether it is unique, its columns, and which rows it holds.
const INDEXES: &[(&str, bool, &str, Option<&str>)] = &[
    ("merchantpay_journal_order_id", true, "order_id", Some("order_id IS NOT NULL")),
    ("merchantpay_journal_token", true, "token", None),
    ("merchantpay_journal_due_at", false, "due_at", Some("due_at IS NOT NULL")),
    ("merchantpay_journal_news", false, "updated_at", Some("reported > acknowledged")),
    ("merchantpay_journal_attention", false, "updated_at", Some("attention IS NOT NULL")),
    ("merchantpay_journal_created_at", false, "created_at, reference", None),
];

fn indexes() -> Vec<String> {
    let statement = |(name, is_unique, columns, rows): &(&str, bool, &str, Option<&str>)| {
        let unique = if *is_unique { "UNIQUE " } else { "" };
        let rows = rows.map(|rows| format!(" WHERE {rows}")).unwrap_or_default();
        format!("CREATE {unique}INDEX IF NOT EXISTS {name} ON merchantpay_journal ({columns}){rows}")
    };
    INDEXES.iter().map(statement).collect()
}

/// MySQL has no index of some rows: a column that is empty elsewhere stands first.
fn indexes_of_mysql() -> String {
    let part = |(name, is_unique, columns, _): &(&str, bool, &str, Option<&str>)| {
        let unique = if *is_unique { "UNIQUE " } else { "" };
        let first = match *name {
            "merchantpay_journal_news" => "unacknowledged, ",
            "merchantpay_journal_attention" => "attention(16), ",
            _ => "",
        };
        format!(",\n  {unique}INDEX {name} ({first}{columns})")
    };
    INDEXES.iter().map(part).collect()
}

/// All of [`schema`] as one statement, which several processes can run at a time; where the database cannot
/// do that, the statements in turn, which can be run again.
pub(crate) fn schema_at_once(dialect: Dialect) -> Vec<String> {
    match dialect {
        // CREATE TABLE IF NOT EXISTS fails there when two processes run it at a time. The lock ends with the
        // statement, so that it holds through a pool of connections too.
        Dialect::Postgresql => {
            let statements = schema(dialect).join(";\n").replace('\'', "''");
            vec![format!("DO 'BEGIN\nPERFORM pg_advisory_xact_lock({LOCK});\n{statements};\nEND'")]
        }
        _ => schema(dialect),
    }
}

/// The advisory lock under which the tables are made: "MPjo".
const LOCK: i64 = 0x4d50_6a6f;

#[cfg(test)]
mod tests {
    use super::*;

    #[test]
    fn each_dialect_compares_keys_byte_for_byte() {
        for (dialect, keys) in [
            (Dialect::Sqlite, ["reference TEXT NOT NULL", "order_id TEXT NULL", "token TEXT NOT NULL"]),
            (
                Dialect::Postgresql,
                [
                    "reference TEXT COLLATE \"C\" NOT NULL",
                    "order_id TEXT COLLATE \"C\" NULL",
                    "token TEXT COLLATE \"C\" NOT NULL",
                ],
            ),
            (
                Dialect::Mysql,
                [
                    "reference VARBINARY(480) NOT NULL",
                    "order_id VARBINARY(512) NULL",
                    "token VARBINARY(64) NOT NULL",
                ],
            ),
        ] {
            let statements = schema(dialect);
            assert!(keys.iter().all(|key| statements[0].contains(key)), "{}", statements[0]);
        }
    }

    #[test]
    fn a_schema_can_be_run_twice() {
        let connection = rusqlite::Connection::open_in_memory().unwrap();
        for statement in schema(Dialect::Sqlite).iter().chain(&schema(Dialect::Sqlite)) {
            connection.execute_batch(statement).unwrap();
        }
        let layout: String = connection
            .query_row("SELECT value FROM merchantpay_journal_settings", [], |row| row.get(0))
            .unwrap();
        assert_eq!(layout, LAYOUT.to_string());
    }

    #[test]
    fn an_index_holds_no_row_whose_column_is_empty() {
        let connection = rusqlite::Connection::open_in_memory().unwrap();
        for statement in schema(Dialect::Sqlite) {
            connection.execute_batch(&statement).unwrap();
        }
        let names = |sql: &str| -> Vec<String> {
            connection
                .prepare(sql)
                .unwrap()
                .query_map([], |row| row.get(0))
                .unwrap()
                .collect::<Result<_, _>>()
                .unwrap()
        };
        let nullable = "SELECT DISTINCT i.name FROM pragma_index_list('merchantpay_journal') AS i, pragma_index_info(i.name) AS c, \
            pragma_table_info('merchantpay_journal') AS t WHERE t.name = c.name AND t.\"notnull\" = 0";
        assert!(names(nullable).contains(&"merchantpay_journal_order_id".to_owned()));
        assert_eq!(names(&format!("{nullable} AND i.partial = 0")), Vec::<String>::new());
    }
}
