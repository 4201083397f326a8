//! `doctor`: checks a set-up from its settings to a signed reply, one layer after another. Without `--pay` it
//! sends no request that can move money. It prints no secret.

mod callback;
mod network;
mod payment;
mod service;
mod settings;

use std::sync::{Arc, Mutex};
use std::time::{Duration, SystemTime};

use anstyle::{AnsiColor, Style};
use merchantpay::{Client, ConnectionReport, Error, Payment, PaymentRequest};
use merchantpay_journal::Stats;
use serde_json::json;

use crate::args;
use crate::output::{Failure, exit_with, print_line, print_styled, stdout_is_human, visible};

/// A check that does not apply finds nothing.
type Found = Result<Vec<Finding>, Failure>;
type Check = fn(&mut Setup<'_>) -> Found;

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
    ("contract", service::amounts),
    ("contract", service::unknown_order),
    ("callback", callback::callback),
    ("journal", callback::journal),
    ("settle", callback::settle),
    ("payment", payment::payment),
    ("versions", settings::versions),
];

struct Setup<'a> {
    arguments: &'a args::Doctor,
    request: Option<PaymentRequest>,
    /// `None` if the settings cannot be used.
    client: Option<Client>,
    connection: Option<ConnectionReport>,
    /// To a `/status` of an order that nobody has created.
    reply: Option<Result<Payment, Error>>,
    reply_took: Duration,
    /// The time of the service's last reply by its own clock, and by this machine's.
    clocks: Arc<Mutex<Option<(SystemTime, SystemTime)>>>,
    stats: Option<Stats>,
    has_faults: bool,
}

impl Setup<'_> {
    fn is_connected(&self) -> bool {
        self.connection.as_ref().is_some_and(|connection| connection.failure.is_none())
    }

    fn wants_contract(&self) -> bool {
        self.arguments.contract || self.request.is_some()
    }
}

pub(crate) fn run(arguments: &args::Doctor) -> Result<(), Failure> {
    // First, so that a wrong sum is refused before anything is sent.
    let request = payment::request(arguments)?;
    let mut setup = Setup {
        arguments,
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
        setup.has_faults = report.faults > 0;
    }
    report.end()
}

struct Finding {
    mark: Mark,
    text: String,
    next_step: Option<String>,
}

#[derive(PartialEq, Eq)]
enum Mark {
    Ok,
    /// It works, but somebody should look at it.
    Warning,
    /// It does not work, or is not safe.
    Fault,
    /// The check could not run, or there is nothing to check.
    Skipped,
}

impl Finding {
    fn ok(text: impl Into<String>) -> Finding {
        Finding { mark: Mark::Ok, text: text.into(), next_step: None }
    }

    fn warning(text: impl Into<String>, next_step: impl Into<String>) -> Finding {
        Finding { mark: Mark::Warning, text: text.into(), next_step: Some(next_step.into()) }
    }

    fn fault(text: impl Into<String>, next_step: impl Into<String>) -> Finding {
        Finding { mark: Mark::Fault, text: text.into(), next_step: Some(next_step.into()) }
    }

    fn skipped(text: impl Into<String>) -> Finding {
        Finding { mark: Mark::Skipped, text: text.into(), next_step: None }
    }
}

impl From<Finding> for Found {
    fn from(finding: Finding) -> Found {
        Ok(vec![finding])
    }
}

#[derive(Default)]
struct Report {
    faults: usize,
    warnings: usize,
}

impl Report {
    fn print(&mut self, check: &str, finding: &Finding) -> Result<(), Failure> {
        let Finding { mark, text, next_step } = finding;
        self.faults += usize::from(*mark == Mark::Fault);
        self.warnings += usize::from(*mark == Mark::Warning);
        let (name, style) = match mark {
            Mark::Ok => ("ok", AnsiColor::Green.on_default()),
            Mark::Warning => ("warning", AnsiColor::Yellow.on_default()),
            Mark::Fault => ("fault", AnsiColor::Red.on_default().bold()),
            Mark::Skipped => ("skipped", Style::new().dimmed()),
        };
        if !stdout_is_human() {
            let line = json!({"check": check, "result": name, "message": text, "advice": next_step});
            return print_line(&line.to_string());
        }
        print_styled(&format!("{style}{name:<8}{style:#} {check:<10} {}", visible(text)))?;
        next_step.as_ref().map_or(Ok(()), |step| print_styled(&format!("{:19} → {}", "", visible(step))))
    }

    fn end(&self) -> Result<(), Failure> {
        if stdout_is_human() {
            let text = match (self.faults, self.warnings) {
                (0, 0) => "Everything is in order.".to_owned(),
                (faults, warnings) => format!("{}, {}.", count(faults, "fault"), count(warnings, "warning")),
            };
            print_styled(&format!("\n{text}"))?;
        }
        exit_with(u8::from(self.faults > 0))
    }
}

fn count(number: usize, noun: &str) -> String {
    if number == 1 { format!("1 {noun}") } else { format!("{number} {noun}s") }
}
