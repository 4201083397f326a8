//! The rows of a store as records.

use merchantpay::{Error, Outcome, Result};

use crate::driver::Misplaced;
use crate::json;
use crate::record::Record;
use crate::rows::{Orphan, Parameters, number, read, read_orphan, split, text, values};
use crate::sql;
use crate::standing::{Level, Standing};
use crate::store::{Rows, Store, StoreError};

/// A store of attempts, and the statements that it is asked.
pub(crate) struct Table<S: ?Sized>(pub(crate) Box<S>);

impl Table<dyn Store> {
    fn run(&self, template: &str, parameters: &Parameters<'_>) -> Result<Rows, StoreError> {
        run(&*self.0, template, parameters)
    }

    /// The clock, and an attempt if there is one.
    fn one(&self, template: &str, parameters: &Parameters<'_>) -> Result<(i64, Option<Record>), StoreError> {
        let rows = self.run(template, parameters)?.rows;
        let row = rows
            .into_iter()
            .next()
            .ok_or_else(|| StoreError::Failed("the database gave no row".to_owned()))?;
        let (now, rest) = split(row)?;
        match rest.first() {
            Some(None) => Ok((now, None)),
            _ => Ok((now, Some(read(rest)?))),
        }
    }

    /// The clock and attempts. One that a newer version has written is left out.
    fn many(&self, template: &str, parameters: &Parameters<'_>) -> Result<Vec<(i64, Record)>, StoreError> {
        let rows = self.run(template, parameters)?.rows;
        let read = |row| split(row).and_then(|(now, rest)| Ok((now, read(rest)?)));
        Ok(rows.into_iter().filter_map(|row| read(row).ok()).collect())
    }

    pub(crate) fn last(&self, reference: &str) -> Result<(i64, Option<Record>), StoreError> {
        self.one(&sql::last(), &vec![text!(reference)])
    }

    pub(crate) fn attempt(&self, reference: &str, attempt: u32) -> Result<(i64, Option<Record>), StoreError> {
        self.one(&sql::attempt(), &vec![text!(reference), number!(attempt)])
    }

    pub(crate) fn by_token(&self, token: &str) -> Result<(i64, Option<Record>), StoreError> {
        self.one(&sql::by_token(), &vec![text!(token)])
    }

    pub(crate) fn attempts(&self, reference: &str) -> Result<Vec<(i64, Record)>, StoreError> {
        self.many(&sql::attempts(), &vec![text!(reference)])
    }

    pub(crate) fn due(&self, account: &str, limit: u32) -> Result<Vec<(i64, Record)>, StoreError> {
        self.many(&sql::due(limit), &vec![text!(account)])
    }

    /// In how many milliseconds something is due; negative if it is overdue.
    pub(crate) fn next_due(&self) -> Result<Option<i64>, StoreError> {
        let rows = self.run(sql::NEXT_DUE, &vec![])?.rows;
        Ok(rows.into_iter().flatten().flatten().next().and_then(|text| text.parse().ok()))
    }

    pub(crate) fn list(
        &self,
        standing: Option<Standing>,
        before: Option<(i64, &str)>,
        limit: u32,
    ) -> Result<Vec<(i64, Record)>, StoreError> {
        let mut parameters = vec![];
        if let Some(standing) = standing {
            parameters.push(text!(standing.name()));
        }
        if let Some((created_at, reference)) = before {
            parameters.extend([number!(created_at), number!(created_at), text!(reference)]);
        }
        self.many(&sql::list(standing.is_some(), before.is_some(), limit), &parameters)
    }

    pub(crate) fn news(&self, limit: u32) -> Result<Vec<(i64, Record)>, StoreError> {
        self.many(&sql::news(limit), &vec![])
    }

    pub(crate) fn attention(&self, limit: u32) -> Result<Vec<(i64, Record)>, StoreError> {
        self.many(&sql::attention(limit), &vec![])
    }

    /// What was under way and has ended without an answer.
    pub(crate) fn ended(&self, limit: u32) -> Result<Vec<(i64, Record)>, StoreError> {
        self.many(&sql::ended(limit), &vec![])
    }

    pub(crate) fn purgeable(&self, before: i64, limit: u32) -> Result<Vec<(i64, Record)>, StoreError> {
        self.many(&sql::purgeable(limit), &vec![number!(before)])
    }

    pub(crate) fn mark_purged(&self, record: &Record) -> Result<(), StoreError> {
        self.run(sql::MARK_PURGED, &vec![text!(&record.reference), number!(record.attempt)]).map(drop)
    }

    pub(crate) fn export(
        &self,
        reference: &str,
        attempt: u32,
        limit: u32,
    ) -> Result<Vec<(i64, Record)>, StoreError> {
        self.many(&sql::export(limit), &vec![text!(reference), text!(reference), number!(attempt)])
    }

    pub(crate) fn insert(&self, record: &Record) -> Result<(), StoreError> {
        self.run(&sql::insert(), &values(record)).map(drop)
    }

