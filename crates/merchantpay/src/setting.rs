//! One setting: its row in a table, and how its value is read from text. A client's table is in
//! [`config`](crate::Config); the journal has its own.

use std::borrow::Cow;
use std::collections::BTreeMap;
use std::path::PathBuf;
use std::time::Duration;

use zeroize::Zeroizing;

use crate::error::{Error, Result};
use crate::json::Object;
use crate::setting_text::{TextRule, clean, fault, quote_fault, refusal, trim};

/// A setting of a client or of the journal. Code of the other languages and parts of the
/// documentation are generated from the lists of settings. [`SETTINGS`](crate::SETTINGS) lists all settings of
/// a client.
#[derive(Debug, Clone, Copy)]
pub struct Setting {
    /// The name in snake case, without the unit. The environment variable is `MERCHANTPAY_` and this name in
    /// capitals, with `_MS` at the end for milliseconds.
    pub name: &'static str,
    /// The kind of the setting's value.
    pub kind: SettingKind,
    /// `true` if the setting is required.
    pub needed: bool,
    /// The default value as text.
    pub default: Option<&'static str>,
    /// A description in one line.
    pub doc: &'static str,
    /// The version that introduced the setting.
    pub since: &'static str,
}

/// The kinds of a setting's value.
#[derive(Debug, Clone, Copy, PartialEq, Eq)]
pub enum SettingKind {
    /// A text.
    Text,
    /// A text that must not be shown: a private key, or a URL that may contain a password.
    Secret,
    /// Several texts. In a variable they are separated by commas.
    Texts,
    /// A file's path.
    File,
    /// The path of a file whose content must not be shown.
    SecretFile,
    /// Milliseconds, 32 bits.
    Milliseconds,
    /// A number, 32 bits.
    Number,
    /// A number of bytes, 64 bits.
    Bytes,
    /// Yes or no: 1 or 0.
    Flag,
}

pub(crate) const KEY_FILE: &str = "MERCHANTPAY_PRIVATE_KEY_FILE";

/// Names all settings that are missing, in the order of their table. Where `spell` gives the variable, the variable
/// with a file can be set in its place.
#[doc(hidden)]
pub fn check_missing(missing: &[&Setting], spell: impl Fn(&Setting) -> String) -> Result<()> {
    let file = |row: &Setting| row.file_variable().filter(|_| spell(row) == row.variable());
    let both =
        |row: &Setting| spell(row) + &file(row).map(|file| format!(" (or {file})")).unwrap_or_default();
    match missing {
        [] => Ok(()),
        [row] => {
            let or = file(row).map(|file| format!(" or {file}")).unwrap_or_default();
            Err(Error::about(&row.name_with_unit(), format!("is missing: set it{or}")))
        }
        [first @ .., last] => {
            let first = first.iter().map(|row| both(row)).collect::<Vec<_>>().join(", ");
            Err(Error::invalid_argument(format!("{first} and {} are missing: set them", both(last))))
        }
    }
}

impl Setting {
    /// The setting with this name in `table`. The name includes the unit, such as `timeout_ms`.
    pub fn among<'a>(table: &'a [Setting], name: &str) -> Result<&'a Setting> {
        table
            .iter()
            .find(|row| row.name_with_unit() == name)
            .ok_or_else(|| Error::invalid_argument(format!("there is no setting {name:?}")))
    }

    /// The name with its unit, such as `timeout_ms`.
    pub fn name_with_unit(&self) -> String {
        let unit = if self.kind == SettingKind::Milliseconds { "_ms" } else { "" };
        format!("{}{unit}", self.name)
    }

    /// The name of the setting's environment variable, such as `MERCHANTPAY_TIMEOUT_MS`.
    pub fn variable(&self) -> String {
        format!("MERCHANTPAY_{}", self.name_with_unit().to_uppercase())
    }

    /// The variable that names a file with the text, which is read if [`variable`](Setting::variable) is not set.
    #[doc(hidden)]
    pub fn file_variable(&self) -> Option<&'static str> {
        (self.name == "private_key").then_some(KEY_FILE)
    }

    /// The variable from which the text comes.
    #[doc(hidden)]
    pub fn variable_in_use(&self, is_set: impl Fn(&str) -> bool) -> String {
        let variable = self.variable();
        match self.file_variable() {
            Some(file) if !is_set(&variable) && is_set(file) => file.to_owned(),
            _ => variable,
        }
    }

    /// The text as the library uses it. A key, a key id, a URL and a pin lose the spaces and line ends around
    /// them.
    ///
    /// # Errors
    ///
    /// `invalid_argument`, or `invalid_key` for a key, with the setting's name: the text is wrapped in quotes
    /// or contains a control character. The error does not show the text.
    pub fn clean<'t>(&self, text: &'t str) -> Result<&'t str> {
        clean(&self.name_with_unit(), self.text_rule(text), text)
    }

    fn text_rule(&self, text: &str) -> TextRule {
        match self.kind {
            SettingKind::File | SettingKind::SecretFile => TextRule::Path,
            SettingKind::Milliseconds | SettingKind::Number | SettingKind::Bytes | SettingKind::Flag => {
                TextRule::Number
            }
            _ if self.name == "user_agent" => TextRule::Words,
            _ if self.name == "ca_pem" => TextRule::Pem,
            _ if self.name == "place" && !text.contains("://") => TextRule::Path,
            _ if self.name.ends_with("key_id") => TextRule::KeyId,
            SettingKind::Text | SettingKind::Secret | SettingKind::Texts => TextRule::Token,
        }
    }

    fn flag(&self, text: &str) -> Result<bool> {
        match text {
            "0" => Ok(false),
            "1" => Ok(true),
            _ => Err(self.wrong(text, "1 or 0")),
        }
    }

    fn number<N: std::str::FromStr>(&self, text: &str) -> Result<N> {
        let unit = if self.kind == SettingKind::Milliseconds { " of milliseconds" } else { "" };
        let comma = if text.contains(',') { ", without a comma" } else { "" };
        text.parse().map_err(|_| self.wrong(text, &format!("a whole number{unit}{comma}")))
    }

    /// Reads texts that are separated by commas. Empty texts are left out, but an empty list is refused: one of pins
    /// would allow every trusted certificate.
    fn texts(&self, text: &str) -> Result<Vec<String>> {
        if let Some(fault) = quote_fault(text, true) {
            return Err(refusal(self.name, fault));
        }
        let texts = text.split(',').map(trim).filter(|text| !text.is_empty());
        let texts = texts.map(|text| self.clean(text).map(str::to_owned)).collect::<Result<Vec<_>>>()?;
        if texts.is_empty() { Err(Error::about(self.name, "is empty")) } else { Ok(texts) }
    }

    /// Sets `value` from the setting's text, which is in no error.
    #[doc(hidden)]
    pub fn read(&self, value: &mut impl SettingValue, text: &str) -> Result<()> {
        let name = self.name_with_unit();
        let key = if name.ends_with("_key") { key_of_json(&name, text)? } else { None };
        let text = key.as_deref().map_or(text, String::as_str);
        let text = if self.kind == SettingKind::Texts { text } else { self.clean(text)? };
        match trim(text).is_empty() {
            // Nobody has an empty key id, so this is what a program passes that has none.
            true if self.name == "server_key_id" => Ok(()),
            true => Err(refusal(&name, "is empty")),
            false => value.read(self, text).map_err(|error| error.in_argument(&name)),
        }
    }

    fn wrong(&self, text: &str, wanted: &str) -> Error {
        let fault = fault(TextRule::Number, text).unwrap_or_else(|| format!("must be {wanted}"));
        refusal(&self.name_with_unit(), &fault)
    }
}

