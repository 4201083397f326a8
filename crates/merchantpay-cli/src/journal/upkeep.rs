//! `init`, `schema`, `stats`, `export`, `import` and `purge`: what an operator does.

use std::io::BufRead as _;

use merchantpay::{Code, Error};
use merchantpay_journal::{Dialect, SqliteStore, Store as _};

use super::dates;
use super::display::{Display, print_lines};
use super::open::open;
use crate::args::journal::{Export, Init, Plain, Purge, Stats};
use crate::json::quoted;
use crate::output::{Failure, print_line};
use crate::settings::Rows;

pub(super) fn init(arguments: &Init) -> Result<(), Failure> {
    let place = match arguments.place.rows()? {
        Rows::File(file) => {
            SqliteStore::create(&file)?;
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
    let display = Display::detect();
    if display.is_for_people() {
        let standings =
            stats.standings.iter().map(|(standing, count)| vec![standing.clone(), count.to_string()]);
        let overdue =
            stats.overdue.map_or_else(|| "nothing is due".to_owned(), |ms| format!("{} s", ms / 1000));
        let others = [("needs attention", stats.attention.to_string()), ("oldest due for", overdue)];
        let vouched = stats.durability_vouched.join(",");
        let vouched = Some(("vouched for", vouched)).filter(|(_, names)| !names.is_empty());
        let others = others.into_iter().chain(vouched).map(|(name, value)| vec![name.to_owned(), value]);
        display.rows(&["STANDING", "ATTEMPTS"], standings.chain(others).collect())?;
    } else {
        let standings: Vec<String> =
            stats.standings.iter().map(|(standing, count)| format!("{}:{count}", quoted(standing))).collect();
        let overdue = stats.overdue.map_or_else(|| "null".to_owned(), |ms| ms.to_string());
        let (standings, attention) = (standings.join(","), stats.attention);
        let vouched: Vec<String> = stats.durability_vouched.iter().map(|name| quoted(name)).collect();
        let vouched = match vouched.is_empty() {
            true => String::new(),
            false => format!(",\"durabilityVouched\":[{}]", vouched.join(",")),
        };
        print_line(&format!(
            "{{\"standings\":{{{standings}}},\"attention\":{attention},\"overdueMs\":{overdue}{vouched}}}"
        ))?;
    }
    let is_too_much = arguments.max_attention.is_some_and(|most| stats.attention > most);
    if is_too_much { Err(Failure::AlreadyReported(1)) } else { Ok(()) }
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

pub(super) fn import(arguments: &Plain) -> Result<(), Failure> {
    let (_, journal) = open(&arguments.settings)?;
    let (mut imported, mut present) = (0_u64, 0_u64);
    for (line, number) in std::io::stdin().lock().lines().zip(1..) {
        let at_line = |error: Error| match error.code() {
            Code::InvalidArgument => Error::invalid_argument(format!("line {number}: {}", error.message())),
            _ => error,
        };
        let line =
            line.map_err(|error| at_line(Error::invalid_argument(format!("stdin cannot be read: {error}"))))?;
        if line.trim().is_empty() {
            continue;
        }
        match journal.import(&line).map_err(at_line)? {
            true => imported += 1,
            false => present += 1,
        }
    }
    let text = format!("{imported} imported, {present} were there already");
    Display::detect().line(&format!("{{\"imported\":{imported},\"present\":{present}}}"), &text)
}

pub(super) fn purge(arguments: &Purge) -> Result<(), Failure> {
    let before = dates::moment(&arguments.before)?;
    let (_, journal) = open(&arguments.settings)?;
    let purged = journal.purge(before)?;
    Display::detect().line(&format!("{{\"purged\":{purged}}}"), &format!("{purged} attempts purged"))
}
