//! Faults of a reply, caused by the service, a proxy or an attacker, and the client's reaction.

use std::time::Duration;

use merchantpay::{Client, Code, Error, Outcome};
use merchantpay_sandbox::{Fault, PlannedFault, Sandbox};

use crate::common::{ACCOUNT, awaiting, client, request, sandbox};

struct Case {
    fault: PlannedFault,
    code: Code,
    /// The number of `/status` requests under this fault: only a transient fault causes a retry.
    sent: u64,
}

fn cases() -> Vec<Case> {
    let case = |fault: Fault, code, sent| Case { fault: fault.into(), code, sent };
    vec![
        case(Fault::Unsigned, Code::Unverified, 1),
        case(Fault::MalformedSignature, Code::Unverified, 1),
        case(Fault::WrongKey, Code::Unverified, 1),
        case(Fault::Tampered, Code::Unverified, 1),
        case(Fault::Reflected, Code::Unverified, 1),
        case(Fault::WrongOrder, Code::Malformed, 1),
        case(Fault::DuplicateKeys, Code::Malformed, 1),
        case(Fault::Redirect, Code::Transport, 1),
        Case { fault: Fault::oversized(1024 * 1024 + 1), code: Code::Transport, sent: 1 },
        case(Fault::HtmlBadGateway, Code::Unverified, 3),
        case(Fault::DropBeforeCommit, Code::Transport, 3),
        case(Fault::DropAfterCommit, Code::Transport, 3),
    ]
}

fn check(sandbox: &Sandbox, case: &Case, operation: &str, sent: u64, call: impl FnOnce() -> Error) {
    let before = sandbox.requests(operation);
    sandbox.misbehave(case.fault.clone(), Some(operation), u32::try_from(sent).unwrap());
    let error = call();
    assert_eq!(
        (error.code(), error.outcome()),
        (case.code, Outcome::Unknown),
        "{:?} {operation}: {error}",
        case.fault
    );
    assert_eq!(sandbox.requests(operation) - before, sent, "{:?} {operation}", case.fault);
}

#[test]
fn no_faulty_reply_is_accepted_and_nothing_that_could_take_effect_twice_is_repeated() {
    let sandbox = sandbox();
    let client = client(&sandbox);
    let order_id = awaiting(&client, "stays-pending");
    for case in cases() {
        check(&sandbox, &case, "getStatus", case.sent, || client.get_status(&order_id).unwrap_err());
        check(&sandbox, &case, "confirm", 1, || client.confirm(&order_id).unwrap_err());
        // A reply to `/new` is not bound to an order, so a reply about another payment is accepted.
        if case.fault != PlannedFault::from(Fault::WrongOrder) {
            check(&sandbox, &case, "newPayment", 1, || client.new_payment(&request(ACCOUNT)).unwrap_err());
        }
    }
    assert!(client.get_status(&order_id).is_ok(), "and the next call is as good as ever");
}

#[test]
fn latency_beyond_deadline_is_unknown_outcome() {
    let sandbox = sandbox();
    let client = client(&sandbox);
    let hurried: Client = client.derive(Duration::from_millis(200));
    sandbox.misbehave(Fault::latency(Duration::from_secs(30)), Some("newPayment"), 1);
    let error = hurried.new_payment(&request(ACCOUNT)).unwrap_err();
    assert_eq!(
        (error.code(), error.outcome(), sandbox.requests("newPayment")),
        (Code::Timeout, Outcome::Unknown, 1)
    );
}
