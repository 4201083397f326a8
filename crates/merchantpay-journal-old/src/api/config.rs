//! The settings of a journal, in addition to its client.

use std::fmt;
use std::path::{Path, PathBuf};
use std::sync::Arc;
use std::time::Duration;

use merchantpay::{Error, PaymentMethod, PaymentRequest, Result, Setting, SettingKind};

use crate::model::request::ANY_TOKEN;
use crate::storage::durability::VOUCHABLE;
use crate::storage::store::Store;

/// The shortest deadline of a payment. The service alone can take 10 s.
const SHORTEST_TIMEOUT: Duration = Duration::from_secs(15);

/// The largest number of concurrent calls. Each call needs a thread.
const MOST_AT_ONCE: u32 = 64;

/// The settings of a journal. They are checked when the journal is opened. [`JournalConfig::SETTINGS`] lists
/// all settings.
#[derive(Debug, Clone)]
pub struct JournalConfig {
    pub(crate) place: Place,
    pub(crate) create: bool,
    pub(crate) check_later: bool,
    pub(crate) callback_url: Option<String>,
    pub(crate) account: Option<String>,
    pub(crate) timeout: Duration,
    pub(crate) calls_per_second: u32,
    pub(crate) calls_at_once: u32,
    pub(crate) durability_vouched: Vec<String>,
    pub(crate) pay_wait: Duration,
    pub(crate) memory_for_tests: bool,
}

/// The place where the rows are stored.
#[derive(Clone)]
pub(crate) enum Place {
    /// A SQLite file.
    File(PathBuf),
    /// The merchant's own database.
    Database(Arc<dyn Store>),
}

impl fmt::Debug for Place {
    fn fmt(&self, f: &mut fmt::Formatter<'_>) -> fmt::Result {
        match self {
            Place::File(file) => file.fmt(f),
            Place::Database(store) => store.dialect().fmt(f),
        }
    }
}

