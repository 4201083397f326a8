//! The tests of the journal in its SQLite file, over every database: SQLite, PostgreSQL, PostgreSQL behind
//! pgbouncer in transaction mode, and MariaDB.
//!
//! `shared` are the tests. Run as they are they use SQLite; this program runs itself for each other database,
//! which the environment names.

mod place;

#[path = "../../../../crates/merchantpay-journal/tests/journal/progress.rs"]
mod progress;
#[path = "../../../../crates/merchantpay-journal/tests/journal/shop.rs"]
mod shop;

mod shared;

use std::path::Path;
use std::process::Command;

use merchantpay_databases::{Mariadb, Pgbouncer, Postgresql};

/// The tests that each database passes.
const SHARED: usize = 20;

fn assert_all_pass_over(database: &str, socket: &Path) {
    let mut program = Command::new(std::env::current_exe().unwrap());
    program
        .args(["shared::", "--test-threads=4"])
        .env("JOURNAL_DATABASE", database)
        .env("JOURNAL_SOCKET", socket);
    let output = program.output().unwrap();
    let printed = String::from_utf8_lossy(&output.stdout);
    assert!(output.status.success(), "{database}: {printed}\n{}", String::from_utf8_lossy(&output.stderr));
    assert!(printed.contains(&format!("test result: ok. {SHARED} passed")), "{database}: {printed}");
}

#[test]
fn over_postgresql_and_through_pgbouncer() {
    let server = Postgresql::new();
    assert_all_pass_over("postgresql", server.host());
    assert_all_pass_over("pgbouncer", Pgbouncer::new(&server).host());
}

#[test]
fn over_mariadb() {
    assert_all_pass_over("mariadb", Mariadb::new().socket());
}
