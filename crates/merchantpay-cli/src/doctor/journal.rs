//! Checks the journal: its database, the attempts that wait in it, and whether `settle` runs.

use merchantpay::Code;

use super::files;
use super::findings::Findings;
use crate::journal::open;
use crate::output::Failure;
use crate::settings::JournalSettings;

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
    let journal = match open(settings) {
        Ok((_, journal)) => journal,
        Err(error) if error.code() == Code::InvalidArgument => {
            return findings.fault(CHECK, error.message(), "correct the setting that this line names");
        }
        Err(error) => {
            return findings.fault(
                CHECK,
                error.message(),
                "run `merchantpay journal init`, and check the path and its owner",
            );
        }
    };
    let stats = match journal.stats() {
        Ok(stats) => stats,
        Err(error) => return findings.fault(CHECK, error.message(), "check the database and its log"),
    };
    let attempts: u64 = stats.standings.iter().map(|(_, count)| *count).sum();
    if stats.attention > 0 {
        let text = format!("{attempts} attempts; an operator must decide about {} of them", stats.attention);
        findings.warning(CHECK, text, "run `merchantpay journal attention`")?;
    } else {
        findings.ok(
            CHECK,
            format!("the journal's database answers; it has {attempts} attempts, and none needs attention"),
        )?;
    }
    if let Some(file) = settings.place.file() {
        files::mode(findings, "journal", &file)?;
    }
    let minutes = stats.overdue.unwrap_or(0) / 60_000;
    if stats.overdue.is_some_and(|overdue| overdue > LONGEST_OVERDUE_MS) {
        let text = format!(
            "an attempt has been due for {minutes} minutes: `journal settle` does not run, or does not \
             succeed"
        );
        return findings.fault("settle", text, "run `merchantpay journal settle --every 10s` as a service");
    }
    findings.ok("settle", "no attempt is overdue")
}
