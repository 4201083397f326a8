//! Reads the text of a signature header, and names the encoding of one that is not standard base64.

use super::Finding;
use crate::cause::Cause;
use crate::keys::Signature;
use crate::verified::without_blanks;

/// The lengths of 64 bytes as base64 without padding, as base64 with padding, and as hexadecimal digits.
const UNPADDED: usize = 86;
const PADDED: usize = 88;
const HEXADECIMAL: usize = 128;

/// The signature, or the fault that the text alone shows.
pub(super) fn read(value: &str) -> Result<Signature, Finding> {
    let text = without_blanks(value);
    if text.is_empty() {
        return Err(Finding::new(
            Cause::MissingSignature,
            "The header with the signature is missing or empty.",
        ));
    }
    if text.contains(',') {
        return Err(Finding::new(Cause::RepeatedSignature, "There is more than one signature."));
    }
    Signature::from_base64(text).ok_or_else(|| Finding::new(Cause::SignatureEncoding, fault(value, text)))
}

fn fault(value: &str, text: &str) -> &'static str {
    let bare = text.trim_end_matches('=');
    if text.starts_with(['"', '\'', '`']) || text.ends_with(['"', '\'', '`']) {
        "The signature is in quotes."
    } else if text.contains('%') {
        "The signature is percent-encoded, as in a URL."
    // Plus signs at the beginning of the value may have become spaces.
    } else if text.contains(char::is_whitespace) || value.len() == PADDED && value.contains(' ') {
        "The signature contains white space, or each + became a space."
    } else if text.len() == HEXADECIMAL && text.bytes().all(|byte| byte.is_ascii_hexdigit()) {
        "The signature is written in hexadecimal digits, not in standard base64."
    } else if bare.len() != UNPADDED {
        "The signature does not have 64 bytes: it is truncated, or it is a key or a digest."
    } else if text.contains(['-', '_']) {
        "The signature is written in base64url, with - and _ instead of + and /."
    } else if text.len() != PADDED {
        "The signature lacks its padding, the two equals signs at its end."
    } else {
        "The signature has characters that are not base64."
    }
}
