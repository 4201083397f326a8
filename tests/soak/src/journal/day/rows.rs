//! The journal's rows as they are in the database. Only columns that a purge of the details does not delete
//! are read.

use std::path::Path;
use std::str::FromStr;

use merchantpay::Amount;
use merchantpay_databases::PostgresStore;
use merchantpay_journal::Store as _;

use crate::AnyResult;
use crate::journal::audit::DONE;
use crate::journal::operator::merchant_id;
use crate::journal::store::Place;

const COLUMNS: &str = "reference, attempt, version, created_at, standing, order_id, status, sum_asked, sum_paid, reported, \
     acknowledged, purged";

#[derive(Clone)]
pub(super) struct Row {
    pub(super) reference: String,
    pub(super) attempt: u32,
    pub(super) version: u32,
    pub(super) created_at: i64,
    pub(super) standing: String,
    pub(super) order_id: Option<String>,
    pub(super) status: Option<String>,
    pub(super) sum_asked: Amount,
    pub(super) sum_paid: Option<Amount>,
    pub(super) reported: u32,
    pub(super) acknowledged: u32,
    pub(super) purged: bool,
}

impl Row {
    fn read(columns: &[Option<String>]) -> AnyResult<Row> {
        let text = |place: usize| columns.get(place).cloned().flatten();
        Ok(Row {
            reference: text(0).unwrap_or_default(),
            attempt: number(text(1))?,
            version: number(text(2))?,
            created_at: number(text(3))?,
            standing: text(4).unwrap_or_default(),
            order_id: text(5),
            status: text(6),
            sum_asked: number(text(7))?,
            sum_paid: text(8).map(|sum| sum.parse()).transpose()?,
            reported: number(text(9))?,
            acknowledged: number(text(10))?,
            purged: number::<u32>(text(11))? != 0,
        })
    }

    /// True if the attempt was paid, with exactly the requested sum.
    pub(super) fn succeeded(&self) -> bool {
        self.standing == "final"
            && self.status.as_deref() == Some(DONE)
            && self.sum_paid == Some(self.sum_asked)
    }

    pub(super) fn merchant_id(&self) -> String {
        merchant_id(&self.reference, self.attempt)
    }
}

fn number<T: FromStr<Err: std::error::Error + 'static>>(text: Option<String>) -> AnyResult<T> {
    Ok(text.unwrap_or_default().parse()?)
}

/// The journal's table, which is read directly from the database.
pub(super) struct Table(PostgresStore);

impl Table {
    pub(super) fn new(place: &Place) -> Table {
        Table(PostgresStore::new(Path::new(&place.socket), &place.database))
    }

    fn read(&self, sql: &str) -> AnyResult<Vec<Vec<Option<String>>>> {
        Ok(self.0.run(sql, &[]).map_err(|error| error.to_string())?.rows)
    }

    /// Every row, in the order of reference and attempt.
    pub(super) fn rows(&self) -> AnyResult<Vec<Row>> {
        let sql = format!("SELECT {COLUMNS} FROM merchantpay_journal ORDER BY reference, attempt");
        self.read(&sql)?.iter().map(|row| Row::read(row)).collect()
    }

    /// The database's time, in the format of the program's options.
    pub(super) fn moment(&self) -> AnyResult<String> {
        let sql = "SELECT to_char(now() AT TIME ZONE 'UTC', 'YYYY-MM-DD\"T\"HH24:MI:SS\"Z\"')";
        let rows = self.read(sql)?;
        let moment = rows.first().and_then(|row| row.first().cloned().flatten());
        moment.ok_or_else(|| "the database gives no time".into())
    }
}