impl JournalConfig {
    /// All settings, with the names that they have in the other languages.
    pub const SETTINGS: &'static [Setting] = &[
        Setting {
            name: "file",
            kind: SettingKind::File,
            needed: false,
            default: None,
            doc: "The absolute path of the SQLite file, which only the journal uses.",
            since: "0.2.0",
        },
        Setting {
            name: "callback_url",
            kind: SettingKind::Text,
            needed: false,
            default: None,
            doc: "The URL that receives the service's webhooks; each attempt adds its own token.",
            since: "0.2.0",
        },
        Setting {
            name: "account",
            kind: SettingKind::Text,
            needed: false,
            default: None,
            doc: "The name of the account whose payments the journal stores; the base URL unless set.",
            since: "0.2.0",
        },
        Setting {
            name: "timeout",
            kind: SettingKind::Milliseconds,
            needed: false,
            default: Some("30000"),
            doc: "The deadline of a payment, which includes storing it: 30 s unless set, at least 15 s.",
            since: "0.2.0",
        },
        Setting {
            name: "calls_per_second",
            kind: SettingKind::Number,
            needed: false,
            default: Some("10"),
            doc: "The largest number of calls that settle makes in a second: 10 unless set.",
            since: "0.2.0",
        },
        Setting {
            name: "calls_at_once",
            kind: SettingKind::Number,
            needed: false,
            default: Some("4"),
            doc: "The largest number of calls that settle makes at the same time: 4 unless set, at most 64.",
            since: "0.3.0",
        },
        Setting {
            name: "create",
            kind: SettingKind::Flag,
            needed: false,
            default: Some("0"),
            doc: "Creates the file or the tables if they are missing; off by default.",
            since: "0.3.0",
        },
        Setting {
            name: "pay_wait",
            kind: SettingKind::Milliseconds,
            needed: false,
            default: Some("5000"),
            doc: "The time that pay waits for a running call of the same payment: 5 s by default, 0 for no wait.",
            since: "0.3.0",
        },
        Setting {
            name: "durability_vouched",
            kind: SettingKind::Texts,
            needed: false,
            default: None,
            doc: "Database settings, separated by commas, that the merchant accepts although they can lose a row: opening does not refuse them.",
            since: "0.3.0",
        },
    ];

    /// Makes settings for a journal in this file. The path must be absolute. The file must exist, unless
    /// [`create`](Self::create) is set.
    pub fn new(file: impl AsRef<Path>) -> JournalConfig {
        JournalConfig::at(Place::File(file.as_ref().to_owned()))
    }

    /// Makes settings for a journal in the merchant's own database. The journal's tables must exist: see
    /// [`schema`](crate::schema).
    pub fn over(store: impl Store + 'static) -> JournalConfig {
        JournalConfig::at(Place::Database(Arc::new(store)))
    }

    fn at(place: Place) -> JournalConfig {
        JournalConfig {
            place,
            create: false,
            check_later: false,
            callback_url: None,
            account: None,
            timeout: Duration::from_secs(30),
            calls_per_second: 10,
            calls_at_once: 4,
            durability_vouched: Vec::new(),
            pay_wait: Duration::from_secs(5),
            memory_for_tests: false,
        }
    }

    /// Sets the URL to which the service sends webhooks; `/` and a token are added for each attempt. Without
    /// a callback URL `pay` works and `pay_async` does not. If there is no callback URL and a reply is lost,
    /// only an operator can find the payment.
    #[must_use]
    pub fn callback_url(mut self, url: impl Into<String>) -> JournalConfig {
        self.callback_url = Some(url.into());
        self
    }

    /// Names the merchant's account at the service; without a name the base URL is the name. A name stays
    /// valid when the base URL changes. The journal refuses a client of another account.
    #[must_use]
    pub fn account(mut self, account: impl Into<String>) -> JournalConfig {
        self.account = Some(account.into());
        self
    }

    /// Sets the deadline of a payment, at least 15 s. The time begins before the payment is stored. After the
    /// deadline no request is sent.
    #[must_use]
    pub fn timeout(mut self, timeout: Duration) -> JournalConfig {
        self.timeout = timeout;
        self
    }

    /// Sets how long a repeated `pay` waits for the running call of the same payment: 5 s unless set; 0
    /// disables waiting. The repeated `pay` returns the result of the running call. If that call has not
    /// ended by then, `pay` returns the entry as `sending`.
    #[must_use]
    pub fn pay_wait(mut self, wait: Duration) -> JournalConfig {
        self.pay_wait = wait;
        self
    }

    /// Sets how many calls `settle` makes per second at most.
    #[must_use]
    pub fn calls_per_second(mut self, calls: u32) -> JournalConfig {
        self.calls_per_second = calls;
        self
    }

    /// Sets how many calls `settle` makes concurrently: 4 unless set, at most 64. If the client has its own
    /// [signer](merchantpay::Signer) or [observer](merchantpay::Config::observer), the calls run one after
    /// another on the caller's thread.
    #[must_use]
    pub fn calls_at_once(mut self, calls: u32) -> JournalConfig {
        self.calls_at_once = calls;
        self
    }

    /// Creates the file or the tables if they are missing. This setting is off by default: otherwise a
    /// wrong path or an unmounted volume would look like a journal without payments. In production
    /// `merchantpay journal init` or a migration creates the file or the tables once.
    #[must_use]
    pub fn create(mut self, create: bool) -> JournalConfig {
        self.create = create;
        self
    }

    /// Accepts settings of the database that could lose a stored payment, such as `sync_binlog`. The merchant
    /// then guarantees that no commit is lost. Separate several settings by commas, or add each one by a
    /// separate call. [`Stats`](crate::Stats) shows the accepted settings.
    #[must_use]
    pub fn durability_vouched(mut self, settings: impl AsRef<str>) -> JournalConfig {
        let names = settings.as_ref().split(',').map(|name| name.trim().to_owned());
        self.durability_vouched.extend(names.filter(|name| !name.is_empty()));
        self
    }

    /// Checks the database together with the first attempt that is read, instead of when the journal is
    /// opened. This saves a statement in a process that opens a journal for each web request. If the database
    /// has a fault, the first operation then fails before it sends anything. A file is always checked when it
    /// is opened.
    #[must_use]
    pub fn check_later(mut self, later: bool) -> JournalConfig {
        self.check_later = later;
        self
    }

    /// Accepts a SQLite database in memory. It loses every payment when its connection closes, and a second
    /// connection does not see them: for tests that use one connection.
    #[must_use]
    pub fn memory_for_tests(mut self) -> JournalConfig {
        self.memory_for_tests = true;
        self
    }

    /// The settings as the journal uses them.
    ///
    /// # Errors
    ///
    /// `invalid_argument` if no journal can be opened with these settings.
    pub(crate) fn checked(mut self) -> Result<JournalConfig> {
        let clean = |name, text: Option<String>| -> Result<Option<String>> {
            let setting = Setting::among(JournalConfig::SETTINGS, name)?;
            text.map(|text| setting.clean(&text).map(str::to_owned)).transpose()
        };
        self.callback_url = clean("callback_url", self.callback_url)?;
        self.account = clean("account", self.account)?;
        for name in &self.durability_vouched {
            Setting::texts("durability_vouched", name)?;
        }
        self.check().map(|()| self)
    }

    fn check(&self) -> Result<()> {
        if self.timeout < SHORTEST_TIMEOUT {
            return Err(Error::invalid_argument(
                "the deadline must be at least 15 s: the service itself can take 10 s",
            ));
        }
        if self.calls_per_second == 0 {
            return Err(Error::invalid_argument("calls_per_second must be greater than 0"));
        }
        if !(1..=MOST_AT_ONCE).contains(&self.calls_at_once) {
            return Err(Error::invalid_argument(format!("calls_at_once must be from 1 to {MOST_AT_ONCE}")));
        }
        if self.account.as_ref().is_some_and(String::is_empty) {
            return Err(Error::invalid_argument("the account must not be empty"));
        }
        if let Some(name) = self.durability_vouched.iter().find(|name| !VOUCHABLE.contains(&name.as_str())) {
            let known = VOUCHABLE.join(", ");
            return Err(Error::invalid_argument(format!(
                "durability_vouched has the unknown name {name:?}: it accepts {known}"
            )));
        }
        if let Some(url) = &self.callback_url {
            if url.contains(['?', '#']) {
                return Err(Error::invalid_argument("the callback URL must not have a query or a fragment"));
            }
            check_callback_url(url)?;
        }
        Ok(())
    }
}

/// Checks that the service can send webhooks to a URL.
///
/// # Errors
///
/// `invalid_argument`.
fn check_callback_url(url: &str) -> Result<()> {
    let request =
        PaymentRequest::new(1, PaymentMethod::Sbp, "1").status_webhook_url(format!("{url}/{ANY_TOKEN}"));
    request
        .checked_body(false)
        .map(drop)
        .map_err(|_| Error::invalid_argument("the callback URL must be an absolute http or https URL"))
}
