//! Tests the core with the vectors that every language must pass (tests/contract/vectors).

mod files;

use std::collections::{BTreeMap, BTreeSet};

use files::{Case, bytes, cases, pairs, text};
use merchantpay::{
    Amount, AvailableAmounts, Config, Error, Explainer, Keys, OPERATIONS, PAYMENT_FIELDS, Payment, Prepared,
    Protocol, PublicKey, Receipt, RequestValues, Result, Signature, Status, UnsignedRequest, WebhookVerifier,
    operation,
};
use serde_json::Value;

#[test]
fn core_does_what_every_vector_says() {
    let (mut kinds, mut broken) = (BTreeMap::new(), Vec::new());
    for case in cases() {
        let kind = text(&case.fields["kind"]);
        *kinds.entry(kind.to_owned()).or_insert(0) += 1;
        // The adapter in Rust runs these: they need a process or a network.
        let is_for_adapters = case.fields.get("signer").is_some() || case.file == "settings";
        let check = || match kind {
            _ if is_for_adapters => {}
            "settings" => settings(&case),
            "request" => request(&case),
            "receipt" => receipt(&case),
            "amount_text" => amount_text(&case),
            "reply" => reply(&case),
            "status" => status(&case),
            "webhook" => webhook(&case),
            "explanation" => explanation(&case),
            "refused_request" => refused_request(&case),
            unknown => panic!("{}: a kind that this test does not know: {unknown}", case.file),
        };
        // A failed case does not end the test, so that all failed cases are listed.
        if std::panic::catch_unwind(std::panic::AssertUnwindSafe(check)).is_err() {
            broken.push(format!("{}: {}", case.file, case.fields["name"]));
        }
    }
    assert!(broken.is_empty(), "{}", broken.join("\n"));
    assert_eq!(kinds.len(), 9, "{kinds:?}");
    assert!(kinds.values().all(|count| *count >= 20), "{kinds:?}");
}

#[test]
fn every_operation_has_misdirected_bodies() {
    let columns: BTreeSet<String> = cases()
        .iter()
        .filter(|case| case.file == "misdirected")
        .map(|case| case.text("/operation").unwrap_or("webhook").to_owned())
        .collect();
    let operations = OPERATIONS.iter().map(|operation| operation.name).chain(["webhook"]);
    assert_eq!(columns, operations.map(str::to_owned).collect());
}

#[track_caller]
fn same<T: PartialEq + std::fmt::Debug>(case: &Case, what: &str, got: T, wanted: T) {
    assert!(got == wanted, "{}: {}: {what}: {got:?}, wanted {wanted:?}", case.file, case.fields["name"]);
}

#[track_caller]
fn given<T>(case: &Case, result: Result<T>) -> T {
    result.unwrap_or_else(|error| panic!("{}: {}: {error}", case.file, case.fields["name"]))
}

#[track_caller]
fn failed<T>(case: &Case, result: Result<T>) -> Error {
    let error =
        result.err().unwrap_or_else(|| panic!("{}: {}: it had to fail", case.file, case.fields["name"]));
    let wanted = case.error().expect("an error");
    same(case, "code", error.code().name(), text(&wanted["code"]));
    same(case, "outcome", error.outcome().name(), text(&wanted["outcome"]));
    error
}

fn server_public_keys(case: &Case) -> Result<Vec<PublicKey>> {
    case.setting_list("server_public_keys").iter().map(|key| PublicKey::from_base64(key)).collect()
}

fn config(case: &Case, names: &[&str]) -> Result<Config> {
    let mut config = Config::default();
    for name in names {
        config.set(name, case.setting(name))?;
    }
    for (name, list) in [("server_public_key", "server_public_keys"), ("server_key_id", "server_key_ids")] {
        for text in case.setting_list(list) {
            config.set(name, text.as_str())?;
        }
    }
    Ok(config)
}

fn protocol(case: &Case) -> Result<Protocol> {
    config(case, &["base_url", "key_id", "private_key", "public_key"])?.protocol()
}

fn verifier(case: &Case) -> Result<WebhookVerifier> {
    config(case, &["key_id"])?.verifier()
}

fn settings(case: &Case) {
    for made in case.fields["makes"].as_array().expect("makes") {
        let result = match text(made) {
            "protocol" => protocol(case).map(Some),
            "verifier" => verifier(case).map(|_| None),
            unknown => panic!("{unknown}"),
        };
        if case.error().is_some() {
            failed(case, result);
            continue;
        }
        let (Some(protocol), Some(signature)) = (given(case, result), case.text("/expected/signature"))
        else {
            continue;
        };
        let order = case.text("/expected/arguments/orderId").expect("an order");
        let prepared = given(case, protocol.prepare(operation::confirm(order)));
        let sent = prepared.request();
        same(case, "body", Some(sent.body()), case.text("/expected/body").map(str::as_bytes));
        let found = sent.headers().find(|(name, _)| *name == "X-Signature");
        same(case, "signature", found, Some(("X-Signature", signature)));
    }
}

