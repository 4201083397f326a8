//! Several workers settle due attempts. Each attempt is queried once, no write is lost, and the calls keep
//! the allowed rate.

use std::panic::{AssertUnwindSafe, catch_unwind};
use std::sync::atomic::{AtomicBool, AtomicU32, Ordering};
use std::sync::{Arc, Mutex};
use std::time::{Duration, Instant};

use merchantpay::{Client, Code, Error, Outcome};
use merchantpay_journal_old::{
    Dialect, Journal, JournalConfig, Placeholders, Rows, Standing, Store, StoreError,
};
use merchantpay_sandbox::Fault;

use crate::shop::{PATIENCE, Shop, config, request};

/// A store that counts the statements, and that can simulate a killed process.
#[derive(Clone)]
struct Counting {
    inner: Arc<dyn Store>,
    counts: Arc<Counts>,
}

#[derive(Default)]
struct Counts {
    statements: AtomicU32,
    /// The number of statements that read a single attempt.
    loads: AtomicU32,
    /// The number of statements that write a single attempt.
    swaps: AtomicU32,
    /// The number of writes that failed because another process wrote first.
    lost: AtomicU32,
    /// This many of the next claims fail without an effect, as in a deadlock.
    deadlocks: AtomicU32,
    /// After the next claim nothing is written, as if the process had been killed.
    dies: AtomicBool,
    is_dead: AtomicBool,
}

impl Counting {
    fn new(shop: &Shop) -> Counting {
        Counting { inner: shop.folder.store().into(), counts: Arc::default() }
    }

    fn journal(&self, shop: &Shop) -> Journal {
        self.with(shop, |config| config)
    }

    fn with(&self, shop: &Shop, set: impl FnOnce(JournalConfig) -> JournalConfig) -> Journal {
        let config = shop.with_settings(JournalConfig::over(self.clone()));
        Journal::open(&shop.client, set(config)).unwrap()
    }

    fn taken(&self) -> [u32; 4] {
        let Counts { statements, loads, swaps, lost, .. } = &*self.counts;
        [statements, loads, swaps, lost].map(|count| count.swap(0, Ordering::SeqCst))
    }
}

impl Store for Counting {
    fn dialect(&self) -> Dialect {
        self.inner.dialect()
    }

    fn placeholders(&self) -> Placeholders {
        self.inner.placeholders()
    }

    fn run(&self, sql: &str, parameters: &[Option<&str>]) -> Result<Rows, StoreError> {
        let counts = &*self.counts;
        let (is_claim, is_swap) = (sql.contains("due_claimed_until ="), sql.contains("AND version = "));
        if counts.is_dead.load(Ordering::SeqCst) {
            panic!("the process was killed");
        }
        let fails =
            || counts.deadlocks.fetch_update(Ordering::SeqCst, Ordering::SeqCst, |left| left.checked_sub(1));
        if is_claim && !is_swap && fails().is_ok() {
            return Err(StoreError::Failed(
                "1213 (40001): Deadlock found when trying to get lock".to_owned(),
            ));
        }
        let rows = self.inner.run(sql, parameters)?;
        counts.statements.fetch_add(1, Ordering::SeqCst);
        counts.loads.fetch_add(u32::from(sql.contains("LEFT JOIN")), Ordering::SeqCst);
        counts.swaps.fetch_add(u32::from(is_swap), Ordering::SeqCst);
        counts.lost.fetch_add(u32::from(is_swap && rows.affected == 0), Ordering::SeqCst);
        let has_claimed = sql.contains(" RETURNING ") || sql.contains("j.due_claim = ");
        if counts.dies.load(Ordering::SeqCst) && has_claimed && !rows.rows.is_empty() {
            counts.is_dead.store(true, Ordering::SeqCst);
        }
        Ok(rows)
    }
}

/// Makes this many payments, which are due and which the service reports as paid.
fn due(shop: &Shop, count: u32) {
    let journal = shop.journal();
    for number in 0..count {
        let entry = journal.pay(&format!("order-{number}"), &request("10", "79001234567")).unwrap();
        shop.client.confirm(entry.order_id().unwrap()).unwrap();
    }
    make_due(shop);
}

fn make_due(shop: &Shop) {
    shop.folder.store().run("UPDATE merchantpay_journal SET due_at = 0", &[]).unwrap();
}

