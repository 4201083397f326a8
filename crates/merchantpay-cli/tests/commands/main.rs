//! Plain commands, each with what it prints: the cases beside this file, and those of docs/program.md.
#![cfg(unix)]

use std::path::Path;

#[test]
fn commands_print_what_the_cases_say() {
    let program = Path::new(env!("CARGO_BIN_EXE_merchantpay"));
    let path = format!("{}:{}", program.parent().unwrap().display(), std::env::var("PATH").unwrap());
    trycmd::TestCases::new()
        .env("PATH", path)
        .register_bin("merchantpay", program)
        .register_bin("sh", Path::new("/bin/sh"))
        .case("tests/commands/*.trycmd")
        .case("../../docs/program.md");
}
