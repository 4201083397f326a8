//! `init`, `schema`, `stats`, `backup`, `pause`, `resume`, `export`, `import`, `purge` and `forget`: the
//! commands of an operator.

use std::io::BufRead as _;

use merchantpay::{Code, Error};
use merchantpay_journal::{Dialect, Journal, SqliteStore, Standing, Store as _};

use super::display::{Display, print_lines};
use super::open::open;
use crate::args::journal::{Backup, Export, Forget, Init, Noted, Plain, Purge, Stats};
use crate::dates;
use crate::interrupts::interrupt_on_signal;
use crate::json::quoted;
use crate::operator::prometheus;
use crate::output::{Failure, print_line};
use crate::settings::Rows;
use crate::terminal::visible::visible;

pub(super) fn init(arguments: &Init) -> Result<(), Failure> {
    let place = match arguments.place.rows()? {
        Rows::File(file) => {
            SqliteStore::create_with(&file, &arguments.place.durability_vouched()?)?;
            file.display().to_string()
        }
        Rows::Database(store) => {
            let dialect = store.dialect();
            merchantpay_journal::create_tables(store)?;
            dialect.to_string()
        }
    };
    Display::detect()
        .line(&format!("{{\"journal\":{}}}", quoted(&place)), &format!("the journal exists: {place}"))
}

pub(super) fn schema(dialect: &str) -> Result<(), Failure> {
    let statements = merchantpay_journal::schema(named(dialect));
    statements.iter().try_for_each(|statement| print_line(&format!("{statement};")))
}

fn named(dialect: &str) -> Dialect {
    match dialect {
        "postgresql" => Dialect::Postgresql,
        "mysql" => Dialect::Mysql,
        _ => Dialect::Sqlite,
    }
}

pub(super) fn stats(arguments: &Stats) -> Result<(), Failure> {
    let (_, journal) = open(&arguments.settings)?;
    let stats = journal.stats()?;
    let is_too_much = arguments.max_attention.is_some_and(|most| stats.attention > most);
    if arguments.quiet && !is_too_much {
        return Ok(());
    }
    let display = Display::detect();
    if arguments.format.as_deref() == Some("prometheus") {
        print_line(prometheus(&stats, None).trim_end())?;
    } else if display.is_for_people() {
        display.rows(&["STANDING", "ATTEMPTS"], rows(&stats))?;
    } else {
        print_line(&stats.to_json())?;
    }
    if is_too_much { Err(Failure::AlreadyReported(1)) } else { Ok(()) }
}

fn rows(stats: &merchantpay_journal::Stats) -> Vec<Vec<String>> {
    let about = if stats.is_estimated { "about " } else { "" };
    let standings = stats.standings.iter().map(|(standing, count)| {
        let about = if standing == Standing::Final.name() { about } else { "" };
        (standing.clone(), format!("{about}{count}"))
    });
    let reasons = stats.reasons.iter().map(|(reason, count)| (format!("- {reason}"), count.to_string()));
    let overdue = stats.overdue.map_or_else(|| "nothing is due".to_owned(), |ms| format!("{} s", ms / 1000));
    let vouched = Some(stats.durability_vouched.join(",")).filter(|names| !names.is_empty());
    let pause =
        stats.pause.as_ref().map(|pause| format!("{}: {}", dates::text(pause.at), visible(&pause.note)));
    let named = |name: &str, value: Option<String>| value.map(|value| (name.to_owned(), value));
    standings
        .chain(named("due", Some(stats.due.to_string())))
        .chain(named("oldest due for", Some(overdue)))
        .chain(named("needs attention", Some(stats.attention.to_string())))
        .chain(reasons)
        .chain(named("paused since", pause))
        .chain(named("vouched for", vouched))
        .map(|(name, value)| vec![name, value])
        .collect()
}

pub(super) fn backup(arguments: &Backup) -> Result<(), Failure> {
    let (_, journal) = open(&arguments.settings)?;
    journal.backup(&arguments.file)?;
    let file = arguments.file.display().to_string();
    Display::detect().line(
        &format!("{{\"backup\":{}}}", quoted(&file)),
        &format!("the copy {file} is paused: resume it after a restore"),
    )
}

