//! `export` and `import`: all rows as lines of JSON, to move to another place.

use merchantpay::{Error, Result};
use serde::{Deserialize, Serialize};

use super::erase::not_read;
use super::{COPIED, Operator, PAGE};
use crate::api::journal::{BASE_URL, KEY_ID, account_values};
use crate::model::attempt::Attempt;
use crate::model::upkeep;
use crate::store::{Failure, Message};

/// The layout of the lines. A newer one may have fields that this version would lose.
const LAYOUT: u32 = 3;
/// The settings that say whose the journal is.
const ACCOUNT: [&str; 2] = [BASE_URL, KEY_ID];

#[derive(Serialize, Deserialize)]
#[serde(rename_all = "snake_case")]
enum Line {
    Journal { layout: u32, account: Vec<(String, String)> },
    Attempt(Box<Attempt>),
    Message(Message),
}

/// What an import has stored.
#[derive(Debug, Clone, Copy, PartialEq, Eq, Default)]
#[non_exhaustive]
pub struct Imported {
    /// Attempts that were stored now.
    pub attempts: u64,
    /// Messages that were stored now.
    pub messages: u64,
    /// Rows that were there already.
    pub present: u64,
}

impl Operator {
    /// Passes the whole journal to `line`, one line of JSON after the other. Pause it before. Returns the
    /// number of lines.
    ///
    /// # Errors
    ///
    /// `storage` if the journal failed or has a row that this version cannot read; every error of `line`.
    pub fn export(&self, mut line: impl FnMut(&str) -> Result<()>) -> Result<u64> {
        let mut count = 0;
        let mut write = |of: &Line| {
            count += 1;
            line(
                &serde_json::to_string(of)
                    .map_err(|error| Error::internal(merchantpay::Outcome::NotSent, error.to_string()))?,
            )
        };
        let mut account = self.tell(self.database.settings(""))?;
        account.retain(|(name, _)| ACCOUNT.iter().any(|of| name.split('.').next() == Some(of)));
        write(&Line::Journal { layout: LAYOUT, account })?;
        let mut after = (String::new(), 0);
        loop {
            let found = self.tell(self.database.export((&after.0, after.1), PAGE))?;
            if let Some(row) = found.unreadable.first() {
                return Err(not_read(row, "the lines before it were exported"));
            }
            let Some(last) = found.attempts.last() else { break };
            after = (last.reference.clone(), last.attempt);
            found.attempts.into_iter().try_for_each(|row| write(&Line::Attempt(Box::new(row))))?;
        }
        let mut after = (String::new(), String::new());
        loop {
            let messages = self.tell(self.database.export_messages((&after.0, &after.1), PAGE))?;
            let Some(last) = messages.last() else { break };
            after = (last.token.clone(), last.digest.clone());
            messages.into_iter().try_for_each(|message| write(&Line::Message(message)))?;
        }
        Ok(count)
    }

    /// Stores the lines of an [`export`](Operator::export). The journal is paused, and the attempts are
    /// marked as restored, as after a backup. Rows that are there already stay as they are, so an import that
    /// was cut short can be repeated.
    ///
    /// # Errors
    ///
    /// `invalid_argument` for a line that is none of an export, or an export of another account; `storage` if
    /// the journal failed; every error of `lines`.
    pub fn import(&self, lines: impl IntoIterator<Item = Result<String>>) -> Result<Imported> {
        let mut lines = lines.into_iter();
        let first = lines.next().transpose()?.ok_or_else(|| no_line(1))?;
        match serde_json::from_str(&first) {
            Ok(Line::Journal { layout, .. }) if layout > LAYOUT => {
                return Err(Error::invalid_argument(
                    "the export was written by a newer version: update the program",
                ));
            }
            Ok(Line::Journal { account, .. }) => self.take_account(&account)?,
            _ => return Err(no_line(1)),
        }
        self.tell(self.repeatedly(|| self.database.set_pause(Some(COPIED))))?;
        let mut filling = Filling::new(self);
        for (line, number) in lines.zip(2..) {
            match serde_json::from_str(&line?) {
                Ok(Line::Attempt(row)) => filling.add(upkeep::restored(&row))?,
                Ok(Line::Message(message)) => filling.add_message(message)?,
                _ => return Err(no_line(number)),
            }
        }
        filling.end()
    }

