//! Reads the values of settings from texts and from environment variables.

use std::path::Path;
use std::time::Duration;

use zeroize::Zeroizing;

use crate::config::Config;
use crate::error::{Error, Result};
use crate::exchange::Protocol;
use crate::setting_text::{TextRule, check_path, clean, fault, quote_fault, refusal};
use crate::settings::{SETTINGS, Setting, SettingKind};
use crate::webhook::WebhookVerifier;

impl Setting {
    /// The text as the library uses it. A key, a key id, a URL and a pin lose the spaces and line ends around
    /// them.
    ///
    /// # Errors
    ///
    /// `invalid_argument`, or `invalid_key` for a key, with the setting's name: the text is wrapped in quotes
    /// or contains a control character. The error does not show the text.
    pub fn clean<'t>(&self, text: &'t str) -> Result<&'t str> {
        clean(&self.name_with_unit(), self.text_rule(), text)
    }

    fn text_rule(&self) -> TextRule {
        match self.kind {
            SettingKind::File | SettingKind::SecretFile => TextRule::Path,
            SettingKind::Milliseconds | SettingKind::Number | SettingKind::Bytes | SettingKind::Flag => {
                TextRule::Number
            }
            SettingKind::Text if matches!(self.name, "user_agent" | "account") => TextRule::Words,
            SettingKind::Text if self.name == "ca_pem" => TextRule::Pem,
            SettingKind::Text | SettingKind::Texts if self.name.ends_with("key_id") => TextRule::KeyId,
            SettingKind::Text | SettingKind::Secret | SettingKind::Texts => TextRule::Token,
        }
    }

    /// Reads a flag: 1 or 0.
    ///
    /// # Errors
    ///
    /// `invalid_argument` with the setting's name for any other text.
    pub fn flag(&self, text: &str) -> Result<bool> {
        match text {
            "0" => Ok(false),
            "1" => Ok(true),
            _ => Err(self.wrong(text, "1 or 0")),
        }
    }

    /// Reads a whole number.
    ///
    /// # Errors
    ///
    /// `invalid_argument` with the setting's name if the text is not a whole number.
    pub fn number<N: std::str::FromStr>(&self, text: &str) -> Result<N> {
        let unit = if self.kind == SettingKind::Milliseconds { " of milliseconds" } else { "" };
        text.parse().map_err(|_| self.wrong(text, &format!("a whole number{unit}")))
    }

    /// Reads the texts of the setting `name`, separated by commas. Empty texts are left out.
    ///
    /// # Errors
    ///
    /// `invalid_argument` with the name if all texts are empty. An empty list could be dangerous: an empty
    /// list of pins would allow every trusted certificate. Also the errors of [`clean`](Setting::clean).
    pub fn texts(name: &str, text: &str) -> Result<Vec<String>> {
        if let Some(fault) = quote_fault(text, true) {
            return Err(refusal(name, fault));
        }
        let rule = if name.ends_with("key_id") { TextRule::KeyId } else { TextRule::Token };
        let texts = text.split(',').map(str::trim).filter(|text| !text.is_empty());
        let texts = texts.map(|text| clean(name, rule, text).map(str::to_owned));
        let texts = texts.collect::<Result<Vec<String>>>()?;
        if texts.is_empty() { Err(Error::invalid_argument(format!("{name} is empty"))) } else { Ok(texts) }
    }

    pub(crate) fn milliseconds(&self, text: &str) -> Result<Duration> {
        self.number::<u32>(text).map(|number| Duration::from_millis(number.into()))
    }

    fn wrong(&self, text: &str, wanted: &str) -> Error {
        let fault = fault(TextRule::Number, text).unwrap_or_else(|| format!("must be {wanted}"));
        refusal(&self.name_with_unit(), &fault)
    }
}

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
