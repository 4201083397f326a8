//! `attention` and `resolve`: the items about which an operator must decide, and the operator's decision.

use merchantpay::{Error, Result};
use merchantpay_journal::{Attention, Reason, Resolution};

use super::display::{Display, dash};
use super::entries::find_attempt;
use crate::args::journal::{self as args, Attempt, Resolve};
use crate::dates;
use crate::operator::commands::{self, Command};
use crate::output::{Failure, print_line};
use crate::terminal::visible::visible;

pub(super) fn attention(arguments: &args::Attention) -> Result<(), Failure> {
    let found = arguments.place.operator()?.attention(arguments.limit.limit)?;
    let display = Display::detect();
    if !display.is_for_people() {
        return found.iter().try_for_each(|item| print_line(&commands::line(item)));
    }
    let rows = found.iter().flat_map(rows).collect();
    display.rows(&["REFERENCE", "ATTEMPT", "ORDER ID", "WHY", "SINCE", "WHAT IT IS"], rows)?;
    for Command { case, text } in found.iter().flat_map(commands::of) {
        print_line(&format!("\n{case}:\n  {}", visible(&text)))?;
    }
    Ok(())
}

/// One row per reason.
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

pub(super) fn resolve(arguments: &Resolve) -> Result<(), Failure> {
    let (_, journal) = arguments.settings.open()?;
    let display = Display::detect();
    let Some(reference) = &arguments.reference else {
        let order_id = arguments.orphan.as_deref().unwrap_or_default();
        let [status] = &arguments.seen[..] else {
            return Err(
                Error::invalid_argument("an orphan has one status: --seen STATUS, or --seen none").into()
            );
        };
        let status = Some(status.as_str()).filter(|status| *status != commands::NO_STATUS);
        journal.resolve_orphan(order_id, status, &arguments.note)?;
        return display.line("{\"resolved\":true}", "the item is off the attention list");
    };
    let resolution = resolution(arguments)?;
    let wanted = Attempt { reference: reference.clone(), attempt: arguments.attempt };
    let entry = find_attempt(&journal, &wanted)?;
    display.entry(&journal.resolve(&entry, &resolution, &arguments.note)?)
}

fn resolution(arguments: &Resolve) -> Result<Resolution> {
    if let Some(order_id) = &arguments.order_id {
        let sum = arguments.sum.as_deref().map(str::parse).transpose()?;
        return Ok(Resolution::Order(order_id.clone(), sum));
    }
    // clap ignores `requires = "order_id"` where another decision excludes that.
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
