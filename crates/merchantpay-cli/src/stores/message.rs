//! Writes the error text of a database driver or server as one short line, for an error's message.

use std::borrow::Cow;

/// A message repeats at most this many characters of a driver's error text.
const LONGEST: usize = 300;

/// The error text of a database driver as one line.
pub(super) fn one_line(text: &str) -> String {
    let words: Vec<&str> = text.split_whitespace().collect();
    words.join(" ").chars().map(|c| if c.is_control() { '\u{fffd}' } else { c }).take(LONGEST).collect()
}

/// An error with its causes, without repetitions.
pub(super) fn with_causes(error: &(dyn std::error::Error + 'static)) -> String {
    let mut text = error.to_string();
    let mut cause = error.source();
    while let Some(error) = cause {
        let more = error.to_string();
        if !text.contains(&more) {
            text = format!("{text}: {more}");
        }
        cause = error.source();
    }
    one_line(&text)
}

/// A part of a URL without percent encoding. `None` if the part is not UTF-8.
pub(super) fn decoded(text: &str) -> Option<Cow<'_, str>> {
    if !text.contains('%') {
        return Some(Cow::Borrowed(text));
    }
    // The parser reads a form's value, in which a + would mean a space.
    let form = format!("v={}", text.replace('+', "%2B").replace('&', "%26"));
    let (_, value) = url::form_urlencoded::parse(form.as_bytes()).next()?;
    (!value.contains('\u{fffd}')).then(|| Cow::Owned(value.into_owned()))
}
