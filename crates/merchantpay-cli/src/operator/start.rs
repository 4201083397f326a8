//! `/`: shows the state of the journal and of `settle`, and the items that need attention.

use super::frame::{cell, head, text};
use maud::{Markup, html};
use merchantpay::Result;
use merchantpay_journal::{Attention, Entry, Journal, Orphan, Reason, Standing, Stats};

use super::commands::{self, Command};
use super::health::{Health, Runs};
use super::layout::{Page, link, moment};
use crate::words::explained;

/// The page shows at most this many items, because a longer list would be hard to read.
const MOST: u32 = 50;

pub(super) fn page(journal: &Journal, health: &Health) -> Result<Page> {
    let (stats, found) = (journal.stats()?, journal.attention(MOST)?);
    let runs = health.current();
    let content = html! {
        h1 { "Journal" }
        @if let Some(note) = &stats.pause { p.error { "Paused: " (text(note)) } }
        @if let Some(failure) = &runs.failure { p.error { "settle fails: " (text(&failure.error)) } }
        section.card aria-labelledby="attention" {
            h2 #attention { "Needs attention: " (stats.attention) }
            @if found.is_empty() { p.quiet { "Nothing." } }
            @for item in &found { (item_of(item)) }
            @if stats.attention > u64::from(MOST) { p.quiet { "The first of each kind are shown." } }
        }
        div.columns {
            (settle(&runs))
            (attempts(&stats))
        }
    };
    Ok(Page::new("Overview", content))
}

fn settle(runs: &Runs) -> Markup {
    html! {
        section.card aria-labelledby="settle" {
            h2 #settle { "settle" }
            p {
                @if runs.is_well() { span.status.good { "runs" } } @else { span.status.bad { "does not succeed" } }
            }
            dl.facts {
                dt { "Settled since the start" } dd.number { (runs.done) }
                dt { "Failed runs" } dd.number { (runs.failed) }
                @if let Some(at) = runs.last_success_at { dt { "Last success" } dd { (moment(at)) } }
                dt { "Next due" }
                dd { @match runs.next_due { Some(next) => { "in " (next.as_secs()) " s" } None => "nothing is due" } }
            }
        }
    }
}

fn attempts(stats: &Stats) -> Markup {
    let standings = &stats.standings;
    html! {
        section.card aria-labelledby="attempts" {
            h2 #attempts { "Attempts" }
            dl.facts {
                dt { "sending" } dd.number { (standings.sending) }
                dt { "unknown" } dd.number { (standings.unknown) }
                dt { "open" } dd.number { (standings.open) }
                dt { "not acknowledged" } dd.number { (stats.news) }
                dt { "due" } dd.number { (stats.due) }
                dt { "oldest due for" }
                dd { @match stats.overdue_ms { Some(ms) => { (ms / 1000) " s" } None => "nothing is due" } }
            }
        }
    }
}

fn item_of(item: &Attention) -> Markup {
    html! {
        @match item {
            Attention::Entry { entry, details } => (of_entry(entry, details)),
            Attention::Orphan(orphan) => (of_orphan(orphan)),
            Attention::Unreadable { reference, attempt, column } => {
                h3 { (text(reference)) ", attempt " (attempt) }
                p { span.status.wait { "unreadable" } " This version cannot read its " (column) ": update the program." }
            }
            _ => {}
        }
        (commands_of(&commands::of(item)))
    }
}

fn of_entry(entry: &Entry, details: &[String]) -> Markup {
    html! {
        h3 { (link(&entry.reference)) ", attempt " (entry.attempt) }
        p {
            @for (reason, detail) in entry.attention.iter().zip(details) {
                span.status.wait { (reason.name()) } " " (text(detail)) ". "
            }
            "Since " (moment(entry.updated_at)) "."
        }
    }
}

/// A reason with its explanation.
pub(super) fn reason_of(reason: Reason) -> Markup {
    html! { span.status.wait { (reason.name()) } " " (explained(Reason::TABLE, reason.name())) }
}

fn of_orphan(orphan: &Orphan) -> Markup {
    html! {
        h3 { "Order " (text(&orphan.order_id)) ", a message without an attempt" }
        p {
            span.status.wait { "orphan" } " "
            @if let (Some(reference), Some(attempt)) = (&orphan.reference, orphan.attempt) {
                "It came to the URL of " (link(reference)) ", attempt " (attempt) ", and is about another order. "
            } @else { "No attempt has its URL. " }
            @if let Some(status) = &orphan.status { "Status " (text(status)) ". " }
            "Received " (moment(orphan.received_at)) "."
        }
    }
}

/// Shows each command below the case in which an operator runs it. A long command breaks at the edge of the
/// page, and copying gives the original text.
pub(super) fn commands_of(commands: &[Command]) -> Markup {
    html! {
        @for command in commands {
            p.case { (command.case) ":" }
            pre.wrap tabindex="0" role="region" aria-label={ "Command: " (command.text) } { code { (words(&command.text)) } }
        }
    }
}

/// A command's words. A flag and its hyphens stay on one line.
fn words(command: &str) -> Markup {
    html! {
        @for (index, word) in command.split(' ').enumerate() {
            @let (flag, rest) = word.split_at(if word.starts_with("--") { word.find('=').unwrap_or(word.len()) } else { 0 });
            @if index > 0 { " " }
            @if !flag.is_empty() { span.word { (flag) } }
            (rest)
        }
    }
}

/// A list of entries.
pub(super) fn entries(caption: &str, entries: &[Entry]) -> Markup {
    html! {
        table.rows {
            (head(caption, &["Reference", "Standing", "Asked", "Order id", "Stored"]))
            tbody {
                @for entry in entries {
                    tr {
                        (cell("Reference", html! { (link(&entry.reference)) ", attempt " (entry.attempt) }))
                        (cell("Standing", standing(entry)))
                        (cell("Asked", html! { span.number { (entry.sum_asked) } }))
                        (cell("Order id", html! { @if let Some(id) = &entry.order_id { (text(id)) } @else { span.quiet { "no order" } } }))
                        (cell("Stored", moment(entry.created_at)))
                    }
                }
            }
        }
    }
}

/// The standing as a word. A CSS class adds the colour.
pub(super) fn standing(entry: &Entry) -> Markup {
    let class = match entry.standing {
        _ if entry.succeeded => "good",
        Standing::Unknown | Standing::Refused => "bad",
        _ => "",
    };
    html! { span class={ "status " (class) } { (entry.standing.name()) } }
}
