//! The journal: how it is opened, and to whom it belongs.

use std::sync::Arc;
use std::time::Duration;

use merchantpay::{Client, Error, Outcome, ReceiptListener, Result, WebhookVerifier};

use crate::api::config::JournalConfig;
use crate::api::random::text_digest;
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

/// The setting that the first journal stores, and the word for it in a message.
const BASE_URL: (&str, &str) = ("base_url", "base URL");
const KEY_ID: (&str, &str) = ("key_id", "key id");

fn check_account(database: &Database, client: &Client) -> Result<()> {
    let account = [client.base_url(), client.key_id()];
    if database.is_of_account(account) {
        return Ok(());
    }
    let known = |failure| database.error(&failure, Outcome::NotSent);
    let settings = database.settings("").map_err(known)?;
    for ((name, word), value, command) in
        [(BASE_URL, client.base_url(), "allow-url"), (KEY_ID, client.key_id(), "allow-key")]
    {
        // `base_url` is the first one, `base_url.…` are allowed ones.
        let of_name = |(found, _): &&(String, String)| found.split('.').next() == Some(name);
        let mut values: Vec<String> =
            settings.iter().filter(of_name).map(|(_, value)| value.clone()).collect();
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

/// Allows a further value, before clients begin to use it.
pub(crate) fn allow(database: &Database, name: &str, value: &str) -> std::result::Result<(), Failure> {
    database.set_once(&format!("{name}.{}", text_digest(value)), value).map(drop)
}

/// Allows a further key id. The journal must have been opened before: the first key id is the first client's.
pub(crate) fn allow_key(database: &Database, key_id: &str) -> std::result::Result<(), Failure> {
    allow(database, KEY_ID.0, key_id)
}

pub(crate) fn allow_url(database: &Database, base_url: &str) -> std::result::Result<(), Failure> {
    allow(database, BASE_URL.0, base_url.trim_end_matches('/'))
}
