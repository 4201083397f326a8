//! `/search`: finds attempts by reference, order id and sum.

use maud::html;
use merchantpay::{Amount, Result};
use merchantpay_journal::{Entry, Journal};
use merchantpay_sandbox::pages::text;

use super::layout::Page;
use super::start::entries;

/// No index covers the sum, so the search reads this many of the newest entries.
const NEWEST: u32 = 1000;

pub(super) fn page(journal: &Journal, wanted: &str) -> Result<Page> {
    let mut found: Vec<Entry> = Vec::new();
    if !wanted.is_empty() {
        found.extend(journal.find(wanted)?);
        found.extend(journal.find_order(wanted)?.filter(|entry| entry.reference() != wanted));
    }
    let sum: Option<Amount> = wanted.parse().ok();
    if let Some(sum) = sum {
        let of_sum = |entry: &Entry| {
            let paid = entry.payment().and_then(|payment| payment.sum());
            entry.sum_asked() == sum || paid == Some(sum)
        };
        found.extend(journal.list(None, NEWEST, None)?.into_iter().filter(of_sum));
    }
    let content = html! {
        h1 { "Search" }
        section.card aria-labelledby="found" {
            h2 #found { "Found for " (text(wanted)) ": " (found.len()) }
            @if found.is_empty() { p.quiet { "No reference, order id or sum is equal to it." } }
            @else { (entries("References and order ids first, then sums, the newest first.", &found)) }
            @if sum.is_some() { p.quiet { "A sum is searched for in the newest " (NEWEST) " references." } }
        }
    };
    Ok(Page::new("Search", content).searched(wanted))
}
