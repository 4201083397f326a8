//! The rows of a store as records.

use std::sync::Arc;

use merchantpay::{Error, Outcome, Result};

use crate::model::driver::{Key, Misplaced};
use crate::model::event::Report;
use crate::model::json;
use crate::model::orphan::OrphanState;
use crate::model::record::Record;
use crate::model::standing::{Level, Standing};
use crate::storage::columns::{Orphan, Parameters, news_at, number, read, read_orphan, split, text, values};
use crate::storage::durability::Settings;
use crate::storage::statements;
use crate::storage::store::{Dialect, Rows, Store, StoreError};

/// How often a message is merged into an orphan that other messages change meanwhile.
const ORPHAN_TRIES: u32 = 20;

/// A store of attempts, and the statements that it is asked.
#[derive(Clone)]
pub(crate) struct Table {
    pub(crate) store: Arc<dyn Store>,
    statements: Arc<Statements>,
}

/// The statements of every payment as the store takes them: to write them anew costs more than the rest of the journal.
struct Statements {
    last: String,
    attempt: String,
    by_token: String,
    insert: String,
    stored: String,
    update: String,
    purge: String,
}

impl Statements {
    fn of(store: &dyn Store) -> Statements {
        let rendered = |template: &str| statements::render(template, store.dialect(), store.placeholders());
        Statements {
            last: rendered(&statements::last()),
            attempt: rendered(&statements::attempt()),
            by_token: rendered(&statements::by_token()),
            insert: rendered(&statements::insert()),
            stored: rendered(&statements::stored(store.dialect())),
            update: rendered(&statements::update(false)),
            purge: rendered(&statements::update(true)),
        }
    }

    /// What reads the attempt of a key.
    fn reading(&self, key: &Key) -> &str {
        match key {
            Key::Last(_) => &self.last,
            Key::Attempt(..) => &self.attempt,
            Key::Token(_) => &self.by_token,
        }
    }
}

impl Table {
    pub(crate) fn new(store: Arc<dyn Store>) -> Table {
        Table { statements: Arc::new(Statements::of(&*store)), store }
    }

    fn run(&self, template: &str, parameters: &Parameters<'_>) -> Result<Rows, StoreError> {
        run(&*self.store, template, parameters)
    }

    fn run_statement(&self, statement: &str, parameters: &Parameters<'_>) -> Result<Rows, StoreError> {
        run_statement(&*self.store, statement, parameters)
    }

    /// The one value of a statement that gives one, or `None` where that is absent.
    fn value(&self, template: &str, parameters: &Parameters<'_>) -> Result<Option<String>, StoreError> {
        Ok(self.run(template, parameters)?.rows.into_iter().flatten().flatten().next())
    }

    /// The clock and attempts. One that a newer version has written is left out.
    fn many(&self, template: &str, parameters: &Parameters<'_>) -> Result<Vec<(i64, Record)>, StoreError> {
        let rows = self.run(template, parameters)?.rows;
        let read = |row| split(row).and_then(|(now, rest)| Ok((now, read(rest)?)));
        Ok(rows.into_iter().filter_map(|row| read(row).ok()).collect())
    }

    /// The clock, and the attempt of a key.
    pub(crate) fn load(&self, key: &Key) -> Result<(i64, Option<Record>), StoreError> {
        let rows = self.run_statement(self.statements.reading(key), &of_key(key))?.rows;
        read_one(rows.into_iter().next().ok_or_else(no_row)?)
    }

    /// The same, and what is asked when a journal is opened, at once.
    pub(crate) fn load_and_open(&self, key: &Key) -> Result<(i64, Option<Record>, Opening), StoreError> {
        let dialect = self.store.dialect();
        let statement = statements::with_opening(self.statements.reading(key), dialect);
        let rows = self.run_statement(&statement, &of_key(key))?.rows;
        let mut row = rows.into_iter().next().ok_or_else(no_row)?;
        let asked = row.split_off(row.len().min(1 + statements::COLUMNS.len()));
        let (now, record) = read_one(row)?;
        Ok((now, record, Opening::read(dialect, &asked)?))
    }

    /// All attempts of a reference, the last first. One that cannot be read is an error.
    pub(crate) fn attempts(&self, reference: &str) -> Result<Vec<(i64, Record)>, StoreError> {
        let rows = self.run(&statements::attempts(), &vec![text!(reference)])?.rows;
        rows.into_iter().map(|row| split(row).and_then(|(now, rest)| Ok((now, read(rest)?)))).collect()
    }

    pub(crate) fn due(&self, account: &str, limit: u32) -> Result<Vec<(i64, Record)>, StoreError> {
        self.many(&statements::due(limit), &vec![text!(account)])
    }

