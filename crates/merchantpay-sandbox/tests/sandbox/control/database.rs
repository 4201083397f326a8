//! Data that remains after the process ends.

use std::path::PathBuf;

use merchantpay::{Client, Config, Receipt, Status};
use merchantpay_sandbox::{ClockMode, Options, Sandbox};
use serde_json::{Value, json};

use crate::api::Api;
use crate::common::{ACCOUNT, PATIENCE, awaiting, client, options, request, until};
use crate::receiver::Receiver;

/// A database file that is deleted when the test ends.
pub struct File(PathBuf);

impl File {
    pub fn new(name: &str) -> File {
        let file =
            File(std::env::temp_dir().join(format!("merchantpay-sandbox-{}-{name}.db", std::process::id())));
        file.remove();
        file
    }

    pub fn options(&self) -> Options {
        Options { database: Some(self.0.clone()), ..options() }
    }

    fn remove(&self) {
        for ending in ["", "-wal", "-shm"] {
            let _ = std::fs::remove_file(format!("{}{ending}", self.0.display()));
        }
    }
}

impl Drop for File {
    fn drop(&mut self) {
        self.remove();
    }
}

/// Starts a sandbox on the file after the previous sandbox has released the file.
pub fn start(options: &Options) -> Sandbox {
    let end = std::time::Instant::now() + PATIENCE;
    loop {
        match Sandbox::start(options.clone()) {
            Err(error)
                if error.kind() == std::io::ErrorKind::WouldBlock && std::time::Instant::now() < end =>
            {
                std::thread::yield_now()
            }
            started => return started.unwrap(),
        }
    }
}

