//! `show`, `list`, `news` and `acknowledge`.

use merchantpay::Paid;
use merchantpay::{Error, Result};
use merchantpay_journal::{Entry, Journal, Level, Standing};

use super::display::{Display, print_lines};
use super::open::{find, find_attempt, open};
use crate::args::journal::{Acknowledge, List, News, Show};
use crate::dates;
use crate::output::Failure;

/// The number of entries that are read at once.
const PAGE: u32 = 500;

pub(super) fn show(arguments: &Show) -> Result<(), Failure> {
    let (_, journal) = open(&arguments.settings)?;
    let entry = find(&journal, &arguments.reference)?;
    let display = Display::detect();
    display.entry(&entry)?;
    entry.earlier().iter().try_for_each(|earlier| {
        display.remark("");
        display.entry(earlier)
    })
}

pub(super) fn list(arguments: &List) -> Result<(), Failure> {
    let mut pages = Pages::of(arguments)?;
    let (_, journal) = open(&arguments.settings)?;
    if arguments.csv {
        return print_lines(|line| {
            line(CSV)?;
            while let Some(page) = pages.next(&journal)? {
                page.iter().try_for_each(|entry| line(&csv(entry)))?;
            }
            Ok(())
        });
    }
    let display = Display::detect();
    while let Some(page) = pages.next(&journal)? {
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

    fn next(&mut self, journal: &Journal) -> Result<Option<Vec<Entry>>> {
        if self.is_over || self.left == 0 {
            return Ok(None);
        }
        let page = journal.list(self.standing, PAGE, self.last.as_ref())?;
        // The entries come newest first. So after the first entry that is too old, all others are too old as
        // well.
        self.is_over = page.last().is_none_or(|last| last.created_at() < self.since);
        self.last = page.last().cloned();
        let is_wanted = |entry: &Entry| (self.since..self.until).contains(&entry.created_at());
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

const CSV: &str = "reference,attempt,standing,orderId,status,sumAsked,sumPaid,paid,succeeded,confirm,cancel,reported,acknowledged,createdAt,updatedAt";

fn csv(entry: &Entry) -> String {
    let sum_paid = entry.paid().and_then(|_| entry.payment()?.sum()).map(|sum| sum.to_string());
    let cells = [
        entry.reference().to_owned(),
        entry.attempt().to_string(),
        entry.standing().to_string(),
        entry.order_id().unwrap_or_default().to_owned(),
        entry.status().map_or_else(String::new, |status| status.as_str().to_owned()),
        entry.sum_asked().to_string(),
        sum_paid.unwrap_or_default(),
        entry.paid().map_or("", Paid::name).to_owned(),
        entry.succeeded().to_string(),
        entry.confirm().map_or("", |state| state.name()).to_owned(),
        entry.cancel().map_or("", |state| state.name()).to_owned(),
        entry.reported().to_string(),
        entry.acknowledged().to_string(),
        dates::text(entry.created_at()),
        dates::text(entry.updated_at()),
    ];
    cells.map(|cell| quoted(&cell)).join(",")
}

fn quoted(cell: &str) -> String {
    if cell.contains([',', '"', '\n', '\r']) {
        format!("\"{}\"", cell.replace('"', "\"\""))
    } else {
        cell.to_owned()
    }
}

pub(super) fn news(arguments: &News) -> Result<(), Failure> {
    let claim = dates::duration(&arguments.claim)?;
    let (_, journal) = open(&arguments.settings)?;
    Display::detect().entries(&journal.news_for(arguments.limit, claim)?)
}

pub(super) fn acknowledge(arguments: &Acknowledge) -> Result<(), Failure> {
    let reported = arguments.reported.as_deref().map(level).transpose()?;
    let (_, journal) = open(&arguments.settings)?;
    let entry = find_attempt(&journal, &arguments.attempt)?;
    // The acknowledgement covers only what the merchant has read. Later changes stay unacknowledged.
    let level = reported.unwrap_or(entry.reported());
    let acknowledged = match level {
        Level::None => false,
        level => journal.acknowledge_by(entry.reference(), entry.attempt(), level)?,
    };
    let text = match acknowledged {
        true if level < entry.reported() => format!("acknowledged: {level}; it is {} now", entry.reported()),
        true => format!("acknowledged: {level}"),
        false => "there was nothing to acknowledge".to_owned(),
    };
    let json = format!("{{\"acknowledged\":{acknowledged},\"reported\":\"{}\"}}", entry.reported());
    Display::detect().line(&json, &text)?;
    if acknowledged { Ok(()) } else { Err(Failure::AlreadyReported(1)) }
}

fn level(name: &str) -> Result<Level> {
    let names: Vec<&str> = Level::ALL.iter().map(|level| level.name()).collect();
    Level::from_name(name)
        .ok_or_else(|| Error::invalid_argument(format!("the level must be one of {}", names.join(", "))))
}

#[cfg(test)]
mod tests {
    use super::*;

    #[test]
    fn a_cell_is_quoted_where_it_has_to_be() {
        for (cell, written) in
            [("a", "a"), ("", ""), ("a,b", "\"a,b\""), ("a\"b", "\"a\"\"b\""), ("a\nb", "\"a\nb\"")]
        {
            assert_eq!(quoted(cell), written);
        }
    }
}
