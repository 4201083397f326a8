//! Why a webhook did not verify. A diagnosis is for people: nothing in it can be taken for a verified event,
//! and what it found out about the body never leaves this file.
//!
//! A cause that is named was tried: the signature holds once it is undone. The others say so.

use base64::prelude::{BASE64_STANDARD, BASE64_STANDARD_NO_PAD, BASE64_URL_SAFE_NO_PAD, Engine as _};
use encoding_rs::{KOI8_R, UTF_16BE, UTF_16LE, WINDOWS_1251, WINDOWS_1252};
use merchantpay::{Cause, PublicKey, Signature};
use sha2::{Digest as _, Sha256, Sha512};

use super::rewriting::{differences, rewritings};
use crate::json::quoted;
use crate::settings::KnownKeys;

/// Larger bodies are not rewritten: each way to write one costs a signature check.
const LARGEST_REWRITTEN: usize = 8 * 1024;
/// Larger bodies are not looked at.
const LARGEST: usize = 128 * 1024;

const BOM: &[u8] = b"\xEF\xBB\xBF";

/// A stable word, and a sentence for a person.
#[derive(Debug, PartialEq, Eq)]
pub(crate) struct Diagnosis {
    pub why: &'static str,
    pub hint: String,
}

/// The fields of a diagnosis in JSON, as they follow an error's own.
pub(super) fn fields(diagnosis: Option<&Diagnosis>) -> String {
    diagnosis.map_or_else(String::new, |Diagnosis { why, hint }| {
        format!(",\"why\":{},\"hint\":{}", quoted(why), quoted(hint))
    })
}

/// What came.
pub(crate) struct Evidence<'a> {
    pub body: &'a [u8],
    /// The text of the signature's header.
    pub signature: Option<&'a str>,
    pub key_id: Option<&'a str>,
}

/// Says why this did not verify.
pub(crate) fn diagnose(known_keys: &KnownKeys, evidence: &Evidence<'_>) -> Diagnosis {
    // Blanks around a header's value are not of it.
    let evidence = &Evidence { key_id: evidence.key_id.map(|id| id.trim_matches([' ', '\t'])), ..*evidence };
    let value = evidence.signature.unwrap_or_default();
    let mut text = value.trim_matches([' ', '\t']);
    // The blanks before it may have been its first letters, each a +.
    if value.len() == 88 && value.starts_with(' ') && value.trim_start_matches(' ').len() == text.len() {
        text = value;
    }
    if text.is_empty() {
        return diagnosis(
            Cause::MissingSignature,
            "The header with the signature is missing or empty: something on the way may have dropped it.",
        );
    }
    let (form, signatures) = read_signature(text);
    let Some(form) = form else { return diagnose_content(known_keys, evidence, &signatures) };
    if signatures.is_empty() {
        return diagnosis(form.0, form.1);
    }
    if verifies(&known_keys.server_keys, evidence.body, &signatures) {
        return diagnosis(form.0, &format!("{} Written as standard base64 it would verify.", form.1));
    }
    let of_content = diagnose_content(known_keys, evidence, &signatures);
    diagnosis(
        form.0,
        &format!("{} Written as standard base64 it would still not verify: {}", form.1, of_content.hint),
    )
}

fn diagnosis(cause: Cause, hint: &str) -> Diagnosis {
    Diagnosis { why: cause.name(), hint: hint.to_owned() }
}

