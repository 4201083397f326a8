//! Tests of the webhooks that are accepted, and of their events.

use crate::common::{KEY_ID, ORDER, SERVER_KEY_ID, merchant, service};
use merchantpay::{Code, Config, Error, Event, Keypair, Outcome, Status, WebhookVerifier};

const CREDENTIALS: &str = r#"{"success":true,"orderId":"order-1","sum":1500.50,"payeeAccount":"2200","payeeAccountBank":"bank","payeeName":"Имя","currency":"RUB","dealSum":16.23,"dealCurrency":"USDT","dealRate":92.4517,"deeplink":"https://x.example/1"}"#;
const FAILED: &str = r#"{"success":false,"orderId":"order-1"}"#;
const STATUS: &str =
    r#"{"success":true,"orderId":"order-1","status":"doneSuccess","sum":1500.50,"payeeAccount":"2200"}"#;

fn sign(body: &[u8]) -> String {
    service().private_key().sign(body).to_base64()
}

fn verifier() -> WebhookVerifier {
    WebhookVerifier::new(service().public_key())
}

/// Verifies a webhook of the service without a key id.
fn verify(body: impl AsRef<[u8]>) -> Result<Event, Error> {
    verifier().verify(body.as_ref(), &sign(body.as_ref()), None)
}

fn with_keys(server_key_ids: &[&str], own_key_id: Option<&str>) -> merchantpay::Result<WebhookVerifier> {
    let ids: Vec<String> = server_key_ids.iter().map(|id| (*id).to_owned()).collect();
    WebhookVerifier::with_keys(&[service().public_key()], &ids, own_key_id)
}

#[track_caller]
fn assert_unverified(result: Result<Event, Error>, what: &str) {
    let error = result.err().unwrap_or_else(|| panic!("{what} was accepted"));
    assert_eq!(
        (error.code(), error.outcome(), error.http_status()),
        (Code::Unverified, Outcome::Unknown, None),
        "{what}"
    );
    assert_eq!(
        (error.body(), error.order_id(), error.excerpt()),
        (None, None, None),
        "{what}: the error contains nothing of it"
    );
}

#[track_caller]
fn assert_malformed(body: impl AsRef<[u8]>) {
    let shown = String::from_utf8_lossy(body.as_ref()).into_owned();
    let error = verify(&body).err().unwrap_or_else(|| panic!("{shown:.200} was taken"));
    assert_eq!((error.code(), error.outcome()), (Code::Malformed, Outcome::Unknown), "{shown:.200}: {error}");
    assert_eq!(error.body(), Some(body.as_ref()), "{shown:.200}");
}

#[test]
fn the_body_decides_the_kind_of_every_event() {
    for (body, kind) in [(CREDENTIALS, "credentials"), (FAILED, "credentials_failed"), (STATUS, "status")] {
        let event = verify(body).unwrap();
        assert_eq!((event.kind(), event.payment().order_id(), event.payment().json()), (kind, ORDER, body));
        assert_eq!(matches!(event, Event::CredentialsIssued(_)), kind == "credentials");
        assert_eq!(matches!(event, Event::CredentialsFailed(_)), kind == "credentials_failed");
        assert_eq!(matches!(event, Event::StatusChanged(_)), kind == "status");
    }
    let event = verify(CREDENTIALS).unwrap();
    let payment = event.payment();
    assert_eq!(
        [
            payment.payee_account(),
            payment.payee_account_bank(),
            payment.payee_name(),
            payment.currency(),
            payment.deal_currency()
        ],
        [Some("2200"), Some("bank"), Some("Имя"), Some("RUB"), Some("USDT")]
    );
    let amounts =
        [payment.sum(), payment.deal_sum(), payment.deal_rate()].map(|amount| amount.unwrap().to_string());
    assert_eq!(
        (amounts, payment.deeplink()),
        (["1500.50", "16.23", "92.4517"].map(str::to_owned), Some("https://x.example/1"))
    );
}

