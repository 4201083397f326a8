//! `attention` and `resolve`: the items about which an operator must decide, and the operator's decision.

use merchantpay::Error;
use merchantpay_journal::{Attention, Entry, Journal, Orphan, Reason, Resolution, ServerChange};

use super::display::Display;
use super::open::{find_attempt, open};
use crate::args::journal::{Attempt, Limited, Resolve};
use crate::dates;
use crate::output::{Failure, print_line};
use crate::terminal::visible::visible;
use crate::words::explained;

pub(super) fn attention(arguments: &Limited) -> Result<(), Failure> {
    let (_, journal) = open(&arguments.settings)?;
    let found = journal.attention(arguments.limit)?;
    let display = Display::detect();
    if display.is_for_people() {
        let rows = found.iter().flat_map(rows).collect();
        return display.rows(&["REFERENCE", "ATTEMPT", "ORDER ID", "WHY", "SINCE", "WHAT IT IS"], rows);
    }
    found.iter().try_for_each(|item| match item {
        Attention::Entry(entry) => print_line(&entry.to_json()),
        Attention::Orphan(orphan) => print_line(&orphan.to_json()),
        Attention::ServerChange(change) => print_line(&change.to_json()),
        _ => Ok(()),
    })
}

/// One row per reason.
fn rows(item: &Attention) -> Vec<Vec<String>> {
    match item {
        Attention::Entry(entry) => entry.attention().iter().map(|reason| row(entry, *reason)).collect(),
        Attention::Orphan(orphan) => vec![orphan_row(orphan)],
        Attention::ServerChange(change) => vec![server_row(change)],
        _ => Vec::new(),
    }
}

fn row(entry: &Entry, reason: Reason) -> Vec<String> {
    vec![
        visible(entry.reference()),
        entry.attempt().to_string(),
        entry.order_id().map_or_else(|| "-".to_owned(), visible),
        reason.to_string(),
        dates::relative(entry.updated_at()),
        explained(Reason::TABLE, reason.name()).to_owned(),
    ]
}

fn orphan_row(orphan: &Orphan) -> Vec<String> {
    let (reference, attempt) = match &orphan.attempt {
        Some((reference, attempt)) => (visible(reference), attempt.to_string()),
        None => ("-".to_owned(), "-".to_owned()),
    };
    let (order_id, since) = (visible(&orphan.order_id), dates::relative(orphan.received_at));
    vec![
        reference,
        attempt,
        order_id,
        "orphan".to_owned(),
        since,
        "A verified webhook that matches no attempt.".to_owned(),
    ]
}

fn server_row(change: &ServerChange) -> Vec<String> {
    let name = Reason::ServerChanged.name();
    let what = format!("{} Before: {}. Now: {}.", explained(Reason::TABLE, name), change.before, change.now);
    let dash = || "-".to_owned();
    vec![dash(), dash(), dash(), name.to_owned(), dash(), visible(&what)]
}

/// Accepts the database server that answers now.
fn resolve_server(journal: &Journal, note: &str, display: Display) -> Result<(), Failure> {
    let changed = journal.attention(1)?.into_iter().find_map(|item| match item {
        Attention::ServerChange(change) => Some(change),
        _ => None,
    });
    let change = changed.ok_or_else(|| {
        Error::invalid_argument("the database server has not changed: there is nothing to resolve")
    })?;
    journal.resolve_server(&change, note)?;
    display.line("{\"resolved\":true}", "the item is off the attention list")
}

/// Fails if an attempt has a reason that the operator has not read. The attempt then stays on the attention
/// list.
fn check_read(entry: &Entry, read: &[String]) -> Result<(), Error> {
    match entry.attention().iter().find(|reason| read.iter().all(|name| name != reason.name())) {
        Some(reason) => Err(Error::invalid_argument(format!(
            "the attempt now also has the reason {reason}: read the attempt again"
        ))),
        None => Ok(()),
    }
}

pub(super) fn resolve(arguments: &Resolve) -> Result<(), Failure> {
    let (_, journal) = open(&arguments.settings)?;
    let display = Display::detect();
    if arguments.server {
        return resolve_server(&journal, &arguments.note, display);
    }
    if let Some(order_id) = &arguments.orphan {
        if let Some([status, ..]) = arguments.seen.as_deref() {
            journal.resolve_read_orphan(order_id, Some(status), &arguments.note)?;
            return display.line("{\"resolved\":true}", "the item is off the attention list");
        }
        return match journal.resolve_orphan(order_id, &arguments.note)? {
            true => display.line("{\"resolved\":true}", "the item is off the attention list"),
            false => Err(Error::invalid_argument("the journal has no orphan with this order id").into()),
        };
    }
    let reference = arguments.reference.clone().unwrap_or_default();
    let entry = find_attempt(&journal, &Attempt { reference, attempt: arguments.attempt })?;
    if let Some(read) = arguments.seen.as_deref().filter(|read| !read.is_empty()) {
        check_read(&entry, read)?;
    }
    let resolution = match &arguments.order_id {
        Some(order_id) => Resolution::OrderId(order_id.clone()),
        None if arguments.no_payment => Resolution::NoPayment,
        None => Resolution::Seen,
    };
    display.entry(&journal.resolve(&entry, &resolution, &arguments.note)?)
}
