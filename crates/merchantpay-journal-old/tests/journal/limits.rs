//! Tests of wrong input and of limits.

use std::time::{Duration, Instant};

use merchantpay::{Client, Code, Outcome, PaymentRequest};
use merchantpay_journal_old::{Attention, Journal, Resolution, Standing, Until};
use merchantpay_sandbox::{Fault, Sandbox};

use crate::shop::{CALLBACK, PATIENCE, Shop, config, options, request};

fn assert_invalid<T>(result: merchantpay::Result<T>, what: &str) {
    let error = result.err().unwrap_or_else(|| panic!("{what} was taken"));
    assert_eq!((error.code(), error.outcome()), (Code::InvalidArgument, Outcome::NotSent), "{what}");
}

#[test]
fn wrong_input_is_refused_and_nothing_is_written_or_sent() {
    let shop = Shop::new();
    let journal = shop.journal();
    let good = request("10", "79001234567");
    let long = "x".repeat(121);
    for reference in ["", " ", " a", "a ", "a\nb", "a\0", "\u{200b}", long.as_str()] {
        assert_invalid(journal.pay(reference, &good), reference);
        assert_invalid(journal.pay_async(reference, &good), reference);
        assert_invalid(journal.replace(reference, &good, 1), reference);
    }
    let url = "https://shop.example/own";
    let requests: [(&str, PaymentRequest); 6] = [
        ("a sum of 0", request("0", "79001234567")),
        ("a sum below 0", request("-1", "79001234567")),
        ("no account", request("10", " ")),
        ("a URL of its own", good.clone().status_webhook_url(url)),
        ("credentials by webhook", good.clone().credentials_webhook_url(url)),
        ("an empty merchantId", good.clone().merchant_id("")),
    ];
    for (what, request) in requests {
        assert_invalid(journal.pay("order", &request), what);
    }
    let own = [good.clone().status_webhook_url(url), good.clone().credentials_webhook_url(url)];
    for request in own {
        assert_invalid(journal.pay_async("order", &request), "a URL of its own");
        assert_invalid(journal.replace_async("order", &request, 1), "a URL of its own");
    }
    assert_invalid(
        Journal::open(&shop.client, shop.config().timeout(Duration::from_secs(14))),
        "a short deadline",
    );
    for url in [
        "",
        "shop.example",
        "ftp://shop.example",
        "https://user@shop.example/x",
        "https://shop.example/x?y",
        "https://shop.example/#y",
    ] {
        assert_invalid(Journal::open(&shop.client, shop.config().callback_url(url)), url);
    }
    assert_invalid(Journal::open(&shop.client, shop.config().account("")), "an empty account");
    assert_invalid(Journal::open(&shop.client, shop.config().calls_per_second(0)), "no calls");
    for calls in [0, 65] {
        assert_invalid(Journal::open(&shop.client, shop.config().calls_at_once(calls)), "calls at once");
    }
    assert_invalid(
        Journal::open(&shop.client, shop.folder.another("alone")).unwrap().pay_async("order", &good),
        "pay_async without a callback URL",
    );

    assert!(journal.list(None, 10, None).unwrap().is_empty());
    assert_eq!(shop.sandbox.requests("newPayment") + shop.sandbox.requests("newPaymentAsync"), 0);

    let entry = journal.pay("order", &good).unwrap();
    let long = "x".repeat(501);
    for note in ["", "  ", "a\0", long.as_str()] {
        assert_invalid(journal.resolve(&entry, &Resolution::Seen, note), note);
        assert_invalid(journal.resolve_orphan("o-1", note), note);
    }
    for resolution in [Resolution::NoPayment, Resolution::Seen] {
        assert_invalid(
            journal.resolve(&entry, &resolution, "a note"),
            "what cannot be said of an open attempt",
        );
    }
    assert_invalid(
        journal.wait("another", std::time::Duration::ZERO, Default::default()),
        "no such reference",
    );
    assert_invalid(journal.import("{}"), "no line");
}

