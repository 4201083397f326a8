//! `journal receive`, `news`, `acknowledge`, `attention` and `resolve`.

use merchantpay_sandbox::Fault;
use serde_json::{Value, json};

use crate::common::{Ran, run_with_stdin};
use crate::journal_shop::{ACCOUNT, Shop, lines};

fn answered(ran: &Ran, http_status: u16, exit: i32) {
    let status = format!("{{\"httpStatus\":{http_status}}}\n");
    assert_eq!((ran.status, ran.stdout.as_str()), (exit, status.as_str()), "{}", ran.stderr);
}

#[test]
fn a_callback_finds_the_payment_of_a_lost_reply() {
    let shop = Shop::new();
    shop.sandbox.misbehave(Fault::DropAfterCommit, Some("newPayment"), 1);
    assert_eq!(shop.pay("order-1", ACCOUNT, &[]).status, 4);
    let order_id = shop.sandbox_payment("order-1");
    shop.approve(&order_id);
    let delivery = shop.webhook(&order_id, "status");
    answered(&shop.deliver(&delivery), 200, 0);
    answered(&shop.deliver(&delivery), 200, 0);
    let entry = shop.entry("order-1");
    assert_eq!(
        (&entry["standing"], &entry["orderId"]),
        (&json!("open"), &json!(order_id)),
        "only getStatus makes it final"
    );
    let waited = shop.run(&["wait", "order-1"]).reply();
    assert_eq!((&waited["standing"], &waited["succeeded"]), (&json!("final"), &json!(true)));
}

#[test]
fn each_webhook_is_answered_by_what_it_is() {
    let shop = Shop::new();
    let order_id = shop.paid_for("order-2", ACCOUNT);
    let other = shop.paid_for("order-3", ACCOUNT);
    shop.approve(&order_id);
    shop.approve(&other);
    let (delivery, foreign) = (shop.webhook(&order_id, "status"), shop.webhook(&other, "status"));

    let mut tampered = delivery.body.clone();
    tampered.push(b' ');
    for (name, signature, body) in
        [("changed", delivery.signature.as_str(), tampered.as_slice()), ("no signature", "", &delivery.body)]
    {
        let ran = shop.receive(&delivery.url, signature, body);
        answered(&ran, 400, 5);
        let error: Value = serde_json::from_str(&ran.stderr).unwrap();
        assert_eq!(error["error"]["code"], "unverified", "{name}");
        assert!(error["error"]["cause"].is_string(), "{name}: {error}");
    }
    assert_eq!(shop.entry("order-2")["standing"], "open", "nothing of it was applied");

    answered(
        &shop.receive("/callback/00000000000000000000000000000000", &delivery.signature, &delivery.body),
        404,
        4,
    );
    answered(&shop.receive(&delivery.url, &foreign.signature, &foreign.body), 409, 4);
    answered(&shop.deliver(&delivery), 200, 0);
    let orphans: Vec<Value> =
        shop.lines(&["attention"]).into_iter().filter(|line| line["orphan"].is_object()).collect();
    assert_eq!(orphans.len(), 2, "{orphans:?}");
    assert_eq!(
        (&orphans[0]["orphan"]["orderId"], &orphans[0]["orphan"]["reference"]),
        (&json!(order_id), &json!(null))
    );
    assert_eq!(
        (&orphans[1]["orphan"]["orderId"], &orphans[1]["orphan"]["reference"]),
        (&json!(other), &json!("order-2"))
    );

    // The store cannot be used, so the service must send the webhook again.
    let mut broken = shop.command(&["receive", "--path", &delivery.url, "--signature", &delivery.signature]);
    broken.env("MERCHANTPAY_JOURNAL", "/no/such/folder/payments.db");
    let ran = run_with_stdin(broken, &delivery.body);
    answered(&ran, 503, 3);
    assert!(ran.stderr.contains("\"code\":\"storage\""), "{}", ran.stderr);
}

