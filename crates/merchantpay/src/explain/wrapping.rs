//! Finds the signed body in a body that something wrapped or converted: an event of a gateway or a queue, a JSON string,
//! base64, another character set. If no content verifies, the form of the body still shows what happened to it.

use base64::Engine as _;
use base64::prelude::BASE64_STANDARD_NO_PAD;
use serde_json::value::RawValue;

use super::{Contents, Finding};
use crate::json::Object;

/// An event of a queue holds an event of its producer, which holds the body.
const DEEPEST: u32 = 4;
const MOST_INNER: usize = 12;

const EVENT: Finding = Finding::changed("The body is an event that contains the signed body.")
    .with_remedy("Verify only the part that the service sent, unchanged; if it is base64, decode it first.");
const JSON_STRING: Finding = Finding::changed("The body is a JSON string that contains the signed body.")
    .with_remedy("Verify the raw bytes of the request, before anything encodes them as JSON.");
const BASE64: Finding =
    Finding::changed("The body is the base64 of the signed body, as some gateways pass it on.")
        .with_remedy("Decode it, and verify the decoded bytes.");
const EMPTY: Finding = Finding::changed("The body is empty.").with_remedy(
    "Either the body was already read, so read it once and before the framework; or a web server or proxy dropped it, \
     so check its buffering of requests.",
);
const CUT: Finding = Finding::changed("The JSON of the body ends too early.")
    .with_remedy("Read the whole body, and check the size limits of web server and framework.");
const DAMAGED: Finding = Finding::changed(
    "Characters of the body were lost, because its UTF-8 was read in another character set.",
)
.with_remedy(NO_CONVERSION);
const NOT_UTF8: Finding = Finding::changed("The body is not UTF-8, and no usual character set restores it.")
    .with_remedy(NO_CONVERSION);
const NO_CONVERSION: &str =
    "Verify the raw bytes of the request, before anything converts their character set.";

pub(super) fn undone(body: &[u8], contents: &mut Contents<'_>) -> Option<Finding> {
    let text = match str::from_utf8(body) {
        Ok(text) if !text.contains('\0') => text,
        _ => return CHARACTER_SETS.iter().find_map(|set| set.restores(body, contents)),
    };
    if !text.is_ascii()
        && let Some(finding) = CHARACTER_SETS.iter().find_map(|set| set.restores_twice(text, contents))
    {
        return Some(finding);
    }
    let (finding, inner) = unwrapped(text)?;
    inner.iter().any(|inner| contents.signed(inner)).then_some(finding)
}

/// What the form of a body shows: the service sends JSON objects in UTF-8.
pub(super) fn inspected(body: &[u8]) -> Option<Finding> {
    if body.trim_ascii().is_empty() {
        return Some(EMPTY);
    }
    if utf16(body).is_some_and(|text| text.trim_start().starts_with('{')) {
        return Some(UTF16);
    }
    let is_object = body.trim_ascii_start().starts_with(b"{");
    let text = match str::from_utf8(body) {
        Ok(text) => text,
        // Only the last letter is incomplete.
        Err(fault) if is_object && fault.error_len().is_none() => return Some(CUT),
        Err(_) => return Some(NOT_UTF8),
    };
    if let Some((finding, inner)) = unwrapped(text)
        && inner.iter().any(|inner| Object::parse(inner).is_ok_and(|object| is_message(&object)))
    {
        return Some(finding);
    }
    if is_object && serde_json::from_str::<&RawValue>(text).is_err_and(|error| error.is_eof()) {
        return Some(CUT);
    }
    text.contains(char::REPLACEMENT_CHARACTER).then_some(DAMAGED)
}

/// Every message about a payment has an order id.
fn is_message(object: &Object<'_>) -> bool {
    object.has("orderId")
}

/// The contents that may have been wrapped, and how the outermost was. `None` for a message of the contract.
fn unwrapped(text: &str) -> Option<(Finding, Vec<Vec<u8>>)> {
    let text = text.trim();
    let finding = match text.as_bytes().first()? {
        b'"' => JSON_STRING,
        b'{' | b'[' => EVENT,
        _ => BASE64,
    };
    if Object::parse(text.as_bytes()).is_ok_and(|object| is_message(&object)) {
        return None;
    }
    let mut found = Vec::new();
    unwrap(text, DEEPEST, &mut found);
    (!found.is_empty()).then_some((finding, found))
}

