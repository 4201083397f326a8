//! A journal's tables: the statements, with attempts in and attempts out. What a row should become is decided
//! in `model`.

use std::collections::BTreeSet;
use std::sync::Arc;
use std::time::Duration;

use arc_swap::ArcSwapOption;
use merchantpay::{Error, Outcome};

use super::connection::{Rows, Value};
use super::dialect::{Dialect, render};
use super::failure::Failure;
use super::pool::{Needs, Pools};
use super::row::{self, COLUMNS, Unreadable};
use super::statements::{self, Page, Statements};
use crate::model::attempt::{Attempt, Reason, Standing};
use crate::model::clock::{Clock, LONGEST_CALL};
use crate::model::plan;

/// The most rows that a method reads to fill its limit when rows cannot be read.
const MOST_READ: u32 = 100_000;

/// The parameters of [`statements::unknown`]: the longest call, and the bit of what a person has seen.
pub(super) const UNKNOWN: [Value; 2] =
    [Value::Integer(LONGEST_CALL), Value::Integer(Reason::Unknown.bit() as i64)];

/// A journal's database. Clones share the connections. A read is never [`Failure::Unclear`], and a write of a
/// message or a setting that is unclear can be repeated.
#[derive(Clone)]
pub struct Database(pub(super) Arc<Shared>);

/// What the journals of one place share.
pub(super) struct Shared {
    pub pools: Pools,
    pub statements: Statements,
    /// The account that was compared last, so that a worker which opens a journal for each request asks once.
    account: ArcSwapOption<[String; 2]>,
}

impl Shared {
    pub fn new(pools: Pools, statements: Statements) -> Shared {
        Shared { pools, statements, account: ArcSwapOption::empty() }
    }
}

impl Database {
    pub fn is_of_account(&self, account: [&str; 2]) -> bool {
        self.0.account.load().as_ref().is_some_and(|known| **known == account)
    }

    pub fn set_account(&self, account: [&str; 2]) {
        self.0.account.store(Some(Arc::new(account.map(str::to_owned))));
    }
}

impl std::fmt::Debug for Database {
    fn fmt(&self, f: &mut std::fmt::Formatter<'_>) -> std::fmt::Result {
        f.debug_tuple("Database").field(&self.place()).finish()
    }
}

/// The last attempt of a reference, read together with the clock and the pause.
#[derive(Debug, Clone, PartialEq)]
pub struct Look {
    pub now: i64,
    /// The note of the pause, if the journal is paused.
    pub pause: Option<String>,
    pub attempt: Option<Attempt>,
}

#[derive(Debug, Clone, PartialEq, Default)]
pub struct Found {
    /// The database's clock; 0 if no row was found.
    pub now: i64,
    pub attempts: Vec<Attempt>,
    /// Rows that were met and cannot be read; they take no place in the limit.
    pub unreadable: Vec<Unreadable>,
}

#[derive(Debug, Clone, Copy, PartialEq, Eq)]
pub enum Written {
    Reported,
    /// The answer was lost, and the row has the write's own stamp. A request may be sent only after
    /// [`Reported`](Written::Reported).
    ReadBack,
    /// Nothing was written: the row has another stamp, or a guard refused it. Read again, and decide again.
    Not,
}

impl Database {
    pub fn dialect(&self) -> Dialect {
        self.0.pools.store().dialect()
    }

    /// The place in messages, without user, password and parameters.
    pub fn place(&self) -> String {
        self.0.pools.store().place()
    }

    /// How long a statement can run that its caller has given up.
    pub fn statement_limit(&self) -> Duration {
        self.0.pools.store().statement_limit()
    }

    pub fn error(&self, failure: &Failure, outcome: Outcome) -> Error {
        failure.error(&self.place(), outcome)
    }

    /// Connects, unless a connection is there, and checks tables and durability.
    ///
    /// # Errors
    ///
    /// [`Failure`]; lasting if an operator must act.
    pub fn check(&self) -> Result<(), Failure> {
        self.run("SELECT 1", &[]).map(drop)
    }

    pub fn look(&self, reference: &str) -> Result<Look, Failure> {
        let rows = self.run(&self.0.statements.look, &[reference.into()])?;
        let mut row = rows.rows.into_iter().next().ok_or_else(no_row)?;
        if row.len() != 2 + COLUMNS.len() {
            return Err(no_row());
        }
        let values = row.split_off(2);
        let attempt =
            if values[0] == Value::Null { None } else { Some(row::read(values).map_err(unreadable)?) };
        let pause = row.pop().and_then(Value::into_text);
        let now = row.pop().and_then(|now| now.integer()).ok_or_else(no_row)?;
        Ok(Look { now, pause, attempt })
    }

