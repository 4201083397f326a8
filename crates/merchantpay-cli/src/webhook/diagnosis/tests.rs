//! A case for each cause.

use merchantpay::Keypair;

use super::*;

/// As the service would write it, with everything that others write differently.
const BODY: &str = r#"{"success":true,"orderId":"o-1","status":"doneSuccess","sum":1500.50,"payeeName":"Фёдор <И>","deeplink":"https://pay.example/o-1"}"#;

struct Case {
    server: Keypair,
    own: Keypair,
}

impl Case {
    fn new() -> Case {
        Case { server: Keypair::generate().unwrap(), own: Keypair::generate().unwrap() }
    }

    fn known_keys(&self) -> KnownKeys {
        KnownKeys {
            server_keys: vec![Keypair::generate().unwrap().public_key(), self.server.public_key()],
            server_key_ids: vec!["server-1".to_owned()],
            own_key: Some(self.own.public_key()),
            own_key_id: Some("merchant-1".to_owned()),
        }
    }

    /// The service's signature over `signed`.
    fn sign(&self, signed: impl AsRef<[u8]>) -> String {
        self.server.private_key().sign(signed.as_ref()).to_base64()
    }

    fn why(&self, body: impl AsRef<[u8]>, signature: &str, key_id: &str) -> Diagnosis {
        diagnose(
            &self.known_keys(),
            &Evidence { body: body.as_ref(), signature: Some(signature), key_id: Some(key_id) },
        )
    }
}

#[test]
fn what_became_of_the_body_is_named() {
    let case = Case::new();
    let utf_16: Vec<u8> = BODY.encode_utf16().flat_map(u16::to_le_bytes).collect();
    let mojibake = WINDOWS_1252.decode_without_bom_handling(BODY.as_bytes()).0.into_owned();
    let latin_1: String = BODY.bytes().map(char::from).collect();
    let hex = Sha256::digest(BODY).iter().map(|byte| format!("{byte:02x}")).collect::<String>();
    let in_1251 = WINDOWS_1251.encode(BODY).0.into_owned();
    let lines = "{\n\"success\":false,\n\"orderId\":\"o-1\"\n}";
    for (signed, body, why) in [
        (BODY.into(), [BOM, BODY.as_bytes()].concat(), "bom"),
        ([BOM, BODY.as_bytes()].concat(), BODY.into(), "bom"),
        (BODY.into(), format!("{BODY}\n").into(), "line_ending"),
        (BODY.into(), format!("{BODY}\r\n").into(), "line_ending"),
        (BODY.into(), format!(" {BODY} \n\n").into(), "line_ending"),
        (format!("{BODY}\n").into(), BODY.into(), "line_ending"),
        (format!("{BODY}\r\n").into(), format!("{BODY}\n").into(), "line_ending"),
        (lines.into(), lines.replace('\n', "\r\n").into(), "line_ending"),
        (lines.replace('\n', "\r\n").into(), lines.into(), "line_ending"),
        (BODY.into(), in_1251.clone(), "charset"),
        (in_1251, BODY.into(), "charset"),
        (BODY.into(), utf_16, "charset"),
        (BODY.into(), mojibake.into(), "charset"),
        (BODY.into(), latin_1.into(), "charset"),
        (Sha256::digest(BODY).to_vec(), BODY.into(), "signed_other_content"),
        (hex.into(), BODY.into(), "signed_other_content"),
        (Sha512::digest(BODY).to_vec(), BODY.into(), "signed_other_content"),
        (BASE64_STANDARD.encode(BODY).into(), BODY.into(), "signed_other_content"),
        (crate::json::quoted(BODY).into(), BODY.into(), "signed_other_content"),
        (Vec::new(), BODY.into(), "signed_other_content"),
        (BODY.into(), Vec::new(), "empty_body"),
        (BODY.into(), BODY[..60].into(), "body_cut"),
        (BODY.into(), BODY.replace("1500.50", "9500.50").into(), "other_key_or_body"),
        (BODY.into(), b"no JSON".to_vec(), "other_key_or_body"),
        (BODY.into(), vec![b'['; 100_000], "body_cut"),
        (BODY.into(), vec![b' '; 2 * LARGEST], "body_cut"),
    ] as [(Vec<u8>, Vec<u8>, &str); 26]
    {
        let found = case.why(&body, &case.sign(&signed), "server-1");
        assert_eq!(
            found.why,
            why,
            "{} for {}",
            found.hint,
            String::from_utf8_lossy(&body[..body.len().min(200)])
        );
    }
}

