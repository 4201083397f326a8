//! `/attempts`: shows everything about one reference, in the order in which it happened.

use super::frame::text;
use hyper::StatusCode;
use maud::{Markup, html};
use merchantpay::Result;
use merchantpay_journal::operator::Operator;
use merchantpay_journal::{Entry, IntentState, Journal, Standing};

use super::commands;
use super::layout::{Page, moment};
use super::start::{commands_of, reason_of, standing};
use crate::words::explained;

pub(super) fn page(journal: &Journal, reference: &str) -> Result<Page> {
    let attempts = Operator::of(journal).attempts(reference)?;
    if attempts.is_empty() {
        return Ok(Page::problem(StatusCode::NOT_FOUND, "The journal has no such reference."));
    }
    let content = html! {
        h1 { (text(reference)) }
        @for entry in &attempts { (attempt(entry)) }
    };
    Ok(Page::new("Reference", content))
}

fn attempt(entry: &Entry) -> Markup {
    let id = format!("attempt-{}", entry.attempt);
    let commands = commands::of_entry(entry);
    html! {
        section.card aria-labelledby=(id) {
            h2 id=(id) { "Attempt " (entry.attempt) " " (standing(entry)) }
            p.quiet { (explained(Standing::TABLE, entry.standing.name())) }
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
    let mut events = vec![html! { (moment(entry.created_at)) " Stored: " (entry.sum_asked) " asked." }];
    if let Some(id) = &entry.order_id {
        events.push(html! { "The service made the order " code { (text(id)) } "." });
    }
    if let (Some(intent), Some(state)) = (entry.intent, entry.intent_state) {
        events.push(
            html! { "Instruction " (intent.name()) ": " (state.name()) ". " (explained(IntentState::TABLE, state.name())) },
        );
    }
    if let Some(status) = &entry.status {
        events.push(html! {
            "The service's status: " (text(status.as_str())) "."
            @if let Some(sum) = entry.sum_paid { " Paid: " (sum) "." }
        });
    }
    if let Some(problem) = &entry.error {
        events.push(html! {
            "The last call failed: " (problem.code) ", outcome " (problem.outcome) "."
            @if let Some(words) = &problem.description { " The service: " (text(words)) }
        });
    }
    if entry.news > 0 {
        events.push(html! { "News " (entry.news) @if entry.acknowledged { ", acknowledged." } @else { ", not acknowledged yet." } });
    }
    events.extend(entry.attention.iter().map(|reason| html! { "Needs attention: " (reason_of(*reason)) }));
    events.push(html! { (moment(entry.updated_at)) " Last written." });
    events
}
