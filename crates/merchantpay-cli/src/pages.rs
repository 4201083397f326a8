//! Makes the completions and the manual from the program's command line.

use std::io::Write as _;
use std::path::Path;

use merchantpay::{Error, Outcome};

use crate::help;
use crate::output::Failure;

/// Prints the completions for a shell.
pub(crate) fn completions(shell: clap_complete::Shell) -> Result<(), Failure> {
    let mut text = Vec::new();
    clap_complete::generate(shell, &mut help::command(), "merchantpay", &mut text);
    print(&text)
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
            clap_mangen::Man::new(help::command()).render(&mut text).map_err(unprinted)?;
            print(&text)
        }
    }
}

fn print(text: &[u8]) -> Result<(), Failure> {
    let mut out = std::io::stdout().lock();
    out.write_all(text).and_then(|()| out.flush()).map_err(unprinted)
}

fn unprinted(error: std::io::Error) -> Failure {
    Failure::Error(Error::internal(Outcome::NotSent, format!("the page could not be printed: {error}")))
}
