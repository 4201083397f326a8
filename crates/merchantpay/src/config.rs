//! Everything a [`Client`](crate::Client) needs to know. The environment is not asked, but for the place of the operating
//! system's certificates (`SSL_CERT_FILE`, `SSL_CERT_DIR`).

use std::fmt;
use std::path::Path;
use std::sync::Arc;
use std::time::Duration;

use crate::attempt::Attempt;
use crate::error::{Error, Result};
use crate::keys::{PublicKey, Signer};
use crate::webhook::WebhookVerifier;

/// The settings of a client. Checked when the client is made.
///
/// | setting | unless set |
/// |---|---|
/// | [`timeout`](Config::timeout) | 30 s for a whole call, retries included |
/// | [`connect_timeout`](Config::connect_timeout) | 10 s, within the timeout |
/// | [`max_retries`](Config::max_retries) | 2 |
/// | [`max_reply_bytes`](Config::max_reply_bytes) | 1 MiB |
/// | [`proxy`](Config::proxy) | none; the environment is not asked |
/// | [`ca_pem`](Config::ca_pem), [`ca_file`](Config::ca_file) | only the operating system's store, or the public roots where there is none |
#[derive(Clone)]
pub struct Config {
    pub(crate) base_url: String,
    pub(crate) key_id: String,
    pub(crate) signer: Arc<dyn Signer>,
    pub(crate) server_public_keys: Vec<PublicKey>,
    pub(crate) server_key_ids: Vec<String>,
    pub(crate) timeout: Duration,
    pub(crate) connect_timeout: Duration,
    pub(crate) max_retries: u32,
    pub(crate) max_reply_bytes: u64,
    pub(crate) user_agent: String,
    pub(crate) proxy: Option<String>,
    pub(crate) ca_pem: Vec<u8>,
    pub(crate) observer: Option<Observer>,
}

/// Longer than any call, and short enough to be added to any clock.
pub(crate) const LONGEST: Duration = Duration::from_secs(u32::MAX as u64);

pub(crate) type Observer = Arc<dyn Fn(&Attempt<'_>) + Send + Sync>;

impl Config {
    /// The four settings that have no default: where the service is, the merchant's key id and key, the service's key.
    pub fn new(
        base_url: impl Into<String>,
        key_id: impl Into<String>,
        signer: impl Signer + 'static,
        server_public_key: PublicKey,
    ) -> Config {
        Config {
            base_url: base_url.into(),
            key_id: key_id.into(),
            signer: Arc::new(signer),
            server_public_keys: vec![server_public_key],
            server_key_ids: Vec::new(),
            timeout: Duration::from_secs(30),
            connect_timeout: Duration::from_secs(10),
            max_retries: 2,
            max_reply_bytes: 1024 * 1024,
            user_agent: concat!("merchantpay/", env!("CARGO_PKG_VERSION")).to_owned(),
            proxy: None,
            ca_pem: Vec::new(),
            observer: None,
        }
    }

    /// One more public key of the service, while it rotates its keys.
    #[must_use]
    pub fn server_public_key(mut self, key: PublicKey) -> Config {
        self.server_public_keys.push(key);
        self
    }

    /// A key id of the service. As soon as there is one, replies must carry one that was given.
    #[must_use]
    pub fn server_key_id(mut self, key_id: impl Into<String>) -> Config {
        self.server_key_ids.push(key_id.into());
        self
    }

    /// The deadline of a whole call, retries included. `/new` alone may take 10 s.
    #[must_use]
    pub fn timeout(mut self, timeout: Duration) -> Config {
        self.timeout = timeout;
        self
    }

    /// The longest that opening one connection may take.
    #[must_use]
    pub fn connect_timeout(mut self, timeout: Duration) -> Config {
        self.connect_timeout = timeout;
        self
    }

    /// How often a request is sent again: any request of which no byte was written, and `/available` and `/status`. 0 for never.
    #[must_use]
    pub fn max_retries(mut self, retries: u32) -> Config {
        self.max_retries = retries;
        self
    }

    /// The largest body of a reply that is read.
    #[must_use]
    pub fn max_reply_bytes(mut self, bytes: u64) -> Config {
        self.max_reply_bytes = bytes;
        self
    }

    /// The `User-Agent` header.
    #[must_use]
    pub fn user_agent(mut self, user_agent: impl Into<String>) -> Config {
        self.user_agent = user_agent.into();
        self
    }

    /// An HTTP proxy, as `http://[user:password@]host:port`. It is asked for a tunnel (`CONNECT`), also to an http service.
    #[must_use]
    pub fn proxy(mut self, url: impl Into<String>) -> Config {
        self.proxy = Some(url.into());
        self
    }

    /// Certificates of an authority to trust beside the operating system's, as PEM. Nothing at all changes nothing. The server's
    /// own certificate will do if it is no authority's (`basicConstraints=CA:FALSE`).
    #[must_use]
    pub fn ca_pem(mut self, pem: impl AsRef<[u8]>) -> Config {
        if !pem.as_ref().is_empty() {
            self.ca_pem.extend_from_slice(pem.as_ref());
            self.ca_pem.push(b'\n');
        }
        self
    }

    /// The same from a file, which is read now.
    ///
    /// # Errors
    ///
    /// `invalid_argument` if it cannot be read.
    pub fn ca_file(self, path: impl AsRef<Path>) -> Result<Config> {
        let path = path.as_ref();
        let pem = std::fs::read(path)
            .map_err(|error| Error::invalid_argument(format!("the CA file {} cannot be read: {error}", path.display())))?;
        if pem.is_empty() {
            return Err(Error::invalid_argument(format!("the CA file {} is empty", path.display())));
        }
        Ok(self.ca_pem(pem))
    }

    /// A verifier for the webhooks of the same service: its keys and key ids, refusing the merchant's own.
    ///
    /// # Errors
    ///
    /// As [`WebhookVerifier::with_keys`] and [`WebhookVerifier::refuse_key`].
    pub fn verifier(&self) -> Result<WebhookVerifier> {
        let verifier = WebhookVerifier::with_keys(&self.server_public_keys, &self.server_key_ids, Some(&self.key_id))?;
        verifier.refuse_key(self.signer.public_key())
    }

    /// Is told of every attempt, on the thread that makes the call, when the attempt has ended. A panic in it is swallowed.
    #[must_use]
    pub fn observer(mut self, observer: impl Fn(&Attempt<'_>) + Send + Sync + 'static) -> Config {
        self.observer = Some(Arc::new(observer));
        self
    }
}

impl fmt::Debug for Config {
    fn fmt(&self, f: &mut fmt::Formatter<'_>) -> fmt::Result {
        f.debug_struct("Config")
            .field("base_url", &self.base_url)
            .field("server_public_keys", &self.server_public_keys)
            .field("timeout", &self.timeout)
            .field("connect_timeout", &self.connect_timeout)
            .field("max_retries", &self.max_retries)
            .field("max_reply_bytes", &self.max_reply_bytes)
            .finish_non_exhaustive()
    }
}
