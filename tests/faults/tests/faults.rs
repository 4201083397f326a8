//! Runs the cases: `cargo test --package merchantpay-faults --test faults` a fixed sample, `FAULTS=2/8` in the environment
//! the second of eight parts of all planned cases. `FAULTS=every` and the name of a failed case repeat that case:
//! `… -- --exact newPayment/Plain/OneFault/ToService/Cut/17`.

use std::process::ExitCode;

use libtest_mimic::{Arguments, Failed, Trial};
use merchantpay_faults::{Part, trials};

/// Most cases only wait.
const THREADS: usize = 48;

fn part() -> Option<Part> {
    let text = std::env::var("FAULTS").unwrap_or_else(|_| "sample".to_owned());
    match text.as_str() {
        "sample" => Some(Part::Sample),
        "every" => Some(Part::Every),
        text => {
            let (number, of) = text.split_once('/')?;
            let (number, of) = (number.parse().ok()?, of.parse().ok()?);
            (1..=of).contains(&number).then_some(Part::Shard(number, of))
        }
    }
}

fn outcome_is_right_and_effect_happens_at_most_once(case: &merchantpay_faults::Trial) -> Result<(), Failed> {
    match case.run()? {
        violations if violations.is_empty() => Ok(()),
        violations => Err(Failed::from(violations.join("\n"))),
    }
}

fn main() -> ExitCode {
    let mut arguments = Arguments::from_args();
    arguments.test_threads.get_or_insert(THREADS);
    arguments.quiet |= arguments.format.is_none();
    let part = part().expect("FAULTS is sample, every or K/N");
    let wanted = arguments.filter.clone().unwrap_or_default();
    let found = trials(part, |name| name.contains(&wanted)).expect("the exchanges can be measured");
    let tests = found.into_iter().map(|(name, trial)| {
        Trial::test(name, move || outcome_is_right_and_effect_happens_at_most_once(&trial))
    });
    libtest_mimic::run(&arguments, tests.collect()).exit_code()
}
