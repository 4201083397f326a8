//! Writes the generated files from the core's definition: `generate` writes every stale file; `generate
//! --check` only lists the stale files.

use std::process::ExitCode;

use merchantpay_generate::{Fault, root, stale, write_all};

fn main() -> ExitCode {
    let checks = std::env::args().nth(1).is_some_and(|argument| argument == "--check");
    let done = if checks { stale(&root()).and_then(none_stale) } else { write_all(&root()) };
    match done {
        Ok(()) => ExitCode::SUCCESS,
        Err(fault) => {
            eprintln!("generate: {fault}");
            ExitCode::FAILURE
        }
    }
}

fn none_stale(files: Vec<String>) -> Result<(), Fault> {
    if files.is_empty() {
        Ok(())
    } else {
        Err(format!("stale, run `make generate`: {}", files.join(", ")).into())
    }
}
