//! The last value that was set for a setting, valid or not.

use merchantpay::{Error, Result, Setting as Row};

/// The last value that was set for a setting, valid or not. The setter returns the error of an invalid value,
/// and every use of the setting returns this error again.
pub(crate) struct Setting<T>(Option<Result<T>>);

impl<T> Default for Setting<T> {
    fn default() -> Setting<T> {
        Setting(None)
    }
}

impl<T> Setting<T> {
    /// Sets the value; an absent value unsets the setting.
    pub(crate) fn set(&mut self, value: Result<Option<T>>) -> Result<()> {
        let checked = check(&value);
        self.0 = value.transpose();
        checked
    }

    pub(crate) fn get(&self) -> Result<Option<&T>> {
        self.0.as_ref().map(|value| value.as_ref().map_err(Error::clone)).transpose()
    }
}

impl Setting<bool> {
    pub(crate) fn is_on(&self) -> Result<bool> {
        Ok(self.get()?.is_some_and(|is_on| *is_on))
    }
}

/// Adds a value; an absent value adds nothing.
pub(crate) fn add<T>(values: &mut Vec<Result<T>>, value: Result<Option<T>>) -> Result<()> {
    let checked = check(&value);
    values.extend(value.transpose());
    checked
}

/// Refuses an empty text: probably the host has lost the setting's value, and the setting must not be
/// silently left out.
pub(crate) fn text_of(text: Result<Option<&str>>, name: &str) -> Result<Option<String>> {
    match text? {
        Some("") => Err(Error::invalid_argument(format!("{name} is empty"))),
        text => Ok(text.map(str::to_owned)),
    }
}

/// Reads a flag: 0 or 1.
pub(crate) fn flag(value: i32, name: &str) -> Result<Option<bool>> {
    match value {
        0 | 1 => Ok(Some(value == 1)),
        _ => Err(Error::invalid_argument(format!("{name} must be 0 or 1"))),
    }
}

/// Like [`text_of`], for a setting of the definition, which drops spaces and line ends around some texts.
pub(crate) fn clean_of(text: Result<Option<&str>>, name: &str) -> Result<Option<String>> {
    text_of(text, name)?.map(|text| Row::named(name)?.clean(&text).map(str::to_owned)).transpose()
}

pub(crate) fn key_of<K>(
    text: Result<Option<&str>>,
    name: &str,
    read: fn(&str) -> Result<K>,
) -> Result<Option<K>> {
    text?.map(|text| Row::named(name)?.clean(text).and_then(read)).transpose()
}

fn check<T>(value: &Result<T>) -> Result<()> {
    value.as_ref().map(drop).map_err(Error::clone)
}
