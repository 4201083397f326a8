//! Runs the journal's SQLite tests with every database: SQLite, PostgreSQL, PostgreSQL behind pgbouncer in
//! transaction mode, and MariaDB. The statements go through the program's drivers, and through libpq and
//! libmariadb with the callbacks of the C examples. The tests are in `shared`. By default they use SQLite;
//! this program runs itself once for each other database, which the environment names.

mod place;

#[path = "../../../../crates/merchantpay-journal-old/tests/journal/progress.rs"]
mod progress;
#[path = "../../../../crates/merchantpay-journal-old/tests/journal/shop.rs"]
mod shop;

mod shared;

use std::path::{Path, PathBuf};
use std::process::Command;
use std::sync::OnceLock;

use merchantpay_crash::{Mariadb, Pgbouncer, Postgresql};

/// The number of tests that each database must pass.
fn shared() -> usize {
    let listed = run(Command::new(std::env::current_exe().unwrap()).args(["shared::", "--list"]));
    let count = listed.lines().filter(|line| line.ends_with(": test")).count();
    assert!(count > 20, "{listed}");
    count
}

fn assert_all_pass_over(database: &str, socket: &Path) {
    let mut program = Command::new(std::env::current_exe().unwrap());
    program
        .args(["shared::", "--test-threads=4"])
        .env("JOURNAL_DATABASE", database)
        .env("JOURNAL_SOCKET", socket);
    if database.starts_with("lib") {
        program.env("JOURNAL_PROGRAM", store_in_c());
    }
    let output = program.output().unwrap();
    let printed = String::from_utf8_lossy(&output.stdout);
    assert!(output.status.success(), "{database}: {printed}\n{}", String::from_utf8_lossy(&output.stderr));
    assert!(printed.contains(&format!("test result: ok. {} passed", shared())), "{database}: {printed}");
}

/// Builds `c/store.c` with all compiler warnings as errors.
fn store_in_c() -> &'static Path {
    static BUILT: OnceLock<PathBuf> = OnceLock::new();
    BUILT.get_or_init(|| {
        let here = Path::new(env!("CARGO_MANIFEST_DIR"));
        let program = Path::new(env!("CARGO_TARGET_TMPDIR")).join("store");
        let drivers = run(Command::new("pkg-config").args(["--cflags", "--libs", "libpq", "libmariadb"]));
        run(Command::new("cc")
            .args(["-std=c99", "-g", "-Wall", "-Wextra", "-Wpedantic", "-Werror", "-I"])
            .arg(here.join("../../include"))
            .arg(here.join("c/store.c"))
            .arg("-o")
            .arg(&program)
            .args(drivers.split_whitespace()));
        program
    })
}

fn run(command: &mut Command) -> String {
    let output = command.output().unwrap_or_else(|error| panic!("{command:?}: {error}"));
    assert!(output.status.success(), "{command:?}: {}", String::from_utf8_lossy(&output.stderr));
    String::from_utf8(output.stdout).unwrap()
}

#[test]
fn over_postgresql_and_through_pgbouncer() {
    let server = Postgresql::new();
    assert_all_pass_over("postgresql", server.host());
    let pgbouncer = Pgbouncer::new(&server);
    assert_all_pass_over("pgbouncer", pgbouncer.host());
    assert_all_pass_over("libpq", server.host());
    assert_all_pass_over("libpq", pgbouncer.host());
}

#[test]
fn over_mariadb() {
    let server = Mariadb::new();
    assert_all_pass_over("mariadb", server.socket());
    assert_all_pass_over("libmariadb", server.socket());
    assert_all_pass_over("mariadb", Mariadb::without_binary_log().socket());
}
