//! Runs the statements: their parameters, and the meaning of their rows.

mod acknowledging;
mod claiming;
mod counts;
mod opening;
mod orphans;
mod settings;

use std::sync::Arc;

use merchantpay::{Error, Outcome, Result};

use crate::model::driver::Key;
use crate::model::record::Record;
use crate::model::standing::Standing;
use crate::storage::columns::{
    COLUMNS, NEW, Parameters, WRITTEN, news_at, number, read, split, text, values,
};
use crate::storage::statements;
use crate::storage::store::{Rows, Store, StoreError};

pub(crate) use acknowledging::{acknowledge, fault_of_connection, is_in_sqlites_transaction, reported};
pub(crate) use opening::{Opening, Stored};
pub use settings::Pause;

/// A store of attempts, and its statements.
#[derive(Clone)]
pub(crate) struct Queries {
    pub(crate) store: Arc<dyn Store>,
    statements: Arc<Statements>,
}

/// The statements that every payment runs, rendered once for the store. Rendering them for each payment would
/// cost more than the rest of the journal.
struct Statements {
    known: String,
    last: String,
    attempt: String,
    by_token: String,
    insert_new: String,
    first_stored: String,
    stored: String,
    update: String,
    update_claimed: String,
    purge: String,
}

impl Statements {
    fn of(store: &dyn Store) -> Statements {
        let rendered = |template: &str| statements::render(template, store.dialect(), store.placeholders());
        Statements {
            known: rendered(&statements::known()),
            last: rendered(&statements::last()),
            attempt: rendered(&statements::attempt()),
            by_token: rendered(&statements::by_token()),
            insert_new: rendered(&statements::insert_new()),
            first_stored: rendered(&statements::stored(store.dialect(), true)),
            stored: rendered(&statements::stored(store.dialect(), false)),
            update: rendered(&statements::update(false)),
            update_claimed: rendered(&statements::update_claimed()),
            purge: rendered(&statements::update(true)),
        }
    }

    /// The statement that reads the attempt of a key.
    fn reading(&self, key: &Key) -> &str {
        match key {
            Key::Last(_) => &self.last,
            Key::Attempt(..) => &self.attempt,
            Key::Token(_) => &self.by_token,
        }
    }

    /// The first statement that looks for the attempt of a key.
    fn looking(&self, key: &Key) -> &str {
        if asks_whether_known(key) { &self.known } else { self.reading(key) }
    }
}

impl Queries {
    pub(crate) fn new(store: Arc<dyn Store>) -> Queries {
        Queries { statements: Arc::new(Statements::of(&*store)), store }
    }

    fn run(&self, template: &str, parameters: &Parameters<'_>) -> Result<Rows, StoreError> {
        run(&*self.store, template, parameters)
    }

    fn run_statement(&self, statement: &str, parameters: &Parameters<'_>) -> Result<Rows, StoreError> {
        run_statement(&*self.store, statement, parameters)
    }

    /// The value of a statement with one value; `None` if it is NULL.
    fn value(&self, template: &str, parameters: &Parameters<'_>) -> Result<Option<String>, StoreError> {
        Ok(self.run(template, parameters)?.rows.into_iter().flatten().flatten().next())
    }

    /// Reads the clock and attempts. Leaves out attempts that a newer version of the library wrote.
    fn many(&self, template: &str, parameters: &Parameters<'_>) -> Result<Vec<(i64, Record)>, StoreError> {
        let rows = self.run(template, parameters)?.rows;
        let read = |row| split(row).and_then(|(now, rest)| Ok((now, read(rest)?)));
        Ok(rows.into_iter().filter_map(|row| read(row).ok()).collect())
    }

    /// Reads the clock, the attempt of a key, and whether the journal is paused.
    pub(crate) fn load(&self, key: &Key) -> Result<Loaded, StoreError> {
        read_one(self.row(self.statements.reading(key), key)?)
    }

    /// Like [`load`](Queries::load). For the last attempt of a reference, the first statement only asks
    /// whether the reference has an attempt.
    pub(crate) fn look(&self, key: &Key) -> Result<Loaded, StoreError> {
        self.looked(key, self.row(self.statements.looking(key), key)?)
    }

    /// The row of a statement about a key.
    fn row(&self, statement: &str, key: &Key) -> Result<Vec<Option<String>>, StoreError> {
        self.run_statement(statement, &of_key(key))?.rows.into_iter().next().ok_or_else(no_row)
    }

    /// Reads the row of [`Statements::looking`].
    fn looked(&self, key: &Key, row: Vec<Option<String>>) -> Result<Loaded, StoreError> {
        if !asks_whether_known(key) {
            return read_one(row);
        }
        let (now, rest) = split(row)?;
        let [known, pause]: [Option<String>; 2] = rest.try_into().map_err(|_| no_row())?;
        match known.as_deref() {
            Some("0") => Ok(Loaded { now, record: None, pause: Pause::of(pause) }),
            _ => self.load(key),
        }
    }

