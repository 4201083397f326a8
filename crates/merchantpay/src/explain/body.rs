//! Guesses about a body: how it was changed after signing, or which other bytes were signed.

use base64::Engine as _;
use base64::prelude::BASE64_STANDARD;
use ring::digest;

use super::json_forms::any_form;
use crate::cause::Finding;

const BYTE_ORDER_MARK: &[u8] = b"\xEF\xBB\xBF";

/// The first change that `signed` confirms.
pub(super) fn finding(body: &[u8], mut signed: impl FnMut(&[u8]) -> bool) -> Option<Finding> {
    changed_bytes(body, &mut signed).or_else(|| digest(body, &mut signed)).or_else(|| {
        let text = std::str::from_utf8(body).ok()?;
        any_form(text, &mut signed).then_some(Finding::JsonRewritten)
    })
}

/// Only what can be undone is tried: a mark that is there is removed, one that is not there is added.
fn changed_bytes(body: &[u8], signed: &mut impl FnMut(&[u8]) -> bool) -> Option<Finding> {
    match body.strip_prefix(BYTE_ORDER_MARK) {
        Some(rest) if signed(rest) => return Some(Finding::MarkAdded),
        None if signed(&[BYTE_ORDER_MARK, body].concat()) => return Some(Finding::MarkRemoved),
        _ => {}
    }
    let line = body.strip_suffix(b"\n").map(|line| line.strip_suffix(b"\r").unwrap_or(line));
    if line.is_some_and(&mut *signed) {
        return Some(Finding::LineEndAdded);
    }
    let trimmed = body.trim_ascii();
    if trimmed.len() < body.len() && line != Some(trimmed) && signed(trimmed) {
        return Some(Finding::LineEndAdded);
    }
    if line.is_none() && (signed(&[body, b"\n"].concat()) || signed(&[body, b"\r\n"].concat())) {
        return Some(Finding::LineEndRemoved);
    }
    let unix = without_carriage_returns(body);
    if unix.len() < body.len() && signed(&unix) {
        return Some(Finding::LineEndsChanged);
    }
    let windows = with_carriage_returns(&unix);
    (windows.len() > body.len() && signed(&windows)).then_some(Finding::LineEndsChanged)
}

/// Every CRLF as LF.
fn without_carriage_returns(body: &[u8]) -> Vec<u8> {
    let mut bytes = Vec::with_capacity(body.len());
    for (at, byte) in body.iter().enumerate() {
        if *byte != b'\r' || body.get(at + 1) != Some(&b'\n') {
            bytes.push(*byte);
        }
    }
    bytes
}

/// Every LF as CRLF.
fn with_carriage_returns(unix: &[u8]) -> Vec<u8> {
    unix.iter()
        .flat_map(|byte| if *byte == b'\n' { &b"\r\n"[..] } else { std::slice::from_ref(byte) })
        .copied()
        .collect()
}

fn digest(body: &[u8], signed: &mut impl FnMut(&[u8]) -> bool) -> Option<Finding> {
    let digest = digest::digest(&digest::SHA256, body);
    let bytes = digest.as_ref();
    if signed(bytes) {
        return Some(Finding::Digest);
    }
    let hexadecimal: String = bytes.iter().map(|byte| format!("{byte:02x}")).collect();
    if signed(hexadecimal.as_bytes()) || signed(hexadecimal.to_uppercase().as_bytes()) {
        return Some(Finding::DigestInHexadecimal);
    }
    signed(BASE64_STANDARD.encode(bytes).as_bytes()).then_some(Finding::DigestInBase64)
}
