//! Finds the texts that are passed to certain calls, without parsing the language. A text may be joined from
//! several strings.

use merchantpay::Code;

/// Returns the text of the first argument for every call in `calls`. A value that is only known at run time
/// becomes `{…}`, or its name in braces. A choice between two texts gives two texts.
pub(crate) fn texts(source: &str, calls: &[(&str, Option<Code>)]) -> Vec<(Option<Code>, String)> {
    let mut found = Vec::new();
    for (call, code) in calls {
        for (place, _) in source.match_indices(call) {
            // Replaces the colons of a path, because a single colon separates the two texts of a choice.
            let argument = source[place + call.len()..].replace("::", "_");
            found.extend(
                joined(&argument)
                    .into_iter()
                    .filter(|text| is_sentence(text))
                    .map(|text| (*code, text.trim().to_owned())),
            );
        }
    }
    found
}

fn is_sentence(text: &str) -> bool {
    text.split_whitespace().filter(|word| !word.contains('{')).count() >= 2
}

/// Returns the texts of an expression. A bracket, a comma or the end of the line ends the expression.
fn joined(source: &str) -> Vec<String> {
    let mut texts = vec![String::new()];
    let (mut depth, mut skipped) = (0_usize, None);
    let mut rest = source.chars();
    let mut word = String::new();
    while let Some(c) = rest.next() {
        if !c.is_alphanumeric() {
            // After the name of a formatting call its string follows. Any other name is a value.
            if !matches!(word.as_str(), "" | "sprintf" | "f") && skipped.is_none() {
                push(&mut texts, GAP);
            }
            word.clear();
        }
        match c {
            '"' | '\'' | '`' => {
                let text = literal(&mut rest, c);
                if skipped.is_none() {
                    push(&mut texts, &text);
                }
            }
            '(' | '[' | '{' => depth += 1,
            ')' | ']' | '}' => {
                if skipped == Some(depth) {
                    skipped = None;
                }
                let Some(outer) = depth.checked_sub(1) else { break };
                depth = outer;
            }
            ',' | ';' if depth == 0 => break,
            ',' => skipped = skipped.or(Some(depth)),
            '?' | ':' if depth == 0 && skipped.is_none() => texts.push(String::new()),
            _ if c.is_alphanumeric() => word.push(c),
            _ => {}
        }
    }
    texts
}

/// This text replaces a value that is only known at run time.
const GAP: &str = "{…}";

fn push(texts: &mut [String], text: &str) {
    if let Some(last) = texts.last_mut()
        && !(text == GAP && last.ends_with(GAP))
    {
        last.push_str(text);
    }
}

/// Reads the rest of a string after its opening quotation mark.
fn literal(rest: &mut std::str::Chars<'_>, mark: char) -> String {
    let mut text = String::new();
    while let Some(c) = rest.next() {
        match c {
            '\\' => text.extend(rest.next()),
            _ if c == mark => break,
            _ => text.push(c),
        }
    }
    // In PHP a string contains a variable as `$name`.
    let mut pieces = text.split('$');
    let mut written = pieces.next().unwrap_or_default().to_owned();
    for piece in pieces {
        let (name, after) = piece
            .split_at(piece.find(|c: char| !c.is_ascii_alphanumeric() && c != '_').unwrap_or(piece.len()));
        written.push_str(&format!("{{{name}}}{after}"));
    }
    written.replace("%s", GAP).replace("%d", GAP)
}

#[cfg(test)]
mod tests {
    use super::*;

    #[test]
    fn the_strings_of_an_argument_are_one_text_with_a_gap_for_each_value() {
        let of = |source| joined(source);
        assert_eq!(
            of(r#"name + " has more than " + strconv.Itoa(most) + " digits")"#),
            ["{…} has more than {…} digits"]
        );
        assert_eq!(of(r#"'a folder: ' . sys_get_temp_dir())"#), ["a folder: {…}"]);
        assert_eq!(
            of(r#"sprintf('%s has the ABI %d', $a, f($b)) . ': install', $error)"#),
            ["{…} has the ABI {…}: install"]
        );
        assert_eq!(of(r#""$name must not be negative")"#), ["{name} must not be negative"]);
        assert_eq!(of(r#""it is nil", cause: err}"#), ["it is nil"]);
        assert_eq!(of(r#"f"one of {names}", outcome="not_sent")"#), ["one of {names}"]);
    }

    #[test]
    fn a_choice_is_two_texts() {
        let found = texts("because($a ? 'it is on' : 'it is off')", &[("because(", None)]);
        assert_eq!(found, [(None, "it is on".to_owned()), (None, "it is off".to_owned())]);
    }
}
