//! News, their acknowledgement, and entries as values.

use merchantpay_journal::{Entry, Style};

use crate::shop::{Shop, acknowledge_all, give, good, request, select, sql};

/// An order whose success came after its first news were read.
fn paid_after_reading(shop: &Shop) -> (merchantpay_journal::Journal, Entry) {
    let journal = shop.journal();
    let entry = journal.pay("order", &good()).unwrap();
    let read = journal.news(10).unwrap().remove(0);
    journal.confirm(&entry).unwrap();
    give(&journal, &shop.delivery(entry.order_id.as_deref().unwrap(), "status"));
    (journal, read)
}

#[test]
fn only_what_was_read_is_acknowledged() {
    let shop = Shop::new();
    let (journal, read) = paid_after_reading(&shop);
    assert!(!journal.acknowledge(&read).unwrap(), "newer news that nobody has read");
    let news = journal.news(10).unwrap();
    assert!(news[0].succeeded && news[0].news > read.news);
    assert!(!journal.acknowledge(("order", 1, news[0].news + 1)).unwrap(), "a number that never was");
    assert!(!journal.acknowledge(("order", 2, news[0].news)).unwrap());
    assert!(journal.acknowledge(("order", 1, news[0].news)).unwrap());
}

#[test]
fn statement_acknowledges_in_the_merchants_transaction() {
    for style in Style::ALL {
        let shop = Shop::new();
        let (journal, read) = paid_after_reading(&shop);
        let news = journal.news(10).unwrap().remove(0);
        let connection = rusqlite::Connection::open(shop.file()).unwrap();
        let run = |entry: &Entry| {
            let sql = entry.acknowledge_sql(*style);
            let text = sql.text.replace("%s", "?");
            connection.execute(&text, rusqlite::params![sql.reference, sql.attempt, sql.news]).unwrap()
        };
        connection.execute_batch("BEGIN IMMEDIATE").unwrap();
        assert_eq!(run(&read), 0, "{style}: no row, so the shop rolls back");
        assert_eq!((run(&news), run(&news)), (1, 0), "{style}");
        connection.execute_batch("ROLLBACK").unwrap();
        assert!(!journal.find("order").unwrap().unwrap().acknowledged);
        assert_eq!(run(&news), 1);
        assert!(journal.find("order").unwrap().unwrap().acknowledged);
    }
}

#[test]
fn news_that_nobody_acknowledges_come_again_and_hide_nothing() {
    let shop = Shop::new();
    let journal = shop.journal();
    for number in 0..4 {
        journal.pay(&format!("order-{number}"), &good()).unwrap();
    }
    assert_eq!(journal.news(3).unwrap().len(), 3);
    assert_eq!(journal.news(3).unwrap().len(), 1, "the others are leased");
    assert!(journal.news(3).unwrap().is_empty());
    sql(&shop.file(), "UPDATE merchantpay_attempts SET news_due = 1");
    assert_eq!(journal.news(10).unwrap().len(), 4, "the leases have passed");
}

#[test]
fn writes_of_a_row_take_no_acknowledgement_back() {
    let shop = Shop::new();
    let journal = shop.journal();
    let entry = journal.pay("order", &good()).unwrap();
    acknowledge_all(&journal);
    journal.confirm(&entry).unwrap();
    sql(&shop.file(), "UPDATE merchantpay_attempts SET due_at = 1");
    journal.settle(10).unwrap();
    assert_eq!(acknowledge_all(&journal).len(), 1);
    assert!(journal.find("order").unwrap().unwrap().acknowledged);
}

#[test]
fn entry_is_one_line_of_json_with_exact_numbers() {
    let shop = Shop::new();
    let journal = shop.journal();
    let entry = journal.pay("order \"1\"", &request("1500.50", "79001234567")).unwrap();
    let json = entry.to_json();
    assert!(
        json.starts_with(
            "{\"reference\":\"order \\\"1\\\"\",\"attempt\":1,\"standing\":\"open\",\"orderId\":\"sb-"
        ),
        "{json}"
    );
    assert!(
        json.contains("\"sumAsked\":1500.50,\"sumPaid\":null,\"succeeded\":false,\"credentials\":{"),
        "{json}"
    );
    assert!(json.contains("\"payeeAccount\":") && !json.contains("token"), "{json}");
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
    assert!(!debug.contains(payee), "{debug}");
    assert_eq!(select(&shop.file(), "SELECT COUNT(*) FROM merchantpay_messages"), [Some("0".to_owned())]);
}

#[test]
fn list_pages_by_the_last_entry() {
    let shop = Shop::new();
    let journal = shop.journal();
    for number in 0..5 {
        journal.pay(&format!("order-{number}"), &good()).unwrap();
    }
    journal.cancel(("order-0", 1)).unwrap();
    let (mut names, mut last) = (Vec::new(), None::<Entry>);
    loop {
        let page = journal.list(None, 2, last.as_ref()).unwrap();
        names.extend(page.iter().map(|entry| entry.reference.clone()));
        match page.into_iter().last() {
            Some(entry) => last = Some(entry),
            None => break,
        }
    }
    assert_eq!(names, ["order-4", "order-3", "order-2", "order-1", "order-0"]);
    let open = journal.list(Some(merchantpay_journal::Standing::Open), 10, None).unwrap();
    assert_eq!(open.len(), 5, "a cancel is accepted before the status is final");
}
