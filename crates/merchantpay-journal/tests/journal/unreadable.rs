//! Rows that a newer version or another program has written.

use merchantpay_journal::{Attention, Journal};

use crate::service::Service;
use crate::shop::{config, good, sql};

#[test]
fn unreadable_rows_take_no_place_in_a_limit_and_are_named() {
    let service = Service::new();
    let journal = service.journal();
    for reference in ["bad-0", "bad-1", "bad-2", "good-0", "good-1"] {
        journal.pay(reference, &good()).unwrap();
    }
    for place in 0..5 {
        service.set(place, "doneSuccess");
        service.send_status(&journal, place);
    }
    drop(journal);
    for (reference, change) in [
        ("bad-0", "intent = 'postpone', intent_state = 'stored'"),
        ("bad-1", "sum_asked = 'ten'"),
        ("bad-2", "state = 'disputed'"),
    ] {
        sql(
            &service.file(),
            &format!("UPDATE merchantpay_attempts SET {change} WHERE reference = '{reference}'"),
        );
    }
    for limit in [1, 2, 3, 100] {
        let journal = Journal::open(&service.client(), config(&service.file())).unwrap();
        let expected = limit.min(2) as usize;
        let news = journal.news(limit).unwrap();
        assert_eq!(news.len(), expected, "news({limit})");
        assert!(news.iter().all(|entry| entry.reference.starts_with("good") && entry.succeeded));
        assert_eq!(journal.list(None, limit, None).unwrap().len(), expected, "list({limit})");
        let mut named: Vec<(String, &str)> = journal
            .attention(limit)
            .unwrap()
            .into_iter()
            .filter_map(|item| match item {
                Attention::Unreadable { reference, column, .. } => Some((reference, column)),
                _ => None,
            })
            .collect();
        named.sort();
        let expected = [("bad-0", "intent"), ("bad-1", "sum_asked"), ("bad-2", "state")];
        assert_eq!(
            named,
            expected.map(|(reference, column)| (reference.to_owned(), column)),
            "attention({limit})"
        );
        assert_eq!(journal.stats().unwrap().attention, 3, "the alarm counts them");
        sql(&service.file(), "UPDATE merchantpay_attempts SET news_due = 1");
    }
    let journal = Journal::open(&service.client(), config(&service.file())).unwrap();
    let error = journal.pay("bad-2", &good()).unwrap_err();
    assert!(error.message().contains("state") && !error.is_transient(), "{error}");
    assert_eq!(service.count("new"), 5);
    let operator = merchantpay_journal::operator::Operator::of(&journal);
    let export = operator.export(|_| Ok(())).unwrap_err();
    assert!(export.message().contains("bad-0"), "{export}");
    crate::shop::acknowledge_all(&journal);
    sql(&service.file(), "UPDATE merchantpay_attempts SET acked = news");
    let purge = operator.purge(i64::MAX).unwrap_err();
    assert!(purge.message().starts_with("2 attempts were emptied") && !purge.is_transient(), "{purge}");
}
