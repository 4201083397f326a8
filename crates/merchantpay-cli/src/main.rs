//! All of the program's code is in the library of the same crate.

use std::process::ExitCode;

fn main() -> ExitCode {
    ExitCode::from(merchantpay_cli::run(std::env::args_os()))
}
