//! The commands of an operator. They need no key: none of them calls the service.

use std::io::BufRead as _;

use merchantpay::{Error, Result};
use merchantpay_journal::Stats;
use merchantpay_journal::operator::{Dialect, schema as statements};

use super::display::{Display, print_lines};
use crate::args::journal::{self as args, Backup, Import, Noted, Plain, Purge};
use crate::dates;
use crate::json::quoted;
use crate::operator::prometheus;
use crate::output::{Failure, print_line};
use crate::terminal::visible::visible;

pub(super) fn init(arguments: &Plain) -> Result<(), Failure> {
    arguments.place.create()?;
    let place = arguments.place.shown();
    Display::detect()
        .line(&format!("{{\"journal\":{}}}", quoted(&place)), &format!("the journal exists: {place}"))
}

pub(super) fn schema(dialect: &str) -> Result<(), Failure> {
    let dialect = match dialect {
        "postgresql" => Dialect::Postgresql,
        "mysql" => Dialect::Mysql,
        _ => Dialect::Sqlite,
    };
    statements(dialect).iter().try_for_each(|statement| print_line(&format!("{statement};")))
}

pub(super) fn stats(arguments: &args::Stats) -> Result<(), Failure> {
    let stats = arguments.place.operator()?.stats()?;
    let is_too_much = arguments.max_attention.is_some_and(|most| stats.attention > most);
    if arguments.quiet && !is_too_much {
        return Ok(());
    }
    let display = Display::detect();
    if arguments.format.as_deref() == Some("prometheus") {
        print_line(prometheus(&stats, None).trim_end())?;
    } else if display.is_for_people() {
        display.rows(&["WHAT", "HOW MANY"], rows(&stats))?;
    } else {
        print_line(&stats.to_json())?;
    }
    if is_too_much { Err(Failure::AlreadyReported(1)) } else { Ok(()) }
}

fn rows(stats: &Stats) -> Vec<Vec<String>> {
    let overdue =
        stats.overdue_ms.map_or_else(|| "nothing is due".to_owned(), |ms| format!("{} s", ms / 1000));
    let mut rows = vec![
        ("sending", stats.standings.sending.to_string()),
        ("unknown", stats.standings.unknown.to_string()),
        ("open", stats.standings.open.to_string()),
        ("news", stats.news.to_string()),
        ("due", stats.due.to_string()),
        ("oldest due for", overdue),
        ("needs attention", stats.attention.to_string()),
        ("- orphans", stats.orphans.to_string()),
    ];
    rows.extend(stats.pause.as_deref().map(|note| ("paused", visible(note))));
    if !stats.durability_vouched.is_empty() {
        rows.push(("vouched for", stats.durability_vouched.join(",")));
    }
    rows.into_iter().map(|(name, value)| vec![name.to_owned(), value]).collect()
}

pub(super) fn backup(arguments: &Backup) -> Result<(), Failure> {
    arguments.place.operator()?.backup(&arguments.file)?;
    let file = arguments.file.display().to_string();
    Display::detect().line(
        &format!("{{\"backup\":{}}}", quoted(&file)),
        &format!("the copy {file} is paused, and its attempts are marked as restored"),
    )
}

pub(super) fn restored(arguments: &Plain) -> Result<(), Failure> {
    arguments.place.operator()?.restored()?;
    Display::detect().line(
        "{\"restored\":true}",
        "every attempt is marked as restored, and the journal is paused: run `settle`, decide what `attention` lists, \
         then `resume`",
    )
}

pub(super) fn pause(arguments: &Noted) -> Result<(), Failure> {
    arguments.place.operator()?.pause(&arguments.note, |pause| {
        std::thread::sleep(pause);
        Ok(())
    })?;
    Display::detect()
        .line("{\"paused\":true}", "pay, replace and news are stopped, and no payment is being made")
}

pub(super) fn resume(arguments: &Noted) -> Result<(), Failure> {
    arguments.place.operator()?.resume(&arguments.note)?;
    Display::detect().line("{\"paused\":false}", "the journal is not paused")
}

pub(super) fn export(arguments: &Plain) -> Result<(), Failure> {
    let operator = arguments.place.operator()?;
    print_lines(|line| operator.export(line).map(drop))
}

pub(super) fn import(arguments: &Import) -> Result<(), Failure> {
    let operator = arguments.place.operator()?;
    let read = |line: std::io::Result<String>| {
        line.map_err(|error| Error::invalid_argument(format!("stdin cannot be read: {error}")))
    };
    let is_empty = |line: &Result<String>| line.as_ref().is_ok_and(|line| line.trim().is_empty());
    let lines = std::io::stdin().lock().lines().map(read).filter(|line| !is_empty(line));
    let imported = match arguments.from_0_3 {
        true => operator.import_from_0_3(arguments.paused_for_ever, lines)?,
        false => operator.import(lines)?,
    };
    let (attempts, messages, present) = (imported.attempts, imported.messages, imported.present);
    Display::detect().line(
        &format!("{{\"imported\":{attempts},\"messages\":{messages},\"present\":{present}}}"),
        &format!("{attempts} attempts and {messages} messages were imported; {present} existed already"),
    )
}

pub(super) fn purge(arguments: &Purge) -> Result<(), Failure> {
    let before = match (&arguments.before, &arguments.older_than) {
        (Some(date), _) => dates::moment(date)?,
        (None, age) => dates::ago(dates::duration(age.as_deref().unwrap_or_default())?)?,
    };
    let purged = arguments.place.operator()?.purge(before)?;
    Display::detect().line(&format!("{{\"purged\":{purged}}}"), &format!("{purged} attempts purged"))
}

pub(super) fn forget(arguments: &args::Reference) -> Result<(), Failure> {
    let forgotten = arguments.place.operator()?.forget(&arguments.reference)?;
    let text = format!("the details of {forgotten} attempts are deleted");
    Display::detect().line(&format!("{{\"forgotten\":{forgotten}}}"), &text)
}

pub(super) fn allow_key(arguments: &args::AllowKey) -> Result<(), Failure> {
    arguments.place.operator()?.allow_key(&arguments.key_id)?;
    allowed(&arguments.key_id)
}

pub(super) fn allow_url(arguments: &args::AllowUrl) -> Result<(), Failure> {
    arguments.place.operator()?.allow_url(&arguments.base_url)?;
    allowed(&arguments.base_url)
}

fn allowed(what: &str) -> Result<(), Failure> {
    Display::detect()
        .line(&format!("{{\"allowed\":{}}}", quoted(what)), &format!("allowed: {}", visible(what)))
}
