//! The configuration of a [`Client`](crate::Client): its methods, and what is made of it. The settings do not come
//! from environment variables, except for the place of the operating system's certificates (`SSL_CERT_FILE`,
//! `SSL_CERT_DIR`).

use std::fmt;
use std::path::Path;
use std::sync::Arc;
use std::time::Duration;

use zeroize::Zeroizing;

use crate::attempt::{Attempt, Exchanged};
use crate::error::{Error, Result};
use crate::exchange::Protocol;
use crate::keys::{PublicKey, RequestSigner, Signer};
use crate::setting::Setting;
use crate::setting_text::{TextRule, check_path, clean, trim};
use crate::settings::{ClientCertificate, Config, SETTINGS};
use crate::spki_pin::SpkiPin;
use crate::url::{absolute_url, check_base_url};
use crate::webhook::WebhookVerifier;

/// Cap, so that `Instant + timeout` cannot overflow.
pub(crate) const LONGEST: Duration = Duration::from_secs(u32::MAX as u64);

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
        self.ca_pem.push("ca_pem", pem.as_ref());
        self
    }

    /// Like [`ca_pem`](Config::ca_pem), but reads the certificates from a file immediately.
    pub fn ca_file(mut self, path: impl AsRef<Path>) -> Result<Config> {
        self.ca_pem.push("ca_file", &read_pem(path.as_ref(), "ca_file")?);
        Ok(self)
    }

    /// Pins the public key of the service's own certificate. A pin is `sha256/` and the base64 of the SHA-256
    /// of the certificate's `SubjectPublicKeyInfo`. If pins are set, a connection needs a trusted
    /// certificate, and the key of this certificate must match one of the pins. Add the pin of the next key
    /// before the service changes its key. A pin of a CA does not work: only the service's own certificate is
    /// compared. Pins do not apply to plain http, or to the connection to an https proxy.
    ///
    /// This command computes the base64 in the pin of a certificate: `openssl x509 -in service.pem -noout
    /// -pubkey | openssl pkey -pubin -outform DER | openssl dgst -sha256 -binary | base64`.
    pub fn pin_spki(mut self, pin: impl AsRef<str>) -> Result<Config> {
        self.pins.push(SpkiPin::parse(clean("pin_spki", TextRule::Token, pin.as_ref())?)?);
        Ok(self)
    }

    /// The certificate that the client shows if the service asks for a client certificate (mTLS), with its
    /// chain, and the private key of the certificate. Both are PEM. The library zeroizes its copies of the
    /// key after their last use. ring, which signs with the key, keeps another copy that is not zeroized. A
    /// proxy never gets the certificate. An error names them as the settings `client_cert_file` and
    /// `client_key_file`.
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
    pub fn client_certificate_files(
        self,
        certificate: impl AsRef<Path>,
        key: impl AsRef<Path>,
    ) -> Result<Config> {
        let certificate = read_pem(certificate.as_ref(), "client_cert_file")?;
        let key = Zeroizing::new(read_pem(key.as_ref(), "client_key_file")?);
        Ok(self.client_certificate(certificate, key.as_slice()))
    }

    /// Shows the bytes of every HTTP attempt, with the signatures, to a person who debugs.
    #[doc(hidden)]
    #[must_use]
    pub fn tap(mut self, tap: impl Fn(&Exchanged<'_>) + Send + Sync + 'static) -> Config {
        self.tap = Some(Arc::new(tap));
        self
    }

    /// Sets an observer. It receives an entry after every HTTP attempt, on the thread that makes the call. A
    /// panic in the observer is ignored.
    #[must_use]
    pub fn observer(mut self, observer: impl Fn(&Attempt<'_>) + Send + Sync + 'static) -> Config {
        self.observer = Some(Arc::new(observer));
        self
    }

    /// Makes a [`Protocol`] with the same settings. The protocol does no I/O.
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

    #[doc(hidden)]
    pub fn own_public_key(&self) -> Result<Option<PublicKey>> {
        self.refused.check(["public_key"].into_iter())?;
        Ok(self.public_key)
    }

    /// Keeps `max_reply_bytes` at `most` or below, for a host that cannot take larger replies.
    #[doc(hidden)]
    #[must_use]
    pub fn reply_bytes_at_most(mut self, most: u64) -> Config {
        self.max_reply_bytes = self.max_reply_bytes.min(most);
        self
    }

    /// Checks what concerns a client alone, and reads the files.
    pub(crate) fn for_client(mut self) -> Result<Config> {
        self.check()?;
        for (name, time) in [("timeout_ms", self.timeout), ("connect_timeout_ms", self.connect_timeout)] {
            if time.is_zero() {
                return Err(Error::about(name, "must be greater than 0"));
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
            let error = Error::about("client_cert_file", "and client_key_file must be set together");
            return Err(error.naming(["client_key_file"]));
        }
        match (self.public_key, &self.signer) {
            (Some(public), Some(signer)) if signer.public_key() != public => {
                let error = Error::about("public_key", "is not the public half of private_key");
                Err(error.naming(["private_key"]).into_invalid_key())
            }
            _ => Ok(()),
        }
    }
}

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
    Error::about(name, "is missing")
}

fn read_pem(path: &Path, name: &str) -> Result<Vec<u8>> {
    check_path(name, path)?;
    let pem = std::fs::read(path)
        .map_err(|error| Error::about(name, format!("{} cannot be read: {error}", path.display())))?;
    if pem.is_empty() {
        return Err(Error::about(name, format!("{} is empty", path.display())));
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
mod tests;
