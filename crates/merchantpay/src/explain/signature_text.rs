//! Reads the text of a signature header. If the text is not standard base64, finds the signatures that the
//! text may mean.

use base64::Engine as _;
use base64::prelude::{BASE64_STANDARD_NO_PAD, BASE64_URL_SAFE_NO_PAD};

use crate::cause::Finding;
use crate::keys::Signature;
use crate::verified::without_blanks;

/// The lengths of 64 bytes as base64 without padding, as base64 with padding, and as hexadecimal digits.
const UNPADDED: usize = 86;
const PADDED: usize = 88;
const HEXADECIMAL: usize = 128;

pub(super) enum SignatureText {
    /// Standard base64 of 64 bytes.
    Standard(Signature),
    /// Another encoding, and the signatures that the text may mean.
    Other(Finding, Vec<Signature>),
}

/// Reads the value of the header.
///
/// # Errors
///
/// The fault that the text alone shows.
pub(super) fn read(value: &str) -> Result<SignatureText, Finding> {
    let text = without_blanks(value);
    if text.is_empty() {
        return Err(Finding::Missing);
    }
    if text.contains(',') {
        return Err(Finding::Repeated);
    }
    if let Some(signature) = Signature::from_base64(text) {
        return Ok(SignatureText::Standard(signature));
    }
    // No known encoding is longer, even if each character is percent-encoded.
    if text.len() > 3 * HEXADECIMAL {
        return Err(Finding::Length);
    }
    let (finding, texts) = unwrapped(value, text);
    let signatures: Vec<Signature> = texts.iter().filter_map(|text| decoded(text)).collect();
    if signatures.is_empty() && texts.iter().all(|text| has_wrong_length(text)) {
        return Err(Finding::Length);
    }
    let finding = finding.unwrap_or_else(|| encoding(&texts));
    Ok(SignatureText::Other(finding, signatures))
}

/// Undoes the first of these changes that the text shows: quotes around the text, percent-encoding, or white
/// space in the text. Returns the change, and every possible original text.
fn unwrapped(value: &str, text: &str) -> (Option<Finding>, Vec<String>) {
    let bare = text.trim_matches(['"', '\'', '`']);
    if bare.len() < text.len() {
        return (Some(Finding::Quoted), vec![bare.to_owned()]);
    }
    if text.contains('%') {
        let plain = [("%2B", "+"), ("%2b", "+"), ("%2F", "/"), ("%2f", "/"), ("%3D", "="), ("%3d", "=")];
        let plain = plain.iter().fold(text.to_owned(), |text, (from, to)| text.replace(from, to));
        return (Some(Finding::PercentEncoded), vec![plain]);
    }
    // Plus signs at the beginning of the value may have become spaces.
    if text.contains(char::is_whitespace) || value.len() == PADDED && value.contains(' ') {
        let texts = vec![text.split_whitespace().collect(), value.replace(' ', "+"), text.replace(' ', "+")];
        return (Some(Finding::WhiteSpace), texts);
    }
    (None, vec![text.to_owned()])
}

fn has_wrong_length(text: &str) -> bool {
    !is_hexadecimal(text) && text.trim_end_matches('=').len() != UNPADDED
}

fn is_hexadecimal(text: &str) -> bool {
    text.len() == HEXADECIMAL && text.bytes().all(|byte| byte.is_ascii_hexdigit())
}

fn encoding(texts: &[String]) -> Finding {
    let any = |is: fn(&str) -> bool| texts.iter().any(|text| is(text));
    if any(is_hexadecimal) {
        Finding::Hexadecimal
    } else if any(|text| text.contains(['-', '_'])) {
        Finding::Base64url
    } else {
        Finding::Unpadded
    }
}

fn decoded(text: &str) -> Option<Signature> {
    let bytes = if is_hexadecimal(text) {
        (0..HEXADECIMAL)
            .step_by(2)
            .map(|at| u8::from_str_radix(text.get(at..at + 2)?, 16).ok())
            .collect::<Option<Vec<u8>>>()?
    } else {
        let text = text.trim_end_matches('=');
        BASE64_STANDARD_NO_PAD.decode(text).or_else(|_| BASE64_URL_SAFE_NO_PAD.decode(text)).ok()?
    };
    bytes.try_into().ok().map(Signature::from_bytes)
}
