//! Two versions of the library use one file. The tests write rows as an older or a newer version would write
//! them.

use std::collections::BTreeMap;

use merchantpay_journal_old::{
    Attention, Dialect, Journal, JournalConfig, Reason, Resolution, SqliteStore, Standing,
};
use rusqlite::Connection;
use serde_json::value::RawValue;

use crate::files::storage_error;
use crate::progress::settle_until;
use crate::shop::{Shop, request};

/// Opens the file in the same way as a process with another version of the library.
fn other_version(shop: &Shop) -> Connection {
    Connection::open(shop.folder.file()).unwrap()
}

fn value(database: &Connection, column: &str, reference: &str) -> String {
    let query = format!("SELECT COALESCE({column}, '') FROM merchantpay_journal WHERE reference = ?");
    database.query_row(&query, [reference], |row| row.get(0)).unwrap()
}

/// The values of those columns of a row that the test compares, as one text.
fn row(database: &Connection, reference: &str) -> String {
    let columns =
        ["standing", "reported", "due_at", "updated_at", "version", "writer", "record", "attention"];
    columns.map(|column| value(database, &format!("CAST({column} AS TEXT)"), reference)).join("|")
}

#[test]
fn an_older_and_a_newer_layout_are_each_refused_with_one_sentence() {
    for (layout, sentence) in [
        ("1", "export it with that version, and import it with this one"),
        ("3", "its tables were made by a newer version"),
    ] {
        let shop = Shop::new();
        drop(shop.journal());
        let database = other_version(&shop);
        database.execute("UPDATE merchantpay_journal_settings SET value = ?", [layout]).unwrap();
        // Version 0.2.0 lacked this column.
        if layout == "1" {
            database
                .execute_batch("DROP INDEX merchantpay_journal_news_at; ALTER TABLE merchantpay_journal DROP COLUMN news_at")
                .unwrap();
        }
        drop(database);
        let error = Journal::open(&shop.client, shop.config()).unwrap_err();
        assert!(error.to_string().contains(sentence), "{error}");
        storage_error(Err::<(), _>(error));
        for create in [false, true] {
            let store = SqliteStore::open(shop.folder.file()).unwrap();
            let config = JournalConfig::over(store).check_later(true).create(create);
            let journal = Journal::open(&shop.client, shop.with_settings(config)).unwrap();
            let error = journal.pay("order", &request("10", "79001234567")).unwrap_err();
            assert!(error.to_string().contains(sentence), "{error}");
            storage_error(Err::<(), _>(error));
        }
        assert_eq!(shop.sandbox.requests("newPayment"), 0);
    }
}

/// Export lines of version 0.2.0.
fn lines_of_0_2_0(account: &str) -> [String; 2] {
    [
        format!(
            r#"{{"account":"{account}","acknowledged":"0","attempt":"1","attention":null,"created_at":"1700000000000","due_at":null,"order_id":"o-1","record":"{{\"v\":1,\"requestHash\":\"h\",\"payment\":{{\"payeeName\":\"Ivan\"}}}}","reference":"order","reported":"4","standing":"final","status":"doneSuccess","sum_asked":"10","sum_paid":"10","token":"00000000000000000000000000000007","updated_at":"1700000000001","version":"3","writer":"w"}}"#
        ),
        r#"{"orphan":{"attempt":null,"note":null,"order_id":"o-2","received_at":"1700000000000","record":"{}","reference":null,"seen":"0","status":"doneFail","sum_reported":"10"}}"#.to_owned(),
    ]
}

