//! A byte-level fault harness for the client. A proxy is between a real client and a service that signs its
//! replies. At one byte of an exchange the proxy cuts, resets or stalls the connection, sends the last
//! bytes twice, or interrupts the client. The harness then compares the client's result with the service's
//! effects: the outcome is right, nothing takes effect twice, the deadline is kept, and the next call works.
//!
//! `merchantpay-faults` runs all planned cases. `--shard 2/8` runs the second of eight parts of these cases,
//! and `--sample` runs only the cases that are a part of `make test`. The program prints the name of each
//! failed case. `--only` runs that case again: `merchantpay-faults --only
//! newPayment/plain/one-fault/to-service/cut/17`.

mod case;
mod certificate;
mod channel;
mod client;
mod expectation;
mod fault;
mod kernel;
mod link;
mod operation;
mod oracle;
mod proxy;
mod report;
mod request;
mod run;
mod service;
mod trial;
mod wire;

use std::process::ExitCode;
use std::str::FromStr;
use std::time::{Duration, Instant};

use clap::Parser;

use case::{Case, Exchange, Offsets};

/// The limit after which a case is treated as hanging. No correct case takes this long, even on a very busy
/// machine.
const PATIENCE: Duration = Duration::from_secs(60);

/// Causes a fault of the connection at each byte of an exchange, or interrupts the client there, and checks
/// the client's result.
#[derive(Parser)]
struct Arguments {
    /// Run only the K-th of N parts
    #[arg(long, value_name = "K/N", default_value = "1/1")]
    shard: Shard,
    /// Run only a fixed sample: the ends of each exchange, and every 61st case
    #[arg(long)]
    sample: bool,
    /// Run only the case with this name, or all cases whose name begins with this text and a slash, at
    /// every offset
    #[arg(long, value_name = "NAME")]
    only: Option<String>,
    /// The number of concurrent cases
    #[arg(long, default_value_t = 48)]
    threads: usize,
}

#[derive(Clone, Copy)]
struct Shard {
    number: usize,
    of: usize,
}

impl FromStr for Shard {
    type Err = String;

    fn from_str(text: &str) -> Result<Shard, String> {
        let parts =
            text.split_once('/').and_then(|(number, of)| Some((number.parse().ok()?, of.parse().ok()?)));
        let (number, of) = parts
            .filter(|(number, of)| (1..=*of).contains(number))
            .ok_or("expected K/N with K from 1 to N")?;
        Ok(Shard { number, of })
    }
}

/// The sample takes every 61st case, in addition to the ends of each exchange. 61 is a prime number, so every
/// fault, mode and place occurs.
const SAMPLED: usize = 61;

fn main() -> Result<ExitCode, Box<dyn std::error::Error>> {
    let arguments = Arguments::parse();
    let began = Instant::now();
    let exchanges = run::exchanges()?;
    let cases = arguments.cases(&exchanges);
    if cases.is_empty() {
        return Err("there is no such case".into());
    }
    let report = run::run(&cases, arguments.threads)?;
    print!("{report}");
    println!("{} cases in {:.0} s", cases.len(), began.elapsed().as_secs_f64());
    Ok(if report.is_clean() { ExitCode::SUCCESS } else { ExitCode::FAILURE })
}

impl Arguments {
    fn cases<'a>(&self, exchanges: &'a [Exchange]) -> Vec<Case<'a>> {
        let offsets = if self.only.is_some() { Offsets::Every } else { Offsets::Planned };
        let all =
            exchanges.iter().flat_map(|exchange| exchange.cases(offsets)).filter(|case| self.names(case));
        let sampled = all
            .enumerate()
            .filter(|(place, case)| !self.sample || case.is_at_an_end() || place.is_multiple_of(SAMPLED));
        sampled.map(|(_, case)| case).skip(self.shard.number - 1).step_by(self.shard.of).collect()
    }

    /// Returns `true` if `--only` selects the case.
    fn names(&self, case: &Case<'_>) -> bool {
        let Some(only) = &self.only else { return true };
        let name = case.to_string();
        name.strip_prefix(only.trim_end_matches('/'))
            .is_some_and(|rest| rest.is_empty() || rest.starts_with('/'))
    }
}