    /// Stores a new attempt, unless the journal is paused or the reference has a success.
    ///
    /// # Errors
    ///
    /// [`Failure::Duplicate`] if the reference has this attempt by now.
    pub fn insert(&self, attempt: &Attempt) -> Result<Written, Failure> {
        let result = self.run(&self.0.statements.insert, &insertion(attempt));
        self.written(result, attempt, None)
    }

    /// Stores what a transition has made of the attempt that had the stamp `read`. `acked` and `news_due` stay
    /// as they are in the table; `news_due` becomes now if `news` rises.
    ///
    /// # Errors
    ///
    /// [`Failure::Duplicate`] if another attempt has the order, or has succeeded.
    pub fn store(&self, attempt: &Attempt, read: &str) -> Result<Written, Failure> {
        let result = self.run(&self.0.statements.store, &update(attempt, false, read));
        self.written(result, attempt, Some(read))
    }

    /// Like [`store`](Database::store), for a row that `pay` uses again: also writes token and request, and is
    /// guarded like [`insert`](Database::insert).
    pub fn reuse(&self, attempt: &Attempt, read: &str) -> Result<Written, Failure> {
        let mut parameters = update(attempt, true, read);
        parameters.push((&attempt.reference).into());
        let result = self.run(&self.0.statements.reuse, &parameters);
        self.written(result, attempt, Some(read))
    }

    /// Stores the attempt that is replaced, which had the stamp `read`, and inserts the next one, in one
    /// transaction.
    pub fn replace(&self, replaced: &Attempt, read: &str, next: &Attempt) -> Result<Written, Failure> {
        let statements = [
            (self.0.statements.store.as_str(), update(replaced, false, read)),
            (self.0.statements.insert.as_str(), insertion(next)),
        ];
        let result = self.0.pools.run_all(&statements, Needs::Rows);
        self.written(result.map(|all| Rows { affected: all.into(), rows: Vec::new() }), next, None)
    }

    /// Postpones the next question about an attempt by a minute, and renews its stamp to `stamp`. Returns
    /// whether this worker has the claim.
    pub fn claim(&self, attempt: &Attempt, stamp: &str) -> Result<bool, Failure> {
        let Attempt { reference, attempt: number, stamp: read, .. } = attempt;
        let parameters = [stamp.into(), reference.into(), (*number).into(), read.into()];
        let result = self.run(&self.0.statements.claim, &parameters);
        Ok(self.settled(result, (reference, *number), Some(read), stamp)? != Written::Not)
    }

    /// Acknowledges a number of news. Returns whether it was acknowledged now.
    ///
    /// # Errors
    ///
    /// [`Failure`]; if it is unclear, the entry comes again unless it was acknowledged.
    pub fn acknowledge(&self, reference: &str, attempt: u32, news: i64) -> Result<bool, Failure> {
        let parameters = [reference.into(), attempt.into(), news.into()];
        Ok(self.run(&self.0.statements.acknowledge, &parameters)?.affected > 0)
    }

    pub fn by_token(&self, token: &str) -> Result<Found, Failure> {
        self.all(&self.0.statements.by_token, &[token.into()])
    }

    /// Reference and number of the attempt with this token, also if its row cannot be read.
    pub fn owner(&self, token: &str) -> Result<Option<(String, u32)>, Failure> {
        let found = read(self.run(&self.0.statements.by_token, &[token.into()])?.rows);
        let readable = found.attempts.into_iter().map(|row| (row.reference, row.attempt));
        let unreadable = found.unreadable.into_iter().map(|row| (row.reference, row.attempt));
        Ok(readable.chain(unreadable).next())
    }

    pub fn by_order(&self, order_id: &str) -> Result<Found, Failure> {
        self.all(&self.0.statements.by_order, &[order_id.into()])
    }

    /// All attempts of a reference, the newest first. One that cannot be read is a failure: it could be the
    /// success that forbids another payment.
    pub fn attempts(&self, reference: &str) -> Result<Found, Failure> {
        self.all(&self.0.statements.attempts, &[reference.into()])
    }

    /// The same, with the attempts that cannot be read apart.
    pub fn siblings(&self, reference: &str) -> Result<Found, Failure> {
        Ok(read(self.run(&self.0.statements.attempts, &[reference.into()])?.rows))
    }

    /// Attempts that are due, those with the earliest time first.
    pub fn due(&self, limit: u32) -> Result<Found, Failure> {
        self.page(statements::due, &[], limit)
    }

