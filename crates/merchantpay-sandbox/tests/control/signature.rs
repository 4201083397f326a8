//! The check of a signature.

use merchantpay::Keypair;
use serde_json::{Value, json};

use crate::api::Api;
use crate::common::{ACCOUNT, awaiting, client, sandbox};

const BODY: &str = r#"{"success":true,"orderId":"o-1"}"#;

#[test]
fn a_signature_is_checked_under_the_key_of_the_one_who_signed_or_a_given_one() {
    let sandbox = sandbox();
    let api = Api::of(&sandbox);
    let own = sandbox.merchant_private_key().unwrap().sign(BODY.as_bytes()).to_base64();
    let other = Keypair::generate().unwrap();
    let foreign = other.private_key().sign(BODY.as_bytes()).to_base64();
    let other_key = other.public_key().to_base64();
    let check = |fields: &Value| {
        let result = api.change("/sandbox/signature", &fields.to_string());
        (result["verified"].as_bool().unwrap(), result["cause"].as_str().unwrap_or_default().to_owned())
    };
    let verified = (true, String::new());
    let refused = |cause: &str| (false, cause.to_owned());
    let spaced = BODY.replace(':', ": ");
    let cases = [
        (json!({"from": "merchant", "body": BODY, "signature": own}), verified.clone()),
        (json!({"from": "merchant", "body": spaced, "signature": own}), refused("body_changed")),
        (json!({"from": "merchant", "body": BODY, "signature": own, "keyId": "else"}), refused("key_id")),
        (json!({"from": "merchant", "body": BODY}), refused("missing_signature")),
        (json!({"from": "service", "body": BODY, "signature": own}), refused("own_key")),
        (json!({"from": "service", "body": BODY, "signature": foreign}), refused("not_explained")),
        (json!({"from": "service", "body": BODY, "signature": foreign, "publicKey": other_key}), verified),
    ];
    for (fields, expected) in cases {
        assert_eq!(check(&fields), expected, "{fields}");
    }
    for fields in [
        json!({"from": "nobody", "body": BODY}),
        json!({"from": "merchant"}),
        json!({"from": "merchant", "bodyBase64": "%"}),
        json!({"from": "merchant", "body": BODY, "publicKey": "short"}),
    ] {
        assert_eq!(api.refused("/sandbox/signature", &fields.to_string()).0, 400, "{fields}");
    }
}

#[test]
fn the_bytes_of_a_reply_verify_as_they_are_shown() {
    let sandbox = sandbox();
    let api = Api::of(&sandbox);
    awaiting(&client(&sandbox), ACCOUNT);
    let reply = api.get("/sandbox/exchanges/1")["reply"].clone();
    let fields = json!({
        "from": "service", "bodyBase64": reply["body"]["base64"], "signature": reply["signature"], "keyId": reply["keyId"],
    });
    assert_eq!(api.change("/sandbox/signature", &fields.to_string())["verified"], true);
}
