//! `mpay_config`: the settings of a client, a protocol and a verifier.

use std::ffi::{c_char, c_void};
use std::time::Duration;

use merchantpay::{Client, Config, Error, PrivateKey, Protocol, PublicKey, Result, WebhookVerifier};

use crate::boundary::{needed, set, text};
use crate::handle::{free, make};
use crate::log::{Log, mpay_log_callback};
use crate::setting::{Setting, add, clean_of, flag, key_of, text_of};
use crate::signer::{CallbackSigner, SignerCallback, mpay_signer_callback};
use crate::user_data::{UserData, mpay_release_callback};

/// Settings, which can be set in any order. A client, protocol or verifier checks and copies them when it is
/// made. One thread at a time may use them.
#[derive(Default)]
pub struct mpay_config {
    base_url: Setting<String>,
    key_id: Setting<String>,
    private_key: Setting<PrivateKey>,
    public_key: Setting<PublicKey>,
    server_public_keys: Vec<Result<PublicKey>>,
    server_key_ids: Vec<Result<String>>,
    ca_file: Setting<String>,
    ca_pem: Setting<String>,
    proxy: Setting<String>,
    allow_http: Setting<bool>,
    exclusive_ca: Setting<bool>,
    spki_pins: Vec<Result<String>>,
    client_cert_file: Setting<String>,
    client_key_file: Setting<String>,
    user_agent: Setting<String>,
    timeout_ms: Setting<u32>,
    connect_timeout_ms: Setting<u32>,
    reuse_idle_ms: Setting<u32>,
    connect_idle_ms: Setting<u32>,
    max_retries: Setting<u32>,
    max_reply_bytes: Setting<u64>,
    log: Option<Log>,
    signer: Option<SignerCallback>,
}