#[test]
fn a_body_that_was_written_again_says_what_changed() {
    let case = Case::new();
    let ascii = |text: &str| {
        text.chars()
            .map(|c| if c.is_ascii() { c.to_string() } else { format!("\\u{:04x}", c as u32) })
            .collect::<String>()
    };
    let sorted = r#"{"deeplink":"https://pay.example/o-1","orderId":"o-1","payeeName":"Фёдор <И>","status":"doneSuccess","success":true,"sum":1500.50}"#;
    let pretty = BODY
        .replace("{\"", "{\n    \"")
        .replace(",\"", ",\n    \"")
        .replace("\":", "\": ")
        .replace("1\"}", "1\"\n}");
    let python = ascii(&BODY.replace(",\"", ", \"").replace("\":", "\": "));
    for (body, changed) in [
        (pretty.clone(), "its white space"),
        (format!("{pretty}\n"), "its white space"),
        (sorted.to_owned(), "the order of its fields"),
        (BODY.replace('/', "\\/"), "the escapes in its texts"),
        (ascii(BODY), "the escapes in its texts"),
        (BODY.replace('<', "\\u003c").replace('>', "\\u003e"), "the escapes in its texts"),
        (BODY.replace("1500.50", "1500.5"), "the digits of its numbers"),
        (python, "its white space, the escapes in its texts"),
        (
            sorted.replace("1500.50", "1500.5").replace('/', "\\/"),
            "the order of its fields, the escapes in its texts, the digits of its numbers",
        ),
    ] {
        for (signed, came) in [(BODY, &body), (&body, &BODY.to_owned())] {
            // Nobody can know in which order somebody else's program had put it.
            if signed != BODY && changed.contains("digits") && changed.contains("order") {
                continue;
            }
            let found = case.why(came, &case.sign(signed), "server-1");
            assert_eq!(found.why, "body_reencoded", "{} for {came}", found.hint);
            assert!(found.hint.contains(&format!("changed {changed}. ")), "{} for {came}", found.hint);
        }
    }
}

#[test]
fn what_became_of_the_signature_is_named() {
    let case = Case::new();
    // One with every letter that base64url writes otherwise, and with two that a form would make blanks at
    // its beginning.
    let case_of = (0..).map(|number| format!("{{\"success\":false,\"orderId\":\"o-{number}\"}}"));
    let (body, good) = case_of
        .map(|body| (body.clone(), case.sign(&body)))
        .find(|(_, good)| good.starts_with("++") && good.contains('/'))
        .unwrap();
    let bytes = BASE64_STANDARD.decode(&good).unwrap();
    let hex: String = bytes.iter().map(|byte| format!("{byte:02x}")).collect();
    let url = BASE64_URL_SAFE_NO_PAD.encode(&bytes);
    for (signature, why) in [
        (url.clone(), "signature_base64url"),
        (format!("{url}=="), "signature_base64url"),
        (good.trim_end_matches('=').to_owned(), "signature_unpadded"),
        (good.replace('+', " "), "signature_spaced"),
        (format!("{}\r\n {}", &good[..76], &good[76..]), "signature_spaced"),
        (format!("\"{good}\""), "signature_quoted"),
        (good.replace('+', "%2B").replace('=', "%3D"), "signature_percent_encoded"),
        (hex.clone(), "signature_hex"),
        (hex.to_uppercase(), "signature_hex"),
        (format!("{good},{good}"), "signature_repeated"),
    ] {
        let found = case.why(&body, &signature, "server-1");
        assert_eq!(found.why, why, "{}", found.hint);
        assert!(found.hint.ends_with("Written as standard base64 it would verify."), "{why}: {}", found.hint);
        let other = case.why(BODY, &signature, "server-1");
        assert_eq!(other.why, why, "{}", other.hint);
        assert!(other.hint.contains("would still not verify: "), "{why}: {}", other.hint);
    }
    for (signature, why) in [
        ("", "missing_signature"),
        (" \t", "missing_signature"),
        ("!", "signature_unreadable"),
        (&good[..40], "signature_unreadable"),
        (&case.server.public_key().to_base64(), "signature_unreadable"),
        ("\u{fffd}", "signature_unreadable"),
        (&"a".repeat(5000), "signature_unreadable"),
    ] {
        assert_eq!(case.why(&body, signature, "server-1").why, why, "{signature}");
    }
    let no_header = Evidence { body: body.as_bytes(), signature: None, key_id: None };
    assert_eq!(diagnose(&case.known_keys(), &no_header).why, "missing_signature");
}

#[test]
fn whose_key_and_key_id_it_was_is_named() {
    let case = Case::new();
    let (own, other_service) =
        (case.own.private_key().sign(BODY.as_bytes()).to_base64(), Keypair::generate().unwrap());
    let (server, other) = (case.sign(BODY), other_service.private_key().sign(BODY.as_bytes()).to_base64());
    for (signature, key_id, why) in [
        (&own, "merchant-1", "own_key"),
        (&own, "server-1", "own_key"),
        (&server, "merchant-1", "key_id_own"),
        (&server, "\tmerchant-1 ", "key_id_own"),
        (&server, "server-2", "key_id_unknown"),
        (&other, "merchant-1", "key_id_own"),
        (&other, "server-2", "key_id_unknown"),
        (&other, "server-1", "other_key_or_body"),
        (&server, "server-1", "unknown"),
    ] {
        let found = case.why(BODY, signature, key_id);
        assert_eq!(found.why, why, "{}", found.hint);
        for secret in [&own, &server, &other] {
            assert!(!found.hint.contains(&secret[..8]));
        }
    }
    let unnamed = diagnose(
        &case.known_keys(),
        &Evidence { body: BODY.as_bytes(), signature: Some(&other), key_id: None },
    );
    assert_eq!(unnamed.why, "other_key_or_body");
}
