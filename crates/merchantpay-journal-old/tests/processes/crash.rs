//! Tests in which a process dies before or after any statement of the journal, and another process continues.

use std::collections::BTreeSet;
use std::process::{Child, ExitStatus};
use std::sync::atomic::{AtomicU32, Ordering};
use std::time::{Duration, Instant};

use merchantpay_journal_old::{
    Dialect, Entry, IntentState, Journal, JournalConfig, Rows, SqliteStore, Standing, Store, StoreError,
    Until,
};
use merchantpay_sandbox::Fault;

use crate::role::{client, command, number, value, with_settings};
use crate::shop::{PATIENCE, Shop, give, request};

/// A store that aborts the process before or after a statement.
struct DyingStore {
    inner: SqliteStore,
    count: AtomicU32,
    at: u32,
    after: bool,
}

impl Store for DyingStore {
    fn dialect(&self) -> Dialect {
        self.inner.dialect()
    }

    fn run(&self, sql: &str, parameters: &[Option<&str>]) -> Result<Rows, StoreError> {
        let is_it = self.count.fetch_add(1, Ordering::SeqCst) + 1 == self.at;
        if is_it && !self.after {
            std::process::abort();
        }
        let rows = self.inner.run(sql, parameters);
        if is_it {
            std::process::abort();
        }
        rows
    }
}

/// The process that dies. It runs one operation on a [`DyingStore`], and exits with 7 if the operation
/// completes.
pub fn customer() {
    let inner = SqliteStore::create(value("FILE")).unwrap();
    let store =
        DyingStore { inner, count: AtomicU32::new(0), at: number("AT"), after: value("WHEN") == "after" };
    let journal = Journal::open(&client(), with_settings(JournalConfig::over(store))).unwrap();
    let reference = value("REFERENCE");
    match value("OPERATION").as_str() {
        "pay" => drop(journal.pay(&reference, &request("10", "79001234567")).unwrap()),
        "pay_never_pays" => drop(journal.pay(&reference, &request("10", "never-pays")).unwrap()),
        "pay_async" => drop(journal.pay_async(&reference, &request("10", "79001234567")).unwrap()),
        "settle" => drop(journal.settle(10).unwrap()),
        _ => afterwards(&journal, &reference),
    }
    std::process::exit(7);
}

/// Confirms, waits for the final status, and acknowledges the news.
fn afterwards(journal: &Journal, reference: &str) {
    let entry = journal.find(reference).unwrap().unwrap();
    journal.confirm(&entry).unwrap();
    journal.wait(reference, PATIENCE, Until::Final).unwrap();
    for entry in journal.news(10).unwrap() {
        journal.acknowledge(&entry).unwrap();
    }
}

/// Returns `true` if the process died before its operation completed.
fn died(shop: &Shop, operation: &str, reference: &str, at: u32, when: &str) -> bool {
    let mut command = command("customer", &shop.sandbox, &shop.folder.file());
    command
        .env("OPERATION", operation)
        .env("REFERENCE", reference)
        .env("AT", at.to_string())
        .env("WHEN", when);
    let status = command.stderr(std::process::Stdio::null()).status().unwrap();
    let is_at_end = status.code() == Some(7);
    assert!(is_at_end || was_aborted(status), "{operation} {at} {when}: {status}");
    !is_at_end
}

#[cfg(unix)]
fn was_aborted(status: ExitStatus) -> bool {
    status.code().is_none()
}

/// Windows reports `STATUS_STACK_BUFFER_OVERRUN` for a process that aborts.
#[cfg(windows)]
fn was_aborted(status: ExitStatus) -> bool {
    status.code() == Some(0xc000_0409_u32.cast_signed())
}

/// For every statement of an operation, makes a process die before the statement and another process die
/// after it. After each death the function runs a check.
fn each_step(operation: &str, shop: &Shop, prepare: impl Fn(&str), mut check: impl FnMut(&str)) -> u32 {
    for at in 1..100 {
        let mut any = false;
        for when in ["before", "after"] {
            let reference = format!("{operation}-{at}-{when}");
            prepare(&reference);
            let is_dead = died(shop, operation, &reference, at, when);
            any |= is_dead;
            check(&reference);
        }
        if !any {
            return at - 1;
        }
    }
    panic!("{operation} does not end");
}

