//! Explains the names that the journal reports, such as standings and reasons.

use merchantpay_journal::Word;

/// The meaning of a name of the table; empty if the table does not have the name.
pub(crate) fn explained(table: &[Word], name: &str) -> &'static str {
    table.iter().find(|word| word.name == name).map_or("", |word| word.doc)
}
