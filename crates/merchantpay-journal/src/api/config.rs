//! The settings of a journal, beside its client.

use std::path::{Path, PathBuf};
use std::sync::Arc;
use std::time::Duration;

use merchantpay::{Error, PaymentMethod, PaymentRequest, Result, Setting, SettingKind, check_path};

use crate::store::{Database, Limits, Options, Store};

/// The service alone may take 10 s for a payment.
const SHORTEST_TIMEOUT: Duration = Duration::from_secs(15);
/// A longer timeout counts as this, so that a call of whatever process has ended after it.
pub(crate) const LONGEST_TIMEOUT: Duration = Duration::from_secs(600);

/// The settings of a journal. [`Journal::open`](crate::Journal::open) checks them.
#[derive(Clone)]
pub struct JournalConfig {
    place: Place,
    options: Options,
    pub(crate) callback_url: Option<String>,
    pub(crate) timeout: Duration,
    pub(crate) pay_wait: Duration,
}

#[derive(Clone)]
enum Place {
    Named(String),
    Own(Arc<dyn Store>),
}

type Apply = fn(&mut JournalConfig, &Setting, &str) -> Result<()>;

macro_rules! settings {
    ($( $( #[doc = $doc:literal] )+ $name:literal $kind:ident $(needed $needed:literal)? $(, unless set $default:literal)? $(, since $since:literal)? => $apply:expr; )+) => {
        /// Every setting of a journal. The languages, the program's flags and the pages are generated from
        /// them.
        pub const SETTINGS: &[Setting] = &[ $( Setting {
            name: $name,
            kind: SettingKind::$kind,
            needed: false $(|| $needed)?,
            default: settings!(@default $($default)?),
            doc: concat!($($doc),+).trim_ascii(),
            since: merchantpay::since!($($since)?),
        }, )+ ];

        const APPLIED: &[Apply] = &[ $( $apply, )+ ];
    };
    (@default) => { None };
    (@default $default:literal) => { Some($default) };
}

settings! {
    /// Where the journal is: the absolute path of a file that only the journal uses, postgresql://… or
    /// mysql://….
    "place" Secret needed true, since "0.4.0"
        => |config, _, text| { config.place = Place::Named(text.to_owned()); Ok(()) };
    /// The URL to which the service sends webhooks; each attempt adds its own token.
    "callback_url" Text, since "0.2.0"
        => |config, _, text| { config.callback_url = Some(text.to_owned()); Ok(()) };
    /// Creates the file or the tables if they are missing. Off by default: a wrong path would look like a new
    /// shop.
    "create" Flag, unless set "0", since "0.3.0"
        => |config, row, text| { config.options.create = row.flag(text)?; Ok(()) };
    /// How long a repeated pay waits for the running call of the same payment; 0 for no wait.
    "pay_wait" Milliseconds, unless set "5000", since "0.3.0"
        => |config, row, text| { config.pay_wait = milliseconds(row, text)?; Ok(()) };
    /// The deadline of a payment, which includes storing it: at least 15 s, at most 10 min.
    "timeout" Milliseconds, unless set "30000", since "0.2.0"
        => |config, row, text| { config.timeout = milliseconds(row, text)?; Ok(()) };
    /// Settings of the database that can lose a commit and that the merchant accepts, separated by commas.
    "durability_vouched" Texts, since "0.3.0"
        => |config, row, text| { config.options.durability_vouched = Setting::texts(row.name, text)?; Ok(()) };
    /// A file whose first line is the database's password. It is read again for each connection.
    "password_file" SecretFile, since "0.4.0"
        => |config, _, text| { config.options.password_file = Some(PathBuf::from(text)); Ok(()) };
    /// The most connections of this process to a database.
    "connections" Number, unless set "1", since "0.4.0"
        => |config, row, text| { config.options.limits.connections = row.number(text)?; Ok(()) };
}

fn milliseconds(row: &Setting, text: &str) -> Result<Duration> {
    row.number::<u32>(text).map(|number| Duration::from_millis(number.into()))
}

impl JournalConfig {
    /// A journal in a file of its own, by its absolute path, or in a database, by `postgresql://…` or
    /// `mysql://…`.
    pub fn new(place: impl Into<String>) -> JournalConfig {
        JournalConfig::at(Place::Named(place.into()))
    }

    /// A journal in a program's own store. Its tables must exist: see
    /// [`operator::schema`](crate::operator::schema).
    pub fn over(store: impl Store + 'static) -> JournalConfig {
        JournalConfig::at(Place::Own(Arc::new(store)))
    }

    fn at(place: Place) -> JournalConfig {
        JournalConfig {
            place,
            options: Options::default(),
            callback_url: None,
            timeout: Duration::from_secs(30),
            pay_wait: Duration::from_secs(5),
        }
    }

    /// Sets one of [`SETTINGS`] by its name with its unit, such as `timeout_ms`, from text.
    ///
    /// # Errors
    ///
    /// `invalid_argument` with the setting's name.
    pub fn set(mut self, name: &str, text: &str) -> Result<JournalConfig> {
        let row = Setting::among(SETTINGS, name)?;
        let place = SETTINGS.iter().position(|setting| setting.name == row.name);
        if let Some(apply) = place.and_then(|place| APPLIED.get(place)) {
            apply(&mut self, row, text)?;
        }
        Ok(self)
    }

    /// Sets the URL to which the service sends webhooks; each attempt adds `/` and its token. Without it
    /// `pay_async` does not work, and a payment whose reply was lost can only be found by a person.
    #[must_use]
    pub fn callback_url(mut self, url: impl Into<String>) -> JournalConfig {
        self.callback_url = Some(url.into());
        self
    }

    /// Sets the deadline of a payment, from 15 s to 10 min; 30 s unless set. Nothing is sent after it.
    #[must_use]
    pub fn timeout(mut self, timeout: Duration) -> JournalConfig {
        self.timeout = timeout;
        self
    }

    /// Sets how long a repeated `pay` waits for the running call of the same payment: 5 s unless set.
    #[must_use]
    pub fn pay_wait(mut self, wait: Duration) -> JournalConfig {
        self.pay_wait = wait;
        self
    }

    /// Creates the file or the tables if they are missing. In production `merchantpay journal init` does it
    /// once: otherwise a volume that is not mounted would look like a shop without payments.
    #[must_use]
    pub fn create(mut self, create: bool) -> JournalConfig {
        self.options.create = create;
        self
    }

    /// Accepts settings of the database that can lose a commit, such as `sync_binlog`. A lost commit can
    /// become a second payment.
    #[must_use]
    pub fn durability_vouched<T: Into<String>>(
        mut self,
        names: impl IntoIterator<Item = T>,
    ) -> JournalConfig {
        self.options.durability_vouched.extend(names.into_iter().map(Into::into));
        self
    }

    /// Reads the database's password from this file, again for each connection.
    #[must_use]
    pub fn password_file(mut self, file: impl Into<PathBuf>) -> JournalConfig {
        self.options.password_file = Some(file.into());
        self
    }

    /// Sets the most connections of this process to a database: 1 unless set.
    #[must_use]
    pub fn connections(mut self, connections: usize) -> JournalConfig {
        self.options.limits = Limits { connections, ..self.options.limits };
        self
    }

    /// Accepts the place `:memory:`, which forgets every payment at the end of the process. For tests.
    #[must_use]
    pub fn in_memory(mut self, in_memory: bool) -> JournalConfig {
        self.options.in_memory = in_memory;
        self
    }

    pub(crate) fn vouched(&self) -> &[String] {
        &self.options.durability_vouched
    }

    pub(crate) fn open(&self) -> Result<Database> {
        let named = |error: Error| match error.code() {
            merchantpay::Code::InvalidArgument if !error.message().starts_with("durability_vouched") => {
                Error::invalid_argument(format!("place: {}", error.message()))
            }
            _ => error,
        };
        match &self.place {
            Place::Named(place) => Database::open(place, &self.options).map_err(named),
            Place::Own(store) => Database::over(store.clone(), &self.options),
        }
    }

    /// # Errors
    ///
    /// `invalid_argument` with the setting's name.
    pub(crate) fn checked(mut self) -> Result<JournalConfig> {
        if self.timeout < SHORTEST_TIMEOUT {
            return Err(wrong("timeout", "must be at least 15 s: the service alone may take 10 s"));
        }
        if self.options.limits.connections == 0 {
            return Err(wrong("connections", "must be at least 1"));
        }
        if let Place::Named(place) = &mut self.place {
            match place.contains("://") {
                true => *place = cleaned("place", place)?,
                false => check_path("place", Path::new(place))?,
            }
        }
        if let Some(file) = &self.options.password_file {
            check_path("password_file", file)?;
        }
        if let Some(url) = self.callback_url.take() {
            let url = cleaned("callback_url", &url)?;
            if url.contains(['?', '#']) {
                return Err(wrong(
                    "callback_url",
                    "must not have a query or a fragment: a token is added to it",
                ));
            }
            let probe =
                PaymentRequest::new(1, PaymentMethod::Sbp, "1").status_webhook_url(&url).checked_body(false);
            if probe.is_err() {
                return Err(wrong(
                    "callback_url",
                    "must be an absolute http or https URL without a password",
                ));
            }
            self.callback_url = Some(url.trim_end_matches('/').to_owned());
        }
        self.timeout = self.timeout.min(LONGEST_TIMEOUT);
        self.pay_wait = self.pay_wait.min(LONGEST_TIMEOUT);
        Ok(self)
    }
}

fn cleaned(name: &str, text: &str) -> Result<String> {
    Setting::among(SETTINGS, name)?.clean(text).map(str::to_owned)
}

fn wrong(name: &str, why: &str) -> Error {
    Error::invalid_argument(format!("{name} {why}"))
}

/// Leaves the place out: it may have a password.
impl std::fmt::Debug for JournalConfig {
    fn fmt(&self, f: &mut std::fmt::Formatter<'_>) -> std::fmt::Result {
        let mut shown = f.debug_struct("JournalConfig");
        shown.field("callback_url", &self.callback_url).field("timeout", &self.timeout);
        shown.field("pay_wait", &self.pay_wait).finish_non_exhaustive()
    }
}