fn unwrap(text: &str, depth: u32, found: &mut Vec<Vec<u8>>) {
    let Some(depth) = depth.checked_sub(1) else { return };
    let mut inner = |bytes: &[u8]| {
        if bytes.trim_ascii_start().starts_with(b"{") && found.len() < MOST_INNER {
            found.push(bytes.to_vec());
        }
        if let Ok(text) = str::from_utf8(bytes) {
            unwrap(text.trim(), depth, found);
        }
    };
    match text.as_bytes().first() {
        Some(b'"') => {
            if let Ok(string) = serde_json::from_str::<String>(text) {
                inner(string.as_bytes());
            }
        }
        Some(b'{') => {
            if let Ok(object) = Object::parse(text.as_bytes()) {
                object.fields().for_each(|(_, value)| inner(value.as_bytes()));
            }
        }
        Some(b'[') => {
            if let Ok(items) = serde_json::from_str::<Vec<&RawValue>>(text) {
                items.iter().for_each(|item| inner(item.get().as_bytes()));
            }
        }
        Some(_) => {
            if let Some(decoded) = decoded(text) {
                inner(&decoded);
            }
        }
        None => {}
    }
}

/// Base64 or base64url, with or without padding and line ends.
fn decoded(text: &str) -> Option<Vec<u8>> {
    let letters = text.split_ascii_whitespace().collect::<String>().replace('-', "+").replace('_', "/");
    BASE64_STANDARD_NO_PAD.decode(letters.trim_end_matches('=')).ok()
}

/// A character set to which the service's UTF-8 may have been converted, or in which it may have been read.
struct CharacterSet {
    converted: Finding,
    read: Option<Finding>,
    decode: fn(&[u8]) -> Option<String>,
    encode: fn(char) -> Option<u8>,
}

const UTF16: Finding =
    Finding::changed("The body was converted from UTF-8 to UTF-16.").with_remedy(NO_CONVERSION);

const CHARACTER_SETS: [CharacterSet; 3] = [
    CharacterSet { converted: UTF16, read: None, decode: utf16, encode: |_| None },
    CharacterSet {
        converted: Finding::changed("The body was converted from UTF-8 to windows-1251.")
            .with_remedy(NO_CONVERSION),
        read: Some(
            Finding::changed("The body was read as windows-1251 and written as UTF-8 again.")
                .with_remedy(NO_CONVERSION),
        ),
        decode: |bytes| bytes.iter().map(|byte| windows_1251(*byte)).collect(),
        encode: |c| (0..=255).find(|byte| windows_1251(*byte) == Some(c)),
    },
    CharacterSet {
        converted: Finding::changed("The body was converted from UTF-8 to Latin-1 (ISO-8859-1).")
            .with_remedy(NO_CONVERSION),
        read: Some(
            Finding::changed("The body was read as Latin-1 (ISO-8859-1) and written as UTF-8 again.")
                .with_remedy(NO_CONVERSION),
        ),
        decode: |bytes| Some(bytes.iter().copied().map(char::from).collect()),
        encode: |c| u8::try_from(c).ok(),
    },
];

impl CharacterSet {
    fn restores(&self, body: &[u8], contents: &mut Contents<'_>) -> Option<Finding> {
        contents.signed((self.decode)(body)?.as_bytes()).then_some(self.converted)
    }

    fn restores_twice(&self, text: &str, contents: &mut Contents<'_>) -> Option<Finding> {
        let bytes: Vec<u8> = text.chars().map(self.encode).collect::<Option<_>>()?;
        self.read.filter(|_| contents.signed(&bytes))
    }
}

/// The text of UTF-16 with a byte-order mark, or of either byte order if it starts with ASCII.
fn utf16(body: &[u8]) -> Option<String> {
    let (pairs, rest) = body.as_chunks::<2>();
    let text = |unit: fn([u8; 2]) -> u16| {
        String::from_utf16(&pairs.iter().map(|pair| unit(*pair)).collect::<Vec<_>>())
    };
    let text = match pairs.first()? {
        _ if !rest.is_empty() => return None,
        [0xff, 0xfe] | [b' '..=b'~', 0] => text(u16::from_le_bytes),
        [0xfe, 0xff] | [0, b' '..=b'~'] => text(u16::from_be_bytes),
        _ => return None,
    };
    text.ok().map(|text| text.trim_start_matches('\u{feff}').to_owned())
}

fn windows_1251(byte: u8) -> Option<char> {
    const UPPER: &str = "\
        ЂЃ‚ѓ„…†‡€‰Љ‹ЊЌЋЏђ‘’“”•–—\u{98}™љ›њќћџ\u{a0}ЎўЈ¤Ґ¦§Ё©Є«¬\u{ad}®Ї°±Ііґµ¶·ё№є»јЅѕї\
        АБВГДЕЖЗИЙКЛМНОПРСТУФХЦЧШЩЪЫЬЭЮЯабвгдежзийклмнопрстуфхцчшщъыьэюя";
    match byte {
        0..0x80 => Some(char::from(byte)),
        _ => UPPER.chars().nth(usize::from(byte) - 0x80),
    }
}
