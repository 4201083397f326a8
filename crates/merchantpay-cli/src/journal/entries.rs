//! Entries: `show` and `list`, how a person sees them, `acknowledge`, and what an operator decides: `attention` and
//! `resolve`.

use merchantpay::{Error, Result, Status};
use merchantpay_journal::operator::Operator;
use merchantpay_journal::{Attention, Entry, IntentState, Journal, Reason, Resolution, Standing, Word};
use serde_json::json;

use crate::args::journal::{List, Resolve};
use crate::dates;
use crate::document::{aligned, headed};
use crate::operator::commands::{self, Command};
use crate::output::{
    Failure, eprint_line, exit_with, print_line, print_result, print_styled, stdout_is_human, visible,
};
use crate::settings::{JournalPlace, JournalSettings};

const PAGE: u32 = 500;

/// The first one first; an error if there is none.
fn attempts(operator: &Operator, reference: &str) -> Result<Vec<Entry>> {
    let attempts = operator.attempts(reference)?;
    match attempts.is_empty() {
        true => Err(Error::invalid_argument("the journal has no such reference")),
        false => Ok(attempts),
    }
}

/// If there are several attempts, the user must give the number: the program does not assume the last one.
pub(super) fn find_attempt(journal: &Journal, reference: &str, number: Option<u32>) -> Result<Entry> {
    let attempts = attempts(&Operator::of(journal), reference)?;
    let count = attempts.len();
    if number.is_none() && count > 1 {
        return Err(Error::invalid_argument(format!(
            "the reference has {count} attempts: choose one with --attempt"
        )));
    }
    let found = attempts.into_iter().find(|entry| number.is_none_or(|number| entry.attempt == number));
    found.ok_or_else(|| Error::invalid_argument("the reference has no such attempt"))
}

pub(super) fn show(reference: &str, place: &JournalPlace) -> std::result::Result<(), Failure> {
    for (index, entry) in attempts(&place.operator()?, reference)?.iter().rev().enumerate() {
        if index > 0 && stdout_is_human() {
            eprint_line("");
        }
        print_entry(entry)?;
    }
    Ok(())
}

pub(super) fn list(arguments: &List) -> std::result::Result<(), Failure> {
    let date = |date: &Option<String>, otherwise| date.as_deref().map_or(Ok(otherwise), dates::moment);
    let standing = arguments.standing.as_deref().map(standing).transpose()?;
    let wanted = date(&arguments.since, i64::MIN)?..date(&arguments.until, i64::MAX)?;
    let (mut left, mut last) = (arguments.limit.unwrap_or(usize::MAX), None);
    let operator = arguments.place.operator()?;
    while left > 0 {
        let page = operator.list(standing, PAGE, last.as_ref())?;
        last = page.last().cloned();
        let entries = page.into_iter().filter(|entry| wanted.contains(&entry.created_at));
        let entries: Vec<Entry> = entries.take(left).collect();
        left -= entries.len();
        print_entries(&entries)?;
        // The newest entry comes first, so all that follow are too old as well.
        if last.as_ref().is_none_or(|last| last.created_at < wanted.start) {
            break;
        }
    }
    Ok(())
}

fn standing(name: &str) -> Result<Standing> {
    let names: Vec<&str> = Standing::ALL.iter().map(|standing| standing.name()).collect();
    Standing::from_name(name)
        .ok_or_else(|| Error::invalid_argument(format!("the standing must be one of {}", names.join(", "))))
}

pub(super) fn acknowledge(
    reference: &str,
    attempt: u32,
    news: i64,
    settings: &JournalSettings,
) -> std::result::Result<(), Failure> {
    let (_, journal) = settings.open()?;
    let acknowledged = journal.acknowledge((reference, attempt, news))?;
    let text = match acknowledged {
        true => "acknowledged",
        false => {
            find_attempt(&journal, reference, Some(attempt))?;
            "not acknowledged: it was before, or there are newer news"
        }
    };
    print_result(json!({"acknowledged": acknowledged}), text)?;
    exit_with(u8::from(!acknowledged))
}

pub(super) fn attention(limit: u32, place: &JournalPlace) -> std::result::Result<(), Failure> {
    let found = place.operator()?.attention(limit)?;
    if !stdout_is_human() {
        return found.iter().try_for_each(|item| print_line(&commands::line(item)));
    }
    let rows = found.iter().flat_map(rows).collect();
    print_rows(&["REFERENCE", "ATTEMPT", "ORDER ID", "WHY", "SINCE", "WHAT IT IS"], rows)?;
    for Command { case, text } in found.iter().flat_map(commands::of) {
        print_line(&format!("\n{case}:\n  {}", visible(&text)))?;
    }
    Ok(())
}

