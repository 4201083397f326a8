//! The journal's run over databases, short.

use std::process::Command;

#[test]
fn some_hundred_payments_of_eight_processes_in_rust_and_c_that_are_killed_agree_with_the_service() {
    for store in ["postgresql", "pgbouncer", "mariadb"] {
        let mut soak = Command::new(env!("CARGO_BIN_EXE_soak"));
        let ran = soak.args(["journal", "240", store]).output().expect("it starts");
        let printed = String::from_utf8_lossy(&ran.stdout);
        assert!(
            ran.status.success()
                && printed
                    .starts_with(&format!("240 payments over {store} by 8 processes, 4 of them in C, "))
                && printed.ends_with("the journal and the service agree\n"),
            "{store}: {ran:?}"
        );
        println!("{printed}");
    }
}
