//! The fixed sample of the matrix.

use std::process::Command;

#[test]
fn no_fault_of_the_sample_has_a_wrong_outcome_or_a_second_effect() {
    let ran =
        Command::new(env!("CARGO_BIN_EXE_merchantpay-faults")).arg("--sample").output().expect("it starts");
    let (report, errors) = (String::from_utf8_lossy(&ran.stdout), String::from_utf8_lossy(&ran.stderr));
    assert!(ran.status.success(), "{report}{errors}");
}