#[test]
fn an_export_of_0_2_0_is_imported_as_restored_rows() {
    let shop = Shop::new();
    let journal = shop.journal();
    for line in lines_of_0_2_0(shop.client.base_url()) {
        assert!(journal.import(&line).unwrap());
        assert!(!journal.import(&line).unwrap());
    }
    let entry = journal.find("order").unwrap().unwrap();
    assert_eq!((entry.standing(), entry.succeeded(), entry.order_id()), (Standing::Final, true, Some("o-1")));
    let database = other_version(&shop);
    assert_eq!(value(&database, "CAST(restored AS TEXT)", "order"), "1");
    let news = journal.news(10).unwrap();
    assert_eq!(news.len(), 1);
    assert!(journal.acknowledge(&news[0]).unwrap());
    assert!(journal.news(10).unwrap().is_empty());
    assert!(
        matches!(&journal.attention(10).unwrap()[..], [Attention::Orphan(orphan)] if orphan.order_id == "o-2")
    );
    let mut lines = Vec::new();
    journal
        .export(|line| {
            lines.push(line.to_owned());
            Ok(())
        })
        .unwrap();
    let other = Journal::open(&shop.client, shop.with_settings(shop.folder.another("copy"))).unwrap();
    assert!(lines.iter().all(|line| other.import(line).unwrap()));
}

#[test]
fn a_row_that_this_version_cannot_read_is_left_alone_and_is_not_paid_again() {
    for change in [
        "standing = 'postponed'",
        "reported = 9",
        r#"record = replace(record, '"confirm":{}', '"confirm":{"state":"wished","calls":1,"since":5}')"#,
        r#"record = replace(record, '"cancel":{}', '"cancel":{"state":"wished","calls":1,"since":5}')"#,
    ] {
        let shop = Shop::new();
        let journal = shop.journal();
        let entry = journal.pay("order", &request("10", "79001234567")).unwrap();
        journal.pay("another", &request("10", "79001234567")).unwrap();
        let database = other_version(&shop);
        database
            .execute(&format!("UPDATE merchantpay_journal SET due_at = 0, attention = 'unknown', {change} WHERE reference = 'order'"), [])
            .unwrap();
        let before = row(&database, "order");
        storage_error(journal.pay("order", &request("10", "79001234567")));
        storage_error(journal.confirm(&entry));
        journal.settle(10).unwrap();
        journal.news(10).unwrap();
        assert_eq!(
            (journal.list(None, 10, None).unwrap().len(), journal.attention(10).unwrap().len()),
            (1, 0),
            "{change}"
        );
        assert_eq!(row(&database, "order"), before, "{change}");
        assert_eq!(shop.sandbox.requests("newPayment"), 2);
    }
}

#[test]
fn what_a_newer_version_has_added_to_a_row_is_kept_by_every_write() {
    let shop = Shop::new();
    let journal = shop.journal();
    let entry = journal.pay("order", &request("10", "79001234567")).unwrap();
    let database = other_version(&shop);
    database
        .execute_batch(
            r#"ALTER TABLE merchantpay_journal ADD COLUMN novelty TEXT DEFAULT 'usual' NOT NULL;
             ALTER TABLE merchantpay_orphans ADD COLUMN novelty TEXT DEFAULT 'usual' NOT NULL;
             UPDATE merchantpay_journal SET novelty = 'set', attention = 'of_tomorrow',
               record = '{"novelty":{"a":1.50},' || substr(replace(replace(record, '"v":1', '"v":2'), '"seen":[]', '"seen":["of_yesterday"]'), 2);"#,
        )
        .unwrap();
    // The statements of the open journal were prepared before the column was added. They still work.
    journal.confirm(&entry).unwrap();
    let check_kept = || {
        assert_eq!(value(&database, "novelty", "order"), "set");
        assert!(
            value(&database, "record", "order").contains("\"novelty\":{\"a\":1.50}"),
            "{}",
            value(&database, "record", "order")
        );
        assert!(
            value(&database, "record", "order").contains("\"of_yesterday\""),
            "{}",
            value(&database, "record", "order")
        );
    };
    check_kept();
    assert_eq!(value(&database, "attention", "order"), "of_tomorrow");
    let end = settle_until(&journal, "order", |entry| entry.standing() == Standing::Final);
    assert!(end.to_json().contains("\"attention\":[\"of_tomorrow\"]"), "{}", end.to_json());
    check_kept();
    // An operator can remove the reason from the list. The row keeps the reason as seen.
    assert!(matches!(&journal.attention(10).unwrap()[..], [Attention::Entry(_)]));
    journal.resolve(&end, &Resolution::Seen, "looked at").unwrap();
    assert!(journal.attention(10).unwrap().is_empty());
    assert!(value(&database, "record", "order").contains("\"of_tomorrow\""));
    check_kept();
    // New rows get the newer version's default.
    journal.pay("later", &request("10", "79001234567")).unwrap();
    assert_eq!(value(&database, "novelty", "later"), "usual");
}

