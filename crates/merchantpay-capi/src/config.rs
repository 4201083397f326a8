//! `mpay_config`: the functions for which no table has a row.

use std::ffi::{c_char, c_void};
use std::sync::Arc;

use merchantpay::{Error, Result};
use merchantpay_calls::{Object, ObjectKind, Phase, Value};

use crate::arguments::{list, needed, needed_text, text};
use crate::boundary::{run, set};
use crate::callbacks::{Callbacks, UserData, mpay_log_callback, mpay_release_callback, mpay_signer_callback};
use crate::object::{LIBRARY, open, secret_call};
use crate::places::number;
use crate::settings::Settings;
use crate::typed::mpay_error;

/// Settings, which can be set in any order. A client, protocol or verifier checks and copies them when it is
/// made. One thread at a time may use them.
pub struct mpay_config {
    pub(crate) settings: Settings,
    callbacks: Callbacks,
    /// Whether the variables were read, which are settings by now.
    is_environment_read: bool,
}

impl Default for mpay_config {
    fn default() -> mpay_config {
        mpay_config {
            settings: Settings::of_client(),
            callbacks: Callbacks::default(),
            is_environment_read: false,
        }
    }
}

impl mpay_config {
    pub(crate) fn open(&self, kind: ObjectKind) -> Result<Arc<Object>> {
        let (callbacks, settings) = (self.callbacks.names(), self.settings.pairs());
        let environment = self.is_environment_read.then(|| Value::List(Vec::new()));
        open(kind, None, callbacks, settings, environment, self.callbacks.host())
    }
}

/// Removes all added public keys and key ids of the service, including invalid ones. Existing clients,
/// protocols and verifiers do not change. Returns MPAY_OK or MPAY_INVALID_ARGUMENT. One thread at a time.
/// Since 0.2.0.
#[unsafe(no_mangle)]
pub extern "C" fn mpay_config_clear_server_keys(config: Option<&mut mpay_config>) -> i32 {
    set(|| {
        let settings = &mut needed(config, "config")?.settings;
        settings.set("server_public_key", None)?;
        settings.set("server_key_id", None)
    })
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
    let (certificate, key) = unsafe { (text(cert_file), text(key_file)) };
    set(|| {
        let settings = &mut needed(config, "config")?.settings;
        let is_pair = certificate.is_some() == key.is_some();
        let certificate = settings.put("client_cert_file", &certificate);
        certificate.and(settings.put("client_key_file", &key))?;
        if is_pair {
            return Ok(());
        }
        Err(Error::invalid_argument("client_cert_file and client_key_file must be set together"))
    })
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
        run(Phase::Setup, error, || {
            let (name, text) = (needed_text(name, "name")?, crate::arguments::text(text));
            needed(config, "config")?.settings.put(name, &text)
        })
    }
}

/// Sets each setting whose environment variable is present, as mpay_config_set does: MERCHANTPAY_BASE_URL and
/// others (docs/settings.md). MERCHANTPAY_PRIVATE_KEY_FILE names a file with the private key. An empty
/// variable is treated as absent. Returns MPAY_OK, MPAY_INVALID_KEY, or MPAY_INVALID_ARGUMENT for a text or a
/// file that cannot be read; the error names the variable. No other thread may change the environment while
/// this function runs. One thread at a time. Since 0.3.0.
#[unsafe(no_mangle)]
pub unsafe extern "C" fn mpay_config_from_env(
    config: Option<&mut mpay_config>,
    error: *mut *mut mpay_error,
) -> i32 {
    // SAFETY: the header's rule for out-pointers.
    unsafe {
        run(Phase::Setup, error, || {
            let config = needed(config, "config")?;
            config.is_environment_read = true;
            read_environment(&mut config.settings)
        })
    }
}

fn read_environment(settings: &mut Settings) -> Result<()> {
    let all = std::env::vars_os();
    let own = all.filter(|(name, _)| name.as_encoded_bytes().starts_with(b"MERCHANTPAY_"));
    let texts: Vec<_> =
        own.flat_map(|(name, value)| [name, value]).map(|text| text.into_encoded_bytes()).collect();
    let variables = list(texts.iter().map(|text| Some(text.as_slice())));
    let read = secret_call(LIBRARY, number::LIBRARY_ENVIRONMENT, &[variables])?;
    (0..read.len())
        .step_by(2)
        .try_for_each(|place| settings.set(read.str(&[place]).unwrap_or_default(), read.bytes(&[place + 1])))
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
        needed(config, "config")?.callbacks.log = callback.map(|callback| (callback, user_data));
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
        needed(config, "config")?.callbacks.signer = callback.map(|callback| (callback, user_data));
        Ok(())
    })
}