    /// In how many milliseconds something is due; negative if it is overdue.
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

    pub(crate) fn news(&self, limit: u32) -> Result<Vec<(i64, Record)>, StoreError> {
        self.many(&statements::news(limit), &vec![])
    }

    pub(crate) fn attention(&self, limit: u32) -> Result<Vec<(i64, Record)>, StoreError> {
        self.many(&statements::attention(limit), &vec![])
    }

    /// What was under way and has ended without an answer.
    pub(crate) fn ended(&self, limit: u32) -> Result<Vec<(i64, Record)>, StoreError> {
        self.many(&statements::ended(limit), &vec![])
    }

    /// The values of the columns of attempts that were stored before a time and are not purged, after one of
    /// them: its time, reference and number.
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

    /// Deletes the details of the next orphans after one that an operator has seen. Gives the last order that
    /// it has looked at, and how many orphans it emptied.
    pub(crate) fn purge_orphans(
        &self,
        before: i64,
        after: &str,
        limit: u32,
    ) -> Result<Option<(String, u64)>, StoreError> {
        let rows = self.run(&statements::orphans_after(limit), &vec![text!(after)])?.rows;
        let Some(last) = rows.into_iter().flatten().flatten().next_back() else { return Ok(None) };
        let parameters = vec![text!(after), text!(last.as_str()), number!(before)];
        let purged = self.run(statements::PURGE_ORPHANS, &parameters)?.affected;
        Ok(Some((last, purged)))
    }

    /// The values of every attempt's columns after one, also of those that cannot be read.
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

    pub(crate) fn insert(&self, record: &Record) -> Result<(), StoreError> {
        self.insert_values(values(record, record.updated_at))
    }

    /// Stores the values of [`statements::COLUMNS`].
    pub(crate) fn insert_values(&self, mut values: Parameters<'_>) -> Result<(), StoreError> {
        values.push(news_at(&values));
        self.run_statement(&self.statements.insert, &values).map(drop)
    }

    /// Whether the version before was there to be written over.
    pub(crate) fn update(&self, record: &Record, now: i64) -> Result<bool, StoreError> {
        let Statements { update, purge, .. } = &*self.statements;
        let statement = if is_purged(record) { purge } else { update };
        Ok(self.run_statement(statement, &written(record, now))?.affected > 0)
    }

    /// The same, only if this writer stored that version.
    pub(crate) fn update_own(&self, record: &Record, now: i64, writer: &str) -> Result<bool, StoreError> {
        let mut parameters = written(record, now);
        parameters.push(text!(writer));
        Ok(self.run(&statements::update_own(), &parameters)?.affected > 0)
    }

    /// Whether this claimed the entry.
    pub(crate) fn claim_news(&self, record: &Record, time: i64, claimer: &str) -> Result<bool, StoreError> {
        let parameters =
            vec![number!(time), text!(claimer), text!(&record.reference), number!(record.attempt)];
        Ok(self.run(statements::CLAIM_NEWS, &parameters)?.affected > 0)
    }

    /// Who raised the acknowledged level last.
    pub(crate) fn acknowledged_by(
        &self,
        reference: &str,
        attempt: u32,
    ) -> Result<Option<String>, StoreError> {
        self.value(statements::ACKNOWLEDGED_BY, &vec![text!(reference), number!(attempt)])
    }

    /// Stores a message that finds no place; one about the same order is updated.
    pub(crate) fn insert_orphan(&self, misplaced: &Misplaced) -> Result<(), StoreError> {
        let report = &misplaced.report;
        let (reference, attempt) = match &misplaced.attempt {
            Some((reference, attempt)) => (text!(reference.as_str()), number!(attempt)),
            None => (None, None),
        };
        let parameters = vec![
            text!(report.order_id.as_str()),
            report.status.as_deref().map(Into::into),
            report.sum.map(|sum| sum.to_string().into()),
            reference,
            attempt,
            text!(json::write(&report.fields)),
        ];
        match self.run(statements::INSERT_ORPHAN, &parameters) {
            Err(StoreError::Duplicate) => self.update_orphan(report),
            result => result.map(drop),
        }
    }

