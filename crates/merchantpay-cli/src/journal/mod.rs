//! `journal …`: payments by the merchant's own order numbers. An order number has at most one payment that a
//! customer can pay.

mod entries;
mod payments;
mod upkeep;

use merchantpay::Status;
use merchantpay_journal::{Entry, IntentState, Reason, Standing, Word};

use crate::args::journal::JournalCommand;
use crate::dates;
use crate::document::{aligned, headed};
use crate::output::{Failure, print_line, print_result, print_styled, stdout_is_human, visible};

pub(crate) fn run(command: &mut JournalCommand) -> Result<(), Failure> {
    match command {
        JournalCommand::Init { place } => upkeep::init(place),
        JournalCommand::Pay(arguments) => payments::pay(arguments),
        JournalCommand::Replace(arguments) => payments::replace(arguments),
        JournalCommand::Confirm(arguments) => payments::confirm(arguments),
        JournalCommand::Cancel(arguments) => payments::cancel(arguments),
        JournalCommand::Wait { reference, until, settings } => payments::wait(reference, until, settings),
        JournalCommand::Receive(arguments) => payments::receive(arguments),
        JournalCommand::Settle(arguments) => payments::settle(arguments),
        JournalCommand::Show { reference, place } => entries::show(reference, place),
        JournalCommand::List(arguments) => entries::list(arguments),
        JournalCommand::News { limit, settings } => print_entries(&settings.open()?.1.news(*limit)?),
        JournalCommand::Acknowledge { reference, attempt, news, settings } => {
            entries::acknowledge(reference, *attempt, *news, settings)
        }
        JournalCommand::Attention { limit, place } => entries::attention(*limit, place),
        JournalCommand::Resolve(arguments) => entries::resolve(arguments),
        JournalCommand::Schema { dialect } => upkeep::schema(dialect),
        JournalCommand::Stats { max_attention, quiet, format, place } => {
            upkeep::stats(*max_attention, *quiet, format.is_some(), place)
        }
        JournalCommand::Backup { file, place } => upkeep::backup(file, place),
        JournalCommand::Restored { place } => upkeep::restored(place),
        JournalCommand::Pause(arguments) => upkeep::pause(arguments),
        JournalCommand::Resume(arguments) => upkeep::resume(arguments),
        JournalCommand::Forget { reference, place } => upkeep::forget(reference, place),
        JournalCommand::Export { place } => upkeep::export(place),
        JournalCommand::Import { from_0_3, paused_for_ever, place } => {
            upkeep::import(from_0_3.then_some(*paused_for_ever), place)
        }
        JournalCommand::Purge { before, older_than, place } => {
            upkeep::purge(before.as_deref(), older_than.as_deref(), place)
        }
        JournalCommand::AllowKey { key_id, place } => {
            place.operator()?.allow_key(key_id)?;
            upkeep::allowed(key_id)
        }
        JournalCommand::AllowUrl { base_url, place } => {
            place.operator()?.allow_url(base_url)?;
            upkeep::allowed(base_url)
        }
    }
}

/// Prints one attempt with all its fields.
fn print_entry(entry: &Entry) -> Result<(), Failure> {
    print_result(entry.to_json(), &block(entry))
}

fn print_entries(entries: &[Entry]) -> Result<(), Failure> {
    if stdout_is_human() {
        return print_rows(LIST, entries.iter().map(row).collect());
    }
    entries.iter().try_for_each(|entry| print_line(&entry.to_json()))
}

/// Prints aligned columns below their names for a person, and nothing for an empty list.
fn print_rows(names: &[&str], rows: Vec<Vec<String>>) -> Result<(), Failure> {
    if rows.is_empty() { Ok(()) } else { print_styled(&headed(names, rows)) }
}

const LIST: &[&str] =
    &["REFERENCE", "ATTEMPT", "STANDING", "ORDER ID", "ASKED", "STATUS", "PAID", "NEWS", "CREATED"];

fn row(entry: &Entry) -> Vec<String> {
    vec![
        visible(&entry.reference),
        entry.attempt.to_string(),
        entry.standing.to_string(),
        entry.order_id.as_deref().map_or_else(dash, visible),
        entry.sum_asked.to_string(),
        entry.status.as_ref().map_or_else(dash, |status| visible(status.as_str())),
        entry.sum_paid.map_or_else(dash, |sum| sum.to_string()),
        if entry.acknowledged { dash() } else { entry.news.to_string() },
        dates::relative(entry.created_at),
    ]
}

fn dash() -> String {
    "-".to_owned()
}

/// One line per field that has a value.
fn block(entry: &Entry) -> String {
    let mut lines: Vec<Vec<String>> = Vec::new();
    let mut add = |name: &str, value: String| lines.push(vec![name.to_owned(), value]);
    add("reference", visible(&entry.reference));
    add("attempt", entry.attempt.to_string());
    let standing = entry.standing;
    add("standing", format!("{standing}: {}", explained(Standing::TABLE, standing.name())));
    for (name, value) in
        [("order id", entry.order_id.as_deref()), ("status", entry.status.as_ref().map(Status::as_str))]
    {
        value.into_iter().for_each(|value| add(name, visible(value)));
    }
    add("asked", entry.sum_asked.to_string());
    entry.sum_paid.into_iter().for_each(|sum| add("paid", sum.to_string()));
    add("succeeded", yes_or_no(entry.succeeded));
    if let Some(payment) = &entry.credentials {
        for (name, value) in [
            ("pay to account", payment.payee_account()),
            ("at bank", payment.payee_account_bank()),
            ("of", payment.payee_name()),
            ("or by link", payment.deeplink()),
        ] {
            value.into_iter().for_each(|value| add(name, visible(value)));
        }
    }
    if let (Some(intent), Some(state)) = (entry.intent, entry.intent_state) {
        add(intent.name(), format!("{state}: {}", explained(IntentState::TABLE, state.name())));
    }
    add("news", format!("{}, acknowledged: {}", entry.news, yes_or_no(entry.acknowledged)));
    if let Some(problem) = &entry.error {
        let description =
            problem.description.as_deref().map_or_else(String::new, |words| format!(": {}", visible(words)));
        add("last error", format!("{}, outcome {}{description}", problem.code, problem.outcome));
    }
    for reason in &entry.attention {
        add("attention", format!("{reason}: {}", explained(Reason::TABLE, reason.name())));
    }
    for (name, ms) in [("created", entry.created_at), ("updated", entry.updated_at)] {
        add(name, format!("{} ({})", dates::text(ms), dates::relative(ms)));
    }
    aligned(&lines)
}

/// The meaning of a name that the journal reports; empty if the table does not have the name.
fn explained(table: &[Word], name: &str) -> &'static str {
    table.iter().find(|word| word.name == name).map_or("", |word| word.doc)
}

fn yes_or_no(is_it: bool) -> String {
    if is_it { "yes" } else { "no" }.to_owned()
}
