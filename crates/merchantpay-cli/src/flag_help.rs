//! Turns the library's documentation lines into the help of flags.

/// Turns one line of the library's tables into a flag's help, which has no full stop at its end.
pub(crate) fn flag_help(doc: &str) -> String {
    doc.replace('`', "").trim_end_matches('.').to_owned()
}
