//! A file's disk is full or cannot be written, and another SQLite in the process takes the journal's locks away.

use std::fs::File;
use std::process::{Command, Stdio};

use merchantpay::{Code, Outcome};
use merchantpay_crash::Servers;
use merchantpay_journal::{Journal, JournalConfig};

use crate::shop::{Shop, request};
use crate::worker::{Worker, command, journal, settings, with_environment};

/// Pays until a payment fails, and prints the error.
pub fn play_filler() {
    let journal = journal();
    for number in 0..10_000 {
        if let Err(error) = journal.pay(&format!("order-{number}"), &request()) {
            return println!("{number} {} {}", error.code(), error.outcome());
        }
    }
}

/// Runs the filler with a limit for the size of its files, in blocks of 512 bytes. Returns what it prints.
fn fill(shop: &Shop, blocks: u32) -> String {
    let mut shell = Command::new("sh");
    // The shell ignores the signal that would kill the process at the limit.
    let script = format!("trap '' XFSZ; ulimit -f {blocks}; exec \"$0\"");
    shell.args(["-c", &script]).arg(std::env::current_exe().unwrap()).stderr(Stdio::inherit());
    with_environment(&mut shell, shop, "filler", &shop.place.url());
    String::from_utf8(shell.output().unwrap().stdout).unwrap()
}

pub fn full(servers: &Servers) {
    let mut shop = Shop::new(servers);
    let said = fill(&shop, 400);
    let words: Vec<&str> = said.split_whitespace().collect();
    let [count, "storage", outcome] = words[..] else { panic!("{said:?}") };
    let (count, sent): (u64, u64) = (count.parse().unwrap(), shop.sandbox.requests("newPayment"));
    // The disk becomes full before the call, or after it: then the attempt is stored already.
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
    let said = fill(&shop, 0);
    // Perhaps it does not even open.
    assert!(said.is_empty() || said.trim() == "0 storage not_sent", "{said}");
    assert_eq!(shop.sandbox.requests("newPayment"), 0);
}

/// Writes to a file, as another program would.
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
        let journal = Journal::open(&shop.client, settings(JournalConfig::new(&place))).unwrap();
        shop.note_shown("paid", &journal.pay("paid", &request()).unwrap().order_id.unwrap());
        for ending in ["", "-shm"] {
            drop(File::open(format!("{}{ending}", shop.place.url())).unwrap());
        }
        assert!(command(&shop, "other", &shop.place.url()).status().unwrap().success());
        let error = journal.pay("next", &request()).unwrap_err();
        assert_eq!((error.code(), error.outcome()), (Code::Storage, Outcome::NotSent), "{error}");
        assert_eq!(shop.sandbox.requests("newPayment"), 1);
        drop(journal);
        // Closing overwrote nothing.
        for reference in ["paid", "next"] {
            let mut worker = Worker::start(&shop, &place, "");
            worker.give(&["pay", reference]);
            let said = worker.end();
            said.after("shown ").for_each(|order_id| shop.note_shown(reference, order_id));
            assert!(said.is_done() && shop.made(reference).len() == 1, "{reference}");
        }
    }
}
