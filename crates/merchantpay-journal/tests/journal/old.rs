//! The import of an export that version 0.3.0 has written. The service has made its orders again.

use merchantpay::{Code, Result};
use merchantpay_journal::operator::{Imported, Operator};
use merchantpay_journal::{Attention, Intent, IntentState, Journal, Reason, Standing};
use serde_json::Value;

use crate::service::{Order, Service, good, request};

const EXPORT: &str = include_str!("old/export.jsonl");
/// The base URL in the export, which is its account.
const ACCOUNT: &str = "http://old.example";
const ATTEMPTS: u64 = 15;

/// The orders of the service, `o-1` first: their attempts, and their statuses when the journal was paused. The
/// replies that named `o-9` and `o-10` were lost.
const ORDERS: [(&str, u32, &str); 13] = [
    ("open-new", 1, "pending"),
    ("open-read", 1, "pending"),
    ("paid-new", 1, "doneSuccess"),
    ("paid-read", 1, "doneSuccess"),
    ("failed", 1, "doneFail"),
    ("replaced-open", 1, "pending"),
    ("receipt", 1, "receiptRequired"),
    ("replaced-open", 2, "pending"),
    ("unknown", 1, "pending"),
    ("replaced-unknown", 1, "pending"),
    ("replaced-unknown", 2, "pending"),
    ("twice", 1, "doneSuccess"),
    ("twice", 2, "doneSuccess"),
];

const FAILED: usize = 4;
const REPLACED_OPEN: usize = 5;
const UNKNOWN: usize = 8;

fn lines(service: &Service) -> Vec<String> {
    EXPORT.lines().map(|line| line.replace(ACCOUNT, service.url())).collect()
}

/// The line of an attempt, and its place.
fn line(lines: &[String], reference: &str, attempt: u32) -> (usize, Value) {
    let parsed = lines.iter().map(|line| serde_json::from_str::<Value>(line).unwrap());
    let attempt = attempt.to_string();
    parsed
        .enumerate()
        .find(|(_, line)| line["reference"] == reference && line["attempt"] == *attempt)
        .unwrap()
}

