//! `probe`: a smoke test of a real service with a real key. It reports a fault if the service differs from
//! the contract. If the contract leaves something open, it reports a warning if the service differs from the
//! sandbox's assumption.

mod amounts;
mod fields;
mod payment;
mod prompt;
mod unknown;

use merchantpay::{Amount, Error};

use crate::args;
use crate::doctor::findings::Findings;
use crate::output::Failure;

pub(crate) fn run(arguments: &args::Probe) -> Result<(), Failure> {
    // Checks the request before anything is sent, so that a wrong sum is found first.
    let request = arguments.pay.as_ref().map(|sum| Ok::<_, Error>((sum, payment::request(arguments, sum)?)));
    let request = request.transpose()?;
    let client = arguments.settings.settings.client()?;
    let mut findings = Findings::new();
    let sum: Amount = arguments.pay.as_ref().unwrap_or(&arguments.sum).parse()?;
    amounts::check(&mut findings, &client, sum, arguments.payment_method.parse()?)?;
    unknown::check(&mut findings, &client)?;
    if let Some((sum, request)) = request {
        if findings.has_faults() {
            findings.skipped("payment", "no payment is made while the service differs from the contract")?;
        } else {
            payment::check(&mut findings, &arguments.settings, sum, &request)?;
        }
    }
    findings.end()
}

/// The error's text with the text of the service.
fn full_text(error: &Error) -> String {
    let description = error.description().filter(|text| !error.message().contains(text));
    description.map_or_else(|| error.message().to_owned(), |text| format!("{}: {text}", error.message()))
}
