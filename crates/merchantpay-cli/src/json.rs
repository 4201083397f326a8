//! Handles JSON as text, so that every token stays unchanged.

/// Writes a JSON string.
pub(crate) fn quoted(text: &str) -> String {
    serde_json::Value::from(text).to_string()
}

/// Removes the white space between the tokens of a JSON text, so that it fits on one line. No token changes.
pub(crate) fn one_line(json: &str) -> String {
    let mut line = String::with_capacity(json.len());
    let (mut in_string, mut escaped) = (false, false);
    for c in json.chars() {
        match c {
            ' ' | '\t' | '\r' | '\n' if !in_string => continue,
            '"' if !escaped => in_string = !in_string,
            _ => {}
        }
        escaped = in_string && c == '\\' && !escaped;
        line.push(c);
    }
    line
}

#[cfg(test)]
mod tests {
    use super::*;

    #[test]
    fn a_reply_on_one_line_keeps_every_token() {
        let json = "{ \"sum\" : 1500.50,\r\n\t\"a b\" : \"c \\\" d\\\\\", \"n\":[ 1, 2 ] }\n";
        assert_eq!(one_line(json), r#"{"sum":1500.50,"a b":"c \" d\\","n":[1,2]}"#);
    }
}
