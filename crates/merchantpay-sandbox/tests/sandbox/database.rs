//! Data that remains after the process ends, and the merchant's own key.

use crate::*;

#[test]
fn database_survives_restart() {
    let file = File::new();
    let sandbox = start(&file.options());
    let (merchant, api, receiver) = (client(&sandbox), Api::of(&sandbox), Receiver::start(&sandbox, &[]));
    let asked = request("arbitration").status_webhook_url(&receiver.url).merchant_id("m-1");
    let order_id = merchant.new_payment(&asked).unwrap().order_id().to_owned();
    merchant.confirm(&order_id).unwrap();
    sandbox.wait_for_delivery(&order_id, "status", PATIENCE).unwrap();
    api.operate(&order_id, "hold");
    let mut receipt = Receipt::new(&order_id);
    receipt.add_bytes("r.pdf", "application/pdf", b"%PDF").unwrap();
    merchant.attach_receipt(&receipt).unwrap();
    let without_exchanges = |api: &Api| {
        let mut payment = api.payment(&order_id);
        payment.as_object_mut().unwrap().remove("exchangeList");
        payment
    };
    let (before, webhook) = (without_exchanges(&api), api.get("/sandbox/webhooks/1"));
    let (key, server) = (sandbox.merchant_private_key().unwrap().clone(), sandbox.server_public_key());
    sandbox.stop();

    let again = start(&file.options());
    let api = Api::of(&again);
    assert_eq!((without_exchanges(&api), api.get("/sandbox/webhooks/1")), (before, webhook));
    let file_path = format!("/sandbox/payments/{order_id}/receipts/1");
    assert_eq!(api.send("GET", &file_path, &[], None).bytes, b"%PDF");
    let merchant = Client::new(Config::new(again.url(), again.merchant_key_id(), key, server)).unwrap();
    assert_eq!(merchant.get_status(&order_id).unwrap().status(), Some(&Status::Pending));
    api.operate(&order_id, "approve");
    assert_eq!(api.get("/sandbox")["databaseError"], Value::Null);
}

#[test]
fn unfinished_work_resumes_after_restart() {
    let file = File::new();
    let slow = Options {
        pace: PATIENCE,
        credentials_wait: PATIENCE * 4,
        webhook_retries: vec![PATIENCE],
        ..file.options()
    };
    let quick = start(&file.options());
    let (merchant, refusing) = (client(&quick), Receiver::start(&quick, &[]));
    let confirmed = merchant
        .new_payment(&request(ACCOUNT).status_webhook_url(&refusing.url))
        .unwrap()
        .order_id()
        .to_owned();
    let key = quick.merchant_private_key().unwrap().clone();
    quick.stop();

    let stopped = start(&slow);
    let merchant = client(&stopped);
    merchant.confirm(&confirmed).unwrap();
    let searching = asynchronous(&merchant, ACCOUNT, &refusing.url);
    stopped.stop();

    let again = start(&file.options());
    let merchant = client(&again);
    assert_eq!(*again.merchant_private_key().unwrap().to_base64(), *key.to_base64());
    until(&merchant, &confirmed, Status::DoneSuccess);
    until(&merchant, &searching, Status::Pending);
    for (order_id, kind) in [(&confirmed, "status"), (&searching, "credentials")] {
        assert!(again.wait_for_delivery(order_id, kind, PATIENCE).unwrap().is_delivered());
    }
}

#[test]
fn seed_and_manual_clock_survive_restart() {
    let ids = |restart: bool| {
        let file = File::new();
        let options = Options {
            seed: Some(7),
            clock: ClockMode::Manual,
            pace: std::time::Duration::ZERO,
            ..file.options()
        };
        let mut sandbox = start(&options);
        let mut seen = Vec::new();
        for _ in 0..2 {
            seen.push(awaiting(&client(&sandbox), ACCOUNT));
            let clock = Api::of(&sandbox).advance(1234);
            seen.push(clock["now"].to_string());
            if restart {
                sandbox.stop();
                sandbox = start(&options);
            }
        }
        seen
    };
    assert_eq!(ids(true), ids(false));
}

#[test]
fn repeated_seed_makes_no_duplicate_id() {
    let file = File::new();
    let made: Vec<String> = [7, 8, 7]
        .into_iter()
        .map(|seed| {
            let sandbox = start(&Options { seed: Some(seed), ..file.options() });
            let order_id = awaiting(&client(&sandbox), ACCOUNT);
            sandbox.stop();
            order_id
        })
        .collect();
    let sandbox = start(&file.options());
    let listed = Api::of(&sandbox).get("/sandbox/payments");
    assert_eq!(column(&listed["payments"], "orderId"), made.into_iter().rev().collect::<Value>());
}

#[test]
fn rejects_busy_file() {
    let file = File::new();
    let first = start(&file.options());
    assert_eq!(Sandbox::start(file.options()).unwrap_err().kind(), std::io::ErrorKind::WouldBlock);
    assert_eq!(Api::of(&first).get("/sandbox")["database"], json!(file.path().display().to_string()));
}

#[test]
fn registered_public_key_replaces_the_merchants_key() {
    let file = File::new();
    let sandbox = start(&file.options());
    let api = Api::of(&sandbox);
    let old_client = client(&sandbox);
    let order_id = awaiting(&old_client, ACCOUNT);
    let pair = Keypair::generate().unwrap();
    let given = json!({"publicKey": pair.public_key().to_base64()}).to_string();
    let accepted = api.change("/sandbox/keys", &given);
    assert_eq!(accepted["publicKey"], pair.public_key().to_base64());
    assert_eq!((&accepted["hasPrivateKey"], accepted.get("privateKey")), (&json!(false), None));
    assert_eq!(api.get("/sandbox/settings"), accepted);

    let own = client_with(&sandbox, pair.private_key());
    own.get_status(&order_id).unwrap();
    assert_eq!(old_client.get_status(&order_id).unwrap_err().code(), Code::Rejected);
    // Stories still work, because the sandbox acts as the merchant without a signature.
    api.change("/sandbox/stories/paid", "{}");

    drop(sandbox);
    let sandbox = start(&file.options());
    assert!(sandbox.merchant_private_key().is_none());
    client_with(&sandbox, pair.private_key()).get_status(&order_id).unwrap();
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
