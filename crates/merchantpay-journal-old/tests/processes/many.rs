//! Eight processes use one file, and some of them are killed.

use std::process::{Child, Stdio};

use merchantpay_journal_old::{Level, Standing, Until};

use crate::crash::assert_one_order_each;
use crate::role::{command, journal, number};
use crate::shop::{PATIENCE, Shop, request};

const REFERENCES: u32 = 24;
const WORKERS: u32 = 8;

fn reference(number: u32) -> String {
    format!("order-{number}")
}

/// Calls `pay` for every reference, calls `settle`, and acts on the news. Each process begins with a
/// different reference.
pub fn worker() {
    let (journal, first) = (journal(), number("FIRST"));
    for place in 0..REFERENCES {
        let entry =
            journal.pay(&reference((first + place) % REFERENCES), &request("10", "79001234567")).unwrap();
        if entry.credentials().is_some() && entry.confirm().is_none() {
            journal.confirm(&entry).unwrap();
        }
        journal.settle(2).unwrap();
        for entry in journal.news(2).unwrap() {
            if journal.acknowledge(&entry).unwrap() {
                // Each line is a single write, so that the parent can count the actions.
                println!("{} {}", entry.reference(), entry.reported());
            }
        }
    }
}

pub fn eight_processes() {
    let shop = Shop::new();
    let start = |worker: u32| {
        let mut command = command("worker", &shop.sandbox, &shop.folder.file());
        command
            .env("FIRST", (worker * REFERENCES / WORKERS).to_string())
            .stdout(Stdio::piped())
            .spawn()
            .unwrap()
    };
    let mut workers: Vec<Child> = (0..WORKERS).map(start).collect();
    // Kills two of the processes during their work.
    while shop.sandbox.requests("newPayment") < u64::from(REFERENCES / 3) {
        std::thread::yield_now();
    }
    for worker in &mut workers[..2] {
        worker.kill().unwrap();
    }
    let mut acted = Vec::new();
    for (number, worker) in workers.into_iter().enumerate() {
        let output = worker.wait_with_output().unwrap();
        assert!(output.status.success() || number < 2, "worker {number}: {}", output.status);
        acted.extend(String::from_utf8(output.stdout).unwrap().lines().map(str::to_owned));
    }
    let journal = shop.journal();
    assert_one_order_each(&shop, &journal);
    assert_eq!(journal.list(None, 1000, None).unwrap().len(), REFERENCES as usize);
    for number in 0..REFERENCES {
        let entry = journal.find(&reference(number)).unwrap().unwrap();
        if matches!(entry.standing(), Standing::Sending | Standing::Unknown) {
            continue;
        }
        if entry.confirm().is_none() {
            journal.confirm(&entry).unwrap();
        }
        let end = journal.wait(&reference(number), PATIENCE, Until::Final).unwrap();
        assert!(end.succeeded(), "{end:?}");
    }
    // No two processes acted on the same entry and level.
    let twice: Vec<&String> =
        acted.iter().filter(|line| acted.iter().filter(|other| other == line).count() > 1).collect();
    assert!(twice.is_empty(), "{twice:?}");
    let is_shown = |line: &&String| line.ends_with(Level::Credentials.name());
    println!(
        "  {} requests, {} acted on, {} of them on credentials",
        shop.sandbox.requests("newPayment"),
        acted.len(),
        acted.iter().filter(is_shown).count()
    );
}
