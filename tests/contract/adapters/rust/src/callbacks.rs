//! The program's own code in a call: a signer, an observer, and a thread that interrupts.

use std::sync::Mutex;

use merchantpay::{Attempt, Config, Error, PublicKey, Result, Signature, Signer};
use serde_json::{Value, json};

use crate::{hex, needed, present, text, unhex};

/// What the callbacks of the running command got.
static SIGNED: Mutex<Vec<String>> = Mutex::new(Vec::new());
static LOG: Mutex<Vec<Value>> = Mutex::new(Vec::new());

struct Callback {
    public_key: PublicKey,
    signature: Result<Signature>,
}

impl Signer for Callback {
    fn public_key(&self) -> PublicKey {
        self.public_key
    }

    fn sign(&self, message: &[u8]) -> Result<Signature> {
        SIGNED.lock().expect("no panic").push(hex(message));
        self.signature.clone()
    }
}

fn observe(attempt: &Attempt<'_>, fails: bool) {
    LOG.lock().expect("no panic").push(present(json!({
        "operation": attempt.operation,
        "order_id": attempt.order_id,
        "number": attempt.number.to_string(),
        "http_status": attempt.http_status.map(|status| status.to_string()),
        "code": attempt.code.map(|code| code.name()),
        "outcome": attempt.outcome.map(|outcome| outcome.name()),
    })));
    assert!(!fails, "the disk is full");
}

pub fn with_callbacks(mut config: Config, command: &Value) -> Result<Config> {
    if let Some(fails) = text(command, "logger").map(|logger| logger == "fails") {
        config = config.observer(move |attempt| observe(attempt, fails));
    }
    if command["signer"].is_null() {
        return Ok(config);
    }
    let signature = match text(&command["signer"], "fails") {
        Some(reason) => Err(Error::signer_failed(reason)),
        None => {
            let bytes = unhex(needed(&command["signer"], "returns"));
            Ok(Signature::from_bytes(bytes.try_into().expect("64 bytes")))
        }
    };
    let public_key = PublicKey::from_base64(needed(&command["settings"], "public_key"))?;
    Ok(config.signer(Callback { public_key, signature }))
}

/// Adds what the callbacks got to the answer, and forgets it.
pub fn add_heard(command: &Value, answer: &mut Value) {
    let (signed, log) = (
        std::mem::take(&mut *SIGNED.lock().expect("no panic")),
        std::mem::take(&mut *LOG.lock().expect("no panic")),
    );
    let parts = answer.as_object_mut().into_iter().flat_map(|answer| answer.values_mut());
    for part in parts.filter(|part| part.is_object()) {
        if !command["signer"].is_null() {
            part["signed"] = json!(signed);
        }
        if !command["logger"].is_null() {
            part["log"] = json!(log);
        }
    }
}

/// Interrupts the call before it begins, or when the next line of the input comes.
pub fn interrupted<T>(command: &Value, interrupt: impl FnOnce() + Send, call: impl FnOnce() -> T) -> T {
    match text(command, "interrupt") {
        None => call(),
        Some("before") => {
            interrupt();
            call()
        }
        Some(_) => std::thread::scope(|threads| {
            threads.spawn(|| {
                std::io::stdin().read_line(&mut String::new()).expect("a line");
                interrupt();
            });
            call()
        }),
    }
}
