//! The configuration of a [`Client`](crate::Client). The settings do not come from environment variables,
//! except for the place of the operating system's certificates (`SSL_CERT_FILE`, `SSL_CERT_DIR`).

use std::fmt;
use std::path::Path;
use std::sync::Arc;
use std::time::Duration;

use zeroize::Zeroizing;

use crate::attempt::Attempt;
use crate::error::{Error, Result};
use crate::exchange::Protocol;
use crate::keys::{PublicKey, RequestSigner, Signer};
use crate::setting_text::{TextRule, check_path, clean, trim};
use crate::spki_pin::SpkiPin;
use crate::url::{absolute_url, check_base_url};
use crate::webhook::WebhookVerifier;

/// The settings of a client. They are checked when the client is made.
///
/// | setting | unless set |
/// |---|---|
/// | [`timeout`](Config::timeout) | 30 s for a whole call, retries included |
/// | [`connect_timeout`](Config::connect_timeout) | 10 s, within the timeout |
/// | [`reuse_idle`](Config::reuse_idle) | 1 s |
/// | [`connect_idle`](Config::connect_idle) | 10 s |
/// | [`max_retries`](Config::max_retries) | 2 |
/// | [`max_reply_bytes`](Config::max_reply_bytes) | 1 MiB |
/// | [`proxy`](Config::proxy) | none; environment variables are not read |
/// | [`allow_http`](Config::allow_http) | false: plain http to loopback only |
/// | [`ca_pem`](Config::ca_pem), [`ca_file`](Config::ca_file) | only the operating system's CAs, or the public CAs if the system has no CAs |
/// | [`exclusive_ca`](Config::exclusive_ca) | false: the configured CA is trusted in addition to the operating system's CAs |
/// | [`pin_spki`](Config::pin_spki) | none |
/// | [`client_certificate`](Config::client_certificate) | none |
#[derive(Clone)]
pub struct Config {
    pub(crate) base_url: String,
    pub(crate) key_id: String,
    pub(crate) signer: RequestSigner,
    pub(crate) server_public_keys: Vec<PublicKey>,
    pub(crate) server_key_ids: Vec<String>,
    pub(crate) timeout: Duration,
    pub(crate) connect_timeout: Duration,
    pub(crate) reuse_idle: Duration,
    pub(crate) connect_idle: Duration,
    pub(crate) max_retries: u32,
    pub(crate) max_reply_bytes: u64,
    pub(crate) user_agent: String,
    pub(crate) proxy: Option<String>,
    pub(crate) allow_http: bool,
    pub(crate) ca_pem: Vec<u8>,
    pub(crate) exclusive_ca: bool,
    pub(crate) pins: Vec<SpkiPin>,
    pub(crate) client_certificate: Option<ClientCertificate>,
    pub(crate) observer: Option<Observer>,
}

/// The client's certificate for the service, and the private key of the certificate, both as PEM.
#[derive(Clone)]
pub(crate) struct ClientCertificate {
    pub(crate) certificates: Vec<u8>,
    pub(crate) key: Zeroizing<Vec<u8>>,
}

/// A time that is longer than any call, and short enough to be added to any `Instant`.
pub(crate) const LONGEST: Duration = Duration::from_secs(u32::MAX as u64);