pub fn at_any_step_of_pay() {
    let shop = Shop::new();
    let steps = each_step(
        "pay",
        &shop,
        |_| {},
        |reference| {
            let before = shop.sandbox.requests("newPayment");
            let journal = shop.journal();
            let entry = journal.pay(reference, &request("10", "79001234567")).unwrap();
            let after = shop.sandbox.requests("newPayment");
            // If the attempt was stored, it is not sent again. If it was not stored, the dead process has not
            // sent it.
            assert!(entry.standing() == Standing::Sending || entry.credentials().is_some(), "{entry:?}");
            assert!(after - before <= 1, "{reference}");
            assert_one_order_each(&shop, &journal);
        },
    );
    assert!(steps >= 4, "load, insert, update and what opening asks: {steps}");
    println!("  {steps} statements");
}

pub fn at_any_step_of_pay_async() {
    let shop = Shop::new();
    let mut sent = 0;
    let steps = each_step(
        "pay_async",
        &shop,
        |_| {},
        |reference| {
            let journal = shop.journal();
            let entry = journal.pay_async(reference, &request("10", "79001234567")).unwrap();
            let orders = shop.sandbox.requests("newPaymentAsync") - sent;
            sent += orders;
            assert!(orders <= 1, "{reference} was sent {orders} times");
            if orders == 1 {
                // Whenever the process died, the callback leads to an entry that a customer can pay.
                let healed = heal(&shop, &journal, reference);
                assert!(healed.credentials().is_some(), "{healed:?}");
                journal.confirm(&healed).unwrap();
                let end = journal.wait(reference, PATIENCE, Until::Final).unwrap();
                assert!(end.succeeded(), "{end:?}");
            } else {
                assert_eq!(entry.standing(), Standing::Sending, "{reference} was stored and never sent");
            }
        },
    );
    println!("  {steps} statements");
}

/// Passes all webhooks of the sandbox to the journal until the entry of the reference has credentials.
pub fn heal(shop: &Shop, journal: &Journal, reference: &str) -> Entry {
    let end = Instant::now() + PATIENCE;
    loop {
        let entry = journal.find(reference).unwrap().unwrap();
        if entry.credentials().is_some() {
            return entry;
        }
        for delivery in shop.sandbox.deliveries() {
            assert!([200, 409].contains(&give(journal, &delivery).http_status));
        }
        assert!(Instant::now() < end, "{entry:?}");
    }
}

pub fn at_any_step_afterwards() {
    let shop = Shop::new();
    let prepare = |reference: &str| {
        let journal = shop.journal();
        let entry = journal.pay(reference, &request("10", "79001234567")).unwrap();
        assert!(entry.credentials().is_some());
        for entry in journal.news(100).unwrap() {
            journal.acknowledge(&entry).unwrap();
        }
    };
    let steps = each_step("afterwards", &shop, prepare, |reference| {
        let journal = shop.journal();
        let entry = journal.find(reference).unwrap().unwrap();
        if entry.confirm().is_none() {
            journal.confirm(&entry).unwrap();
        }
        let end = journal.wait(reference, PATIENCE, Until::Final).unwrap();
        assert!(end.succeeded(), "{end:?}");
        // If the dead process had only claimed the entry, the entry can still be acknowledged. If the process
        // had acknowledged the entry, another acknowledgement returns `false`.
        let is_acknowledged = end.acknowledged() == end.reported();
        let entry = journal.find(reference).unwrap().unwrap();
        assert_eq!(journal.acknowledge(&entry).unwrap(), !is_acknowledged, "{reference}");
    });
    println!("  {steps} statements");
}

pub fn at_any_step_of_settle() {
    let shop = Shop::new();
    let steps = each_step(
        "settle",
        &shop,
        |reference| confirm_in_vain(&shop, reference),
        |reference| {
            end_as_one_payment(&shop, reference);
        },
    );
    assert!(steps >= 6, "two looks, a claim, its rows, and two writes: {steps}");
    println!("  {steps} statements");
}

