//! Payments in the control API: listed, found, cleared, and changed as customer and operator.

use crate::*;

fn path(order_id: &str, below: &str) -> String {
    format!("/sandbox/payments/{order_id}/{below}")
}

#[test]
fn payment_has_timeline_and_signed_exchanges() {
    let (sandbox, client, api) = started(options());
    let order_id = client.new_payment(&request(ACCOUNT).merchant_id("m-1")).unwrap().order_id().to_owned();
    client.confirm(&order_id).unwrap();
    until(&client, &order_id, Status::DoneSuccess);

    let payment = api.payment(&order_id);
    assert_eq!(fields(&payment, ["status", "merchantId", "sum"]), json!(["doneSuccess", "m-1", "1500.50"]));
    assert_eq!(
        rows(&payment["timeline"], ["by", "cause", "state"]),
        json!([
            ["merchant", "newPayment", "searching"],
            ["sandbox", "credentialsFound", "awaitingPayment"],
            ["merchant", "confirm", "checking"],
            ["sandbox", "checked", "doneSuccess"]
        ])
    );
    assert!(payment["credentials"]["payeeAccount"].is_string());
    assert_eq!(payment["actions"]["operator"], json!([]));
    let confirm =
        payment["exchangeList"].as_array().unwrap().iter().find(|one| one["operation"] == "confirm").unwrap();
    let exchange = api.get(&format!("/sandbox/exchanges/{}", confirm["id"]));
    assert_eq!(exchange["request"]["body"]["text"], format!(r#"{{"orderId":"{order_id}"}}"#));
    assert_eq!((&exchange["verified"], &exchange["cause"]), (&json!(true), &Value::Null));
    assert_eq!(exchange["request"]["keyId"], sandbox.merchant_key_id());

    // The displayed signature belongs to the displayed bytes.
    let signature =
        merchantpay::Signature::from_base64(exchange["reply"]["signature"].as_str().unwrap()).unwrap();
    let bytes = api.send("GET", &format!("/sandbox/exchanges/{}/reply", confirm["id"]), &[], None);
    assert!(sandbox.server_public_key().verifies(&bytes.bytes, &signature));
    assert_eq!(bytes.header("content-type"), "application/octet-stream");
    assert_eq!(bytes.header("content-disposition"), "attachment");
}

#[test]
fn lists_page_newest_first() {
    let (_sandbox, client, api) = started(options());
    let ids: Vec<String> = (0..4).map(|_| awaiting(&client, ACCOUNT)).collect();
    let first = api.get("/sandbox/payments?limit=2");
    let last = api.get(&format!("/sandbox/payments?limit=2&before={}", first["next"]));
    let seen = [first, last.clone()].map(|list| column(&list["payments"], "orderId"));
    assert_eq!(json!(seen), json!([[ids[3], ids[2]], [ids[1], ids[0]]]));
    assert_eq!(last["next"], Value::Null, "a full page can be the last one");
    assert_eq!(api.get("/sandbox/payments?status=doneFail")["payments"], json!([]));
    let of_one = api.get(&format!("/sandbox/exchanges?orderId={}", ids[2]));
    assert_eq!(of_one["exchanges"].as_array().unwrap().len(), 1);
}

#[test]
fn search_matches_ids_and_account() {
    let (_sandbox, client, api) = started(options());
    let other = awaiting(&client, "79000000000");
    let wanted = client.new_payment(&request("79001112233").merchant_id("invoice-17")).unwrap();
    for text in [&wanted.order_id()[3..15], "111223", "voice-1"] {
        let found = api.get(&format!("/sandbox/payments?search={text}"));
        assert_eq!(column(&found["payments"], "orderId"), json!([wanted.order_id()]), "{text}");
    }
    let all = api.get("/sandbox/payments?search=7900");
    assert_eq!(column(&all["payments"], "orderId"), json!([wanted.order_id(), other]));
    assert_eq!(api.get("/sandbox/payments?search=nobody")["payments"], json!([]));
}

#[test]
fn refused_exchanges_filter_and_note_existence() {
    let (sandbox, client, api) = started(options());
    let order_id = awaiting(&client, ACCOUNT);
    assert!(client.confirm("sb-nobody").is_err());
    let other = Keypair::generate().unwrap();
    assert!(client_with(&sandbox, other.private_key()).confirm(&order_id).is_err());

    let refused = api.get("/sandbox/exchanges?refused=true");
    let seen = rows(&refused["exchanges"], ["orderId", "orderExists"]);
    assert_eq!(seen, json!([[order_id, true], ["sb-nobody", false]]));
    assert_eq!(api.get("/sandbox/exchanges")["exchanges"].as_array().unwrap().len(), 3);
    assert_eq!(api.send("GET", "/sandbox/exchanges?refused=yes", &[], None).status, 400);
}

#[test]
fn clearing_lists_keeps_unfinished() {
    let file = File::new();
    let (order_id, ended) = {
        let sandbox = start(&file.options());
        let (client, api) = (client(&sandbox), Api::of(&sandbox));
        let receiver = Receiver::start(&sandbox, &[]);
        let ended = client.new_payment(&request(ACCOUNT).status_webhook_url(&receiver.url)).unwrap();
        client.confirm(ended.order_id()).unwrap();
        until(&client, ended.order_id(), Status::DoneSuccess);
        sandbox.wait_for_delivery(ended.order_id(), "status", PATIENCE).unwrap();
        let order_id = awaiting(&client, ACCOUNT);

        assert_eq!(api.delete("/sandbox/payments"), json!({"cleared": 1}));
        let left = api.get("/sandbox/payments");
        assert_eq!(column(&left["payments"], "orderId"), json!([order_id]));
        assert_eq!(api.get("/sandbox/webhooks")["webhooks"][0]["orderExists"], false);
        assert_eq!(api.delete("/sandbox/webhooks"), json!({"cleared": 1}));
        assert_eq!(api.get("/sandbox/webhooks")["webhooks"], json!([]));
        api.delete("/sandbox/exchanges");
        assert_eq!(api.get("/sandbox/exchanges")["exchanges"], json!([]));

        client.confirm(&order_id).unwrap();
        let next = awaiting(&client, ACCOUNT);
        let newest = api.get("/sandbox/payments");
        assert_eq!(column(&newest["payments"], "orderId"), json!([next, order_id]));
        (order_id, ended.order_id().to_owned())
    };
    let sandbox = start(&file.options());
    let client = client(&sandbox);
    until(&client, &order_id, Status::DoneSuccess);
    assert!(client.get_status(&ended).is_err(), "the file has forgotten it, too");
}

#[test]
fn polling_displaces_no_other_exchange() {
    let (_sandbox, client, api) = started(options());
    let order_id = awaiting(&client, ACCOUNT);
    for _ in 0..300 {
        client.get_status(&order_id).unwrap();
    }
    let all = api.get("/sandbox/exchanges?limit=500");
    let all = all["exchanges"].as_array().unwrap();
    assert_eq!((all.len(), &all[250]["operation"]), (251, &json!("newPayment")));
}

#[test]
fn customer_pays_only_before_confirm() {
    let (_sandbox, client, api) = started(options());
    let order_id = awaiting(&client, ACCOUNT);
    let paid = api.change(&path(&order_id, "customer"), r#"{"sum":"1400.00"}"#);
    let seen = ["sum", "status", "requestedSum", "paidByHand"].map(|name| &paid[name]);
    assert_eq!(json!(seen), json!(["1400.00", "pending", "1500.50", true]));
    client.confirm(&order_id).unwrap();
    assert_eq!(until(&client, &order_id, Status::DoneSuccess).sum(), Some(amount("1400.00")));
    let confirmed = awaiting(&client, "stays-pending");
    client.confirm(&confirmed).unwrap();
    for order_id in [&order_id, &confirmed] {
        let before = api.payment(order_id);
        for body in [r#"{"pays":"less"}"#, r#"{"sum":"1.00"}"#, r#"{"pays":"nothing"}"#] {
            let (status, code) = api.refused(&path(order_id, "customer"), body);
            assert_eq!((status, code.as_str()), (409, "conflict"), "{body}");
        }
        assert_eq!(api.payment(order_id), before, "what was refused changes nothing");
    }
}

#[test]
fn operator_follows_state_machine() {
    let (_sandbox, client, api) = started(options());
    let operate = |order_id: &str, action: &str| {
        api.post(&path(order_id, "operator"), &format!(r#"{{"action":"{action}"}}"#))
    };
    // Starts with a payment that is being checked. Each row is an action, with the reply's status and state.
    let cases: [&[(&str, u16, &str)]; 6] = [
        &[
            ("approve", 200, "doneSuccess"),
            ("approve", 409, "doneSuccess"),
            ("fail", 409, "doneSuccess"),
            ("hold", 409, "doneSuccess"),
        ],
        &[("fail", 200, "doneFail"), ("requireReceipt", 409, "doneFail")],
        &[
            ("arbitration", 200, "arbitration"),
            ("arbitration", 409, "arbitration"),
            ("requireReceipt", 200, "receiptRequired"),
        ],
        &[("requireReceipt", 200, "receiptRequired"), ("approve", 200, "doneSuccess")],
        &[
            ("requireReceipt", 200, "receiptRequired"),
            ("arbitration", 409, "receiptRequired"),
            ("fail", 200, "doneFail"),
        ],
        &[
            ("hold", 200, "checking"),
            ("hold", 409, "checking"),
            ("release", 200, "checking"),
            ("release", 409, "checking"),
        ],
    ];
    for case in cases {
        let order_id = awaiting(&client, "stays-pending");
        client.confirm(&order_id).unwrap();
        for (action, status, state) in case {
            let reply = operate(&order_id, action);
            assert_eq!(reply.status, *status, "{action} of {case:?}");
            assert_eq!(api.payment(&order_id)["state"], *state, "{action} of {case:?}");
        }
    }
    assert_eq!(operate(&awaiting(&client, ACCOUNT), "reward").status, 400);
}

#[test]
fn held_payment_waits_for_operator() {
    let (_sandbox, client, api) = started(Options { hold: true, ..options() });
    let order_id = awaiting(&client, ACCOUNT);
    client.confirm(&order_id).unwrap();
    // Meanwhile another payment, which the operator releases, reaches its end.
    let other = awaiting(&client, ACCOUNT);
    api.operate(&other, "release");
    client.confirm(&other).unwrap();
    until(&client, &other, Status::DoneSuccess);
    assert_eq!(api.payment(&order_id)["state"], "checking");
    api.operate(&order_id, "release");
    until(&client, &order_id, Status::DoneSuccess);
}

#[test]
fn change_cancels_scheduled_step() {
    let options = Options { clock: ClockMode::Manual, pace: Duration::from_millis(300), ..options() };
    let (_sandbox, client, api) = started(options);
    for (action, state) in
        [("requireReceipt", "receiptRequired"), ("arbitration", "arbitration"), ("hold", "checking")]
    {
        let order_id = asynchronous(&client, ACCOUNT, NOWHERE);
        api.advance(100);
        client.confirm(&order_id).unwrap();
        api.advance(299);
        api.operate(&order_id, action);
        api.advance(1000);
        assert_eq!(api.payment(&order_id)["state"], state, "{action}");
    }
    // The payment is held and released before its check was due. Only the new check happens, not the old one.
    let order_id = asynchronous(&client, ACCOUNT, NOWHERE);
    api.advance(100);
    client.confirm(&order_id).unwrap();
    api.advance(299);
    for action in ["hold", "release"] {
        api.operate(&order_id, action);
    }
    api.advance(299);
    assert_eq!(api.payment(&order_id)["state"], "checking");
    api.advance(1);
    assert_eq!(api.payment(&order_id)["state"], "doneSuccess");
}

#[test]
fn receipt_file_cannot_run() {
    let (_sandbox, client, api) = started(options());
    let order_id = awaiting(&client, ACCOUNT);
    api.operate(&order_id, "requireReceipt");
    let script = b"\x89PNG\r\n\x1a\n<script>alert(1)</script>";
    let mut receipt = Receipt::new(&order_id);
    receipt.add_bytes("\u{447}ek.png", "image/png", script).unwrap();
    receipt.add_bytes("b.pdf", "application/pdf", b"%PDF").unwrap();
    client.attach_receipt(&receipt).unwrap();

    let payment = api.payment(&order_id);
    // The operator has asked, and he decides.
    assert_eq!(fields(&payment, ["state", "receipts"]), json!(["arbitration", 2]));
    let notes = payment["receiptList"].as_array().unwrap();
    assert_eq!(fields(&notes[0], ["contentType", "kept"]), json!(["image/png", true]));
    assert_eq!(notes[1]["size"], 4);
    for (query, disposition) in [("", "attachment"), ("?view=1", "inline")] {
        let file = api.send("GET", &format!("{}{query}", notes[0]["url"].as_str().unwrap()), &[], None);
        assert_eq!((file.status, file.bytes.as_slice()), (200, script.as_slice()));
        assert_eq!(file.header("content-type"), "image/png");
        assert!(file.header("content-disposition").starts_with(disposition));
        assert_eq!(file.header("x-content-type-options"), "nosniff");
        assert_eq!(file.header("content-security-policy"), "default-src 'none'; sandbox");
    }
    assert_eq!(api.send("GET", &path(&order_id, "receipts/3"), &[], None).status, 404);
}
