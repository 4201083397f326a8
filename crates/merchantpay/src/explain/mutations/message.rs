//! Random messages. They are signed correctly or with one of the known mistakes, and then changed at random.

use base64::Engine as _;
use base64::prelude::{BASE64_STANDARD, BASE64_URL_SAFE};
use ed25519_dalek::SigningKey;
use ring::digest::{SHA256, digest};

use super::json::{Style, Tree};
use super::random::Random;
use crate::explain::{Explainer, Keys, LARGEST_BODY};
use crate::keys::{PrivateKey, PublicKey};

/// The key ids of messages. The receiver accepts only the first key id.
const KEY_IDS: &[&str] = &["sender-1", "receiver-1", "unknown", ""];

pub(super) struct Parties {
    trusted: [PrivateKey; 2],
    pub(super) own: PrivateKey,
    pub(super) other: PrivateKey,
    unknown: PrivateKey,
    /// The explainer of webhooks and the explainer of requests.
    pub(super) explainers: [Explainer; 2],
}

/// A message as the receiver gets it.
#[derive(Debug, Clone)]
pub(super) struct Sent {
    /// The index of the explainer that explains the message.
    pub(super) explainer: usize,
    pub(super) body: Vec<u8>,
    pub(super) signature: String,
    pub(super) key_id: Option<String>,
}

impl Parties {
    pub(super) fn new() -> Parties {
        let key = |seed| {
            let pair = SigningKey::from_bytes(&[seed; 32]).to_keypair_bytes();
            PrivateKey::from_base64(&BASE64_STANDARD.encode(pair)).unwrap()
        };
        let [first, second, own, other, unknown] = [1, 2, 3, 4, 5].map(key);
        let keys = || Keys {
            trusted: vec![first.public_key(), second.public_key()],
            trusted_key_ids: vec![KEY_IDS[0].to_owned()],
            own: Some(own.public_key()),
            own_key_id: Some(KEY_IDS[1].to_owned()),
            others: vec![other.public_key()],
        };
        let explainers = [Explainer::of_webhooks(keys()).unwrap(), Explainer::of_requests(keys()).unwrap()];
        Parties { trusted: [first, second], own, other, unknown, explainers }
    }

    pub(super) fn trusted_keys(&self) -> [PublicKey; 2] {
        [self.trusted[0].public_key(), self.trusted[1].public_key()]
    }

    /// A webhook or a request that verifies.
    pub(super) fn good(&self, random: &mut Random) -> Sent {
        let body = tree(random).written(Style::any(random)).into_bytes();
        self.sent(random, &body, &body, 0)
    }

    /// Makes a message with `body` and a signature of `signed`. `signer` selects the key: 0 is a trusted key,
    /// and the other keys are not trusted.
    fn sent(&self, random: &mut Random, body: &[u8], signed: &[u8], signer: usize) -> Sent {
        let [first, second] = &self.trusted;
        let trusted = if random.one_in(2) { first } else { second };
        let signer = [trusted, &self.own, &self.other, &self.unknown][signer];
        Sent {
            explainer: random.below(2),
            body: body.to_vec(),
            signature: signer.sign(signed).to_base64(),
            key_id: Some(KEY_IDS[0].to_owned()),
        }
    }

    /// A message with one of the known mistakes, or without a mistake.
    pub(super) fn mistaken(&self, random: &mut Random) -> Sent {
        let tree = tree(random);
        let text = tree.written(Style::any(random));
        let body = text.as_bytes();
        match random.below(10) {
            0 => {
                let other = tree.written(Style::any(random));
                self.sent(random, other.as_bytes(), body, 0)
            }
            1 => {
                let other = around(random, &text);
                self.sent(random, other.as_bytes(), body, 0)
            }
            2 => {
                let other = around(random, &text);
                self.sent(random, body, other.as_bytes(), 0)
            }
            3 => {
                let digest = digest(&SHA256, body);
                let base64 = BASE64_STANDARD.encode(digest);
                let form = if random.one_in(2) { digest.as_ref() } else { base64.as_bytes() };
                self.sent(random, body, form, 0)
            }
            signer @ (4..=6) => self.sent(random, body, body, signer - 3),
            7 | 8 => {
                let mut sent = self.sent(random, body, body, 0);
                sent.signature = encoded(random, &sent.signature);
                sent
            }
            _ => {
                let mut sent = self.sent(random, body, body, 0);
                sent.key_id = Some(random.pick(KEY_IDS).to_owned()).filter(|_| random.one_in(2));
                sent
            }
        }
    }
}

impl Sent {
    /// Changes one place of the body, the signature or the key id.
    pub(super) fn corrupt(&mut self, random: &mut Random) {
        match random.below(8) {
            0..4 => random.corrupt(&mut self.body),
            4 => {
                let mut bytes = BASE64_STANDARD.decode(&self.signature).unwrap_or_default();
                random.corrupt(&mut bytes);
                self.signature = BASE64_STANDARD.encode(bytes);
            }
            5 | 6 => random.corrupt_text(&mut self.signature),
            _ => random.corrupt_text(self.key_id.get_or_insert_default()),
        }
    }
}

/// A random object. It is usually as large as a message of the contract. Some objects are deep or have many
/// fields, and a few are too large to be analysed.
fn tree(random: &mut Random) -> Tree {
    let depth = if random.one_in(20) { 10 } else { 1 };
    match random.below(200) {
        0 => {
            let length = random.below(LARGEST_BODY + LARGEST_BODY / 8);
            Tree::Object(vec![("orderId".to_owned(), Tree::Text("o".repeat(length)))])
        }
        1..10 => {
            let fields = random.below(400);
            Tree::object(random, fields, depth)
        }
        _ => {
            let fields = random.below(9);
            Tree::object(random, fields, depth)
        }
    }
}

/// The text with a byte order mark, additional white space, or other line ends.
fn around(random: &mut Random, text: &str) -> String {
    match random.below(5) {
        0 => format!("\u{feff}{text}"),
        1 => format!("{text}\n"),
        2 => format!("{text}\r\n"),
        3 => format!(" {text}\t"),
        _ => text.replace("\r\n", "\n"),
    }
}

/// The signature in another encoding, the signature twice, or an empty text.
fn encoded(random: &mut Random, good: &str) -> String {
    let bytes = BASE64_STANDARD.decode(good).unwrap_or_default();
    match random.below(8) {
        0 => bytes.iter().map(|byte| format!("{byte:02x}")).collect(),
        1 => BASE64_URL_SAFE.encode(bytes),
        2 => good.trim_end_matches('=').to_owned(),
        3 => format!("\"{good}\""),
        4 => good.replace('+', "%2B").replace('/', "%2F").replace('=', "%3D"),
        5 => good.replace('+', " "),
        6 => format!("{good}, {good}"),
        _ => String::new(),
    }
}
