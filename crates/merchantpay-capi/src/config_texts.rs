//! Settings as names and texts: from a merchant's file, another language, or the environment.

use std::ffi::c_char;

use merchantpay::{Code, Error, PrivateKey, PublicKey, Result, SETTINGS, Setting as Row};

use crate::boundary::{self, CallPhase, needed, needed_text, run};
use crate::config::{Place, mpay_config};
use crate::error::mpay_error;
use crate::setting::{add, clean_of, key_of, text_of};

impl mpay_config {
    /// Sets a setting by its text, or unsets the setting. Like the setting's own setter, this method stores
    /// the error of an invalid text.
    fn set_text(&mut self, row: &Row, text: Result<Option<&str>>) -> Result<()> {
        let name = row.name_with_unit();
        let place = self
            .place(row.name)
            .ok_or_else(|| Error::invalid_argument(format!("the setting {name} cannot be set as a text")))?;
        // Not used for a private key, because the copied text would not be wiped.
        let own = |text| text_of(text, &name);
        let set = match place {
            Place::Text(place) => place.set(clean_of(text, &name)),
            Place::Texts(places) => {
                each(row, own(text), |text| add(places, text.map(str::to_owned).map(Some)))
            }
            Place::PrivateKey(place) => place.set(key_of(text, &name, PrivateKey::from_base64)),
            Place::PublicKey(place) => place.set(key_of(text, &name, PublicKey::from_base64)),
            Place::PublicKeys(places) => {
                each(row, own(text), |text| add(places, text.and_then(PublicKey::from_base64).map(Some)))
            }
            Place::Flag(place) => {
                place.set(own(text).and_then(|text| text.map(|text| row.flag(&text)).transpose()))
            }
            Place::Number(place) => {
                place.set(own(text).and_then(|text| text.map(|text| row.number(&text)).transpose()))
            }
            Place::Bytes(place) => {
                place.set(own(text).and_then(|text| text.map(|text| row.number(&text)).transpose()))
            }
        };
        set.map_err(|error| with_name(error, &name))
    }
}

/// Adds each of the comma-separated texts.
fn each(
    row: &Row,
    texts: Result<Option<String>>,
    mut add: impl FnMut(Result<&str>) -> Result<()>,
) -> Result<()> {
    match texts {
        Ok(None) => Ok(()),
        // `texts` leaves out empty texts, and a single empty text must stay an error.
        Ok(Some(text)) if !text.contains(',') => add(row.clean(&text)),
        Ok(Some(texts)) => match Row::texts(row.name, &texts) {
            Ok(texts) => texts.iter().try_for_each(|text| add(Ok(text))),
            Err(error) => add(Err(error)),
        },
        Err(error) => add(Err(error)),
    }
}

/// The error with the name of the setting.
pub(crate) fn with_name(error: Error, name: &str) -> Error {
    if error.message().contains(name) {
        return error;
    }
    let message = format!("{name}: {}", error.message());
    match error.code() {
        Code::InvalidKey => Error::invalid_key(message),
        _ => Error::invalid_argument(message),
    }
}

/// Sets a setting of the definition (docs/settings.md) by its name, such as "timeout_ms", and its text: a
/// number in digits, a flag as 1 or 0. If the setting is a list, each comma-separated text is added. NULL
/// unsets the setting, and adds nothing to a list. This function has the same effect as the setting's own
/// function. Returns MPAY_OK, MPAY_INVALID_KEY, or MPAY_INVALID_ARGUMENT for an unknown name or a text that
/// cannot be read; the error names the setting. One thread at a time. Since 0.3.0.
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
            let row = Row::named(needed_text(name, "name")?)?;
            needed(config, "config")?.set_text(row, boundary::text(text, &row.name_with_unit()))
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
            for row in SETTINGS {
                let Some(text) = row.from_env()? else { continue };
                config.set_text(row, Ok(Some(&text)))?;
            }
            Ok(())
        })
    }
}