    /// The milliseconds until an attempt is due; at most 0 if one is due. What cannot be read is never due here:
    /// nobody could ask about it.
    pub fn next_due(&self) -> Result<Option<i64>, Failure> {
        let found = self.page(statements::next_due, &[], 1)?;
        let clock = Clock { now: found.now };
        let until = |row: &Attempt| {
            let until = row.due_at?.saturating_sub(found.now);
            Some(if plan::is_due(row, clock) { until.min(0) } else { until })
        };
        Ok(found.attempts.first().and_then(until))
    }

    /// Entries that nobody has acknowledged, the oldest first, each leased to the caller for a minute. Their
    /// `news_due` is still the one before the lease.
    pub fn news(&self, limit: u32) -> Result<Found, Failure> {
        let mut found = self.page(statements::news, &[], limit)?;
        let mut leased = Vec::with_capacity(found.attempts.len());
        for entry in found.attempts {
            if self.lease(&entry)? {
                leased.push(entry);
            }
        }
        found.attempts = leased;
        Ok(found)
    }

    fn lease(&self, entry: &Attempt) -> Result<bool, Failure> {
        let parameters = [
            (&entry.reference).into(),
            entry.attempt.into(),
            entry.news.into(),
            entry.news_due.unwrap_or(-1).into(),
        ];
        match self.run(&self.0.statements.lease, &parameters) {
            Ok(rows) => Ok(rows.affected > 0),
            // Somebody has the lease for a minute, and nobody after that.
            Err(Failure::Unclear(_)) => Ok(false),
            Err(failure) => Err(failure),
        }
    }

    /// Attempts with a reason that no person has seen, the oldest first.
    pub fn attention(&self, limit: u32) -> Result<Found, Failure> {
        self.page(statements::attention, &[], limit)
    }

    /// Attempts whose call ended two minutes ago without an answer, or whose end lies further ahead than the
    /// longest call, and which no person has seen.
    pub fn unknown(&self, limit: u32) -> Result<Found, Failure> {
        self.page(statements::unknown, &UNKNOWN, limit)
    }

    pub fn sending(&self, limit: u32) -> Result<Found, Failure> {
        self.page(statements::sending, &[], limit)
    }

    /// The rows that cannot be read among those that need a person or are unknown, and then those that are only
    /// due or news, or stand beside a row of these lists; of at most `limit` readable ones each.
    pub fn unreadable(&self, limit: u32) -> Result<(Vec<Unreadable>, Vec<Unreadable>), Failure> {
        fn sorted(mut rows: Vec<Unreadable>) -> Vec<Unreadable> {
            rows.sort_by(|one, other| (&one.reference, one.attempt).cmp(&(&other.reference, other.attempt)));
            rows.dedup();
            rows
        }
        let seen_or_not = [Value::Integer(LONGEST_CALL), Value::Integer(0)];
        let mut references = BTreeSet::new();
        let mut of = |page: Found| {
            let with_siblings = page.attempts.into_iter().filter(|row| !row.is_alone());
            references.extend(with_siblings.map(|row| row.reference));
            page.unreadable
        };
        let mut needed = of(self.page(statements::attention, &[], limit)?);
        needed.extend(of(self.page(statements::unknown, &seen_or_not, limit)?));
        let mut others = of(self.page(statements::due, &[], limit)?);
        others.extend(of(self.page(statements::due_in_other_state, &[], limit)?));
        others.extend(of(self.page(statements::news, &[], limit)?));
        for reference in &references {
            others.extend(self.siblings(reference)?.unreadable);
        }
        others.retain(|row| !needed.contains(row));
        Ok((sorted(needed), sorted(others)))
    }

    /// Attempts, the newest first, after the position (`created_at`, `reference`) of an attempt.
    pub fn list(
        &self,
        standing: Option<Standing>,
        after: Option<(i64, &str)>,
        limit: u32,
    ) -> Result<Found, Failure> {
        let position: Vec<Value> = match after {
            Some((at, reference)) => vec![at.into(), at.into(), reference.into()],
            None => Vec::new(),
        };
        self.page(|page| statements::list(standing, !position.is_empty(), page), &position, limit)
    }

    pub(super) fn run(&self, sql: &str, parameters: &[Value]) -> Result<Rows, Failure> {
        self.0.pools.run(sql, parameters)
    }

    pub(super) fn template(&self, template: &str, parameters: &[Value]) -> Result<Rows, Failure> {
        self.run(&render(template, self.dialect()), parameters)
    }

