//! The library's documentation lines as the help of flags.

/// A line of the library's tables as a flag's help, which ends without a full stop.
pub(crate) fn flag_help(doc: &str) -> String {
    doc.replace('`', "").trim_end_matches('.').to_owned()
}
