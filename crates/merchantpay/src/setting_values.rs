//! Reads the values of settings from texts.

use std::time::Duration;

use crate::error::{Error, Result};
use crate::setting_text::{TextRule, clean, fault, quote_fault, refusal};
use crate::settings::{Setting, SettingKind};

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
