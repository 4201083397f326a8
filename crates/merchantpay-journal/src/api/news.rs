//! `find`, `list`, `news` and `acknowledge`.

use merchantpay::{Outcome, Result, words};

use crate::api::entry::Entry;
use crate::api::journal::{Journal, Operator};
use crate::api::pay::paused;
use crate::model::attempt::Standing;
use crate::store::{Failure, acknowledge};

/// Names what was read: an entry, or a reference, an attempt's number, and the number of the news.
#[derive(Debug, Clone, Copy, PartialEq, Eq)]
pub struct NewsKey<'a> {
    /// The merchant's order number.
    pub reference: &'a str,
    /// The number of the attempt.
    pub attempt: u32,
    /// The number of the news.
    pub news: i64,
}

impl<'a> From<&'a Entry> for NewsKey<'a> {
    fn from(entry: &'a Entry) -> NewsKey<'a> {
        NewsKey { reference: &entry.reference, attempt: entry.attempt, news: entry.news }
    }
}

impl<'a> From<(&'a str, u32, i64)> for NewsKey<'a> {
    fn from((reference, attempt, news): (&'a str, u32, i64)) -> NewsKey<'a> {
        NewsKey { reference, attempt, news }
    }
}

impl Journal {
    /// The last attempt of a reference.
    ///
    /// # Errors
    ///
    /// `storage` if the journal failed.
    pub fn find(&self, reference: &str) -> Result<Option<Entry>> {
        let read = self.read(reference)?;
        Ok(read.all.last().map(|row| Entry::new(row, &read.all, read.time.clock())))
    }

    /// At most `limit` entries, the newest first: each reference's last attempt, or of one standing. `before`
    /// continues behind the last entry of a page.
    ///
    /// # Errors
    ///
    /// `storage` if the journal failed.
    pub fn list(&self, standing: Option<Standing>, limit: u32, before: Option<&Entry>) -> Result<Vec<Entry>> {
        self.list_before(standing, limit, before.map(|entry| (entry.created_at, entry.reference.as_str())))
    }

    /// [`list`](Journal::list) for hosts whose entries are values: `before` is `created_at` and `reference`.
    #[doc(hidden)]
    pub fn list_before(
        &self,
        standing: Option<Standing>,
        limit: u32,
        before: Option<(i64, &str)>,
    ) -> Result<Vec<Entry>> {
        Operator::of(self).list_before(standing, limit, before)
    }

    /// At most `limit` entries with news that nobody has acknowledged, the oldest first. Each is leased to
    /// the caller for a minute; an entry that is not acknowledged by then comes again. Act on what it says,
    /// then acknowledge it.
    ///
    /// # Errors
    ///
    /// `storage` if the journal failed or is paused.
    pub fn news(&self, limit: u32) -> Result<Vec<Entry>> {
        // A restored journal has forgotten what was acknowledged since its backup.
        let (_, pause) = self.database.setting("pause").map_err(|failure| self.failed(&failure))?;
        if let Some(note) = pause {
            return Err(paused(&note));
        }
        let found = self.database.news(limit).map_err(|failure| self.failed(&failure))?;
        Operator::of(self).entries(found)
    }

    /// Acknowledges the news that an entry shows. Returns whether it did: `false` if they were acknowledged
    /// before, or if there are newer ones, which nobody has read yet.
    ///
    /// # Errors
    ///
    /// `storage` if the journal failed; with the outcome `unknown` the entry comes again unless it is
    /// acknowledged.
    pub fn acknowledge<'a>(&self, news: impl Into<NewsKey<'a>>) -> Result<bool> {
        let NewsKey { reference, attempt, news } = news.into();
        self.database.acknowledge(reference, attempt, news).map_err(|failure| {
            let outcome =
                if matches!(failure, Failure::Unclear(_)) { Outcome::Unknown } else { Outcome::NotSent };
            self.database.error(&failure, outcome)
        })
    }
}

impl Operator {
    /// Like [`Journal::list`], without a client.
    ///
    /// # Errors
    ///
    /// `storage` if the journal failed.
    pub fn list(&self, standing: Option<Standing>, limit: u32, before: Option<&Entry>) -> Result<Vec<Entry>> {
        self.list_before(standing, limit, before.map(|entry| (entry.created_at, entry.reference.as_str())))
    }

    fn list_before(
        &self,
        standing: Option<Standing>,
        limit: u32,
        before: Option<(i64, &str)>,
    ) -> Result<Vec<Entry>> {
        self.entries(self.tell(self.database.list(standing, before, limit))?)
    }
}

words! {
    /// How a database's driver writes parameters.
    #[non_exhaustive]
    pub enum Style {
        /// `?`: PDO, JDBC, ODBC, Go's drivers of MySQL and SQLite.
        Question = "question", 1, since "0.4.0";
        /// `$1`: pgx, asyncpg, tokio-postgres.
        Dollar = "dollar", 2, since "0.4.0";
        /// `%s`: psycopg, PyMySQL, Django.
        Percent = "percent", 3, since "0.4.0";
        /// `:name`: PDO, Doctrine, SQLAlchemy.
        Colon = "colon", 4, since "0.4.0";
        /// `@name`: ADO.NET.
        At = "at", 5, since "0.4.0";
    }
}

/// A statement for the merchant's own transaction.
#[derive(Debug, Clone, PartialEq, Eq)]
#[non_exhaustive]
pub struct AcknowledgeSql {
    /// The UPDATE. If it changes no row: roll back, and read the news again.
    pub text: String,
    /// The reference: the first parameter, `reference`.
    pub reference: String,
    /// The attempt's number: the second parameter, `attempt`.
    pub attempt: u32,
    /// The number of the news: the third parameter, `news`.
    pub news: i64,
}

impl Entry {
    /// The statement that acknowledges this entry's news, for the merchant's own transaction in the journal's
    /// database, with the parameters as the driver writes them. If it changes no row, another worker was
    /// first, or there are newer news: roll back, and read the news again. Otherwise the transaction's other
    /// work is done exactly once for this number.
    pub fn acknowledge_sql(&self, style: Style) -> AcknowledgeSql {
        NewsKey::from(self).acknowledge_sql(style)
    }
}

impl NewsKey<'_> {
    /// [`Entry::acknowledge_sql`] of what was read.
    pub fn acknowledge_sql(&self, style: Style) -> AcknowledgeSql {
        let places = match style {
            Style::Question => ["?"; 3],
            Style::Dollar => ["$1", "$2", "$3"],
            Style::Percent => ["%s"; 3],
            Style::Colon => [":reference", ":attempt", ":news"],
            Style::At => ["@reference", "@attempt", "@news"],
        };
        let text = acknowledge(places);
        AcknowledgeSql { text, reference: self.reference.to_owned(), attempt: self.attempt, news: self.news }
    }
}
