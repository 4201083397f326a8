//! The tables in each dialect. New versions of the library only add columns, so two versions can use one
//! journal at the same time.

use crate::storage::store::Dialect;

/// The table of attempts.
pub(crate) const JOURNAL: &str = "merchantpay_journal";

/// The table of orphans.
pub(crate) const ORPHANS: &str = "merchantpay_orphans";

/// The table version that this library creates and understands. Version 0.2.0 of the library had table
/// version 1.
pub(crate) const LAYOUT: i64 = 2;

/// The types that differ between the databases.
struct Types {
    /// A key of up to 480 bytes, compared byte for byte.
    key: &'static str,
    /// A short word from the library's own lists.
    word: &'static str,
    /// An order id; the contract does not limit its length.
    order_id: &'static str,
    text: &'static str,
    /// A time in milliseconds since 1970.
    time: &'static str,
    /// A counter, a level or a flag.
    number: &'static str,
    /// The end of the statement, after the columns.
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
                time: "INTEGER",
                number: "INTEGER",
                end: "",
            },
            Dialect::Postgresql => Types {
                key: "TEXT COLLATE \"C\"",
                word: "TEXT COLLATE \"C\"",
                order_id: "TEXT COLLATE \"C\"",
                text: "TEXT",
                time: "BIGINT",
                number: "INTEGER",
                // Leaves free space on each page, so that PostgreSQL can store the updated row on the same
                // page if no indexed column changes.
                end: " WITH (fillfactor = 90)",
            },
            // Keys, words and order ids are VARBINARY, because every collation, even a binary one, treats "a"
            // and "a " as equal.
            Dialect::Mysql => Types {
                key: "VARBINARY(480)",
                word: "VARBINARY(64)",
                order_id: "VARBINARY(512)",
                text: "LONGTEXT CHARACTER SET utf8mb4",
                time: "BIGINT",
                number: "INT",
                end: " ENGINE = InnoDB",
            },
        }
    }
}

/// The statements that create the tables, in order, for migration tools. On PostgreSQL run them under one
/// advisory lock.
pub fn schema(dialect: Dialect) -> Vec<String> {
    let (of_journal, of_orphans) = match dialect {
        Dialect::Mysql => (mysql_indexes(JOURNAL_INDEXES), mysql_indexes(ORPHAN_INDEXES)),
        _ => Default::default(),
    };
    let mut statements =
        vec![journal(dialect, &of_journal), orphans(dialect, &of_orphans), settings(dialect)];
    // MySQL has no IF NOT EXISTS for an index: there the indexes are part of the table.
    if dialect != Dialect::Mysql {
        statements.extend(indexes(dialect, "merchantpay_journal", JOURNAL_INDEXES));
        statements.extend(indexes(dialect, "merchantpay_orphans", ORPHAN_INDEXES));
    }
    statements.push(match dialect {
        Dialect::Mysql => format!("INSERT IGNORE INTO merchantpay_journal_settings (name, value) VALUES ('layout', '{LAYOUT}')"),
        _ => format!("INSERT INTO merchantpay_journal_settings (name, value) VALUES ('layout', '{LAYOUT}') ON CONFLICT DO NOTHING"),
    });
    statements
}

/// The table of attempts. Columns of fixed width come first, so that PostgreSQL needs no padding between
/// them.
fn journal(dialect: Dialect, indexes: &str) -> String {
    let Types { key, word, order_id, text, time, number, end } = Types::of(dialect);
    let generated = match dialect {
        Dialect::Mysql => format!(
            ",\n  needs_operator {number} GENERATED ALWAYS AS (CASE WHEN attention IS NOT NULL THEN 1 END) VIRTUAL,\n  \
             unpurged_at {time} GENERATED ALWAYS AS (CASE WHEN purged = 0 THEN created_at END) VIRTUAL"
        ),
        _ => String::new(),
    };
    format!(
        "CREATE TABLE IF NOT EXISTS merchantpay_journal (
  created_at {time} NOT NULL,
  updated_at {time} NOT NULL,
  due_at {time} NULL,
  due_claimed_until {time} NULL,
  news_at {time} NULL,
  attempt {number} NOT NULL,
  version {number} NOT NULL,
  reported {number} NOT NULL,
  acknowledged {number} NOT NULL,
  purged {number} DEFAULT 0 NOT NULL,
  restored {number} DEFAULT 0 NOT NULL,
  reference {key} NOT NULL,
  account {key} NOT NULL,
  standing {word} NOT NULL,
  order_id {order_id} NULL,
  status {text} NULL,
  sum_asked {text} NOT NULL,
  sum_paid {text} NULL,
  attention {text} NULL,
  acknowledged_by {word} NULL,
  due_claim {word} NULL,
  news_claim {word} NULL,
  writer {word} NOT NULL,
  token {word} NOT NULL,
  record {text} NOT NULL{generated},
  PRIMARY KEY (reference, attempt){indexes}
){end}"
    )
}

