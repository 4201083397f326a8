//! The text of a setting, as an environment file, a shell or a person hands it over.
//!
//! `docker --env-file` keeps quotes and blanks, and a file that was edited on Windows ends each line with
//! CR LF. A key id with such a leftover would be accepted here and refused by the service only after the payment
//! exists; a journal's path would make a second journal.

use std::path::Path;

use crate::error::{Error, Result};

#[derive(Debug, Clone, Copy, PartialEq, Eq)]
pub(crate) enum TextRule {
    /// A key, a URL, a pin. Spaces and line ends around it are dropped.
    Token,
    /// A key id. Like a token, but any visible ASCII is allowed in it, so one quote at an end can be meant.
    KeyId,
    /// A path. Nothing is dropped: an existing file could have that name.
    Path,
    /// A number or a flag.
    Number,
    /// Words for people, in which one quote at an end can be meant.
    Words,
    /// PEM, which has several lines.
    Pem,
}

/// The text without what `rule` drops. Quotes around it and control characters are refused; no error has the text.
pub(crate) fn clean<'t>(name: &str, rule: TextRule, text: &'t str) -> Result<&'t str> {
    let text = if matches!(rule, TextRule::Token | TextRule::KeyId) { trim(text) } else { text };
    match fault(rule, text) {
        None => Ok(text),
        Some(fault) => Err(refusal(name, &fault)),
    }
}

pub(crate) fn refusal(name: &str, fault: &str) -> Error {
    let error = Error::about(name, fault);
    if name.ends_with("_key") { error.into_invalid_key() } else { error }
}

/// Checks a path that a person or a file of settings wrote.
///
/// # Errors
///
/// `invalid_argument` with `name` for a path that is wrapped in quotes, has a blank around it, or contains a control
/// character.
pub fn check_path(name: &str, path: &Path) -> Result<()> {
    clean(name, TextRule::Path, &path.to_string_lossy()).map(drop)
}

/// Without the byte-order mark of a file, and the spaces and line ends around the text.
pub(crate) fn trim(text: &str) -> &str {
    text.trim_start_matches('\u{feff}').trim_matches([' ', '\r', '\n'])
}

/// The fault of a text, in words that follow the name of the setting.
pub(crate) fn fault(rule: TextRule, text: &str) -> Option<String> {
    const WINDOWS: &str = "ends with CR; save the file with Unix line ends";
    let is_control = |c: char| c.is_control() && !(rule == TextRule::Pem && matches!(c, '\r' | '\n' | '\t'));
    if rule != TextRule::Pem && (text.ends_with('\r') || text.ends_with("\r\n")) {
        return Some(WINDOWS.to_owned());
    }
    let allows_one_quote = matches!(rule, TextRule::KeyId | TextRule::Words | TextRule::Pem);
    if let Some(fault) = quote_fault(text, allows_one_quote) {
        return Some(fault.to_owned());
    }
    if text.ends_with('\n') && is_control('\n') {
        return Some("ends with a line end; remove it".to_owned());
    }
    if rule == TextRule::Token && (text.starts_with(',') || text.ends_with(',')) {
        return Some("begins or ends with a comma; remove it".to_owned());
    }
    if rule == TextRule::Path && text.trim_matches([' ', '\t']) != text {
        return Some(
            "begins or ends with a blank; remove it, also from the file's name if it is there".to_owned(),
        );
    }
    let control = text.chars().find(|c| is_control(*c))?;
    Some(format!("contains a control character (U+{:04X}); remove it", u32::from(control)))
}

pub(crate) fn quote_fault(text: &str, allows_one_quote: bool) -> Option<&'static str> {
    let is_quote = |c: &char| matches!(c, '"' | '\'');
    let text = trim(text);
    let first = text.chars().next().filter(is_quote);
    let last = text.chars().next_back().filter(is_quote);
    match (first, last) {
        (Some(first), Some(last)) if first == last && text.len() > 1 => {
            Some("is wrapped in quotes; remove them")
        }
        _ if allows_one_quote => None,
        (Some(_), _) => Some("begins with a quote; remove it"),
        (None, Some(_)) => Some("ends with a quote; remove it"),
        (None, None) => None,
    }
}

#[cfg(test)]
mod tests {
    use super::*;
    use crate::Code;

    #[test]
    fn drops_spaces_and_line_ends_around_a_token_only() {
        for text in ["k-1", "k-1\r\n", " k-1 ", "\nk-1\n\n"] {
            assert_eq!(clean("key_id", TextRule::Token, text).unwrap(), "k-1", "{text:?}");
        }
        assert!(clean("ca_file", TextRule::Path, " /ca.pem").is_err());
    }

    #[test]
    fn names_the_setting_and_its_fault() {
        use TextRule::{KeyId, Number, Path, Pem, Token, Words};
        for (rule, text, fault) in [
            (Token, "\"k\"", Some("wrapped in quotes; remove them")),
            (Token, "'k'\r\n", Some("wrapped in quotes")),
            (Token, "'k", Some("begins with a quote")),
            (Token, "k\"", Some("ends with a quote")),
            (Token, "\"k'", Some("begins with a quote")),
            (Token, "k\r\n1", Some("control character (U+000D)")),
            (Token, "\tk", Some("control character (U+0009)")),
            (Token, "\"", Some("begins with a quote")),
            (Token, "k'1", None),
            (KeyId, "'k'", Some("wrapped in quotes")),
            (KeyId, "k\"", None),
            (KeyId, "k\r1", Some("control character (U+000D)")),
            (Path, "/a\r", Some("ends with CR; save the file with Unix line ends")),
            (Path, "/a\n", Some("ends with a line end")),
            (Path, "/a\u{1b}b", Some("control character (U+001B)")),
            (Path, "'/a'", Some("wrapped in quotes")),
            (Path, "a.db ", Some("begins or ends with a blank")),
            (Path, "\ta.db", Some("begins or ends with a blank")),
            (Path, "/till # 2/a b.db", None),
            (Number, "1\r\n", Some("ends with CR")),
            (Number, "\"1\"", Some("wrapped in quotes")),
            (Words, "\"shop\"", Some("wrapped in quotes")),
            (Words, "till \"a\"", None),
            (Words, "shop\r", Some("ends with CR")),
            (Pem, "-----BEGIN\r\n\tx\r\n", None),
            (Pem, "\"-----BEGIN\nx\n\"", Some("wrapped in quotes")),
            (Pem, "x\u{1}", Some("control character (U+0001)")),
        ] {
            let found = clean("key_id", rule, text).err().map(|error| error.message().to_owned());
            match fault {
                None => assert_eq!(found, None, "{text:?}"),
                Some(fault) => {
                    let found = found.unwrap_or_else(|| panic!("{text:?} is accepted"));
                    assert!(found.starts_with("key_id ") && found.contains(fault), "{text:?}: {found}");
                }
            }
        }
    }

    #[test]
    fn path_has_the_faults_of_a_text() {
        assert!(check_path("ca_file", Path::new("'/ca.pem'")).is_err());
        assert!(check_path("ca_file", Path::new("/ca a.pem")).is_ok());
    }

    #[test]
    fn code_of_a_key_is_invalid_key() {
        for (name, code) in [("private_key", Code::InvalidKey), ("key_id", Code::InvalidArgument)] {
            assert_eq!(clean(name, TextRule::Token, "'x'").unwrap_err().code(), code, "{name}");
        }
    }
}
