//! With a seed and a manual clock a run can be repeated; events are reported in their order.

use crate::*;

fn still(seed: u64) -> (Sandbox, Client, Api) {
    started(Options { seed: Some(seed), clock: ClockMode::Manual, ..Options::default() })
}

fn run(seed: u64) -> Vec<Value> {
    let (sandbox, client, api) = still(seed);
    let receiver = Receiver::start(&sandbox, &[]);
    let mut seen = Vec::new();
    for account in ["pays-less", "no-credentials", "payment-fails", "arbitration"] {
        let asked = request(account).credentials_webhook_url(&receiver.url).status_webhook_url(&receiver.url);
        let order_id = client.new_payment_async(&asked).unwrap().order_id().to_owned();
        api.advance(10000);
        let _ = client.confirm(&order_id);
        api.advance(1000);
        let mut payment = api.payment(&order_id);
        for real in
            ["exchangeList", "webhookList", "statusWebhookUrl", "credentialsWebhookUrl", "credentials"]
        {
            payment.as_object_mut().unwrap().remove(real);
        }
        seen.push(payment);
    }
    seen
}

#[test]
fn same_seed_repeats_a_run() {
    let first = run(7);
    assert_eq!(first, run(7));
    assert_ne!(first[0]["orderId"], run(8)[0]["orderId"]);
    let states = column(&json!(first), "state");
    assert_eq!(states, json!(["doneSuccess", "doneFail", "doneFail", "receiptRequired"]));
    assert_eq!(first[0]["createdAt"], "2026-01-01T00:00:00.000Z");
    assert_eq!(first[0]["changedAt"], "2026-01-01T00:00:10.300Z");
}

#[test]
fn manual_clock_stands_still() {
    let (_sandbox, client, api) = still(1);
    let order_id = asynchronous(&client, ACCOUNT, NOWHERE);
    let clock = api.get("/sandbox/clock");
    assert_eq!(
        fields(&clock, ["mode", "timers", "nextTimerAt"]),
        json!(["manual", 1, "2026-01-01T00:00:00.300Z"])
    );
    assert_eq!(api.advance(299)["fired"], 0);
    assert_eq!(client.get_status(&order_id).unwrap().status(), Some(&Status::Free));
    assert_eq!(api.advance(1)["fired"], 1);
    assert_eq!(client.get_status(&order_id).unwrap().status(), Some(&Status::Pending));
}

#[test]
fn new_waits_by_the_manual_clock() {
    let (sandbox, client, api) = still(1);
    let waiting = std::thread::spawn(move || client.new_payment(&request("stays-free")));
    // The request waits for credentials once there is a timer: nothing else has one.
    let mut reader = Reader::open(&sandbox);
    while api.get("/sandbox/clock")["timers"] == 0 {
        if api.get("/sandbox/payments")["payments"] == json!([]) {
            reader.until("payment");
        }
    }
    assert!(!waiting.is_finished());
    api.advance(10000);
    assert!(waiting.join().unwrap().is_err());
}

#[test]
fn finished_wait_removes_timer() {
    let options = Options { clock: ClockMode::Manual, pace: Duration::ZERO, ..Options::default() };
    let (_sandbox, client, api) = started(options);
    awaiting(&client, ACCOUNT);
    assert_eq!(api.get("/sandbox/clock")["timers"], 0);
}

#[test]
fn webhook_retries_follow_manual_clock() {
    let (sandbox, client, api) = still(1);
    let receiver = Receiver::start(&sandbox, &[500, 500]);
    let mut reader = Reader::open(&sandbox);
    let order_id = asynchronous(&client, ACCOUNT, &receiver.url);
    api.advance(300);
    for attempts in 1..=2 {
        while reader.until("webhook")["attempts"] != attempts {}
        while api.get("/sandbox/clock")["timers"] == 0 {}
        api.advance(1000);
    }
    let delivery = sandbox.wait_for_delivery(&order_id, "credentials", PATIENCE).unwrap();
    assert_eq!((delivery.attempts, delivery.is_delivered()), (3, true));
}

#[test]
fn events_stream_in_order() {
    let (sandbox, client, api) = started(options());
    let mut reader = Reader::open(&sandbox);
    let order_id = awaiting(&client, ACCOUNT);
    assert_eq!(reader.until("payment")["state"], "searching");
    assert_eq!(reader.until("payment"), api.get("/sandbox/payments")["payments"][0], "as the list shows it");
    let exchange = reader.until("exchange");
    assert_eq!(fields(&exchange, ["operation", "orderId"]), json!(["newPayment", order_id]));
    api.change("/sandbox/faults", r#"{"kind":"unsigned","operation":"getStatus"}"#);
    assert_eq!(reader.until("faults")["faults"][0]["kind"], "unsigned");
    assert!(client.get_status(&order_id).is_err());
    assert_eq!(reader.until("faults"), json!({"faults": [], "stalled": []}));
    assert_eq!(reader.until("exchange")["fault"], "unsigned");
}
