//! Checks that an explanation is true. This check does not use the code that explains.

use std::collections::BTreeMap;

use base64::Engine as _;
use base64::prelude::BASE64_STANDARD;
use ring::digest::{SHA256, digest};
use serde_json::value::RawValue;

use super::message::{Parties, Sent};
use crate::cause::{Cause, Finding};
use crate::explain::{Direction, Explained};
use crate::keys::{PublicKey, Signature};

/// # Panics
///
/// If the explanation is not true.
pub(super) fn check(number: u64, parties: &Parties, sent: &Sent, explained: Option<&Explained>) {
    let explainer = &parties.explainers[sent.explainer];
    let key_id = sent.key_id.as_deref();
    let is_request = explainer.direction == Direction::Request;
    let accepted = explainer.trust.verify(&sent.body, &sent.signature, key_id, is_request).is_ok();
    assert_eq!(explained.is_none(), accepted, "message {number}: {explained:?} of {sent:?}");
    let Some((finding, signed)) = explained else { return };
    let has_signed_bytes = matches!(finding.cause(), Cause::BodyChanged | Cause::DigestSigned);
    assert_eq!(signed.is_some(), has_signed_bytes, "message {number}: {finding:?} of {sent:?}");
    let signature = sent.signature.trim_matches([' ', '\t']);
    let trusted = &parties.trusted_keys();
    let standard = Signature::from_base64(signature);
    let by = |keys: &[PublicKey], content: &[u8]| {
        standard.is_some_and(|signature| keys.iter().any(|key| key.verifies(content, &signature)))
    };
    let signed = signed.as_deref().unwrap_or_default();
    let true_cause = match finding.cause() {
        Cause::MissingSignature => signature.is_empty(),
        Cause::RepeatedSignature => signature.contains(','),
        Cause::SignatureEncoding if *finding == Finding::Length => standard.is_none(),
        Cause::SignatureEncoding => {
            let made = |signature| trusted.iter().any(|key| key.verifies(&sent.body, &signature));
            standard.is_none() && meant(&sent.signature).into_iter().any(made)
        }
        Cause::BodyChanged => signed != sent.body && by(trusted, signed) && same_content(signed, &sent.body),
        Cause::DigestSigned => by(trusted, signed) && digests(&sent.body).iter().any(|form| form == signed),
        Cause::OwnKey => by(&[parties.own.public_key()], &sent.body),
        Cause::WrongKey => by(&[parties.other.public_key()], &sent.body),
        Cause::KeyId => {
            let key_id = key_id.unwrap_or_default().trim_matches([' ', '\t']);
            !explainer.trust.accepts_key_id(key_id)
                || explainer.trust.is_own_key_id(key_id)
                || key_id.is_empty()
        }
        Cause::NotExplained => true,
    };
    assert!(true_cause, "message {number}: {finding:?} does not explain {sent:?}");
}

/// The signatures that a text in another encoding may mean.
fn meant(text: &str) -> Vec<Signature> {
    let dense: String = text.chars().filter(|c| !c.is_whitespace()).collect();
    let plus = |text: &str| text.replace(' ', "+");
    let texts = [dense, plus(text), plus(text.trim_matches([' ', '\t']))];
    texts.iter().filter_map(|text| bytes(text)).map(Signature::from_bytes).collect()
}

fn bytes(text: &str) -> Option<[u8; 64]> {
    let text = text.trim_matches(['"', '\'', '`']);
    let mut plain = String::new();
    let mut rest = text;
    while let Some((before, after)) = rest.split_once('%') {
        plain.push_str(before);
        plain.push(char::from(u8::from_str_radix(after.get(..2)?, 16).ok()?));
        rest = &after[2..];
    }
    plain.push_str(rest);
    let decoded = if plain.len() == 128 {
        (0..128).step_by(2).map(|at| u8::from_str_radix(plain.get(at..at + 2)?, 16).ok()).collect()
    } else {
        let standard = plain.trim_end_matches('=').replace('-', "+").replace('_', "/") + "==";
        BASE64_STANDARD.decode(standard).ok()
    };
    decoded?.try_into().ok()
}

fn digests(body: &[u8]) -> [Vec<u8>; 4] {
    let digest = digest(&SHA256, body);
    let hexadecimal: String = digest.as_ref().iter().map(|byte| format!("{byte:02x}")).collect();
    let capitals = hexadecimal.to_uppercase();
    let base64 = BASE64_STANDARD.encode(digest);
    [digest.as_ref().to_vec(), hexadecimal.into(), capitals.into(), base64.into()]
}

/// Returns `true` if two bodies differ only by a byte order mark, white space, line ends, or the form of
/// their JSON.
fn same_content(one: &[u8], other: &[u8]) -> bool {
    let dense = |body: &[u8]| {
        let body = body.strip_prefix(b"\xEF\xBB\xBF").unwrap_or(body);
        body.iter().copied().filter(|byte| *byte != b'\r').collect::<Vec<u8>>().trim_ascii().to_vec()
    };
    if dense(one) == dense(other) {
        return true;
    }
    let meaning = |body| meaning(std::str::from_utf8(body).ok()?);
    meaning(one).is_some_and(|one| Some(one) == meaning(other))
}

/// The JSON in `text`, written in one fixed form. The text of each number is unchanged.
fn meaning(text: &str) -> Option<String> {
    let text = text.trim_matches([' ', '\t', '\r', '\n']);
    Some(match text.bytes().next()? {
        b'{' => {
            let fields: BTreeMap<String, Box<RawValue>> = serde_json::from_str(text).ok()?;
            let fields =
                fields.iter().map(|(name, value)| Some(format!("{name:?}:{}", meaning(value.get())?)));
            format!("{{{}}}", fields.collect::<Option<Vec<_>>>()?.join(","))
        }
        b'[' => {
            let items: Vec<Box<RawValue>> = serde_json::from_str(text).ok()?;
            let items = items.iter().map(|item| meaning(item.get()));
            format!("[{}]", items.collect::<Option<Vec<_>>>()?.join(","))
        }
        b'"' => format!("{:?}", serde_json::from_str::<String>(text).ok()?),
        _ => text.to_owned(),
    })
}
