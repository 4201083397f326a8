//! What only an operator does, by the program: no client is needed for it.

mod erase;
mod old;
mod transfer;

use std::path::Path;
use std::time::Duration;

use merchantpay::{Error, Result, check_path};

use crate::api::attention::check_note;
use crate::api::entry::Entry;
use crate::api::journal::{BASE_URL, KEY_ID};
use crate::api::random::{random, text_digest};
use crate::api::read::Read;
use crate::model::clock::Clock;
use crate::model::upkeep::has_paused;
use crate::store::Failure;

pub use crate::api::journal::Operator;
pub use crate::store::{Dialect, schema};
pub use transfer::Imported;

/// Between two looks while `pause` waits.
const LOOK: Duration = Duration::from_millis(100);
/// The rows that are read at once.
const PAGE: u32 = 500;

const COPIED: &str = "this is a copy of a journal, and later changes are missing: `merchantpay journal resume` after the decisions of \
    `merchantpay journal attention`";

impl Operator {
    fn now(&self) -> Result<i64> {
        Ok(self.tell(self.database.setting("pause"))?.0)
    }

    /// All attempts of a reference, the first one first.
    ///
    /// # Errors
    ///
    /// `storage` if the journal failed.
    pub fn attempts(&self, reference: &str) -> Result<Vec<Entry>> {
        let Read { time, all } = self.read(reference)?;
        Ok(all.iter().map(|row| Entry::new(row, &all, time.clock())).collect())
    }

    /// Stops `pay`, `replace` and `news` in every process that uses the journal, until
    /// [`resume`](Operator::resume), and returns when no call that makes a payment can run any more. The call
    /// of a killed process counts until its time is over. Webhooks, `settle`, `confirm` and `cancel` go on.
    /// `pause_for` sleeps.
    ///
    /// # Errors
    ///
    /// `invalid_argument` for a note that is empty or longer than 500 characters; `storage` if the journal
    /// failed. After an error of `pause_for` the journal is paused, but calls may still run.
    pub fn pause(&self, note: &str, mut pause_for: impl FnMut(Duration) -> Result<()>) -> Result<()> {
        check_note(note)?;
        self.tell(self.repeatedly(|| self.database.set_pause(Some(note))))?;
        let paused_at = self.now()?;
        let statement = self.database.statement_limit().as_millis();
        let statement = i64::try_from(statement).unwrap_or(i64::MAX / 2);
        loop {
            // Read before the rows: a statement of an earlier `pay` that commits after this moment is still within its limit.
            let clock = Clock { now: self.now()? };
            let sent = self.tell(self.database.sending(PAGE))?;
            if has_paused(&sent.attempts, paused_at, statement, clock) {
                return Ok(());
            }
            pause_for(LOOK)?;
        }
    }

    /// Ends a pause.
    ///
    /// # Errors
    ///
    /// `invalid_argument` for the note as in [`pause`](Operator::pause); `storage` if the journal failed.
    pub fn resume(&self, note: &str) -> Result<()> {
        check_note(note)?;
        self.tell(self.repeatedly(|| self.database.set_pause(None)))
    }

    /// Copies a journal's file, while processes use it, to a new file. The copy is paused and its attempts
    /// are marked as restored.
    ///
    /// # Errors
    ///
    /// `invalid_argument` for a relative path, and for a database, which has tools of its own; `storage` if the
    /// journal or the copy failed.
    pub fn backup(&self, file: impl AsRef<Path>) -> Result<()> {
        let file = file.as_ref();
        check_path("the backup's path", file)?;
        if !file.is_absolute() {
            return Err(Error::invalid_argument("the backup's path must be absolute"));
        }
        if self.database.dialect() != Dialect::Sqlite {
            return Err(Error::invalid_argument("a database is backed up by the tools of its server"));
        }
        self.tell(self.database.backup(file, COPIED, &random()?))
    }

    /// Marks all attempts as restored and pauses the journal, after a database was restored by its own tools
    /// and before any process uses it. `settle` then updates what has an order; a person decides what
    /// `attention` lists; `resume` ends the pause.
    ///
    /// # Errors
    ///
    /// `storage` if the journal failed.
    pub fn restored(&self) -> Result<()> {
        self.tell(self.database.mark_restored(COPIED, &random()?))
    }

    /// Allows clients with a further key id, before the key is changed.
    ///
    /// # Errors
    ///
    /// `invalid_argument` for an empty key id; `storage` if the journal failed.
    pub fn allow_key(&self, key_id: &str) -> Result<()> {
        self.allow(KEY_ID, key_id)
    }

    /// Allows clients with a further base URL, before the service's address changes.
    ///
    /// # Errors
    ///
    /// `invalid_argument` for an empty URL; `storage` if the journal failed.
    pub fn allow_url(&self, base_url: &str) -> Result<()> {
        self.allow(BASE_URL, base_url.trim_end_matches('/'))
    }

    fn allow(&self, name: &str, value: &str) -> Result<()> {
        if value.trim().is_empty() {
            return Err(Error::invalid_argument("name what is to be allowed"));
        }
        self.tell(self.database.set_once(&format!("{name}.{}", text_digest(value)), value)).map(drop)
    }

    /// Repeats an idempotent statement whose effect is unclear, once.
    fn repeatedly<T>(
        &self,
        statement: impl Fn() -> std::result::Result<T, Failure>,
    ) -> std::result::Result<T, Failure> {
        match statement() {
            Err(Failure::Unclear(_)) => statement(),
            result => result,
        }
    }
}