pub(crate) type Observer = Arc<dyn Fn(&Attempt<'_>) + Send + Sync>;

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
            signer: RequestSigner::new(signer),
            server_public_keys: vec![server_public_key],
            server_key_ids: Vec::new(),
            timeout: Duration::from_secs(30),
            connect_timeout: Duration::from_secs(10),
            reuse_idle: Duration::from_secs(1),
            connect_idle: Duration::from_secs(10),
            max_retries: 2,
            max_reply_bytes: 1024 * 1024,
            user_agent: concat!("merchantpay/", env!("CARGO_PKG_VERSION")).to_owned(),
            proxy: None,
            allow_http: false,
            ca_pem: Vec::new(),
            exclusive_ca: false,
            pins: Vec::new(),
            client_certificate: None,
            observer: None,
        }
    }

    /// Adds a public key of the service, for a time in which the service rotates its keys.
    #[must_use]
    pub fn server_public_key(mut self, key: PublicKey) -> Config {
        self.server_public_keys.push(key);
        self
    }

    /// Adds a key id of the service. If any key id is set, each reply must have one of the set key ids.
    #[must_use]
    pub fn server_key_id(mut self, key_id: impl Into<String>) -> Config {
        self.server_key_ids.push(key_id.into());
        self
    }

    /// The time limit of a whole call, including its retries. `/new` alone can take 10 s.
    #[must_use]
    pub fn timeout(mut self, timeout: Duration) -> Config {
        self.timeout = timeout;
        self
    }

    /// The time limit for opening one connection.
    #[must_use]
    pub fn connect_timeout(mut self, timeout: Duration) -> Config {
        self.connect_timeout = timeout;
        self
    }

    /// For this long after a response, the response's connection may be reused for a call that is sent once,
    /// such as `/new`; 0 for never. The connection is checked just before its use, and is never used for
    /// longer than the server's `Keep-Alive: timeout`. If the server closes the connection at the moment of
    /// its use, it is not known whether the request arrived. A longer `reuse_idle` makes this case more
    /// likely. `/status` and `/available` can be sent again. So these two calls use a connection for 15 s, or
    /// for the time of this setting if that time is longer.
    #[must_use]
    pub fn reuse_idle(mut self, idle: Duration) -> Config {
        self.reuse_idle = idle;
        self
    }

    /// A connection that [`Client::connect`](crate::Client::connect) opened may wait this long for its first
    /// request.
    #[must_use]
    pub fn connect_idle(mut self, idle: Duration) -> Config {
        self.connect_idle = idle;
        self
    }

    /// The largest number of retries of a request; 0 for none. A request is retried only if no byte of the
    /// request was written, or if the request is `/available` or `/status`.
    #[must_use]
    pub fn max_retries(mut self, retries: u32) -> Config {
        self.max_retries = retries;
        self
    }

    /// The largest number of bytes in the body of a reply. A larger body is an error.
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

    /// An HTTP proxy, as `http://[user:password@]host:port`. The proxy must open a tunnel (`CONNECT`), even
    /// for a service with plain http.
    #[must_use]
    pub fn proxy(mut self, url: impl Into<String>) -> Config {
        self.proxy = Some(trim(&url.into()).to_owned());
        self
    }

    /// Allows a base URL with plain http to another machine. Then anyone on the network path can read every
    /// account and every signature. Whoever has the signature of a request can send requests about the same
    /// order. Without this setting plain http is only possible to `localhost`, to addresses in 127.0.0.0/8,
    /// and to `[::1]`. Other names of this machine are refused, because no name is looked up.
    #[must_use]
    pub fn allow_http(mut self, allow: bool) -> Config {
        self.allow_http = allow;
        self
    }

    /// The PEM certificates of a CA to trust in addition to the operating system's CAs. An empty text changes
    /// nothing. You can also give the server's own certificate, if it is not the certificate of a CA
    /// (`basicConstraints=CA:FALSE`).
    #[must_use]
    pub fn ca_pem(mut self, pem: impl AsRef<[u8]>) -> Config {
        if !pem.as_ref().is_empty() {
            self.ca_pem.extend_from_slice(pem.as_ref());
            self.ca_pem.push(b'\n');
        }
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

    /// Trusts only the CA of [`ca_pem`](Config::ca_pem) or [`ca_file`](Config::ca_file), and not the
    /// operating system's CAs. `ca_pem` or `ca_file` must be set.
    #[must_use]
    pub fn exclusive_ca(mut self, exclusive: bool) -> Config {
        self.exclusive_ca = exclusive;
        self
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
        let certificates = read_pem(certificate.as_ref(), "client_cert_file", "client certificate")?;
        let key = Zeroizing::new(read_pem(key.as_ref(), "client_key_file", "client key")?);
        self.client_certificate = Some(ClientCertificate { certificates, key });
        Ok(self)
    }

    /// Makes a [`Protocol`] with the same settings. The protocol does no I/O.
    ///
    /// # Errors
    ///
    /// The same errors as [`Protocol::new`].
    pub fn protocol(&self) -> Result<Protocol> {
        Protocol::with_checked_url(
            check_base_url(&self.base_url, self.allow_http)?,
            &self.key_id,
            self.signer.clone(),
            &self.server_public_keys,
            &self.server_key_ids,
        )
    }

    /// Makes a verifier for the webhooks of the same service, with the service's keys and key ids. The
    /// verifier refuses the merchant's own key and key id.
    ///
    /// # Errors
    ///
    /// The same errors as [`WebhookVerifier::with_keys`] and [`WebhookVerifier::refuse_key`].
    pub fn verifier(&self) -> Result<WebhookVerifier> {
        let verifier =
            WebhookVerifier::with_keys(&self.server_public_keys, &self.server_key_ids, Some(&self.key_id))?;
        verifier.refuse_key(self.signer.public_key())
    }

    /// Sets an observer. It receives an entry after every HTTP attempt, on the thread that makes the call. A
    /// panic in the observer is ignored.
    #[must_use]
    pub fn observer(mut self, observer: impl Fn(&Attempt<'_>) + Send + Sync + 'static) -> Config {
        self.observer = Some(Arc::new(observer));
        self
    }
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
