//! `settle`: runs once, for example from cron, or as a service.

use std::sync::Arc;
use std::time::Duration;

use merchantpay_journal::Settled;

use super::display::Display;
use crate::args::journal::Settle;
use crate::dates::duration;
use crate::interrupts::interrupt_on_signal;
use crate::json::quoted;
use crate::operator::{Health, Listening};
use crate::output::{Failure, eprint_line, error_line};

pub(super) fn settle(arguments: &Settle) -> Result<(), Failure> {
    let every = arguments.every.as_deref().map(duration).transpose()?;
    let (client, journal) = arguments.settings.open()?;
    let health = Arc::new(Health::default());
    let listen = arguments
        .listen
        .map(|address| Listening::start(address, &arguments.allowed_hosts, journal.derive(), health.clone()));
    let listening = listen.transpose()?;
    interrupt_on_signal(&client)?;
    let is_interrupted_within = |pause: Duration| client.pause(pause).is_err();
    let display = Display::detect();
    if let Some(listening) = &listening {
        let url = format!("http://{}/", listening.address());
        display.line(&format!("{{\"listening\":{}}}", quoted(&url)), &format!("listening at {url}"))?;
    }
    loop {
        let result = journal.settle(arguments.limit);
        health.report(&result);
        let has_more = match result {
            Ok(settled) => {
                // A service prints no line for a run that had nothing to do.
                if every.is_none() || settled.done > 0 {
                    print(display, &settled)?;
                }
                settled.done == arguments.limit
            }
            // An interrupt ends the service without an error, because the call that was running has stored
            // its outcome.
            Err(_) if is_interrupted_within(Duration::ZERO) => return Ok(()),
            Err(error) if every.is_some() && error.is_transient() => {
                eprint_line(&error_line(&error, ""));
                false
            }
            Err(error) => return Err(error.into()),
        };
        let Some(every) = every else { return Ok(()) };
        if is_interrupted_within(if has_more { Duration::ZERO } else { every }) {
            return Ok(());
        }
    }
}

fn print(display: Display, settled: &Settled) -> Result<(), Failure> {
    let next = settled.next_due.map(|next| next.as_millis());
    let json = format!(
        "{{\"done\":{},\"nextDueMs\":{}}}",
        settled.done,
        next.map_or_else(|| "null".to_owned(), |next| next.to_string())
    );
    let next = match settled.next_due {
        None => "nothing is due".to_owned(),
        Some(Duration::ZERO) => "more is due now".to_owned(),
        Some(next) => format!("the next is due in {} s", next.as_secs()),
    };
    display.line(&json, &format!("{} settled; {next}", settled.done))
}
