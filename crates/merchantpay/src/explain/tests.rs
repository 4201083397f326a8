use std::sync::LazyLock;

use base64::Engine as _;
use base64::prelude::{BASE64_STANDARD, BASE64_URL_SAFE_NO_PAD};
use proptest::prelude::*;

use super::*;
use crate::keys::{Keypair, PrivateKey};

const BODY: &str =
    r#"{"success":true,"orderId":"o-1","status":"doneSuccess","sum":1500.50,"dealSum":16,"dealRate":92.5}"#;

/// Its base64 has letters that base64url replaces.
const LETTERS: &str = r#"{"orderId":"o-12","payeeName":"Яю??~>"}"#;

struct Parties {
    service: PrivateKey,
    merchant: PrivateKey,
    other: PrivateKey,
    explainer: Explainer,
}

fn key() -> PrivateKey {
    Keypair::generate().unwrap().private_key().clone()
}

fn parties() -> &'static Parties {
    static PARTIES: LazyLock<Parties> = LazyLock::new(|| {
        let (service, merchant, other) = (key(), key(), key());
        let explainer = Explainer::of_webhooks(Keys {
            trusted: vec![key().public_key(), service.public_key()],
            trusted_key_ids: vec!["service-1".to_owned(), "service-2".to_owned()],
            own: Some(merchant.public_key()),
            own_key_id: Some("merchant-1".to_owned()),
            others: vec![key().public_key(), other.public_key()],
        });
        Parties { service, merchant, other, explainer: explainer.unwrap() }
    });
    &PARTIES
}

impl Parties {
    fn hint(&self, body: impl AsRef<[u8]>, signed: impl AsRef<[u8]>) -> String {
        let signature = self.service.sign(signed.as_ref()).to_base64();
        self.explainer.explain(body.as_ref(), Some(&signature), None).unwrap().hint()
    }
}

/// The vectors have a case for each cause and form; this checks that the hint names what was found.
#[test]
fn the_hint_names_what_was_found() {
    let parties = parties();
    let windows_1251 = "{\"orderId\":\"o-1\",\"payeeName\":\"\u{b0}\"}";
    let event = format!("{{\"isBase64Encoded\":true,\"body\":\"{}\"}}", BASE64_STANDARD.encode(BODY));
    let url_safe = BASE64_URL_SAFE_NO_PAD.encode(LETTERS);
    assert!(url_safe.contains('-') && url_safe.contains('_'), "{url_safe}");
    let encoded = BASE64_STANDARD.encode(BODY);
    let wrapped = format!("{}\r\n{}\r\n", &encoded[..76], &encoded[76..]);
    for (body, signed, named) in [
        ("", BODY, "is empty"),
        (&BODY[..40], BODY, "ends too early"),
        (&BASE64_STANDARD.encode(BODY), BODY, "base64 of the signed body"),
        (&url_safe, LETTERS, "base64 of the signed body"),
        (&wrapped, BODY, "base64 of the signed body"),
        (&event, BODY, "event that contains"),
        (&event, "another", "event that contains"),
        (&serde_json::to_string(BODY).unwrap(), BODY, "JSON string"),
        (&BODY.replace("1500.50", "1500.5"), BODY, "other decimals"),
        (&BODY.replace(":", ": ").replace("1500.50", "1500.5"), BODY, "and with other decimals"),
        (&BODY.replace(":", ": "), BODY, "other spaces, another order"),
        (&BODY.replace("o-1", "\u{fffd}"), BODY, "Characters of the body were lost"),
        (windows_1251, windows_1251.replace('\u{b0}', "А").as_str(), "No known change"),
    ] {
        let hint = parties.hint(body, signed);
        assert!(hint.contains(named), "{body}: {hint}");
    }
    let in_a_letter = LETTERS.find('Я').unwrap() + 1;
    let hint = parties.hint(&LETTERS.as_bytes()[..in_a_letter], LETTERS);
    assert!(hint.contains("ends too early"), "{hint}");
    let hint = parties.hint(BODY, "another");
    assert!(
        hint.contains("Compare the configured server public key") && hint.contains("the body was changed"),
        "{hint}"
    );
}

