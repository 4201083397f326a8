//! `journal pay`, `confirm`, `cancel` and `wait`: their output and exit status.

use merchantpay::{Client, Config};
use merchantpay_sandbox::Fault;
use serde_json::{Value, json};

use crate::common::{Ran, run};
use crate::journal_shop::{ACCOUNT, Shop, lines};

/// Checks the exit status, and some fields of the one line.
fn check(ran: &Ran, status: i32, fields: &[(&str, Value)]) {
    assert_eq!((ran.status, ran.stderr.as_str()), (status, ""), "{}", ran.stdout);
    let [entry] = &lines(ran)[..] else { panic!("one line: {}", ran.stdout) };
    for (name, value) in fields {
        assert_eq!(&entry[name], value, "{name} in {entry}");
    }
}

fn refused_argument(ran: &Ran) {
    let error = ran.error();
    assert_eq!(
        (ran.status, error["code"].as_str(), error["outcome"].as_str()),
        (2, Some("invalid_argument"), Some("not_sent")),
        "{error}"
    );
}

#[test]
fn paying_again_gives_the_same_payment_and_waiting_succeeds_only_when_it_is_paid() {
    let shop = Shop::new();
    let first = shop.pay("order-1", ACCOUNT, &[]);
    check(
        &first,
        0,
        &[
            ("reference", json!("order-1")),
            ("attempt", json!(1)),
            ("standing", json!("open")),
            ("succeeded", json!(false)),
        ],
    );
    assert!(first.stdout.contains("\"sumAsked\":1500.50,"), "the digits are kept: {}", first.stdout);
    assert!(lines(&first)[0]["credentials"]["payeeAccount"].is_string(), "{}", first.stdout);
    let again = shop.pay("order-1", ACCOUNT, &[]);
    assert_eq!((again.status, &lines(&again)[0]["orderId"]), (0, &lines(&first)[0]["orderId"]));
    assert_eq!(shop.sandbox.requests("newPayment"), 1);

    check(&shop.run(&["wait", "order-1", "--until", "credentials"]), 0, &[("standing", json!("open"))]);
    check(&shop.run(&["wait", "order-1", "--timeout", "1ms"]), 4, &[("standing", json!("open"))]);
    check(&shop.run(&["confirm", "order-1"]), 0, &[("confirm", json!("accepted"))]);
    check(
        &shop.run(&["wait", "order-1"]),
        0,
        &[("standing", json!("final")), ("paid", json!("exactly")), ("succeeded", json!(true))],
    );
    // The payment is final, so the customer has nothing to pay.
    check(
        &shop.pay("order-1", ACCOUNT, &[]),
        4,
        &[("standing", json!("final")), ("credentials", json!(null))],
    );
    assert_eq!(shop.sandbox.requests("newPayment"), 1);
}

#[test]
fn waiting_fails_for_a_payment_that_failed_and_is_undecided_for_one_that_was_not_paid_exactly() {
    for (account, status, fields) in [
        ("payment-fails", 1, [("standing", json!("final")), ("paid", json!(null))]),
        ("pays-less", 4, [("standing", json!("final")), ("paid", json!("less"))]),
        ("pays-more", 4, [("standing", json!("final")), ("paid", json!("more"))]),
    ] {
        let shop = Shop::new();
        shop.paid_for("order-2", account);
        shop.run(&["confirm", "order-2"]).reply();
        check(&shop.run(&["wait", "order-2"]), status, &fields);
    }
}

#[test]
fn a_refused_payment_exits_with_1_and_is_tried_again() {
    let shop = Shop::new();
    let refused = shop.pay("order-3", "no-credentials", &[]);
    check(&refused, 1, &[("standing", json!("refused")), ("attempt", json!(1))]);
    assert_eq!(lines(&refused)[0]["error"]["outcome"], "rejected", "{}", refused.stdout);
    check(&shop.run(&["wait", "order-3"]), 1, &[("standing", json!("refused"))]);
    check(&shop.pay("order-3", ACCOUNT, &[]), 0, &[("attempt", json!(2)), ("standing", json!("open"))]);
    let attempts = shop.lines(&["show", "order-3"]);
    assert_eq!(
        attempts.iter().map(|entry| &entry["attempt"]).collect::<Vec<_>>(),
        [2, 1],
        "the last one first"
    );
}

#[test]
fn a_lost_reply_exits_with_4_until_a_person_replaces_the_attempt() {
    let shop = Shop::new();
    shop.sandbox.misbehave(Fault::DropAfterCommit, Some("newPayment"), 1);
    check(&shop.pay("order-4", ACCOUNT, &[]), 4, &[("standing", json!("unknown")), ("orderId", json!(null))]);
    check(&shop.pay("order-4", ACCOUNT, &[]), 4, &[("standing", json!("unknown"))]);
    check(&shop.run(&["wait", "order-4"]), 4, &[("standing", json!("unknown"))]);
    refused_argument(&shop.run(&["confirm", "order-4"]));
    assert_eq!((shop.sandbox.requests("newPayment"), shop.sandbox.requests("confirm")), (1, 0));
    check(
        &shop.pay("order-4", ACCOUNT, &["--replace", "1"]),
        0,
        &[("attempt", json!(2)), ("standing", json!("open"))],
    );
    // A repeated call, as after a double click, makes no third attempt.
    check(&shop.pay("order-4", ACCOUNT, &["--replace", "1"]), 0, &[("attempt", json!(2))]);
    assert_eq!(shop.sandbox.requests("newPayment"), 2);
    let attempts = shop.lines(&["show", "order-4"]);
    assert_eq!(attempts[1]["standing"], "superseded");
}

