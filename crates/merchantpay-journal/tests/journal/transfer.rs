//! Export and import.

use std::time::Duration;

use merchantpay::{Client, Code, Config, Keypair, Result};
use merchantpay_journal::operator::{Imported, Operator};
use merchantpay_journal::{Journal, Reason, Standing};

use crate::service::{Plan, Service};
use crate::shop::{acknowledge_all, config, good, select};

fn export(operator: &Operator) -> Vec<String> {
    let mut lines = Vec::new();
    let keep = |line: &str| {
        lines.push(line.to_owned());
        Ok(())
    };
    let count = operator.export(keep).unwrap();
    assert_eq!(count as usize, lines.len());
    lines
}

fn import(operator: &Operator, lines: &[String]) -> Result<Imported> {
    operator.import(lines.iter().cloned().map(Ok))
}

#[test]
fn import_keeps_everything_and_waits_for_a_person() {
    let service = Service::new();
    let journal = service.journal();
    let paid = journal.pay("paid", &good()).unwrap();
    service.set(0, "doneSuccess");
    service.send_status(&journal, 0);
    acknowledge_all(&journal);
    service.plan(Plan::Refused);
    journal.pay("refused", &good()).unwrap();
    journal.pay("open", &good()).unwrap();
    let operator = Operator::of(&journal);
    operator
        .pause("moving", |pause: Duration| {
            std::thread::sleep(pause);
            Ok(())
        })
        .unwrap();
    let lines = export(&operator);
    assert_eq!(lines.len(), 5, "the journal, three attempts and a message");

    let new = Operator::open(config(&service.folder.file("new.db"))).unwrap();
    let imported = import(&new, &lines).unwrap();
    assert_eq!((imported.attempts, imported.messages, imported.present), (3, 1, 0));
    let again = import(&new, &lines).unwrap();
    assert_eq!((again.attempts, again.messages, again.present), (0, 0, 4), "it can be repeated");
    let moved = service.journal_in("new.db");
    let found = moved.find("paid").unwrap().unwrap();
    assert_eq!((found.order_id, found.succeeded, found.acknowledged), (paid.order_id, true, true));
    assert!(moved.news(10).unwrap_err().message().contains("paused"));
    new.resume("decided").unwrap();
    assert_eq!(moved.pay("refused", &good()).unwrap().attention, [Reason::Unknown], "it is restored");
    let open = moved.pay("open", &good()).unwrap();
    assert_eq!((open.standing, open.credentials.is_some()), (Standing::Open, true));
    let copied = |file: &str, column: &str| {
        select(
            &service.folder.file(file),
            &format!("SELECT {column} FROM merchantpay_attempts ORDER BY reference"),
        )
    };
    for column in ["token", "asked", "details", "news", "acked", "success_of", "sum_asked", "created_at"] {
        if column != "news" {
            assert_eq!(copied("payments.db", column), copied("new.db", column), "{column}");
        }
    }
}

#[test]
fn import_refuses_what_is_no_export_or_another_accounts() {
    let service = Service::new();
    let journal = service.journal();
    journal.pay("order", &good()).unwrap();
    let lines = export(&Operator::of(&journal));
    let new = |name: &str| Operator::open(config(&service.folder.file(name))).unwrap();
    for broken in [
        vec![],
        vec!["{}".to_owned()],
        vec![lines[1].clone()],
        vec![lines[0].clone(), "{\"attempt\":{}}".to_owned()],
        vec![lines[0].replace("\"layout\":3", "\"layout\":4")],
    ] {
        let error = import(&new("broken.db"), &broken).unwrap_err();
        assert_eq!(error.code(), Code::InvalidArgument, "{error}");
    }
    let keys = Keypair::generate().unwrap();
    let other = Config::new(
        "https://other.example",
        "shop",
        keys.private_key().clone(),
        Keypair::generate().unwrap().public_key(),
    );
    let file = service.folder.file("other.db");
    drop(Journal::open(&Client::new(other).unwrap(), config(&file)).unwrap());
    let error = import(&new("other.db"), &lines).unwrap_err();
    assert!(error.code() == Code::InvalidArgument && error.message().contains("another account"), "{error}");
}