    /// Reads the attempt with this order id.
    pub(crate) fn by_order(&self, order_id: &str) -> Result<Option<(i64, Record)>, StoreError> {
        let row = self.run(&statements::by_order(), &vec![text!(order_id)])?.rows.into_iter().next();
        row.map(|row| split(row).and_then(|(now, rest)| Ok((now, read(rest)?)))).transpose()
    }

    /// Reads all attempts of a reference, the newest first. An attempt that cannot be read is an error.
    pub(crate) fn attempts(&self, reference: &str) -> Result<Vec<(i64, Record)>, StoreError> {
        let rows = self.run(&statements::attempts(), &vec![text!(reference)])?.rows;
        rows.into_iter().map(|row| split(row).and_then(|(now, rest)| Ok((now, read(rest)?)))).collect()
    }

    /// The milliseconds until an attempt is due. The number is negative if an attempt is overdue.
    pub(crate) fn next_due(&self) -> Result<Option<i64>, StoreError> {
        Ok(self.value(statements::NEXT_DUE, &vec![])?.and_then(|text| text.parse().ok()))
    }

    pub(crate) fn list(
        &self,
        standing: Option<Standing>,
        before: Option<(i64, &str)>,
        limit: u32,
    ) -> Result<Vec<(i64, Record)>, StoreError> {
        let parameters = match before {
            Some((created_at, reference)) => {
                vec![number!(created_at), number!(created_at), text!(reference)]
            }
            None => vec![],
        };
        self.many(&statements::list(standing, before.is_some(), limit), &parameters)
    }

    /// Reads entries that are neither acknowledged nor claimed. If the journal is paused, returns the pause
    /// as the inner error.
    pub(crate) fn news(
        &self,
        limit: u32,
    ) -> Result<std::result::Result<Vec<(i64, Record)>, Pause>, StoreError> {
        let rows = self.run(&statements::news(limit), &vec![])?.rows;
        if let Some(pause) = rows.first().and_then(|row| Pause::of(row.last().cloned().flatten())) {
            return Ok(Err(pause));
        }
        // Leaves out attempts that a newer version of the library wrote.
        let read = |row| read_one(row).ok().and_then(|loaded| Some((loaded.now, loaded.record?)));
        Ok(Ok(rows.into_iter().filter_map(read).collect()))
    }

    /// Reads attempts with a call that may still be running, the newest first.
    pub(crate) fn being_made(&self, limit: u32) -> Result<Vec<(i64, Record)>, StoreError> {
        self.many(&statements::being_made(limit), &vec![])
    }

    pub(crate) fn attention(&self, limit: u32) -> Result<Vec<(i64, Record)>, StoreError> {
        self.many(&statements::attention(limit), &vec![])
    }

    /// Reads attempts with a call that has ended without a response.
    pub(crate) fn ended(&self, limit: u32) -> Result<Vec<(i64, Record)>, StoreError> {
        self.many(&statements::ended(limit), &vec![])
    }

    /// Reads the column values of attempts that were stored before a time and are not purged. The page starts
    /// after the attempt with the given time, reference and number.
    pub(crate) fn unpurged(
        &self,
        before: i64,
        [created_at, reference, attempt]: [&str; 3],
        limit: u32,
    ) -> Result<Vec<Vec<Option<String>>>, StoreError> {
        let parameters =
            vec![number!(before), text!(created_at), text!(created_at), text!(reference), text!(attempt)];
        let rows = self.run(&statements::unpurged(limit), &parameters)?.rows;
        rows.into_iter().map(|row| Ok(split(row)?.1)).collect()
    }

    /// Reads the column values of all attempts after a key, including attempts that cannot be interpreted.
    pub(crate) fn export(
        &self,
        reference: &str,
        attempt: &str,
        limit: u32,
    ) -> Result<Vec<Vec<Option<String>>>, StoreError> {
        let parameters = vec![text!(reference), text!(reference), text!(attempt)];
        let rows = self.run(&statements::export(limit), &parameters)?.rows;
        rows.into_iter().map(|row| Ok(split(row)?.1)).collect()
    }

    /// Stores a new attempt.
    pub(crate) fn insert_new(&self, record: &Record) -> Result<(), StoreError> {
        let values = of_columns(NEW, values(record, record.updated_at));
        self.run_statement(&self.statements.insert_new, &values).map(drop)
    }

    /// Stores all of these rows of [`COLUMNS`] values, or none.
    pub(crate) fn insert_rows(&self, rows: Vec<Parameters<'_>>) -> Result<(), StoreError> {
        let statement = statements::insert_rows(rows.len());
        let mut parameters = Parameters::new();
        for values in rows {
            let news_at = news_at(&values);
            parameters.extend(values);
            parameters.push(news_at);
        }
        self.run(&statement, &parameters).map(drop)
    }

