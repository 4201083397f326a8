//! Faults of a reply, caused by the service, a proxy or an attacker, and the client's reaction.

use crate::*;

#[test]
fn faulty_reply_is_neither_accepted_nor_risks_a_second_effect() {
    let (sandbox, client, _) = started(options());
    let order_id = awaiting(&client, "stays-pending");
    // The last column counts the `/status` requests: only a transient fault causes a retry.
    let faults: [(PlannedFault, Code, u32); 12] = [
        (Fault::Unsigned.into(), Code::Unverified, 1),
        (Fault::MalformedSignature.into(), Code::Unverified, 1),
        (Fault::WrongKey.into(), Code::Unverified, 1),
        (Fault::Tampered.into(), Code::Unverified, 1),
        (Fault::Reflected.into(), Code::Unverified, 1),
        (Fault::WrongOrder.into(), Code::Malformed, 1),
        (Fault::DuplicateKeys.into(), Code::Malformed, 1),
        (Fault::Redirect.into(), Code::Transport, 1),
        (Fault::oversized(1024 * 1024 + 1), Code::Transport, 1),
        (Fault::HtmlBadGateway.into(), Code::Unverified, 3),
        (Fault::DropBeforeCommit.into(), Code::Transport, 3),
        (Fault::DropAfterCommit.into(), Code::Transport, 3),
    ];
    for (fault, code, sent) in faults {
        let check = |operation: &str, sent: u32, call: &dyn Fn() -> Error| {
            let before = sandbox.requests(operation);
            sandbox.misbehave(fault.clone(), Some(operation), sent);
            let error = call();
            let seen = (error.code(), error.outcome(), sandbox.requests(operation) - before);
            assert_eq!(seen, (code, Outcome::Unknown, sent.into()), "{fault:?} {operation}: {error}");
        };
        check("getStatus", sent, &|| client.get_status(&order_id).unwrap_err());
        check("confirm", 1, &|| client.confirm(&order_id).unwrap_err());
        // A reply to `/new` is not bound to an order, so a reply about another payment is accepted.
        if fault != PlannedFault::from(Fault::WrongOrder) {
            check("newPayment", 1, &|| client.new_payment(&request(ACCOUNT)).unwrap_err());
        }
    }
    assert!(client.get_status(&order_id).is_ok(), "and the next call is as good as ever");
}

#[test]
fn stalled_request_stands_at_its_point() {
    for (kind, payments) in [("stallBeforeCommit", 0), ("stallAfterCommit", 1)] {
        let (sandbox, client, api) = started(options());
        api.change("/sandbox/faults", &format!(r#"{{"kind":"{kind}","operation":"newPayment"}}"#));
        // The fault does not affect another operation.
        assert_eq!(client.get_status("sb-0").unwrap_err().code(), Code::Rejected);
        let waiting = client.clone();
        let call =
            std::thread::spawn(move || waiting.derive(PATIENCE).new_payment(&request(ACCOUNT)).unwrap_err());
        let stalled = |faults: Value| (faults["stalled"] == json!([kind])).then_some(faults);
        let faults = eventually(|| stalled(api.get("/sandbox/faults")));
        assert_eq!(faults["faults"], json!([]));
        let made = api.get("/sandbox/payments")["payments"].as_array().unwrap().len();
        assert_eq!(made, payments, "{kind}");
        // A request stands no longer than its client waits.
        let hurried = client.derive(Duration::from_millis(300));
        api.change("/sandbox/faults", &format!(r#"{{"kind":"{kind}","operation":"confirm"}}"#));
        assert_eq!(hurried.confirm("sb-0").unwrap_err().code(), Code::Timeout, "{kind}");
        eventually(|| stalled(api.get("/sandbox/faults")));
        sandbox.stop();
        let error = call.join().unwrap();
        assert_eq!((error.code(), error.outcome()), (Code::Transport, Outcome::Unknown), "{kind}: {error}");
    }
}

#[test]
fn seeded_probability_repeats() {
    let happened: Vec<Vec<bool>> = (0..2)
        .map(|_| {
            let (_sandbox, client, api) = started(options());
            let order_id = awaiting(&client, "stays-pending");
            api.change(
                "/sandbox/faults",
                r#"{"kind":"unsigned","operation":"getStatus","probability":0.3,"seed":7}"#,
            );
            let asked = (0..40)
                .map(|_| client.get_status(&order_id).map_err(|error| error.code()) == Err(Code::Unverified));
            let happened: Vec<bool> = asked.collect();
            let left = &api.get("/sandbox/faults")["faults"][0];
            let count = happened.iter().filter(|one| **one).count();
            assert_eq!(fields(left, ["happened", "left"]), json!([count, null]));
            happened
        })
        .collect();
    assert_eq!(happened[0], happened[1]);
    assert!(happened[0].contains(&true) && happened[0].contains(&false));
}

#[test]
fn cleared_fault_does_not_happen() {
    let (_sandbox, client, api) = started(options());
    let order_id = awaiting(&client, ACCOUNT);
    let first = api.change("/sandbox/faults", r#"{"kind":"unsigned","times":9}"#)["id"].clone();
    api.change("/sandbox/faults", r#"{"kind":"wrongKey","operation":"cancel"}"#);
    let left = api.delete(&format!("/sandbox/faults/{first}"));
    assert_eq!(column(&left["faults"], "kind"), json!(["wrongKey"]));
    assert!(client.get_status(&order_id).is_ok());
    assert_eq!(api.send("DELETE", &format!("/sandbox/faults/{first}"), &[], None).status, 404);
    assert_eq!(api.delete("/sandbox/faults"), json!({"faults": [], "stalled": []}));
    assert!(client.cancel(&order_id).is_ok());
}