/// What is wrong with the text of a signature, and which signatures it may mean. Nothing is wrong with
/// standard base64.
fn read_signature(text: &str) -> (Option<(Cause, &'static str)>, Vec<Signature>) {
    if let Some(signature) = Signature::from_base64(text) {
        return (None, vec![signature]);
    }
    let mut form = None;
    let mut note = |word, hint| form = form.or(Some((word, hint)));
    let mut text = text;
    if let Some((first, _)) = text.split_once(',') {
        note(Cause::SignatureRepeated, "There is more than one signature.");
        text = first.trim();
    }
    let bare = text.trim_matches(['"', '\'', '`']);
    if bare != text {
        note(Cause::SignatureQuoted, "The signature stands in quotes.");
    }
    let mut texts = vec![bare.to_owned()];
    if bare.contains('%') {
        note(Cause::SignaturePercentEncoded, "The signature is percent-encoded, as in a URL.");
        let plain = [("%2B", "+"), ("%2b", "+"), ("%2F", "/"), ("%2f", "/"), ("%3D", "="), ("%3d", "=")];
        texts = vec![plain.iter().fold(bare.to_owned(), |text, (from, to)| text.replace(from, to))];
    }
    if bare.contains(char::is_whitespace) {
        note(
            Cause::SignatureSpaced,
            "The signature has white space in it; where it was read as a form, each + became a space.",
        );
        texts = vec![bare.split_whitespace().collect(), bare.replace(' ', "+")];
    }
    if bare.len() == 128 && bare.bytes().all(|byte| byte.is_ascii_hexdigit()) {
        note(Cause::SignatureHex, "The signature is written in hexadecimal digits, not in base64.");
        let bytes: Option<Vec<u8>> =
            (0..64).map(|at| u8::from_str_radix(&bare[at * 2..at * 2 + 2], 16).ok()).collect();
        return (form, bytes.and_then(|bytes| signature(&bytes)).into_iter().collect());
    }
    if texts.iter().any(|text| text.contains(['-', '_'])) {
        note(Cause::SignatureBase64url, "The signature is written in base64url, with - and _ for + and /.");
    } else if texts.iter().any(|text| text.trim_end_matches('=').len() == 86 && text.len() < 88) {
        note(Cause::SignatureUnpadded, "The signature lacks the padding of base64, the = signs at its end.");
    }
    let decoded: Vec<Vec<u8>> = texts.iter().filter_map(|text| decode(text)).collect();
    let signatures: Vec<Signature> = decoded.iter().filter_map(|bytes| signature(bytes)).collect();
    if signatures.is_empty() {
        form = Some(match decoded.first().map(Vec::len) {
            Some(32) => (
                Cause::SignatureUnreadable,
                "What stands for the signature has 32 bytes, as a public key or a digest has; a signature has 64.",
            ),
            Some(_) => (
                Cause::SignatureUnreadable,
                "What stands for the signature has not the 64 bytes of one: it may have been cut.",
            ),
            None => (Cause::SignatureUnreadable, "The signature is not base64."),
        });
    }
    (
        form.or(Some((Cause::SignatureUnreadable, "What stands for the signature is not strict base64."))),
        signatures,
    )
}

fn decode(text: &str) -> Option<Vec<u8>> {
    let text = text.trim_end_matches('=');
    BASE64_STANDARD_NO_PAD.decode(text).or_else(|_| BASE64_URL_SAFE_NO_PAD.decode(text)).ok()
}

fn signature(bytes: &[u8]) -> Option<Signature> {
    bytes.try_into().ok().map(Signature::from_bytes)
}

fn verifies(keys: &[PublicKey], body: &[u8], signatures: &[Signature]) -> bool {
    signatures.iter().any(|signature| keys.iter().any(|key| key.verifies(body, signature)))
}

/// The signature can be read: what was it made over, and by whom?
fn diagnose_content(known_keys: &KnownKeys, evidence: &Evidence<'_>, signatures: &[Signature]) -> Diagnosis {
    let body = evidence.body;
    if verifies(known_keys.own_key.as_slice(), body, signatures) {
        return diagnosis(
            Cause::OwnKey,
            "It is signed with the merchant's own key: whoever sent it has the wrong key, or your own request came back.",
        );
    }
    if verifies(&known_keys.server_keys, body, signatures) {
        return diagnose_key_id(known_keys, evidence.key_id).unwrap_or_else(|| {
            diagnosis(Cause::Unknown, "The signature holds, and yet it was refused; the message says why.")
        });
    }
    if body.is_empty() {
        return diagnosis(
            Cause::EmptyBody,
            "The body is empty: something has read it before. Keep the bytes of the request as they came.",
        );
    }
    if body.len() <= LARGEST
        && let Some(found) =
            diagnose_bytes(body, &|bytes| verifies(&known_keys.server_keys, bytes, signatures))
    {
        return found;
    }
    if let Some(wrong) = diagnose_key_id(known_keys, evidence.key_id) {
        return Diagnosis { hint: format!("{} Its signature does not hold either.", wrong.hint), ..wrong };
    }
    if serde_json::from_slice::<&serde_json::value::RawValue>(body).is_err_and(|error| error.is_eof()) {
        return diagnosis(
            Cause::BodyCut,
            "The body ends in the middle of its JSON: it was cut, by a limit or a wrong Content-Length.",
        );
    }
    if evidence.key_id.is_some_and(|id| known_keys.server_key_ids.iter().any(|known| known == id)) {
        return diagnosis(
            Cause::OtherKeyOrBody,
            "The key id is the service's, but none of its configured public keys made this signature over this body: \
             the key may have been replaced, or the body is not what was sent.",
        );
    }
    diagnosis(
        Cause::OtherKeyOrBody,
        "None of the configured public keys made this signature over this body: compare MERCHANTPAY_SERVER_PUBLIC_KEY with \
         the service's, and make sure that the body is the bytes as they came.",
    )
}

fn diagnose_key_id(known_keys: &KnownKeys, key_id: Option<&str>) -> Option<Diagnosis> {
    let key_id = key_id?;
    if known_keys.own_key_id.as_deref() == Some(key_id) {
        return Some(diagnosis(
            Cause::KeyIdOwn,
            "It carries the merchant's own key id, which the service never uses.",
        ));
    }
    let known =
        known_keys.server_key_ids.is_empty() || known_keys.server_key_ids.iter().any(|known| known == key_id);
    (!known).then(|| {
        diagnosis(
            Cause::KeyIdUnknown,
            "Its key id is none of MERCHANTPAY_SERVER_KEY_ID's: the service may have a new one.",
        )
    })
}

/// Tries what may have become of the body on its way.
fn diagnose_bytes(body: &[u8], signed: &dyn Fn(&[u8]) -> bool) -> Option<Diagnosis> {
    if body.strip_prefix(BOM).is_some_and(signed) {
        return Some(diagnosis(
            Cause::Bom,
            "A byte order mark (EF BB BF) stands before the body and was not signed.",
        ));
    }
    if signed(&[BOM, body].concat()) {
        return Some(diagnosis(
            Cause::Bom,
            "The byte order mark (EF BB BF) that was signed is missing before the body.",
        ));
    }
    if let Some(hint) = diagnose_line_ends(body, signed) {
        return Some(diagnosis(Cause::LineEnding, hint));
    }
    if let Some(hint) = diagnose_charset(body, signed) {
        return Some(diagnosis(Cause::Charset, &hint));
    }
    if let Some(what) = diagnose_other_content(body, signed) {
        return Some(diagnosis(
            Cause::SignedOtherContent,
            &format!("The signature is over {what}, not over the body itself."),
        ));
    }
    let text = std::str::from_utf8(body.strip_prefix(BOM).unwrap_or(body)).ok()?;
    if body.len() > LARGEST_REWRITTEN {
        return None;
    }
    let original = rewritings(text).into_iter().find(|text| signed(text.as_bytes()))?;
    Some(diagnosis(
        Cause::BodyReencoded,
        &format!(
            "The body was parsed and written again, which changed {}. Keep the bytes of the request as they came.",
            differences(text, &original)
        ),
    ))
}

fn diagnose_line_ends(body: &[u8], signed: &dyn Fn(&[u8]) -> bool) -> Option<&'static str> {
    let trimmed = body.trim_ascii();
    let without =
        [body.strip_suffix(b"\n"), body.strip_suffix(b"\r\n"), Some(body.trim_ascii_end()), Some(trimmed)];
    if without.into_iter().flatten().any(signed) {
        return Some("A line end or white space was added around the body after it was signed.");
    }
    if [&b"\n"[..], b"\r\n"]
        .iter()
        .any(|end| signed(&[body, end].concat()) || signed(&[trimmed, end].concat()))
    {
        return Some(
            "The line end at the end of the body was signed, and was cut off or changed on the way.",
        );
    }
    let text = std::str::from_utf8(body).ok()?;
    let unix = text.replace("\r\n", "\n");
    (signed(unix.as_bytes()) || signed(unix.replace('\n', "\r\n").as_bytes()))
        .then_some("The line ends within the body were changed between LF and CRLF.")
}

