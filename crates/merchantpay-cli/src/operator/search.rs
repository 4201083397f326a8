//! `/search`: finds attempts by reference, order id and sum.

use super::frame::text;
use maud::html;
use merchantpay::{Amount, Result};
use merchantpay_journal::{Entry, Journal};

use super::layout::Page;
use super::start::entries;

/// No index covers a sum, and only the journal itself finds an order, so the search reads this many of the
/// newest references.
const NEWEST: u32 = 1000;

pub(super) fn page(journal: &Journal, wanted: &str) -> Result<Page> {
    let mut found: Vec<Entry> = Vec::new();
    if !wanted.is_empty() {
        found.extend(journal.find(wanted)?);
        let sum: Option<Amount> = wanted.parse().ok();
        let is_wanted = |entry: &Entry| {
            let is_sum = sum.is_some_and(|sum| entry.sum_asked == sum || entry.sum_paid == Some(sum));
            entry.reference != wanted && (is_sum || entry.order_id.as_deref() == Some(wanted))
        };
        found.extend(journal.list(None, NEWEST, None)?.into_iter().filter(is_wanted));
    }
    let content = html! {
        h1 { "Search" }
        section.card aria-labelledby="found" {
            h2 #found { "Found for " (text(wanted)) ": " (found.len()) }
            @if found.is_empty() { p.quiet { "No reference, order id or sum is equal to it." } }
            @else { (entries("The reference first, then the newest.", &found)) }
            p.quiet { "An order id or a sum is searched for in the newest " (NEWEST) " references." }
        }
    };
    Ok(Page::new("Search", content).searched(wanted))
}
