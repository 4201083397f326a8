//! The journal: how it is opened, and to whom it belongs.

use std::sync::Arc;
use std::time::Duration;

use merchantpay::{Client, Error, Outcome, ReceiptListener, Result, WebhookVerifier};

use crate::api::config::JournalConfig;
use crate::store::{Database, Failure};

/// Makes payments under the merchant's own order numbers, the references. Each reference has at most one
/// payment that a customer can pay. Threads can share a journal without a lock.
pub struct Journal {
    pub(crate) client: Client,
    pub(crate) verifier: WebhookVerifier,
    pub(crate) database: Database,
    pub(crate) config: JournalConfig,
    /// Keeps the client's listener alive.
    receipts: Option<Arc<ReceiptListener>>,
}

impl Journal {
    /// Opens the journal at a place. The first one to open it stores the client's base URL and key id; a
    /// client with others is refused from then on, so that two accounts, or a sandbox and the production,
    /// never share payments.
    ///
    /// # Errors
    ///
    /// `invalid_argument` with the setting's name, or if the journal belongs to another account; `storage` if
    /// the place cannot be used.
    pub fn open(client: &Client, config: JournalConfig) -> Result<Journal> {
        let config = config.checked()?;
        let database = config.open()?;
        check_account(&database, client)?;
        let journal =
            Journal { client: client.clone(), verifier: client.verifier(), database, config, receipts: None };
        let receipts = Some(journal.derive().hear_of_receipts(client));
        Ok(Journal { receipts, ..journal })
    }

    /// Another handle of the same journal, whose calls can be interrupted apart. It may outlive this one.
    #[must_use]
    pub fn derive(&self) -> Journal {
        Journal {
            client: self.client.derive(Duration::ZERO),
            verifier: self.verifier.clone(),
            database: self.database.clone(),
            config: self.config.clone(),
            receipts: self.receipts.clone(),
        }
    }

    /// The time limit of a call.
    pub fn timeout(&self) -> Duration {
        self.config.timeout
    }

    /// Ends the running calls to the service of this journal and of those derived from it, in all threads,
    /// and lets no more start. What an interrupted call has found out is still stored. See
    /// [`Client::interrupt`].
    pub fn interrupt(&self) {
        self.client.interrupt();
    }

    /// Sleeps, for a host that pauses between two calls itself. [`interrupt`](Journal::interrupt) ends the sleep.
    ///
    /// # Errors
    ///
    /// `cancelled` if the journal or its client was interrupted.
    pub fn pause(&self, duration: Duration) -> Result<()> {
        self.client.pause(duration)
    }

    /// Closes the journal, as dropping it does. Journals that were derived from it go on.
    pub fn close(self) {}

    pub(crate) fn failed(&self, failure: &Failure) -> Error {
        self.database.error(failure, Outcome::NotSent)
    }
}

impl std::fmt::Debug for Journal {
    fn fmt(&self, f: &mut std::fmt::Formatter<'_>) -> std::fmt::Result {
        f.debug_struct("Journal").field("place", &self.database.place()).finish_non_exhaustive()
    }
}

/// A journal as the operator handles it.
#[derive(Debug)]
pub struct Operator {
    pub(crate) database: Database,
    pub(crate) config: JournalConfig,
}

impl Operator {
    /// Opens a journal without a client. It makes no call to the service.
    ///
    /// # Errors
    ///
    /// `invalid_argument` with the setting's name; `storage` if the place cannot be used.
    pub fn open(config: JournalConfig) -> Result<Operator> {
        let config = config.checked()?;
        let database = config.open()?;
        database.check().map_err(|failure| database.error(&failure, Outcome::NotSent))?;
        Ok(Operator { database, config })
    }

    /// The same journal.
    pub fn of(journal: &Journal) -> Operator {
        Operator { database: journal.database.clone(), config: journal.config.clone() }
    }

    pub(crate) fn tell<T>(&self, result: std::result::Result<T, Failure>) -> Result<T> {
        result.map_err(|failure| self.database.error(&failure, Outcome::NotSent))
    }
}

/// The settings that the first journal stores.
pub(crate) const BASE_URL: &str = "base_url";
pub(crate) const KEY_ID: &str = "key_id";

fn check_account(database: &Database, client: &Client) -> Result<()> {
    let account = [client.base_url(), client.key_id()];
    if database.is_of_account(account) {
        return Ok(());
    }
    let known = |failure| database.error(&failure, Outcome::NotSent);
    let settings = database.settings("").map_err(known)?;
    for (name, word, value, command) in [
        (BASE_URL, "base URL", client.base_url(), "allow-url"),
        (KEY_ID, "key id", client.key_id(), "allow-key"),
    ] {
        let mut values = account_values(&settings, name);
        if !settings.iter().any(|(found, _)| found == name) {
            values.push(database.set_once(name, value).map_err(known)?);
        }
        if !values.iter().any(|known| known == value) {
            return Err(Error::invalid_argument(format!(
                "the journal {} belongs to another account: its {word} is not the client's. If the account is the same and its {word} \
                 changes, run `merchantpay journal {command}` once",
                database.place()
            )));
        }
    }
    database.set_account(account);
    Ok(())
}

/// The values that an account's setting may have: the first client's, and those that an operator has allowed.
pub(crate) fn account_values(settings: &[(String, String)], name: &str) -> Vec<String> {
    // `base_url` is the first one, `base_url.…` are allowed ones.
    let named = settings.iter().filter(|(found, _)| found.split('.').next() == Some(name));
    named.map(|(_, value)| value.clone()).collect()
}
