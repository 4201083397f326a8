//! A short run of the journal's soak test.

use std::process::Command;

#[test]
fn some_hundred_payments_of_eight_processes_that_are_killed_agree_with_the_service() {
    let ran = Command::new(env!("CARGO_BIN_EXE_soak")).args(["journal", "720"]).output().expect("it starts");
    let printed = String::from_utf8_lossy(&ran.stdout);
    assert!(ran.status.success() && printed.ends_with("the journal and the service agree\n"), "{ran:?}");
}