    /// Merges a message into the orphan of its order. A later message makes it unseen if the status changed.
    fn update_orphan(&self, report: &Report) -> Result<(), StoreError> {
        let order_id = report.order_id.as_str();
        for _ in 0..ORPHAN_TRIES {
            let row = self.run(statements::ORPHAN, &vec![text!(order_id)])?.rows.into_iter().next();
            let row: Option<[Option<String>; 4]> = row.and_then(|row| row.try_into().ok());
            let [status, sum, version, fields] = row.ok_or_else(no_row)?;
            let fields = fields.as_deref().and_then(json::read).unwrap_or_default();
            let stored = OrphanState { status, sum, fields };
            let next = stored.updated(report);
            if next == stored {
                return Ok(());
            }
            let status = || next.status.as_deref().map(Into::into);
            let parameters = vec![
                status(),
                status(),
                next.sum.as_deref().map(Into::into),
                text!(json::write(&next.fields)),
                text!(order_id),
                version.map(Into::into),
            ];
            if self.run(statements::UPDATE_ORPHAN, &parameters)?.affected > 0 {
                return Ok(());
            }
        }
        Err(StoreError::Failed("other messages about the same order are being stored".to_owned()))
    }

    /// Messages that found no place, each as the values of its columns, of which the first is the key.
    pub(crate) fn export_orphans(
        &self,
        after: &str,
        limit: u32,
    ) -> Result<Vec<Vec<Option<String>>>, StoreError> {
        Ok(self.run(&statements::export_orphans(limit), &vec![text!(after)])?.rows)
    }

    pub(crate) fn import_orphan(&self, values: &[Option<String>]) -> Result<(), StoreError> {
        let parameters = values.iter().map(|value| value.as_deref().map(Into::into)).collect();
        self.run(&statements::import_orphan(), &parameters).map(drop)
    }

    pub(crate) fn orphans(&self, limit: u32) -> Result<Vec<Orphan>, StoreError> {
        let rows = self.run(&statements::orphans(limit), &vec![])?.rows;
        Ok(rows.into_iter().filter_map(read_orphan).collect())
    }

    pub(crate) fn see_orphan(&self, order_id: &str, note: &str) -> Result<bool, StoreError> {
        Ok(self.run(statements::SEE_ORPHAN, &vec![text!(note), text!(order_id)])?.affected > 0)
    }

    /// The same, only if it still has the status that the operator has read.
    pub(crate) fn see_read_orphan(
        &self,
        order_id: &str,
        status: Option<&str>,
        note: &str,
    ) -> Result<bool, StoreError> {
        let parameters = vec![text!(note), text!(order_id), status.map(Into::into)];
        Ok(self.run(statements::SEE_READ_ORPHAN, &parameters)?.affected > 0)
    }

    pub(crate) fn counts(&self) -> Result<Vec<(String, u64)>, StoreError> {
        let rows = self.run(statements::COUNT_BY_STANDING, &vec![])?.rows;
        let read = |row: Vec<Option<String>>| {
            let mut values = row.into_iter().flatten();
            Some((values.next()?, values.next()?.parse().ok()?))
        };
        Ok(rows.into_iter().filter_map(read).collect())
    }

    pub(crate) fn count_attention(&self) -> Result<u64, StoreError> {
        let count = self.value(statements::COUNT_ATTENTION, &vec![])?;
        Ok(count.and_then(|text| text.parse().ok()).unwrap_or_default())
    }

    /// What is asked when a journal is opened: the version of the tables, whose payments they hold, and what
    /// is wrong with the database.
    pub(crate) fn opening(&self) -> Result<Opening, StoreError> {
        let dialect = self.store.dialect();
        let rows = self.run(&statements::opening(dialect), &vec![])?.rows;
        Opening::read(dialect, &rows.into_iter().next().unwrap_or_default())
    }

    pub(crate) fn has_tables(&self) -> Result<bool, StoreError> {
        match self.value(statements::has_tables(self.store.dialect()), &vec![])?.as_deref() {
            Some("0") => Ok(false),
            Some("1") => Ok(true),
            _ => Err(no_row()),
        }
    }

    /// What stands against sending the request of an attempt that was inserted: that it is not stored for
    /// good, as others see it, or that an attempt before it is not sealed.
    pub(crate) fn why_not_stored(&self, record: &Record) -> Result<Option<&'static str>, StoreError> {
        let (reference, attempt) = (record.reference.as_str(), record.attempt);
        let parameters = vec![text!(reference), number!(attempt), text!(reference), number!(attempt)];
        let rows = self.run_statement(&self.statements.stored, &parameters)?.rows;
        let row = rows.into_iter().next().unwrap_or_default();
        let [writer, unsealed, in_transaction]: [Option<String>; 3] = row.try_into().map_err(|_| no_row())?;
        Ok(if in_transaction.as_deref() != Some("0") {
            Some("its connection is in a transaction: give the journal connections of its own, in autocommit")
        } else if writer.as_deref() != Some(&record.writer) {
            Some("what was stored is not there for others to see: does it run on the primary, in autocommit?")
        } else if unsealed.as_deref() != Some("0") {
            Some("an attempt before it is not sealed")
        } else {
            None
        })
    }
}

