//! The import of a journal of version 0.3.0, which the crate of that version makes.

use std::time::Duration;

use merchantpay::{Code, PaymentRequest, Result};
use merchantpay_journal::operator::{Imported, Operator};
use merchantpay_journal::{Attention, Intent, IntentState, Reason, Standing};
use merchantpay_journal_old::{
    Journal as OldJournal, JournalConfig as OldConfig, Level, Resolution as OldResolution,
};

use crate::service::{Plan, Service};
use crate::shop::{CALLBACK, config, good, select, sql};

fn old(service: &Service) -> OldJournal {
    let config = OldConfig::new(service.folder.file("old.db")).create(true).callback_url(CALLBACK);
    OldJournal::open(&service.client(), config.pay_wait(Duration::ZERO)).unwrap()
}

fn lines(old: &OldJournal) -> Vec<String> {
    let mut lines = Vec::new();
    old.export(|line| {
        lines.push(line.to_owned());
        Ok(())
    })
    .unwrap();
    lines
}

fn import(service: &Service, lines: &[String]) -> Result<Imported> {
    Operator::open(config(&service.file()))?.import_from_0_3(lines.iter().cloned().map(Ok))
}

fn pay(old: &OldJournal, reference: &str) -> merchantpay_journal_old::Entry {
    old.pay(reference, &good()).unwrap()
}

/// A journal with every standing and level; the order of each reference is at its place.
fn filled(service: &Service) -> OldJournal {
    let old = old(service);
    let webhook = |place: usize| {
        let order = service.order(place);
        let body = crate::service::status(&order).to_string();
        service.signed(&body, |signature| old.receive(&order.token, body.as_bytes(), signature, None));
    };
    for (place, reference) in
        ["open-new", "open-read", "paid-new", "paid-read", "failed", "replaced-open", "receipt"]
            .iter()
            .enumerate()
    {
        let entry = pay(&old, reference);
        assert!(entry.credentials().is_some(), "{reference}");
        assert_eq!(service.order(place).id, entry.order_id().unwrap());
    }
    for (place, status) in [(2, "doneSuccess"), (3, "doneSuccess"), (4, "doneFail"), (6, "receiptRequired")] {
        service.set(place, status);
        webhook(place);
    }
    for entry in old.news(20).unwrap() {
        if entry.reference().ends_with("read") {
            assert!(old.acknowledge(&entry).unwrap());
        }
    }
    // Acknowledged below what was reported.
    assert!(old.acknowledge_by("receipt", 1, Level::Credentials).unwrap());
    old.cancel(&old.find("replaced-open").unwrap().unwrap()).unwrap();
    service.set(5, "pending");
    old.replace("replaced-open", &good(), 1).unwrap();
    for (reference, plan) in [
        ("refused", Plan::Refused),
        ("unknown", Plan::Lost),
        ("replaced-unknown", Plan::Lost),
        ("resolved", Plan::Dead),
    ] {
        service.plan(plan);
        pay(&old, reference);
    }
    old.replace("replaced-unknown", &good(), 1).unwrap();
    let resolved = old.find("resolved").unwrap().unwrap();
    old.resolve(&resolved, &OldResolution::NoPayment, "support says so").unwrap();
    old.pause("moving to 0.4.0 for ever").unwrap();
    old
}

#[test]
fn every_standing_and_level_is_imported() {
    let service = Service::new();
    let old = filled(&service);
    let imported = import(&service, &lines(&old)).unwrap();
    assert_eq!((imported.attempts, imported.present), (13, 0));
    let journal = service.journal();
    let operator = Operator::of(&journal);
    let first = |reference: &str| operator.attempts(reference).unwrap().remove(0);
    for (reference, standing, is_acknowledged, succeeded) in [
        ("open-new", Standing::Open, false, false),
        ("open-read", Standing::Open, true, false),
        ("paid-new", Standing::Final, false, true),
        ("paid-read", Standing::Final, true, true),
        ("failed", Standing::Final, false, false),
        ("receipt", Standing::Open, false, false),
        ("replaced-open", Standing::Superseded, false, false),
        ("replaced-unknown", Standing::Superseded, true, false),
        ("refused", Standing::Refused, true, false),
        ("unknown", Standing::Unknown, true, false),
        ("resolved", Standing::Refused, false, false),
    ] {
        let entry = first(reference);
        assert_eq!(
            (entry.standing, entry.acknowledged, entry.succeeded),
            (standing, is_acknowledged, succeeded),
            "{reference}: {entry:?}"
        );
        let before = old.find(reference).unwrap().unwrap();
        let before = before.earlier().first().unwrap_or(&before);
        assert_eq!(
            (entry.order_id.as_deref(), entry.created_at),
            (before.order_id(), before.created_at()),
            "{reference}"
        );
    }
    let cancelled = first("replaced-open");
    assert_eq!(
        (cancelled.intent, cancelled.intent_state),
        (Some(Intent::Cancel), Some(IntentState::Accepted))
    );
    assert!(first("open-new").credentials.is_some());
    assert_eq!(
        journal.news(20).unwrap().iter().filter(|entry| entry.succeeded).count(),
        1,
        "no pause, and nothing is shipped again"
    );
    let restored = select(&service.file(), "SELECT SUM(restored) FROM merchantpay_attempts");
    assert_eq!(restored, [Some("0".to_owned())]);
    assert!(
        select(&service.file(), "SELECT body FROM merchantpay_messages WHERE kind = 'note'")
            .contains(&Some("support says so".to_owned()))
    );
}

