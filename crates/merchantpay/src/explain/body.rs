//! Tries possible explanations for a body: the body was changed after signing, or other bytes were signed.

use base64::Engine as _;
use base64::prelude::BASE64_STANDARD;
use ring::digest;

use super::budget::Contents;
use super::json_forms::any_form_signed;
use crate::cause::Finding;

const BYTE_ORDER_MARK: &[u8] = b"\xEF\xBB\xBF";

/// The first change that explains the message: if the change is undone, the signature is valid.
pub(super) fn finding(body: &[u8], contents: &mut Contents<'_>) -> Option<Finding> {
    changed_bytes(body, contents).or_else(|| digest(body, contents)).or_else(|| {
        let text = std::str::from_utf8(body).ok()?;
        any_form_signed(text, contents).then_some(Finding::JsonRewritten)
    })
}

/// Tries only changes that are possible. For example, it removes a byte order mark that the body has, or adds
/// a mark that the body does not have.
fn changed_bytes(body: &[u8], contents: &mut Contents<'_>) -> Option<Finding> {
    match body.strip_prefix(BYTE_ORDER_MARK) {
        Some(rest) if contents.signed(rest) => return Some(Finding::MarkAdded),
        None if contents.signed(&[BYTE_ORDER_MARK, body].concat()) => return Some(Finding::MarkRemoved),
        _ => {}
    }
    let line = body.strip_suffix(b"\n").map(|line| line.strip_suffix(b"\r").unwrap_or(line));
    if line.is_some_and(|line| contents.signed(line)) {
        return Some(Finding::LineEndAdded);
    }
    let trimmed = body.trim_ascii();
    if trimmed.len() < body.len() && line != Some(trimmed) && contents.signed(trimmed) {
        return Some(Finding::LineEndAdded);
    }
    if line.is_none()
        && (contents.signed(&[body, b"\n"].concat()) || contents.signed(&[body, b"\r\n"].concat()))
    {
        return Some(Finding::LineEndRemoved);
    }
    let unix = without_carriage_returns(body);
    if unix.len() < body.len() && contents.signed(&unix) {
        return Some(Finding::LineEndsChanged);
    }
    let windows = with_carriage_returns(&unix);
    (windows.len() > body.len() && contents.signed(&windows)).then_some(Finding::LineEndsChanged)
}

/// The body with LF instead of every CRLF.
fn without_carriage_returns(body: &[u8]) -> Vec<u8> {
    let mut bytes = Vec::with_capacity(body.len());
    for (at, byte) in body.iter().enumerate() {
        if *byte != b'\r' || body.get(at + 1) != Some(&b'\n') {
            bytes.push(*byte);
        }
    }
    bytes
}

/// The body with CRLF instead of every LF.
fn with_carriage_returns(unix: &[u8]) -> Vec<u8> {
    unix.iter()
        .flat_map(|byte| if *byte == b'\n' { &b"\r\n"[..] } else { std::slice::from_ref(byte) })
        .copied()
        .collect()
}

fn digest(body: &[u8], contents: &mut Contents<'_>) -> Option<Finding> {
    let digest = digest::digest(&digest::SHA256, body);
    let bytes = digest.as_ref();
    if contents.signed(bytes) {
        return Some(Finding::Digest);
    }
    let hexadecimal: String = bytes.iter().map(|byte| format!("{byte:02x}")).collect();
    if contents.signed(hexadecimal.as_bytes()) || contents.signed(hexadecimal.to_uppercase().as_bytes()) {
        return Some(Finding::DigestInHexadecimal);
    }
    contents.signed(BASE64_STANDARD.encode(bytes).as_bytes()).then_some(Finding::DigestInBase64)
}