#[test]
fn each_combination_of_decimals_is_found() {
    let parties = parties();
    for sum in ["1500.5", "1500.50"] {
        for deal_sum in ["16", "16.0", "16.00"] {
            for deal_rate in ["92.5", "92.50"] {
                let signed = BODY
                    .replace("1500.50", sum)
                    .replace(":16,", &format!(":{deal_sum},"))
                    .replace("92.5}", &format!("{deal_rate}}}"));
                let received = BODY.replace("1500.50", "1500.500");
                assert!(parties.hint(&received, &signed).contains("An amount"), "{signed}");
            }
        }
    }
}

#[test]
fn four_decimals_of_a_rate_are_found() {
    let parties = parties();
    let signed = BODY.replace("92.5}", "92.5000}");
    assert!(parties.hint(BODY, &signed).contains("An amount"));
    let (signed, received) = (signed.replace(":16,", ":16.00,"), BODY.replace("1500.50", "1500.5"));
    assert!(parties.hint(&received, &signed).contains("An amount"));
}

#[test]
fn a_body_of_more_than_64_kib_is_not_analysed() {
    let parties = parties();
    for (length, named) in [(LARGEST_BODY, "white space was added"), (LARGEST_BODY + 1, "64 KiB")] {
        let body = format!("{BODY}{}", " ".repeat(length - BODY.len()));
        assert!(parties.hint(body, BODY).contains(named));
    }
}

#[test]
fn few_contents_are_tried() {
    let parties = parties();
    let signature = parties.other.sign(b"another");
    let body = BODY.replace("o-1", "А/<&").replace("1500.50", "1500").replace("92.5", "92");
    let trusted = [parties.service.public_key()];
    let mut contents = Contents::new(&trusted, &signature);
    assert_eq!(bytes::undone(body.as_bytes(), &mut contents), None);
    assert_eq!(wrapping::undone(body.as_bytes(), &mut contents), None);
    assert_eq!(json_forms::undone(body.as_bytes(), &mut contents), None);
    assert!((40..=CONTENTS).contains(&contents.tried.len()));
}

#[test]
fn the_key_that_signed_is_named_if_it_is_at_hand() {
    let parties = parties();
    for (key, cause) in
        [(&parties.merchant, Cause::OwnKey), (&parties.other, Cause::WrongKey), (&key(), Cause::NotExplained)]
    {
        let signature = key.sign(BODY.as_bytes()).to_base64();
        let explained = parties.explainer.explain(BODY.as_bytes(), Some(&signature), None);
        assert_eq!(explained.map(|explained| explained.cause()), Some(cause));
    }
}

proptest! {
    /// Of a body that was changed at random, only changes are named that were undone, and nothing panics.
    #[test]
    fn nothing_is_explained_without_a_proof(
        at in 0..BODY.len(), byte: u8, is_inserted: bool, key_id in prop::option::of("service-[1-3]"),
    ) {
        let parties = parties();
        let mut body = BODY.as_bytes().to_vec();
        if is_inserted { body.insert(at, byte) } else { body[at] = byte }
        let signature = parties.service.sign(BODY.as_bytes()).to_base64();
        let accepted = parties.explainer.trust.verify(&body, &signature, key_id.as_deref(), false).is_ok();
        let explained = parties.explainer.explain_with_signed_bytes(&body, Some(&signature), key_id.as_deref());
        prop_assert_eq!(explained.is_none(), accepted);
        match explained.map(|(explanation, signed)| (explanation.finding, signed)) {
            Some((finding, Some(signed))) => {
                prop_assert_eq!((finding.cause, signed.as_slice()), (Cause::BodyChanged, BODY.as_bytes()));
            }
            Some((finding, None)) => {
                let inspected = wrapping::inspected(&body);
                prop_assert!(matches!(finding.cause, Cause::NotExplained | Cause::KeyId) || inspected == Some(finding));
            }
            None => {}
        }
    }

    #[test]
    fn no_text_makes_it_panic(body: Vec<u8>, text: String, signature: String, json in r#"[{}\[\]",:a0\\ .]{0,30}"#) {
        let parties = parties();
        let good = parties.other.sign(b"x").to_base64();
        for body in [&body, text.as_bytes(), json.as_bytes()] {
            for signature in [&signature, &good] {
                prop_assert!(parties.explainer.explain(body, Some(signature), None).is_some());
            }
        }
    }
}
