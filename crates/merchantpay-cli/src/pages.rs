//! Makes the completions and the manual from the program's command line.

use std::path::Path;

use merchantpay::{Error, Outcome};

use crate::help;
use crate::output::{Failure, print_help};

/// Prints the completions for a shell.
pub(crate) fn completions(shell: clap_complete::Shell) -> Result<(), Failure> {
    let mut text = Vec::new();
    clap_complete::generate(shell, &mut help::command(), "merchantpay", &mut text);
    print_help(&String::from_utf8_lossy(&text))
}

/// Prints the first page of the manual, or writes every page to a folder.
pub(crate) fn manual(folder: Option<&Path>) -> Result<(), Failure> {
    match folder {
        Some(folder) => clap_mangen::generate_to(help::command(), folder).map_err(|error| {
            let text = format!("the manual cannot be written to {}: {error}", folder.display());
            Failure::Error(Error::invalid_argument(text))
        }),
        None => {
            let mut text = Vec::new();
            let rendered = clap_mangen::Man::new(help::command()).render(&mut text);
            rendered.map_err(|error| Error::internal(Outcome::NotSent, error.to_string()))?;
            print_help(&String::from_utf8_lossy(&text))
        }
    }
}
