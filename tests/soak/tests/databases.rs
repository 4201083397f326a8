//! A short run of the journal's soak test with databases.

use std::process::Command;

fn soak(payments: u32, store: &str, languages: &str, processes: &str) {
    let mut soak = Command::new(env!("CARGO_BIN_EXE_soak"));
    let arguments = ["journal", &payments.to_string(), store, "--languages", languages];
    let ran = soak.args(arguments).output().expect("it starts");
    let printed = String::from_utf8_lossy(&ran.stdout);
    assert!(
        ran.status.success()
            && printed
                .starts_with(&format!("{payments} payments over {store} by 8 processes, {processes}; "))
            && printed.ends_with("the journal and the service agree\n"),
        "{store}: {ran:?}"
    );
    println!("{printed}");
}

#[test]
fn some_hundred_payments_of_eight_processes_in_rust_and_c_that_are_killed_agree_with_the_service() {
    for store in ["postgresql", "pgbouncer", "mariadb"] {
        soak(240, store, "rust,c", "4 in rust, 4 in c");
    }
}

#[test]
fn a_day_with_a_pause_a_restore_and_a_purge_leaves_only_differences_that_the_restore_explains() {
    let ran = Command::new(env!("CARGO_BIN_EXE_soak")).args(["day", "400"]).output().expect("it starts");
    let printed = String::from_utf8_lossy(&ran.stdout);
    assert!(ran.status.success() && printed.ends_with("the ledgers agree\n"), "{ran:?}");
    println!("{printed}");
}

#[test]
fn payments_of_processes_in_four_languages_that_are_killed_agree_with_the_service() {
    for store in ["postgresql", "pgbouncer"] {
        soak(120, store, "rust,python,php,go", "2 in rust, 2 in python, 2 in php, 2 in go");
    }
}
