//! An operator's note.

use merchantpay::{Error, Result};

/// The longest note, in characters.
const LONGEST_NOTE: usize = 500;

pub(crate) fn check_note(note: &str) -> Result<()> {
    let is_blank = note.trim().is_empty();
    if is_blank || note.chars().count() > LONGEST_NOTE || note.contains('\0') {
        return Err(Error::invalid_argument(format!(
            "a note must have 1 to {LONGEST_NOTE} characters: write who decided, and why"
        )));
    }
    Ok(())
}
