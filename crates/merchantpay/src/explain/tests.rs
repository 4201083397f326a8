use base64::Engine as _;
use base64::prelude::{BASE64_STANDARD, BASE64_URL_SAFE_NO_PAD};
use ring::digest::{SHA256, digest};

use super::*;
use crate::keys::{Keypair, PrivateKey};

const BODY: &str = r#"{"success":true,"orderId":"o-1","status":"doneSuccess","sum":1500.50,"payeeName":"Анна","deeplink":"https://pay.example/1?a=1&b=2"}"#;

struct Parties {
    service: PrivateKey,
    merchant: PrivateKey,
    other: PrivateKey,
    explainer: Explainer,
}

fn key() -> PrivateKey {
    Keypair::generate().unwrap().private_key().clone()
}

fn parties() -> Parties {
    let (service, merchant, other) = (key(), key(), key());
    let explainer = Explainer::of_webhooks(Keys {
        trusted: vec![key().public_key(), service.public_key()],
        trusted_key_ids: vec!["service-1".to_owned(), "service-2".to_owned()],
        own: Some(merchant.public_key()),
        own_key_id: Some("merchant-1".to_owned()),
        others: vec![key().public_key(), other.public_key()],
    })
    .unwrap();
    Parties { service, merchant, other, explainer }
}

impl Parties {
    fn cause(&self, body: &str, signature: &str) -> Option<Cause> {
        self.explainer
            .explain(body.as_bytes(), Some(signature), Some("service-2"))
            .map(|explanation| explanation.cause())
    }
}

#[test]
fn a_correct_message_has_no_explanation() {
    let parties = parties();
    let signature = parties.service.sign(BODY.as_bytes()).to_base64();
    assert_eq!(parties.cause(BODY, &signature), None);
    assert_eq!(parties.cause(BODY, &format!("\t{signature} ")), None);
    assert_eq!(parties.explainer.explain(BODY.as_bytes(), Some(&signature), None), None);
}