/// What a database says of itself when a journal is opened.
pub(crate) struct Opening {
    pub(crate) layout: Option<i64>,
    pub(crate) account: Option<String>,
    pub(crate) settings: Settings,
}

impl Opening {
    /// Reads what [`statements::opening`] has asked.
    fn read(dialect: Dialect, row: &[Option<String>]) -> Result<Opening, StoreError> {
        let [layout, account, asked @ ..] = row else { return Err(no_row()) };
        Ok(Opening {
            layout: layout.as_ref().and_then(|text| text.parse().ok()),
            account: account.clone(),
            settings: Settings::read(dialect, asked).ok_or_else(no_row)?,
        })
    }
}

/// The parameters by which the attempt of a key is read.
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

/// What a compare-and-swap is given.
fn written(record: &Record, now: i64) -> Parameters<'_> {
    let mut row = values(record, now);
    let of = |column: &&str| {
        statements::COLUMNS.iter().position(|known| known == column).and_then(|place| row[place].take())
    };
    let columns = statements::WRITTEN.iter().chain(is_purged(record).then_some(&"purged"));
    let mut parameters: Parameters<'_> = columns.map(of).collect();
    parameters.extend([
        number!(record.reported.number()),
        text!(&record.reference),
        number!(record.attempt),
        number!((record.version - 1)),
    ]);
    parameters
}

fn read_one(row: Vec<Option<String>>) -> Result<(i64, Option<Record>), StoreError> {
    let (now, rest) = split(row)?;
    match rest.first() {
        Some(None) => Ok((now, None)),
        _ => Ok((now, Some(read(rest)?))),
    }
}

fn no_row() -> StoreError {
    StoreError::Failed("the database gave no row".to_owned())
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

/// If a merchant's connection is in a transaction. MySQL, unlike MariaDB, does not say: then it is taken for
/// one.
pub(crate) fn is_in_transaction(store: &dyn Store) -> Result<bool, StoreError> {
    let has_row = |statement: &str| {
        let value = run(store, statement, &vec![])?.rows.into_iter().flatten().flatten().next();
        Ok(value.is_some_and(|value| value != "0"))
    };
    match store.dialect() {
        // A transaction within a transaction fails, and there is nothing to ask.
        Dialect::Sqlite => match run(store, "BEGIN", &vec![]) {
            Ok(_) => run(store, "ROLLBACK", &vec![]).map(|_| false),
            Err(StoreError::Failed(_)) => Ok(true),
            Err(error) => Err(error),
        },
        // The number that the first statement takes is gone in the second one in autocommit.
        Dialect::Postgresql => {
            has_row("SELECT CAST(txid_current() AS TEXT)")?;
            has_row("SELECT CAST(txid_current_if_assigned() AS TEXT)")
        }
        Dialect::Mysql => has_row("SELECT 1 /*M! - (@@autocommit = 1 AND @@in_transaction = 0) */"),
    }
}

/// What is reported of an attempt, and whose it is. The store may be a merchant's own transaction.
pub(crate) fn reported(
    store: &dyn Store,
    reference: &str,
    attempt: u32,
) -> Result<Option<(Level, String)>, StoreError> {
    let rows = run(store, statements::REPORTED, &vec![text!(reference), number!(attempt)])?.rows;
    let Some(row) = rows.into_iter().next() else { return Ok(None) };
    match <[Option<String>; 2]>::try_from(row) {
        Ok([Some(level), Some(account)]) => {
            let level = level.parse().ok().and_then(Level::from_number);
            Ok(Some((level.unwrap_or(Level::None), account)))
        }
        _ => Err(no_row()),
    }
}

/// Whether this raised the acknowledged level. The store may be a merchant's own transaction.
pub(crate) fn acknowledge(
    store: &dyn Store,
    reference: &str,
    attempt: u32,
    level: Level,
    who: &str,
) -> Result<bool, StoreError> {
    let level = level.number();
    let parameters =
        vec![number!(level), number!(level), text!(who), text!(reference), number!(attempt), number!(level)];
    Ok(run(store, statements::ACKNOWLEDGE, &parameters)?.affected > 0)
}

/// A failure of the store before anything was sent.
pub(crate) fn not_sent(error: StoreError) -> Error {
    storage(Outcome::NotSent, &error)
}

/// A failure of the store as an error of the library.
pub(crate) fn storage(outcome: Outcome, error: &StoreError) -> Error {
    Error::storage(outcome, format!("the journal failed: {error}"))
}