/// A worker dies during a call for an attempt that it has claimed. It dies before or after the call takes
/// effect.
pub fn during_a_call_of_settle() {
    let shop = Shop::new();
    for fault in [Fault::StallBeforeCommit, Fault::StallAfterCommit] {
        for call in ["getStatus", "confirm"] {
            let reference = format!("settle-{call}-{fault:?}");
            confirm_in_vain(&shop, &reference);
            let sent = shop.sandbox.requests(call);
            shop.sandbox.misbehave(fault.clone(), Some(call), 1);
            let mut command = command("customer", &shop.sandbox, &shop.folder.file());
            command.env("OPERATION", "settle").env("AT", "0");
            let mut process = command.spawn().unwrap();
            wait_for(&mut process, || shop.sandbox.requests(call) > sent);
            process.kill().unwrap();
            process.wait().unwrap();
            end_as_one_payment(&shop, &reference);
        }
    }
}

/// Makes an open payment that is due. Its confirm did not arrive.
fn confirm_in_vain(shop: &Shop, reference: &str) {
    let journal = shop.journal();
    let entry = journal.pay(reference, &request("10", "79001234567")).unwrap();
    shop.sandbox.misbehave(Fault::DropBeforeCommit, Some("confirm"), 1);
    assert_eq!(journal.confirm(&entry).unwrap().confirm(), Some(IntentState::Stored));
    change(shop, "due_at = 0");
}

/// Checks that other workers respect a claim until it ends, and that they then complete the payment. The
/// payment was made only once.
fn end_as_one_payment(shop: &Shop, reference: &str) {
    let (journal, asked) = (shop.journal(), shop.sandbox.requests("getStatus"));
    change(shop, "due_at = 0, due_claimed_until = due_claimed_until + 3600000");
    if count(shop, "due_claimed_until > 1") > 0 {
        assert_eq!(journal.settle(10).unwrap().done, 0, "{reference} is claimed");
        assert_eq!(shop.sandbox.requests("getStatus"), asked);
    }
    let end = Instant::now() + PATIENCE;
    while count(shop, "standing <> 'final'") > 0 {
        change(shop, "due_at = 0, due_claimed_until = 1");
        journal.settle(10).unwrap();
        assert!(Instant::now() < end, "{:?}", journal.find(reference));
    }
    assert!(journal.find(reference).unwrap().unwrap().succeeded());
    assert_eq!(count(shop, "due_at IS NOT NULL OR due_claim IS NOT NULL"), 0);
    assert_one_order_each(shop, &journal);
}

fn change(shop: &Shop, set: &str) {
    let sql = format!("UPDATE merchantpay_journal SET {set} WHERE standing <> 'final'");
    shop.folder.store().run(&sql, &[]).unwrap();
}

fn count(shop: &Shop, condition: &str) -> u32 {
    let sql = format!("SELECT COUNT(*) FROM merchantpay_journal WHERE {condition}");
    shop.folder.store().run(&sql, &[]).unwrap().rows[0][0].as_deref().unwrap().parse().unwrap()
}

pub fn during_the_call() {
    let shop = Shop::new();
    for (fault, takes_effect) in [(Fault::StallBeforeCommit, false), (Fault::StallAfterCommit, true)] {
        let reference = format!("stalled-{takes_effect}");
        let sent = shop.sandbox.requests("newPaymentAsync");
        shop.sandbox.misbehave(fault, Some("newPaymentAsync"), 1);
        let mut command = command("customer", &shop.sandbox, &shop.folder.file());
        command.env("OPERATION", "pay_async").env("REFERENCE", &reference).env("AT", "0");
        let mut process = command.spawn().unwrap();
        wait_for(&mut process, || shop.sandbox.requests("newPaymentAsync") > sent);
        process.kill().unwrap();
        process.wait().unwrap();
        // Five more calls of `pay_async` return before the first call has certainly ended.
        let clicked =
            Journal::open(&shop.client, shop.config().pay_wait(Duration::from_millis(100))).unwrap();
        std::thread::scope(|scope| {
            let click = || clicked.pay_async(&reference, &request("10", "79001234567")).unwrap().standing();
            let clicks: Vec<_> = (0..5).map(|_| scope.spawn(click)).collect();
            assert!(clicks.into_iter().all(|click| click.join().unwrap() == Standing::Sending));
        });
        let journal = shop.journal();
        let entry = journal.pay_async(&reference, &request("10", "79001234567")).unwrap();
        if takes_effect {
            assert!(heal(&shop, &journal, &reference).credentials().is_some());
        } else {
            assert_eq!((entry.standing(), entry.order_id()), (Standing::Sending, None));
        }
        assert_eq!(shop.sandbox.requests("newPaymentAsync"), sent + 1);
    }
}

