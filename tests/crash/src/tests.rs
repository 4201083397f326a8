//! A program of tests over each kind of place.

use std::process::ExitCode;

use libtest_mimic::{Arguments, Trial};

use crate::{Kind, Servers};

/// The name, whether it runs over a kind of place, and the test.
pub type Test = (&'static str, fn(Kind) -> bool, fn(&Servers));

/// One after another, because each has the servers and the machine to itself, and on this thread, because some fork.
pub fn run(kinds: &[Kind], tests: &[Test]) -> ExitCode {
    let trials = kinds.iter().flat_map(|kind| {
        let servers = Servers::new(*kind);
        tests.iter().filter(|(_, is_there, _)| is_there(*kind)).map(move |(test, _, run)| {
            let (servers, run) = (servers.clone(), *run);
            Trial::test(format!("{}: {test}", kind.name()), move || {
                run(&servers);
                Ok(())
            })
        })
    });
    let arguments = Arguments { test_threads: Some(1), ..Arguments::from_args() };
    libtest_mimic::run(&arguments, trials.collect()).exit_code()
}
