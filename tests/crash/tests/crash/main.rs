//! The journal in processes that die, over every kind of place. Without the feature `servers` only a file is tested.

#[allow(dead_code, reason = "the soak uses the rest")]
mod audit;
mod disk;
#[cfg(feature = "servers")]
mod failover;
mod processes;
mod shop;
mod statements;
mod store;
mod worker;

use std::panic::{AssertUnwindSafe, catch_unwind};
use std::sync::{Arc, Mutex};
use std::time::Instant;

use merchantpay_crash::{Kind, Servers};

type Shared = Arc<Mutex<Servers>>;

/// Whether a test runs over this kind of place.
type Where = fn(Kind) -> bool;

const EVERYWHERE: Where = |_| true;
const FILE: Where = |kind| kind == Kind::Sqlite;
const SERVER: Where = |kind| kind != Kind::Sqlite;

type Test = (&'static str, Where, fn(&Shared));

const TESTS: &[Test] = &[
    ("worker is killed at each statement", EVERYWHERE, statements::killed),
    ("connection is cut at each statement", SERVER, statements::cut),
    ("server is killed at each statement", SERVER, statements::restarted),
    ("parent and children of a fork each go on", EVERYWHERE, |servers| alone(servers, processes::forked)),
    ("clock that jumps ahead sends nothing again", EVERYWHERE, |servers| {
        alone(servers, processes::clock_ahead);
    }),
    ("full disk is told with what was sent", FILE, |servers| alone(servers, disk::full)),
    ("file that cannot be written sends nothing", FILE, |servers| alone(servers, disk::not_writable)),
    ("second SQLite in the process is noticed", FILE, |servers| alone(servers, disk::second_sqlite)),
    #[cfg(feature = "servers")]
    (
        "failover with a lost commit covers no unread news",
        |kind| kind == Kind::Postgresql,
        |_| {
            failover::lost_commit();
        },
    ),
    #[cfg(feature = "servers")]
    (
        "failover to a synchronous standby loses nothing",
        |kind| kind == Kind::Postgresql,
        |_| {
            failover::synchronous();
        },
    ),
];

fn alone(servers: &Shared, test: fn(&Servers)) {
    test(&servers.lock().unwrap_or_else(std::sync::PoisonError::into_inner));
}

fn main() {
    match std::env::var("CRASH_ROLE").as_deref() {
        Ok("worker") => return worker::work(),
        Ok("parent") => return processes::play_parent(),
        Ok("filler") => return disk::play_filler(),
        Ok("other") => return disk::play_other(),
        _ => {}
    }
    let words: Vec<String> = std::env::args().skip(1).filter(|word| !word.starts_with('-')).collect();
    let lists = std::env::args().any(|argument| argument == "--list");
    let kinds = if cfg!(feature = "servers") { &Kind::ALL[..] } else { &[Kind::Sqlite] };
    let mut failed = Vec::new();
    for kind in kinds {
        let name = |name: &str| format!("{}: {name}", kind.name());
        let is_wanted = |name: &str| words.iter().all(|word| name.contains(word.as_str()));
        let tests = TESTS.iter().filter(|(test, is_there, _)| is_there(*kind) && is_wanted(&name(test)));
        let mut servers = None;
        for (test, _, run) in tests {
            if lists {
                println!("{}: test", name(test));
                continue;
            }
            let servers = servers.get_or_insert_with(|| Arc::new(Mutex::new(Servers::start(*kind))));
            let begun = Instant::now();
            let passed = catch_unwind(AssertUnwindSafe(|| run(servers))).is_ok();
            let result = if passed { "ok" } else { "FAILED" };
            println!("test {} ... {result} ({:.1} s)", name(test), begun.elapsed().as_secs_f64());
            failed.extend((!passed).then(|| name(test)));
        }
    }
    if !failed.is_empty() {
        println!("failed: {failed:#?}");
        std::process::exit(1);
    }
}