#[test]
fn tokens_and_hashes_stay() {
    let service = Service::new();
    let old = filled(&service);
    import(&service, &lines(&old)).unwrap();
    let journal = service.journal();
    let made = service.count("new");
    // A webhook that was on its way.
    let place = service.state().orders.iter().position(|order| order.merchant_id == "unknown").unwrap();
    let healed = service.send_status(&journal, place).entry.unwrap();
    assert_eq!(
        (healed.reference.as_str(), healed.standing, healed.credentials.is_some()),
        ("unknown", Standing::Open, true)
    );
    for (reference, attempt) in
        [("open-new", 1), ("paid-read", 1), ("unknown", 1), ("replaced-open", 2), ("failed", 1)]
    {
        assert_eq!(journal.pay(reference, &good()).unwrap().attempt, attempt, "{reference}");
        let other =
            journal.pay(reference, &PaymentRequest::new(11, merchantpay::PaymentMethod::Sbp, "79001234567"));
        assert_eq!(other.unwrap_err().code(), Code::InvalidArgument, "{reference}");
    }
    assert_eq!(service.count("new"), made);
    assert_eq!(journal.pay("refused", &good()).unwrap().attempt, 2);
    // The replaced open one is cancelled, and a failure that arbitration turns is found.
    service.set(4, "doneSuccess");
    journal.settle(50).unwrap();
    assert!(journal.find("failed").unwrap().unwrap().succeeded);
    assert_eq!(service.order(5).status, "pending", "its cancel was accepted before");
}

#[test]
fn import_can_be_repeated_and_is_not_visible_before_its_end() {
    let service = Service::new();
    let old = filled(&service);
    let all = lines(&old);
    let cut: Vec<String> = all[..5].iter().cloned().chain(["{\"cut".to_owned()]).collect();
    assert_eq!(import(&service, &cut).unwrap_err().code(), Code::InvalidArgument);
    let journal = service.journal();
    assert!(
        journal.pay("fresh", &good()).unwrap_err().message().contains("import"),
        "half a journal makes no payment"
    );
    let imported = import(&service, &all).unwrap();
    assert_eq!(imported.attempts + imported.present, 13);
    assert_eq!(journal.pay("fresh", &good()).unwrap().attempt, 1);
}

#[test]
fn export_with_a_running_call_is_refused() {
    let service = Service::new();
    let old = old(&service);
    service.plan(Plan::Slow(Duration::from_millis(700)));
    std::thread::scope(|scope| {
        scope.spawn(|| pay(&old, "order"));
        while service.count("new") == 0 {
            std::thread::yield_now();
        }
        let error = import(&service, &lines(&old)).unwrap_err();
        assert!(
            error.code() == Code::InvalidArgument && error.message().contains("never resume it"),
            "{error}"
        );
    });
}

#[test]
fn second_success_and_orphans_of_an_old_journal_are_for_a_person() {
    let service = Service::new();
    let old = old(&service);
    pay(&old, "order");
    service.set(0, "doneFail");
    let order = service.order(0);
    let body = crate::service::status(&order).to_string();
    service.signed(&body, |signature| old.receive(&order.token, body.as_bytes(), signature, None));
    old.replace("order", &good(), 1).unwrap();
    old.pause("for ever").unwrap();
    let orphan =
        serde_json::json!({"success": true, "orderId": "foreign", "status": "doneSuccess", "sum": 5})
            .to_string();
    service.signed(&orphan, |signature| old.receive("nobody", orphan.as_bytes(), signature, None));
    for attempt in [1, 2] {
        let paid = format!(
            "UPDATE merchantpay_journal SET status = 'doneSuccess', sum_paid = sum_asked, standing = 'final' WHERE attempt = {attempt}"
        );
        sql(&service.folder.file("old.db"), &paid);
    }
    import(&service, &lines(&old)).unwrap();
    let journal = service.journal();
    let all = Operator::of(&journal).attempts("order").unwrap();
    assert_eq!(all.iter().map(|entry| entry.succeeded).collect::<Vec<_>>(), [true, false]);
    assert!(all[1].attention.contains(&Reason::PaidUnasked));
    let orphans = journal.attention(10).unwrap();
    assert!(
        orphans.iter().any(|item| matches!(item, Attention::Orphan(orphan) if orphan.order_id == "foreign")),
        "{orphans:?}"
    );
}