#[test]
fn an_instruction_needs_its_attempt_where_there_are_several() {
    let shop = Shop::new();
    shop.pay("order-5", "no-credentials", &[]);
    shop.pay("order-5", ACCOUNT, &[]).reply();
    for command in ["confirm", "cancel"] {
        refused_argument(&shop.run(&[command, "order-5"]));
        refused_argument(&shop.run(&[command, "order-5", "--attempt", "3"]));
        refused_argument(&shop.run(&[command, "no-such-order"]));
    }
    assert_eq!((shop.sandbox.requests("confirm"), shop.sandbox.requests("cancel")), (0, 0));
    check(
        &shop.run(&["cancel", "order-5", "--attempt", "2"]),
        0,
        &[("cancel", json!("accepted")), ("credentials", json!(null))],
    );
    check(&shop.run(&["wait", "order-5"]), 1, &[("standing", json!("final"))]);
}

#[test]
fn an_instruction_exits_with_what_the_service_said_of_it() {
    let shop = Shop::new();
    let order_id = shop.paid_for("order-6", ACCOUNT);
    let client = at_service(&shop);
    client.confirm(&order_id).unwrap();
    check(&shop.run(&["cancel", "order-6"]), 1, &[("cancel", json!("refused"))]);

    shop.paid_for("order-7", "stays-pending");
    shop.sandbox.misbehave(Fault::DropAfterCommit, Some("confirm"), 1);
    check(&shop.run(&["confirm", "order-7"]), 4, &[("confirm", json!("stored"))]);
}

fn at_service(shop: &Shop) -> Client {
    let key = shop.sandbox.merchant_private_key().unwrap().clone();
    let config = Config::new(
        shop.sandbox.url(),
        shop.sandbox.merchant_key_id(),
        key,
        shop.sandbox.server_public_key(),
    );
    Client::new(config).unwrap()
}

#[test]
fn an_asynchronous_payment_gets_its_credentials_by_webhook() {
    let shop = Shop::new();
    check(
        &shop.pay("order-8", ACCOUNT, &["--async"]),
        4,
        &[("standing", json!("open")), ("credentials", json!(null))],
    );
    let delivery = shop.any_webhook("credentials");
    assert_eq!(shop.deliver(&delivery).stdout, "{\"httpStatus\":200}\n");
    check(
        &shop.run(&["wait", "order-8", "--until", "credentials"]),
        0,
        &[("reported", json!("credentials"))],
    );
    check(&shop.pay("order-8", ACCOUNT, &["--async"]), 0, &[("attempt", json!(1))]);

    let mut without = shop.command(&[
        "pay",
        "--reference",
        "order-9",
        "--sum",
        "1",
        "--payment-method",
        "sbp",
        "--customer-account",
        "1",
    ]);
    without.arg("--async").env_remove("MERCHANTPAY_CALLBACK_URL");
    refused_argument(&run(without));
    assert_eq!(shop.lines(&["list"]).len(), 1, "nothing was written");
}

#[test]
fn bad_input_writes_and_sends_nothing() {
    let shop = Shop::new();
    shop.paid_for("order-10", ACCOUNT);
    let long = "x".repeat(121);
    let good = ["pay", "--sum", "10", "--payment-method", "sbp", "--customer-account", "1"];
    for reference in ["", " order", "order ", "a\nb", &long] {
        refused_argument(&shop.run(&[&good[..], &["--reference", reference]].concat()));
    }
    for (field, value) in [
        ("--sum", "0"),
        ("--sum", "-1"),
        ("--sum", "1e99"),
        ("--payment-method", "cash"),
        ("--currency", "USD"),
    ] {
        let mut args = good.to_vec();
        match args.iter().position(|word| *word == field) {
            Some(place) => args[place + 1] = value,
            None => args.extend([field, value]),
        }
        refused_argument(&shop.run(&[&args[..], &["--reference", "order-11"]].concat()));
    }
    for more in [
        &["--status-webhook-url", "https://shop.example/"][..],
        &["--replace", "x"],
        &["--callback-url", "https://shop.example/?x"],
        &["--callback-url", "nowhere"],
        &["--timeout-ms", "14999"],
        &["--journal", ""],
        &["--account", "another"],
        &["--pay-wait-ms", "soon"],
        &["--pay-wait-ms", "1.5"],
        &["--pay-wait-ms", "4294967296"],
        &["--durability-vouched", "fsyncs"],
    ] {
        refused_argument(&shop.pay("order-11", ACCOUNT, more));
    }
    // The same reference with another sum is refused.
    refused_argument(&shop.run(&[&good[..], &["--reference", "order-10"]].concat()));
    assert_eq!((shop.lines(&["list"]).len(), shop.sandbox.requests("newPayment")), (1, 1));
}

#[test]
fn a_journal_that_cannot_be_stored_in_sends_nothing() {
    let shop = Shop::new();
    let folder = shop.file().with_file_name("no-such-folder");
    for file in [folder.join("payments.db"), std::env::current_exe().unwrap()] {
        let ran = shop.pay("order-12", ACCOUNT, &["--journal", file.to_str().unwrap()]);
        let error = ran.error();
        assert_eq!(
            (ran.status, error["code"].as_str(), error["outcome"].as_str()),
            (3, Some("storage"), Some("not_sent")),
            "{error}"
        );
    }
    let mut without = shop.command(&["list"]);
    without.env_remove("MERCHANTPAY_JOURNAL");
    let ran = run(without);
    refused_argument(&ran);
    assert!(ran.stderr.contains("MERCHANTPAY_JOURNAL"), "{}", ran.stderr);
    assert_eq!(shop.sandbox.requests("newPayment"), 0);
}