#[test]
fn a_body_that_was_changed_is_recognised_by_undoing_the_change() {
    let parties = parties();
    let spaced = BODY.replace("\":", "\": ").replace(",\"", ", \"");
    let ascii = BODY.replace("Анна", "\\u0410\\u043d\\u043d\\u0430");
    let php = ascii.replace('/', "\\/");
    let sorted = r#"{"deeplink":"https://pay.example/1?a=1&b=2","orderId":"o-1","payeeName":"Анна","status":"doneSuccess","success":true,"sum":1500.50}"#;
    let lines = "{\n  \"success\": true,\n  \"orderId\": \"o-1\"\n}";
    for (signed, received) in [
        (BODY.to_owned(), format!("\u{feff}{BODY}")),
        (format!("\u{feff}{BODY}"), BODY.to_owned()),
        (BODY.to_owned(), format!("{BODY}\n")),
        (BODY.to_owned(), format!("{BODY}\r\n")),
        (BODY.to_owned(), format!(" {BODY} \t")),
        (format!("{BODY}\n"), BODY.to_owned()),
        (format!("{BODY}\r\n"), BODY.to_owned()),
        (format!("{BODY}\r\n"), format!("{BODY}\n")),
        (lines.to_owned(), lines.replace('\n', "\r\n")),
        (lines.replace('\n', "\r\n"), lines.to_owned()),
        (lines.to_owned(), r#"{"success":true,"orderId":"o-1"}"#.to_owned()),
        (BODY.to_owned(), spaced.clone()),
        (BODY.to_owned(), ascii.clone()),
        (BODY.to_owned(), php.clone()),
        (BODY.to_owned(), sorted.to_owned()),
        (BODY.to_owned(), BODY.replace('&', "\\u0026")),
        (php.clone(), BODY.to_owned()),
        (ascii.clone(), BODY.to_owned()),
        (sorted.to_owned(), spaced.clone()),
        (spaced.replace("Анна", "\\u0410\\u043d\\u043d\\u0430"), BODY.to_owned()),
    ] {
        let signature = parties.service.sign(signed.as_bytes()).to_base64();
        assert_eq!(parties.cause(&received, &signature), Some(Cause::BodyChanged), "{received:?}");
    }
}

#[test]
fn another_text_of_a_number_is_not_explained() {
    let parties = parties();
    let signature = parties.service.sign(BODY.as_bytes()).to_base64();
    assert_eq!(parties.cause(&BODY.replace("1500.50", "1500.5"), &signature), Some(Cause::NotExplained));
}

#[test]
fn a_signed_digest_is_recognised() {
    let parties = parties();
    let digest = digest(&SHA256, BODY.as_bytes());
    let hexadecimal: String = digest.as_ref().iter().map(|byte| format!("{byte:02x}")).collect();
    let base64 = BASE64_STANDARD.encode(digest);
    for signed in
        [digest.as_ref(), hexadecimal.as_bytes(), hexadecimal.to_uppercase().as_bytes(), base64.as_bytes()]
    {
        let signature = parties.service.sign(signed).to_base64();
        assert_eq!(parties.cause(BODY, &signature), Some(Cause::DigestSigned));
    }
}

#[test]
fn a_signature_in_another_encoding_is_recognised_if_it_verifies() {
    let parties = parties();
    // Searches for a signature with `+` and `/`, so that each encoding has a different text.
    let (body, good) = (0..)
        .map(|number| {
            let body = format!("{{\"orderId\":\"{number}\"}}");
            let signature = parties.service.sign(body.as_bytes()).to_base64();
            (body, signature)
        })
        .find(|(_, signature)| signature.contains('+') && signature.contains('/'))
        .unwrap();
    let bytes = BASE64_STANDARD.decode(&good).unwrap();
    let hexadecimal: String = bytes.iter().map(|byte| format!("{byte:02x}")).collect();
    for (text, finding) in [
        (hexadecimal.clone(), Finding::Hexadecimal),
        (hexadecimal.to_uppercase(), Finding::Hexadecimal),
        (BASE64_URL_SAFE_NO_PAD.encode(&bytes), Finding::Base64url),
        (good.replace('+', "-").replace('/', "_"), Finding::Base64url),
        (good.trim_end_matches('=').to_owned(), Finding::Unpadded),
        (good[..87].to_owned(), Finding::Unpadded),
        (format!("\"{good}\""), Finding::Quoted),
        (format!("'{good}'"), Finding::Quoted),
        (good.replace('+', "%2B").replace('/', "%2f").replace('=', "%3D"), Finding::PercentEncoded),
        (good.replace('+', " "), Finding::WhiteSpace),
        (format!("{}\n{}\n", &good[..64], &good[64..]), Finding::WhiteSpace),
    ] {
        let finding_of = |body: &str| {
            let explanation = parties.explainer.explain(body.as_bytes(), Some(&text), None);
            explanation.map(|explanation| explanation.finding)
        };
        assert_eq!(finding_of(&body), Some(finding), "{text}");
        assert_eq!(finding_of("another body"), Some(Finding::NotBase64), "{text}");
    }
}

#[test]
fn the_headers_alone_show_a_missing_a_repeated_and_a_wrong_signature() {
    let parties = parties();
    let good = parties.service.sign(BODY.as_bytes()).to_base64();
    for (text, cause) in [
        (String::new(), Cause::MissingSignature),
        (" \t".to_owned(), Cause::MissingSignature),
        (format!("{good}, {good}"), Cause::RepeatedSignature),
        (format!("{good},"), Cause::RepeatedSignature),
        (good[..40].to_owned(), Cause::SignatureEncoding),
        (good[..85].to_owned(), Cause::SignatureEncoding),
        (format!("{good}AAAA"), Cause::SignatureEncoding),
        (parties.service.public_key().to_base64(), Cause::SignatureEncoding),
        ("x".repeat(100_000), Cause::SignatureEncoding),
        (good.replace(&good[10..11], "*"), Cause::NotExplained),
    ] {
        assert_eq!(parties.cause(BODY, &text), Some(cause), "{text:.100}");
    }
    let none = parties.explainer.explain(BODY.as_bytes(), None, None);
    assert_eq!(none.map(|explanation| explanation.cause()), Some(Cause::MissingSignature));
}

#[test]
fn the_key_that_signed_is_named_if_it_is_at_hand() {
    let parties = parties();
    for (key, cause) in
        [(&parties.merchant, Cause::OwnKey), (&parties.other, Cause::WrongKey), (&key(), Cause::NotExplained)]
    {
        assert_eq!(parties.cause(BODY, &key.sign(BODY.as_bytes()).to_base64()), Some(cause));
    }
}

#[test]
fn a_key_id_is_explained_before_the_signature() {
    let parties = parties();
    let signature = key().sign(BODY.as_bytes()).to_base64();
    for (key_id, finding) in [
        ("merchant-1", Finding::KeyIdOwn),
        (" merchant-1\t", Finding::KeyIdOwn),
        ("service-3", Finding::KeyIdUnknown),
    ] {
        let explanation = parties.explainer.explain(BODY.as_bytes(), Some(&signature), Some(key_id));
        assert_eq!(explanation.map(|explanation| explanation.finding), Some(finding), "{key_id:?}");
    }
    let signature = parties.service.sign(BODY.as_bytes()).to_base64();
    for absent in [None, Some(""), Some(" \t")] {
        assert!(parties.explainer.explain(BODY.as_bytes(), Some(&signature), absent).is_none(), "{absent:?}");
    }
}

#[test]
fn a_request_needs_a_key_id_and_is_explained_to_its_sender() {
    let merchant = key();
    let explainer = Explainer::of_requests(Keys {
        trusted: vec![merchant.public_key()],
        trusted_key_ids: vec!["merchant-1".to_owned()],
        ..Keys::default()
    })
    .unwrap();
    let signature = merchant.sign(BODY.as_bytes()).to_base64();
    for key_id in [None, Some(""), Some(" ")] {
        let explanation = explainer.explain(BODY.as_bytes(), Some(&signature), key_id).unwrap();
        assert_eq!(explanation.finding, Finding::KeyIdMissing);
        assert_eq!(
            explanation.hint(),
            "X-KeyId is missing. Send the key id that the service issued to you as X-KeyId."
        );
    }
    assert_eq!(explainer.explain(BODY.as_bytes(), Some(&signature), Some("merchant-1")), None);
}

#[test]
fn keys_that_cannot_be_right_are_refused() {
    let own = key().public_key();
    let keys = |trusted, id: &str| Keys {
        trusted,
        trusted_key_ids: vec![id.to_owned()],
        own: Some(own),
        own_key_id: Some("merchant-1".to_owned()),
        others: Vec::new(),
    };
    for wrong in [
        keys(vec![], "service-1"),
        keys(vec![own], "service-1"),
        keys(vec![key().public_key()], "merchant-1"),
        keys(vec![key().public_key()], "service 1"),
    ] {
        assert!(Explainer::of_webhooks(wrong.clone()).is_err() && Explainer::of_requests(wrong).is_err());
    }
}

#[test]
fn a_body_of_more_than_64_kib_is_not_analysed() {
    let parties = parties();
    let body = |length: usize| format!("{BODY}{}\n", " ".repeat(length - BODY.len() - 1));
    for (length, finding) in [(LARGEST_BODY, Finding::LineEndAdded), (LARGEST_BODY + 1, Finding::TooLarge)] {
        let body = body(length);
        let signature = parties.service.sign(body.trim_end().as_bytes()).to_base64();
        let explanation = parties.explainer.explain(body.as_bytes(), Some(&signature), None);
        assert_eq!(explanation.map(|explanation| explanation.finding), Some(finding));
    }
}

#[test]
fn no_hint_repeats_anything_of_the_message() {
    let parties = parties();
    let signature = parties.service.sign(BODY.as_bytes()).to_base64();
    let received = BODY.replace("true", "true ");
    let explanation = parties.explainer.explain(received.as_bytes(), Some(&signature), None).unwrap();
    assert_eq!(
        explanation.hint(),
        "The signed JSON was written again with other spaces, another order or other escapes. \
         Verify the raw bytes of the request, before anything decodes them."
    );
}
