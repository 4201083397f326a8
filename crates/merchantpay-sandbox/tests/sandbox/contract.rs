//! Payments, receipts, signatures both ways, and the exact errors (contract, sections 2 to 5 and 7).

use crate::*;

const JSON: &str = "application/json";

const PDF: &[u8] = b"%PDF-1.4\n%%EOF\n";

fn receipt(order_id: &str) -> Receipt {
    let mut receipt = Receipt::new(order_id);
    receipt.add_bytes("receipt.pdf", "application/pdf", PDF).unwrap();
    receipt
}

#[test]
fn available_amounts_follow_the_sum() {
    let (_sandbox, client, _) = started(options());
    for (sum, amounts, others) in [
        ("1500.50", "1500.50", true),
        ("1500.01", "", true),
        ("1500.02", "", false),
        ("92.45170000000000000", "92.45170000000000000", true),
    ] {
        let asked = AmountsRequest::new(amount(sum), PaymentMethod::Card);
        let reply = client.get_available_amounts(&asked).unwrap();
        let listed: Vec<String> = reply.available_amounts().iter().map(ToString::to_string).collect();
        assert_eq!((listed.join(" ").as_str(), reply.other_amounts_possible()), (amounts, others), "{sum}");
    }
    let drifting = AmountsRequest::new(amount("1000"), PaymentMethod::Sbp)
        .sum_drift_up(amount("0.50"))
        .sum_drift_down(amount("100"));
    assert_eq!(
        client.get_available_amounts(&drifting).unwrap().available_amounts(),
        [amount("900"), amount("1000"), amount("1000.50")]
    );
}

#[test]
fn test_accounts_reach_every_status() {
    let (_sandbox, client, _) = started(options());
    for (account, confirm, status) in [
        (ACCOUNT, false, Status::Pending),
        (ACCOUNT, true, Status::DoneSuccess),
        ("slow-credentials", true, Status::DoneSuccess),
        ("bare-credentials", true, Status::DoneSuccess),
        ("pays-less", true, Status::DoneSuccess),
        ("pays-more", true, Status::DoneSuccess),
        ("never-pays", false, Status::DoneFail),
        ("payment-fails", true, Status::DoneFail),
        ("stays-pending", true, Status::Pending),
        ("arbitration", true, Status::ReceiptRequired),
        ("arbitration-fails", true, Status::ReceiptRequired),
        ("arbitration-again", true, Status::ReceiptRequired),
    ] {
        let order_id = awaiting(&client, account);
        if confirm {
            assert_eq!(client.confirm(&order_id).unwrap().order_id(), order_id);
        }
        assert_eq!(until(&client, &order_id, status.clone()).status(), Some(&status), "{account}");
    }
    let free = client.new_payment_async(&request("stays-free").credentials_webhook_url(NOWHERE)).unwrap();
    assert_eq!(client.get_status(free.order_id()).unwrap().status(), Some(&Status::Free));
}

#[test]
fn payer_bank_can_be_required() {
    let sandbox = Sandbox::start(Options { payer_bank_required: true, ..options() }).unwrap();
    let client = client(&sandbox);
    let error = client.new_payment(&request(ACCOUNT)).unwrap_err();
    assert_eq!((error.code(), error.description()), (Code::Rejected, Some("invalid payerBank")));
    assert!(client.new_payment(&request(ACCOUNT).payer_bank("100000000111")).is_ok());
}

#[test]
fn new_fails_after_its_wait() {
    let options = options();
    let wait = options.credentials_wait;
    let (sandbox, client, _) = started(options);
    for account in ["no-credentials", "stays-free"] {
        let started = Instant::now();
        let error = client.new_payment(&request(account)).unwrap_err();
        assert_eq!(error.code(), Code::Rejected, "{account}");
        assert_eq!(error.description(), Some("credentials not found"), "{account}");
        assert!(started.elapsed() >= wait, "{account}: the whole wait is waited");
    }
    assert_eq!(sandbox.requests("newPayment"), 2);
}

#[test]
fn sum_follows_payment_and_deal_sum_does_not() {
    for (balance, rate, deal) in [(Balance::Rub, "1", "1455.48"), (Balance::Usdt, "92.45", "15.743483")] {
        let sandbox = Sandbox::start(options().with_balance(balance)).unwrap();
        let client = client(&sandbox);
        for (account, paid) in [("pays-less", "1350.45"), ("pays-more", "1650.55"), (ACCOUNT, "1500.50")] {
            let payment = client.new_payment(&request(account)).unwrap();
            assert_eq!(
                (payment.deal_sum(), payment.deal_rate()),
                (Some(amount(deal)), Some(amount(rate))),
                "{balance:?}"
            );
            client.confirm(payment.order_id()).unwrap();
            let done = until(&client, payment.order_id(), Status::DoneSuccess);
            assert_eq!((done.sum(), done.deal_sum()), (Some(amount(paid)), Some(amount(deal))), "{account}");
        }
        let expected = to_balance(amount("1500.50"), amount(rate), balance, 12, Rounding::HalfEven).unwrap();
        assert!(expected > amount(deal), "commission is taken");
    }
}