    /// Stores whose the journal is, unless it is known.
    fn take_account(&self, account: &[(String, String)]) -> Result<()> {
        let known = self.tell(self.database.settings(""))?;
        for name in ACCOUNT {
            let (here, there) = (account_values(&known, name), account_values(account, name));
            if !here.is_empty() && !there.iter().any(|value| here.contains(value)) {
                return Err(Error::invalid_argument(format!(
                    "the export is of another account: it has another {name}"
                )));
            }
        }
        account.iter().try_for_each(|(name, value)| self.tell(self.database.set_once(name, value)).map(drop))
    }
}

pub(super) fn no_line(number: u64) -> Error {
    Error::invalid_argument(format!("line {number} is no line of an export"))
}

/// Rows on their way into a journal, in transactions of some hundred.
pub(super) struct Filling<'a> {
    operator: &'a Operator,
    attempts: Vec<Attempt>,
    messages: Vec<Message>,
    imported: Imported,
}

impl<'a> Filling<'a> {
    pub(super) fn new(operator: &'a Operator) -> Filling<'a> {
        Filling { operator, attempts: Vec::new(), messages: Vec::new(), imported: Imported::default() }
    }

    pub(super) fn add(&mut self, row: Attempt) -> Result<()> {
        self.attempts.push(row);
        if self.attempts.len() >= PAGE as usize { self.store() } else { Ok(()) }
    }

    pub(super) fn add_message(&mut self, message: Message) -> Result<()> {
        self.messages.push(message);
        if self.messages.len() >= PAGE as usize { self.store() } else { Ok(()) }
    }

    pub(super) fn end(mut self) -> Result<Imported> {
        self.store()?;
        Ok(self.imported)
    }

    fn store(&mut self) -> Result<()> {
        let (attempts, messages) = (std::mem::take(&mut self.attempts), std::mem::take(&mut self.messages));
        let database = &self.operator.database;
        match database.import(&attempts, &messages) {
            Err(Failure::Duplicate | Failure::Unclear(_)) => {
                for row in &attempts {
                    let is_new = self.one(database.import(std::slice::from_ref(row), &[]))?;
                    if !is_new {
                        self.check_present(row)?;
                    }
                    self.imported.attempts += u64::from(is_new);
                }
                for message in &messages {
                    let is_new = self.one(database.import(&[], std::slice::from_ref(message)))?;
                    self.imported.messages += u64::from(is_new);
                }
                Ok(())
            }
            result => {
                self.operator.tell(result)?;
                self.imported.attempts += attempts.len() as u64;
                self.imported.messages += messages.len() as u64;
                Ok(())
            }
        }
    }

    fn one(&mut self, result: std::result::Result<(), Failure>) -> Result<bool> {
        match result {
            Err(Failure::Duplicate) => {
                self.imported.present += 1;
                Ok(false)
            }
            result => self.operator.tell(result).map(|()| true),
        }
    }

    /// The row that is there is the same attempt: another one with its order would be lost without a word.
    fn check_present(&self, row: &Attempt) -> Result<()> {
        let found = self.operator.tell(self.operator.database.attempts(&row.reference))?;
        match found.attempts.iter().any(|there| there.attempt == row.attempt && there.token == row.token) {
            true => Ok(()),
            false => Err(Error::invalid_argument(format!(
                "attempt {} of {} has an order, a token or a success that another attempt of this journal has: import into a new journal",
                row.attempt, row.reference
            ))),
        }
    }
}
