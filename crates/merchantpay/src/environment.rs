//! The settings in the environment, and the file of the private key.

use std::path::Path;

use zeroize::Zeroizing;

use crate::error::{Error, Result};
use crate::exchange::Protocol;
use crate::setting::{KEY_FILE, Setting, check_missing};
use crate::setting_text::check_path;
use crate::settings::{Config, SETTINGS};
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
            None => {
                let file = self.file_variable().and_then(std::env::var_os).filter(|file| !file.is_empty());
                file.map(|file| private_key_file(Path::new(&file))).transpose()
            }
            text => Ok(text),
        }
    }
}

impl Config {
    /// Reads the settings from environment variables: `MERCHANTPAY_BASE_URL` and so on, see
    /// [`Setting::variable`]. Without `MERCHANTPAY_PRIVATE_KEY`, the key is read from the file that
    /// `MERCHANTPAY_PRIVATE_KEY_FILE` names. An error has the names of the variables.
    pub fn from_env() -> Result<Config> {
        let texts = SETTINGS.iter().map(Setting::from_env).collect::<Result<Vec<_>>>()?;
        let missing = SETTINGS.iter().zip(&texts).filter(|(row, text)| row.needed && text.is_none());
        let missing: Vec<_> = missing.map(|(row, _)| row).collect();
        let mut texts = texts.into_iter();
        check_missing(&missing, Setting::variable)
            .and_then(|()| Config::from_texts(|_| texts.next().flatten().map(|text| text.to_string())))
            .map_err(of_variable)
    }
}

impl Protocol {
    /// Makes a protocol from the environment, with the settings of [`Config::from_env`].
    pub fn from_env() -> Result<Protocol> {
        Config::from_env()?.protocol()
    }
}

impl WebhookVerifier {
    /// Makes a verifier from the environment. Only `MERCHANTPAY_SERVER_PUBLIC_KEY` is required; see
    /// [`from_texts`](WebhookVerifier::from_texts).
    pub fn from_env() -> Result<WebhookVerifier> {
        let mut failure = None;
        let verifier = WebhookVerifier::from_texts(|row| match row.from_env() {
            Ok(text) => text.map(|text| text.to_string()),
            Err(error) => {
                failure.get_or_insert(error);
                None
            }
        });
        failure.map_or(verifier, Err).map_err(of_variable)
    }
}

/// The error with the names of variables in place of settings.
fn of_variable(error: Error) -> Error {
    let is_set = |variable: &str| std::env::var_os(variable).is_some_and(|text| !text.is_empty());
    error.renamed(|name| match SETTINGS.iter().find(|row| row.name_with_unit() == name) {
        Some(row) => row.variable_in_use(is_set),
        None => name.to_owned(),
    })
}

/// `None` if the variable is absent or empty.
fn read_variable(variable: &str) -> Result<Option<Zeroizing<String>>> {
    match std::env::var_os(variable).filter(|text| !text.is_empty()).map(std::ffi::OsString::into_string) {
        None => Ok(None),
        Some(Ok(text)) => Ok(Some(Zeroizing::new(text))),
        Some(Err(_)) => Err(Error::about(variable, "is not UTF-8")),
    }
}

/// The text of the file that `MERCHANTPAY_PRIVATE_KEY_FILE` names.
#[doc(hidden)]
pub fn private_key_file(path: &Path) -> Result<Zeroizing<String>> {
    check_path(KEY_FILE, path)?;
    read_key_file(path).map_err(|fault| {
        Error::invalid_argument(format!("the file that {KEY_FILE} names cannot be read: {fault}"))
    })
}

/// The text of a key's file: UTF-8, or UTF-16 with a byte-order mark, as PowerShell's `>` writes it. The text is
/// what the setting `private_key` accepts. A fault does not have the file's name.
#[doc(hidden)]
pub fn read_key_file(path: &Path) -> std::result::Result<Zeroizing<String>, String> {
    let bytes = Zeroizing::new(std::fs::read(path).map_err(|error| error.to_string())?);
    let utf16 = |rest: &[u8], unit: fn([u8; 2]) -> u16| {
        let units = rest.chunks(2).map(|pair| <[u8; 2]>::try_from(pair).map(unit).unwrap_or(0xd800));
        char::decode_utf16(units).collect::<std::result::Result<String, _>>().ok()
    };
    let text = match bytes.as_slice() {
        [0xff, 0xfe, rest @ ..] => utf16(rest, u16::from_le_bytes),
        [0xfe, 0xff, rest @ ..] => utf16(rest, u16::from_be_bytes),
        bytes => std::str::from_utf8(bytes).ok().map(str::to_owned),
    };
    let text = Zeroizing::new(text.ok_or("it is neither UTF-8 nor UTF-16 with a byte-order mark")?);
    if text.trim().is_empty() { Err("it is empty".to_owned()) } else { Ok(text) }
}

#[cfg(test)]
mod tests {
    use super::*;

    #[test]
    fn a_key_file_is_read_as_editors_and_shells_write_it() {
        let file = std::env::temp_dir().join(format!("merchantpay-key-{}", std::process::id()));
        let utf16 = |units: fn(u16) -> [u8; 2]| "\u{feff}key=\r\n".encode_utf16().flat_map(units).collect();
        let cases: [(Vec<u8>, Result<&str, &str>); 8] = [
            (b"key=\n".to_vec(), Ok("key=\n")),
            ("\u{feff}key=\r\n".into(), Ok("\u{feff}key=\r\n")),
            (utf16(u16::to_le_bytes), Ok("key=\r\n")),
            (utf16(u16::to_be_bytes), Ok("key=\r\n")),
            (b"\xff\xfek\0e".to_vec(), Err("it is neither UTF-8")),
            (b"\xff\xfe\0\xd8".to_vec(), Err("it is neither UTF-8")),
            (b"k\xff".to_vec(), Err("it is neither UTF-8")),
            (b" \n".to_vec(), Err("it is empty")),
        ];
        for (bytes, expected) in cases {
            std::fs::write(&file, &bytes).unwrap();
            match (read_key_file(&file), expected) {
                (Ok(text), Ok(expected)) => assert_eq!(text.as_str(), expected),
                (Err(fault), Err(expected)) => assert!(fault.starts_with(expected), "{fault}"),
                (read, _) => panic!("{bytes:?}: {read:?}"),
            }
        }
        std::fs::remove_file(file).unwrap();
    }
}
