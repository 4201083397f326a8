//! A short run of main.rs.

use std::process::Command;

#[test]
fn a_few_thousand_payments_are_neither_lost_nor_doubled() {
    let ran = Command::new(env!("CARGO_BIN_EXE_soak")).arg("3000").output().expect("it starts");
    let printed = String::from_utf8_lossy(&ran.stdout);
    assert!(
        ran.status.success() && printed.ends_with("none lost, none doubled, nothing leaked\n"),
        "{ran:?}"
    );
}
