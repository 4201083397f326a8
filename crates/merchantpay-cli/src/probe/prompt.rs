//! Asks the person who runs the probe: a question on stderr, and a line of stdin as the answer.

use std::io::{BufRead as _, Write as _};

use merchantpay::{Error, Result};

use crate::terminal::visible::visible;

/// Asks a question and returns the answer without the white space around it. At the end of stdin the answer
/// is empty.
pub(super) fn ask(question: &str) -> Result<String> {
    let _ = write!(std::io::stderr(), "{}\n> ", visible(question));
    let mut answer = String::new();
    let read = std::io::stdin().lock().read_line(&mut answer);
    read.map_err(|error| Error::invalid_argument(format!("stdin cannot be read: {error}")))?;
    Ok(answer.trim().to_owned())
}
