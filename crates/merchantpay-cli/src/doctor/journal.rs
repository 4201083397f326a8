//! Checks the journal: its database, the attempts that wait in it, and whether `settle` runs.

use std::path::Path;

use merchantpay::{Code, Error};

use super::files;
use super::findings::Findings;
use crate::journal_settings::JournalSettings;
use crate::output::Failure;

/// If an attempt is overdue for longer than this time, no `settle` runs.
const LONGEST_OVERDUE_MS: i64 = 10 * 60 * 1000;

pub(super) fn check(findings: &mut Findings, settings: &JournalSettings) -> Result<(), Failure> {
    const CHECK: &str = "journal";
    if !settings.place.is_set() {
        return findings.skipped(
            CHECK,
            "no journal is set: without a journal, a lost reply can lead to a second payment",
        );
    }
    let journal = match settings.open() {
        Ok((_, journal)) => journal,
        Err(error) if error.code() == Code::InvalidArgument => {
            return findings.fault(CHECK, error.message(), "correct the setting that this line names");
        }
        Err(error) => {
            let is_file = settings.place.file().is_some();
            return findings.fault(CHECK, error.message(), next_step(&error, is_file));
        }
    };
    let stats = match journal.stats() {
        Ok(stats) => stats,
        Err(error) => return findings.fault(CHECK, error.message(), "check the database and its log"),
    };
    let attempts = stats.standings.sending + stats.standings.unknown + stats.standings.open;
    if stats.attention > 0 {
        let text = format!("an operator must decide about {} items", stats.attention);
        findings.warning(CHECK, text, "run `merchantpay journal attention`")?;
    } else {
        findings.ok(
            CHECK,
            format!("the journal answers; {attempts} attempts are not over, and nothing needs attention"),
        )?;
    }
    if let Some(file) = settings.place.file() {
        files::mode(findings, "journal", Path::new(&file))?;
    }
    let minutes = stats.overdue_ms.unwrap_or(0) / 60_000;
    if stats.overdue_ms.is_some_and(|overdue| overdue > LONGEST_OVERDUE_MS) {
        let text = format!(
            "an attempt has been due for {minutes} minutes: `journal settle` does not run, or does not \
             succeed"
        );
        return findings.fault("settle", text, "run `merchantpay journal settle --every 10s` as a service");
    }
    findings.ok("settle", "no attempt is overdue")
}

/// The journal's own text says what to do where it knows the fault.
fn next_step(error: &Error, is_file: bool) -> &'static str {
    match (is_file, error.is_transient()) {
        (true, _) => {
            "do what this line says; otherwise check the path, the disk, and that this user owns the file"
        }
        (false, false) => "correct what this line names",
        (false, true) => "check that the database runs, and the URL, the user and the password",
    }
}