fn amount_text(case: &Case) {
    let text = case.text("/text").expect("a text");
    let mut fields = RequestValues::default();
    let _ = fields.set("sum", text);
    fields.set("paymentMethod", "card").unwrap();
    failed(case, fields.amounts_request());
    same(case, "amount", text.parse::<Amount>().is_err(), true);
}

fn fields(case: &Case) -> RequestValues {
    let mut fields = RequestValues::default();
    for (name, value) in case.fields["arguments"].as_object().expect("arguments") {
        // The request reports what the values refuse.
        let _ = fields.set(name, text(value));
    }
    fields
}

fn receipt_of(case: &Case) -> Result<Receipt> {
    let mut receipt = Receipt::new(order(case));
    for file in case.fields["arguments"]["files"].as_array().expect("files") {
        receipt.add_bytes(text(&file["name"]), text(&file["content_type"]), &bytes(&file["data"]))?;
    }
    Ok(receipt)
}

fn order(case: &Case) -> &str {
    case.text("/arguments/orderId").unwrap_or("o-1")
}

/// A prepared request of any operation.
enum Sent {
    Amounts(Prepared<AvailableAmounts>),
    Payment(Prepared<Payment>),
}

impl Sent {
    fn request(&self) -> &merchantpay::SignedRequest {
        match self {
            Sent::Amounts(prepared) => prepared.request(),
            Sent::Payment(prepared) => prepared.request(),
        }
    }
}

fn prepare(case: &Case, operation: &str) -> Result<Sent> {
    fn payment(protocol: &Protocol, request: UnsignedRequest<Payment>) -> Result<Sent> {
        protocol.prepare(request).map(Sent::Payment)
    }
    let protocol = given(case, protocol(case));
    match operation {
        "getAvailableAmounts" => fields(case)
            .amounts_request()
            .and_then(|request| protocol.prepare(operation::get_available_amounts(&request)))
            .map(Sent::Amounts),
        "newPayment" => fields(case)
            .payment_request()
            .and_then(|request| payment(&protocol, operation::new_payment(&request))),
        "newPaymentAsync" => fields(case)
            .payment_request()
            .and_then(|request| payment(&protocol, operation::new_payment_async(&request))),
        "confirm" => payment(&protocol, operation::confirm(order(case))),
        "cancel" => payment(&protocol, operation::cancel(order(case))),
        "getStatus" => payment(&protocol, operation::get_status(order(case))),
        "attachReceipt" => {
            receipt_of(case).and_then(|receipt| payment(&protocol, operation::attach_receipt(&receipt)))
        }
        unknown => panic!("an operation that this test does not know: {unknown}"),
    }
}

fn request(case: &Case) {
    let prepared = prepare(case, case.text("/operation").expect("an operation"));
    if case.error().is_some() {
        failed(case, prepared.map(drop));
        return;
    }
    let prepared = given(case, prepared);
    let sent = prepared.request();
    same(case, "url", Some(sent.url()), case.text("/expected/url"));
    same(case, "headers", sent.headers().collect(), pairs(&case.fields["expected"]["headers"]));
    same(case, "body", Some(sent.body()), case.text("/expected/body").map(str::as_bytes));
}

fn receipt(case: &Case) {
    let prepared = prepare(case, "attachReceipt");
    if case.error().is_some() {
        failed(case, prepared.map(drop));
        return;
    }
    let prepared = given(case, prepared);
    let sent = prepared.request();
    let headers: Vec<(&str, &str)> = sent.headers().collect();
    let boundary = headers[0].1.split_once("boundary=").expect("a boundary").1;
    for (found, (name, value)) in headers.iter().zip(pairs(&case.fields["expected"]["headers"])) {
        same(case, "header", *found, (name, value.replace("@boundary@", boundary).as_str()));
    }
    same(case, "url", Some(sent.url()), case.text("/expected/url"));
    // A character for each byte, because the files in a body are no texts.
    let text = |bytes: &[u8]| bytes.iter().copied().map(char::from).collect::<String>();
    let body = text(&bytes(&case.fields["expected"]["body"])).replace("@boundary@", boundary);
    same(case, "body", text(sent.body()), body);
    let key = PublicKey::from_base64(case.setting("public_key").expect("a key")).expect("a key");
    let signature = Signature::from_base64(headers[2].1).expect("a signature");
    let is_signed = headers[2].0 == "X-Signature" && key.verifies(sent.body(), &signature);
    same(case, "signed", is_signed, true);
}

fn reply(case: &Case) {
    let reply = &case.fields["reply"];
    let (status, headers, body) =
        (reply["status"].as_u64().expect("a status") as u16, pairs(&reply["headers"]), bytes(&reply["body"]));
    let sent = given(case, prepare(case, case.text("/operation").expect("an operation")));
    let opened = match &sent {
        Sent::Payment(prepared) => {
            prepared.open(status, headers, &body).map(|payment| payment_is(case, &payment, &body))
        }
        Sent::Amounts(prepared) => {
            prepared.open(status, headers, &body).map(|amounts| amounts_are(case, &amounts, &body))
        }
    };
    match case.error() {
        Some(wanted) => error_is(case, &failed(case, opened), wanted, &body),
        None => given(case, opened),
    }
}

