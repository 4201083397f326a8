//! The configuration of a [`Client`](crate::Client), and the table of its settings. The settings do not come from
//! environment variables, except for the place of the operating system's certificates (`SSL_CERT_FILE`,
//! `SSL_CERT_DIR`).

use std::fmt;
use std::path::{Path, PathBuf};
use std::sync::Arc;
use std::time::Duration;

use zeroize::Zeroizing;

use crate::attempt::Attempt;
use crate::error::{Error, Result};
use crate::exchange::Protocol;
use crate::keys::{PrivateKey, PublicKey, RequestSigner, Signer};
use crate::setting::{FromSetting, Refused, Setting, SettingKind};
use crate::setting_text::{TextRule, check_path, clean, trim};
use crate::spki_pin::SpkiPin;
use crate::url::{absolute_url, check_base_url};
use crate::webhook::WebhookVerifier;

/// The client's certificate for the service, and the private key of the certificate, both as PEM.
#[derive(Clone)]
pub(crate) struct ClientCertificate {
    pub(crate) certificates: Vec<u8>,
    pub(crate) key: Zeroizing<Vec<u8>>,
}

/// Cap, so that `Instant + timeout` cannot overflow.
pub(crate) const LONGEST: Duration = Duration::from_secs(u32::MAX as u64);

