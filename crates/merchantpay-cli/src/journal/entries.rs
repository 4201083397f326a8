//! `show`, `list`, `news` and `acknowledge`.

use merchantpay::{Error, Result};
use merchantpay_journal::operator::Operator;
use merchantpay_journal::{Entry, Journal, Standing};

use super::display::Display;
use crate::args::journal::{Acknowledge, Attempt, List, News, Reference};
use crate::dates;
use crate::output::Failure;

/// The number of entries that are read at once.
const PAGE: u32 = 500;

/// All attempts of a reference, the first one first; at least one.
fn attempts(operator: &Operator, reference: &str) -> Result<Vec<Entry>> {
    let attempts = operator.attempts(reference)?;
    match attempts.is_empty() {
        true => Err(Error::invalid_argument("the journal has no such reference")),
        false => Ok(attempts),
    }
}

/// The attempt that a command names. If there are several, the user must give the number: the program does
/// not assume the last one.
pub(super) fn find_attempt(journal: &Journal, wanted: &Attempt) -> Result<Entry> {
    let attempts = attempts(&Operator::of(journal), &wanted.reference)?;
    let count = attempts.len();
    if wanted.attempt.is_none() && count > 1 {
        return Err(Error::invalid_argument(format!(
            "the reference has {count} attempts: choose one with --attempt"
        )));
    }
    let found =
        attempts.into_iter().find(|entry| wanted.attempt.is_none_or(|number| entry.attempt == number));
    found.ok_or_else(|| Error::invalid_argument("the reference has no such attempt"))
}

pub(super) fn show(arguments: &Reference) -> Result<(), Failure> {
    let attempts = attempts(&arguments.place.operator()?, &arguments.reference)?;
    let display = Display::detect();
    for (place, entry) in attempts.iter().rev().enumerate() {
        if place > 0 {
            display.remark("");
        }
        display.entry(entry)?;
    }
    Ok(())
}

pub(super) fn list(arguments: &List) -> Result<(), Failure> {
    let mut pages = Pages::of(arguments)?;
    let operator = arguments.place.operator()?;
    let display = Display::detect();
    while let Some(page) = pages.next(&operator)? {
        display.entries(&page)?;
    }
    Ok(())
}

/// Reads the entries of a list page by page.
struct Pages {
    standing: Option<Standing>,
    since: i64,
    until: i64,
    left: usize,
    last: Option<Entry>,
    is_over: bool,
}

impl Pages {
    fn of(arguments: &List) -> Result<Pages> {
        let date = |date: &Option<String>, otherwise| date.as_deref().map_or(Ok(otherwise), dates::moment);
        Ok(Pages {
            standing: arguments.standing.as_deref().map(standing).transpose()?,
            since: date(&arguments.since, i64::MIN)?,
            until: date(&arguments.until, i64::MAX)?,
            left: arguments.limit.unwrap_or(usize::MAX),
            last: None,
            is_over: false,
        })
    }

    fn next(&mut self, operator: &Operator) -> Result<Option<Vec<Entry>>> {
        if self.is_over || self.left == 0 {
            return Ok(None);
        }
        let page = operator.list(self.standing, PAGE, self.last.as_ref())?;
        // The entries come newest first. So after the first entry that is too old, all others are too old as
        // well.
        self.is_over = page.last().is_none_or(|last| last.created_at < self.since);
        self.last = page.last().cloned();
        let is_wanted = |entry: &Entry| (self.since..self.until).contains(&entry.created_at);
        let wanted: Vec<Entry> = page.into_iter().filter(is_wanted).take(self.left).collect();
        self.left -= wanted.len();
        Ok(Some(wanted))
    }
}

fn standing(name: &str) -> Result<Standing> {
    let names: Vec<&str> = Standing::ALL.iter().map(|standing| standing.name()).collect();
    Standing::from_name(name)
        .ok_or_else(|| Error::invalid_argument(format!("the standing must be one of {}", names.join(", "))))
}

pub(super) fn news(arguments: &News) -> Result<(), Failure> {
    let (_, journal) = arguments.settings.open()?;
    Display::detect().entries(&journal.news(arguments.limit.limit)?)
}

pub(super) fn acknowledge(arguments: &Acknowledge) -> Result<(), Failure> {
    let (_, journal) = arguments.settings.open()?;
    let acknowledged =
        journal.acknowledge((arguments.reference.as_str(), arguments.attempt, arguments.news))?;
    let text = match acknowledged {
        true => "acknowledged",
        false => {
            let Acknowledge { reference, attempt, .. } = arguments;
            find_attempt(&journal, &Attempt { reference: reference.clone(), attempt: Some(*attempt) })?;
            "not acknowledged: it was before, or there are newer news"
        }
    };
    Display::detect().line(&format!("{{\"acknowledged\":{acknowledged}}}"), text)?;
    if acknowledged { Ok(()) } else { Err(Failure::AlreadyReported(1)) }
}