fn diagnose_charset(body: &[u8], signed: &dyn Fn(&[u8]) -> bool) -> Option<String> {
    let charsets = [WINDOWS_1251, WINDOWS_1252, KOI8_R, UTF_16LE, UTF_16BE];
    let latin_1 =
        |text: &str| text.chars().map(|c| u8::try_from(u32::from(c)).ok()).collect::<Option<Vec<u8>>>();
    for charset in charsets {
        // What was signed as UTF-8 came in another character set.
        if signed(charset.decode_with_bom_removal(body).0.as_bytes()) {
            return Some(format!("The body was signed as UTF-8 and then written in {}.", charset.name()));
        }
    }
    let text = std::str::from_utf8(body).ok()?;
    for charset in charsets {
        // What is UTF-8 here was other bytes when it was signed: another character set, or UTF-8 that was
        // taken for one.
        let (encoded, _, unmappable) = charset.encode(text);
        if !unmappable && signed(&encoded) {
            let name = charset.name();
            let twice = std::str::from_utf8(&encoded).is_ok() && encoded != body;
            return Some(if twice {
                format!("The body's UTF-8 was taken for {name} and written as UTF-8 once more.")
            } else {
                format!("The body was signed in {name} and then written in UTF-8.")
            });
        }
    }
    latin_1(text)
        .is_some_and(|bytes| signed(&bytes))
        .then(|| "The body's UTF-8 was taken for ISO-8859-1 and written as UTF-8 once more.".to_owned())
}

