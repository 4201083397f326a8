//! A journal with many rows: the journal writes the first two, an acknowledged payment and an open one, and
//! the others are copies of them with names of their own.

use std::ops::Range;
use std::path::Path;
use std::time::Duration;

use merchantpay::Client;
use merchantpay_bench::{Result, expect, made_order, scattered};
use merchantpay_journal::{Journal, JournalConfig, Standing, Until};
use rusqlite::{Connection, Transaction, params};

use crate::request;

/// So many of the rows, the newest, are open and due; all others are final and acknowledged.
pub const OPEN: u64 = 600;

/// The reference, token and order id of a row.
pub fn names(row: u64) -> (String, String, String) {
    let token = format!("{:016x}{:016x}", scattered(!row), scattered(row ^ (1 << 62)));
    (format!("order-{row:07}"), token, made_order(row ^ (1 << 63)))
}

/// Makes a journal of so many rows.
///
/// # Errors
///
/// If that fails.
pub fn make(client: &Client, file: &Path, rows: u64) -> Result<()> {
    let (template_final, template_open) = ("template-final", "template-open");
    {
        let journal =
            Journal::open(client, JournalConfig::new(file).create(true).callback_url(crate::CALLBACK_URL))?;
        journal.pay(template_final, &request()?)?;
        let entry = journal.wait(template_final, Duration::from_secs(20), Until::Final)?;
        expect(entry.succeeded() && journal.acknowledge(&entry)?)?;
        let entry = journal.pay(template_open, &request()?)?;
        expect(entry.standing() == Standing::Open && journal.acknowledge(&entry)?)?;
    }
    let mut connection = Connection::open(file)?;
    connection
        .execute_batch("PRAGMA journal_mode = OFF; PRAGMA synchronous = OFF; PRAGMA cache_size = -1000000")?;
    let transaction = connection.transaction()?;
    let open = rows.saturating_sub(OPEN);
    copy(&transaction, template_final, 0..open, rows)?;
    copy(&transaction, template_open, open..rows, rows)?;
    transaction.execute(
        "DELETE FROM merchantpay_journal WHERE reference IN (?, ?)",
        [template_final, template_open],
    )?;
    transaction.commit()?;
    Ok(())
}

/// Copies a row, a second older for each row that follows up to `end`.
fn copy(transaction: &Transaction<'_>, template: &str, rows: Range<u64>, end: u64) -> Result<()> {
    let columns: Vec<String> = transaction
        .prepare("SELECT name FROM pragma_table_info('merchantpay_journal')")?
        .query_map([], |row| row.get(0))?
        .collect::<std::result::Result<_, _>>()?;
    let values: Vec<&str> = columns
        .iter()
        .map(|column| match column.as_str() {
            "reference" => "?1",
            "token" => "?2",
            "order_id" => "?3",
            "record" => "replace(record, order_id, ?3)",
            "created_at" => "created_at - ?4",
            "updated_at" => "updated_at - ?4",
            "due_at" => "due_at - ?4",
            other => other,
        })
        .collect();
    let mut insert = transaction.prepare(&format!(
        "INSERT INTO merchantpay_journal SELECT {} FROM merchantpay_journal WHERE reference = ?5",
        values.join(", ")
    ))?;
    for row in rows {
        let (reference, token, order_id) = names(row);
        let age = i64::try_from((end - row) * 1000)?;
        insert.execute(params![reference, token, order_id, age, template])?;
    }
    Ok(())
}
