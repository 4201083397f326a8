//! A worker is killed at each statement of an operation, its connection is cut there, or the server is killed. Then
//! another process continues: no payment is doubled or lost, and nothing is acknowledged that was not shipped.

use std::sync::{Arc, Mutex};

use merchantpay_crash::{Kind, Moment, Servers};
use merchantpay_journal::{Journal, Until};
use rustix::process::{Pid, Signal, kill_process};

use crate::shop::{PATIENCE, Shop, request, request_of};
use crate::worker::{Said, Worker};

/// What happens at the statement.
#[derive(Debug, Clone, Copy, PartialEq, Eq)]
enum How {
    Kill,
    Cut,
    Restart,
}

const OPERATIONS: [&str; 7] = ["pay", "pay_async", "confirm", "receive", "settle", "replace", "ship"];

type Shared = Arc<Mutex<Servers>>;

pub fn killed(servers: &Shared) {
    OPERATIONS.iter().for_each(|operation| at_each_statement(servers, operation, How::Kill));
}

pub fn cut(servers: &Shared) {
    OPERATIONS.iter().for_each(|operation| at_each_statement(servers, operation, How::Cut));
}

pub fn restarted(servers: &Shared) {
    ["pay", "settle"].iter().for_each(|operation| at_each_statement(servers, operation, How::Restart));
}

fn at_each_statement(servers: &Shared, operation: &'static str, how: How) {
    let mut shop = Shop::new(&servers.lock().unwrap());
    let journal = shop.journal();
    for at in 1..100 {
        let moments = [Moment::Before, Moment::After];
        let fired = moments.map(|moment| trial(servers, &mut shop, &journal, operation, how, at, moment));
        if fired == [false, false] {
            shop.audit(&journal);
            println!("  {operation}: {how:?} at each of {} statements", at - 1);
            assert!(at > 2, "{operation} has more than one statement");
            return;
        }
    }
    panic!("{operation} does not end");
}

/// Returns whether the operation had this statement.
fn trial(
    servers: &Shared,
    shop: &mut Shop,
    journal: &Journal,
    operation: &str,
    how: How,
    at: u32,
    moment: Moment,
) -> bool {
    let reference = format!("{operation}-{at}-{moment:?}").to_lowercase();
    let mut words = vec![operation.to_owned(), reference.clone()];
    words.extend(prepare(shop, journal, operation, &reference));
    let words: Vec<&str> = words.iter().map(String::as_str).collect();
    let (said, fired) = run(servers, shop, &words, how, at, moment);

    said.after("shown ").for_each(|order_id| shop.note_shown(&reference, order_id));
    said.after("shipped ").for_each(|reference| shop.note_shipped(reference));
    if how == How::Kill {
        assert_eq!(said.was_killed(), fired, "{reference}");
    }
    if let Some(failure) = said.failure() {
        assert!(fired && failure.starts_with("storage"), "{reference}: {failure}");
        let pays = operation.starts_with("pay");
        assert!(!pays || !failure.ends_with("not_sent") || shop.made(&reference).is_empty(), "{reference}");
    }
    shop.let_time_pass();
    shop.finish(journal, &reference);
    fired
}

fn run(servers: &Shared, shop: &Shop, words: &[&str], how: How, at: u32, moment: Moment) -> (Said, bool) {
    if servers.lock().unwrap().kind() == Kind::Sqlite {
        let mut worker = Worker::start(shop, &shop.place.url(), &format!("{at} {moment:?}"));
        worker.give(words);
        let said = worker.end();
        let fired = said.was_killed();
        return (said, fired);
    }
    let proxy = shop.place.proxy();
    let mut worker = Worker::start(shop, &shop.place.url_behind(&proxy), "");
    let (process, servers) =
        (i32::try_from(worker.id()).ok().and_then(Pid::from_raw).unwrap(), servers.clone());
    proxy.cut_at(at, moment, move || match how {
        How::Kill => kill_process(process, Signal::KILL).unwrap(),
        How::Cut => {}
        How::Restart => servers.lock().unwrap().restart(),
    });
    worker.give(words);
    (worker.end(), proxy.cuts() > 0)
}

/// Brings a reference to where the operation begins. Returns more words of the instruction.
fn prepare(shop: &mut Shop, journal: &Journal, operation: &str, reference: &str) -> Vec<String> {
    if operation.starts_with("pay") {
        return Vec::new();
    }
    if operation == "replace" {
        let entry = journal.pay(reference, &request_of("payment-fails")).unwrap();
        journal.confirm(&entry).unwrap();
        journal.wait(reference, Until::Final, PATIENCE).unwrap();
        return Vec::new();
    }
    let entry = journal.pay(reference, &request()).unwrap();
    let order_id = entry.order_id.clone().unwrap();
    shop.note_shown(reference, &order_id);
    match operation {
        "confirm" => {}
        "ship" => {
            journal.confirm(&entry).unwrap();
            assert!(journal.wait(reference, Until::Final, PATIENCE).unwrap().succeeded);
        }
        _ => {
            shop.ship(journal);
            journal.confirm(&entry).unwrap();
            let delivery = shop.sandbox.wait_for_delivery(&order_id, "status", PATIENCE).unwrap();
            shop.let_time_pass();
            if operation == "receive" {
                return vec![delivery.url, String::from_utf8(delivery.body).unwrap(), delivery.signature];
            }
        }
    }
    Vec::new()
}
