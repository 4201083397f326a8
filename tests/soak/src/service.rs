//! The sandbox in a separate process, and its lists.

use std::io::{BufRead as _, BufReader, Read as _};
use std::process::{Child, Command, Stdio};
use std::time::Duration;

use merchantpay::{Amount, Client, Config, PrivateKey, PublicKey};
use merchantpay_sandbox::{Options, Sandbox};
use serde_json::{Value, json};

use crate::{AnyResult, audit};

/// The kinds of faults. One reply in a hundred has one of these faults. The list has no reply about another
/// order, because the service has signed such a reply.
const KINDS: [&str; 11] = [
    "unsigned",
    "malformedSignature",
    "wrongKey",
    "tampered",
    "reflected",
    "htmlBadGateway",
    "duplicateKeys",
    "redirect",
    "oversized",
    "dropBeforeCommit",
    "dropAfterCommit",
];

/// The operations with replies that can be lost.
const OPERATIONS: [&str; 5] = ["newPayment", "newPaymentAsync", "confirm", "cancel", "getStatus"];

/// One reply in a hundred is lost.
const LOST: f64 = 0.01;

/// The child process: a fast sandbox, which ends with its parent.
pub(crate) fn serve() -> AnyResult<()> {
    let options = Options {
        pace: Duration::ZERO,
        credentials_wait: Duration::from_millis(300),
        webhook_retries: vec![Duration::from_millis(100); 50],
        ..Options::default()
    };
    let sandbox = Sandbox::start(options)?;
    let key = sandbox.merchant_private_key().ok_or("no key")?.to_base64();
    println!(
        "{}",
        json!({"url": sandbox.url(), "keyId": sandbox.merchant_key_id(), "privateKey": *key, "serverPublicKey": sandbox.server_public_key().to_base64()})
    );
    std::io::stdin().read_to_end(&mut Vec::new())?;
    Ok(())
}

/// The parent's connection to the child.
pub(crate) struct Service {
    child: Child,
    settings: Value,
    agent: ureq::Agent,
}

/// A payment in the service's list.
pub(crate) struct Made {
    pub(crate) order_id: String,
    pub(crate) merchant_id: usize,
    pub(crate) sum: Amount,
}

/// The number of requests that reached the service.
pub(crate) struct Requests {
    pub(crate) new_payments: u64,
}

impl Service {
    pub(crate) fn start() -> AnyResult<Service> {
        let mut child = Command::new(std::env::current_exe()?)
            .arg("sandbox")
            .stdin(Stdio::piped())
            .stdout(Stdio::piped())
            .spawn()?;
        let mut line = String::new();
        BufReader::new(child.stdout.take().ok_or("no output")?).read_line(&mut line)?;
        let agent = ureq::Agent::config_builder().proxy(None).build().new_agent();
        Ok(Service { child, settings: serde_json::from_str(&line)?, agent })
    }

    fn setting(&self, name: &str) -> &str {
        self.settings[name].as_str().unwrap_or_default()
    }

    pub(crate) fn public_key(&self) -> merchantpay::Result<PublicKey> {
        PublicKey::from_base64(self.setting("serverPublicKey"))
    }

    pub(crate) fn client(&self) -> merchantpay::Result<Client> {
        client(&self.settings)
    }

    /// The settings of the client in a contract adapter.
    pub(crate) fn client_settings(&self) -> Value {
        json!({
            "base_url": self.url(), "key_id": self.setting("keyId"), "private_key": self.setting("privateKey"),
            "server_public_key": [self.setting("serverPublicKey")], "timeout_ms": "15000",
        })
    }

    pub(crate) fn url(&self) -> &str {
        self.setting("url")
    }

    fn get(&self, path: &str) -> AnyResult<Value> {
        let mut reply = self.agent.get(format!("{}{path}", self.setting("url"))).call()?;
        Ok(serde_json::from_reader(reply.body_mut().as_reader())?)
    }

