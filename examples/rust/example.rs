//! The common code of the examples.
#![allow(dead_code, reason = "no example needs all of it")]

use std::error::Error;
use std::fmt::Display;
use std::process::ExitCode;

/// The result of an example.
pub type Ended = Result<(), Box<dyn Error>>;

/// Runs an example, and prints the error that it ends with.
pub fn run(example: impl FnOnce() -> Ended) -> ExitCode {
    let Err(error) = example() else { return ExitCode::SUCCESS };
    match error.downcast_ref::<merchantpay::Error>() {
        Some(error) => {
            eprintln!("error {} {}: {}", error.code(), error.outcome(), error.message());
            if let Some(description) = error.description() {
                eprintln!("the service says: {description}");
            }
        }
        None => eprintln!("error: {error}"),
    }
    ExitCode::FAILURE
}

/// Prints how to call the program, and ends the program.
pub fn usage(text: &str) -> ! {
    eprintln!("usage: {text}");
    std::process::exit(2)
}

/// Prints a field, unless it is absent or empty.
pub fn show(name: &str, value: Option<impl Display>) {
    if let Some(value) = value.map(|value| value.to_string()).filter(|value| !value.is_empty()) {
        println!("{name} {value}");
    }
}

/// Returns a field, or "-" if it is absent. Only the order id is always present.
pub fn shown(value: Option<impl Display>) -> String {
    value.map_or_else(|| "-".to_owned(), |value| value.to_string())
}

/// Reads a required setting from the environment.
pub fn setting(name: &str) -> Result<String, merchantpay::Error> {
    std::env::var(name).map_err(|_| merchantpay::Error::invalid_argument(format!("{name} is not set")))
}