#[test]
fn receipt_ends_arbitration() {
    let (_sandbox, client, _) = started(options());
    for (account, status) in [
        ("arbitration", Status::DoneSuccess),
        ("arbitration-fails", Status::DoneFail),
        ("arbitration-again", Status::ReceiptRequired),
    ] {
        let order_id = awaiting(&client, account);
        client.confirm(&order_id).unwrap();
        until(&client, &order_id, Status::ReceiptRequired);
        let mut several = receipt(&order_id);
        let jpeg = [0xff, 0xd8, 0xff].repeat(600);
        several.add_bytes("a.jpg", "image/jpeg", &jpeg).unwrap();
        several.add_bytes("b.jpg", "image/jpg", &jpeg).unwrap();
        several.add_bytes("c.png", "image/png", b"\x89PNG\r\n\x1a\n").unwrap();
        assert_eq!(client.attach_receipt(&several).unwrap().order_id(), order_id);
        until(&client, &order_id, status);
    }
}

#[test]
fn receipts_up_to_32_mib_arrive() {
    let sandbox = sandbox();
    let client = client(&sandbox).derive(PATIENCE);
    let order_id = awaiting(&client, "arbitration-again");
    client.confirm(&order_id).unwrap();
    let attach = |size: usize| {
        until(&client, &order_id, Status::ReceiptRequired);
        let mut receipt = Receipt::new(&order_id);
        receipt
            .add_bytes("r.pdf", "application/pdf", &[b"%PDF-1.4\n", vec![b'x'; size].as_slice()].concat())
            .unwrap();
        client.attach_receipt(&receipt)
    };
    for size in [3_000_000, 33_000_000] {
        assert_eq!(attach(size).unwrap().order_id(), order_id, "{size}");
    }
    let error = attach(34_000_000).unwrap_err();
    assert_eq!((error.code(), error.http_status()), (Code::Rejected, Some(413)), "{error}");
    assert_eq!(error.description(), Some("the request is too large"));
}

