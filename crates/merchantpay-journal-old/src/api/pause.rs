//! `pause` and `resume`: an operator stops the payments of every process.

use std::time::Duration;

use merchantpay::{Error, Outcome, Result};

use crate::api::journal::Journal;
use crate::api::note::check_note;
use crate::storage::queries::{Pause, not_sent};

/// The first interval between two checks while `pause` waits for running calls. The interval grows to
/// [`LONGEST_PAUSE`].
const FIRST_PAUSE: Duration = Duration::from_millis(20);
const LONGEST_PAUSE: Duration = Duration::from_millis(500);
/// The number of attempts that one query reads.
const PAGE: u32 = 100;

impl Journal {
    /// Stops `pay` and `news` in every process that uses this journal, until [`resume`](Journal::resume). Use
    /// `pause` before a backup, after a restore, or while something is wrong. `pause` returns when no call
    /// that makes a payment is running. The call of a killed process counts as running until the call's
    /// deadline. Webhooks, `settle`, `confirm` and `cancel` still work. If the journal is already paused, the
    /// new note replaces the old note.
    ///
    /// # Errors
    ///
    /// `invalid_argument` for a note that is empty or longer than 500 characters. `storage` if the journal
    /// failed. `cancelled` if the client was interrupted: the journal is then paused, but calls may still be
    /// running.
    pub fn pause(&self, note: &str) -> Result<()> {
        self.pause_with(note, |pause| self.client.pause(pause))
    }

    /// Like [`pause`](Journal::pause), for a host that must do something while it waits, such as handle
    /// signals. `pause_for` sleeps for each interval; an error of `pause_for` ends the waiting.
    ///
    /// # Errors
    ///
    /// The errors of [`pause`](Journal::pause), and every error of `pause_for`.
    pub fn pause_with(&self, note: &str, mut pause_for: impl FnMut(Duration) -> Result<()>) -> Result<()> {
        self.set_pause(note, false)?;
        let mut pause = FIRST_PAUSE;
        loop {
            let rows = self.queries.being_made(PAGE).map_err(not_sent)?;
            if !rows.iter().any(|(now, record)| record.is_being_made(*now)) {
                return Ok(());
            }
            pause_for(pause)?;
            pause = (pause * 3 / 2).min(LONGEST_PAUSE);
        }
    }

    /// Ends a pause, and stores the operator's note. A journal that is not paused stays as it is.
    ///
    /// # Errors
    ///
    /// `invalid_argument` for a note that is empty or longer than 500 characters; `storage` if the journal failed.
    pub fn resume(&self, note: &str) -> Result<()> {
        self.set_pause(note, true)
    }

    fn set_pause(&self, note: &str, is_resumed: bool) -> Result<()> {
        check_note(note)?;
        self.check()?;
        let (at, _) = self.queries.pause().map_err(not_sent)?;
        let pause = Pause { note: note.to_owned(), at };
        self.until_clear(|| self.queries.set_pause(&pause, is_resumed))
    }
}

/// The error of a paused journal: nothing was sent, and the same call may succeed later.
pub(crate) fn paused(pause: &Pause) -> Error {
    let note = &pause.note;
    Error::storage(Outcome::NotSent, format!("the journal is paused, and nothing was sent: {note}"))
}
