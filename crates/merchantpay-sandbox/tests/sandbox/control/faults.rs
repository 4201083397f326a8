//! Planned faults through the control API.

use std::time::{Duration, Instant};

use merchantpay::{Code, Outcome};
use serde_json::json;

use crate::api::Api;
use crate::common::{ACCOUNT, PATIENCE, awaiting, client, request, sandbox};

#[test]
fn every_fault_is_recorded_in_its_exchange() {
    let sandbox = sandbox();
    let (client, api) = (client(&sandbox), Api::of(&sandbox));
    let order_id = awaiting(&client, "stays-pending");
    let kinds = api.get("/sandbox")["faultKinds"].as_array().unwrap().clone();
    assert_eq!(kinds.len(), 15);
    for kind in kinds.into_iter().filter(|kind| !kind.as_str().unwrap().starts_with("stall")) {
        let more = match kind.as_str().unwrap() {
            "latency" => r#","latencyMs":1"#,
            "oversized" => r#","bytes":2000000"#,
            _ => "",
        };
        let fault =
            api.change("/sandbox/faults", &format!(r#"{{"kind":{kind},"operation":"confirm"{more}}}"#));
        assert_eq!(
            (&fault["kind"], &fault["left"], &fault["operation"]),
            (&kind, &json!(1), &json!("confirm"))
        );
        let _ = client.confirm(&order_id);
        let newest = &api.get("/sandbox/exchanges?limit=1&operation=confirm")["exchanges"][0];
        assert_eq!(newest["fault"], kind);
        let exchange = api.get(&format!("/sandbox/exchanges/{}", newest["id"]));
        assert_eq!(exchange["reply"].is_null(), kind.as_str().unwrap().starts_with("drop"), "{kind}");
        assert_eq!(api.get("/sandbox/faults")["faults"], json!([]));
    }
}

#[test]
fn stalled_request_stands_at_its_point() {
    for (kind, payments) in [("stallBeforeCommit", 0), ("stallAfterCommit", 1)] {
        let sandbox = sandbox();
        let (client, api) = (client(&sandbox), Api::of(&sandbox));
        api.change("/sandbox/faults", &format!(r#"{{"kind":"{kind}","operation":"newPayment"}}"#));
        // The fault does not affect another operation.
        assert_eq!(client.get_status("sb-0").unwrap_err().code(), Code::Rejected);
        let waiting = client.clone();
        let call =
            std::thread::spawn(move || waiting.derive(PATIENCE).new_payment(&request(ACCOUNT)).unwrap_err());
        until(|| api.get("/sandbox/faults") == json!({"faults": [], "stalled": [kind]}));
        let made = api.get("/sandbox/payments")["payments"].as_array().unwrap().len();
        assert_eq!(made, payments, "{kind}");
        // A request stands no longer than its client waits.
        let hurried = client.derive(Duration::from_millis(300));
        api.change("/sandbox/faults", &format!(r#"{{"kind":"{kind}","operation":"confirm"}}"#));
        assert_eq!(hurried.confirm("sb-0").unwrap_err().code(), Code::Timeout, "{kind}");
        until(|| api.get("/sandbox/faults")["stalled"] == json!([kind]));
        sandbox.stop();
        let error = call.join().unwrap();
        assert_eq!((error.code(), error.outcome()), (Code::Transport, Outcome::Unknown), "{kind}: {error}");
    }
}

/// Waits until a condition is true.
fn until(there: impl Fn() -> bool) {
    let end = Instant::now() + PATIENCE;
    while !there() {
        assert!(Instant::now() < end, "it does not come");
        std::thread::yield_now();
    }
}

#[test]
fn seeded_probability_repeats() {
    let happened: Vec<Vec<bool>> = (0..2)
        .map(|_| {
            let sandbox = sandbox();
            let (client, api) = (client(&sandbox), Api::of(&sandbox));
            let order_id = awaiting(&client, "stays-pending");
            api.change(
                "/sandbox/faults",
                r#"{"kind":"unsigned","operation":"getStatus","probability":0.3,"seed":7}"#,
            );
            let asked = (0..40)
                .map(|_| client.get_status(&order_id).map_err(|error| error.code()) == Err(Code::Unverified));
            let happened: Vec<bool> = asked.collect();
            let left = &api.get("/sandbox/faults")["faults"][0];
            assert_eq!(
                (left["happened"].as_u64(), left["left"].is_null()),
                (Some(happened.iter().filter(|one| **one).count() as u64), true)
            );
            happened
        })
        .collect();
    assert_eq!(happened[0], happened[1]);
    assert!(happened[0].contains(&true) && happened[0].contains(&false));
}

#[test]
fn cleared_fault_does_not_happen() {
    let sandbox = sandbox();
    let (client, api) = (client(&sandbox), Api::of(&sandbox));
    let order_id = awaiting(&client, ACCOUNT);
    let first = api.change("/sandbox/faults", r#"{"kind":"unsigned","times":9}"#)["id"].clone();
    api.change("/sandbox/faults", r#"{"kind":"wrongKey","operation":"cancel"}"#);
    let left = api.send("DELETE", &format!("/sandbox/faults/{first}"), &[], None).json();
    assert_eq!(
        (left["faults"].as_array().unwrap().len(), &left["faults"][0]["kind"]),
        (1, &json!("wrongKey"))
    );
    assert!(client.get_status(&order_id).is_ok());
    assert_eq!(api.send("DELETE", &format!("/sandbox/faults/{first}"), &[], None).status, 404);
    assert_eq!(api.send("DELETE", "/sandbox/faults", &[], None).json(), json!({"faults": [], "stalled": []}));
    assert!(client.cancel(&order_id).is_ok());
}
