//! If a clock jumps by hours, no payment is made twice or lost. The processes run under libfaketime, which
//! reads the jump from a file. Monotonic times, such as deadlines, do not jump.

use std::path::{Path, PathBuf};
use std::process::{Child, Command, Stdio};
use std::time::Duration;

use merchantpay_journal_old::{Attention, Level, Standing, Until};
use merchantpay_sandbox::Fault;

use crate::crash::{assert_one_order_each, heal};
use crate::role::{command, journal, value};
use crate::shop::{PATIENCE, Shop, request};

const JUMPS: [&str; 2] = ["+7h", "-7h"];

/// A clock that the test can set.
struct Clock(PathBuf);

impl Clock {
    fn of(shop: &Shop) -> Clock {
        let clock = Clock(shop.folder.path().join("clock"));
        clock.jump("+0");
        clock
    }

    fn jump(&self, offset: &str) {
        jump(&self.0, offset);
    }

    /// The command of a process with this clock.
    fn command(&self, role: &str, shop: &Shop) -> Command {
        let mut command = command(role, &shop.sandbox, &shop.folder.file());
        command.env("LD_PRELOAD", library()).env("FAKETIME_TIMESTAMP_FILE", &self.0);
        command.env("FAKETIME_NO_CACHE", "1").env("FAKETIME_DONT_FAKE_MONOTONIC", "1");
        command
    }
}

fn jump(file: &Path, offset: &str) {
    let new = file.with_extension("new");
    std::fs::write(&new, format!("{offset}\n")).unwrap();
    std::fs::rename(&new, file).unwrap();
}

fn library() -> PathBuf {
    let folders = std::fs::read_dir("/usr/lib")
        .unwrap()
        .map(|folder| folder.unwrap().path().join("faketime/libfaketimeMT.so.1"));
    folders.into_iter().find(|path| path.exists()).expect("libfaketime is there: tools/dev/setup c")
}

/// Makes payments and completes them. The clock jumps before each step.
pub fn traveller() {
    let (journal, clock, offset) =
        (journal(), PathBuf::from(value("FAKETIME_TIMESTAMP_FILE")), value("OFFSET"));
    let begun = std::time::SystemTime::now();
    let mut is_there = false;
    let mut travel = || {
        is_there = !is_there;
        jump(&clock, if is_there { &offset } else { "+0" });
    };
    travel();
    let moved = std::time::SystemTime::now().duration_since(begun).unwrap_or_else(|error| error.duration());
    assert!(moved > Duration::from_secs(6 * 3600), "the clock did not jump");
    for reference in ["order-1", "order-2"] {
        let entry = journal.pay(reference, &request("10", "79001234567")).unwrap();
        travel();
        let again = journal.pay(reference, &request("10", "79001234567")).unwrap();
        assert_eq!(
            (again.attempt(), again.order_id(), again.credentials().is_some()),
            (1, entry.order_id(), true)
        );
        let news = journal.news(10).unwrap();
        assert_eq!(news.iter().map(|entry| entry.reported()).collect::<Vec<_>>(), [Level::Credentials]);
        travel();
        assert!(journal.acknowledge(&news[0]).unwrap());
        journal.confirm(&again).unwrap();
        travel();
        assert!(journal.wait(reference, PATIENCE, Until::Final).unwrap().succeeded());
        let news = journal.news(10).unwrap();
        assert_eq!(news.iter().map(|entry| entry.reported()).collect::<Vec<_>>(), [Level::Final]);
        assert!(journal.acknowledge(&news[0]).unwrap());
        travel();
        assert!(!journal.acknowledge(&news[0]).unwrap() && journal.news(10).unwrap().is_empty());
    }
    // If the first `settle` has not made the attempt final, the attempt is perhaps not due for hours, because
    // the clock jumped. `wait` nevertheless queries the attempt immediately.
    let entry = journal.pay("order-3", &request("10", "79001234567")).unwrap();
    journal.confirm(&entry).unwrap();
    travel();
    journal.settle(10).unwrap();
    travel();
    assert!(journal.wait("order-3", PATIENCE, Until::Final).unwrap().succeeded());
    assert!(journal.attention(10).unwrap().is_empty());
}

pub fn at_any_step() {
    for offset in JUMPS {
        let shop = Shop::new();
        let clock = Clock::of(&shop);
        let status = clock.command("traveller", &shop).env("OFFSET", offset).status().unwrap();
        assert!(status.success(), "{offset}: {status}");
        assert_eq!(shop.sandbox.requests("newPayment"), 3);
        assert_one_order_each(&shop, &shop.journal());
    }
}

/// Repeats the payment in another process, and prints its standing.
pub fn asker() {
    let entry = journal().pay_async("order", &request("10", "79001234567")).unwrap();
    println!("{}", entry.standing());
}

fn ask(clock: &Clock, shop: &Shop) -> String {
    let output = clock.command("asker", shop).stderr(Stdio::inherit()).output().unwrap();
    assert!(output.status.success());
    String::from_utf8(output.stdout).unwrap().trim().to_owned()
}

pub fn during_the_call() {
    for (offset, standing) in [("+7h", Standing::Unknown), ("-7h", Standing::Sending)] {
        let shop = Shop::new();
        let clock = Clock::of(&shop);
        shop.sandbox.misbehave(Fault::StallAfterCommit, Some("newPaymentAsync"), 1);
        let mut caller = Caller(clock.command("asker", &shop).stdout(Stdio::null()).spawn().unwrap());
        crate::crash::wait_for(&mut caller.0, || shop.sandbox.requests("newPaymentAsync") > 0);
        clock.jump(offset);
        // By the wrong clock the time for the attempt's call is over already, or lasts for hours. In both
        // cases nothing is sent again.
        assert_eq!(ask(&clock, &shop), standing.name(), "{offset}");
        drop(caller);
        assert_eq!(ask(&clock, &shop), standing.name(), "{offset}");
        assert_eq!(shop.sandbox.requests("newPaymentAsync"), 1);
        // This process has the correct clock. Here the callback finds the attempt.
        let journal = shop.journal();
        assert!(heal(&shop, &journal, "order").credentials().is_some());
        let alive = |item: &Attention| matches!(item, Attention::Entry(_));
        assert!(!journal.attention(10).unwrap().iter().any(alive));
        assert_eq!(shop.sandbox.requests("newPaymentAsync"), 1);
    }
}

/// A process that is killed when the test ends.
struct Caller(Child);

impl Drop for Caller {
    fn drop(&mut self) {
        let _ = self.0.kill();
        let _ = self.0.wait();
    }
}
