//! `journal settle`: runs once, and as a service that ends when it gets a signal.

use std::io::{BufRead as _, BufReader};
use std::process::{Child, Command, Stdio};

use merchantpay_sandbox::{Fault, PlannedFault};
use serde_json::Value;

use crate::journal_shop::{ACCOUNT, Shop, until};

fn signal(child: &Child, name: &str) {
    let kill = format!("kill -{name} {}", child.id());
    assert!(Command::new("sh").args(["-c", &kill]).status().unwrap().success());
}

fn spawn(mut command: Command) -> Child {
    command.stdin(Stdio::null()).stdout(Stdio::piped()).stderr(Stdio::piped()).spawn().unwrap()
}

#[test]
fn settling_asks_about_what_is_due_and_says_when_to_come_again() {
    let shop = Shop::new();
    let settled = shop.run(&["settle"]).reply();
    assert_eq!(
        (&settled["done"], &settled["nextDueMs"]),
        (&Value::from(0), &Value::Null),
        "an empty journal"
    );
    shop.paid_for("order-1", ACCOUNT);
    shop.run(&["confirm", "order-1"]).reply();
    until(|| {
        shop.run(&["settle"]).reply();
        (shop.entry("order-1")["succeeded"] == true).then_some(())
    });
    assert!(shop.sandbox.requests("getStatus") > 0);
    for args in [&["--every", "0s"][..], &["--every", "10"], &["--limit", "0"]] {
        let ran = shop.run(&[&["settle"], args].concat());
        assert_eq!((ran.status, ran.error()["code"].as_str()), (2, Some("invalid_argument")), "{args:?}");
    }
}

#[test]
fn a_service_settles_and_ends_cleanly_when_it_is_asked_to() {
    for name in ["TERM", "INT"] {
        let shop = Shop::new();
        shop.paid_for("order-2", ACCOUNT);
        shop.run(&["confirm", "order-2"]).reply();
        let mut child = spawn(shop.command(&["settle", "--every", "100ms"]));
        let mut line = String::new();
        BufReader::new(child.stdout.as_mut().unwrap()).read_line(&mut line).unwrap();
        assert!(line.starts_with("{\"done\":1,"), "{line}");
        until(|| (shop.entry("order-2")["succeeded"] == true).then_some(()));
        signal(&child, name);
        let output = child.wait_with_output().unwrap();
        assert_eq!(
            (output.status.code(), String::from_utf8_lossy(&output.stderr).as_ref()),
            (Some(0), ""),
            "{name}"
        );
    }
}

#[test]
fn settling_goes_on_where_the_service_does_not_answer() {
    let shop = Shop::new();
    shop.paid_for("order-5", ACCOUNT);
    // No server listens on this port, so the port refuses connections.
    let gone = std::net::SocketAddr::from(([127, 0, 0, 1], 1));
    let url = format!("http://{gone}");
    shop.run(&["allow-url", &url]).reply();
    until(|| (shop.run(&["settle", "--base-url", &url]).reply()["done"] == 1).then_some(()));
    let entry = shop.entry("order-5");
    assert_eq!(
        (&entry["standing"], &entry["error"]["outcome"]),
        (&Value::from("open"), &Value::from("not_sent")),
        "{entry}"
    );
}

#[test]
fn a_command_that_is_interrupted_in_its_call_stores_the_outcome() {
    let pay =
        ["pay", "--reference", "order-3", "--sum", "10", "--payment-method", "sbp", "--customer-account"];
    let stalled = Fault::latency(std::time::Duration::from_secs(60));
    for (reference, args, fault, operation, status, standing, code) in [
        (
            "order-3",
            &[&pay[..], &[ACCOUNT]].concat()[..],
            Some(PlannedFault::from(Fault::StallAfterCommit)),
            "newPayment",
            4,
            "unknown",
            "cancelled",
        ),
        ("order-4", &["settle", "--every", "100ms"], Some(stalled), "getStatus", 0, "open", "cancelled"),
        ("order-6", &["wait", "order-6"], None, "getStatus", 4, "open", ""),
    ] {
        let shop = Shop::new();
        if operation == "getStatus" {
            shop.paid_for(reference, "stays-pending");
        }
        let before = shop.sandbox.requests(operation);
        fault.into_iter().for_each(|fault| shop.sandbox.misbehave(fault, Some(operation), 1));
        let child = spawn(shop.command(args));
        until(|| (shop.sandbox.requests(operation) > before).then_some(()));
        signal(&child, if code.is_empty() { "INT" } else { "TERM" });
        let output = child.wait_with_output().unwrap();
        let stored = shop.entry(reference);
        let seen =
            (output.status.code(), &stored["standing"], stored["error"]["code"].as_str().unwrap_or_default());
        assert_eq!(seen, (Some(status), &Value::from(standing), code), "{args:?}: {stored}");
    }
}
