//! Stories, payments that the sandbox creates as the merchant, and the check of a receiver.

use crate::*;

/// The webhooks of a payment, oldest first: kind, status, fault, and answer.
fn webhooks(payment: &Value) -> Vec<Value> {
    let row = |webhook| fields(webhook, ["kind", "status", "action", "httpStatus"]);
    payment["webhookList"].as_array().unwrap().iter().rev().map(row).collect()
}

fn delivered(api: &Api, order_id: &str) -> Value {
    let waits = |webhook: &Value| webhook["state"] == "waiting";
    let is_delivered = |payment: &Value| !payment["webhookList"].as_array().unwrap().iter().any(waits);
    eventually(|| Some(api.payment(order_id)).filter(is_delivered))
}

fn play(api: &Api, name: &str) -> Value {
    let played = api.change(&format!("/sandbox/stories/{name}"), "{}");
    assert_eq!(played["merchantId"], format!("story-{name}"));
    delivered(api, played["orderId"].as_str().unwrap())
}

fn passed(results: &Value) -> Value {
    rows(&results["checks"], ["kind", "passed"])
}

#[test]
fn stories_end_as_described() {
    let sandbox = sandbox();
    let api = Api::of(&sandbox);
    let ordinary = |status: &str| json!(["status", status, null, 200]);
    let with = |action: &str, answer: u16| json!(["status", "doneSuccess", action, answer]);
    let cases = [
        ("paid", "doneSuccess", "1500.50", vec![ordinary("doneSuccess")]),
        ("paid-less", "doneSuccess", "1350.45", vec![ordinary("doneSuccess")]),
        (
            "no-credentials",
            "doneFail",
            "1500.50",
            vec![json!(["credentials_failed", null, null, 200]), ordinary("doneFail")],
        ),
        ("arbitration", "doneSuccess", "1500.50", vec![ordinary("receiptRequired"), ordinary("doneSuccess")]),
        ("lost-response", "doneSuccess", "1500.50", vec![ordinary("doneSuccess")]),
        ("late-webhook", "doneSuccess", "1500.50", vec![with("delay", 200)]),
        ("forged-webhook", "pending", "1500.50", vec![with("wrongKey", 400)]),
        ("repeated-webhook", "doneSuccess", "1500.50", vec![with("duplicate", 200), with("duplicate", 200)]),
    ];
    let names = column(&api.get("/sandbox")["stories"], "name");
    assert_eq!(names, cases.iter().map(|case| case.0).collect::<Value>());
    for (name, status, sum, expected) in cases {
        let payment = play(&api, name);
        assert_eq!(fields(&payment, ["status", "sum"]), json!([status, sum]), "{name}");
        assert_eq!(webhooks(&payment), expected, "{name}");
    }
    let lost = api.get("/sandbox/payments?search=story-lost-response");
    let lost = api.payment(lost["payments"][0]["orderId"].as_str().unwrap());
    assert_eq!(
        rows(&lost["exchangeList"], ["operation", "by", "httpStatus"]),
        json!([["getStatus", "sandbox", 200], ["confirm", "sandbox", null], ["newPayment", "sandbox", 200]])
    );
    assert_eq!(api.refused("/sandbox/stories/nobody", "{}"), (404, "notFound".to_owned()));
    let wrong_url = api.refused("/sandbox/stories/paid", r#"{"webhookUrl":"ftp://x"}"#);
    assert_eq!(wrong_url, (400, "invalid".to_owned()));
}

#[test]
fn story_ends_with_manual_clock_hold_and_own_key() {
    let pair = Keypair::generate().unwrap();
    let merchant = Some(("own-merchant".to_owned(), pair.public_key()));
    let held = Options { clock: ClockMode::Manual, hold: true, merchant, ..options() };
    let sandbox = Sandbox::start(held).unwrap();
    let api = Api::of(&sandbox);
    let payment = play(&api, "arbitration");
    assert_eq!(payment["status"], "doneSuccess");
    let call = payment["exchangeList"][0]["id"].as_u64().unwrap();
    let call = api.get(&format!("/sandbox/exchanges/{call}"));
    assert_eq!(fields(&call["request"], ["keyId", "signature"]), json!(["own-merchant", null]));
}

#[test]
fn story_calls_are_signed() {
    let sandbox = sandbox();
    let api = Api::of(&sandbox);
    let payment = play(&api, "paid");
    let call = api.get(&format!("/sandbox/exchanges/{}", payment["exchangeList"][0]["id"]));
    let signature =
        merchantpay::Signature::from_base64(call["request"]["signature"].as_str().unwrap()).unwrap();
    let key = sandbox.merchant_private_key().unwrap().public_key();
    assert!(key.verifies(call["request"]["body"]["text"].as_str().unwrap().as_bytes(), &signature));
}

#[test]
fn control_api_acts_as_merchant() {
    let (_sandbox, client, api) = started(options());
    let order =
        r#"{"sum":"10.50","paymentMethod":"card","customerAccount":"2200000000000004","merchantId":"m-1"}"#;
    let created = api.change("/sandbox/payments", order);
    assert_eq!(fields(&created, ["state", "createdBy"]), json!(["awaitingPayment", "newPayment"]));
    let order_id = created["orderId"].as_str().unwrap().to_owned();
    let act = |action: &str| {
        let body = json!({"action": action}).to_string();
        api.post(&format!("/sandbox/payments/{order_id}/merchant"), &body)
    };
    assert_eq!(act("confirm").json()["status"], "doneSuccess");
    assert_eq!(client.get_status(&order_id).unwrap().sum().unwrap().to_string(), "10.50");
    let refused = act("cancel");
    assert_eq!(refused.status, 409);
    assert_eq!(refused.json()["error"]["message"], "payment could not be canceled");
    for (status, order) in [
        (400, r#"{"sum":"0","paymentMethod":"card","customerAccount":"1"}"#),
        (400, r#"{"sum":"1","paymentMethod":"cash","customerAccount":"1"}"#),
        (400, r#"{"sum":"1","paymentMethod":"sbp"}"#),
        (400, r#"{"sum":"1","paymentMethod":"sbp","customerAccount":"1","statusWebhookUrl":"shop"}"#),
        (409, r#"{"sum":"1","paymentMethod":"sbp","customerAccount":"no-credentials"}"#),
    ] {
        assert_eq!(api.post("/sandbox/payments", order).status, status, "{order}");
    }
}

#[test]
fn receiver_check_finds_careless_receiver() {
    let sandbox = sandbox();
    let api = Api::of(&sandbox);
    let check = |url: &str| api.change("/sandbox/receiver-checks", &json!({"url": url}).to_string());
    let own = api.get("/sandbox")["receiver"].as_str().unwrap().to_owned();
    let kinds = ["credentials", "status", "repeated", "late", "tampered", "wrongKey", "unsigned"];

    let correct = check(&own);
    assert_eq!(passed(&correct), json!(kinds.map(|kind| (kind, true))), "{correct}");
    assert_eq!(correct["passed"], true);
    let order_id = correct["orderId"].as_str().unwrap();
    assert_eq!(webhooks(&api.payment(order_id)).len(), 7, "each was sent once");
    assert_eq!(client(&sandbox).get_status(order_id).unwrap().status(), Some(&Status::DoneSuccess));

    let gullible = check(&Receiver::start(&sandbox, &[]).url);
    let forged = ["tampered", "wrongKey", "unsigned"];
    assert_eq!(passed(&gullible), json!(kinds.map(|kind| (kind, !forged.contains(&kind)))));
    assert!(gullible["checks"][5]["advice"].as_str().unwrap().contains("forged"), "{gullible}");
    let failing = check(&Receiver::start(&sandbox, &[500; 7]).url);
    assert_eq!(passed(&failing), json!(kinds.map(|kind| (kind, false))), "a failure is no refusal");

    let absent = check("http://127.0.0.1:1/hook");
    let [first, second] = [0, 1].map(|index| &absent["checks"][index]);
    assert_eq!(json!([first["httpStatus"], second["webhook"], absent["passed"]]), json!([null, null, false]));
}

#[test]
fn receiver_check_takes_own_order() {
    let (sandbox, client, api) = started(options());
    let receiver = Receiver::start(&sandbox, &[200, 200, 200, 200, 400, 400, 400]);
    let order_id = awaiting(&client, ACCOUNT);
    let body = json!({"url": receiver.url, "orderId": order_id}).to_string();
    assert_eq!(api.refused("/sandbox/receiver-checks", &body).0, 409, "it is not final");
    api.operate(&order_id, "approve");
    let results = api.change("/sandbox/receiver-checks", &body);
    assert_eq!(fields(&results, ["passed", "orderId"]), json!([true, order_id]));
    let received: Vec<bool> = (0..7).map(|_| receiver.next().event.is_ok()).collect();
    assert_eq!(received, [true, true, true, true, false, false, false]);
    let unknown = json!({"url": receiver.url, "orderId": "sb-nobody"}).to_string();
    assert_eq!(api.refused("/sandbox/receiver-checks", &unknown).0, 404);
}