fn error_is(case: &Case, error: &Error, wanted: &Value, body: &[u8]) {
    same(case, "description", error.description(), wanted["description"].as_str());
    same(case, "reason", error.reason().map(|reason| reason.name()), wanted["reason"].as_str());
    same(case, "http_status", error.http_status().map(u64::from), wanted["http_status"].as_u64());
    same(case, "order_id", error.order_id(), wanted["order_id"].as_str());
    let kept = matches!(error.code().name(), "rejected" | "malformed");
    same(case, "body", error.body(), kept.then_some(body));
}

fn payment_is(case: &Case, payment: &Payment, body: &[u8]) {
    let wanted = case.fields.pointer("/expected/payment").expect("a payment");
    // The adapter in Rust reads the fields by their methods.
    let fields = PAYMENT_FIELDS.iter().map(|field| field.name).zip(payment.texts());
    for name in wanted.as_object().expect("fields").keys() {
        assert!(PAYMENT_FIELDS.iter().any(|field| field.name == name), "{wanted}");
    }
    for (name, got) in fields {
        same(case, name, got.as_deref(), wanted[name].as_str());
    }
    same(case, "final", Some(payment.is_final()), case.fields["expected"]["final"].as_bool());
    same(case, "json", payment.json().as_bytes(), body);
    if let Some(minor) = case.fields.pointer("/expected/sum_minor") {
        same(case, "sum_minor", payment.sum().expect("a sum").minor(), minor.as_i64());
    }
}

fn amounts_are(case: &Case, amounts: &AvailableAmounts, body: &[u8]) {
    let wanted = case.fields.pointer("/expected/amounts").expect("amounts").as_array().expect("a list");
    let got: Vec<String> = amounts.available_amounts().iter().map(ToString::to_string).collect();
    same(case, "amounts", got, wanted.iter().map(|amount| text(amount).to_owned()).collect());
    let others = case.fields["expected"]["other_amounts_possible"].as_bool();
    same(case, "others", Some(amounts.other_amounts_possible()), others);
    same(case, "json", amounts.json().as_bytes(), body);
}

fn status(case: &Case) {
    let Sent::Payment(prepared) = given(case, prepare(case, "getStatus")) else { unreachable!() };
    let reply = &case.fields["reply"];
    let payment = given(case, prepared.open(200, pairs(&reply["headers"]), &bytes(&reply["body"])));
    let status = payment.status().expect("a status");
    same(case, "status", Some(status.as_str()), case.text("/text"));
    same(case, "final", Some(status.is_final()), case.fields["final"].as_bool());
    same(case, "known", Some(Status::ALL.contains(status)), case.fields["known"].as_bool());
}

fn webhook(case: &Case) {
    let body = bytes(&case.fields["webhook"]["body"]);
    let signature = case.text("/webhook/signature").expect("a signature");
    let event = given(case, verifier(case)).verify(&body, signature, case.text("/webhook/key_id"));
    match case.error() {
        Some(wanted) => error_is(case, &failed(case, event), wanted, &body),
        None => {
            let event = given(case, event);
            same(case, "event", Some(event.kind()), case.text("/expected/event"));
            payment_is(case, event.payment(), &body);
        }
    }
}

/// Explains a request with the keys of a receiver that also knows the service's public key.
fn refused_request(case: &Case) {
    let keys = Keys {
        trusted: vec![given(case, PublicKey::from_base64(case.setting("public_key").expect("a key")))],
        trusted_key_ids: vec![case.setting("key_id").expect("a key id").to_owned()],
        others: given(case, server_public_keys(case)),
        ..Keys::default()
    };
    let explainer = given(case, Explainer::of_requests(keys));
    let body = bytes(&case.fields["request"]["body"]);
    let explanation = explainer.explain(&body, case.text("/request/signature"), case.text("/request/key_id"));
    let cause = explanation.map(|explanation| explanation.cause().name());
    same(case, "cause", cause, case.text("/expected/cause"));
}

fn explanation(case: &Case) {
    let body = bytes(&case.fields["webhook"]["body"]);
    let verifier = given(case, verifier(case));
    let verifier = match case.setting("public_key") {
        Some(own) => verifier.refuse_key(PublicKey::from_base64(own).expect("a key")),
        None => Ok(verifier),
    };
    let Some(wanted) = case.error() else {
        let signature = case.text("/webhook/signature").unwrap_or_default();
        let explanation = given(case, verifier).explain(&body, signature, case.text("/webhook/key_id"));
        let cause = explanation.map(|explanation| explanation.cause().name());
        return same(case, "cause", cause, case.text("/expected/cause"));
    };
    same(case, "code", Some(failed(case, verifier).code().name()), wanted["code"].as_str());
}