#[test]
fn fields_that_are_left_out_are_absent() {
    for (body, kind) in [
        (r#"{"success":true,"orderId":"order-1","status":"doneFail"}"#, "status"),
        (
            r#"{"success":true,"orderId":"order-1","status":"doneFail","payeeAccount":null,"sum":null}"#,
            "status",
        ),
        (r#"{"success":true,"orderId":"order-1","payeeAccount":"2200"}"#, "credentials"),
        (r#"{"success":true,"orderId":"order-1","deeplink":"https://x.example/"}"#, "credentials"),
        (r#"{"success":false,"orderId":"order-1","sum":null}"#, "credentials_failed"),
    ] {
        let event = verify(body).unwrap_or_else(|error| panic!("{body}: {error}"));
        assert_eq!((event.kind(), event.payment().sum()), (kind, None), "{body}");
    }
}

#[test]
fn every_status_that_is_sent_is_taken_and_no_other_of_the_contract() {
    for status in Status::ALL {
        let body =
            format!(r#"{{"success":true,"orderId":"order-1","status":"{status}","payeeAccount":"2200"}}"#);
        if matches!(status, Status::Free | Status::Pending) {
            assert_malformed(body);
        } else {
            let event = verify(body).unwrap();
            assert_eq!((event.kind(), event.payment().status()), ("status", Some(status)));
            assert_eq!(event.payment().is_final(), *status != Status::ReceiptRequired);
        }
    }
}

#[test]
fn an_unknown_status_is_kept_and_not_final() {
    let event = verify(r#"{"success":true,"orderId":"order-1","status":"onHold","fee":0.10}"#).unwrap();
    assert_eq!(
        (event.kind(), event.payment().status()),
        ("status", Some(&Status::Unknown("onHold".to_owned())))
    );
    assert_eq!((event.payment().is_final(), event.payment().field("fee").as_deref()), (false, Some("0.10")));
    assert_eq!(event.payment().unknown_fields(), ["fee"]);
}

#[test]
fn a_reply_that_is_replayed_as_a_webhook_is_malformed() {
    for body in [
        r#"{"success":true,"orderId":"order-1"}"#,
        r#"{"success":true,"orderId":"order-1","sum":1500.50,"currency":"RUB"}"#,
        r#"{"success":false,"orderId":"order-1","errorDescription":"payment could not be canceled"}"#,
        r#"{"success":false,"orderId":"order-1","errorDescription":""}"#,
        r#"{"success":false,"orderId":"order-1","error":"x"}"#,
        r#"{"success":false,"orderId":"order-1","status":"doneFail"}"#,
        r#"{"success":false,"errorDescription":"order not found"}"#,
        r#"{"error":"x"}"#,
        r#"{"success":true,"availableAmounts":[1],"otherAmountsPossible":true}"#,
    ] {
        assert_malformed(body);
    }
}

#[test]
fn a_signed_body_that_is_not_a_webhook_is_malformed() {
    for body in [
        "",
        "{}",
        "null",
        r#"{"orderId":"order-1","status":"doneSuccess"}"#,
        r#"{"success":null,"orderId":"order-1","status":"doneSuccess"}"#,
        r#"{"success":"true","orderId":"order-1","status":"doneSuccess"}"#,
        r#"{"success":true,"status":"doneSuccess"}"#,
        r#"{"success":true,"orderId":"","status":"doneSuccess"}"#,
        r#"{"success":true,"orderId":"order-1","status":"doneSuccess","status":"doneFail"}"#,
        r#"{"success":true,"orderId":"order-1","status":"doneSuccess","sum":"1500.50"}"#,
        r#"{"success":true,"orderId":"order-1","status":"doneSuccess","sum":1e400}"#,
        "\u{feff}{\"success\":false,\"orderId\":\"order-1\"}",
    ] {
        assert_malformed(body);
    }
    assert_malformed(b"{\"success\":false,\"orderId\":\"\xff\"}");
    assert_malformed("[".repeat(200_000));
}

#[test]
fn a_bit_flipped_anywhere_in_the_body_is_refused() {
    let verifier = verifier();
    for body in [CREDENTIALS, FAILED, STATUS] {
        let signature = sign(body.as_bytes());
        for at in 0..body.len() {
            let mut other = body.as_bytes().to_vec();
            other[at] ^= 1 << (at % 8);
            assert_unverified(verifier.verify(&other, &signature, None), &format!("byte {at}"));
        }
        for other in [&body[1..], &body[..body.len() - 1], &format!("{body}\n"), &format!(" {body}"), ""] {
            assert_unverified(verifier.verify(other.as_bytes(), &signature, None), other);
        }
    }
}

#[test]
fn a_signature_in_any_other_form_is_refused() {
    let good = sign(STATUS.as_bytes());
    let verify = |signature: &str| verifier().verify(STATUS.as_bytes(), signature, None);
    assert!(verify(&good).is_ok());
    assert!(verify(&format!(" {good}\t")).is_ok(), "blanks around a header's value are not its own");
    for signature in [
        String::new(),
        " ".to_owned(),
        good.trim_end_matches('=').to_owned(),
        format!("{good}\n"),
        format!("{good}="),
        format!("{}\n{}", &good[..44], &good[44..]),
        format!("{good},{good}"),
        "A".repeat(86) + "==",
        "é".repeat(44),
        sign(CREDENTIALS.as_bytes()),
        merchant().private_key().sign(STATUS.as_bytes()).to_base64(),
    ] {
        assert_unverified(verify(&signature), &signature);
    }
    for at in 0..good.len() {
        let mut other = good.clone().into_bytes();
        other[at] = if other[at] == b'B' { b'C' } else { b'B' };
        assert_unverified(verify(std::str::from_utf8(&other).unwrap()), &format!("character {at}"));
    }
}

#[test]
fn the_merchants_own_key_cannot_stand_for_the_services() {
    let verifier = |key: &Keypair| WebhookVerifier::new(key.public_key()).refuse_key(merchant().public_key());
    assert_eq!(verifier(merchant()).unwrap_err().code(), Code::InvalidKey);
    assert!(verifier(service()).is_ok());
    let config = |server: &Keypair| {
        Config::new("https://pay.example", KEY_ID, merchant().private_key().clone(), server.public_key())
    };
    assert_eq!(config(merchant()).verifier().unwrap_err().code(), Code::InvalidKey);
    assert!(config(service()).verifier().is_ok());
}

#[test]
fn a_key_id_can_only_make_a_webhook_be_refused() {
    let signature = sign(STATUS.as_bytes());
    for (ids, own, key_id, accepted) in [
        (vec![], None, None, true),
        (vec![], None, Some("any"), true),
        (vec![], Some(KEY_ID), Some("any"), true),
        (vec![], Some(KEY_ID), Some(KEY_ID), false),
        (vec![SERVER_KEY_ID], None, Some(SERVER_KEY_ID), true),
        (vec!["service-0", SERVER_KEY_ID], Some(KEY_ID), Some(SERVER_KEY_ID), true),
        (vec![SERVER_KEY_ID], None, Some("service-2"), false),
        (vec![SERVER_KEY_ID], None, Some(""), false),
        (vec![SERVER_KEY_ID], Some(KEY_ID), Some(KEY_ID), false),
        // The contract does not require that a webhook has a key id header.
        (vec![SERVER_KEY_ID], Some(KEY_ID), None, true),
    ] {
        let verifier = with_keys(&ids, own).unwrap();
        let result = verifier.verify(STATUS.as_bytes(), &signature, key_id);
        assert_eq!(result.is_ok(), accepted, "{ids:?} {own:?} {key_id:?}");
        let forged = verifier.verify(FAILED.as_bytes(), &signature, key_id);
        assert_unverified(forged, "a right key id over a wrong signature");
    }
}

#[test]
fn replies_signed_with_either_key_verify_during_rotation() {
    let (new, wrong_key) = (Keypair::generate().unwrap(), Keypair::generate().unwrap());
    let verifier =
        WebhookVerifier::with_keys(&[service().public_key(), new.public_key()], &[], None).unwrap();
    for (key, accepted) in [(service(), true), (&new, true), (&wrong_key, false), (merchant(), false)] {
        let signature = key.private_key().sign(STATUS.as_bytes()).to_base64();
        assert_eq!(verifier.verify(STATUS.as_bytes(), &signature, None).is_ok(), accepted);
    }
}

#[test]
fn a_verifier_without_a_usable_key_or_id_is_not_made() {
    let none = WebhookVerifier::with_keys(&[], &[], None).unwrap_err();
    assert_eq!((none.code(), none.outcome()), (Code::InvalidArgument, Outcome::NotSent));
    for (ids, own) in [(vec![""], None), (vec![SERVER_KEY_ID, ""], None), (vec![KEY_ID], Some(KEY_ID))] {
        let error = with_keys(&ids, own).unwrap_err();
        assert_eq!(error.code(), Code::InvalidArgument, "{ids:?}");
    }
}