    /// Overwrites the previous version of an attempt. Returns `false` if another process has written first.
    pub(crate) fn update(&self, record: &Record, now: i64) -> Result<bool, StoreError> {
        let Statements { update, purge, .. } = &*self.statements;
        let statement = if is_purged(record) { purge } else { update };
        Ok(self.run_statement(statement, &written(record, now))?.affected > 0)
    }

    /// Like [`update`](Queries::update), but only if this writer stored the previous version.
    pub(crate) fn update_own(&self, record: &Record, now: i64, writer: &str) -> Result<bool, StoreError> {
        let mut parameters = written(record, now);
        parameters.push(text!(writer));
        Ok(self.run(&statements::update_own(), &parameters)?.affected > 0)
    }
}

/// Returns `true` if the first statement only reads whether the key has an attempt, and does not read the
/// attempt. Most payments are new, so the last attempt of a reference is usually absent.
fn asks_whether_known(key: &Key) -> bool {
    matches!(key, Key::Last(_))
}

/// The parameters that select the attempt of a key.
fn of_key(key: &Key) -> Parameters<'_> {
    match key {
        Key::Last(reference) => vec![text!(reference)],
        Key::Attempt(reference, attempt) => vec![text!(reference), number!(attempt)],
        Key::Token(token) => vec![text!(token)],
    }
}

fn is_purged(record: &Record) -> bool {
    record.purged || record.forgotten
}

/// The values of these columns, from a row of [`COLUMNS`] values.
fn of_columns<'a>(
    columns: impl IntoIterator<Item = &'static &'static str>,
    mut row: Parameters<'a>,
) -> Parameters<'a> {
    let of =
        |column: &&str| COLUMNS.iter().position(|known| known == column).and_then(|place| row[place].take());
    columns.into_iter().map(of).collect()
}

/// The parameters of a compare-and-swap.
fn written(record: &Record, now: i64) -> Parameters<'_> {
    let columns = WRITTEN.iter().chain(is_purged(record).then_some(&"purged"));
    let mut parameters = of_columns(columns, values(record, now));
    parameters.extend([
        number!(record.reported.number()),
        text!(&record.reference),
        number!(record.attempt),
        number!((record.version - 1)),
    ]);
    parameters
}

/// An attempt and the values that are read together with it.
pub(crate) struct Loaded {
    /// The database's clock.
    pub(crate) now: i64,
    pub(crate) record: Option<Record>,
    pub(crate) pause: Option<Pause>,
}

fn read_one(row: Vec<Option<String>>) -> Result<Loaded, StoreError> {
    let (now, mut rest) = split(row)?;
    let pause = Pause::of(rest.pop().flatten());
    let record = match rest.first() {
        Some(None) => None,
        _ => Some(read(rest)?),
    };
    Ok(Loaded { now, record, pause })
}

fn no_row() -> StoreError {
    StoreError::Failed("the database returned no row".to_owned())
}

fn run(store: &dyn Store, template: &str, parameters: &Parameters<'_>) -> Result<Rows, StoreError> {
    run_statement(store, &statements::render(template, store.dialect(), store.placeholders()), parameters)
}

fn run_statement(
    store: &dyn Store,
    statement: &str,
    parameters: &Parameters<'_>,
) -> Result<Rows, StoreError> {
    let parameters: Vec<Option<&str>> = parameters.iter().map(|parameter| parameter.as_deref()).collect();
    store.run(statement, &parameters)
}

/// The error if the store failed before anything was sent.
pub(crate) fn not_sent(error: StoreError) -> Error {
    storage(Outcome::NotSent, &error)
}

/// Converts a failure of the store into an error of the library.
pub(crate) fn storage(outcome: Outcome, error: &StoreError) -> Error {
    Error::storage(outcome, format!("the journal failed: {error}"))
}

#[cfg(test)]
mod tests {
    use merchantpay::{PaymentMethod, PaymentRequest};

    use super::*;
    use crate::model::driver::{Answer, RandomTexts, Run, Step, Task};
    use crate::model::request::Asked;
    use crate::storage::sqlite_store::SqliteStore;
    use crate::storage::test_folder::TestFolder;

    #[test]
    fn a_new_attempt_is_read_as_the_driver_has_made_it() {
        let request = PaymentRequest::new(10, PaymentMethod::Sbp, "79001234567");
        let asked = Asked::read("order", "shop", &request, false, 40_000).unwrap();
        let mut run = Run::new(Task::Pay(Box::new(asked), None));
        let texts = RandomTexts { token: "t".to_owned(), writer: "w".to_owned() };
        run.answer(Answer::Loaded(None, false), 7, &texts);
        let Step::Insert(record) = run.step() else { panic!("{run:?}") };

        let folder = TestFolder::new();
        let queries = Queries::new(Arc::new(SqliteStore::create(folder.file()).unwrap()));
        queries.insert_new(&record).unwrap();
        let read = queries.load(&Key::of(&record)).unwrap().record;
        assert_eq!(read.as_ref(), Some(&*record));
        assert!(queries.news(1).unwrap().unwrap().is_empty());
    }
}