#[test]
fn a_row_as_an_older_version_would_have_written_it_goes_on() {
    let shop = Shop::new();
    let journal = shop.journal();
    let entry = journal.pay("order", &request("10", "79001234567")).unwrap();
    // Keeps only the JSON fields that the first version wrote. A later version added all other fields.
    let database = other_version(&shop);
    let record: BTreeMap<String, Box<RawValue>> =
        serde_json::from_str(&value(&database, "record", "order")).unwrap();
    let (hash, payment) = (&record["requestHash"], &record["payment"]);
    let old = format!(r#"{{"v":1,"requestHash":{hash},"payment":{payment},"hasCredentials":true}}"#);
    database.execute("UPDATE merchantpay_journal SET record = ?", [old]).unwrap();
    let again = journal.pay("order", &request("10", "79001234567")).unwrap();
    assert_eq!((again.order_id(), again.credentials()), (entry.order_id(), entry.credentials()));
    journal.confirm(&again).unwrap();
    let end = settle_until(&journal, "order", |entry| entry.standing() == Standing::Final);
    assert_eq!((end.succeeded(), end.attention()), (true, &[] as &[Reason]));
    assert_eq!(shop.sandbox.requests("newPayment"), 1);
}

#[test]
fn an_export_leaves_out_no_row_that_this_version_cannot_read_and_import_restores_it() {
    let shop = Shop::new();
    let journal = shop.journal();
    for number in 0..250 {
        journal.pay(&format!("order-{number:03}"), &request("10", "79001234567")).unwrap();
    }
    let database = other_version(&shop);
    // One row has a standing and a level of a newer version. A whole page of rows has damaged details.
    for change in [
        "standing = 'postponed', reported = 9 WHERE reference = 'order-007'",
        "record = '[]' WHERE reference BETWEEN 'order-100' AND 'order-220'",
    ] {
        database.execute(&format!("UPDATE merchantpay_journal SET {change}"), []).unwrap();
    }
    let lines_of = |journal: &Journal| {
        let mut lines = Vec::new();
        let count = journal.export(|line| {
            lines.push(line.to_owned());
            Ok(())
        });
        assert_eq!(count.unwrap(), 250);
        lines
    };
    let lines = lines_of(&journal);
    assert_eq!(lines.len(), 250);
    let mut statements = 0;
    let count = journal.export_sql(Dialect::Postgresql, |statement| {
        statements += u64::from(statement.starts_with("INSERT"));
        Ok(())
    });
    assert_eq!((count.unwrap(), statements), (250, 250));
    let copy = Journal::open(&shop.client, shop.with_settings(shop.folder.another("copy"))).unwrap();
    assert!(lines.iter().all(|line| copy.import(line).unwrap()));
    let restored: Vec<String> =
        lines.iter().map(|line| line.replace("\"restored\":\"0\"", "\"restored\":\"1\"")).collect();
    assert_eq!(lines_of(&copy), restored);
    for reference in ["order-007", "order-150"] {
        let error = copy.find(reference).unwrap_err();
        assert!(error.message().contains(&format!("attempt 1 of \"{reference}\"")), "{error}");
        storage_error(Err::<(), _>(error));
    }
    assert!(copy.find("order-008").unwrap().is_some());
    // `purge` reports an unreadable row too.
    let error = copy.purge(i64::MAX).unwrap_err();
    assert!(error.message().contains("order-007"), "{error}");
}
