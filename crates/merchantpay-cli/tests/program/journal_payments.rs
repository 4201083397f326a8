//! `journal pay`, `replace`, `confirm`, `cancel` and `wait`: their output and exit status.

use merchantpay_sandbox::Fault;
use serde_json::{Value, json};

use crate::common::{Ran, at, program, run};
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
fn lost_reply_exits_with_4_until_the_attempt_is_replaced() {
    let shop = Shop::new();
    shop.lose("order-4");
    let unknown = [("standing", json!("unknown")), ("orderId", json!(null))];
    check(&shop.pay("order-4", ACCOUNT, &[]), 4, &unknown);
    check(&shop.run(&["wait", "order-4"]), 4, &unknown);
    refused_argument(&shop.run(&["confirm", "order-4"]));
    assert_eq!((shop.sandbox.requests("newPayment"), shop.sandbox.requests("confirm")), (1, 0));
    let fields = ["--sum", "1500.50", "--payment-method", "sbp", "--customer-account", ACCOUNT];
    let replace =
        |attempt: &str| shop.run(&[&["replace", "order-4", "--attempt", attempt][..], &fields].concat());
    check(&replace("1"), 0, &[("attempt", json!(2)), ("standing", json!("open"))]);
    // A repeated call, as after a double click, makes no third attempt.
    check(&replace("1"), 0, &[("attempt", json!(2))]);
    refused_argument(&replace("3"));
    assert_eq!(shop.sandbox.requests("newPayment"), 2);
    assert_eq!(shop.lines(&["show", "order-4"])[1]["standing"], "superseded");
}

#[test]
fn instruction_exits_with_what_the_service_said_of_it() {
    let shop = Shop::new();
    let order_id = shop.paid_for("order-6", ACCOUNT);
    assert_eq!(run(at(&shop.sandbox, &["confirm", &order_id])).status, 0);
    check(&shop.run(&["cancel", "order-6"]), 1, &[("intentState", json!("refused"))]);
    shop.paid_for("order-7", "stays-pending");
    shop.sandbox.misbehave(Fault::DropAfterCommit, Some("confirm"), 1);
    check(&shop.run(&["confirm", "order-7"]), 4, &[("intentState", json!("stored"))]);
}

#[test]
fn asynchronous_payment_gets_its_credentials_by_webhook() {
    let shop = Shop::new();
    shop.pay("order-8", ACCOUNT, &["--async"]);
    assert_eq!(shop.sandbox.requests("newPaymentAsync"), 1);
    assert_eq!(shop.deliver(&shop.any_webhook("credentials")).stdout, "{\"httpStatus\":200}\n");
    check(&shop.run(&["wait", "order-8", "--until", "credentials"]), 0, &[("standing", json!("open"))]);
    check(&shop.pay("order-8", ACCOUNT, &["--async"]), 0, &[("attempt", json!(1))]);
    let fields = ["--sum", "1", "--payment-method", "sbp", "--customer-account", "1"];
    let mut without = shop.command(&[&["pay", "--async", "--reference", "order-9"][..], &fields].concat());
    without.env_remove("MERCHANTPAY_CALLBACK_URL");
    refused_argument(&run(without));
    assert_eq!(shop.lines(&["list"]).len(), 1, "nothing was written");
}

#[test]
fn bad_input_writes_and_sends_nothing() {
    let shop = Shop::new();
    shop.paid_for("order-10", ACCOUNT);
    let good = ["pay", "--sum", "10", "--payment-method", "sbp", "--customer-account", "1"];
    for reference in ["", " order", "a\nb", &"x".repeat(121)] {
        refused_argument(&shop.run(&[&good[..], &["--reference", reference]].concat()));
    }
    for more in [
        &["--currency", "USD"][..],
        &["--status-webhook-url", "https://shop.example/"],
        &["--callback-url", "https://shop.example/?x"],
        &["--callback-url", "nowhere"],
        &["--timeout", "14999ms"],
        &["--journal", ""],
        &["--journal-connections", "0"],
        &["--pay-wait", "soon"],
        &["--pay-wait", "4294967296ms"],
        &["--durability-vouched", "fsyncs"],
    ] {
        refused_argument(&shop.pay("order-11", ACCOUNT, more));
    }
    // The same reference with another sum is refused.
    refused_argument(&shop.run(&[&good[..], &["--reference", "order-10"]].concat()));
    let mut without = shop.command(&["list"]);
    without.env_remove("MERCHANTPAY_JOURNAL");
    let ran = run(without);
    refused_argument(&ran);
    assert!(ran.stderr.contains("MERCHANTPAY_JOURNAL"), "{}", ran.stderr);
    assert_eq!((shop.lines(&["list"]).len(), shop.sandbox.requests("newPayment")), (1, 1));
}

/// A sandbox and the production must never share payments.
#[test]
fn first_client_makes_the_journal_its_accounts() {
    let shop = Shop::new();
    assert_eq!(shop.lines(&["list"]), [Value::Null; 0]);
    for (variable, value, word, allow) in [
        ("MERCHANTPAY_KEY_ID", "another-key", "key id", "allow-key"),
        ("MERCHANTPAY_BASE_URL", "http://127.0.0.1:9", "base URL", "allow-url"),
    ] {
        let list = || {
            let mut list = shop.command(&["list"]);
            list.env(variable, value);
            run(list)
        };
        let refused = list();
        refused_argument(&refused);
        let message = refused.error()["message"].as_str().unwrap().to_owned();
        assert!(message.contains("belongs to another account") && message.contains(word), "{message}");
        assert!(message.contains(&format!("`merchantpay journal {allow}`")), "{message}");
        // The operator's commands need no account.
        let file = shop.file();
        let allowed = run(program(&["journal", allow, value, "--journal", file.to_str().unwrap()]));
        assert_eq!(allowed.reply(), json!({"allowed": value}));
        assert_eq!(list().status, 0, "{allow}");
    }
}
