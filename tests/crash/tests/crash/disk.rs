//! A file's disk is full or cannot be written, and another SQLite in the process takes the journal's locks away.

use std::fs::File;
use std::process::Command;

use merchantpay::{Code, Outcome};
use merchantpay_crash::Servers;
use serde_json::Value;

use crate::adapter::{Answer, Language};
use crate::shop::{Shop, asks, request};

/// Pays until a payment fails, with files of at most this many blocks of 512 bytes. Returns the number of payments and
/// the error; no number if the journal does not open.
fn fill(shop: &Shop, blocks: u32) -> (Option<u64>, Value) {
    // The shell ignores the signal that would kill the process at the limit.
    let language = Language::rust(&[]).within(&format!("trap '' XFSZ; ulimit -f {blocks}"));
    let mut adapter = shop.adapter(&language, &shop.place.url());
    if let Answer::Error(error) = adapter.open().unwrap() {
        return (None, error);
    }
    for number in 0..10_000 {
        let pay = asks("pay", &format!("order-{number}"), "79001234567");
        if let Answer::Error(error) = adapter.exchange(&pay).unwrap() {
            return (Some(number), error);
        }
    }
    panic!("the disk does not become full")
}

pub fn full(servers: &Servers) {
    let mut shop = Shop::new(servers);
    let (count, error) = fill(&shop, 400);
    let (count, sent) = (count.unwrap(), shop.sandbox.requests("newPayment"));
    assert_eq!(error["code"], "storage");
    // If the disk becomes full only after the call, the attempt is stored already.
    let outcome = error["outcome"].as_str().unwrap();
    match outcome {
        "not_sent" => assert_eq!(sent, count),
        _ => assert_eq!((outcome, sent), ("unknown", count + 1)),
    }
    let journal = shop.journal();
    shop.let_time_pass();
    (0..=count).for_each(|number| shop.finish(&journal, &format!("order-{number}")));
    shop.audit(&journal);
    println!("  {count} payments, then {outcome}");
}

pub fn not_writable(servers: &Servers) {
    let shop = Shop::new(servers);
    let (count, error) = fill(&shop, 0);
    // Perhaps it does not even open.
    let is_right = error["code"] == "storage" && error["outcome"] == "not_sent";
    assert!(count.is_none_or(|count| count == 0 && is_right), "{error}");
    assert_eq!(shop.sandbox.requests("newPayment"), 0);
}

/// As another program would.
pub fn play_other() {
    let connection = rusqlite::Connection::open(std::env::var("PLACE").unwrap()).unwrap();
    connection.execute("UPDATE merchantpay_attempts SET tries = tries", []).unwrap();
}

/// Whoever closes a file takes all locks of the process on it away. The next process that writes it then removes the
/// -wal, because it finds no lock.
pub fn second_sqlite(servers: &Servers) {
    for is_link in [false, true] {
        let mut shop = Shop::new(servers);
        let link = shop.place.folder().join("link.db");
        std::os::unix::fs::symlink(shop.place.url(), &link).unwrap();
        let place = if is_link { link.display().to_string() } else { shop.place.url() };
        let (_, journal) = shop.open(&place, false).unwrap();
        shop.note_shown("paid", &journal.pay("paid", &request()).unwrap().order_id.unwrap());
        for ending in ["", "-shm"] {
            drop(File::open(format!("{}{ending}", shop.place.url())).unwrap());
        }
        let mut other = Command::new(std::env::current_exe().unwrap());
        other.env("CRASH_ROLE", "other").env("PLACE", shop.place.url());
        assert!(other.status().unwrap().success());
        let error = journal.pay("next", &request()).unwrap_err();
        assert_eq!((error.code(), error.outcome()), (Code::Storage, Outcome::NotSent), "{error}");
        assert_eq!(shop.sandbox.requests("newPayment"), 1);
        drop(journal);
        // Closing overwrote nothing.
        for reference in ["paid", "next"] {
            let language = Language::rust(&[]);
            let mut adapter = shop.adapter(&language, &place);
            let answer = adapter.ask(&asks("pay", reference, "79001234567")).unwrap();
            let Answer::Ok(answer) = answer else { panic!("{reference}: {answer:?}") };
            shop.note_answer(&answer);
            assert_eq!(shop.made(reference).len(), 1, "{reference}");
        }
    }
}
