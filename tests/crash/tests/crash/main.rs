//! The journal in processes that die, over every kind of place. Without the feature `servers` only a file is tested.

mod adapter;
mod audit;
mod disk;
#[cfg(feature = "servers")]
mod failover;
mod processes;
mod shop;
mod soak;
mod statements;
mod trap;

use std::process::ExitCode;
use std::sync::{Arc, LazyLock, Mutex, PoisonError};

use libtest_mimic::{Arguments, Trial};
use merchantpay_crash::{Kind, Servers};

/// The servers of a kind of place, which start with its first test and end with its last one.
type Shared = Arc<LazyLock<Mutex<Servers>, Box<dyn FnOnce() -> Mutex<Servers> + Send>>>;

/// Whether a test runs over this kind of place.
type Where = fn(Kind) -> bool;

const EVERYWHERE: Where = |_| true;
const FILE: Where = |kind| kind == Kind::Sqlite;
const SERVER: Where = |kind| kind != Kind::Sqlite;
#[cfg(feature = "servers")]
const POSTGRESQL: Where = |kind| kind == Kind::Postgresql;

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
    ("failover with a lost commit covers no unread news", POSTGRESQL, |_| failover::lost_commit()),
    #[cfg(feature = "servers")]
    ("failover to a synchronous standby loses nothing", POSTGRESQL, |_| failover::synchronous()),
    ("soak: journal and service agree", EVERYWHERE, |servers| soak::run(servers).unwrap()),
];

fn alone(servers: &Shared, test: fn(&Servers)) {
    test(&servers.lock().unwrap_or_else(PoisonError::into_inner));
}

fn main() -> ExitCode {
    match std::env::var("CRASH_ROLE").as_deref() {
        Ok("worker") => merchantpay_contract::run(trap::config).unwrap(),
        Ok("parent") => processes::play_parent(),
        Ok("other") => disk::play_other(),
        _ => return run(),
    }
    ExitCode::SUCCESS
}

fn run() -> ExitCode {
    let kinds = if cfg!(feature = "servers") { &Kind::ALL[..] } else { &[Kind::Sqlite] };
    let trials = kinds.iter().flat_map(|kind| {
        let start: Box<dyn FnOnce() -> Mutex<Servers> + Send> =
            Box::new(move || Servers::start(*kind).into());
        let servers = Arc::new(LazyLock::new(start));
        TESTS.iter().filter(|(_, is_there, _)| is_there(*kind)).map(move |(test, _, run)| {
            let servers = servers.clone();
            Trial::test(format!("{}: {test}", kind.name()), move || {
                run(&servers);
                Ok(())
            })
        })
    });
    // One after another: each test has the servers and the machine to itself.
    let arguments = Arguments { test_threads: Some(1), ..Arguments::from_args() };
    libtest_mimic::run(&arguments, trials.collect()).exit_code()
}
