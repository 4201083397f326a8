//! The journal: its database, the attempts that wait in it, and whether `settle` runs.

use merchantpay::{Code, Error};
use merchantpay_journal::Stats;

use super::Setup;
use super::finding::Finding;
use crate::output::Failure;

/// If an attempt is overdue for longer than this time, no `settle` runs.
const LONGEST_OVERDUE_MS: i64 = 10 * 60 * 1000;

pub(super) fn journal(setup: &mut Setup<'_>) -> Result<Vec<Finding>, Failure> {
    if setup.client.is_none() {
        return Ok(Vec::new());
    }
    if !setup.settings.place.is_set() {
        let text = "no journal is set: without a journal, a lost reply can lead to a second payment";
        return Ok(Finding::skipped(text).into());
    }
    Ok(match setup.settings.open().and_then(|(_, journal)| journal.stats()) {
        Ok(stats) => {
            let Stats { standings, attention, .. } = &stats;
            let attempts = standings.sending + standings.unknown + standings.open;
            let finding = match (&stats.pause, attention) {
                (Some(note), _) => Finding::warning(
                    format!("the journal is paused, so nothing is paid: {note}"),
                    "run `merchantpay journal resume`, or `merchantpay journal restored` on a copy",
                ),
                (None, 0) => Finding::ok(format!(
                    "the journal answers; {attempts} attempts are not over, and nothing needs attention"
                )),
                (None, _) => Finding::warning(
                    format!("an operator must decide about {attention} items"),
                    "run `merchantpay journal attention`",
                ),
            };
            setup.stats = Some(stats);
            finding
        }
        Err(error) => {
            let is_file = setup.settings.place.file().is_some();
            Finding::fault(error.message(), next_step(&error, is_file))
        }
    }
    .into())
}

/// The journal's own text says what to do where it knows the fault.
fn next_step(error: &Error, is_file: bool) -> &'static str {
    match (error.code(), is_file, error.is_transient()) {
        (Code::InvalidArgument, ..) => "correct what this line names",
        (_, true, _) => {
            "do what this line says; otherwise check the path, the disk, and that this user owns the file"
        }
        (_, false, false) => "correct what this line names",
        (_, false, true) => "check that the database runs, and the URL, the user and the password",
    }
}

pub(super) fn settle(setup: &mut Setup<'_>) -> Result<Vec<Finding>, Failure> {
    let Some(stats) = &setup.stats else { return Ok(Vec::new()) };
    let overdue = stats.overdue_ms.filter(|overdue| *overdue > LONGEST_OVERDUE_MS);
    Ok(overdue.map_or_else(
        || Finding::ok("no attempt is overdue"),
        |overdue| {
            let minutes = overdue / 60_000;
            Finding::fault(
                format!(
                    "an attempt has been due for {minutes} minutes: `journal settle` does not run, or does not \
                     succeed"
                ),
                "run `merchantpay journal settle --every 10s` as a service",
            )
        },
    )
    .into())
}