#[test]
fn the_answer_to_a_webhook_follows_from_its_effect() {
    let shop = Shop::new();
    let journal = shop.journal();
    let entry = journal.pay("order", &request("10", "79001234567")).unwrap();
    let other = journal.pay("other", &request("10", "79001234567")).unwrap();
    journal.confirm(&entry).unwrap();
    let order_id = entry.order_id().unwrap();
    let delivery = shop.sandbox.wait_for_delivery(order_id, "status", crate::shop::PATIENCE).unwrap();
    let to =
        |url: &str, body: &[u8], signature: &str| journal.receive(url, body, signature, None).http_status;
    journal.confirm(&other).unwrap();
    let others = shop
        .sandbox
        .wait_for_delivery(other.order_id().unwrap(), "status", crate::shop::PATIENCE)
        .unwrap()
        .url;
    for (url, body, signature, status) in [
        (delivery.url.as_str(), &b"{}"[..], delivery.signature.as_str(), 400),
        (&delivery.url, &delivery.body, "", 400),
        (&delivery.url, &delivery.body, "AAAA", 400),
        ("/callback/", &delivery.body, &delivery.signature, 404),
        ("/callback/00000000000000000000000000000000", &delivery.body, &delivery.signature, 404),
        (&others, &delivery.body, &delivery.signature, 409),
        (&delivery.url, &delivery.body, &delivery.signature, 200),
        (&delivery.url, &delivery.body, &delivery.signature, 200),
    ] {
        assert_eq!(to(url, body, signature), status, "{url} {signature}");
    }
    // One orphan is kept for each order id.
    let attention = journal.attention(10).unwrap();
    let orphans: Vec<&str> = attention
        .iter()
        .filter_map(
            |item| if let Attention::Orphan(orphan) = item { Some(orphan.order_id.as_str()) } else { None },
        )
        .collect();
    assert_eq!(orphans, [order_id]);
    assert!(journal.resolve_orphan(order_id, "seen by the operator").unwrap());
    assert!(journal.attention(10).unwrap().is_empty());
}

#[test]
fn the_longest_times_that_a_caller_can_name_are_no_panic() {
    let shop = Shop::new();
    let config = shop.config().timeout(Duration::MAX).pay_wait(Duration::MAX);
    let journal = Journal::open(&shop.client, config).unwrap();
    let entry = journal.pay("order", &request("10", "79001234567")).unwrap();
    journal.pay("order", &request("10", "79001234567")).unwrap();
    journal.confirm(&entry).unwrap();
    assert!(journal.wait("order", Duration::MAX, Until::Final).unwrap().succeeded());
    shop.folder.store().run("UPDATE merchantpay_journal SET due_at = 1", &[]).unwrap();
    journal.settle(10).unwrap();
}

#[test]
fn a_short_wait_ends_although_the_service_does_not_answer() {
    let shop = Shop::new();
    let client = Client::new(config(&shop.sandbox).timeout(PATIENCE)).unwrap();
    let journal = Journal::open(&client, shop.config().timeout(PATIENCE)).unwrap();
    journal.pay("order", &request("10", "79001234567")).unwrap();
    shop.sandbox.misbehave(Fault::StallBeforeCommit, Some("getStatus"), 100);
    let begun = Instant::now();
    let entry = journal.wait("order", Duration::from_millis(300), Until::Final).unwrap();
    assert_eq!(
        (entry.standing(), entry.error().map(|error| error.code.as_str())),
        (Standing::Open, Some("timeout"))
    );
    assert!(begun.elapsed() < PATIENCE, "the deadline of a call counted");
}

#[test]
fn a_journal_is_of_one_account() {
    let shop = Shop::new();
    shop.journal().pay("order", &request("10", "79001234567")).unwrap();
    let test = Sandbox::start(options()).unwrap();
    let test_client = merchantpay::Client::new(config(&test)).unwrap();
    assert_invalid(Journal::open(&test_client, shop.config()), "another base URL");
    // If the account has a name, that name stays valid when keys and URLs change.
    let named = shop.folder.another("named").callback_url(CALLBACK).account("shop");
    Journal::open(&shop.client, named.clone()).unwrap().pay("order", &request("10", "79001234567")).unwrap();
    assert!(Journal::open(&test_client, named).unwrap().find("order").unwrap().is_some());
}