fn diagnose_other_content(body: &[u8], signed: &dyn Fn(&[u8]) -> bool) -> Option<&'static str> {
    let hex = |bytes: &[u8]| bytes.iter().map(|byte| format!("{byte:02x}")).collect::<String>();
    let (short, long) = (Sha256::digest(body).to_vec(), Sha512::digest(body).to_vec());
    let as_text = std::str::from_utf8(body).ok().map(quoted);
    let contents = [
        ("nothing at all (an empty body)", Vec::new()),
        ("the body's base64", BASE64_STANDARD.encode(body).into_bytes()),
        ("the body as a JSON string", as_text.unwrap_or_default().into_bytes()),
        ("the SHA-256 of the body in hexadecimal digits", hex(&short).into_bytes()),
        ("the SHA-256 of the body in hexadecimal digits", hex(&short).to_uppercase().into_bytes()),
        ("the SHA-256 of the body in base64", BASE64_STANDARD.encode(&short).into_bytes()),
        ("the SHA-256 of the body", short),
        ("the SHA-512 of the body in hexadecimal digits", hex(&long).into_bytes()),
        ("the SHA-512 of the body in base64", BASE64_STANDARD.encode(&long).into_bytes()),
        ("the SHA-512 of the body", long),
    ];
    contents.into_iter().find(|(_, content)| signed(content)).map(|(what, _)| what)
}

#[cfg(test)]
mod tests;
