//! `mpay_config`: the settings of a client, a protocol and a verifier.

use std::ffi::{c_char, c_void};

use merchantpay::{Client, Config, Error, Protocol, Result, SETTINGS, WebhookVerifier};

use crate::boundary::{self, CallPhase, needed, needed_text, run, set, text};
use crate::error::mpay_error;
use crate::handle::{free, make};
use crate::log::{Log, mpay_log_callback};
use crate::signer::{CallbackSigner, SignerCallback, mpay_signer_callback};
use crate::user_data::{UserData, mpay_release_callback};

/// Settings, which can be set in any order. A client, protocol or verifier checks and copies them when it is
/// made. One thread at a time may use them.
#[derive(Default)]
pub struct mpay_config {
    config: Config,
    log: Option<Log>,
    signer: Option<SignerCallback>,
}

impl mpay_config {
    /// Sets a setting by its text, or unsets it. Every error is remembered until the setting gets a usable value.
    fn set(&mut self, name: &str, text: Result<Option<&str>>) -> Result<()> {
        match text {
            Ok(text) => self.config.set(name, text),
            Err(error) => self.config.refuse(name, error),
        }
    }

    fn set_number(&mut self, name: &str, number: impl ToString) -> Result<()> {
        self.config.set(name, number.to_string().as_str())
    }

    /// Adds to a list; an absent text adds nothing.
    fn add(&mut self, name: &str, text: Result<Option<&str>>) -> Result<()> {
        match text {
            Ok(Some(text)) => self.config.add(name, text),
            Ok(None) => Ok(()),
            Err(error) => self.config.refuse(name, error),
        }
    }

    /// The settings with the signer: the callback if there is one, else the private key.
    fn with_signer(&self) -> Result<Config> {
        let config = self.config.clone();
        match self.signer.clone() {
            Some(_) if config.has_signer() => {
                Err(Error::invalid_argument("either private_key or the signer callback can be set, not both"))
            }
            Some(callback) => {
                let public_key =
                    needed(config.own_public_key()?, "public_key, which the signer callback needs,")?;
                Ok(config.signer(CallbackSigner { callback, public_key }))
            }
            None => Ok(config),
        }
    }

    pub(crate) fn client(&self) -> Result<Client> {
        let mut config = self.with_signer()?;
        if let Some(log) = self.log.clone() {
            config = config.observer(move |attempt| log.report(attempt));
        }
        crate::resident::stay();
        Client::new(config)
    }

    pub(crate) fn protocol(&self) -> Result<Protocol> {
        self.with_signer()?.protocol()
    }

