//! `doctor`: checks a set-up from its settings to a signed reply, one layer after another. Without `--pay` it
//! sends no request that can move money. It prints no secret.

mod callback;
mod certificate;
mod contract;
mod finding;
mod journal;
mod network;
mod payment;
mod service;
mod settings;
mod versions;

use std::sync::{Arc, Mutex};
use std::time::{Duration, SystemTime};

use merchantpay::{Client, ConnectionReport, Error, Payment, PaymentRequest};
use merchantpay_journal::Stats;

use crate::args;
use crate::journal_settings::JournalSettings;
use crate::output::Failure;
use finding::{Finding, Report};

/// A check that does not apply finds nothing.
type Check = fn(&mut Setup<'_>) -> Result<Vec<Finding>, Failure>;

/// Each check needs only what the ones before it have found. `docs/program.md` has the same names.
const CHECKS: &[(&str, Check)] = &[
    ("settings", settings::settings),
    ("keys", settings::keys),
    ("files", settings::files),
    ("dns", network::dns),
    ("tcp", network::tcp),
    ("proxy", network::proxy),
    ("tls", network::tls),
    ("clock", service::clock),
    ("service", service::service),
    ("contract", contract::amounts),
    ("contract", contract::unknown_order),
    ("callback", callback::callback),
    ("journal", journal::journal),
    ("settle", journal::settle),
    ("payment", payment::payment),
    ("versions", versions::versions),
];

/// What is set up, and what the checks have found so far.
struct Setup<'a> {
    arguments: &'a args::Doctor,
    settings: &'a JournalSettings,
    /// The payment to make, if one is asked for.
    request: Option<PaymentRequest>,
    /// `None` if the settings cannot be used.
    client: Option<Client>,
    connection: Option<ConnectionReport>,
    /// What the service says about an order that nobody has created.
    reply: Option<Result<Payment, Error>>,
    reply_took: Duration,
    /// The time of the service's last reply by its own clock, and by this machine's.
    clocks: Arc<Mutex<Option<(SystemTime, SystemTime)>>>,
    /// The journal's counts, if it answers.
    stats: Option<Stats>,
    has_faults: bool,
}

impl Setup<'_> {
    /// Whether a connection was opened.
    fn is_connected(&self) -> bool {
        self.connection.as_ref().is_some_and(|connection| connection.failure.is_none())
    }

    /// Whether the contract is checked too.
    fn wants_contract(&self) -> bool {
        self.arguments.contract || self.request.is_some()
    }
}

pub(crate) fn run(arguments: &args::Doctor) -> Result<(), Failure> {
    // A wrong sum is found before anything is sent.
    let request = payment::request(arguments)?;
    let mut setup = Setup {
        arguments,
        settings: &arguments.settings,
        request,
        client: None,
        connection: None,
        reply: None,
        reply_took: Duration::ZERO,
        clocks: Arc::default(),
        stats: None,
        has_faults: false,
    };
    let mut report = Report::default();
    for (name, check) in CHECKS {
        for finding in check(&mut setup)? {
            report.print(name, &finding)?;
        }
        setup.has_faults = report.has_faults();
    }
    report.end()
}