    /// Loses replies to each kind of call. In half of these cases the request takes no effect either.
    pub(crate) fn lose_replies(&self) -> AnyResult<()> {
        for (operation, seed) in OPERATIONS.iter().zip(1..) {
            for kind in ["dropBeforeCommit", "dropAfterCommit"] {
                self.fault(
                    &json!({"kind": kind, "operation": operation, "probability": LOST / 2.0, "seed": seed}),
                )?;
            }
        }
        Ok(())
    }

    /// Removes the faults, so that no more replies are lost.
    pub(crate) fn lose_no_more(&self) -> AnyResult<()> {
        self.agent.delete(format!("{}/sandbox/faults", self.setting("url"))).call()?;
        Ok(())
    }

    fn fault(&self, fault: &Value) -> AnyResult<u64> {
        let url = format!("{}/sandbox/faults", self.setting("url"));
        let mut reply = self.agent.post(url).content_type("application/json").send(fault.to_string())?;
        let fault: Value = serde_json::from_reader(reply.body_mut().as_reader())?;
        Ok(fault["id"].as_u64().ok_or("a fault without an id")?)
    }

    /// Plans the faults, each with a seed, and returns the ids of the faults that lose a request before it
    /// takes effect.
    pub(crate) fn spoil_one_reply_in_a_hundred(&self) -> AnyResult<Vec<u64>> {
        let (mut seed, mut lost) = (0, Vec::new());
        for operation in ["newPayment", "newPaymentAsync"] {
            for kind in KINDS {
                seed += 1;
                let mut fault = json!({"kind": kind, "operation": operation, "probability": 0.01 / KINDS.len() as f64, "seed": seed});
                if kind == "oversized" {
                    fault["bytes"] = 2_000_000.into();
                }
                let id = self.fault(&fault)?;
                if kind == "dropBeforeCommit" {
                    lost.push(id);
                }
            }
        }
        Ok(lost)
    }

    fn happened(&self, wanted: impl Fn(&Value) -> bool) -> AnyResult<u64> {
        let faults = self.get("/sandbox/faults")?;
        let faults = faults["faults"].as_array().ok_or("no faults")?.iter();
        Ok(faults.filter(|fault| wanted(fault)).filter_map(|fault| fault["happened"].as_u64()).sum())
    }

    pub(crate) fn spoiled(&self) -> AnyResult<u64> {
        self.happened(|_| true)
    }

    pub(crate) fn lost_before_commit(&self, faults: &[u64]) -> AnyResult<usize> {
        let is_one = |fault: &Value| fault["id"].as_u64().is_some_and(|id| faults.contains(&id));
        Ok(usize::try_from(self.happened(is_one)?)?)
    }

    pub(crate) fn requests(&self) -> AnyResult<Requests> {
        let requests = &self.get("/sandbox")?["requests"];
        let of = |name: &str| requests[name].as_u64().ok_or("no count");
        Ok(Requests { new_payments: of("newPayment")? + of("newPaymentAsync")? })
    }

    /// Every payment. The client pays nothing here, so the sums are the requested ones.
    pub(crate) fn payments(&self) -> AnyResult<Vec<Made>> {
        let read = |payment: audit::Made| -> AnyResult<Made> {
            let (order_id, merchant_id) = (payment.order_id, payment.merchant_id.parse()?);
            Ok(Made { order_id, merchant_id, sum: payment.sum })
        };
        audit::listed(self.url())?.into_iter().map(read).collect()
    }
}

/// A client from the settings that the sandbox has printed.
pub(crate) fn client(settings: &Value) -> merchantpay::Result<Client> {
    let setting = |name: &str| settings[name].as_str().unwrap_or_default();
    let (key, service) = (
        PrivateKey::from_base64(setting("privateKey"))?,
        PublicKey::from_base64(setting("serverPublicKey"))?,
    );
    Client::new(Config::new(setting("url"), setting("keyId"), key, service))
}

impl Drop for Service {
    fn drop(&mut self) {
        let _ = self.child.kill();
        let _ = self.child.wait();
    }
}
