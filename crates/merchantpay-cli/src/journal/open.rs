//! Opening the journal, and finding the attempt that a command is about.

use merchantpay::{Client, Error, Result};
use merchantpay_journal::{Entry, Journal, JournalConfig};

use crate::args::journal::Attempt;
use crate::settings::JournalSettings;

/// Opens the journal, which `journal init` has created.
pub(crate) fn open(settings: &JournalSettings) -> Result<(Client, Journal)> {
    open_with(settings, |config| config)
}

/// The same with more of the journal's own settings.
pub(super) fn open_with(
    settings: &JournalSettings,
    more: impl FnOnce(JournalConfig) -> JournalConfig,
) -> Result<(Client, Journal)> {
    let client = settings.settings.client()?;
    let config = settings.config(&client)?;
    let journal = Journal::open(&client, more(config))?;
    Ok((client, journal))
}

/// The entry of a reference with all its attempts.
pub(super) fn find(journal: &Journal, reference: &str) -> Result<Entry> {
    journal.find(reference)?.ok_or_else(|| Error::invalid_argument("the journal has no such reference"))
}

/// The attempt that is meant. The last one is not guessed where there are others.
pub(super) fn find_attempt(journal: &Journal, wanted: &Attempt) -> Result<Entry> {
    let entry = find(journal, &wanted.reference)?;
    let Some(number) = wanted.attempt else {
        return match entry.earlier() {
            [] => Ok(entry),
            _ => Err(Error::invalid_argument(format!(
                "the reference has {} attempts: say which with --attempt",
                entry.attempt()
            ))),
        };
    };
    let all = std::iter::once(&entry).chain(entry.earlier());
    let found = all.into_iter().find(|entry| entry.attempt() == number).cloned();
    found.ok_or_else(|| Error::invalid_argument("the reference has no such attempt"))
}