/// The key in the JSON that `merchantpay keygen` prints; `None` if the text is no JSON.
fn key_of_json(name: &str, text: &str) -> Result<Option<Zeroizing<String>>> {
    let text = trim(text);
    if !text.starts_with('{') {
        return Ok(None);
    }
    let field = if name == "private_key" { "privateKey" } else { "publicKey" };
    let key = Object::parse(text.as_bytes()).and_then(|pair| Ok(pair.string(field)?.map(Cow::into_owned)));
    match key {
        Ok(Some(key)) => Ok(Some(Zeroizing::new(key))),
        Ok(None) => Err(refusal(name, &format!("is JSON without {field}"))),
        Err(_) => Err(refusal(name, "is neither base64 nor the JSON that keygen prints")),
    }
}

/// The text of a key, which may be the JSON that `merchantpay keygen` prints, without what surrounds it.
#[doc(hidden)]
pub fn key_text(name: &str, text: &str) -> Result<Zeroizing<String>> {
    let key = key_of_json(name, text)?;
    let text = key.as_deref().map_or(text, String::as_str);
    clean(name, TextRule::Token, text).map(|text| Zeroizing::new(text.to_owned()))
}

/// A value that a setting's text sets. A list grows by each text.
#[doc(hidden)]
pub trait SettingValue {
    fn read(&mut self, row: &Setting, text: &str) -> Result<()>;
}

#[doc(hidden)]
pub trait FromSetting: Sized {
    fn from_setting(row: &Setting, text: &str) -> Result<Self>;
}

macro_rules! single_values {
    ($( $type:ty: |$row:ident, $text:ident| $read:expr; )+) => { $(
        impl FromSetting for $type {
            fn from_setting($row: &Setting, $text: &str) -> Result<$type> {
                $read
            }
        }

        impl SettingValue for $type {
            fn read(&mut self, row: &Setting, text: &str) -> Result<()> {
                *self = FromSetting::from_setting(row, text)?;
                Ok(())
            }
        }
    )+ };
}

single_values! {
    bool: |row, text| row.flag(text);
    u32: |row, text| row.number(text);
    u64: |row, text| row.number(text);
    usize: |row, text| row.number(text);
    Duration: |row, text| row.number::<u32>(text).map(|number| Duration::from_millis(number.into()));
    String: |_row, text| Ok(text.to_owned());
    PathBuf: |_row, text| Ok(PathBuf::from(text));
}

impl<T: FromSetting> SettingValue for Option<T> {
    fn read(&mut self, row: &Setting, text: &str) -> Result<()> {
        *self = Some(T::from_setting(row, text)?);
        Ok(())
    }
}

impl<T: FromSetting> SettingValue for Vec<T> {
    fn read(&mut self, row: &Setting, text: &str) -> Result<()> {
        let texts = row.texts(text)?;
        self.extend(texts.iter().map(|text| T::from_setting(row, text)).collect::<Result<Vec<T>>>()?);
        Ok(())
    }
}

/// The errors of settings or fields whose last text was refused. A configuration is never used without a value
/// that somebody tried to set.
#[doc(hidden)]
#[derive(Debug, Clone, Default)]
pub struct Refused(BTreeMap<&'static str, Error>);

impl Refused {
    /// Remembers a refusal, or that the last text was accepted.
    pub fn note(&mut self, name: &'static str, result: Result<()>) -> Result<()> {
        match &result {
            Ok(()) => drop(self.0.remove(name)),
            Err(error) => drop(self.0.insert(name, error.clone())),
        }
        result
    }

    /// Fails with the error of one of these names.
    pub fn check<'n>(&self, mut names: impl Iterator<Item = &'n str>) -> Result<()> {
        names.find_map(|name| self.0.get(name)).map_or(Ok(()), |error| Err(error.clone()))
    }
}
