//! The endurance test. Processes in several languages take the same payments over one store, while replies are spoiled or
//! lost, processes are killed, connections are cut, the server is killed and restarted, and webhooks come twice and out of
//! order. Then the journal is compared with the service's list, kopeck by kopeck, and with what was shipped; and the
//! process that nobody killed has not grown.
//!
//! `SOAK_SECONDS=180`, `SOAK_PROCESSES=16` and `SOAK_LANGUAGES=rust,python,php,go` make a longer run; each language with an
//! adapter in `tests/contract` works.

mod end;
mod gauge;
mod hooks;
mod till;
mod workers;

use std::time::Duration;

use merchantpay_crash::Servers;

use crate::adapter::Language;
use crate::audit::AnyResult;
use till::Till;

pub fn run(servers: &Servers) -> AnyResult<()> {
    let word = |name: &str, default: &str| std::env::var(name).unwrap_or_else(|_| default.to_owned());
    let seconds = word("SOAK_SECONDS", "5").parse()?;
    let processes: usize = word("SOAK_PROCESSES", "4").parse()?;
    let names = word("SOAK_LANGUAGES", "rust");
    let languages = names.split(',').map(Language::build).collect::<AnyResult<Vec<_>>>()?;
    let till = Till::new(servers)?;
    till.spoil_replies()?;
    let chaos = workers::run(&till, servers, &languages, processes, Duration::from_secs(seconds))?;
    println!(
        "  {} payments in {seconds} s by {processes} processes in {names}; {chaos}; {} replies spoiled; webhooks: {}",
        till.taken(),
        till.spoiled()?,
        till.hooks
    );
    till.spoil_no_more()?;
    println!("  {}", end::finish(&till, &languages[0])?);
    Ok(())
}
