//! Settings as C sets them: names and texts, which the waist reads when an object is opened.

use merchantpay::{Config, Result, SETTINGS, Setting, SettingKind};
use merchantpay_calls::Value;
#[cfg(feature = "journal")]
use merchantpay_journal::{JournalConfig, SETTINGS as JOURNAL_SETTINGS};
use zeroize::Zeroizing;

use crate::arguments::{Argument, given, list, utf8};

/// The settings of one object. An unusable value stays until its setting gets another one, so that nothing can be
/// opened with it.
pub(crate) struct Settings {
    table: &'static [Setting],
    /// Reads one setting, so that its setter can return the error.
    read: fn(&str, &str) -> Result<()>,
    values: Vec<(String, Vec<Zeroizing<Vec<u8>>>)>,
}

impl Settings {
    pub(crate) fn of_client() -> Settings {
        let read = |name: &str, text: &str| Config::default().set(name, text);
        Settings { table: SETTINGS, read, values: Vec::new() }
    }

    #[cfg(feature = "journal")]
    pub(crate) fn of_journal() -> Settings {
        let read = |name: &str, text: &str| JournalConfig::new("").set(name, text);
        Settings { table: JOURNAL_SETTINGS, read, values: Vec::new() }
    }

    /// Sets a setting, adds to a list, or unsets either. An unknown name is an error and changes nothing.
    pub(crate) fn set(&mut self, name: &str, value: Option<&[u8]>) -> Result<()> {
        let is_list = Setting::among(self.table, name)?.kind == SettingKind::Texts;
        let place = self.values.iter().position(|(known, _)| known == name);
        let Some(value) = value else {
            place.map(|place| self.values.swap_remove(place));
            return Ok(());
        };
        let secret = Zeroizing::new(value.to_vec());
        match place.and_then(|place| self.values.get_mut(place)) {
            Some((_, list)) if is_list => list.push(secret),
            Some((_, values)) => *values = vec![secret],
            None => self.values.push((name.to_owned(), vec![secret])),
        }
        (self.read)(name, utf8(name, value)?)
    }

    /// Adds a value to a list. An absent one adds nothing.
    pub(crate) fn add(&mut self, name: &str, value: &Argument<'_>) -> Result<()> {
        given(value).map_or(Ok(()), |value| self.set(name, Some(value)))
    }

    pub(crate) fn put(&mut self, name: &str, value: &Argument<'_>) -> Result<()> {
        self.set(name, given(value))
    }

    /// As the waist takes them.
    pub(crate) fn pairs(&self) -> Argument<'_> {
        let mut pairs = Vec::with_capacity(2 * self.values.len());
        for (name, values) in &self.values {
            pairs.push(Some(Value::Borrowed(name.as_bytes())));
            pairs.push(match values.as_slice() {
                [value] if !self.is_list(name) => Some(Value::Borrowed(value)),
                values => list(values.iter().map(|value| Some(value.as_slice()))),
            });
        }
        Some(Value::List(pairs))
    }

    fn is_list(&self, name: &str) -> bool {
        Setting::among(self.table, name).is_ok_and(|row| row.kind == SettingKind::Texts)
    }
}
