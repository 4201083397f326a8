//! Another key for a merchant, who registers its own public key.

use merchantpay::{Client, Code, Config, Keypair, PrivateKey};
use merchantpay_sandbox::Sandbox;
use serde_json::json;

use crate::api::Api;
use crate::common::{ACCOUNT, awaiting, client, options};
use crate::control::database::{File, start};

/// A client of the merchant with this key id, signing with this key.
fn client_with(sandbox: &Sandbox, key_id: &str, key: PrivateKey) -> Client {
    let config = Config::new(sandbox.url(), key_id, key, sandbox.server_public_key());
    Client::new(config.server_key_id(sandbox.server_key_id())).unwrap()
}

#[test]
fn registered_public_key_replaces_the_merchants_key() {
    let file = File::new("own-key");
    let sandbox = start(&file.options());
    let api = Api::of(&sandbox);
    let earlier = client(&sandbox);
    let order_id = awaiting(&earlier, ACCOUNT);
    let pair = Keypair::generate().unwrap();
    let given = json!({"publicKey": pair.public_key().to_base64()}).to_string();
    let accepted = api.change("/sandbox/keys", &given);
    assert_eq!(accepted["publicKey"], pair.public_key().to_base64());
    assert_eq!((&accepted["hasPrivateKey"], accepted.get("privateKey")), (&json!(false), None));
    assert_eq!(api.get("/sandbox/settings"), accepted);

    let own = client_with(&sandbox, sandbox.merchant_key_id(), pair.private_key().clone());
    own.get_status(&order_id).unwrap();
    assert_eq!(earlier.get_status(&order_id).unwrap_err().code(), Code::Rejected);
    // Stories still work, because the sandbox acts as the merchant without a signature.
    api.change("/sandbox/stories/paid", "{}");

    // The key is still valid in the next process.
    drop(sandbox);
    let sandbox = start(&file.options());
    assert!(sandbox.merchant_private_key().is_none());
    client_with(&sandbox, sandbox.merchant_key_id(), pair.private_key().clone())
        .get_status(&order_id)
        .unwrap();
}

#[test]
fn rejects_unusable_public_key() {
    let sandbox = Sandbox::start(options()).unwrap();
    let api = Api::of(&sandbox);
    let before = api.get("/sandbox/settings");
    let private_key = Keypair::generate().unwrap().private_key().to_base64();
    for fields in [
        json!({"publicKey": sandbox.server_public_key().to_base64()}),
        json!({"publicKey": private_key.as_str()}),
        json!({"publicKey": ""}),
        json!({}),
        json!({"more": 1, "publicKey": Keypair::generate().unwrap().public_key().to_base64()}),
    ] {
        assert_eq!(api.refused("/sandbox/keys", &fields.to_string()).0, 400, "{fields}");
    }
    assert_eq!(api.get("/sandbox/settings"), before);
    awaiting(&client(&sandbox), ACCOUNT);
}