/// The table of orphans.
fn orphans(dialect: Dialect, indexes: &str) -> String {
    let Types { key, order_id, text, time, number, end, .. } = Types::of(dialect);
    format!(
        "CREATE TABLE IF NOT EXISTS merchantpay_orphans (
  received_at {time} NOT NULL,
  updated_at {time} NOT NULL,
  attempt {number} NULL,
  version {number} NOT NULL,
  seen {number} NOT NULL,
  purged {number} DEFAULT 0 NOT NULL,
  order_id {order_id} NOT NULL,
  status {text} NULL,
  sum_reported {text} NULL,
  reference {key} NULL,
  note {text} NULL,
  record {text} NOT NULL,
  PRIMARY KEY (order_id){indexes}
){end}"
    )
}

fn settings(dialect: Dialect) -> String {
    let Types { word, text, end, .. } = Types::of(dialect);
    format!(
        "CREATE TABLE IF NOT EXISTS merchantpay_journal_settings (
  name {word} NOT NULL,
  value {text} NOT NULL,
  PRIMARY KEY (name)
){end}"
    )
}

/// An index. No index contains `updated_at`, because every write changes that column. So PostgreSQL writes no
/// index if only a claim or the details change.
struct Index {
    name: &'static str,
    is_unique: bool,
    columns: &'static str,
    /// The condition of the indexed rows; `None` for all rows.
    rows: Option<&'static str>,
    /// The columns on PostgreSQL.
    postgresql_columns: &'static str,
    /// The columns on MySQL, which has no partial indexes.
    mysql_columns: &'static str,
}

impl Index {
    const fn new(name: &'static str, columns: &'static str, rows: Option<&'static str>) -> Index {
        Index { name, is_unique: false, columns, rows, postgresql_columns: columns, mysql_columns: columns }
    }

    const fn unique(mut self) -> Index {
        self.is_unique = true;
        self
    }

    const fn on_postgresql(mut self, columns: &'static str) -> Index {
        self.postgresql_columns = columns;
        self
    }

    const fn on_mysql(mut self, columns: &'static str) -> Index {
        self.mysql_columns = columns;
        self
    }

    const fn columns_on(&self, dialect: Dialect) -> &'static str {
        match dialect {
            Dialect::Sqlite => self.columns,
            Dialect::Postgresql => self.postgresql_columns,
            Dialect::Mysql => self.mysql_columns,
        }
    }
}

const JOURNAL_INDEXES: &[Index] = &[
    Index::new("merchantpay_journal_order_id", "order_id", Some("order_id IS NOT NULL")).unique(),
    Index::new("merchantpay_journal_token", "token", None).unique(),
    Index::new("merchantpay_journal_due_at", "due_at", Some("due_at IS NOT NULL")),
    Index::new("merchantpay_journal_news_at", "news_at", Some("news_at IS NOT NULL")),
    Index::new("merchantpay_journal_attention", "created_at", Some("attention IS NOT NULL"))
        .on_mysql("needs_operator, created_at"),
    Index::new("merchantpay_journal_created_at", "created_at", None),
    Index::new("merchantpay_journal_standing", "standing, created_at", Some("standing <> 'final'")),
    // The index for the pages of a purge. On PostgreSQL its first column is the expression created_at + 0.
    // With plain created_at, PostgreSQL would choose the index on created_at, which also contains the purged
    // rows. In an index on purged and created_at, MariaDB would read for each page all entries after the
    // first unpurged row; the column unpurged_at avoids this. MySQL appends the primary key to the columns of
    // each index.
    Index::new("merchantpay_journal_unpurged", "created_at, reference, attempt", Some("purged = 0"))
        .on_postgresql("(created_at + 0), reference, attempt")
        .on_mysql("unpurged_at"),
];

const ORPHAN_INDEXES: &[Index] =
    &[Index::new("merchantpay_orphans_unseen", "received_at", Some("seen = 0"))
        .on_mysql("seen, received_at")];

fn indexes(dialect: Dialect, table: &str, indexes: &[Index]) -> impl Iterator<Item = String> {
    indexes.iter().map(move |index| {
        let (name, columns) = (index.name, index.columns_on(dialect));
        let unique = if index.is_unique { "UNIQUE " } else { "" };
        let rows = index.rows.map(|rows| format!(" WHERE {rows}")).unwrap_or_default();
        format!("CREATE {unique}INDEX IF NOT EXISTS {name} ON {table} ({columns}){rows}")
    })
}

fn mysql_indexes(indexes: &[Index]) -> String {
    let part = |index: &Index| {
        let (name, columns) = (index.name, index.columns_on(Dialect::Mysql));
        let unique = if index.is_unique { "UNIQUE " } else { "" };
        format!(",\n  {unique}INDEX {name} ({columns})")
    };
    indexes.iter().map(part).collect()
}

/// The statements of [`schema`], for concurrent processes. PostgreSQL needs a single statement that runs all
/// of them. Other databases run them one by one: each of them can be repeated.
pub(crate) fn schema_at_once(dialect: Dialect) -> Vec<String> {
    match dialect {
        // On PostgreSQL, CREATE TABLE IF NOT EXISTS fails if two processes run it at the same time. So the
        // statement takes a lock. The lock ends with the statement, so it also works through a connection
        // pool.
        Dialect::Postgresql => {
            let statements = schema(dialect).join(";\n").replace('\'', "''");
            vec![format!("DO 'BEGIN\nPERFORM pg_advisory_xact_lock({LOCK});\n{statements};\nEND'")]
        }
        _ => schema(dialect),
    }
}

/// The advisory lock for creating the tables: "MPjo".
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
