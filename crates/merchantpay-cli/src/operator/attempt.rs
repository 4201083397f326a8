//! `/attempts`: shows everything about one reference, in the order in which it happened.

use hyper::StatusCode;
use maud::{Markup, html};
use merchantpay::Result;
use merchantpay_journal::{Entry, IntentState, Journal, Level, Standing};
use merchantpay_sandbox::pages::text;

use super::commands;
use super::layout::{Page, moment};
use super::start::{commands_of, reason_of, standing};
use crate::words::explained;

pub(super) fn page(journal: &Journal, reference: &str) -> Result<Page> {
    let Some(last) = journal.find(reference)? else {
        return Ok(Page::problem(StatusCode::NOT_FOUND, "The journal has no such reference."));
    };
    let content = html! {
        h1 { (text(reference)) }
        @for entry in last.earlier().iter().rev().chain([&last]) { (attempt(entry)) }
    };
    Ok(Page::new("Reference", content))
}

fn attempt(entry: &Entry) -> Markup {
    let id = format!("attempt-{}", entry.attempt());
    let commands = commands::of_entry(entry);
    html! {
        section.card aria-labelledby=(id) {
            h2 id=(id) { "Attempt " (entry.attempt()) " " (standing(entry)) }
            p.quiet { (explained(Standing::TABLE, entry.standing().name())) }
            ol.timeline { @for event in events(entry) { li { (event) } } }
            @if !commands.is_empty() {
                h3 { "What decides it" }
                (commands_of(&commands))
            }
        }
    }
}

/// The events of an entry, the oldest first. The journal keeps the time of the first and of the last event
/// only.
fn events(entry: &Entry) -> Vec<Markup> {
    let mut events = vec![html! { (moment(entry.created_at())) " Stored: " (entry.sum_asked()) " asked." }];
    if let Some(id) = entry.order_id() {
        events.push(html! { "The service made the order " code { (text(id)) } "." });
    }
    if entry.reported() >= Level::Credentials && entry.order_id().is_some() {
        events.push(html! { "Reported to the merchant: " (entry.reported().name()) "; acknowledged: " (entry.acknowledged().name()) "." });
    }
    for (name, intent) in [("Confirm", entry.confirm()), ("Cancel", entry.cancel())] {
        if let Some(state) = intent {
            events.push(
                html! { (name) ": " (state.name()) ". " (explained(IntentState::TABLE, state.name())) },
            );
        }
    }
    if let Some(status) = entry.status() {
        let paid = entry.payment().and_then(|payment| payment.sum());
        events.push(html! {
            "The service's status: " (text(status.as_str())) "."
            @if let Some(sum) = paid { " Its sum: " (sum) "." }
            @if let Some(paid) = entry.paid() { " Paid: " (paid.name()) "." }
        });
    }
    if let Some(problem) = entry.error() {
        events.push(html! {
            "The last call failed: " (problem.code) ", outcome " (problem.outcome) "."
            @if let Some(words) = &problem.description { " The service: " (text(words)) }
        });
    }
    events.extend(entry.notes().iter().map(|note| html! { "Note: " (text(note)) }));
    events.extend(entry.attention().iter().map(|reason| html! { "Needs attention: " (reason_of(*reason)) }));
    events.push(html! {
        (moment(entry.updated_at())) " Last written."
        @if let Some(due) = entry.due_at() { " The service is asked again at " (moment(due)) "." }
    });
    events
}