    pub(crate) fn verifier(&self) -> Result<WebhookVerifier> {
        self.config.verifier()
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
    set(|| needed(config, "config")?.set("base_url", base_url))
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
    set(|| needed(config, "config")?.set("key_id", key_id))
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
    set(|| needed(config, "config")?.set("private_key", private_key))
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
    set(|| needed(config, "config")?.set("public_key", public_key))
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
    set(|| needed(config, "config")?.add("server_public_key", server_public_key))
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
    set(|| needed(config, "config")?.add("server_key_id", server_key_id))
}

/// Removes all added public keys and key ids of the service, including invalid ones. Existing clients,
/// protocols and verifiers do not change. Returns MPAY_OK or MPAY_INVALID_ARGUMENT. One thread at a time.
/// Since 0.2.0.
#[unsafe(no_mangle)]
pub extern "C" fn mpay_config_clear_server_keys(config: Option<&mut mpay_config>) -> i32 {
    set(|| {
        let config = needed(config, "config")?;
        config.set("server_public_key", Ok(None))?;
        config.set("server_key_id", Ok(None))
    })
}

/// 1 allows a base URL of plain http to another machine. Anyone on the network path can then read every
/// account and every signature. A signature is like a password for its order. 0, the default, allows plain
/// http only to the name localhost and to literal addresses: 127.0.0.0/8 and IPv6 ::1. Returns MPAY_OK or
/// MPAY_INVALID_ARGUMENT. One thread at a time. Since 0.2.0.
#[unsafe(no_mangle)]
pub extern "C" fn mpay_config_set_allow_http(config: Option<&mut mpay_config>, allow_http: i32) -> i32 {
    set(|| needed(config, "config")?.set_number("allow_http", allow_http))
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
    set(|| needed(config, "config")?.set("ca_file", ca_file))
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
    set(|| needed(config, "config")?.set("ca_pem", ca_pem))
}

/// 1 trusts only the CAs that mpay_config_set_ca_file and mpay_config_set_ca_pem set; at least one of these
/// CAs must be set. 0, the default, also trusts the operating system's CAs. Returns MPAY_OK or
/// MPAY_INVALID_ARGUMENT. One thread at a time. Since 0.2.0.
#[unsafe(no_mangle)]
pub extern "C" fn mpay_config_set_exclusive_ca(config: Option<&mut mpay_config>, exclusive_ca: i32) -> i32 {
    set(|| needed(config, "config")?.set_number("exclusive_ca", exclusive_ca))
}

/// Adds a pin of the public key of the service's own certificate: "sha256/" and the base64 of the SHA-256 of
/// its SubjectPublicKeyInfo. With pins, a connection to the service needs a trusted certificate with a key
/// that matches a pin. A connection to an https proxy needs no pin. Add the next key's pin before the service
/// changes its key. NULL adds nothing. Returns MPAY_OK or MPAY_INVALID_ARGUMENT. One thread at a time. Since 0.2.0.
#[unsafe(no_mangle)]
pub unsafe extern "C" fn mpay_config_add_pin_spki(
    config: Option<&mut mpay_config>,
    pin: *const c_char,
) -> i32 {
    // SAFETY: the header's rule for texts.
    let pin = unsafe { text(pin, "pin") };
    set(|| needed(config, "config")?.add("pin_spki", pin))
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
        let is_pair = matches!((&certificate, &key), (Ok(Some(_)), Ok(Some(_))) | (Ok(None), Ok(None)));
        let certificate = config.set("client_cert_file", certificate);
        certificate.and(config.set("client_key_file", key))?;
        if is_pair {
            return Ok(());
        }
        Err(Error::invalid_argument("client_cert_file and client_key_file must be set together"))
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
    set(|| needed(config, "config")?.set("proxy", proxy))
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
    set(|| needed(config, "config")?.set("user_agent", user_agent))
}

/// The deadline of a whole call in milliseconds, retries included; 30000 unless set. 0 is refused when the
/// client is made. Returns MPAY_OK or MPAY_INVALID_ARGUMENT. One thread at a time. Since 0.1.0.
#[unsafe(no_mangle)]
pub extern "C" fn mpay_config_set_timeout_ms(config: Option<&mut mpay_config>, timeout_ms: u32) -> i32 {
    set(|| needed(config, "config")?.set_number("timeout_ms", timeout_ms))
}

/// The time limit for opening one connection, in milliseconds; 10000 unless set. 0 is refused when the client
/// is made. Returns MPAY_OK or MPAY_INVALID_ARGUMENT. One thread at a time. Since 0.1.0.
#[unsafe(no_mangle)]
pub extern "C" fn mpay_config_set_connect_timeout_ms(
    config: Option<&mut mpay_config>,
    connect_timeout_ms: u32,
) -> i32 {
    set(|| needed(config, "config")?.set_number("connect_timeout_ms", connect_timeout_ms))
}

/// The time after a response, in milliseconds, for which its connection may be reused for a call that is sent
/// once, such as mpay_new_payment; 1000 unless set, 0 for never. The connection is checked just before its
/// reuse. If the server closes the connection during the reuse, the outcome is MPAY_OUTCOME_UNKNOWN; a longer
/// time makes this more likely.
/// mpay_get_status and mpay_get_available_amounts may reuse a connection for 15 s, or for this time if it is
/// longer than 15 s. Returns MPAY_OK or MPAY_INVALID_ARGUMENT. One thread at a time. Since 0.2.0.
#[unsafe(no_mangle)]
pub extern "C" fn mpay_config_set_reuse_idle_ms(config: Option<&mut mpay_config>, reuse_idle_ms: u32) -> i32 {
    set(|| needed(config, "config")?.set_number("reuse_idle_ms", reuse_idle_ms))
}

/// The time for which a connection of mpay_client_connect may wait for its first request, in milliseconds;
/// 10000 unless set, 0 for no time. Returns MPAY_OK or MPAY_INVALID_ARGUMENT. One thread at a time. Since
/// 0.2.0.
#[unsafe(no_mangle)]
pub extern "C" fn mpay_config_set_connect_idle_ms(
    config: Option<&mut mpay_config>,
    connect_idle_ms: u32,
) -> i32 {
    set(|| needed(config, "config")?.set_number("connect_idle_ms", connect_idle_ms))
}

/// The largest number of retries of a request; 2 unless set, 0 for none. A request is retried only if no byte
/// of it was written, or if it is a request of mpay_get_status or mpay_get_available_amounts. Returns MPAY_OK
/// or MPAY_INVALID_ARGUMENT. One thread at a time. Since 0.1.0.
#[unsafe(no_mangle)]
pub extern "C" fn mpay_config_set_max_retries(config: Option<&mut mpay_config>, max_retries: u32) -> i32 {
    set(|| needed(config, "config")?.set_number("max_retries", max_retries))
}

/// The size in bytes of the largest reply body that is read; 1048576 unless set. Returns MPAY_OK or
/// MPAY_INVALID_ARGUMENT. One thread at a time. Since 0.1.0.
#[unsafe(no_mangle)]
pub extern "C" fn mpay_config_set_max_reply_bytes(
    config: Option<&mut mpay_config>,
    max_reply_bytes: u64,
) -> i32 {
    set(|| needed(config, "config")?.set_number("max_reply_bytes", max_reply_bytes))
}

/// Sets a setting of the definition (docs/settings.md) by its name, such as "timeout_ms", and its text: a
/// number in digits, a flag as 1 or 0. If the setting is a list, each comma-separated text is added. NULL
/// unsets the setting. A key may be the JSON that "merchantpay keygen" prints. Returns MPAY_OK,
/// MPAY_INVALID_KEY, or MPAY_INVALID_ARGUMENT for an unknown name or a text that cannot be read; the error
/// names the setting. One thread at a time. Since 0.3.0.
#[unsafe(no_mangle)]
pub unsafe extern "C" fn mpay_config_set(
    config: Option<&mut mpay_config>,
    name: *const c_char,
    text: *const c_char,
    error: *mut *mut mpay_error,
) -> i32 {
    // SAFETY: the header's rules for texts and out-pointers.
    unsafe {
        run(CallPhase::Setup, error, || {
            let name = needed_text(name, "name")?;
            needed(config, "config")?.set(name, boundary::text(text, name))
        })
    }
}

/// Sets each setting whose environment variable is present, as mpay_config_set does: MERCHANTPAY_BASE_URL and
/// others (docs/settings.md). MERCHANTPAY_PRIVATE_KEY_FILE names a file with the private key. An empty
/// variable is treated as absent. Returns MPAY_OK, MPAY_INVALID_KEY, or MPAY_INVALID_ARGUMENT for a text or a
/// file that cannot be read. No other thread may change the environment while this function runs. One thread
/// at a time. Since 0.3.0.
#[unsafe(no_mangle)]
pub unsafe extern "C" fn mpay_config_from_env(
    config: Option<&mut mpay_config>,
    error: *mut *mut mpay_error,
) -> i32 {
    // SAFETY: the header's rule for out-pointers.
    unsafe {
        run(CallPhase::Setup, error, || {
            let config = needed(config, "config")?;
            SETTINGS.iter().try_for_each(|row| match row.from_env()? {
                Some(text) => config.set(&row.name_with_unit(), Ok(Some(&text))),
                None => Ok(()),
            })
        })
    }
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
