//! The tables in each dialect. A new version only adds columns and tables, so that two versions can use one
//! journal at the same time.

use super::dialect::Dialect;
use super::row::{COLUMNS, Kind, OPTIONAL};

pub(super) const ATTEMPTS: &str = "merchantpay_attempts";
pub(super) const MESSAGES: &str = "merchantpay_messages";
pub(super) const SETTINGS: &str = "merchantpay_settings";

/// The version of the tables. 0.2.0 had 1, 0.3.0 had 2, in tables of other names.
pub(super) const LAYOUT: i64 = 3;

/// The advisory lock for creating the tables: "MPjo".
const LOCK: i64 = 0x4d50_6a6f;

const fn sql_type(dialect: Dialect, kind: Kind) -> &'static str {
    match (dialect, kind) {
        (Dialect::Sqlite, Kind::Number) => "INTEGER",
        (_, Kind::Number) => "BIGINT",
        (Dialect::Sqlite, _) | (Dialect::Postgresql, Kind::Text) => "TEXT",
        (Dialect::Postgresql, _) => "TEXT COLLATE \"C\"",
        // VARBINARY, because every collation, even a binary one, takes "a" and "a " for equal. The lengths keep
        // each index below InnoDB's limit of 3072 bytes; the contract does not limit an order id.
        (Dialect::Mysql, Kind::Key) => "VARBINARY(480)",
        (Dialect::Mysql, Kind::OrderId) => "VARBINARY(512)",
        (Dialect::Mysql, Kind::Word) => "VARBINARY(128)",
        (Dialect::Mysql, Kind::Text) => "LONGTEXT CHARACTER SET utf8mb4 COLLATE utf8mb4_bin",
    }
}

/// The statements that create the tables, in order, for migration tools. Each can be repeated. On PostgreSQL
/// run them under one advisory lock: CREATE TABLE IF NOT EXISTS fails if two sessions run it at the same time.
pub fn schema(dialect: Dialect) -> Vec<String> {
    let mut statements = vec![attempts(dialect), messages(dialect), settings(dialect)];
    // MySQL has no IF NOT EXISTS for an index: there the indexes are part of the tables.
    if dialect != Dialect::Mysql {
        statements.extend(indexes(ATTEMPTS, OF_ATTEMPTS));
        statements.extend(indexes(MESSAGES, OF_MESSAGES));
    }
    let (insert, end) = match dialect {
        Dialect::Mysql => ("INSERT IGNORE", ""),
        _ => ("INSERT", " ON CONFLICT DO NOTHING"),
    };
    statements.push(format!("{insert} INTO {SETTINGS} (name, value) VALUES ('layout', '{LAYOUT}'){end}"));
    statements
}

/// The statements of [`schema`] for processes that run them at the same time.
pub(super) fn schema_at_once(dialect: Dialect) -> Vec<String> {
    match dialect {
        // One statement, so that the lock also works through a pooler.
        Dialect::Postgresql => {
            let statements = schema(dialect).join(";\n").replace('\'', "''");
            vec![format!("DO 'BEGIN\nPERFORM pg_advisory_xact_lock({LOCK});\n{statements};\nEND'")]
        }
        _ => schema(dialect),
    }
}

