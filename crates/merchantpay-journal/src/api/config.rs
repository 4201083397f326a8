//! The settings of a journal, beside its client.

use std::path::{Path, PathBuf};
use std::sync::Arc;
use std::time::Duration;

use merchantpay::{
    Error, PaymentMethod, PaymentRequest, Refused, Result, Setting, SettingKind, SettingValue, check_path,
};

use crate::model::clock::LONGEST_TIMEOUT;
use crate::store::{Database, Options, Store};

/// The service alone may take 10 s for a payment.
const SHORTEST_TIMEOUT: Duration = Duration::from_secs(15);

/// The settings of a journal. [`Journal::open`](crate::Journal::open) checks them.
#[derive(Clone)]
pub struct JournalConfig {
    place: Place,
    options: Options,
    pub(crate) callback_url: Option<String>,
    pub(crate) timeout: Duration,
    pub(crate) pay_wait: Duration,
    refused: Refused,
}

#[derive(Clone)]
enum Place {
    Named(String),
    Own(Arc<dyn Store>),
}

macro_rules! settings {
    ($( $( #[doc = $doc:literal] )+ $name:literal $kind:ident $(needed $needed:literal)? $(, unless set $default:literal)? $(, since $since:literal)? => $($field:ident).+ $(, set by $setter:ident: $type:ty)?; )+) => {
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

        impl JournalConfig {
            fn read(&mut self, row: &Setting, text: &str) -> Result<()> {
                match row.name {
                    $( $name => row.read(&mut self.$($field).+, text), )+
                    _ => Ok(()),
                }
            }

            fn unset(&mut self, name: &str) {
                let default = JournalConfig::new("");
                match name {
                    $( $name => self.$($field).+ = default.$($field).+, )+
                    _ => {}
                }
            }

            $( settings!(@setter [$($setter: $type)?] [$($field).+] $($doc)+); )+
        }
    };
    (@default) => { None };
    (@default $default:literal) => { Some($default) };
    (@setter [] [$($field:ident).+] $($doc:literal)+) => {};
    (@setter [$setter:ident: $type:ty] [$($field:ident).+] $($doc:literal)+) => {
        $( #[doc = $doc] )+
        #[must_use]
        pub fn $setter(mut self, value: $type) -> JournalConfig {
            self.$($field).+ = value;
            self
        }
    };
}

settings! {
    /// Where the journal is: the absolute path of a file that only the journal uses, postgresql://… or
    /// mysql://….
    "place" Secret needed true, since "0.4.0" => place;
    /// The URL to which the service sends webhooks; each attempt adds its own token.
    "callback_url" Text, since "0.2.0" => callback_url;
    /// Creates the file or the tables if they are missing. Off by default: a wrong path would look like a new
    /// shop.
    "create" Flag, unless set "0", since "0.3.0" => options.create, set by create: bool;
    /// How long a repeated pay waits for the running call of the same payment; 0 for no wait.
    "pay_wait" Milliseconds, unless set "5000", since "0.3.0" => pay_wait, set by pay_wait: Duration;
    /// The deadline of a payment, which includes storing it; nothing is sent after it. At least 15 s, at most
    /// 10 min.
    "timeout" Milliseconds, unless set "30000", since "0.2.0" => timeout, set by timeout: Duration;
    /// Settings of the database that can lose a commit and that the merchant accepts, separated by commas.
    "durability_vouched" Texts, since "0.3.0" => options.durability_vouched;
    /// A file whose first line is the database's password. It is read again for each connection.
    "password_file" SecretFile, since "0.4.0" => options.password_file;
    /// The most connections of this process to a database.
    "connections" Number, unless set "1", since "0.4.0" => options.limits.connections, set by connections: usize;
}

impl SettingValue for Place {
    fn read(&mut self, _: &Setting, text: &str) -> Result<()> {
        *self = Place::Named(text.to_owned());
        Ok(())
    }
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
            refused: Refused::default(),
        }
    }

    /// Sets one of [`SETTINGS`] by its name with its unit, such as `timeout_ms`, from text; `None` unsets it. A
    /// text with several values, separated by commas, is added to those that are set.
    ///
    /// # Errors
    ///
    /// `invalid_argument` with the setting's name. The error is remembered until the setting gets a usable value.
    pub fn set<'t>(&mut self, name: &str, text: impl Into<Option<&'t str>>) -> Result<()> {
        let row = Setting::among(SETTINGS, name)?;
        let read = match text.into() {
            Some(text) => self.read(row, text),
            None => {
                self.unset(row.name);
                Ok(())
            }
        };
        self.refused.note(row.name, read)
    }

    /// Remembers that a setting got a value that is not even text.
    #[doc(hidden)]
    pub fn refuse(&mut self, name: &str, error: Error) -> Result<()> {
        let row = Setting::among(SETTINGS, name)?;
        self.refused.note(row.name, Err(error))
    }

    /// Sets the URL to which the service sends webhooks; each attempt adds `/` and its token. Without it
    /// `pay_async` does not work, and a payment whose reply was lost can only be found by a person.
    #[must_use]
    pub fn callback_url(mut self, url: impl Into<String>) -> JournalConfig {
        self.callback_url = Some(url.into());
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

    pub(crate) fn vouched(&self) -> &[String] {
        &self.options.durability_vouched
    }

    pub(crate) fn open(&self) -> Result<Database> {
        let named = |error: Error| match error.code() {
            merchantpay::Code::InvalidArgument => error.in_argument("place"),
            _ => error,
        };
        match &self.place {
            Place::Named(place) => Database::open(place, &self.options).map_err(named),
            Place::Own(store) => Database::over(store.clone(), &self.options),
        }
    }

    pub(crate) fn checked(mut self) -> Result<JournalConfig> {
        self.refused.check(SETTINGS.iter().map(|row| row.name))?;
        if self.timeout < SHORTEST_TIMEOUT {
            return Err(wrong("timeout_ms", "must be at least 15 s: the service alone may take 10 s"));
        }
        if self.options.limits.connections == 0 {
            return Err(wrong("connections", "must be at least 1"));
        }
        if let Place::Named(place) = &mut self.place {
            match place.contains("://") {
                _ if place.is_empty() => return Err(wrong("place", "is missing")),
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
    Error::about(name, why)
}

/// Leaves the place out: it may have a password.
impl std::fmt::Debug for JournalConfig {
    fn fmt(&self, f: &mut std::fmt::Formatter<'_>) -> std::fmt::Result {
        let mut shown = f.debug_struct("JournalConfig");
        shown.field("callback_url", &self.callback_url).field("timeout", &self.timeout);
        shown.field("pay_wait", &self.pay_wait).finish_non_exhaustive()
    }
}
