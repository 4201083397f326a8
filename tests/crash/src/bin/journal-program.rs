//! The program `merchantpay`, for the tests with databases.

use std::process::ExitCode;

fn main() -> ExitCode {
    ExitCode::from(merchantpay_cli::run(std::env::args_os()))
}
