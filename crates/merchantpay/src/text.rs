//! Sanitises text from outside for an error or a log.

/// At most this many characters of the service's description are kept.
pub(crate) const LONGEST_DESCRIPTION: usize = 500;

/// A text from outside, sanitised for one line of a log: without control characters, and with at most `max`
/// characters.
pub(crate) fn printable(text: &str, max: usize) -> String {
    let mut line = String::new();
    for word in text
        .split(|c: char| c.is_whitespace() || c.is_control() || is_format(c))
        .filter(|word| !word.is_empty())
    {
        if !line.is_empty() {
            line.push(' ');
        }
        line.push_str(word);
        if line.len() > max * 4 {
            break;
        }
    }
    if line.chars().nth(max).is_some() {
        // The last character is `…`, which shows that the text was cut.
        let end = line.char_indices().nth(max.saturating_sub(1)).map_or(0, |(end, _)| end);
        line.truncate(end);
        line.push('…');
    }
    line
}

/// The beginning of an unverified page: at most 200 bytes.
pub(crate) fn excerpt(body: &[u8]) -> String {
    let mut line = printable(&String::from_utf8_lossy(body), 200);
    line.truncate(line.floor_char_boundary(200));
    line
}

/// Characters that change the direction of the text around them or hide that text, so that a log would
/// display a different text.
fn is_format(c: char) -> bool {
    matches!(c, '\u{200b}'..='\u{200f}' | '\u{202a}'..='\u{202e}' | '\u{2060}'..='\u{2069}' | '\u{feff}')
}

#[cfg(test)]
mod tests {
    use super::*;

    #[test]
    fn text_from_outside_is_one_printable_line() {
        assert_eq!(printable("a\r\nb\u{1b}[31m\u{202e}c", 20), "a b [31m c");
        assert_eq!((printable("éééé", 3).as_str(), printable("ééé", 3).as_str()), ("éé…", "ééé"));
        assert_eq!(printable("", 3), "");
        assert_eq!(printable("a\u{200b}b\u{feff}c\u{2066}d", 20), "a b c d");
    }

    #[test]
    fn a_line_is_cut_by_its_characters_however_many_bytes_they_have() {
        let accented = "é".repeat(13);
        assert_eq!(printable(&format!("{accented} and"), 20), format!("{accented} and"));
        assert_eq!(printable("😀😀😀 and", 3), "😀😀…");
        assert_eq!((printable("ab", 1).as_str(), printable("ab", 0).as_str()), ("…", "…"));
    }
}