fn service() -> Service {
    let service = Service::new();
    let lines = lines(&service);
    let order = |(place, (reference, attempt, status)): (usize, &(&str, u32, &'static str))| Order {
        id: format!("o-{}", place + 1),
        status,
        sum: "10".to_owned(),
        token: line(&lines, reference, *attempt).1["token"].as_str().unwrap().to_owned(),
    };
    service.state().orders = ORDERS.iter().enumerate().map(order).collect();
    service
}

fn import(service: &Service, lines: &[String]) -> Result<Imported> {
    Operator::open(service.config())?.import_from_0_3(true, lines.iter().cloned().map(Ok))
}

fn imported(service: &Service) -> Journal {
    let imported = import(service, &lines(service)).unwrap();
    assert_eq!((imported.attempts, imported.present), (ATTEMPTS, 0));
    service.journal()
}

#[test]
fn every_standing_and_level_is_imported() {
    let service = service();
    let journal = imported(&service);
    let operator = Operator::of(&journal);
    let first = |reference: &str| operator.attempts(reference).unwrap().remove(0);
    for (reference, standing, is_acknowledged, succeeded) in [
        ("open-new", Standing::Open, false, false),
        ("open-read", Standing::Open, true, false),
        ("paid-new", Standing::Final, false, true),
        ("paid-read", Standing::Final, true, true),
        ("failed", Standing::Final, false, false),
        // Acknowledged below what was reported.
        ("receipt", Standing::Open, false, false),
        ("replaced-open", Standing::Superseded, false, false),
        ("replaced-unknown", Standing::Superseded, true, false),
        ("refused", Standing::Refused, true, false),
        ("unknown", Standing::Unknown, true, false),
        ("resolved", Standing::Refused, false, false),
    ] {
        let entry = first(reference);
        let found = (entry.standing, entry.acknowledged, entry.succeeded);
        assert_eq!(found, (standing, is_acknowledged, succeeded), "{reference}: {entry:?}");
        let (_, old) = line(&lines(&service), reference, 1);
        assert_eq!(entry.order_id.as_deref(), old["order_id"].as_str(), "{reference}");
        assert_eq!(entry.created_at.to_string(), old["created_at"], "{reference}");
    }
    let cancelled = first("replaced-open");
    assert_eq!(
        (cancelled.intent, cancelled.intent_state),
        (Some(Intent::Cancel), Some(IntentState::Accepted))
    );
    assert!(first("open-new").credentials.is_some());
    let ships: Vec<_> = journal.news(20).unwrap().into_iter().filter(|entry| entry.succeeded).collect();
    let ships: Vec<&str> = ships.iter().map(|entry| entry.reference.as_str()).collect();
    assert_eq!(ships, ["paid-new", "twice"], "no pause, and nothing is shipped again");
    let states = "SELECT state || restored FROM merchantpay_attempts WHERE replaced = 1 ORDER BY reference";
    assert_eq!(service.sql(states), "open0\nsent0");
    assert_eq!(service.sql("SELECT SUM(restored) FROM merchantpay_attempts"), "0");
    let notes = service.sql("SELECT body FROM merchantpay_messages WHERE kind = 'note'");
    assert!(notes.lines().any(|note| note == "support says so"), "{notes}");
}

#[test]
fn tokens_and_hashes_stay() {
    let service = service();
    let journal = imported(&service);
    // A webhook that was on its way.
    let healed = service.send_status(&journal, UNKNOWN).entry.unwrap();
    assert_eq!(
        (healed.reference.as_str(), healed.standing, healed.credentials.is_some()),
        ("unknown", Standing::Open, true)
    );
    for (reference, attempt) in
        [("open-new", 1), ("paid-read", 1), ("unknown", 1), ("replaced-open", 2), ("failed", 1)]
    {
        assert_eq!(journal.pay(reference, &good()).unwrap().attempt, attempt, "{reference}");
        let error = journal.pay(reference, &request("11")).unwrap_err();
        assert_eq!(error.code(), Code::InvalidArgument, "{reference}");
    }
    assert_eq!(service.count("new"), 0);
    assert_eq!(journal.pay("refused", &good()).unwrap().attempt, 2);
    // A failure that arbitration turns is found.
    service.set(FAILED, "doneSuccess");
    journal.settle(50).unwrap();
    assert!(journal.find("failed").unwrap().unwrap().succeeded);
    assert_eq!(service.order(REPLACED_OPEN).status, "pending", "its cancel was accepted before");
}

#[test]
fn import_can_be_repeated_and_is_not_visible_before_its_end() {
    let service = service();
    let all = lines(&service);
    let cut: Vec<String> = all[..5].iter().cloned().chain(["{\"cut".to_owned()]).collect();
    assert_eq!(import(&service, &cut).unwrap_err().code(), Code::InvalidArgument);
    let journal = service.journal();
    let half = journal.pay("fresh", &good()).unwrap_err();
    assert!(half.message().contains("import"), "half a journal makes no payment: {half}");
    let imported = import(&service, &all).unwrap();
    assert_eq!(imported.attempts + imported.present, ATTEMPTS);
    assert_eq!(journal.pay("fresh", &good()).unwrap().attempt, 1);
}

#[test]
fn journal_that_may_go_on_paying_is_refused() {
    let service = service();
    let operator = Operator::open(service.config()).unwrap();
    let lines = lines(&service);
    let error = operator.import_from_0_3(false, lines.iter().cloned().map(Ok)).unwrap_err();
    assert!(error.code() == Code::InvalidArgument && error.message().contains("for ever"), "{error}");
    // A call that the export shows as running.
    let mut running = lines.clone();
    let (place, mut sending) = line(&lines, "unknown", 1);
    let record = sending["record"].as_str().unwrap().replace("\"callEnded\":true", "\"callEnded\":false");
    let (begin, _) = record.split_once("\"callUntil\":").unwrap();
    let (_, end) = record.split_once(",\"cancel\"").unwrap();
    sending["record"] = format!("{begin}\"callUntil\":{},\"cancel\"{end}", 1_i64 << 42).into();
    sending["standing"] = "sending".into();
    running[place] = sending.to_string();
    let error = import(&service, &running).unwrap_err();
    assert!(error.code() == Code::InvalidArgument && error.message().contains("never resume it"), "{error}");
    assert_eq!(service.sql("SELECT COUNT(*) FROM merchantpay_attempts"), "0");
}

#[test]
fn export_of_another_account_is_refused() {
    let service = service();
    let lines = lines(&service);
    let named =
        |name: &str| -> Vec<String> { lines.iter().map(|line| line.replace(service.url(), name)).collect() };
    import(&service, &named("shop")).unwrap();
    drop(service.journal());
    for other in ["another shop", "http://other.example", service.url()] {
        let error = import(&service, &named(other)).unwrap_err();
        assert!(error.message().contains("another account"), "{other}: {error}");
    }
    let mixed: Vec<String> = named("shop").into_iter().chain(named("another")).collect();
    assert_eq!(import(&service, &mixed).unwrap_err().code(), Code::InvalidArgument);
    // The base URL of an export without a name becomes the journal's.
    let service = self::service();
    import(&service, &named("http://other.example")).unwrap();
    let error = Journal::open(&service.client(), service.config()).unwrap_err();
    assert!(error.message().contains("base URL"), "{error}");
}

#[test]
fn second_success_and_orphans_of_an_old_journal_are_for_a_person() {
    let service = service();
    let journal = imported(&service);
    let all = Operator::of(&journal).attempts("twice").unwrap();
    assert_eq!(all.iter().map(|entry| entry.succeeded).collect::<Vec<_>>(), [true, false]);
    assert!(all[1].attention.contains(&Reason::PaidUnasked));
    let items = journal.attention(10).unwrap();
    let is_orphan = |item: &Attention| matches!(item, Attention::Orphan(of) if of.order_id == "foreign");
    assert!(items.iter().any(is_orphan), "{items:?}");
}
