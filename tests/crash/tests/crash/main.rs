//! The journal in processes that die, over every kind of place. Without the feature `servers` only a file is tested.

mod adapter;
mod audit;
mod disk;
mod failover;
mod processes;
mod shop;
mod soak;
mod statements;
mod trap;

use std::process::ExitCode;

use merchantpay_crash::{Kind, Test};

const EVERYWHERE: fn(Kind) -> bool = |_| true;
const FILE: fn(Kind) -> bool = |kind| kind == Kind::Sqlite;
const SERVER: fn(Kind) -> bool = |kind| kind != Kind::Sqlite;
const POSTGRESQL: fn(Kind) -> bool = |kind| kind == Kind::Postgresql;

const TESTS: &[Test] = &[
    ("worker is killed at each statement", EVERYWHERE, statements::killed),
    ("connection is cut at each statement", SERVER, statements::cut),
    ("server is killed at each statement", SERVER, statements::restarted),
    ("parent and children of a fork each go on", EVERYWHERE, processes::forked),
    ("clock that jumps ahead sends nothing again", EVERYWHERE, processes::clock_ahead),
    ("full disk is told with what was sent", FILE, disk::full),
    ("file that cannot be written sends nothing", FILE, disk::not_writable),
    ("second SQLite in the process is noticed", FILE, disk::second_sqlite),
    ("failover with a lost commit covers no unread news", POSTGRESQL, |_| failover::lost_commit()),
    ("failover to a synchronous standby loses nothing", POSTGRESQL, |_| failover::synchronous()),
    ("soak: journal and service agree", EVERYWHERE, |servers| soak::run(servers).unwrap()),
];

fn main() -> ExitCode {
    match std::env::var("CRASH_ROLE").as_deref() {
        Ok("worker") => merchantpay_contract::run(trap::config).unwrap(),
        Ok("parent") => processes::play_parent(),
        Ok("other") => disk::play_other(),
        _ if cfg!(feature = "servers") => return merchantpay_crash::run(&Kind::ALL, TESTS),
        _ => return merchantpay_crash::run(&[Kind::Sqlite], TESTS),
    }
    ExitCode::SUCCESS
}
