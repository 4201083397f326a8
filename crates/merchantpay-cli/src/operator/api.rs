//! The JSON of the operator's page: what `journal stats`, `attention`, `list` and `show` print, as one document each.

use std::sync::Arc;

use axum::Router;
use axum::extract::{Request, State};
use axum::http::StatusCode;
use axum::http::header::CONTENT_TYPE;
use axum::response::{IntoResponse as _, Response};
use axum::routing::get;
use merchantpay::{Amount, Result};
use merchantpay_journal::operator::Operator;
use merchantpay_journal::{Attention, Entry, IntentState, Reason, Standing, Word};
use serde_json::{Map, Value, json};

use super::Site;
use super::commands;

/// A longer list would be hard to read.
const MOST: u32 = 50;

/// No index covers a sum, and only the journal itself finds an order, so `find` reads this many of the newest
/// references.
const NEWEST: u32 = 1000;

pub(super) fn router() -> Router<Arc<Site>> {
    let read = |document: fn(&Site, &str) -> Result<String>| {
        get(async move |State(site): State<Arc<Site>>, request: Request| {
            let asked = asked(&request);
            let document = tokio::task::spawn_blocking(move || document(&site, &asked)).await;
            match document {
                Ok(Ok(document)) => of_json(StatusCode::OK, document),
                Ok(Err(error)) => {
                    let document = json!({"error": {"message": error.message()}});
                    of_json(StatusCode::SERVICE_UNAVAILABLE, document.to_string())
                }
                Err(_) => StatusCode::INTERNAL_SERVER_ERROR.into_response(),
            }
        })
    };
    Router::new()
        .route("/stats", read(|site, _| Ok(site.journal.stats()?.to_json())))
        .route("/settle", read(|site, _| Ok(site.health.to_json())))
        .route("/attention", read(attention))
        .route("/list", read(|site, _| Ok(entries(site.journal.list(None, MOST, None)?))))
        .route("/find", read(find))
        .route("/attempts", read(attempts))
        .route("/words", read(|_, _| Ok(words())))
}

fn of_json(status: StatusCode, document: String) -> Response {
    (status, [(CONTENT_TYPE, "application/json")], document).into_response()
}

/// The value `q` of the query; empty without one.
fn asked(request: &Request) -> String {
    let query = request.uri().query().unwrap_or_default().as_bytes();
    let found = url::form_urlencoded::parse(query).find(|(key, _)| key == "q");
    found.map(|(_, value)| value.trim().to_owned()).unwrap_or_default()
}

fn attention(site: &Site, _: &str) -> Result<String> {
    let mut items = site.journal.attention(MOST)?;
    for item in &mut items {
        if let Attention::Entry { entry, .. } = item {
            entry.credentials = None;
        }
    }
    Ok(array(items.iter().map(commands::line)))
}

/// The entries whose reference, order id or sum is this text: the reference's last attempt, then the newest.
fn find(site: &Site, wanted: &str) -> Result<String> {
    let mut found: Vec<Entry> = site.journal.find(wanted)?.into_iter().collect();
    let sum: Option<Amount> = wanted.parse().ok();
    let is_wanted = |entry: &Entry| {
        let is_sum = sum.is_some_and(|sum| entry.sum_asked == sum || entry.sum_paid == Some(sum));
        entry.reference != wanted && (is_sum || entry.order_id.as_deref() == Some(wanted))
    };
    found.extend(site.journal.list(None, NEWEST, None)?.into_iter().filter(is_wanted));
    Ok(entries(found))
}

/// All attempts of a reference, the first one first, each with the commands that decide it.
fn attempts(site: &Site, reference: &str) -> Result<String> {
    let attempts = Operator::of(&site.journal).attempts(reference)?.into_iter().map(public);
    Ok(array(attempts.map(|entry| commands::with(&entry.to_json(), &commands::of_entry(&entry)))))
}

fn entries(entries: Vec<Entry>) -> String {
    array(entries.into_iter().map(|entry| public(entry).to_json()))
}

/// Every user of this machine can read the page, so it says nothing of payees.
fn public(mut entry: Entry) -> Entry {
    entry.credentials = None;
    entry
}

fn array(lines: impl Iterator<Item = String>) -> String {
    format!("[{}]", lines.collect::<Vec<_>>().join(","))
}

/// What the names in the other documents mean, and the program's version.
fn words() -> String {
    let table = |words: &[Word]| {
        words.iter().map(|word| (word.name.to_owned(), word.doc.into())).collect::<Map<String, Value>>()
    };
    json!({
        "version": env!("CARGO_PKG_VERSION"),
        "standing": table(Standing::TABLE),
        "reason": table(Reason::TABLE),
        "intentState": table(IntentState::TABLE),
    })
    .to_string()
}