fn count(shop: &Shop, condition: &str) -> String {
    let query = format!("SELECT COUNT(*) FROM merchantpay_journal WHERE {condition}");
    shop.folder.store().run(&query, &[]).unwrap().rows[0][0].clone().unwrap()
}

#[test]
fn eight_workers_settle_a_hundred_due_attempts_once_each_without_a_lost_write() {
    const ROWS: u32 = 100;
    let shop = Shop::new();
    due(&shop, ROWS);
    let stores: Vec<Counting> = (0..8).map(|_| Counting::new(&shop)).collect();
    let done = AtomicU32::new(0);
    std::thread::scope(|scope| {
        for store in &stores {
            scope.spawn(|| {
                let journal = store.journal(&shop);
                store.taken();
                // Each worker continues until no unclaimed attempt is left.
                while let settled @ 1.. = journal.settle(ROWS).unwrap().done {
                    done.fetch_add(settled, Ordering::SeqCst);
                }
            });
        }
    });
    assert_eq!(done.into_inner(), ROWS);
    assert_eq!(shop.sandbox.requests("getStatus"), u64::from(ROWS), "nothing is asked twice");
    assert_eq!(
        count(&shop, "standing = 'final' AND due_claim IS NULL AND due_claimed_until IS NULL"),
        ROWS.to_string()
    );
    let counted: Vec<[u32; 4]> = stores.iter().map(Counting::taken).collect();
    let sum = |place: usize| counted.iter().map(|counts| counts[place]).sum::<u32>();
    let [statements, loads, swaps, lost] = [0, 1, 2, 3].map(sum);
    assert_eq!((loads, swaps, lost), (0, ROWS, 0), "{counted:?}");
    // A page of 16 takes at most three statements; the other statements look for more work.
    assert!(statements <= ROWS + 40 + 8 * 12, "{counted:?}");
}

#[test]
fn one_worker_writes_each_due_attempt_once_and_reads_none_alone() {
    let shop = Shop::new();
    due(&shop, 40);
    let store = Counting::new(&shop);
    let journal = store.journal(&shop);
    store.taken();
    let settled = journal.settle(100).unwrap();
    assert_eq!((settled.done, settled.next_due), (40, None));
    let [statements, loads, swaps, lost] = store.taken();
    assert_eq!((loads, swaps, lost), (0, 40, 0));
    assert!(statements <= 40 + 3 * 3 + 2, "{statements}");
    // If no attempt is due, `settle` runs one statement, and that statement changes nothing.
    assert_eq!(journal.settle(100).unwrap().done, 0);
    assert_eq!(store.taken(), [1, 0, 0, 0]);
}

#[test]
fn the_claims_of_a_worker_that_dies_end_by_themselves() {
    let shop = Shop::new();
    due(&shop, 3);
    let store = Counting::new(&shop);
    let dying = store.journal(&shop);
    store.counts.dies.store(true, Ordering::SeqCst);
    assert!(catch_unwind(AssertUnwindSafe(|| dying.settle(10))).is_err());
    assert_eq!(count(&shop, "due_claim IS NOT NULL"), "3");

    let asked = shop.sandbox.requests("getStatus");
    let journal = shop.journal();
    let settled = journal.settle(10).unwrap();
    assert_eq!(settled.done, 0, "they are claimed");
    assert!(
        settled
            .next_due
            .is_some_and(|next| (Duration::from_millis(1)..=Duration::from_secs(61)).contains(&next))
    );
    assert_eq!(shop.sandbox.requests("getStatus"), asked);

    shop.folder.store().run("UPDATE merchantpay_journal SET due_claimed_until = 1", &[]).unwrap();
    assert_eq!(journal.settle(10).unwrap().done, 3);
    assert_eq!(count(&shop, "standing = 'final' AND due_claim IS NULL"), "3");
}

#[test]
fn a_claim_that_ends_in_a_deadlock_is_repeated() {
    let shop = Shop::new();
    due(&shop, 2);
    let store = Counting::new(&shop);
    let journal = store.journal(&shop);
    store.counts.deadlocks.store(3, Ordering::SeqCst);
    assert_eq!(journal.settle(10).unwrap().done, 2);
}

