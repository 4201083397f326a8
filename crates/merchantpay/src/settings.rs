//! The table of a client's settings, and how they are set from text.

use std::path::PathBuf;
use std::sync::Arc;
use std::time::Duration;

use zeroize::Zeroizing;

use crate::attempt::{Attempt, Exchanged};
use crate::error::{Error, Result};
use crate::keys::{PrivateKey, PublicKey, RequestSigner};
use crate::setting::{FromSetting, Refused, Setting, SettingKind, SettingValue};
use crate::spki_pin::SpkiPin;

/// The client's certificate for the service, and the private key of the certificate, both as PEM.
#[derive(Clone)]
pub(crate) struct ClientCertificate {
    pub(crate) certificates: Vec<u8>,
    pub(crate) key: Zeroizing<Vec<u8>>,
}

pub(crate) type Observer = Arc<dyn Fn(&Attempt<'_>) + Send + Sync>;
pub(crate) type Tap = Arc<dyn Fn(&Exchanged<'_>) + Send + Sync>;

/// Declares the settings: the table, the configuration's fields, and the setters of numbers, flags and times.
macro_rules! settings {
    ($(
        $( #[doc = $doc:literal] )+
        $field:ident: $type:ty = $name:literal $kind:ident $(needed $needed:literal)? $(, unless set $default:literal)? $(, since $since:literal)?;
    )+) => {
        /// Every setting of a client that is not a callback.
        pub const SETTINGS: &[Setting] = &[ $( Setting {
            name: $name,
            kind: SettingKind::$kind,
            needed: false $(|| $needed)?,
            default: settings!(@default $($default)?),
            doc: concat!($($doc),+).trim_ascii(),
            since: crate::since!($($since)?),
        }, )+ ];

        /// The settings of a client: [`SETTINGS`] and two callbacks. They are checked when the client is made.
        ///
        /// Each setting can be set by a method, or by [`set`](Config::set) from text. A refused text is
        /// remembered: nothing can be made of the configuration until the setting gets a usable value.
        #[derive(Clone)]
        pub struct Config {
            $( pub(crate) $field: $type, )+
            /// From memory, instead of the files.
            pub(crate) client_certificate: Option<ClientCertificate>,
            pub(crate) observer: Option<Observer>,
            pub(crate) tap: Option<Tap>,
            pub(crate) refused: Refused,
        }

        impl Config {
            /// Nothing but zeros, for the defaults to be set.
            fn zero() -> Config {
                Config {
                    $( $field: Default::default(), )+
                    client_certificate: None,
                    observer: None,
                    tap: None,
                    refused: Refused::default(),
                }
            }

            fn unset(&mut self, name: &str) {
                let default = Config::default();
                match name {
                    $( $name => self.$field = default.$field, )+
                    _ => {}
                }
            }

            fn read(&mut self, row: &Setting, text: &str) -> Result<()> {
                match row.name {
                    $( $name => row.read(&mut self.$field, text), )+
                    _ => Ok(()),
                }
            }

            $( settings!(@setter $kind $field $type, $($doc)+); )+
        }
    };
    (@default) => { None };
    (@default $default:literal) => { Some($default) };
    (@setter Milliseconds $field:ident $type:ty, $($doc:literal)+) => { settings!(@typed $field $type, $($doc)+); };
    (@setter Number $field:ident $type:ty, $($doc:literal)+) => { settings!(@typed $field $type, $($doc)+); };
    (@setter Bytes $field:ident $type:ty, $($doc:literal)+) => { settings!(@typed $field $type, $($doc)+); };
    (@setter Flag $field:ident $type:ty, $($doc:literal)+) => { settings!(@typed $field $type, $($doc)+); };
    (@setter $kind:ident $field:ident $type:ty, $($doc:literal)+) => {};
    (@typed $field:ident $type:ty, $($doc:literal)+) => {
        $( #[doc = $doc] )+
        #[must_use]
        pub fn $field(mut self, value: $type) -> Config {
            self.$field = value;
            self
        }
    };
}

settings! {
    /// The absolute https URL before /api/v1/merchant/pay. Plain http is allowed to loopback only.
    base_url: String = "base_url" Text needed true;
    /// The merchant's key id, as the service issued it (contract, section 5). It consists of visible ASCII.
    key_id: String = "key_id" Text needed true;
    /// The merchant's private key: base64 of 64 bytes, which are the seed and the public key (contract,
    /// section 5).
    signer: Option<RequestSigner> = "private_key" Secret needed true;
    /// The merchant's own public key, base64 of 32 bytes. It is required if a callback signs. Otherwise it is
    /// only compared with the private key.
    public_key: Option<PublicKey> = "public_key" Text;
    /// The service's public key, base64 of 32 bytes. Set several keys while the service rotates its keys.
    server_public_keys: Vec<PublicKey> = "server_public_key" Texts needed true;
    /// The key ids of the service. If key ids are set, each reply must have one of these key ids. A webhook
    /// may have no key id; otherwise it must also have one of these key ids.
    server_key_ids: Vec<String> = "server_key_id" Texts;
    /// A file with the PEM certificates of a CA to trust in addition to the operating system's CAs.
    ca_file: Option<PathBuf> = "ca_file" File;
    /// The text of the PEM certificates of a CA to trust in addition to the operating system's CAs.
    ca_pem: Pem = "ca_pem" Text;
    /// Trusts only the configured CA, and not the operating system's CAs.
    exclusive_ca: bool = "exclusive_ca" Flag, unless set "0", since "0.2.0";
    /// A pin of the public key of the service's own certificate: `sha256/` and the base64 of the SHA-256 of
    /// the certificate's SubjectPublicKeyInfo. Set several pins while the service changes its key.
    pins: Vec<SpkiPin> = "pin_spki" Texts, since "0.2.0";
    /// A PEM file with the client's certificate and its chain, for a service that requires a client
    /// certificate (mTLS).
    client_cert_file: Option<PathBuf> = "client_cert_file" File, since "0.2.0";
    /// A PEM file with the private key of the client's certificate. It can be the same file as the
    /// certificate's.
    client_key_file: Option<PathBuf> = "client_key_file" SecretFile, since "0.2.0";
    /// An HTTP proxy, as `http://host:port` or `http://user:password@host:port`. Variables such as HTTP_PROXY are not read.
    proxy: Option<String> = "proxy" Secret;
    /// Allows plain http to another machine. Anyone on the network path can then read every account and
    /// signature.
    allow_http: bool = "allow_http" Flag, unless set "0", since "0.2.0";
    /// The `User-Agent` header.
    user_agent: String = "user_agent" Text;
    /// The time limit of a whole call with its retries. The service itself can take 10 s for `newPayment`.
    timeout: Duration = "timeout" Milliseconds, unless set "30000";
    /// The time limit for opening one connection.
    connect_timeout: Duration = "connect_timeout" Milliseconds, unless set "10000";
    /// The time after a response for which the response's connection can be reused for a call that is sent
    /// only once. 0 means never.
    reuse_idle: Duration = "reuse_idle" Milliseconds, unless set "1000", since "0.2.0";
    /// The time for which a connection that was opened early can wait for its first request.
    connect_idle: Duration = "connect_idle" Milliseconds, unless set "10000", since "0.2.0";
    /// The largest number of retries; 0 means no retries. The library retries `getAvailableAmounts` and
    /// `getStatus`, and any other request only if no byte of that request was written.
    max_retries: u32 = "max_retries" Number, unless set "2";
    /// The size of the largest reply body that is read.
    max_reply_bytes: u64 = "max_reply_bytes" Bytes, unless set "1048576";
}

/// PEM texts, each with the name of the setting that gave it.
#[derive(Clone, Default)]
pub(crate) struct Pem(pub(crate) Vec<(&'static str, Vec<u8>)>);

impl Pem {
    pub(crate) fn push(&mut self, setting: &'static str, pem: &[u8]) {
        if !pem.is_empty() {
            self.0.push((setting, pem.to_vec()));
        }
    }
}

impl SettingValue for Pem {
    fn read(&mut self, _: &Setting, text: &str) -> Result<()> {
        *self = Pem::default();
        self.push("ca_pem", text.as_bytes());
        Ok(())
    }
}

fn one_key(text: &str) -> Result<()> {
    match text.contains(',') {
        true => Err(Error::invalid_key("it contains a comma: give one key")),
        false => Ok(()),
    }
}

impl FromSetting for RequestSigner {
    fn from_setting(_: &Setting, text: &str) -> Result<RequestSigner> {
        one_key(text)?;
        PrivateKey::from_base64(text).map(RequestSigner::new)
    }
}

impl FromSetting for PublicKey {
    fn from_setting(_: &Setting, text: &str) -> Result<PublicKey> {
        one_key(text)?;
        PublicKey::from_base64(text)
    }
}

impl FromSetting for SpkiPin {
    fn from_setting(_: &Setting, text: &str) -> Result<SpkiPin> {
        SpkiPin::parse(text)
    }
}

impl Default for Config {
    /// No setting but the defaults. [`set`](Config::set) sets the others.
    fn default() -> Config {
        let mut config = Config::zero();
        concat!("merchantpay/", env!("CARGO_PKG_VERSION")).clone_into(&mut config.user_agent);
        for row in SETTINGS {
            // A test reads each default.
            let _ = row.default.map_or(Ok(()), |default| config.read(row, default));
        }
        config
    }
}

impl Config {
    pub(crate) fn set_all<'r>(
        &mut self,
        mut rows: impl Iterator<Item = &'r Setting>,
        mut text: impl FnMut(&Setting) -> Option<String>,
    ) -> Result<()> {
        rows.try_for_each(|row| match text(row).filter(|text| !text.is_empty()).map(Zeroizing::new) {
            Some(text) => self.set(&row.name_with_unit(), text.as_str()),
            None => Ok(()),
        })
    }

    /// Sets one of [`SETTINGS`] by its name with its unit, such as `timeout_ms`, from text; `None` unsets it. A
    /// text with several values, separated by commas, is added to those that are set. Spaces and line ends around
    /// keys, key ids, pins and URLs are dropped. A key may be the JSON that `merchantpay keygen` prints.
    ///
    /// # Errors
    ///
    /// `invalid_argument`, or `invalid_key` for a key, with the setting's name and without its text. The error is
    /// remembered until the setting gets a usable value.
    ///
    /// ```
    /// let mut config = merchantpay::Config::default();
    /// let error = config.set("timeout_ms", "10s").unwrap_err();
    /// assert_eq!(error.message(), "timeout_ms must be a whole number of milliseconds");
    /// config.set("timeout_ms", "10000")?;
    /// # Ok::<(), merchantpay::Error>(())
    /// ```
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
}