pub(crate) type Observer = Arc<dyn Fn(&Attempt<'_>) + Send + Sync>;

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
            client_certificate: Option<ClientCertificate>,
            pub(crate) observer: Option<Observer>,
            refused: Refused,
        }

        impl Config {
            /// Nothing but zeros, for the defaults to be set.
            fn zero() -> Config {
                Config {
                    $( $field: Default::default(), )+
                    client_certificate: None,
                    observer: None,
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
    /// An HTTP proxy, as http://[user:password@]host:port. Variables such as HTTP_PROXY are not read.
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

/// PEM texts, one after the other.
#[derive(Clone, Default)]
pub(crate) struct Pem(pub(crate) Vec<u8>);

impl Pem {
    /// Ends each text with a line end, so that two files are not glued together.
    fn push(&mut self, pem: &[u8]) {
        if !pem.is_empty() {
            self.0.extend_from_slice(pem);
            self.0.push(b'\n');
        }
    }
}

impl crate::setting::SettingValue for Pem {
    fn read(&mut self, _: &Setting, text: &str) -> Result<()> {
        *self = Pem::default();
        self.push(text.as_bytes());
        Ok(())
    }
}

impl FromSetting for RequestSigner {
    fn from_setting(_: &Setting, text: &str) -> Result<RequestSigner> {
        PrivateKey::from_base64(text).map(RequestSigner::new)
    }
}

impl FromSetting for PublicKey {
    fn from_setting(_: &Setting, text: &str) -> Result<PublicKey> {
        if text.contains(',') {
            return Err(Error::invalid_key("the public key contains a comma: give one key"));
        }
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
    /// Makes a configuration from the four settings that have no default: the base URL, the merchant's key id
    /// and private key, and the service's public key.
    pub fn new(
        base_url: impl Into<String>,
        key_id: impl Into<String>,
        signer: impl Signer + 'static,
        server_public_key: PublicKey,
    ) -> Config {
        Config {
            base_url: trim(&base_url.into()).to_owned(),
            key_id: key_id.into(),
            server_public_keys: vec![server_public_key],
            ..Config::default().signer(signer)
        }
    }

    /// Makes a configuration from texts, in the format of environment variables: lists with commas, times in
    /// milliseconds, flags as 1 or 0. `text` returns the text of a setting. `None` and an empty text mean
    /// that the setting is not set.
    ///
    /// # Errors
    ///
    /// `invalid_argument` or `invalid_key` if a required setting is missing, or if a setting cannot be read.
    /// The error names the setting and does not show its text.
    pub fn from_texts(text: impl FnMut(&Setting) -> Option<String>) -> Result<Config> {
        let mut config = Config::default();
        config.set_all(SETTINGS.iter(), text)?;
        config.check()?;
        Ok(config)
    }

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

    /// Adds to a list like [`set`](Config::set), but an earlier refusal of this list stays: for a host that ignores
    /// the error of one element.
    #[doc(hidden)]
    pub fn add(&mut self, name: &str, text: &str) -> Result<()> {
        let refused = self.refused.get(name).cloned();
        self.set(name, text)?;
        if let Some(error) = refused {
            let _ = self.refuse(name, error);
        }
        Ok(())
    }

    /// Remembers that a setting got a value that is not even text.
    #[doc(hidden)]
    pub fn refuse(&mut self, name: &str, error: Error) -> Result<()> {
        let row = Setting::among(SETTINGS, name)?;
        self.refused.note(row.name, Err(error))
    }

    /// Signs with the host's code, or with a key.
    #[must_use]
    pub fn signer(mut self, signer: impl Signer + 'static) -> Config {
        self.signer = Some(RequestSigner::new(signer));
        self
    }

    /// Adds a public key of the service, for a time in which the service rotates its keys.
    #[must_use]
    pub fn server_public_key(mut self, key: PublicKey) -> Config {
        self.server_public_keys.push(key);
        self
    }

    /// Adds a key id of the service. If any key id is set, each reply must have one of the set key ids. An empty
    /// key id adds nothing.
    #[must_use]
    pub fn server_key_id(mut self, key_id: impl Into<String>) -> Config {
        self.server_key_ids.push(key_id.into());
        self
    }

    /// The `User-Agent` header.
    #[must_use]
    pub fn user_agent(mut self, user_agent: impl Into<String>) -> Config {
        self.user_agent = user_agent.into();
        self
    }

    /// An HTTP proxy, as `http://[user:password@]host:port`. The proxy must open a tunnel (`CONNECT`), even
    /// for a service with plain http.
    #[must_use]
    pub fn proxy(mut self, url: impl Into<String>) -> Config {
        self.proxy = Some(trim(&url.into()).to_owned());
        self
    }

    /// The PEM certificates of a CA to trust in addition to the operating system's CAs. An empty text changes
    /// nothing. You can also give the server's own certificate, if it is not the certificate of a CA
    /// (`basicConstraints=CA:FALSE`).
    #[must_use]
    pub fn ca_pem(mut self, pem: impl AsRef<[u8]>) -> Config {
        self.ca_pem.push(pem.as_ref());
        self
    }

    /// Like [`ca_pem`](Config::ca_pem), but reads the certificates from a file immediately.
    ///
    /// # Errors
    ///
    /// `invalid_argument` if the file cannot be read.
    pub fn ca_file(self, path: impl AsRef<Path>) -> Result<Config> {
        let pem = read_pem(path.as_ref(), "ca_file", "CA")?;
        Ok(self.ca_pem(pem))
    }

    /// Pins the public key of the service's own certificate. A pin is `sha256/` and the base64 of the SHA-256
    /// of the certificate's `SubjectPublicKeyInfo`. If pins are set, a connection needs a trusted
    /// certificate, and the key of this certificate must match one of the pins. Add the pin of the next key
    /// before the service changes its key. A pin of a CA does not work: only the service's own certificate is
    /// compared. Pins do not apply to plain http, or to the connection to an https proxy.
    ///
    /// This command computes the base64 in the pin of a certificate: `openssl x509 -in service.pem -noout
    /// -pubkey | openssl pkey -pubin -outform DER | openssl dgst -sha256 -binary | base64`.
    ///
    /// # Errors
    ///
    /// `invalid_argument` if the text is not a pin.
    pub fn pin_spki(mut self, pin: impl AsRef<str>) -> Result<Config> {
        self.pins.push(SpkiPin::parse(clean("pin_spki", TextRule::Token, pin.as_ref())?)?);
        Ok(self)
    }

    /// The certificate that the client shows if the service asks for a client certificate (mTLS), with its
    /// chain, and the private key of the certificate. Both are PEM. The library zeroizes its copies of the
    /// key after their last use. ring, which signs with the key, keeps another copy that is not zeroized. A
    /// proxy never gets the certificate.
    #[must_use]
    pub fn client_certificate(
        mut self,
        certificate_pem: impl AsRef<[u8]>,
        key_pem: impl AsRef<[u8]>,
    ) -> Config {
        self.client_certificate = Some(ClientCertificate {
            certificates: certificate_pem.as_ref().to_vec(),
            key: Zeroizing::new(key_pem.as_ref().to_vec()),
        });
        self
    }

    /// Like [`client_certificate`](Config::client_certificate), but reads the certificate and the key from
    /// files immediately.
    ///
    /// # Errors
    ///
    /// `invalid_argument` if one of the files cannot be read.
    pub fn client_certificate_files(
        mut self,
        certificate: impl AsRef<Path>,
        key: impl AsRef<Path>,
    ) -> Result<Config> {
        self.client_certificate = Some(read_pair(certificate.as_ref(), key.as_ref())?);
        Ok(self)
    }

    /// Sets an observer. It receives an entry after every HTTP attempt, on the thread that makes the call. A
    /// panic in the observer is ignored.
    #[must_use]
    pub fn observer(mut self, observer: impl Fn(&Attempt<'_>) + Send + Sync + 'static) -> Config {
        self.observer = Some(Arc::new(observer));
        self
    }

    /// Makes a [`Protocol`] with the same settings. The protocol does no I/O.
    ///
    /// # Errors
    ///
    /// The same errors as [`Protocol::new`].
    pub fn protocol(&self) -> Result<Protocol> {
        self.check()?;
        let signer = self.signer.clone().ok_or_else(|| missing("private_key"))?;
        Protocol::with_checked_url(
            check_base_url(&self.base_url, self.allow_http)?,
            &self.key_id,
            signer,
            &self.server_public_keys,
            &self.server_key_ids,
        )
    }

    /// Makes a verifier for the webhooks of the same service, with the service's keys and key ids. The
    /// verifier refuses the merchant's own key and key id. Only `server_public_key` is required.
    ///
    /// # Errors
    ///
    /// The same errors as [`WebhookVerifier::with_keys`] and [`WebhookVerifier::refuse_key`].
    pub fn verifier(&self) -> Result<WebhookVerifier> {
        self.refused.check(VERIFIER_SETTINGS.iter().copied())?;
        if self.server_public_keys.is_empty() {
            return Err(missing("server_public_key"));
        }
        let own_id = Some(self.key_id.as_str()).filter(|id| !id.is_empty());
        let verifier = WebhookVerifier::with_keys(&self.server_public_keys, &self.server_key_ids, own_id)?;
        match self.signer.as_ref().map(RequestSigner::public_key).or(self.public_key) {
            Some(own) => verifier.refuse_key(own),
            None => Ok(verifier),
        }
    }

    /// `true` if a private key or a signer is set.
    #[doc(hidden)]
    pub fn has_signer(&self) -> bool {
        self.signer.is_some()
    }

    /// The merchant's own public key, if it is set.
    ///
    /// # Errors
    ///
    /// The error of a refused text.
    #[doc(hidden)]
    pub fn own_public_key(&self) -> Result<Option<PublicKey>> {
        self.refused.check(["public_key"].into_iter())?;
        Ok(self.public_key)
    }

    /// Checks what concerns a client alone, and reads the files.
    pub(crate) fn for_client(mut self) -> Result<Config> {
        self.check()?;
        for (name, time) in [("timeout_ms", self.timeout), ("connect_timeout_ms", self.connect_timeout)] {
            if time.is_zero() {
                return Err(Error::invalid_argument(format!("{name} must be greater than 0")));
            }
        }
        if let Some(path) = self.ca_file.take() {
            self = self.ca_file(path)?;
        }
        if let (Some(certificate), Some(key)) = (self.client_cert_file.take(), self.client_key_file.take()) {
            self = self.client_certificate_files(certificate, key)?;
        }
        Ok(self)
    }

    pub(crate) fn client_pair(&self) -> Option<&ClientCertificate> {
        self.client_certificate.as_ref()
    }

    /// Checks that nothing was refused, that nothing required is missing, and what concerns two settings.
    fn check(&self) -> Result<()> {
        self.refused.check(SETTINGS.iter().map(|row| row.name))?;
        let is_missing = [
            ("base_url", self.base_url.is_empty()),
            ("key_id", self.key_id.is_empty()),
            ("private_key", self.signer.is_none()),
            ("server_public_key", self.server_public_keys.is_empty()),
        ];
        if let Some((name, _)) = is_missing.into_iter().find(|(_, is_missing)| *is_missing) {
            return Err(missing(name));
        }
        if self.client_cert_file.is_some() != self.client_key_file.is_some() {
            return Err(Error::invalid_argument("client_cert_file and client_key_file must be set together"));
        }
        match (self.public_key, &self.signer) {
            (Some(public), Some(signer)) if signer.public_key() != public => {
                Err(Error::invalid_key("public_key is not the public half of private_key"))
            }
            _ => Ok(()),
        }
    }
}

/// The settings of a verifier.
const VERIFIER_SETTINGS: &[&str] =
    &["key_id", "private_key", "public_key", "server_public_key", "server_key_id"];

impl WebhookVerifier {
    /// Makes a verifier from texts in the format of [`Config::from_texts`]. Only `server_public_key` is
    /// required. `server_key_id`, `key_id` and the merchant's own key make the verifier stricter.
    ///
    /// # Errors
    ///
    /// `invalid_argument` or `invalid_key` for a setting that is missing or cannot be read.
    pub fn from_texts(text: impl FnMut(&Setting) -> Option<String>) -> Result<WebhookVerifier> {
        let mut config = Config::default();
        config.set_all(SETTINGS.iter().filter(|row| VERIFIER_SETTINGS.contains(&row.name)), text)?;
        config.verifier()
    }
}

fn missing(name: &str) -> Error {
    Error::invalid_argument(format!("{name} is missing"))
}

fn read_pair(certificate: &Path, key: &Path) -> Result<ClientCertificate> {
    let certificates = read_pem(certificate, "client_cert_file", "client certificate")?;
    let key = Zeroizing::new(read_pem(key, "client_key_file", "client key")?);
    Ok(ClientCertificate { certificates, key })
}

fn read_pem(path: &Path, name: &str, what: &str) -> Result<Vec<u8>> {
    check_path(name, path)?;
    let pem = std::fs::read(path).map_err(|error| {
        Error::invalid_argument(format!("the {what} file {} cannot be read: {error}", path.display()))
    })?;
    if pem.is_empty() {
        return Err(Error::invalid_argument(format!("the {what} file {} is empty", path.display())));
    }
    Ok(pem)
}

impl fmt::Debug for Config {
    fn fmt(&self, f: &mut fmt::Formatter<'_>) -> fmt::Result {
        // A URL that is not usable may contain a password, so the URL is not shown.
        let base_url = absolute_url(&self.base_url).map_or("(not usable)", |_| self.base_url.as_str());
        f.debug_struct("Config")
            .field("base_url", &base_url)
            .field("server_public_keys", &self.server_public_keys)
            .field("timeout", &self.timeout)
            .field("connect_timeout", &self.connect_timeout)
            .field("max_retries", &self.max_retries)
            .field("max_reply_bytes", &self.max_reply_bytes)
            .finish_non_exhaustive()
    }
}
#[cfg(test)]
mod tests {
    use super::*;
    use crate::keys::Keypair;

    /// Reads valid texts, but some of them are replaced by the texts in `others`.
    fn read(others: &[(&str, &str)]) -> Result<Config> {
        let (own, service) = (Keypair::generate()?, Keypair::generate()?);
        Config::from_texts(|setting| {
            let other =
                others.iter().find(|(name, _)| *name == setting.name).map(|(_, text)| (*text).to_owned());
            other.or_else(|| match setting.name {
                "base_url" => Some("https://pay.example".to_owned()),
                "key_id" => Some("key-1".to_owned()),
                "private_key" => Some(own.private_key().to_base64().to_string()),
                "server_public_key" => Some(service.public_key().to_base64()),
                _ => None,
            })
        })
    }

    #[test]
    fn every_setting_is_read_from_its_text() {
        let config = read(&[
            ("timeout", "1500"),
            ("connect_timeout", "700"),
            ("reuse_idle", "0"),
            ("connect_idle", "5"),
            ("max_retries", "0"),
            ("max_reply_bytes", "4096"),
            ("allow_http", "1"),
            ("exclusive_ca", "0"),
            ("server_key_id", "a, b"),
            ("user_agent", "till/1"),
            ("proxy", "http://u:p@proxy:3128"),
        ])
        .unwrap();
        assert_eq!(
            [config.timeout, config.connect_timeout, config.reuse_idle, config.connect_idle]
                .map(|time| time.as_millis()),
            [1500, 700, 0, 5]
        );
        assert_eq!(
            (config.max_retries, config.max_reply_bytes, config.allow_http, config.exclusive_ca),
            (0, 4096, true, false)
        );
        assert_eq!(
            (config.server_key_ids, config.user_agent.as_str()),
            (vec!["a".to_owned(), "b".to_owned()], "till/1")
        );
        assert_eq!(config.proxy.as_deref(), Some("http://u:p@proxy:3128"));
    }

    #[test]
    fn a_client_certificate_is_read_from_its_two_files_together() {
        let file = std::env::temp_dir().join(format!("merchantpay-settings-{}.pem", std::process::id()));
        std::fs::write(&file, "pem").unwrap();
        let path = file.to_str().unwrap();
        let both = [("client_cert_file", path), ("client_key_file", path)];
        assert!(read(&both).unwrap().for_client().unwrap().client_certificate.is_some());
        for one in both {
            assert!(read(&[one]).unwrap_err().message().contains("together"), "{}", one.0);
        }
        std::fs::remove_file(file).unwrap();
    }

    #[test]
    fn a_settings_variable_is_its_name_with_its_unit() {
        let of = |name: &str| {
            let setting = SETTINGS.iter().find(|setting| setting.name == name).unwrap();
            (setting.name_with_unit(), setting.variable())
        };
        let both = |name: &str, variable: &str| (name.to_owned(), variable.to_owned());
        assert_eq!(of("timeout"), both("timeout_ms", "MERCHANTPAY_TIMEOUT_MS"));
        assert_eq!(of("base_url"), both("base_url", "MERCHANTPAY_BASE_URL"));
    }

    #[test]
    fn a_text_that_cannot_be_read_is_named_and_not_shown() {
        for (name, text, message) in [
            ("timeout", "soon", "timeout_ms must be a whole number of milliseconds"),
            ("max_retries", "-1", "max_retries must be a whole number"),
            ("allow_http", "yes", "allow_http must be 1 or 0"),
            ("base_url", "", "base_url is missing"),
            ("server_public_key", " , ", "server_public_key is empty"),
            ("pin_spki", ",", "pin_spki is empty"),
            ("timeout", "1,5", "timeout_ms must be a whole number of milliseconds, without a comma"),
            ("private_key", "a=,", "private_key begins or ends with a comma; remove it"),
            ("public_key", "a=,b=", "public_key: the public key contains a comma: give one key"),
            ("private_key", "{}", "private_key is JSON without privateKey"),
            (
                "private_key",
                "{\"privateKey\":1}",
                "private_key is neither base64 nor the JSON that keygen prints",
            ),
            ("client_key_file", "/nowhere", "client_cert_file and client_key_file must be set together"),
        ] {
            assert_eq!(read(&[(name, text)]).unwrap_err().message(), message, "{name}");
        }
        let other = Keypair::generate().unwrap().public_key().to_base64();
        assert_eq!(read(&[("public_key", &other)]).unwrap_err().code(), crate::Code::InvalidKey);
    }

    #[test]
    fn a_verifier_needs_the_services_public_key_alone_and_refuses_the_merchants_own() {
        let (own, service) = (Keypair::generate().unwrap(), Keypair::generate().unwrap());
        let (own_key, service_key) = (own.public_key().to_base64(), service.public_key().to_base64());
        let private = own.private_key().to_base64();
        let read = |texts: &[(&str, &str)]| {
            let find =
                |name| texts.iter().find(|(other, _)| *other == name).map(|(_, text)| (*text).to_owned());
            WebhookVerifier::from_texts(|setting| find(setting.name)).map_err(|error| error.code())
        };
        assert!(read(&[("server_public_key", &service_key)]).is_ok());
        let both = format!("{service_key}, {own_key}");
        for (name, text) in [("private_key", private.as_str()), ("public_key", &own_key)] {
            assert!(read(&[("server_public_key", &service_key), (name, text)]).is_ok(), "{name}");
            let refused = read(&[("server_public_key", &both), (name, text)]).err();
            assert_eq!(refused, Some(crate::Code::InvalidKey), "{name}");
        }
        let ids = [("server_public_key", service_key.as_str()), ("server_key_id", "a, b"), ("key_id", "b")];
        assert_eq!(read(&ids).err(), Some(crate::Code::InvalidArgument));
        assert_eq!(read(&[("server_public_key", " , ")]).err(), Some(crate::Code::InvalidArgument));
    }

    #[test]
    fn a_key_may_be_the_json_of_keygen_in_several_lines() {
        let pair = Keypair::generate().unwrap();
        let (private, public) = (pair.private_key().to_base64(), pair.public_key().to_base64());
        let json = format!(
            "\u{feff}{{\r\n \"privateKey\": \"{}\",\r\n \"publicKey\": \"{public}\"\r\n}}\r\n",
            *private
        );
        let mut config = read(&[]).unwrap();
        config.set("private_key", json.as_str()).unwrap();
        config.set("public_key", json.as_str()).unwrap();
        assert_eq!(config.signer.as_ref().unwrap().public_key(), pair.public_key());
        assert!(config.protocol().is_ok());
        let refused =
            config.set("server_public_key", json.as_str()).and_then(|()| config.protocol().map(drop));
        assert!(refused.unwrap_err().message().contains("own public key"));
    }

    #[test]
    fn a_refused_setting_is_an_error_until_it_gets_a_value_or_is_unset() {
        let good = Keypair::generate().unwrap().public_key().to_base64();
        for (name, bad, good) in [
            ("base_url", "'https://pay.example'", "https://pay.example"),
            ("private_key", "k", ""),
            ("timeout_ms", "", "1"),
            ("allow_http", "yes", "0"),
            ("server_public_key", "k", good.as_str()),
            ("pin_spki", "sha1/x", ""),
            ("server_key_id", "\"a\"", "a"),
        ] {
            let mut config = read(&[]).unwrap();
            let refused = config.set(name, bad).unwrap_err();
            assert!(refused.message().contains(name) && !refused.message().contains("sha1/x"), "{refused}");
            assert_eq!(config.protocol().unwrap_err().message(), refused.message());
            let healed = if good.is_empty() { config.set(name, None) } else { config.set(name, good) };
            healed.unwrap();
            let is_key = name == "private_key";
            assert_eq!(
                config.protocol().map_err(|error| error.message().to_owned()).err(),
                is_key.then(|| "private_key is missing".to_owned()),
                "{name}"
            );
        }
        assert!(Config::default().set("time_out", "1").unwrap_err().message().contains("time_out"));
    }

    #[test]
    fn an_element_that_a_host_did_not_look_at_is_not_left_out() {
        let mut config = read(&[]).unwrap();
        let good = Keypair::generate().unwrap().public_key().to_base64();
        assert!(config.add("server_public_key", "bad").is_err());
        config.add("server_public_key", &good).unwrap();
        assert_eq!(config.protocol().unwrap_err().code(), crate::Code::InvalidKey);
        config.set("server_public_key", None).unwrap();
        config.add("server_public_key", &good).unwrap();
        assert!(config.protocol().is_ok());
    }

    #[test]
    fn no_server_key_id_is_an_empty_one() {
        let mut config = read(&[]).unwrap();
        for empty in ["", " ", "\r\n"] {
            config.set("server_key_id", empty).unwrap();
        }
        let config = config.server_key_id("");
        assert!(config.server_key_ids.iter().all(String::is_empty) && config.protocol().is_ok());
    }

    #[test]
    fn a_time_of_zero_is_named() {
        for name in ["timeout_ms", "connect_timeout_ms"] {
            let mut config = read(&[]).unwrap();
            config.set(name, "0").unwrap();
            let error = config.for_client().map(drop).unwrap_err();
            assert_eq!(error.message(), format!("{name} must be greater than 0"));
        }
    }

    #[test]
    fn what_is_not_set_is_what_the_table_says() {
        let config = read(&[]).unwrap();
        let default = |name: &str| {
            SETTINGS.iter().find(|row| row.name == name).and_then(|row| row.default).unwrap().to_owned()
        };
        for (name, value) in [
            ("timeout", config.timeout.as_millis().to_string()),
            ("connect_timeout", config.connect_timeout.as_millis().to_string()),
            ("reuse_idle", config.reuse_idle.as_millis().to_string()),
            ("connect_idle", config.connect_idle.as_millis().to_string()),
            ("max_retries", config.max_retries.to_string()),
            ("max_reply_bytes", config.max_reply_bytes.to_string()),
            ("allow_http", i32::from(config.allow_http).to_string()),
            ("exclusive_ca", i32::from(config.exclusive_ca).to_string()),
        ] {
            assert_eq!(value, default(name), "{name}");
        }
    }
}
