//! Faults over the control API.

use merchantpay::Code;
use serde_json::json;

use crate::api::Api;
use crate::common::{ACCOUNT, awaiting, client, sandbox};

#[test]
fn every_kind_can_be_asked_for_and_is_seen_in_its_exchange() {
    let sandbox = sandbox();
    let (client, api) = (client(&sandbox), Api::of(&sandbox));
    let order_id = awaiting(&client, "stays-pending");
    let kinds = api.get("/sandbox")["faultKinds"].as_array().unwrap().clone();
    assert_eq!(kinds.len(), 13);
    for kind in kinds {
        let more = match kind.as_str().unwrap() {
            "latency" => r#","latencyMs":1"#,
            "oversized" => r#","bytes":2000000"#,
            _ => "",
        };
        let fault = api.change("/sandbox/faults", &format!(r#"{{"kind":{kind},"operation":"confirm"{more}}}"#));
        assert_eq!((&fault["kind"], &fault["left"], &fault["operation"]), (&kind, &json!(1), &json!("confirm")));
        let _ = client.confirm(&order_id);
        let newest = &api.get("/sandbox/exchanges?limit=1&operation=confirm")["exchanges"][0];
        assert_eq!(newest["fault"], kind);
        let exchange = api.get(&format!("/sandbox/exchanges/{}", newest["id"]));
        assert_eq!(exchange["reply"].is_null(), kind.as_str().unwrap().starts_with("drop"), "{kind}");
        assert_eq!(api.get("/sandbox/faults")["faults"], json!([]));
    }
}

#[test]
fn a_probability_with_a_seed_gives_the_same_faults_each_time() {
    let happened: Vec<Vec<bool>> = (0..2)
        .map(|_| {
            let sandbox = sandbox();
            let (client, api) = (client(&sandbox), Api::of(&sandbox));
            let order_id = awaiting(&client, "stays-pending");
            api.change("/sandbox/faults", r#"{"kind":"unsigned","operation":"getStatus","probability":0.3,"seed":7}"#);
            let asked = (0..40).map(|_| client.get_status(&order_id).map_err(|error| error.code()) == Err(Code::Unverified));
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
fn a_cleared_fault_does_not_happen() {
    let sandbox = sandbox();
    let (client, api) = (client(&sandbox), Api::of(&sandbox));
    let order_id = awaiting(&client, ACCOUNT);
    let first = api.change("/sandbox/faults", r#"{"kind":"unsigned","times":9}"#)["id"].clone();
    api.change("/sandbox/faults", r#"{"kind":"wrongKey","operation":"cancel"}"#);
    let left = api.send("DELETE", &format!("/sandbox/faults/{first}"), &[], None).json();
    assert_eq!((left["faults"].as_array().unwrap().len(), &left["faults"][0]["kind"]), (1, &json!("wrongKey")));
    assert!(client.get_status(&order_id).is_ok());
    assert_eq!(api.send("DELETE", &format!("/sandbox/faults/{first}"), &[], None).status, 404);
    assert_eq!(api.send("DELETE", "/sandbox/faults", &[], None).json(), json!({"faults": []}));
    assert!(client.cancel(&order_id).is_ok());
}