#[test]
fn database_survives_restart() {
    let file = File::new("all");
    let sandbox = start(&file.options());
    let (merchant, api, receiver) = (client(&sandbox), Api::of(&sandbox), Receiver::start(&sandbox, &[]));
    let asked = request("arbitration").status_webhook_url(&receiver.url).merchant_id("m-1");
    let order_id = merchant.new_payment(&asked).unwrap().order_id().to_owned();
    merchant.confirm(&order_id).unwrap();
    sandbox.wait_for_delivery(&order_id, "status", PATIENCE).unwrap();
    api.change(&format!("/sandbox/payments/{order_id}/operator"), r#"{"action":"hold"}"#);
    let mut receipt = Receipt::new(&order_id);
    receipt.add_bytes("r.pdf", "application/pdf", b"%PDF").unwrap();
    merchant.attach_receipt(&receipt).unwrap();
    let kept = |api: &Api| {
        let mut payment = api.payment(&order_id);
        payment.as_object_mut().unwrap().remove("exchangeList");
        payment
    };
    let (before, webhook) = (kept(&api), api.get("/sandbox/webhooks/1"));
    let (key, server) = (sandbox.merchant_private_key().unwrap().clone(), sandbox.server_public_key());
    sandbox.stop();

    let again = start(&file.options());
    let api = Api::of(&again);
    assert_eq!((kept(&api), api.get("/sandbox/webhooks/1")), (before, webhook));
    let file_path = format!("/sandbox/payments/{order_id}/receipts/1");
    assert_eq!(api.send("GET", &file_path, &[], None).bytes, b"%PDF");
    // The merchant keeps its keys, and the payment keeps its arbitration.
    let merchant = Client::new(Config::new(again.url(), again.merchant_key_id(), key, server)).unwrap();
    assert_eq!(merchant.get_status(&order_id).unwrap().status(), Some(&Status::Pending));
    api.change(&format!("/sandbox/payments/{order_id}/operator"), r#"{"action":"approve"}"#);
    assert_eq!(api.get("/sandbox")["databaseError"], Value::Null);
}

#[test]
fn unfinished_work_resumes_after_restart() {
    let file = File::new("unfinished");
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
    let searching = merchant
        .new_payment_async(&request(ACCOUNT).credentials_webhook_url(&refusing.url))
        .unwrap()
        .order_id()
        .to_owned();
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
    let ids = |restart: bool, name: &str| {
        let file = File::new(name);
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
            let clock = Api::of(&sandbox).change("/sandbox/clock", r#"{"advanceMs":1234}"#);
            seen.push(clock["now"].to_string());
            if restart {
                sandbox.stop();
                sandbox = start(&options);
            }
        }
        seen
    };
    assert_eq!(ids(true, "with"), ids(false, "without"));
}

#[test]
fn repeated_seed_makes_no_duplicate_id() {
    let file = File::new("again");
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
    let listed: Vec<&str> =
        listed["payments"].as_array().unwrap().iter().map(|one| one["orderId"].as_str().unwrap()).collect();
    assert_eq!(listed, made.iter().rev().map(String::as_str).collect::<Vec<_>>());
}

/// The rows of version 0.3 of the sandbox.
const OF_0_3: &str = r#"
CREATE TABLE settings (name TEXT PRIMARY KEY, value TEXT NOT NULL) WITHOUT ROWID;
CREATE TABLE payments (order_id TEXT PRIMARY KEY, number INTEGER NOT NULL UNIQUE, record TEXT NOT NULL);
CREATE TABLE webhooks (id INTEGER PRIMARY KEY, order_id TEXT NOT NULL, record TEXT NOT NULL);
CREATE TABLE receipts (order_id TEXT NOT NULL, number INTEGER NOT NULL, name TEXT NOT NULL, content_type TEXT NOT NULL,
                       bytes BLOB NOT NULL, PRIMARY KEY (order_id, number));
INSERT INTO payments VALUES ('sb-1', 1, '{"merchant":0,"number":1,"orderId":"sb-1","operation":"newPayment","requestedSum":"1500.50",
 "paymentMethod":"sbp","customerAccount":"pays-less","payerBank":null,"statusWebhookUrl":"http://127.0.0.1:9/hook/4f1c",
 "credentialsWebhookUrl":null,"merchantId":"m-1","state":"arbitration","sum":"1350.45","held":true,"paid":true,"generation":3,"webhooks":1,
 "credentials":{"account":"2200","bank":"B","name":"N","deeplink":"http://127.0.0.1/pay/sb-1","dealSum":"1455.48","dealCurrency":"RUB","dealRate":"1"},
 "timeline":[{"at":1767225600300,"by":"merchant","cause":"newPayment","state":"searching","sum":"1500.50"}],
 "receipts":[{"id":1,"name":"r.pdf","contentType":"application/pdf","size":4,"at":1767225600300}]}');
INSERT INTO receipts VALUES ('sb-1', 1, 'r.pdf', 'application/pdf', x'25504446');
INSERT INTO webhooks VALUES (1, 'sb-1', '{"id":1,"at":1767225600300,"orderId":"sb-1","merchantId":"m-1","kind":"status","url":"http://127.0.0.1:9/hook/4f1c",
 "keyId":"k","signature":"s","body":"e30=","status":"receiptRequired","action":null,"delayMs":null,"copyOf":null,"state":"delivered",
 "attempts":[{"at":1767225600300,"durationMs":3,"httpStatus":200,"headers":[["a","b"]],"body":"eA==","size":9,"error":null}]}');
PRAGMA application_id = 1297113465;
PRAGMA user_version = 1;
"#;

#[test]
fn file_of_0_3_is_upgraded() {
    let file = File::new("of-0-3");
    rusqlite::Connection::open(&file.0).unwrap().execute_batch(OF_0_3).unwrap();
    for _ in 0..2 {
        let sandbox = start(&file.options());
        let api = Api::of(&sandbox);
        let payment = api.payment("sb-1");
        let expected = json!({
            "status": "pending", "createdBy": "newPayment", "requestedSum": "1500.50", "sum": "1350.45", "held": true,
            "createdAt": "2026-01-01T00:00:00.300Z", "paidByHand": true, "receipts": 1, "testAccount": "pays-less",
        });
        for (name, value) in expected.as_object().unwrap() {
            assert_eq!(payment[name], *value, "{name}");
        }
        assert_eq!(payment["credentials"]["payeeAccount"], "2200");
        assert_eq!(
            api.send("GET", payment["receiptList"][0]["url"].as_str().unwrap(), &[], None).bytes,
            b"%PDF"
        );
        let webhook = api.get("/sandbox/webhooks/1");
        assert_eq!(
            (&webhook["token"], &webhook["attempts"], &webhook["httpStatus"]),
            (&json!("4f1c"), &json!(1), &json!(200))
        );
        assert_eq!(
            (&webhook["request"]["body"]["text"], &webhook["request"]["headers"][3]),
            (&json!("{}"), &json!(["x-keyid", "k"]))
        );
        assert_eq!(webhook["attemptList"][0]["body"]["truncated"], true);
        sandbox.stop();
    }
}

#[test]
fn rejects_foreign_or_busy_file() {
    let file = File::new("foreign");
    std::fs::write(&file.0, "this is not a database, and long enough not to be taken for an empty one")
        .unwrap();
    assert!(Sandbox::start(file.options()).is_err());
    file.remove();
    let first = start(&file.options());
    assert_eq!(Sandbox::start(file.options()).unwrap_err().kind(), std::io::ErrorKind::WouldBlock);
    #[cfg(unix)]
    {
        use std::os::unix::fs::PermissionsExt as _;
        assert_eq!(std::fs::metadata(&file.0).unwrap().permissions().mode() & 0o777, 0o600, "keys are in it");
    }
    assert_eq!(Api::of(&first).get("/sandbox")["database"], json!(file.0.display().to_string()));
}