/// The place of a setting's value, by the type of the value.
pub(crate) enum Place<'a> {
    Text(&'a mut Setting<String>),
    Texts(&'a mut Vec<Result<String>>),
    PrivateKey(&'a mut Setting<PrivateKey>),
    PublicKey(&'a mut Setting<PublicKey>),
    PublicKeys(&'a mut Vec<Result<PublicKey>>),
    Flag(&'a mut Setting<bool>),
    Number(&'a mut Setting<u32>),
    Bytes(&'a mut Setting<u64>),
}

enum AnySigner {
    Key(Box<PrivateKey>),
    Callback(CallbackSigner),
}

fn all<T: Clone>(values: &[Result<T>]) -> Result<Vec<T>> {
    values.iter().cloned().collect()
}

impl mpay_config {
    /// The settings that clients and protocols share.
    fn service(&self) -> Result<Config> {
        let mut keys = self.server_public_keys()?.into_iter();
        let first = needed(keys.next(), "server_public_key")?;
        let base_url = needed(self.base_url.get()?, "base_url")?.as_str();
        let key_id = needed(self.key_id.get()?, "key_id")?.as_str();
        let mut config = match self.signer()? {
            AnySigner::Key(key) => Config::new(base_url, key_id, *key, first),
            AnySigner::Callback(signer) => Config::new(base_url, key_id, signer, first),
        };
        config = keys.fold(config, Config::server_public_key);
        config = all(&self.server_key_ids)?.into_iter().fold(config, Config::server_key_id);
        Ok(config.allow_http(self.allow_http.is_on()?))
    }

    /// Makes a client from the settings.
    pub(crate) fn client(&self) -> Result<Client> {
        let mut config = self.service()?.exclusive_ca(self.exclusive_ca.is_on()?);
        for pin in all(&self.spki_pins)? {
            config = config.pin_spki(pin)?;
        }
        if let Some((certificate, key)) = self.client_certificate()? {
            config = config.client_certificate_files(certificate, key)?;
        }
        if let Some(path) = self.ca_file.get()? {
            config = config.ca_file(path)?;
        }
        if let Some(pem) = self.ca_pem.get()? {
            config = config.ca_pem(pem);
        }
        if let Some(proxy) = self.proxy.get()? {
            config = config.proxy(proxy);
        }
        if let Some(user_agent) = self.user_agent.get()? {
            config = config.user_agent(user_agent);
        }
        if let Some(timeout) = self.timeout_ms.get()? {
            config = config.timeout(Duration::from_millis((*timeout).into()));
        }
        if let Some(timeout) = self.connect_timeout_ms.get()? {
            config = config.connect_timeout(Duration::from_millis((*timeout).into()));
        }
        if let Some(idle) = self.reuse_idle_ms.get()? {
            config = config.reuse_idle(Duration::from_millis((*idle).into()));
        }
        if let Some(idle) = self.connect_idle_ms.get()? {
            config = config.connect_idle(Duration::from_millis((*idle).into()));
        }
        if let Some(retries) = self.max_retries.get()? {
            config = config.max_retries(*retries);
        }
        if let Some(bytes) = self.max_reply_bytes.get()? {
            config = config.max_reply_bytes(*bytes);
        }
        if let Some(log) = self.log.clone() {
            config = config.observer(move |attempt| log.report(attempt));
        }
        crate::resident::stay();
        Client::new(config)
    }

    /// Makes a protocol from the settings. A protocol uses none of the numbers, but an invalid number is
    /// still an error.
    pub(crate) fn protocol(&self) -> Result<Protocol> {
        for number in [
            &self.timeout_ms,
            &self.connect_timeout_ms,
            &self.reuse_idle_ms,
            &self.connect_idle_ms,
            &self.max_retries,
        ] {
            number.get()?;
        }
        self.max_reply_bytes.get()?;
        self.service()?.protocol()
    }

    /// Makes a verifier, which needs only the service's key. If the merchant's own key is set, that key is
    /// refused as a key of the service.
    pub(crate) fn verifier(&self) -> Result<WebhookVerifier> {
        let key_id = self.key_id.get()?.map(String::as_str);
        let verifier =
            WebhookVerifier::with_keys(&self.server_public_keys()?, &all(&self.server_key_ids)?, key_id)?;
        match (self.private_key.get()?, self.public_key.get()?) {
            (Some(own), _) => verifier.refuse_key(own.public_key()),
            (None, Some(own)) => verifier.refuse_key(*own),
            (None, None) => Ok(verifier),
        }
    }

    /// The place of the setting with this name in the definition.
    pub(crate) fn place(&mut self, name: &str) -> Option<Place<'_>> {
        Some(match name {
            "base_url" => Place::Text(&mut self.base_url),
            "key_id" => Place::Text(&mut self.key_id),
            "private_key" => Place::PrivateKey(&mut self.private_key),
            "public_key" => Place::PublicKey(&mut self.public_key),
            "server_public_key" => Place::PublicKeys(&mut self.server_public_keys),
            "server_key_id" => Place::Texts(&mut self.server_key_ids),
            "ca_file" => Place::Text(&mut self.ca_file),
            "ca_pem" => Place::Text(&mut self.ca_pem),
            "exclusive_ca" => Place::Flag(&mut self.exclusive_ca),
            "pin_spki" => Place::Texts(&mut self.spki_pins),
            "client_cert_file" => Place::Text(&mut self.client_cert_file),
            "client_key_file" => Place::Text(&mut self.client_key_file),
            "proxy" => Place::Text(&mut self.proxy),
            "allow_http" => Place::Flag(&mut self.allow_http),
            "user_agent" => Place::Text(&mut self.user_agent),
            "timeout" => Place::Number(&mut self.timeout_ms),
            "connect_timeout" => Place::Number(&mut self.connect_timeout_ms),
            "reuse_idle" => Place::Number(&mut self.reuse_idle_ms),
            "connect_idle" => Place::Number(&mut self.connect_idle_ms),
            "max_retries" => Place::Number(&mut self.max_retries),
            "max_reply_bytes" => Place::Bytes(&mut self.max_reply_bytes),
            _ => return None,
        })
    }

    /// The files of the certificate and its private key: both or neither.
    pub(crate) fn client_certificate(&self) -> Result<Option<(&str, &str)>> {
        match (self.client_cert_file.get()?, self.client_key_file.get()?) {
            (Some(certificate), Some(key)) => Ok(Some((certificate, key))),
            (None, None) => Ok(None),
            _ => Err(Error::invalid_argument("client_cert_file and client_key_file must be set together")),
        }
    }

    fn server_public_keys(&self) -> Result<Vec<PublicKey>> {
        match all(&self.server_public_keys)? {
            keys if keys.is_empty() => needed(None, "server_public_key"),
            keys => Ok(keys),
        }
    }

    /// The signer: the callback if there is one, else the private key.
    fn signer(&self) -> Result<AnySigner> {
        let (private, public) = (self.private_key.get()?, self.public_key.get()?);
        match (self.signer.clone(), private, public) {
            (Some(_), Some(_), _) => {
                Err(Error::invalid_argument("either private_key or the signer callback can be set, not both"))
            }
            (Some(callback), None, public) => Ok(AnySigner::Callback(CallbackSigner {
                callback,
                public_key: *needed(public, "public_key, which the signer callback needs,")?,
            })),
            (None, Some(private), Some(public)) if private.public_key() != *public => {
                Err(Error::invalid_key("public_key is not the public half of private_key"))
            }
            (None, private, _) => Ok(AnySigner::Key(Box::new(needed(private, "private_key")?.clone()))),
        }
    }
}

/// New settings, all of them unset. Never NULL. Any thread. Since 0.1.0.
#[unsafe(no_mangle)]
pub extern "C" fn mpay_config_new() -> *mut mpay_config {
    make(mpay_config::default)
}

/// The URL before /api/v1/merchant/pay: an absolute https URL. http is accepted only for this machine, unless
/// mpay_config_set_allow_http allows other machines. Needed by clients and protocols; NULL unsets it. Returns
/// MPAY_OK or MPAY_INVALID_ARGUMENT. One thread at a time. Since 0.1.0.
#[unsafe(no_mangle)]
pub unsafe extern "C" fn mpay_config_set_base_url(
    config: Option<&mut mpay_config>,
    base_url: *const c_char,
) -> i32 {
    // SAFETY: the header's rule for texts.
    let base_url = unsafe { text(base_url, "base_url") };
    set(|| needed(config, "config")?.base_url.set(clean_of(base_url, "base_url")))
}

/// The merchant's key id, as the service issued it (contract, section 5): visible ASCII. Needed by clients
/// and protocols; NULL unsets it. Returns MPAY_OK or MPAY_INVALID_ARGUMENT. One thread at a time. Since
/// 0.1.0.
#[unsafe(no_mangle)]
pub unsafe extern "C" fn mpay_config_set_key_id(
    config: Option<&mut mpay_config>,
    key_id: *const c_char,
) -> i32 {
    // SAFETY: the header's rule for texts.
    let key_id = unsafe { text(key_id, "key_id") };
    set(|| needed(config, "config")?.key_id.set(clean_of(key_id, "key_id")))
}

/// The merchant's private key: base64 of 64 bytes, seed and public key (contract, section 5). Needed by
/// clients and protocols, unless a callback signs; NULL unsets it. It is copied, and the copy is wiped after
/// its last use. Returns MPAY_OK, MPAY_INVALID_KEY or MPAY_INVALID_ARGUMENT. One thread at a time. Since
/// 0.1.0.
#[unsafe(no_mangle)]
pub unsafe extern "C" fn mpay_config_set_private_key(
    config: Option<&mut mpay_config>,
    private_key: *const c_char,
) -> i32 {
    // SAFETY: the header's rule for texts.
    let private_key = unsafe { text(private_key, "private_key") };
    set(|| {
        needed(config, "config")?.private_key.set(key_of(private_key, "private_key", PrivateKey::from_base64))
    })
}

/// The merchant's own public key: base64 of 32 bytes. Needed if a callback signs; otherwise it is only
/// checked. NULL unsets it. Returns MPAY_OK, MPAY_INVALID_KEY or MPAY_INVALID_ARGUMENT. One thread at a time.
/// Since 0.1.0.
#[unsafe(no_mangle)]
pub unsafe extern "C" fn mpay_config_set_public_key(
    config: Option<&mut mpay_config>,
    public_key: *const c_char,
) -> i32 {
    // SAFETY: the header's rule for texts.
    let public_key = unsafe { text(public_key, "public_key") };
    set(|| needed(config, "config")?.public_key.set(key_of(public_key, "public_key", PublicKey::from_base64)))
}

/// Adds a public key of the service: base64 of 32 bytes. At least one is needed; add more while the service
/// rotates its keys. NULL adds nothing. Returns MPAY_OK, MPAY_INVALID_KEY or MPAY_INVALID_ARGUMENT. One
/// thread at a time. Since 0.1.0.
#[unsafe(no_mangle)]
pub unsafe extern "C" fn mpay_config_add_server_public_key(
    config: Option<&mut mpay_config>,
    server_public_key: *const c_char,
) -> i32 {
    // SAFETY: the header's rule for texts.
    let server_public_key = unsafe { text(server_public_key, "server_public_key") };
    set(|| {
        add(
            &mut needed(config, "config")?.server_public_keys,
            key_of(server_public_key, "server_public_key", PublicKey::from_base64),
        )
    })
}

/// Adds a key id of the service. Once a key id is added, each reply must have one of the added key ids. So
/// must each webhook that has a key id (the contract does not show a webhook's headers). NULL adds nothing.
/// Returns MPAY_OK or MPAY_INVALID_ARGUMENT. One thread at a time. Since 0.1.0.
#[unsafe(no_mangle)]
pub unsafe extern "C" fn mpay_config_add_server_key_id(
    config: Option<&mut mpay_config>,
    server_key_id: *const c_char,
) -> i32 {
    // SAFETY: the header's rule for texts.
    let server_key_id = unsafe { text(server_key_id, "server_key_id") };
    set(|| add(&mut needed(config, "config")?.server_key_ids, clean_of(server_key_id, "server_key_id")))
}

/// Removes all added public keys and key ids of the service, including invalid ones. Existing clients,
/// protocols and verifiers do not change. Returns MPAY_OK or MPAY_INVALID_ARGUMENT. One thread at a time.
/// Since 0.2.0.
#[unsafe(no_mangle)]
pub extern "C" fn mpay_config_clear_server_keys(config: Option<&mut mpay_config>) -> i32 {
    set(|| {
        let config = needed(config, "config")?;
        config.server_public_keys.clear();
        config.server_key_ids.clear();
        Ok(())
    })
}

/// 1 allows a base URL of plain http to another machine. Anyone on the network path can then read every
/// account and every signature. A signature is like a password for its order. 0, the default, allows plain
/// http only to the name localhost and to literal addresses: 127.0.0.0/8 and IPv6 ::1. Returns MPAY_OK or
/// MPAY_INVALID_ARGUMENT. One thread at a time. Since 0.2.0.
#[unsafe(no_mangle)]
pub extern "C" fn mpay_config_set_allow_http(config: Option<&mut mpay_config>, allow_http: i32) -> i32 {
    set(|| needed(config, "config")?.allow_http.set(flag(allow_http, "allow_http")))
}

/// A file with the PEM certificates of a CA. The client trusts this CA in addition to the system's CAs. The
/// file is read when the client is made. NULL unsets it. Returns MPAY_OK or MPAY_INVALID_ARGUMENT. One thread
/// at a time. Since 0.1.0.
#[unsafe(no_mangle)]
pub unsafe extern "C" fn mpay_config_set_ca_file(
    config: Option<&mut mpay_config>,
    ca_file: *const c_char,
) -> i32 {
    // SAFETY: the header's rule for texts.
    let ca_file = unsafe { text(ca_file, "ca_file") };
    set(|| needed(config, "config")?.ca_file.set(clean_of(ca_file, "ca_file")))
}

/// Like mpay_config_set_ca_file, with the PEM certificates as text. NULL unsets it. Returns MPAY_OK or
/// MPAY_INVALID_ARGUMENT. One thread at a time. Since 0.1.0.
#[unsafe(no_mangle)]
pub unsafe extern "C" fn mpay_config_set_ca_pem(
    config: Option<&mut mpay_config>,
    ca_pem: *const c_char,
) -> i32 {
    // SAFETY: the header's rule for texts.
    let ca_pem = unsafe { text(ca_pem, "ca_pem") };
    set(|| needed(config, "config")?.ca_pem.set(clean_of(ca_pem, "ca_pem")))
}

/// 1 trusts only the CAs that mpay_config_set_ca_file and mpay_config_set_ca_pem set; at least one of these
/// CAs must be set. 0, the default, also trusts the operating system's CAs. Returns MPAY_OK or
/// MPAY_INVALID_ARGUMENT. One thread at a time. Since 0.2.0.
#[unsafe(no_mangle)]
pub extern "C" fn mpay_config_set_exclusive_ca(config: Option<&mut mpay_config>, exclusive_ca: i32) -> i32 {
    set(|| needed(config, "config")?.exclusive_ca.set(flag(exclusive_ca, "exclusive_ca")))
}

/// Adds a pin of the public key of the service's own certificate: "sha256/" and the base64 of the SHA-256 of
/// its SubjectPublicKeyInfo. With pins, a connection to the service needs a trusted certificate with a key
/// that matches a pin. A connection to an https proxy needs no pin. Add the next key's pin before the service
/// changes its key. NULL adds nothing. An invalid pin is refused when the client is made. Returns MPAY_OK or
/// MPAY_INVALID_ARGUMENT. One thread at a time. Since 0.2.0.
#[unsafe(no_mangle)]
pub unsafe extern "C" fn mpay_config_add_pin_spki(
    config: Option<&mut mpay_config>,
    pin: *const c_char,
) -> i32 {
    // SAFETY: the header's rule for texts.
    let pin = unsafe { text(pin, "pin") };
    set(|| add(&mut needed(config, "config")?.spki_pins, text_of(pin, "pin")))
}

/// The client's certificate with its chain, and its private key: two PEM files, or the same file twice. The
/// client shows the certificate to a service that asks for one (mTLS). The files are read when the client is
/// made. The library zeroizes its copies of the key after their last use; ring, which signs with the key,
/// keeps another copy that is not zeroized. A proxy never gets the certificate. NULL for both unsets it.
/// Returns MPAY_OK or MPAY_INVALID_ARGUMENT. One thread at a time. Since 0.2.0.
#[unsafe(no_mangle)]
pub unsafe extern "C" fn mpay_config_set_client_certificate(
    config: Option<&mut mpay_config>,
    cert_file: *const c_char,
    key_file: *const c_char,
) -> i32 {
    // SAFETY: the header's rule for texts.
    let (certificate, key) = unsafe { (text(cert_file, "cert_file"), text(key_file, "key_file")) };
    set(|| {
        let config = needed(config, "config")?;
        let certificate = config.client_cert_file.set(text_of(certificate, "cert_file"));
        let key = config.client_key_file.set(text_of(key, "key_file"));
        certificate.and(key)?;
        config.client_certificate().map(drop)
    })
}

/// An HTTP proxy, as "http://host:port" or "http://user:password@host:port". Unless it is set, no proxy is
/// used: variables such as HTTPS_PROXY are ignored. NULL unsets it. Returns MPAY_OK or MPAY_INVALID_ARGUMENT.
/// One thread at a time. Since 0.1.0.
#[unsafe(no_mangle)]
pub unsafe extern "C" fn mpay_config_set_proxy(
    config: Option<&mut mpay_config>,
    proxy: *const c_char,
) -> i32 {
    // SAFETY: the header's rule for texts.
    let proxy = unsafe { text(proxy, "proxy") };
    set(|| needed(config, "config")?.proxy.set(clean_of(proxy, "proxy")))
}

/// The User-Agent header; merchantpay and its version unless set. NULL unsets it. Returns MPAY_OK or
/// MPAY_INVALID_ARGUMENT. One thread at a time. Since 0.1.0.
#[unsafe(no_mangle)]
pub unsafe extern "C" fn mpay_config_set_user_agent(
    config: Option<&mut mpay_config>,
    user_agent: *const c_char,
) -> i32 {
    // SAFETY: the header's rule for texts.
    let user_agent = unsafe { text(user_agent, "user_agent") };
    set(|| needed(config, "config")?.user_agent.set(clean_of(user_agent, "user_agent")))
}

/// The deadline of a whole call in milliseconds, retries included; 30000 unless set. 0 is refused when the
/// client is made. Returns MPAY_OK or MPAY_INVALID_ARGUMENT. One thread at a time. Since 0.1.0.
#[unsafe(no_mangle)]
pub extern "C" fn mpay_config_set_timeout_ms(config: Option<&mut mpay_config>, timeout_ms: u32) -> i32 {
    set(|| needed(config, "config")?.timeout_ms.set(Ok(Some(timeout_ms))))
}

/// The time limit for opening one connection, in milliseconds; 10000 unless set. 0 is refused when the client
/// is made. Returns MPAY_OK or MPAY_INVALID_ARGUMENT. One thread at a time. Since 0.1.0.
#[unsafe(no_mangle)]
pub extern "C" fn mpay_config_set_connect_timeout_ms(
    config: Option<&mut mpay_config>,
    connect_timeout_ms: u32,
) -> i32 {
    set(|| needed(config, "config")?.connect_timeout_ms.set(Ok(Some(connect_timeout_ms))))
}

/// The time after a response, in milliseconds, for which its connection may be reused for a call that is sent
/// once, such as mpay_new_payment; 1000 unless set, 0 for never. The connection is checked just before its
/// reuse, and is never used for longer than the server's "Keep-Alive: timeout". If the server closes the
/// connection during the reuse, the outcome is MPAY_OUTCOME_UNKNOWN; a longer time makes this more likely.
/// mpay_get_status and mpay_get_available_amounts may reuse a connection for 15 s, or for this time if it is
/// longer than 15 s. Returns MPAY_OK or MPAY_INVALID_ARGUMENT. One thread at a time. Since 0.2.0.
#[unsafe(no_mangle)]
pub extern "C" fn mpay_config_set_reuse_idle_ms(config: Option<&mut mpay_config>, reuse_idle_ms: u32) -> i32 {
    set(|| needed(config, "config")?.reuse_idle_ms.set(Ok(Some(reuse_idle_ms))))
}

/// The time for which a connection of mpay_client_connect may wait for its first request, in milliseconds;
/// 10000 unless set, 0 for no time. Returns MPAY_OK or MPAY_INVALID_ARGUMENT. One thread at a time. Since
/// 0.2.0.
#[unsafe(no_mangle)]
pub extern "C" fn mpay_config_set_connect_idle_ms(
    config: Option<&mut mpay_config>,
    connect_idle_ms: u32,
) -> i32 {
    set(|| needed(config, "config")?.connect_idle_ms.set(Ok(Some(connect_idle_ms))))
}

/// The largest number of retries of a request; 2 unless set, 0 for none. A request is retried only if no byte
/// of it was written, or if it is a request of mpay_get_status or mpay_get_available_amounts. Returns MPAY_OK
/// or MPAY_INVALID_ARGUMENT. One thread at a time. Since 0.1.0.
#[unsafe(no_mangle)]
pub extern "C" fn mpay_config_set_max_retries(config: Option<&mut mpay_config>, max_retries: u32) -> i32 {
    set(|| needed(config, "config")?.max_retries.set(Ok(Some(max_retries))))
}

/// The size in bytes of the largest reply body that is read; 1048576 unless set. Returns MPAY_OK or
/// MPAY_INVALID_ARGUMENT. One thread at a time. Since 0.1.0.
#[unsafe(no_mangle)]
pub extern "C" fn mpay_config_set_max_reply_bytes(
    config: Option<&mut mpay_config>,
    max_reply_bytes: u64,
) -> i32 {
    set(|| needed(config, "config")?.max_reply_bytes.set(Ok(Some(max_reply_bytes))))
}

/// Sets the callback that gets every HTTP attempt of a client's calls; NULL for none. user_data is passed to
/// the callback unchanged. callback and user_data must stay usable by every calling thread until release is
/// called with user_data. That happens after these settings and all clients made from them are freed.
/// `release` may be NULL. Returns MPAY_OK or MPAY_INVALID_ARGUMENT. One thread at a time. Since 0.1.0.
#[unsafe(no_mangle)]
pub extern "C" fn mpay_config_set_log_callback(
    config: Option<&mut mpay_config>,
    callback: mpay_log_callback,
    user_data: *mut c_void,
    release: mpay_release_callback,
) -> i32 {
    let user_data = UserData::new(user_data, release);
    set(|| {
        needed(config, "config")?.log = callback.map(|callback| Log::new(callback, user_data));
        Ok(())
    })
}

/// Sets a callback that signs in place of the private key, for example with an HSM; NULL for none. The public
/// key of this signer must be set by mpay_config_set_public_key. Each signature is checked with that key
/// before anything is sent; a wrong signature is MPAY_INVALID_KEY. user_data is passed to the callback
/// unchanged. callback and user_data must stay usable by every calling thread until release is called with
/// user_data. That happens after these settings and everything made from them are freed. `release` may be
/// NULL. Returns MPAY_OK or MPAY_INVALID_ARGUMENT. One thread at a time. Since 0.1.0.
#[unsafe(no_mangle)]
pub extern "C" fn mpay_config_set_signer_callback(
    config: Option<&mut mpay_config>,
    callback: mpay_signer_callback,
    user_data: *mut c_void,
    release: mpay_release_callback,
) -> i32 {
    let user_data = UserData::new(user_data, release);
    set(|| {
        needed(config, "config")?.signer = callback.map(|callback| SignerCallback::new(callback, user_data));
        Ok(())
    })
}

/// Frees settings; NULL is allowed. Objects that were made from them stay valid. Any thread, once. Since
/// 0.1.0.
#[unsafe(no_mangle)]
pub extern "C" fn mpay_config_free(config: Option<Box<mpay_config>>) {
    free(config);
}
