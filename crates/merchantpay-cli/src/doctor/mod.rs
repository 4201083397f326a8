//! `doctor`: checks a set-up, from its settings to a signed reply. It sends no request that can move money,
//! and it prints no secret.

mod callback;
mod certificate;
mod exchange;
mod files;
pub(crate) mod findings;
mod journal;
mod keys;
mod network;
mod service;
mod settings;
mod target;
mod tls;
mod versions;

use merchantpay::Client;

use crate::args;
use crate::output::Failure;
use findings::Findings;

pub(crate) use service::unknown_order;

pub(crate) fn run(arguments: &args::Doctor) -> Result<(), Failure> {
    let mut findings = Findings::new();
    let journal = &arguments.settings;
    let config = settings::check(&mut findings, &journal.settings)?;
    keys::check(&mut findings, &journal.settings)?;
    files::check(&mut findings, journal)?;
    match config {
        Some(config) => {
            let client = Client::new(config).map(Some).or_else(|error| {
                let advice = "correct the setting that this line names";
                findings.fault("settings", error.message(), advice).map(|()| None)
            })?;
            if let Some(client) = client {
                let reached = network::check(&mut findings, &journal.settings, &client)?;
                service::check(&mut findings, &client, reached)?;
                callback::check(&mut findings, journal, target::is_local(client.base_url()))?;
                journal::check(&mut findings, journal)?;
            }
        }
        None => findings.skipped("service", "doctor checks nothing else before the settings are complete")?,
    }
    versions::check(&mut findings)?;
    findings.end()
}
