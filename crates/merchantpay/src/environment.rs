//! Reads the settings from environment variables.

use std::path::Path;

use zeroize::Zeroizing;

use crate::config::Config;
use crate::error::{Error, Result};
use crate::exchange::Protocol;
use crate::setting_text::check_path;
use crate::settings::{SETTINGS, Setting};
use crate::webhook::WebhookVerifier;

impl Setting {
    /// The setting's text in the environment. An empty variable is the same as an absent variable. If the
    /// variable of `private_key` is absent, the text is read from the file that
    /// `MERCHANTPAY_PRIVATE_KEY_FILE` names.
    ///
    /// # Errors
    ///
    /// `invalid_argument` with the variable's name for a text that is not UTF-8, and for a file that cannot be
    /// read.
    pub fn from_env(&self) -> Result<Option<Zeroizing<String>>> {
        match read_variable(&self.variable())? {
            None if self.name == "private_key" => read_private_key_file(),
            text => Ok(text),
        }
    }
}

impl Config {
    /// Reads the settings from environment variables: `MERCHANTPAY_BASE_URL` and so on, see
    /// [`Setting::variable`]. Without `MERCHANTPAY_PRIVATE_KEY`, the key is read from the file that
    /// `MERCHANTPAY_PRIVATE_KEY_FILE` names.
    ///
    /// # Errors
    ///
    /// The same errors as [`from_texts`](Config::from_texts), and `invalid_argument` if the file cannot be
    /// read.
    pub fn from_env() -> Result<Config> {
        let mut texts = SETTINGS.iter().map(Setting::from_env).collect::<Result<Vec<_>>>()?.into_iter();
        Config::from_texts(|_| texts.next().flatten().map(|text| text.to_string()))
    }
}

impl Protocol {
    /// Makes a protocol from the environment, with the settings of [`Config::from_env`].
    ///
    /// # Errors
    ///
    /// The same errors as [`Config::from_env`] and [`Protocol::new`].
    pub fn from_env() -> Result<Protocol> {
        Config::from_env()?.protocol()
    }
}

impl WebhookVerifier {
    /// Makes a verifier from the environment. Only `MERCHANTPAY_SERVER_PUBLIC_KEY` is required; see
    /// [`from_texts`](WebhookVerifier::from_texts).
    ///
    /// # Errors
    ///
    /// The same errors as [`from_texts`](WebhookVerifier::from_texts), and `invalid_argument` for a variable
    /// that is not UTF-8.
    pub fn from_env() -> Result<WebhookVerifier> {
        let mut failure = None;
        let verifier = WebhookVerifier::from_texts(|row| match row.from_env() {
            Ok(text) => text.map(|text| text.to_string()),
            Err(error) => {
                failure.get_or_insert(error);
                None
            }
        });
        failure.map_or(verifier, Err)
    }
}

/// The value of an environment variable. `None` if the variable is absent or empty.
fn read_variable(variable: &str) -> Result<Option<Zeroizing<String>>> {
    match std::env::var_os(variable).filter(|text| !text.is_empty()).map(std::ffi::OsString::into_string) {
        None => Ok(None),
        Some(Ok(text)) => Ok(Some(Zeroizing::new(text))),
        Some(Err(_)) => Err(Error::invalid_argument(format!("{variable} is not UTF-8"))),
    }
}

fn read_private_key_file() -> Result<Option<Zeroizing<String>>> {
    const VARIABLE: &str = "MERCHANTPAY_PRIVATE_KEY_FILE";
    let Some(file) = std::env::var_os(VARIABLE).filter(|file| !file.is_empty()) else { return Ok(None) };
    check_path(VARIABLE, Path::new(&file))?;
    std::fs::read_to_string(file).map(|key| Some(Zeroizing::new(key))).map_err(|error| {
        Error::invalid_argument(format!("the file that {VARIABLE} names cannot be read: {error}"))
    })
}