    /// Whether the version before was there to be written over.
    pub(crate) fn update(&self, record: &Record, now: i64) -> Result<bool, StoreError> {
        let record = Record { updated_at: now, ..record.clone() };
        let row = values(&record);
        let of = |column: &&str| {
            sql::COLUMNS.iter().position(|known| known == column).and_then(|place| row[place].clone())
        };
        let mut parameters: Parameters<'_> = sql::WRITTEN.iter().map(of).collect();
        parameters.extend([text!(&record.reference), number!(record.attempt), number!((record.version - 1))]);
        Ok(self.run(&sql::update(), &parameters)?.affected > 0)
    }

    /// Whether this claimed the entry.
    pub(crate) fn claim_news(&self, record: &Record, time: i64, claimer: &str) -> Result<bool, StoreError> {
        let parameters =
            vec![number!(time), text!(claimer), text!(&record.reference), number!(record.attempt)];
        Ok(self.run(sql::CLAIM_NEWS, &parameters)?.affected > 0)
    }

    /// Whether this raised the acknowledged level.
    pub(crate) fn acknowledge(&self, record: &Record, level: Level, who: &str) -> Result<bool, StoreError> {
        acknowledge(&*self.0, record, level, who)
    }

    /// Who raised the acknowledged level last.
    pub(crate) fn acknowledged_by(&self, record: &Record) -> Result<Option<String>, StoreError> {
        let rows =
            self.run(sql::ACKNOWLEDGED_BY, &vec![text!(&record.reference), number!(record.attempt)])?.rows;
        Ok(rows.into_iter().flatten().flatten().next())
    }

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
        match self.run(sql::INSERT_ORPHAN, &parameters) {
            // Once an order id.
            Ok(_) | Err(StoreError::Duplicate) => Ok(()),
            Err(error) => Err(error),
        }
    }

    /// Messages that found no place, each as the values of its columns, of which the first is the key.
    pub(crate) fn export_orphans(
        &self,
        after: &str,
        limit: u32,
    ) -> Result<Vec<Vec<Option<String>>>, StoreError> {
        Ok(self.run(&sql::export_orphans(limit), &vec![text!(after)])?.rows)
    }

    pub(crate) fn import_orphan(&self, values: &[Option<String>]) -> Result<(), StoreError> {
        let parameters = values.iter().map(|value| value.as_deref().map(Into::into)).collect();
        self.run(&sql::import_orphan(), &parameters).map(drop)
    }

    pub(crate) fn orphans(&self, limit: u32) -> Result<Vec<Orphan>, StoreError> {
        let rows = self.run(&sql::orphans(limit), &vec![])?.rows;
        Ok(rows.into_iter().filter_map(read_orphan).collect())
    }

    pub(crate) fn see_orphan(&self, order_id: &str, note: &str) -> Result<bool, StoreError> {
        Ok(self.run(sql::SEE_ORPHAN, &vec![text!(note), text!(order_id)])?.affected > 0)
    }

    pub(crate) fn counts(&self) -> Result<Vec<(String, u64)>, StoreError> {
        let rows = self.run(sql::COUNT_BY_STANDING, &vec![])?.rows;
        let read = |row: Vec<Option<String>>| {
            let mut values = row.into_iter().flatten();
            Some((values.next()?, values.next()?.parse().ok()?))
        };
        Ok(rows.into_iter().filter_map(read).collect())
    }

    pub(crate) fn count_attention(&self) -> Result<u64, StoreError> {
        let rows = self.run(sql::COUNT_ATTENTION, &vec![])?.rows;
        Ok(rows.into_iter().flatten().flatten().next().and_then(|text| text.parse().ok()).unwrap_or_default())
    }

    /// Whose payments the journal holds, if it holds any.
    pub(crate) fn account(&self) -> Result<Option<String>, StoreError> {
        Ok(self.run(sql::ACCOUNT, &vec![])?.rows.into_iter().flatten().flatten().next())
    }

    /// The version of the tables.
    pub(crate) fn layout(&self) -> Result<Option<i64>, StoreError> {
        let rows = self.run(sql::LAYOUT, &vec![])?.rows;
        Ok(rows.into_iter().flatten().flatten().next().and_then(|text| text.parse().ok()))
    }
}

fn run(store: &dyn Store, template: &str, parameters: &Parameters<'_>) -> Result<Rows, StoreError> {
    let statement = sql::render(template, store.dialect(), store.placeholders());
    let parameters: Vec<Option<&str>> = parameters.iter().map(|parameter| parameter.as_deref()).collect();
    store.run(&statement, &parameters)
}

/// Whether this raised the acknowledged level. The store may be a merchant's own transaction.
pub(crate) fn acknowledge(
    store: &dyn Store,
    record: &Record,
    level: Level,
    who: &str,
) -> Result<bool, StoreError> {
    let level = level.number();
    let parameters =
        vec![number!(level), text!(who), text!(&record.reference), number!(record.attempt), number!(level)];
    Ok(run(store, sql::ACKNOWLEDGE, &parameters)?.affected > 0)
}

/// A failure of the store before anything was sent.
pub(crate) fn not_sent(error: StoreError) -> Error {
    storage(Outcome::NotSent, &error)
}

/// A failure of the store as an error of the library.
pub(crate) fn storage(outcome: Outcome, error: &StoreError) -> Error {
    Error::storage(outcome, format!("the journal failed: {error}"))
}