/// Processes die while they wait for the response of `/new`. If a webhook names an order before the call has
/// ended, the order is queried again when the call has ended.
pub fn sixty_lost_responses() {
    const COUNT: u64 = 60;
    let shop = Shop::new();
    shop.sandbox.misbehave(Fault::StallAfterCommit, Some("newPayment"), 60);
    let journal = shop.journal();
    let start = |number: u64| {
        let mut command = command("customer", &shop.sandbox, &shop.folder.file());
        let reference = format!("order-{number}");
        command.env("OPERATION", "pay_never_pays").env("REFERENCE", reference).env("AT", "0").spawn().unwrap()
    };
    let mut processes: Vec<Child> = (0..COUNT).map(start).collect();
    wait_for(&mut processes[0], || shop.sandbox.requests("newPayment") == COUNT);
    for process in &mut processes {
        process.kill().unwrap();
        process.wait().unwrap();
    }
    let ended = || shop.sandbox.deliveries().into_iter().filter(|delivery| delivery.kind == "status");
    let end = Instant::now() + PATIENCE;
    while ended().count() < 60 {
        assert!(Instant::now() < end, "the payments expire");
        std::thread::sleep(Duration::from_millis(5));
    }
    for delivery in ended() {
        assert_eq!(give(&journal, &delivery).http_status, 200);
    }
    while journal.settle(100).unwrap().done > 0 {}
    let stats = journal.stats().unwrap();
    assert_eq!((stats.standings, stats.attention), (vec![("open".to_owned(), COUNT)], 0));
    // This ends the leases of the calls: of the 13 digits of a time only the last one is left.
    let passed = r#"UPDATE merchantpay_journal SET due_at = 0, record = substr(record, 1, instr(record, '"callUntil":') + 11)
        || substr(record, instr(record, '"callUntil":') + 24)"#;
    shop.folder.store().run(passed, &[]).unwrap();
    while journal.settle(100).unwrap().done > 0 {}
    let stats = journal.stats().unwrap();
    assert_eq!((stats.standings, stats.attention), (vec![("refused".to_owned(), COUNT)], 0));
    for number in 0..COUNT {
        let next = journal.pay(&format!("order-{number}"), &request("10", "79001234567")).unwrap();
        let first = journal.find(next.reference()).unwrap().unwrap().earlier()[0].clone();
        assert_eq!((next.attempt(), next.credentials().is_some(), first.credentials()), (2, true, None));
    }
    assert_eq!(shop.sandbox.requests("newPayment"), 2 * COUNT);
}

pub fn wait_for(process: &mut Child, is_reached: impl Fn() -> bool) {
    let end = Instant::now() + PATIENCE;
    while !is_reached() {
        assert!(Instant::now() < end && process.try_wait().unwrap().is_none(), "the call never came");
        std::thread::sleep(Duration::from_millis(5));
    }
}

/// Asserts that no two entries have the same order, and that the journal sent no more requests than it has
/// entries.
pub fn assert_one_order_each(shop: &Shop, journal: &Journal) {
    let entries = journal.list(None, 1000, None).unwrap();
    let orders: Vec<&str> = entries.iter().filter_map(Entry::order_id).collect();
    assert_eq!(orders.iter().collect::<BTreeSet<_>>().len(), orders.len());
    let sent = shop.sandbox.requests("newPayment") + shop.sandbox.requests("newPaymentAsync");
    assert!(sent <= entries.len() as u64, "{sent} requests for {} references", entries.len());
}
