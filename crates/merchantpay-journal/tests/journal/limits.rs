//! Wrong input and the ends of ranges.

use std::time::Duration;

use merchantpay::{Code, Outcome};
use merchantpay_journal::{Journal, JournalConfig, METHODS, Resolution, SETTINGS, Until};

use crate::shop::{Shop, good, request, sql};

fn assert_invalid<T>(result: merchantpay::Result<T>, what: &str) -> String {
    let error = result.err().unwrap_or_else(|| panic!("{what} was taken"));
    assert_eq!((error.code(), error.outcome()), (Code::InvalidArgument, Outcome::NotSent), "{what}: {error}");
    error.message().to_owned()
}

#[test]
fn unusable_input_is_refused_before_anything_is_stored() {
    let shop = Shop::new();
    let journal = shop.journal();
    let long = "x".repeat(121);
    for reference in ["", " ", " a", "a ", "a\nb", "a\0", "\u{200b}", "a~2", &long] {
        assert_invalid(journal.pay(reference, &good()), reference);
        assert_invalid(journal.replace(reference, 1, &good()), reference);
    }
    let url = "https://shop.example/own";
    for (what, request) in [
        ("a sum of 0", request("0", "79001234567")),
        ("a sum below 0", request("-1", "79001234567")),
        ("no account", request("10", " ")),
        ("a URL of its own", good().status_webhook_url(url)),
        ("credentials by webhook", good().credentials_webhook_url(url)),
        ("an empty merchantId", good().merchant_id("")),
    ] {
        assert_invalid(journal.pay("order", &request), what);
        assert_invalid(journal.pay_async("order", &request), what);
    }
    let bare = JournalConfig::new(shop.folder.file("bare.db").to_str().unwrap()).create(true);
    assert_invalid(
        Journal::open(&shop.client, bare).unwrap().pay_async("order", &good()),
        "pay_async without callback_url",
    );
    assert!(journal.list(None, 10, None).unwrap().is_empty());
    let entry = journal.pay("order", &good()).unwrap();
    let long = "x".repeat(501);
    for note in ["", "  ", "a\0", &long] {
        assert_invalid(journal.resolve(&entry, &Resolution::NoPayment, note), note);
        assert_invalid(journal.resolve_orphan("o-1", None, note), note);
    }
    for resolution in [Resolution::NoPayment, Resolution::Trusted] {
        assert_invalid(journal.resolve(&entry, &resolution, "a note"), "what does not fit an open attempt");
    }
    assert_invalid(journal.confirm(("order", 2)), "no such attempt");
    assert_eq!(shop.sandbox.requests("newPayment"), 1);
}

#[test]
fn wrong_setting_is_named() {
    let shop = Shop::new();
    for (setting, config) in [
        ("timeout", shop.config().timeout(Duration::from_secs(14))),
        ("callback_url", shop.config().callback_url("")),
        ("callback_url", shop.config().callback_url("shop.example")),
        ("callback_url", shop.config().callback_url("https://user@shop.example/x")),
        ("callback_url", shop.config().callback_url("https://shop.example/x?y")),
        ("connections", shop.config().connections(0)),
        ("durability_vouched", shop.config().durability_vouched(["everything"])),
        ("place", JournalConfig::new("payments.db")),
        ("place", JournalConfig::new(":memory:")),
        ("place", JournalConfig::new("sqlite:/x")),
        ("place", JournalConfig::new("oracle://x/y")),
    ] {
        let message = assert_invalid(Journal::open(&shop.client, config), setting);
        assert!(message.contains(setting), "{setting}: {message}");
    }
    for (name, text) in [
        ("timeout_ms", "soon"),
        ("create", "yes"),
        ("connections", "-1"),
        ("account", "x"),
        ("pay_wait_ms", ""),
    ] {
        let message = assert_invalid(shop.config().set(name, text), name);
        assert!(message.contains(name), "{message}");
    }
}

#[test]
fn settings_are_set_by_name_as_by_method() {
    let file = "/tmp/journal.db";
    let named = [
        ("place", file),
        ("create", "1"),
        ("timeout_ms", "20000"),
        ("pay_wait_ms", "7"),
        ("callback_url", "https://x.example"),
    ];
    let mut set = JournalConfig::new("");
    named.iter().try_for_each(|(name, text)| set.set(name, *text)).unwrap();
    let built = JournalConfig::new(file)
        .create(true)
        .timeout(Duration::from_secs(20))
        .callback_url("https://x.example");
    assert_eq!(format!("{set:?}"), format!("{:?}", built.pay_wait(Duration::from_millis(7))));
    assert!(!format!("{set:?}").contains(file), "a place may have a password");
}

#[test]
fn tables_are_complete() {
    for setting in SETTINGS {
        assert!(!setting.doc.is_empty() && !setting.doc.contains('\n'), "{}", setting.name);
    }
    let names: Vec<&str> = METHODS.iter().map(|method| method.name).collect();
    let sorted: std::collections::BTreeSet<&str> = names.iter().copied().collect();
    assert_eq!(names.len(), sorted.len());
    for name in [
        "pay",
        "pay_async",
        "replace",
        "find",
        "list",
        "wait",
        "confirm",
        "cancel",
        "acknowledge",
        "receive",
        "settle",
        "news",
    ] {
        assert!(names.contains(&name), "{name}");
    }
    for method in METHODS {
        let is_optional = |argument: &&merchantpay_journal::Argument| argument.default.is_some();
        let first = method
            .arguments
            .iter()
            .position(|argument| is_optional(&argument))
            .unwrap_or(method.arguments.len());
        assert!(method.arguments[first..].iter().all(|argument| is_optional(&argument)), "{}", method.name);
    }
}

#[test]
fn longest_times_are_no_panic() {
    let shop = Shop::new();
    let config = shop.config().timeout(Duration::MAX).pay_wait(Duration::MAX);
    let journal = Journal::open(&shop.client, config).unwrap();
    let entry = journal.pay("order", &good()).unwrap();
    journal.confirm(&entry).unwrap();
    assert!(journal.wait("order", Until::Final, Duration::MAX).unwrap().succeeded);
    sql(&shop.file(), &format!("UPDATE merchantpay_attempts SET due_at = {}, news = {}", i64::MIN, i64::MAX));
    journal.settle(10).unwrap();
}

#[test]
fn missing_journal_says_what_to_check_before_init() {
    let shop = Shop::new();
    let config = JournalConfig::new(shop.file().to_str().unwrap());
    let error = Journal::open(&shop.client, config).unwrap_err();
    assert_eq!(
        (error.code(), error.outcome(), error.is_transient()),
        (Code::Storage, Outcome::NotSent, false)
    );
    let advice = "if this journal existed before, check the mount and the path; only for a new shop: `merchantpay journal init";
    assert!(error.message().contains(advice), "{error}");
}
