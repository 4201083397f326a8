//! The program; all of it is in the library beside it.

use std::process::ExitCode;

fn main() -> ExitCode {
    ExitCode::from(merchantpay_cli::run(std::env::args_os()))
}