pub(super) fn forget(arguments: &Forget) -> Result<(), Failure> {
    let (_, journal) = open(&arguments.settings)?;
    let forgotten = journal.forget(&arguments.reference)?;
    let text = format!("the details of {forgotten} attempts and messages are deleted");
    Display::detect().line(&format!("{{\"forgotten\":{forgotten}}}"), &text)
}

pub(super) fn pause(arguments: &Noted) -> Result<(), Failure> {
    let (client, journal) = open(&arguments.settings)?;
    interrupt_on_signal(&client)?;
    journal.pause(&arguments.note)?;
    Display::detect().line("{\"paused\":true}", "pay and news are stopped, and no payment is being made")
}

pub(super) fn resume(arguments: &Noted) -> Result<(), Failure> {
    let (_, journal) = open(&arguments.settings)?;
    journal.resume(&arguments.note)?;
    Display::detect().line("{\"paused\":false}", "the journal is not paused")
}

pub(super) fn export(arguments: &Export) -> Result<(), Failure> {
    let (_, journal) = open(&arguments.settings)?;
    match &arguments.sql {
        None => print_lines(|line| journal.export(line).map(drop)),
        Some(dialect) => print_lines(|line| {
            journal.export_sql(named(dialect), |statement| line(&format!("{statement};"))).map(drop)
        }),
    }
}

/// The number of lines that are stored at once.
const IMPORTED_AT_ONCE: usize = 100;

pub(super) fn import(arguments: &Plain) -> Result<(), Failure> {
    let (_, journal) = open(&arguments.settings)?;
    let (mut imported, mut present) = (0, 0);
    let mut lines = std::io::stdin().lock().lines().zip(1..).map(read_line).filter(|line| {
        // Leaves out empty lines, so that a page is empty only at the end of the input.
        !line.as_ref().is_ok_and(|(line, _)| line.trim().is_empty())
    });
    loop {
        let page = lines.by_ref().take(IMPORTED_AT_ONCE).collect::<Result<Vec<_>, _>>()?;
        if page.is_empty() {
            break;
        }
        let stored = import_page(&journal, &page)?;
        imported += stored;
        present += page.len() - stored;
    }
    let text = format!("{imported} lines were imported; {present} existed already");
    Display::detect().line(&format!("{{\"imported\":{imported},\"present\":{present}}}"), &text)
}

fn read_line((line, number): (std::io::Result<String>, u64)) -> Result<(String, u64), Error> {
    let unreadable = |error| Error::invalid_argument(format!("line {number}: stdin cannot be read: {error}"));
    Ok((line.map_err(unreadable)?, number))
}

/// Returns how many of the lines were new. If a line is wrong, the function stores the earlier lines and then
/// fails.
fn import_page(journal: &Journal, page: &[(String, u64)]) -> Result<usize, Error> {
    let lines: Vec<&str> = page.iter().map(|(line, _)| line.as_str()).collect();
    match journal.import_at_once(&lines) {
        Ok(true) => return Ok(page.len()),
        Err(error) if error.code() != Code::InvalidArgument => return Err(error),
        Ok(false) | Err(_) => {}
    }
    let mut stored = 0;
    for (line, number) in page {
        let imported = journal.import(line).map_err(|error| match error.code() {
            Code::InvalidArgument => Error::invalid_argument(format!("line {number}: {}", error.message())),
            _ => error,
        });
        stored += usize::from(imported?);
    }
    Ok(stored)
}

pub(super) fn purge(arguments: &Purge) -> Result<(), Failure> {
    let before = match (&arguments.before, &arguments.older_than) {
        (Some(date), _) => dates::moment(date)?,
        (None, age) => dates::ago(dates::duration(age.as_deref().unwrap_or_default())?)?,
    };
    let (_, journal) = open(&arguments.settings)?;
    let purged = journal.purge(before)?;
    Display::detect().line(&format!("{{\"purged\":{purged}}}"), &format!("{purged} attempts purged"))
}
