//! Short runs of the soak tests.

use std::process::Command;

fn soak(arguments: &[&str], last: &str) {
    let ran = Command::new(env!("CARGO_BIN_EXE_soak")).args(arguments).output().expect("it starts");
    let printed = String::from_utf8_lossy(&ran.stdout);
    assert!(ran.status.success() && printed.ends_with(last), "{ran:?}");
    println!("{printed}");
}

const AGREE: &str = "the journal and the service agree: none doubled, none lost, none shipped twice\n";

#[test]
fn client_loses_and_doubles_no_payment() {
    soak(&["3000"], "none lost, none doubled, nothing leaked\n");
}

#[test]
fn journal_in_a_file_agrees_with_the_service() {
    soak(&["journal", "5", "sqlite", "4", "rust"], AGREE);
}

#[test]
#[cfg(feature = "servers")]
fn journal_over_servers_agrees_with_the_service() {
    for store in ["postgresql", "pgbouncer", "mariadb"] {
        soak(&["journal", "20", store, "8", "rust,python"], AGREE);
    }
}
