//! A process forks during its work. Then the parent and its children continue with the journal that the
//! parent opened.

use std::os::unix::process::parent_id;
use std::process::Stdio;
use std::time::{Duration, Instant};

use fork::Fork;
use merchantpay_journal_old::{Journal, Until};

use crate::crash::assert_one_order_each;
use crate::role::{command, journal};
use crate::shop::{PATIENCE, Shop, request};

const CHILDREN: u32 = 6;
const PAYMENTS: u32 = 5;

fn take(journal: &Journal, who: &str) {
    for number in 0..PAYMENTS {
        finish(journal, &format!("{who}-{number}"));
    }
}

fn finish(journal: &Journal, reference: &str) {
    let entry = journal.pay(reference, &request("10", "79001234567")).unwrap();
    journal.confirm(&entry).unwrap();
    assert!(journal.wait(reference, PATIENCE, Until::Final).unwrap().succeeded());
}

/// Forks repeatedly between two steps of a payment. The child completes the payment.
pub fn parent() {
    let journal = journal();
    let mut children = Vec::new();
    for number in 0..CHILDREN {
        let begun = format!("begun-{number}");
        assert!(journal.pay(&begun, &request("10", "79001234567")).unwrap().credentials().is_some());
        match fork::fork().unwrap() {
            Fork::Child => {
                finish(&journal, &begun);
                take(&journal, &format!("child-{number}"));
                drop(journal);
                std::process::exit(0);
            }
            Fork::Parent(child) => children.push(child),
        }
        take(&journal, &format!("parent-{number}"));
    }
    for child in children {
        assert_eq!(fork::waitpid(child).unwrap(), 0, "how a child ended");
    }
    take(&journal, "afterwards");
}

/// Forks, and ends before its child, which is using the journal.
pub fn first_to_end() {
    let journal = journal();
    journal.pay("begun", &request("10", "79001234567")).unwrap();
    let parent = std::process::id();
    match fork::fork().unwrap() {
        Fork::Child => {
            finish(&journal, "begun");
            let end = Instant::now() + PATIENCE;
            while parent_id() == parent {
                assert!(Instant::now() < end, "the parent does not end");
                std::thread::sleep(Duration::from_millis(5));
            }
            take(&journal, "child");
            drop(journal);
            println!("done");
            std::process::exit(0);
        }
        // The parent closes the journal and does not just exit: the last process that closes a journal
        // removes the -wal file.
        Fork::Parent(_) => drop(wait_for_end(journal)),
    }
}

fn wait_for_end(journal: Journal) -> Journal {
    let end = Instant::now() + PATIENCE;
    while !journal.find("begun").unwrap().unwrap().succeeded() {
        assert!(Instant::now() < end, "the child does not begin");
        std::thread::sleep(Duration::from_millis(5));
    }
    journal
}

pub fn outlives_its_parent() {
    let shop = Shop::new();
    // `output` returns when the parent has ended and the child has closed the common output.
    let output =
        command("first", &shop.sandbox, &shop.folder.file()).stderr(Stdio::inherit()).output().unwrap();
    assert_eq!(String::from_utf8(output.stdout).unwrap(), "done\n");
    let journal = shop.journal();
    let entries = journal.list(None, 1000, None).unwrap();
    assert_eq!((entries.len() as u32, entries.iter().all(|entry| entry.succeeded())), (1 + PAYMENTS, true));
    assert_one_order_each(&shop, &journal);
}

pub fn in_the_middle() {
    let shop = Shop::new();
    // The test keeps its own connection open, so that the -wal file stays.
    let journal = shop.journal();
    assert!(command("parent", &shop.sandbox, &shop.folder.file()).status().unwrap().success());
    let entries = journal.list(None, 1000, None).unwrap();
    let expected = CHILDREN * (1 + 2 * PAYMENTS) + PAYMENTS;
    assert_eq!((entries.len() as u32, shop.sandbox.requests("newPayment")), (expected, u64::from(expected)));
    assert!(entries.iter().all(|entry| entry.succeeded()));
    assert_one_order_each(&shop, &journal);
    let database = rusqlite::Connection::open(shop.folder.file()).unwrap();
    let verdict: String = database.query_row("PRAGMA integrity_check", [], |row| row.get(0)).unwrap();
    assert_eq!(verdict, "ok");
}