    /// Reads all rows of a statement; one that cannot be read is a failure.
    pub(super) fn all(&self, sql: &str, parameters: &[Value]) -> Result<Found, Failure> {
        let found = read(self.run(sql, parameters)?.rows);
        match found.unreadable.into_iter().next() {
            Some(row) => Err(unreadable(row)),
            None => Ok(Found { unreadable: Vec::new(), ..found }),
        }
    }

    /// Reads a limited number of attempts. Rows that cannot be read are counted apart, and more rows are read
    /// for them.
    pub(super) fn page(
        &self,
        statement: impl Fn(Page) -> String,
        parameters: &[Value],
        limit: u32,
    ) -> Result<Found, Failure> {
        let mut found = Found::default();
        let mut offset = 0;
        loop {
            let rows = self.template(&statement(Page { limit, offset }), parameters)?.rows;
            let count = u32::try_from(rows.len()).unwrap_or(u32::MAX);
            let more = read(rows);
            found.now = more.now.max(found.now);
            found.attempts.extend(more.attempts);
            found.unreadable.extend(more.unreadable);
            offset = offset.saturating_add(count);
            let is_full = found.attempts.len() >= limit as usize;
            if count < limit || is_full || offset >= MOST_READ {
                found.attempts.truncate(limit as usize);
                return Ok(found);
            }
        }
    }

    fn written(
        &self,
        result: Result<Rows, Failure>,
        attempt: &Attempt,
        read: Option<&str>,
    ) -> Result<Written, Failure> {
        self.settled(result, (&attempt.reference, attempt.attempt), read, &attempt.stamp)
    }

    /// The effect of a write that gives a row the stamp `new`. If the answer was lost, the row's stamp tells:
    /// the write's own, the one that was `read`, or another process's.
    fn settled(
        &self,
        result: Result<Rows, Failure>,
        key: (&str, u32),
        read: Option<&str>,
        new: &str,
    ) -> Result<Written, Failure> {
        let why = match result {
            Ok(rows) if rows.affected > 0 => return Ok(Written::Reported),
            Ok(_) => return Ok(Written::Not),
            Err(Failure::Unclear(why)) => why,
            Err(failure) => return Err(failure),
        };
        let Ok(rows) = self.run(&self.0.statements.stamp, &[key.0.into(), key.1.into()]) else {
            return Err(Failure::Unclear(why));
        };
        let stamp = rows.rows.into_iter().flatten().next().and_then(Value::into_text);
        match stamp.as_deref() {
            Some(stamp) if stamp == new => Ok(Written::ReadBack),
            stamp if stamp == read => Err(Failure::failed(format!("nothing was written: {why}"))),
            _ => Ok(Written::Not),
        }
    }
}

/// Reads rows that begin with the clock.
fn read(rows: Vec<Vec<Value>>) -> Found {
    let mut found = Found::default();
    for mut row in rows {
        let values = row.split_off(row.len().min(1));
        found.now = row.first().and_then(Value::integer).unwrap_or_default();
        match row::read(values) {
            Ok(attempt) => found.attempts.push(attempt),
            Err(row) => found.unreadable.push(row),
        }
    }
    found
}

/// The parameters of an INSERT and its guard.
fn insertion(attempt: &Attempt) -> Vec<Value> {
    let mut parameters = Vec::from(row::values(attempt));
    parameters.push((&attempt.reference).into());
    parameters
}

/// The parameters of an UPDATE by stamp.
fn update(attempt: &Attempt, is_reused: bool, read: &str) -> Vec<Value> {
    let values = row::values(attempt);
    let mut parameters: Vec<Value> = row::written(is_reused).map(|column| values[column].clone()).collect();
    parameters.extend([
        attempt.news.into(),
        attempt.news.into(),
        (&attempt.reference).into(),
        attempt.attempt.into(),
        read.into(),
    ]);
    parameters
}

fn unreadable(row: Unreadable) -> Failure {
    let Unreadable { reference, attempt, column } = row;
    Failure::lasting(format!(
        "attempt {attempt} of {reference} cannot be read (column {column}): a newer version or another program \
         has written it; update the library"
    ))
}

pub(super) fn decoded<const N: usize, T>(
    rows: Rows,
    read: impl Fn([Value; N]) -> Option<T>,
) -> Result<Vec<T>, Failure> {
    rows.rows.into_iter().map(|row| row.try_into().ok().and_then(&read).ok_or_else(no_row)).collect()
}

pub(super) fn no_row() -> Failure {
    Failure::failed("the database returned no row, or other columns than it was asked for")
}
