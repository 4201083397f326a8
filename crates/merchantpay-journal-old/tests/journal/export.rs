//! Exports a journal and imports it into another one.

use merchantpay::{Code, Outcome};
use merchantpay_journal_old::{Attention, Journal, Orphan, Standing, Until};
use merchantpay_sandbox::{Delivery, Options};

use crate::shop::{CALLBACK, PATIENCE, Shop, options, request};

fn lines_of(journal: &Journal) -> Vec<String> {
    let mut lines = Vec::new();
    let count = journal.export(|line| {
        lines.push(line.to_owned());
        Ok(())
    });
    assert_eq!(count.unwrap(), lines.len() as u64);
    lines
}

/// The same lines, as a journal exports them after it has imported them.
fn restored(lines: &[String]) -> Vec<String> {
    lines.iter().map(|line| line.replace("\"restored\":\"0\"", "\"restored\":\"1\"")).collect()
}

/// A verified message that belongs to no attempt.
fn orphan(shop: &Shop, journal: &Journal) -> Delivery {
    let asked = request("11", "79001234567").credentials_webhook_url(CALLBACK);
    let other = shop.client.new_payment_async(&asked).unwrap();
    let delivery = shop.sandbox.wait_for_delivery(other.order_id(), "credentials", PATIENCE).unwrap();
    assert_eq!(journal.receive("unknown", &delivery.body, &delivery.signature, None).http_status, 404);
    delivery
}

#[test]
fn newer_unreadable_and_purged_rows_and_orphans_are_all_exported_and_imported() {
    let shop = Shop::new();
    let (journal, store) = (shop.journal(), shop.folder.store());
    let [seen, kept] = [(); 2].map(|()| orphan(&shop, &journal));
    assert!(journal.resolve_orphan(&seen.order_id, "looked at").unwrap());
    let paid = journal.pay("purged", &request("10", "79001234567")).unwrap();
    journal.confirm(&paid).unwrap();
    journal.wait("purged", PATIENCE, Until::Final).unwrap();
    for entry in journal.news(10).unwrap() {
        journal.acknowledge(&entry).unwrap();
    }
    assert_eq!(journal.purge(i64::MAX).unwrap(), 2, "the attempt and the message that was seen");
    for reference in ["newer", "unreadable", "usual"] {
        journal.pay(reference, &request("10", "79001234567")).unwrap();
    }
    for change in [
        "standing = 'postponed', reported = 9 WHERE reference = 'newer'",
        "record = '[]' WHERE reference = 'unreadable'",
    ] {
        store.run(&format!("UPDATE merchantpay_journal SET {change}"), &[]).unwrap();
    }

    let lines = lines_of(&journal);
    let counts = ["merchantpay_journal", "merchantpay_orphans"].map(|table| {
        store.run(&format!("SELECT COUNT(*) FROM {table}"), &[]).unwrap().rows[0][0].clone().unwrap()
    });
    assert_eq!((counts, lines.len()), (["4", "2"].map(str::to_owned), 6));
    let copy = Journal::open(&shop.client, shop.with_settings(shop.folder.another("copy"))).unwrap();
    for line in &lines {
        assert!(copy.import(line).unwrap() && !copy.import(line).unwrap(), "{line}");
    }
    assert_eq!(lines_of(&copy), restored(&lines));

    let sent = shop.sandbox.requests("newPayment");
    for reference in ["newer", "unreadable"] {
        let error = copy.pay(reference, &request("10", "79001234567")).unwrap_err();
        assert_eq!((error.code(), error.outcome()), (Code::Storage, Outcome::NotSent), "{error}");
        assert!(error.message().contains(&format!("attempt 1 of \"{reference}\"")), "{error}");
    }
    let again = copy.pay("purged", &request("10", "79001234567")).unwrap();
    assert_eq!((again.standing(), again.order_id()), (Standing::Final, paid.order_id()));
    assert_eq!(shop.sandbox.requests("newPayment"), sent, "nothing is paid again");
    let attention = copy.attention(10).unwrap();
    let orders = attention.iter().filter_map(|item| match item {
        Attention::Orphan(orphan) => Some(orphan.order_id.as_str()),
        _ => None,
    });
    assert_eq!(orders.collect::<Vec<_>>(), [kept.order_id.as_str()]);
}

