//! Opens the journal and finds the attempt that a command names.

use merchantpay::{Client, Error, Result};
use merchantpay_journal::{Entry, Journal, JournalConfig};

use crate::args::journal::Attempt;
use crate::settings::JournalSettings;

/// Opens a journal that `journal init` has created.
pub(crate) fn open(settings: &JournalSettings) -> Result<(Client, Journal)> {
    open_with(settings, |config| config)
}

/// Opens the journal with the further settings that `more` adds.
pub(super) fn open_with(
    settings: &JournalSettings,
    more: impl FnOnce(JournalConfig) -> JournalConfig,
) -> Result<(Client, Journal)> {
    let client = settings.settings.client()?;
    let config = settings.config(&client)?;
    let journal = Journal::open(&client, more(config))?;
    Ok((client, journal))
}

/// Returns the entry of a reference with all its attempts.
pub(super) fn find(journal: &Journal, reference: &str) -> Result<Entry> {
    journal.find(reference)?.ok_or_else(|| Error::invalid_argument("the journal has no such reference"))
}

/// Finds the attempt that a command names. If there are several attempts, the user must give the number,
/// because the program does not assume the last attempt.
pub(super) fn find_attempt(journal: &Journal, wanted: &Attempt) -> Result<Entry> {
    let entry = find(journal, &wanted.reference)?;
    let Some(number) = wanted.attempt else {
        return match entry.earlier() {
            [] => Ok(entry),
            _ => Err(Error::invalid_argument(format!(
                "the reference has {} attempts: choose one with --attempt",
                entry.attempt()
            ))),
        };
    };
    let all = std::iter::once(&entry).chain(entry.earlier());
    let found = all.into_iter().find(|entry| entry.attempt() == number).cloned();
    found.ok_or_else(|| Error::invalid_argument("the reference has no such attempt"))
}
