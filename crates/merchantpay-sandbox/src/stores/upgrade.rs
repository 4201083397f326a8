//! The rows of version 0.3, whose fields had other names and whose times were numbers.

use base64::Engine as _;
use base64::engine::general_purpose::STANDARD;
use serde_json::{Value, json};

use crate::base::clock::timestamp;
use crate::model::exchange::Captured;
use crate::model::webhook;

pub(crate) fn payment(mut old: Value) -> Value {
    rename(&mut old, &[("operation", "createdBy"), ("paid", "paidByHand"), ("receipts", "receiptList")]);
    rename(
        &mut old["credentials"],
        &[("account", "payeeAccount"), ("bank", "payeeAccountBank"), ("name", "payeeName")],
    );
    let order_id = old["orderId"].as_str().unwrap_or_default().to_owned();
    each(&mut old["timeline"], dated);
    each(&mut old["receiptList"], |receipt| {
        dated(receipt);
        receipt["kept"] = true.into();
        receipt["url"] = format!("/sandbox/payments/{order_id}/receipts/{}", receipt["id"]).into();
    });
    old
}

pub(crate) fn webhook(mut old: Value) -> Value {
    dated(&mut old);
    let body = captured(&old["body"], None);
    let text = |name: &str| old[name].as_str();
    let headers = webhook::headers(text("keyId"), text("signature"));
    let token = webhook::token(text("url").unwrap_or_default());
    let request =
        json!({"headers": headers, "keyId": old["keyId"], "signature": old["signature"], "body": body});
    (old["request"], old["token"]) = (request, json!(token));
    rename(&mut old, &[("attempts", "attemptList")]);
    let mut attempts = 0;
    each(&mut old["attemptList"], |attempt| {
        attempts += 1;
        dated(attempt);
        attempt["attempt"] = attempts.into();
        attempt["body"] = captured(&attempt["body"], attempt["size"].as_u64());
    });
    old["httpStatus"] = old["attemptList"]
        .as_array()
        .and_then(|all| all.last())
        .map_or(Value::Null, |one| one["httpStatus"].clone());
    old["attempts"] = attempts.into();
    old
}

fn rename(object: &mut Value, names: &[(&str, &str)]) {
    let Some(fields) = object.as_object_mut() else { return };
    for (old, new) in names {
        if let Some(value) = fields.remove(*old) {
            fields.insert((*new).to_owned(), value);
        }
    }
}

fn each(list: &mut Value, change: impl FnMut(&mut Value)) {
    list.as_array_mut().into_iter().flatten().for_each(change);
}

fn dated(object: &mut Value) {
    if let Some(at) = object["at"].as_u64() {
        object["at"] = timestamp::text(at).into();
    }
}

fn captured(base64: &Value, size: Option<u64>) -> Value {
    let bytes = STANDARD.decode(base64.as_str().unwrap_or_default()).unwrap_or_default();
    let mut captured = json!(Captured::new(&bytes));
    if let Some(size) = size {
        captured["size"] = size.into();
    }
    captured
}