/// A column: its name, its values, and whether it can be NULL.
type Column = ((&'static str, Kind), bool);

fn attempts(dialect: Dialect) -> String {
    // Columns of fixed width come first, so that PostgreSQL needs no padding between them.
    let (numbers, texts): (Vec<Column>, Vec<Column>) =
        COLUMNS.into_iter().zip(OPTIONAL).partition(|((_, kind), _)| *kind == Kind::Number);
    let generated = match dialect {
        // Where others have partial indexes.
        Dialect::Mysql => {
            "\n  unacked BIGINT GENERATED ALWAYS AS (CASE WHEN news > acked THEN news END) VIRTUAL,\n  \
             needs_person BIGINT GENERATED ALWAYS AS (CASE WHEN attention <> 0 THEN created_at END) VIRTUAL,"
        }
        _ => "",
    };
    table(dialect, ATTEMPTS, &[numbers, texts].concat(), generated, "reference, attempt", OF_ATTEMPTS)
}

fn messages(dialect: Dialect) -> String {
    let columns = [
        ("received_at", Kind::Number),
        ("seen", Kind::Number),
        ("token", Kind::Word),
        ("digest", Kind::Word),
        ("order_id", Kind::OrderId),
        ("kind", Kind::Word),
        ("body", Kind::Text),
    ];
    table(dialect, MESSAGES, &columns.map(|column| (column, false)), "", "token, digest", OF_MESSAGES)
}

fn settings(dialect: Dialect) -> String {
    let columns = [("name", Kind::Word), ("value", Kind::Text)];
    table(dialect, SETTINGS, &columns.map(|column| (column, false)), "", "name", &[])
}

fn table(
    dialect: Dialect,
    name: &str,
    columns: &[Column],
    generated: &str,
    key: &str,
    indexes: &[Index],
) -> String {
    let column = |((name, kind), is_optional): &Column| {
        let null = if *is_optional { "NULL" } else { "NOT NULL" };
        format!("\n  {name} {} {null},", sql_type(dialect, *kind))
    };
    let columns: String = columns.iter().map(column).collect();
    let (indexes, end) = match dialect {
        Dialect::Sqlite => (String::new(), ""),
        // Room on each page for the next version of a row.
        Dialect::Postgresql => (String::new(), " WITH (fillfactor = 85)"),
        Dialect::Mysql => (mysql_indexes(indexes), " ENGINE = InnoDB"),
    };
    format!(
        "CREATE TABLE IF NOT EXISTS {name} ({columns}{generated}
  PRIMARY KEY ({key}){indexes}
){end}"
    )
}

/// An index: its name, its columns, the condition of its rows, and its columns on MySQL, which has no partial
/// indexes. None has `updated_at` or `stamp`, which every write changes.
type Index = (&'static str, &'static str, &'static str, &'static str);

const OF_ATTEMPTS: &[Index] = &[
    ("mpay_token", "token", "", "token"),
    ("mpay_order", "order_id", "order_id IS NOT NULL", "order_id"),
    ("mpay_success", "success_of", "success_of IS NOT NULL", "success_of"),
    // The state comes first, because a time that lies too far ahead counts as due, and how far depends on it.
    ("mpay_due", "state, due_at", "due_at IS NOT NULL", "state, due_at"),
    ("mpay_call", "call_until", "call_until IS NOT NULL", "call_until"),
    ("mpay_news", "news", "news > acked", "unacked"),
    ("mpay_attention", "created_at", "attention <> 0", "needs_person"),
    ("mpay_created", "created_at, reference, attempt", "", "created_at"),
];

const OF_MESSAGES: &[Index] = &[
    ("mpay_message_order", "order_id", "", "order_id"),
    ("mpay_message_unseen", "received_at", "seen = 0", "seen, received_at"),
];

const UNIQUE: [&str; 3] = ["mpay_token", "mpay_order", "mpay_success"];

fn unique(name: &str) -> &'static str {
    if UNIQUE.contains(&name) { "UNIQUE " } else { "" }
}

fn indexes(table: &str, indexes: &[Index]) -> impl Iterator<Item = String> {
    indexes.iter().map(move |(name, columns, rows, _)| {
        let rows = if rows.is_empty() { String::new() } else { format!(" WHERE {rows}") };
        format!("CREATE {}INDEX IF NOT EXISTS {name} ON {table} ({columns}){rows}", unique(name))
    })
}

fn mysql_indexes(indexes: &[Index]) -> String {
    let part = |(name, _, _, columns): &Index| format!(",\n  {}INDEX {name} ({columns})", unique(name));
    indexes.iter().map(part).collect()
}

#[cfg(test)]
mod tests {
    use super::*;

    #[test]
    fn schema_can_be_repeated() {
        let connection = rusqlite::Connection::open_in_memory().unwrap();
        for statement in schema(Dialect::Sqlite).iter().chain(&schema(Dialect::Sqlite)) {
            connection.execute_batch(statement).unwrap();
        }
        let sql = format!("SELECT value FROM {SETTINGS}");
        let layout: String = connection.query_row(&sql, [], |row| row.get(0)).unwrap();
        assert_eq!(layout, LAYOUT.to_string());
    }

    #[test]
    fn index_holds_no_row_whose_column_is_empty() {
        let connection = rusqlite::Connection::open_in_memory().unwrap();
        for statement in schema(Dialect::Sqlite) {
            connection.execute_batch(&statement).unwrap();
        }
        let whole: i64 = connection
            .query_row(
                "SELECT COUNT(*) FROM pragma_index_list('merchantpay_attempts') AS i, pragma_index_info(i.name) AS c, \
                 pragma_table_info('merchantpay_attempts') AS t WHERE t.name = c.name AND t.\"notnull\" = 0 AND i.partial = 0",
                [],
                |row| row.get(0),
            )
            .unwrap();
        assert_eq!(whole, 0);
    }
}
