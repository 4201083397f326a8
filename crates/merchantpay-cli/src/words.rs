//! The journal's words, explained.

use merchantpay_journal::Word;

/// What a word means.
pub(crate) fn explained(table: &[Word], name: &str) -> &'static str {
    table.iter().find(|word| word.name == name).map_or("", |word| word.doc)
}
