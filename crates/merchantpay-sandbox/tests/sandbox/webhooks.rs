//! Webhooks (contract, section 6): delivered, recorded, sent again and changed.

use crate::*;

fn outcome(webhook: &Webhook) -> Result<&'static str, Code> {
    match &webhook.event {
        Ok(Event::CredentialsIssued(_)) => Ok("credentials"),
        Ok(Event::StatusChanged(_)) => Ok("status"),
        Ok(_) => Ok("other"),
        Err(error) => Err(error.code()),
    }
}

#[test]
fn credentials_failed_webhook_has_order_id_only() {
    let (sandbox, client, _) = started(options());
    let receiver = Receiver::start(&sandbox, &[]);
    let asked =
        request("no-credentials").credentials_webhook_url(&receiver.url).status_webhook_url(&receiver.url);
    let payment = client.new_payment_async(&asked).unwrap();
    assert_eq!(client.get_status(payment.order_id()).unwrap().status(), Some(&Status::Free));
    let webhook = receiver.next();
    assert_eq!(webhook.body, format!(r#"{{"success":false,"orderId":"{}"}}"#, payment.order_id()));
    assert!(
        matches!(webhook.event, Ok(Event::CredentialsFailed(failed)) if failed.order_id() == payment.order_id())
    );

    // The failed payment has no other data, and empty fields are left out.
    let webhook = receiver.next();
    let body =
        format!(r#"{{"success":true,"orderId":"{}","status":"doneFail","sum":1500.50}}"#, payment.order_id());
    assert_eq!(webhook.body, body);
    assert!(webhook.event.is_ok());
}

#[test]
fn webhooks_omit_empty_fields() {
    let (sandbox, client, _) = started(options());
    let receiver = Receiver::start(&sandbox, &[]);
    let payment = client
        .new_payment_async(&request("bare-credentials").credentials_webhook_url(&receiver.url))
        .unwrap();
    let webhook = receiver.next();
    for field in ["payeeAccountBank", "payeeName", "deeplink"] {
        assert!(!webhook.body.contains(field), "{field}: {}", webhook.body);
    }
    assert!(
        matches!(webhook.event, Ok(Event::CredentialsIssued(bare)) if bare.payee_account().is_some() && bare.deeplink().is_none())
    );
    assert_eq!(client.get_status(payment.order_id()).unwrap().payee_name(), Some(""));
}

#[test]
fn webhook_is_retried_until_accepted() {
    let (sandbox, client, _) = started(options());
    let receiver = Receiver::start(&sandbox, &[500, 302]);
    let asked = request(ACCOUNT).credentials_webhook_url(&receiver.url);
    let payment = client.new_payment_async(&asked).unwrap();
    let bodies: Vec<String> = (0..3).map(|_| receiver.next().body).collect();
    assert!(bodies.iter().all(|body| *body == bodies[0]), "the same bytes each time");
    let delivery = sandbox.wait_for_delivery(payment.order_id(), "credentials", PATIENCE).unwrap();
    assert_eq!((delivery.attempts, delivery.http_status, delivery.is_delivered()), (3, Some(200), true));
    assert_eq!(delivery.body, bodies[0].as_bytes());
    let log = Api::of(&sandbox).get("/sandbox/webhooks/1");
    assert_eq!(
        json!([column(&log["attemptList"], "httpStatus"), log["state"], log["request"]["body"]["text"]]),
        json!([[500, 302, 200], "delivered", bodies[0]])
    );
}

#[test]
fn silent_receiver_delays_no_other() {
    let sandbox = Sandbox::start(Options { webhook_timeout: PATIENCE * 10, ..options() }).unwrap();
    let (client, receiver) = (client(&sandbox), Receiver::start(&sandbox, &[]));
    // The listener accepts connections through its backlog and never answers.
    let listener = std::net::TcpListener::bind("127.0.0.1:0").unwrap();
    let silent = format!("http://{}/", listener.local_addr().unwrap());
    for _ in 0..40 {
        client.new_payment_async(&request(ACCOUNT).credentials_webhook_url(&silent)).unwrap();
    }
    let payment = client.new_payment_async(&request(ACCOUNT).credentials_webhook_url(&receiver.url)).unwrap();
    assert_eq!(receiver.next().event.unwrap().payment().order_id(), payment.order_id());
}

#[test]
fn payment_ends_without_a_listening_receiver() {
    let (sandbox, client, _) = started(options());
    let gone = std::net::SocketAddr::from(([127, 0, 0, 1], 1));
    let asked = request(ACCOUNT).status_webhook_url(format!("http://{gone}/"));
    let payment = client.new_payment(&asked).unwrap();
    client.confirm(payment.order_id()).unwrap();
    until(&client, payment.order_id(), Status::DoneSuccess);
    let delivery = sandbox.wait_for_delivery(payment.order_id(), "status", PATIENCE).unwrap();
    assert_eq!((delivery.attempts, delivery.http_status), (3, None));
    assert_eq!(sandbox.deliveries().len(), 1);
}

#[test]
fn webhooks_filter_by_merchant_id_and_token() {
    let sandbox = sandbox();
    let (client, api, receiver) = (client(&sandbox), Api::of(&sandbox), Receiver::start(&sandbox, &[]));
    for (reference, url) in [("order-1", receiver.url.as_str()), ("order-2", "http://127.0.0.1:9/hook/5a2d")]
    {
        client
            .new_payment_async(&request(ACCOUNT).merchant_id(reference).credentials_webhook_url(url))
            .unwrap();
    }
    receiver.next();
    for filter in ["merchantId=order-1", "token=4f1c"] {
        let list = api.get(&format!("/sandbox/webhooks?{filter}"));
        let all = list["webhooks"].as_array().unwrap();
        let is_wanted = |one: &Value| fields(one, ["merchantId", "token"]) == json!(["order-1", "4f1c"]);
        assert!(!all.is_empty() && all.iter().all(is_wanted), "{list}");
        let again = api.change(&format!("/sandbox/webhooks/{}", all[0]["id"]), r#"{"action":"resend"}"#);
        assert_eq!(fields(&again["webhooks"][0], ["url", "merchantId"]), json!([receiver.url, "order-1"]));
        receiver.next();
    }
    assert_eq!(api.get("/sandbox/webhooks?token=none")["webhooks"], json!([]));
}

#[test]
fn past_webhook_is_sent_again_with_each_action() {
    let sandbox = sandbox();
    let (client, api, receiver) = (client(&sandbox), Api::of(&sandbox), Receiver::start(&sandbox, &[]));
    client.new_payment_async(&request(ACCOUNT).credentials_webhook_url(&receiver.url)).unwrap();
    let first = receiver.next();
    for (body, times, seen) in [
        (r#"{"action":"resend"}"#, 1, Ok("credentials")),
        (r#"{"action":"duplicate"}"#, 2, Ok("credentials")),
        (r#"{"action":"delay","delayMs":5}"#, 1, Ok("credentials")),
        (r#"{"action":"tamper"}"#, 1, Err(Code::Unverified)),
        (r#"{"action":"wrongKey"}"#, 1, Err(Code::Unverified)),
        (r#"{"action":"unsigned"}"#, 1, Err(Code::Unverified)),
    ] {
        let sent = api.change("/sandbox/webhooks/1", body);
        assert_eq!(sent["webhooks"].as_array().unwrap().len(), times, "{body}");
        assert_eq!(sent["webhooks"][0]["copyOf"], 1);
        for _ in 0..times {
            let again = receiver.next();
            assert_eq!(outcome(&again), seen, "{body}");
            assert_eq!(again.body.trim_end(), first.body);
        }
    }
    for body in [
        r#"{"action":"reorder"}"#,
        r#"{"action":"delay"}"#,
        r#"{"action":"resend","delayMs":5}"#,
        r#"{"action":"x"}"#,
    ] {
        assert_eq!(api.refused("/sandbox/webhooks/1", body).0, 400, "{body}");
    }
}

#[test]
fn planned_actions_change_next_webhooks() {
    let cases: [(&str, &[Result<&str, Code>]); 5] = [
        (r#"{"action":"reorder"}"#, &[Ok("status"), Ok("credentials")]),
        (
            r#"{"action":"duplicate","times":2}"#,
            &[Ok("credentials"), Ok("credentials"), Ok("status"), Ok("status")],
        ),
        (r#"{"action":"delay","delayMs":20}"#, &[Ok("credentials"), Ok("status")]),
        (r#"{"action":"tamper"}"#, &[Err(Code::Unverified), Ok("status")]),
        (r#"{"action":"wrongKey","times":2}"#, &[Err(Code::Unverified), Err(Code::Unverified)]),
    ];
    for (plan, seen) in cases {
        // Late credentials leave time to plan a fault for their webhook.
        let sandbox = Sandbox::start(Options { clock: ClockMode::Manual, ..options() }).unwrap();
        let (client, api, receiver) = (client(&sandbox), Api::of(&sandbox), Receiver::start(&sandbox, &[]));
        let asked = request(ACCOUNT).credentials_webhook_url(&receiver.url).status_webhook_url(&receiver.url);
        let order_id = client.new_payment_async(&asked).unwrap().order_id().to_owned();
        let path = format!("/sandbox/payments/{order_id}/webhooks");
        assert_eq!(api.change(&path, plan)["nextWebhooks"].as_array().unwrap().len(), 1, "{plan}");
        api.advance(100);
        // Waits until a delayed webhook has a timer or has arrived: the clock must not advance before.
        let has_come = || {
            api.payment(&order_id)["webhookList"][0]["attempts"].as_u64().is_some_and(|attempts| attempts > 0)
        };
        while plan.contains("delay") && api.get("/sandbox/clock")["timers"] == 0 && !has_come() {}
        client.confirm(&order_id).unwrap();
        api.advance(100);
        let came: Vec<_> = seen.iter().map(|_| outcome(&receiver.next())).collect();
        assert_eq!(came, seen, "{plan}");
        let payment = api.payment(&order_id);
        assert_eq!(payment["nextWebhooks"], json!([]), "{plan}");
        assert_eq!(payment["webhooks"], payment["webhookList"].as_array().unwrap().len(), "{plan}");
    }
}

#[test]
fn delayed_webhook_follows_manual_clock() {
    for (plan, late) in [(r#"{"action":"delay","delayMs":500}"#, 500), (r#"{"action":"reorder"}"#, 10_000)] {
        let sandbox = Sandbox::start(Options { clock: ClockMode::Manual, ..options() }).unwrap();
        let (client, api, receiver) = (client(&sandbox), Api::of(&sandbox), Receiver::start(&sandbox, &[]));
        let order_id = asynchronous(&client, ACCOUNT, &receiver.url);
        api.change(&format!("/sandbox/payments/{order_id}/webhooks"), plan);
        api.advance(100);
        // The webhook waits once its timer exists.
        while api.get("/sandbox/clock")["timers"] == 0 {}
        api.advance(late - 100);
        let waiting = &api.payment(&order_id)["webhookList"][0];
        assert_eq!(fields(waiting, ["state", "attempts"]), json!(["waiting", 0]), "{plan}");
        api.advance(100);
        assert_eq!(outcome(&receiver.next()), Ok("credentials"), "{plan}");
    }
}

#[test]
fn webhook_plan_is_listed_and_forgotten() {
    let (_sandbox, client, api) = started(options());
    let order_id = awaiting(&client, ACCOUNT);
    let path = format!("/sandbox/payments/{order_id}/webhooks");
    api.change(&path, r#"{"action":"tamper","times":3}"#);
    assert_eq!(api.payment(&order_id)["nextWebhooks"][0]["times"], 3);
    assert_eq!(api.delete(&path), json!({"nextWebhooks": []}));
    assert_eq!(api.refused(&path, r#"{"action":"resend"}"#).0, 400);
}
