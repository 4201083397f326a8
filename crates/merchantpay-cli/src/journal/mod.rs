//! `journal …`: payments by the merchant's own order numbers. An order number has at most one payment that a
//! customer can pay. An operator's commands need no key: none of them calls the service.

mod entries;
mod payments;

use std::io::{BufRead as _, Write as _};

use merchantpay::{Error, Result};
use merchantpay_journal::operator::{Dialect, schema};
use merchantpay_journal::{Intent, Stats};
use serde_json::json;

use crate::args::journal::{JournalCommand, Noted, Reference};
use crate::dates;
use crate::operator::prometheus;
use crate::output::{Failure, exit_with, print_line, print_result, stdout_is_human, visible};
use crate::settings::JournalPlace;
use entries::{print_entries, print_rows};

type Done = std::result::Result<(), Failure>;

pub(crate) fn run(command: &mut JournalCommand) -> Done {
    match command {
        JournalCommand::Init(place) => init(place),
        JournalCommand::Pay(arguments) => payments::pay(arguments),
        JournalCommand::Replace(arguments) => payments::replace(arguments),
        JournalCommand::Confirm(arguments) => payments::instruct(arguments, Intent::Confirm),
        JournalCommand::Cancel(arguments) => payments::instruct(arguments, Intent::Cancel),
        JournalCommand::Wait { reference, until, settings } => payments::wait(reference, until, settings),
        JournalCommand::Receive(arguments) => payments::receive(arguments),
        JournalCommand::Settle(arguments) => payments::settle(arguments),
        JournalCommand::Show(Reference { reference, place }) => entries::show(reference, place),
        JournalCommand::List(arguments) => entries::list(arguments),
        JournalCommand::News { limit, settings } => print_entries(&settings.open()?.1.news(*limit)?),
        JournalCommand::Acknowledge { reference, attempt, news, settings } => {
            entries::acknowledge(reference, *attempt, *news, settings)
        }
        JournalCommand::Attention { limit, place } => entries::attention(*limit, place),
        JournalCommand::Resolve(arguments) => entries::resolve(arguments),
        JournalCommand::Schema { dialect } => {
            let dialect = match dialect.as_str() {
                "postgresql" => Dialect::Postgresql,
                "mysql" => Dialect::Mysql,
                _ => Dialect::Sqlite,
            };
            schema(dialect).iter().try_for_each(|statement| print_line(&format!("{statement};")))
        }
        JournalCommand::Stats { max_attention, quiet, format, place } => {
            stats(*max_attention, *quiet, format.is_some(), place)
        }
        JournalCommand::Backup { file, place } => {
            place.operator()?.backup(&*file)?;
            let file = file.display().to_string();
            let text = format!("the copy {file} is paused, and its attempts are marked as restored");
            print_result(json!({"backup": file}), &text)
        }
        JournalCommand::Restored(place) => {
            place.operator()?.restored()?;
            let text = "every attempt is marked as restored, and the journal is paused: run `settle`, decide what \
                        `attention` lists, then `resume`";
            print_result(json!({"restored": true}), text)
        }
        JournalCommand::Pause(Noted { note, place }) => {
            place.operator()?.pause(note, |pause| {
                std::thread::sleep(pause);
                Ok(())
            })?;
            let text = "pay, replace and news are stopped, and no payment is being made";
            print_result(json!({"paused": true}), text)
        }
        JournalCommand::Resume(Noted { note, place }) => {
            place.operator()?.resume(note)?;
            print_result(json!({"paused": false}), "the journal is not paused")
        }
        JournalCommand::Forget(Reference { reference, place }) => {
            let forgotten = place.operator()?.forget(reference)?;
            let text = format!("the details of {forgotten} attempts are deleted");
            print_result(json!({"forgotten": forgotten}), &text)
        }
        JournalCommand::Export(place) => export(place),
        JournalCommand::Import { from_0_3, paused_for_ever, place } => {
            import(from_0_3.then_some(*paused_for_ever), place)
        }
        JournalCommand::Purge { before, older_than, place } => {
            purge(before.as_deref(), older_than.as_deref(), place)
        }
        JournalCommand::AllowKey { key_id, place } => {
            place.operator()?.allow_key(key_id)?;
            allowed(key_id)
        }
        JournalCommand::AllowUrl { base_url, place } => {
            place.operator()?.allow_url(base_url)?;
            allowed(base_url)
        }
    }
}

fn init(place: &JournalPlace) -> Done {
    place.create_journal()?;
    // Of a URL only the scheme, because the rest may have secrets.
    let shown = place.journal_place().unwrap_or_default();
    let shown = shown.split_once("://").map_or(shown.as_str(), |(scheme, _)| scheme);
    print_result(json!({"journal": shown}), &format!("the journal exists: {shown}"))
}

fn stats(max_attention: Option<u64>, is_quiet: bool, for_prometheus: bool, place: &JournalPlace) -> Done {
    let stats = place.operator()?.stats()?;
    let is_too_much = max_attention.is_some_and(|most| stats.attention > most);
    if is_quiet && !is_too_much {
        return Ok(());
    }
    if for_prometheus {
        print_line(prometheus(&stats, None).trim_end())?;
    } else if stdout_is_human() {
        print_rows(&["WHAT", "HOW MANY"], rows(&stats))?;
    } else {
        print_line(&stats.to_json())?;
    }
    exit_with(u8::from(is_too_much))
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

fn export(place: &JournalPlace) -> Done {
    let mut out = std::io::BufWriter::new(std::io::stdout().lock());
    let failed = |error: std::io::Error| {
        Error::internal(merchantpay::Outcome::Unknown, format!("the result could not be printed: {error}"))
    };
    place.operator()?.export(|line| writeln!(out, "{line}").map_err(failed))?;
    out.flush().map_err(|error| failed(error).into())
}

/// `from_0_3` is set for an export of version 0.3.0, and says whether that journal is paused for ever.
fn import(from_0_3: Option<bool>, place: &JournalPlace) -> Done {
    let operator = place.operator()?;
    let read = |line: std::io::Result<String>| {
        line.map_err(|error| Error::invalid_argument(format!("stdin cannot be read: {error}")))
    };
    let is_empty = |line: &Result<String>| line.as_ref().is_ok_and(|line| line.trim().is_empty());
    let lines = std::io::stdin().lock().lines().map(read).filter(|line| !is_empty(line));
    let imported = match from_0_3 {
        Some(paused_for_ever) => operator.import_from_0_3(paused_for_ever, lines)?,
        None => operator.import(lines)?,
    };
    let (attempts, messages, present) = (imported.attempts, imported.messages, imported.present);
    print_result(
        json!({"imported": attempts, "messages": messages, "present": present}),
        &format!("{attempts} attempts and {messages} messages were imported; {present} existed already"),
    )
}

fn purge(before: Option<&str>, older_than: Option<&str>, place: &JournalPlace) -> Done {
    let before = match before {
        Some(date) => dates::moment(date)?,
        None => dates::ago(dates::duration(older_than.unwrap_or_default())?)?,
    };
    let purged = place.operator()?.purge(before)?;
    print_result(json!({"purged": purged}), &format!("{purged} attempts purged"))
}

fn allowed(what: &str) -> Done {
    print_result(json!({"allowed": what}), &format!("allowed: {}", visible(what)))
}
