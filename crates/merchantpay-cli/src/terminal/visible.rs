//! Makes another program's text safe for a terminal.

/// The text in one line: without control characters, which could move the cursor or change colours, and
/// without the marks that reverse or hide the text around them.
pub(crate) fn visible(text: &str) -> String {
    let invisible = |c: char| {
        c.is_control()
            || matches!(c, '\u{200b}'..='\u{200f}' | '\u{2028}'..='\u{202e}' | '\u{2060}'..='\u{206f}' | '\u{feff}')
    };
    text.chars().map(|c| if invisible(c) { '\u{fffd}' } else { c }).collect()
}
