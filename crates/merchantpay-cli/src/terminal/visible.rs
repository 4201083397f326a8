//! Makes another program's text safe for a terminal.

/// The text without control characters, which could move the cursor or change colours.
pub(crate) fn visible(status: &str) -> String {
    status.chars().map(|c| if c.is_control() { '\u{fffd}' } else { c }).collect()
}
