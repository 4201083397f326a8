//! Entries, settings and methods as values.

use std::time::Duration;

use merchantpay::Code;
use merchantpay_journal::operator::Operator;
use merchantpay_journal::{Entry, Journal, JournalConfig, METHODS, SETTINGS, Until};

use crate::service::{Service, request};

#[test]
fn entry_is_one_line_of_json_with_exact_numbers() {
    let service = Service::new();
    let entry = service.journal().pay("order \"1\"", &request("1500.50")).unwrap();
    let json = entry.to_json();
    let begin = r#"{"reference":"order \"1\"","attempt":1,"standing":"open","orderId":"o-1""#;
    assert!(json.starts_with(begin) && !json.contains('\n') && !json.contains("token"), "{json}");
    assert!(
        json.contains(r#""sumAsked":1500.50,"sumPaid":null,"succeeded":false,"credentials":{"#),
        "{json}"
    );
    let value: serde_json::Value = serde_json::from_str(&json).unwrap();
    let mut names: Vec<String> = value.as_object().unwrap().keys().cloned().collect();
    let camel = |name: &str| {
        let mut parts = name.split('_');
        let first = parts.next().unwrap().to_owned();
        parts.fold(first, |all, part| all + &part[..1].to_uppercase() + &part[1..])
    };
    let mut fields: Vec<String> = Entry::FIELDS.iter().map(|field| camel(field.name)).collect();
    names.sort();
    fields.sort();
    assert_eq!(names, fields);
    let debug = format!("{entry:?}");
    let payee = entry.credentials.as_ref().unwrap().payee_account().unwrap();
    assert!(json.contains(payee) && !debug.contains(payee), "{debug}");
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
    for (name, text) in [("timeout_ms", "soon"), ("create", "yes"), ("connections", "-1"), ("account", "x")] {
        let error = set.set(name, text).unwrap_err();
        assert!(error.message().contains(name), "{error}");
    }
}

#[test]
fn tables_fit_every_language() {
    assert!(SETTINGS.iter().all(|setting| !setting.doc.is_empty() && !setting.doc.contains('\n')));
    for method in METHODS {
        assert_eq!(METHODS.iter().filter(|other| other.name == method.name).count(), 1);
        let optional = method.arguments.iter().map(|argument| argument.default.is_some());
        assert!(optional.is_sorted(), "{}: optional arguments come last", method.name);
    }
}

#[test]
fn longest_times_are_no_panic() {
    let service = Service::new();
    let config = service.config().timeout(Duration::MAX).pay_wait(Duration::MAX);
    let journal = Journal::open(&service.client(), config).unwrap();
    journal.pay("order", &request("10")).unwrap();
    service.set(0, "doneSuccess");
    assert!(journal.wait("order", Until::Final, Duration::MAX).unwrap().succeeded);
    service.sql(&format!("UPDATE merchantpay_attempts SET due_at = {}, news = {}", i64::MIN, i64::MAX));
    journal.settle(10).unwrap();
}

#[test]
fn import_refuses_what_is_no_export() {
    let service = Service::new();
    let operator = Operator::of(&service.journal());
    let mut head = String::new();
    let keep = |line: &str| {
        head = line.to_owned();
        Ok(())
    };
    operator.export(keep).unwrap();
    let newer = head.replace("\"layout\":3", "\"layout\":4");
    let (head, newer) = (head.as_str(), newer.as_str());
    let attempt = "{\"attempt\":{}}";
    let cases: [&[&str]; 5] = [&[], &["{}"], &[attempt], &[head, attempt], &[newer]];
    for lines in cases {
        let error = operator.import(lines.iter().map(|line| Ok((*line).to_owned()))).unwrap_err();
        assert_eq!(error.code(), Code::InvalidArgument, "{lines:?}: {error}");
    }
}