#[test]
fn news_are_reported_until_they_are_acknowledged_at_their_level() {
    let shop = Shop::new();
    let order_id = shop.paid_for("order-4", ACCOUNT);
    let acknowledge = |more: &[&str]| shop.run(&[&["acknowledge", "order-4"], more].concat());
    let news = shop.lines(&["news", "--claim", "1ms"]);
    assert_eq!((news.len(), &news[0]["reported"]), (1, &json!("credentials")));
    shop.approve(&order_id);
    answered(&shop.deliver(&shop.webhook(&order_id, "status")), 200, 0);
    // The change after `credentials` stays unacknowledged, because nobody has read it.
    let early = acknowledge(&["--reported", "credentials"]);
    assert_eq!(early.reply(), json!({"acknowledged": true, "reported": "final"}));
    let news = shop.lines(&["news"]);
    assert_eq!((news.len(), &news[0]["reported"], &news[0]["succeeded"]), (1, &json!("final"), &json!(true)));
    assert_eq!(shop.lines(&["news"]), [Value::Null; 0], "they are the first caller's for a minute");
    assert_eq!(
        acknowledge(&["--reported", "final"]).reply(),
        json!({"acknowledged": true, "reported": "final"})
    );
    assert_eq!(acknowledge(&[]).status, 1, "once");
    assert_eq!(shop.entry("order-4")["acknowledged"], "final");
    assert_eq!(acknowledge(&["--reported", "paid"]).status, 2);
}

#[test]
fn a_persons_decision_takes_an_item_off_the_list() {
    let shop = Shop::new();
    for reference in ["order-5", "order-6"] {
        shop.sandbox.misbehave(Fault::DropAfterCommit, Some("newPayment"), 1);
        assert_eq!(shop.pay(reference, ACCOUNT, &[]).status, 4);
    }
    let reasons = |reference: &str| {
        let items = shop.lines(&["attention"]);
        items.iter().find(|item| item["reference"] == reference).map(|item| item["attention"].clone())
    };
    assert_eq!(
        (reasons("order-5"), reasons("order-6")),
        (Some(json!(["unknown"])), Some(json!(["unknown"])))
    );

    let refused = |args: &[&str]| {
        let ran = shop.run(&[&["resolve", "order-5"], args].concat());
        assert_eq!(
            (ran.status, ran.error()["code"].as_str()),
            (2, Some("invalid_argument")),
            "{args:?}: {}",
            ran.stderr
        );
    };
    let long = "x".repeat(501);
    refused(&["--no-payment"]);
    refused(&["--note", "support says so"]);
    refused(&["--no-payment", "--seen", "--note", "both"]);
    refused(&["--no-payment", "--note", " "]);
    refused(&["--no-payment", "--note", &long]);
    refused(&["--attempt", "2", "--no-payment", "--note", "support says so"]);
    let ran = shop.run(&["resolve", "order-5", "--order-id", "no-such-order", "--note", "a slip"]);
    assert_eq!(
        (ran.status, ran.error()["code"].as_str()),
        (1, Some("rejected")),
        "the service is asked first"
    );
    assert_eq!(reasons("order-5"), Some(json!(["unknown"])));

    let made = shop.sandbox_payment("order-5");
    let resolved =
        shop.run(&["resolve", "order-5", "--order-id", &made, "--note", "support found it"]).reply();
    assert_eq!((&resolved["standing"], &resolved["orderId"]), (&json!("open"), &json!(made)));
    let resolved = shop.run(&["resolve", "order-6", "--no-payment", "--note", "support says so"]).reply();
    assert_eq!(resolved["standing"], "refused");
    assert_eq!(shop.lines(&["attention"]), [Value::Null; 0]);

    let order_id = shop.paid_for("order-7", "pays-less");
    shop.run(&["confirm", "order-7"]).reply();
    assert_eq!(shop.run(&["wait", "order-7"]).status, 4);
    assert_eq!(reasons("order-7"), Some(json!(["paid_differs"])), "{order_id}");
    let seen = |reasons: &str| shop.run(&["resolve", "order-7", reasons, "--note", "refunded"]);
    assert_eq!(seen("--seen=unknown").status, 2, "it shows another reason than the operator has read");
    seen("--seen=paid_differs").reply();
    assert_eq!(shop.lines(&["attention"]), [Value::Null; 0]);
}

#[test]
fn a_message_without_a_place_is_looked_at_by_its_order_id() {
    let shop = Shop::new();
    let order_id = shop.paid_for("order-8", ACCOUNT);
    shop.approve(&order_id);
    let delivery = shop.webhook(&order_id, "status");
    answered(&shop.receive("/callback/none", &delivery.signature, &delivery.body), 404, 4);
    assert_eq!(shop.run(&["resolve", "--orphan", "no-such-order", "--seen", "--note", "x"]).status, 2);
    let ran = shop.run(&["resolve", "--orphan", &order_id, "--seen", "--note", "sent again by hand"]);
    assert_eq!(ran.reply(), json!({"resolved": true}));
    assert_eq!(lines(&shop.run(&["attention"])), [Value::Null; 0]);
}