#[test]
fn error_bodies_are_exact() {
    let (sandbox, client, _) = started(options());
    let order_id = awaiting(&client, ACCOUNT);
    client.cancel(&order_id).unwrap();
    let description = |text: &str| format!(r#"{{"success":false,"errorDescription":"{text}"}}"#);
    let of_order = |order_id: &str, text: &str| {
        format!(r#"{{"success":false,"orderId":"{order_id}","errorDescription":"{text}"}}"#)
    };
    let order = |order_id: &str| json!({"orderId": order_id}).to_string();
    let payment = |fields: &str| {
        format!(r#"{{"sum":10,"currency":"RUB","paymentMethod":"sbp","customerAccount":"1"{fields}}}"#)
    };
    for (path, body, status, expected) in [
        ("/new", payment("").replace("RUB", "USD"), 400, description("invalid currency")),
        ("/new-async", payment("").replace("currency", "other"), 400, description("invalid currency")),
        ("/available", payment("").replace("RUB", "EUR"), 400, description("invalid currency")),
        ("/confirm", order(""), 400, description("invalid orderId")),
        ("/cancel", order("a b"), 400, description("invalid orderId")),
        ("/status", r#"{"orderId":7}"#.to_owned(), 400, description("invalid orderId")),
        ("/status", order("sb-nobody"), 404, description("order not found")),
        ("/confirm", order("sb-nobody"), 404, description("order not found")),
        ("/cancel", order("sb-nobody"), 404, of_order("sb-nobody", "order not found")),
        ("/cancel", order(&order_id), 403, of_order(&order_id, "payment could not be canceled")),
        ("/new", payment(r#","statusWebhookUrl":"ftp://x""#), 400, description("invalid statusWebhookUrl")),
        ("/new-async", payment(""), 400, description("invalid credentialsWebhookUrl")),
        ("/new", payment(r#","sum":20"#), 400, description("invalid request body")),
        ("/new", payment("").replace("10", "\"10\""), 400, description("invalid sum")),
        ("/new", payment("").replace("10", "9999999999999999999999999999"), 400, description("invalid sum")),
        ("/new", payment("").replace("sbp", "cash"), 400, description("invalid paymentMethod")),
        ("/new", payment("").replace("\"1\"", "\"\""), 400, description("invalid customerAccount")),
    ] {
        let raw = signed(&sandbox, path, JSON, body.as_bytes());
        assert_eq!((raw.status, raw.text()), (status, expected.as_str()), "{path} {body}");
    }
}

#[test]
fn available_has_simplified_errors() {
    let sandbox = sandbox();
    for body in [
        "",
        "{",
        "[]",
        r#"{"sum":0,"currency":"RUB","paymentMethod":"sbp"}"#,
        r#"{"sum":-1.5,"currency":"RUB","paymentMethod":"sbp"}"#,
        r#"{"sum":"10","currency":"RUB","paymentMethod":"sbp"}"#,
        r#"{"currency":"RUB","paymentMethod":"sbp"}"#,
    ] {
        let raw = signed(&sandbox, "/available", JSON, body.as_bytes());
        assert_eq!(raw.status, 400);
        let text = raw.text();
        assert!(text.starts_with(r#"{"error":""#) && !text.contains("success"), "{body}: {text}");
    }
}

#[test]
fn rejects_receipts_of_other_formats() {
    let (sandbox, client, _) = started(options());
    let order_id = awaiting(&client, "arbitration");
    let form = |id: &str, file: &str| {
        format!("--x\r\nContent-Disposition: form-data; name=\"orderId\"\r\n\r\n{id}\r\n{file}--x--\r\n")
    };
    let file = |content_type: &str, data: &str| {
        format!(
            "--x\r\nContent-Disposition: form-data; name=\"file\"; filename=\"a\"\r\nContent-Type: {content_type}\r\n\r\n{data}\r\n"
        )
    };
    let wrong_format = Reason::InvalidFileFormat.text();
    for (body, status, text) in [
        (form(&order_id, &file("text/plain", "x")), 400, wrong_format),
        (form(&order_id, &(file("image/png", "x") + &file("image/gif", "x"))), 400, wrong_format),
        (form(&order_id, ""), 400, wrong_format),
        (form("", &file("image/png", "x")), 400, Reason::InvalidOrderId.text()),
        (form("sb-nobody", &file("image/png", "x")), 404, Reason::OrderNotFound.text()),
        ("no form".to_owned(), 400, "invalid request body"),
    ] {
        let raw = signed(&sandbox, "/receipt/attach", "multipart/form-data; boundary=x", body.as_bytes());
        let expected = format!(r#"{{"success":false,"errorDescription":"{text}"}}"#);
        assert_eq!((raw.status, raw.text()), (status, expected.as_str()), "{body}");
    }
}

#[test]
fn every_operation_rejects_bad_signatures() {
    let sandbox = sandbox();
    let key: &PrivateKey = sandbox.merchant_private_key().unwrap();
    let body = br#"{"orderId":"sb-1"}"#;
    let id = sandbox.merchant_key_id();
    let good = key.sign(body).to_base64();
    let other_body = key.sign(b"{}").to_base64();
    let wrong_key = Keypair::generate().unwrap().private_key().sign(body).to_base64();
    let url_safe = good.replace('+', "-").replace('/', "_").trim_end_matches('=').to_owned();
    for path in OPERATIONS.iter().map(|operation| operation.path) {
        for headers in [
            vec![],
            vec![("X-KeyId", id)],
            vec![("X-Signature", good.as_str())],
            vec![("X-KeyId", "somebody"), ("X-Signature", &good)],
            vec![("X-KeyId", id), ("X-Signature", &other_body)],
            vec![("X-KeyId", id), ("X-Signature", &wrong_key)],
            vec![("X-KeyId", id), ("X-Signature", &url_safe)],
            vec![("X-KeyId", id), ("X-Signature", &good), ("X-Signature", &good)],
        ] {
            let raw = post(&sandbox, path, &headers, body);
            let begins = r#"{"success":false,"errorDescription":"invalid signature ("#;
            assert!(raw.status == 401 && raw.text().starts_with(begins), "{path}: {}", raw.text());
        }
    }
    let raw = post(&sandbox, "/status", &[("X-KeyId", id), ("X-Signature", &good)], body);
    assert_eq!(raw.status, 404, "and the right one is let through: {}", raw.text());
}

#[test]
fn broken_body_is_refused() {
    let sandbox = sandbox();
    let head = format!("POST {BASE_PATH}/status HTTP/1.1\r\nHost: 127.0.0.1\r\nConnection: close\r\n");
    let reply = raw(&sandbox, &format!("{head}Transfer-Encoding: chunked\r\n\r\nzz\r\n"));
    assert!(reply.starts_with("HTTP/1.1 400 ") && reply.contains("invalid request body"), "{reply}");
    assert_eq!(sandbox.requests("getStatus"), 0);
}

#[test]
fn refusal_names_cause_and_signed_bytes() {
    let sandbox = sandbox();
    let (api, id) = (Api::of(&sandbox), sandbox.merchant_key_id());
    let sign = |content: &str| sandbox.merchant_private_key().unwrap().sign(content.as_bytes()).to_base64();
    let (body, python) =
        (r#"{"orderId":"sb-1","note":"тест"}"#, r#"{"orderId": "sb-1", "note": "\u0442\u0435\u0441\u0442"}"#);
    let (good, changed, unknown) = (sign(body), sign(python), sign("another"));
    for (cause, headers) in [
        (Some("missing_signature"), vec![("X-KeyId", id)]),
        (Some("repeated_signature"), vec![("X-KeyId", id), ("X-Signature", &good), ("X-Signature", &good)]),
        (Some("signature_encoding"), vec![("X-KeyId", id), ("X-Signature", &good[..80])]),
        (Some("key_id"), vec![("X-Signature", &good)]),
        (Some("not_explained"), vec![("X-KeyId", id), ("X-Signature", &unknown)]),
        (Some("body_changed"), vec![("X-KeyId", id), ("X-Signature", &changed)]),
        (None, vec![("X-KeyId", id), ("X-Signature", &good)]),
    ] {
        let reply = api.send("POST", &format!("{BASE_PATH}/status"), &headers, Some(body));
        let newest = api.get("/sandbox/exchanges?limit=1")["exchanges"][0]["id"].clone();
        let record = api.get(&format!("/sandbox/exchanges/{newest}"));
        let explanation = &record["explanation"];
        assert_eq!((record["cause"].as_str(), record["verified"].as_bool()), (cause, Some(cause.is_none())));
        assert_eq!(record["request"]["body"]["text"], body, "the bytes that came");
        let description = reply.json()["errorDescription"].clone();
        let Some(cause) = cause else {
            assert_eq!(
                (reply.status, description, explanation),
                (404, json!("order not found"), &Value::Null)
            );
            continue;
        };
        let hint = explanation["hint"].as_str().unwrap();
        assert_eq!((reply.status, description), (401, json!(format!("invalid signature ({cause}): {hint}"))));
        let signed = [&explanation["signed"]["text"], &explanation["firstDifference"]];
        let expected =
            if cause == "body_changed" { [json!(python), json!(11)] } else { [Value::Null, Value::Null] };
        assert_eq!(json!(signed), json!(expected), "{cause}");
    }
}

#[test]
fn unknown_endpoints_are_refused_and_recorded() {
    let sandbox = Sandbox::start(options()).unwrap();
    let api = Api::of(&sandbox);
    let newest = || api.get("/sandbox/exchanges")["exchanges"].clone();
    let pay = "/api/v1/merchant/pay";
    let none = "no such endpoint: ";
    let at = |known: &str| format!("{none}{known}; the base URL is the part before it");
    let below = format!("{none}the endpoints are below {pay}");
    for (method, path, status, description) in [
        ("POST", format!("{pay}{pay}/new"), 404, at("newPayment is at /api/v1/merchant/pay/new")),
        ("POST", format!("{pay}/getStatus"), 404, at("getStatus is at /api/v1/merchant/pay/status")),
        ("POST", format!("{pay}/status/"), 404, at("getStatus is at /api/v1/merchant/pay/status")),
        ("POST", "/pay".to_owned(), 404, below),
        ("PUT", format!("{pay}/confirm"), 405, "only POST is allowed".to_owned()),
    ] {
        let reply = api.send(method, &path, &[("X-KeyId", "shop")], Some("{}"));
        assert_eq!(
            (reply.status, reply.json()["errorDescription"].as_str()),
            (status, Some(description.as_str()))
        );
        assert!(is_signed(&reply, &sandbox.server_public_key()), "{method} {path}");
        let record = &newest()[0];
        assert_eq!((record["method"].as_str(), record["path"].as_str()), (Some(method), Some(path.as_str())));
        assert_eq!(fields(record, ["httpStatus", "cause"]), json!([status, "missing_signature"]));
    }
    let large = "x".repeat(33 * 1024 * 1024);
    assert_eq!(api.send("POST", &format!("{pay}/new"), &[], Some(&large)).status, 413);
    let record = &newest()[0];
    assert_eq!(fields(record, ["operation", "verified"]), json!(["newPayment", null]));
    let before = newest();
    assert_eq!(api.send("GET", "/apple-touch-icon.png", &[], None).status, 404);
    assert_eq!(newest(), before, "a browser that looks for an icon is not a merchant");
}
