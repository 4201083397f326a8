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

/// The text with `…` instead of each `secret`. Letters of upper and lower case are equal.
pub(crate) fn without(text: &str, secret: &str) -> String {
    let is_secret =
        |rest: &str| rest.get(..secret.len()).is_some_and(|start| start.eq_ignore_ascii_case(secret));
    let mut left = String::with_capacity(text.len());
    let mut rest = text;
    while let Some(first) = rest.chars().next() {
        let (kept, length) = if is_secret(rest) { ('…', secret.len()) } else { (first, first.len_utf8()) };
        left.push(kept);
        rest = rest.get(length..).unwrap_or_default();
    }
    left
}

/// The words of a text from outside, with `…` instead of possible parts of a key, a signature or an account.
/// Such parts are long numbers, even if they are written in groups. Other such parts are character sequences
/// that mix digits and letters, or capitals and small letters. If a page contains a secret with escapes, the
/// secret still consists of such sequences.
pub(crate) fn plain_words(text: &str) -> String {
    let mut plain = String::with_capacity(text.len());
    // The start of the current number, and its number of digits so far. Spaces and punctuation do not end the
    // number.
    let mut number = (0, 0);
    let mut rest = text;
    while let Some(first) = rest.chars().next() {
        let of_run = first.is_alphanumeric();
        let end = rest.find(|c: char| c.is_alphanumeric() != of_run).unwrap_or(rest.len());
        let (run, after) = rest.split_at(end);
        rest = after;
        if !of_run {
            plain.push_str(run);
        } else if run.bytes().all(|byte| byte.is_ascii_digit()) {
            if number.1 == 0 {
                number.0 = plain.len();
            }
            number.1 += run.len();
            plain.push_str(run);
            if number.1 > MOST_DIGITS {
                plain.truncate(number.0);
                plain.push('…');
            }
        } else {
            number = (0, 0);
            plain.push_str(if is_plain_word(run) { run } else { "…" });
        }
    }
    plain
}

/// The largest number of digits in a number that is shown. This is enough for a status, a version or a time
/// of day. Accounts and cards have more digits.
const MOST_DIGITS: usize = 6;

fn is_plain_word(run: &str) -> bool {
    let count = run.chars().count();
    let capitals = run.chars().filter(|c| c.is_uppercase()).count();
    let one_case =
        capitals == 0 || capitals == count || (capitals == 1 && run.starts_with(char::is_uppercase));
    count <= 2 || (count <= 20 && one_case && run.chars().all(char::is_alphabetic))
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

    #[test]
    fn a_secret_is_left_out_however_its_letters_are_written() {
        for (text, left) in [
            ("user IVAN.PETROV bad", "user … bad"),
            ("ivan.petrovivan.petrov", "……"),
            ("Ivan.petro", "Ivan.petro"),
            ("ёivan.petrovё", "ё…ё"),
            ("", ""),
        ] {
            assert_eq!(without(text, "ivan.petrov"), left);
        }
    }

    #[test]
    fn words_are_shown_and_what_could_be_a_secret_is_not() {
        for (text, shown) in [
            ("<h1>502 Bad Gateway</h1> nginx/1.24.0", "<h1>502 Bad Gateway</h1> nginx/1.24.0"),
            ("charset=utf-8", "charset=utf-8"),
            ("the account 79001234567 is blocked", "the account … is blocked"),
            ("card 2200 1234 1234 1234 is blocked", "card … is blocked"),
            ("+7 900 123-45-67, twice: 08:50", "+…, twice: 08:50"),
            ("HTTP 502 at 08:50:25", "HTTP 502 at 08:50:25"),
            ("&#43;79001234567", "&#…"),
            ("kd93Jsk+Pq0xN&#x2F;aBcDe", "…+…&#…;…"),
            ("a1 is short, a1b is not", "a1 is short, … is not"),
            ("McDonald, IBAN, Ivan, iVan", "…, IBAN, Ivan, …"),
            ("codes 123456, 1234567", "codes …"),
            ("code 123456 or 654321", "code 123456 or 654321"),
            ("abcdefghijklmnopqrst", "abcdefghijklmnopqrst"),
            ("abcdefghijklmnopqrstu", "…"),
        ] {
            assert_eq!(plain_words(text), shown);
        }
    }
}
