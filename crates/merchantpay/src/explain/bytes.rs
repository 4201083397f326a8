//! Undoes changes of a body that need no look into its JSON: a byte-order mark, white space, line ends, and a digest
//! that was signed instead of the body.

use base64::Engine as _;
use base64::prelude::BASE64_STANDARD;
use sha2::{Digest, Sha256};

use super::{Contents, Finding};
use crate::cause::Cause;

const BYTE_ORDER_MARK: &[u8] = b"\xEF\xBB\xBF";

/// Tries only changes that are possible. For example, it removes a byte-order mark that the body has, or adds a mark
/// that the body does not have.
pub(super) fn undone(body: &[u8], contents: &mut Contents<'_>) -> Option<Finding> {
    match body.strip_prefix(BYTE_ORDER_MARK) {
        Some(rest) if contents.signed(rest) => {
            return Some(Finding::changed("A byte-order mark was added to the body after it was signed."));
        }
        None if contents.signed(&[BYTE_ORDER_MARK, body].concat()) => {
            return Some(Finding::changed("The byte-order mark of the signed body was removed."));
        }
        _ => {}
    }
    let line = body.strip_suffix(b"\n").map_or(body, |line| line.strip_suffix(b"\r").unwrap_or(line));
    if contents.signed(line) || contents.signed(body.trim_ascii()) {
        return Some(Finding::changed(
            "A line end or white space was added to the body after it was signed.",
        ));
    }
    if ["\n", "\r\n"].iter().any(|end| contents.signed(&[line, end.as_bytes()].concat())) {
        return Some(Finding::changed("The line end of the signed body was removed or changed."));
    }
    let unix = without_carriage_returns(body);
    if contents.signed(&unix) || contents.signed(&with_carriage_returns(&unix)) {
        return Some(Finding::changed("The line ends of the signed body were changed between LF and CRLF."));
    }
    digest(body, contents)
}

fn without_carriage_returns(body: &[u8]) -> Vec<u8> {
    let is_kept = |at: usize| body[at] != b'\r' || body.get(at + 1) != Some(&b'\n');
    (0..body.len()).filter(|at| is_kept(*at)).map(|at| body[at]).collect()
}

fn with_carriage_returns(unix: &[u8]) -> Vec<u8> {
    unix.split(|byte| *byte == b'\n').collect::<Vec<_>>().join(&b"\r\n"[..])
}

fn digest(body: &[u8], contents: &mut Contents<'_>) -> Option<Finding> {
    let digest = Sha256::digest(body);
    let hexadecimal: String = digest.iter().map(|byte| format!("{byte:02x}")).collect();
    let what = if contents.signed(&digest) {
        "The bytes of the body's SHA-256 were signed, not the body."
    } else if contents.signed(hexadecimal.as_bytes())
        || contents.signed(hexadecimal.to_uppercase().as_bytes())
    {
        "The body's SHA-256 in hexadecimal digits was signed, not the body."
    } else if contents.signed(BASE64_STANDARD.encode(digest).as_bytes()) {
        "The body's SHA-256 in base64 was signed, not the body."
    } else {
        return None;
    };
    Some(Finding::new(Cause::DigestSigned, what))
}