fn rows(item: &Attention) -> Vec<Vec<String>> {
    let row = |(reference, attempt): (Option<&str>, Option<u32>),
               order_id: Option<&str>,
               why: &str,
               since,
               what: &str| {
        vec![
            reference.map_or_else(dash, visible),
            attempt.map_or_else(dash, |attempt| attempt.to_string()),
            order_id.map_or_else(dash, visible),
            why.to_owned(),
            since,
            visible(what),
        ]
    };
    match item {
        Attention::Entry { entry, details } => {
            let of = |(reason, detail): (&Reason, &String)| {
                let since = dates::relative(entry.updated_at);
                let key = (Some(entry.reference.as_str()), Some(entry.attempt));
                row(key, entry.order_id.as_deref(), reason.name(), since, detail)
            };
            entry.attention.iter().zip(details).map(of).collect()
        }
        Attention::Orphan(orphan) => {
            let what = match &orphan.status {
                Some(status) => {
                    format!("messages about an order that no attempt has, with the status {status}")
                }
                None => "messages about an order that no attempt has".to_owned(),
            };
            let since = dates::relative(orphan.received_at);
            let key = (orphan.reference.as_deref(), orphan.attempt);
            vec![row(key, Some(&orphan.order_id), "orphan", since, &what)]
        }
        Attention::Unreadable { reference, attempt, column } => {
            let what = format!("this version cannot read its {column}: update the program");
            vec![row((Some(reference), Some(*attempt)), None, "unreadable", dash(), &what)]
        }
        _ => Vec::new(),
    }
}

pub(super) fn resolve(arguments: &Resolve) -> std::result::Result<(), Failure> {
    let (_, journal) = arguments.settings.open()?;
    let Some(reference) = &arguments.reference else {
        let order_id = arguments.orphan.as_deref().unwrap_or_default();
        let [status] = &arguments.seen[..] else {
            return Err(
                Error::invalid_argument("an orphan has one status: --seen STATUS, or --seen none").into()
            );
        };
        let status = Some(status.as_str()).filter(|status| *status != commands::NO_STATUS);
        journal.resolve_orphan(order_id, status, &arguments.note)?;
        return print_result(json!({"resolved": true}), "the item is off the attention list");
    };
    let resolution = resolution(arguments)?;
    let entry = find_attempt(&journal, reference, arguments.attempt)?;
    print_entry(&journal.resolve(&entry, &resolution, &arguments.note)?)
}

fn resolution(arguments: &Resolve) -> Result<Resolution> {
    if let Some(order_id) = &arguments.order_id {
        let sum = arguments.sum.as_deref().map(str::parse).transpose()?;
        return Ok(Resolution::Order(order_id.clone(), sum));
    }
    // Checked here: clap ignores `requires = "order_id"` if another decision excludes that.
    if arguments.sum.is_some() {
        return Err(Error::invalid_argument("--sum is the sum of an order: name it by --order-id"));
    }
    if arguments.no_payment {
        return Ok(Resolution::NoPayment);
    }
    if arguments.trusted {
        return Ok(Resolution::Trusted);
    }
    let reason = |name: &String| {
        let names: Vec<&str> = Reason::ALL.iter().map(|reason| reason.name()).collect();
        Reason::from_name(name)
            .ok_or_else(|| Error::invalid_argument(format!("a reason must be one of {}", names.join(", "))))
    };
    arguments.seen.iter().map(reason).collect::<Result<_>>().map(Resolution::Seen)
}

pub(super) fn print_entry(entry: &Entry) -> std::result::Result<(), Failure> {
    print_result(entry.to_json(), &block(entry))
}

pub(super) fn print_entries(entries: &[Entry]) -> std::result::Result<(), Failure> {
    if stdout_is_human() {
        return print_rows(LIST, entries.iter().map(row).collect());
    }
    entries.iter().try_for_each(|entry| print_line(&entry.to_json()))
}

pub(super) fn print_rows(names: &[&str], rows: Vec<Vec<String>>) -> std::result::Result<(), Failure> {
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

fn explained(table: &[Word], name: &str) -> &'static str {
    table.iter().find(|word| word.name == name).map_or("", |word| word.doc)
}

fn yes_or_no(is_it: bool) -> String {
    if is_it { "yes" } else { "no" }.to_owned()
}