#[test]
fn what_a_worker_does_not_begin_is_due_to_others_at_once() {
    let shop = Shop::new();
    due(&shop, 12);
    // `settle` stops after three calls in a row that failed because of the network.
    shop.sandbox.misbehave(Fault::DropBeforeCommit, Some("getStatus"), 3 * 3);
    let journal = Counting::new(&shop).with(&shop, |config| config.calls_at_once(1));
    let settled = journal.settle(100).unwrap();
    assert_eq!((settled.done, settled.next_due), (3, Some(Duration::ZERO)));
    assert_eq!(count(&shop, "due_claim IS NOT NULL OR due_claimed_until IS NOT NULL"), "0");
    // The three queried attempts are postponed. They must not become due again, even if this test is slow.
    shop.folder.store().run("UPDATE merchantpay_journal SET due_at = NULL WHERE due_at > 0", &[]).unwrap();
    assert_eq!(shop.journal().settle(100).unwrap().done, 9);
}

#[test]
fn calls_run_side_by_side_up_to_the_limit_and_end_when_the_host_ends_settle() {
    let shop = Shop::new();
    due(&shop, 10);
    shop.sandbox.misbehave(Fault::StallBeforeCommit, Some("getStatus"), 100);
    let journal = Counting::new(&shop).with(&shop, |config| config.calls_at_once(3));
    let end = Instant::now() + PATIENCE;
    // `settle_with` calls `pause_for` when no further call is allowed to start.
    let error = journal.settle_with(10, |_| match shop.sandbox.requests("getStatus") {
        0..3 if Instant::now() < end => Ok(()),
        _ => Err(Error::internal(Outcome::Unknown, "the host was asked to stop")),
    });
    assert_eq!(error.unwrap_err().code(), Code::Internal);
    assert_eq!(shop.sandbox.requests("getStatus"), 3);
    // The results of the three calls are stored, and no claim remains.
    assert_eq!(count(&shop, "due_at > 0 AND record LIKE '%cancelled%'"), "3");
    assert_eq!(count(&shop, "due_claim IS NOT NULL"), "0");
}

#[test]
fn calls_of_settle_keep_their_rate() {
    let shop = Shop::new();
    due(&shop, 5);
    let journal = Counting::new(&shop).with(&shop, |config| config.calls_per_second(20));
    let begun = Instant::now();
    assert_eq!(journal.settle(10).unwrap().done, 5);
    // The pause after the last call belongs to the rate too.
    assert!(begun.elapsed() >= Duration::from_millis(5 * 50), "{:?}", begun.elapsed());
}

#[test]
fn a_client_with_an_observer_makes_the_calls_of_settle_on_the_callers_thread() {
    let shop = Shop::new();
    due(&shop, 6);
    let threads = Arc::new(Mutex::new(Vec::new()));
    let seen = threads.clone();
    let config =
        config(&shop.sandbox).observer(move |_| seen.lock().unwrap().push(std::thread::current().id()));
    let client = Client::new(config).unwrap();
    let journal = Journal::open(&client, shop.config()).unwrap();
    assert_eq!(journal.settle(10).unwrap().done, 6);
    assert_eq!(*threads.lock().unwrap(), [std::thread::current().id(); 6]);
}

#[test]
fn an_attempt_that_a_webhook_ends_while_it_is_claimed_stays_final() {
    let shop = Shop::new();
    let other = shop.journal();
    let entry = other.pay("order", &request("10", "79001234567")).unwrap();
    shop.client.confirm(entry.order_id().unwrap()).unwrap();
    make_due(&shop);
    let store = Counting::new(&shop);
    let journal = store.journal(&shop);
    // The webhook arrives while the call is running.
    shop.sandbox.misbehave(Fault::Latency(Duration::from_millis(300)), Some("getStatus"), 1);
    std::thread::scope(|scope| {
        let settling = scope.spawn(|| journal.settle(1).unwrap().done);
        while shop.sandbox.requests("getStatus") == 0 {
            std::thread::yield_now();
        }
        assert_eq!(shop.deliver(&other, entry.order_id().unwrap(), "status").http_status, 200);
        assert_eq!(settling.join().unwrap(), 1);
    });
    let end = other.find("order").unwrap().unwrap();
    assert_eq!((end.standing(), end.succeeded()), (Standing::Final, true));
    assert_eq!(count(&shop, "due_claim IS NOT NULL OR due_at IS NOT NULL"), "0");
}
