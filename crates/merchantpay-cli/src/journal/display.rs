//! Writes entries as JSON lines, or on a terminal as text for people.

use std::io::Write as _;

use merchantpay::Status;
use merchantpay_journal::{Entry, IntentState, Reason, Standing};

use crate::dates;
use crate::output::{Failure, eprint_line, print_line, print_styled};
use crate::terminal;
use crate::terminal::table::{aligned, headed};
use crate::terminal::visible::visible;
use crate::words::explained;

/// The form in which results are written.
#[derive(Clone, Copy)]
pub(super) struct Display {
    for_people: bool,
}

impl Display {
    pub(super) fn detect() -> Display {
        Display { for_people: terminal::is_for_people() }
    }

    /// Writes one result.
    pub(super) fn line(self, json: &str, text: &str) -> Result<(), Failure> {
        print_line(if self.for_people { text } else { json })
    }

    /// Writes an explanation of the result, for a person only.
    pub(super) fn remark(self, text: &str) {
        if self.for_people {
            eprint_line(text);
        }
    }

    /// Writes one attempt with all its fields.
    pub(super) fn entry(self, entry: &Entry) -> Result<(), Failure> {
        self.line(&entry.to_json(), &block(entry))
    }

    /// Writes the attempts of a list.
    pub(super) fn entries(self, entries: &[Entry]) -> Result<(), Failure> {
        if self.for_people {
            return self.rows(LIST, entries.iter().map(row).collect());
        }
        entries.iter().try_for_each(|entry| print_line(&entry.to_json()))
    }

    /// Writes aligned columns below their names. Writes nothing for an empty list.
    pub(super) fn rows(self, names: &[&str], rows: Vec<Vec<String>>) -> Result<(), Failure> {
        if rows.is_empty() {
            return Ok(());
        }
        print_styled(&headed(names, rows))
    }

    pub(super) fn is_for_people(self) -> bool {
        self.for_people
    }
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

pub(super) fn dash() -> String {
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
    add("created", dates::both(entry.created_at));
    add("updated", dates::both(entry.updated_at));
    aligned(&lines)
}

fn yes_or_no(is_it: bool) -> String {
    if is_it { "yes" } else { "no" }.to_owned()
}

/// Writes many lines for programs: each line as soon as it is read. Flushes the output at the end.
pub(super) fn print_lines(
    print: impl FnOnce(&mut dyn FnMut(&str) -> merchantpay::Result<()>) -> merchantpay::Result<()>,
) -> Result<(), Failure> {
    let mut out = std::io::BufWriter::new(std::io::stdout().lock());
    let failed = |error: std::io::Error| {
        merchantpay::Error::internal(
            merchantpay::Outcome::Unknown,
            format!("the result could not be printed: {error}"),
        )
    };
    print(&mut |line| writeln!(out, "{line}").map_err(failed))?;
    out.flush().map_err(|error| failed(error).into())
}
