//! A byte-level fault harness for the client. A real client calls a service that signs its replies. At one byte of an
//! exchange the connection is cut, reset or stalled, the last bytes are sent twice, or the client is interrupted. The
//! harness then compares the client's result with the service's effects: the outcome is right, nothing takes effect twice,
//! the deadline is kept, and the next call works.

mod case;
mod channel;
mod client;
mod expectation;
mod fault;
mod kernel;
mod link;
mod operation;
mod oracle;
mod request;
mod run;
mod server;
mod service;
mod trial;
mod wire;

use std::cell::RefCell;
use std::io;
use std::net::TcpListener;
use std::sync::Arc;
use std::time::Duration;

use case::{Case, Exchange};

/// A case that takes longer hangs. No correct one does, even on a very busy machine.
const PATIENCE: Duration = Duration::from_secs(60);

/// A prime number, so that the sample has every fault, mode and place.
const SAMPLED: usize = 61;

/// The cases of a run.
#[derive(Clone, Copy, Debug)]
pub enum Part {
    /// A fixed sample: the ends of each exchange, and every 61st case.
    Sample,
    /// The K-th of N parts of all planned cases.
    Shard(usize, usize),
    /// Every offset of every exchange.
    Every,
}

/// The cases of a part whose names are wanted, each with its name.
///
/// # Errors
///
/// If the exchanges cannot be measured.
pub fn trials(part: Part, is_wanted: impl Fn(&str) -> bool) -> io::Result<Vec<(String, Trial)>> {
    let exchanges: &'static [Exchange] = run::exchanges()?.leak();
    let every = matches!(part, Part::Every);
    let cases = exchanges.iter().flat_map(|exchange| exchange.cases(every)).enumerate();
    let is_in = |(place, case): &(usize, Case<'_>)| match part {
        Part::Sample => case.is_at_an_end() || place.is_multiple_of(SAMPLED),
        Part::Shard(number, of) => place % of == number - 1,
        Part::Every => true,
    };
    let named = cases.filter(is_in).map(|(_, case)| (case.to_string(), Trial(case)));
    Ok(named.filter(|(name, _)| is_wanted(name)).collect())
}

/// A case that can be run.
pub struct Trial(Case<'static>);

impl Trial {
    /// Runs the case, and returns the violated rules.
    ///
    /// # Errors
    ///
    /// If the harness itself fails.
    pub fn run(&self) -> io::Result<Vec<String>> {
        thread_local! {
            static LISTENER: RefCell<Option<Arc<TcpListener>>> = const { RefCell::new(None) };
        }
        // After a failure a new one, because a server that did not end may still use the old one.
        let listener = LISTENER.take().map_or_else(server::listener, Ok)?;
        let violations = run::judge(&listener, &self.0)?;
        LISTENER.set(Some(listener));
        Ok(violations)
    }
}
