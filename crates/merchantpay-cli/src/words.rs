//! Explains the journal's words.

use merchantpay_journal::Word;

/// The meaning of a word.
pub(crate) fn explained(table: &[Word], name: &str) -> &'static str {
    table.iter().find(|word| word.name == name).map_or("", |word| word.doc)
}