#[test]
fn orphans_are_exported_and_imported_too() {
    let shop = Shop::new();
    let journal = shop.journal();
    let entry = journal.pay("order", &request("10", "79001234567")).unwrap();
    let tokens = shop.folder.store().run("SELECT token FROM merchantpay_journal", &[]).unwrap().rows;
    for token in ["unknown", tokens[0][0].as_deref().unwrap()] {
        let other = shop
            .client
            .new_payment_async(&request("11", "79001234567").credentials_webhook_url(CALLBACK))
            .unwrap();
        let delivery = shop.sandbox.wait_for_delivery(other.order_id(), "credentials", PATIENCE).unwrap();
        journal.receive(token, &delivery.body, &delivery.signature, None);
    }
    let orphans = |journal: &Journal| -> Vec<Orphan> {
        let orphan = |item| if let Attention::Orphan(orphan) = item { Some(orphan) } else { None };
        journal.attention(10).unwrap().into_iter().filter_map(orphan).collect()
    };
    let kept = orphans(&journal);
    assert_eq!(kept.len(), 2);
    assert!(journal.resolve_orphan(&kept[0].order_id, "looked at").unwrap());
    let lines = lines_of(&journal);
    assert_eq!(lines.len(), 3);
    let copy = Journal::open(&shop.client, shop.folder.another("copy")).unwrap();
    for line in &lines {
        assert!(copy.import(line).unwrap() && !copy.import(line).unwrap(), "{line}");
    }
    // The seen orphan stays seen, with its note; the other orphan is unchanged.
    assert_eq!(orphans(&copy), kept[1..]);
    let again = lines_of(&copy);
    assert_eq!(again, restored(&lines));
    assert!(again.iter().any(|line| line.contains("looked at")), "{again:?}");
    assert_eq!(copy.find("order").unwrap().unwrap().order_id(), entry.order_id());
    for line in ["{\"orphan\":{}}", "{\"orphan\":7}", "[]"] {
        assert_eq!(copy.import(line).unwrap_err().code(), Code::InvalidArgument, "{line}");
    }
}

#[test]
fn an_exported_journal_is_imported_whole_and_once() {
    let shop = Shop::with(Options { seed: Some(7), ..options() });
    let journal = shop.journal();
    for reference in ["a", "b", "b 2", "я"] {
        journal.pay(reference, &request("10", "79001234567")).unwrap();
    }
    let lines = lines_of(&journal);
    assert_eq!(lines.len(), 4);
    let copy = shop.folder.another("copy").callback_url(CALLBACK);
    let copy = Journal::open(&shop.client, copy).unwrap();
    let lines: Vec<&str> = lines.iter().map(String::as_str).collect();
    assert!(copy.import(lines[0]).unwrap());
    assert!(!copy.import(lines[0]).unwrap(), "it is there");
    assert!(!copy.import_at_once(&lines[..2]).unwrap(), "one of them is there");
    assert!(copy.find("b").unwrap().is_none(), "nothing of it was stored");
    assert!(copy.import_at_once(&lines[1..3]).unwrap() && copy.import(lines[3]).unwrap());
    assert_eq!(copy.import_at_once(&["{}"]).unwrap_err().code(), Code::InvalidArgument);
    for reference in ["a", "b", "b 2", "я"] {
        let (one, other) =
            (journal.find(reference).unwrap().unwrap(), copy.find(reference).unwrap().unwrap());
        assert_eq!(one.to_json(), other.to_json());
        assert_eq!(copy.pay(reference, &request("10", "79001234567")).unwrap().order_id(), one.order_id());
    }
    let stats = copy.stats().unwrap();
    assert_eq!((stats.standings, stats.attention), (vec![("open".to_owned(), 4)], 0));
    let page = copy.list(None, 3, None).unwrap();
    let rest = copy.list(None, 3, page.last()).unwrap();
    assert_eq!((page.len(), rest.len()), (3, 1));
}
