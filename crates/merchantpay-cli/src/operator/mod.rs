//! `journal settle --listen`: the health, the metrics, and one static page for the operator over the JSON that the
//! commands print. It changes nothing.

pub(crate) mod commands;
mod health;

use std::net::SocketAddr;
use std::sync::Arc;
use std::time::Duration;

use axum::Router;
use axum::extract::{Request, State};
use axum::http::header::CONTENT_TYPE;
use axum::http::{HeaderMap, StatusCode};
use axum::middleware::{Next, from_fn_with_state};
use axum::response::{Html, IntoResponse as _, Response};
use axum::routing::get;
use merchantpay::{Amount, Error, Result};
use merchantpay_journal::operator::Operator;
use merchantpay_journal::{Attention, Entry, IntentState, Journal, Problem, Reason, Standing, Word};
use merchantpay_sandbox::pages::{self, OwnHosts};
use serde_json::{Map, Value, json};
use tokio::net::TcpListener;
use tokio::sync::watch;

use crate::server;
pub(crate) use health::{Health, prometheus};

const THREADS: usize = 4;
/// Half-sent requests must not keep a probe waiting for long.
const DEADLINE: Duration = Duration::from_secs(10);

/// The page runs and loads only files of this server, its script never parses a text as markup, and no other site
/// may show the page in a frame.
const POLICY: &str = "default-src 'none'; script-src 'self'; style-src 'self'; img-src 'self'; connect-src 'self'; \
     form-action 'self'; base-uri 'none'; frame-ancestors 'none'; require-trusted-types-for 'script'";

/// A longer list would be hard to read.
const MAX_ROWS: u32 = 50;

/// No index covers a sum, and only the journal itself finds an order, so `find` reads this many of the newest
/// references.
const MAX_SEARCHED: u32 = 1000;

const NO_LOGIN: &str = "The page is shown only where the service listens on this machine alone, such as 127.0.0.1: \
     it has no login. Use ssh -L to reach it.\n";
const OTHER_NAME: &str = "This name is not the service's. Use the address that the service printed when it started, \
     or start settle with --allow-host NAME.\n";
const OTHER_SITE: &str = "The request comes from a page of another site.\n";

pub(crate) struct Listening {
    address: SocketAddr,
    stop: watch::Sender<bool>,
    thread: Option<std::thread::JoinHandle<()>>,
}

impl Listening {
    pub(crate) fn start(
        address: SocketAddr,
        allowed_hosts: &[String],
        journal: Journal,
        health: Arc<Health>,
    ) -> Result<Listening> {
        let cannot = |error: std::io::Error| {
            Error::invalid_argument(format!("settle cannot listen at {address}: {error}"))
        };
        let runtime = server::runtime(THREADS).map_err(cannot)?;
        let listener = runtime.block_on(TcpListener::bind(address)).map_err(cannot)?;
        let address = listener.local_addr().map_err(cannot)?;
        let (stop, stopped) = watch::channel(false);
        let own_hosts = OwnHosts::new(address.ip(), allowed_hosts.to_vec());
        let app = router(Arc::new(Site { journal, health, own_hosts }));
        let serve = move || runtime.block_on(server::serve(listener, app, stopped, DEADLINE));
        let thread = std::thread::Builder::new().name("listener".to_owned()).spawn(serve).map_err(cannot)?;
        Ok(Listening { address, stop, thread: Some(thread) })
    }

    pub(crate) fn address(&self) -> SocketAddr {
        self.address
    }
}

impl Drop for Listening {
    fn drop(&mut self) {
        self.stop.send_replace(true);
        if let Some(thread) = self.thread.take() {
            let _ = thread.join();
        }
    }
}

struct Site {
    journal: Journal,
    health: Arc<Health>,
    own_hosts: OwnHosts,
}

fn router(site: Arc<Site>) -> Router {
    let file = |content_type: &'static str, text: &'static str| {
        get(async move || ([(CONTENT_TYPE, content_type)], text))
    };
    let script = "text/javascript; charset=utf-8";
    let page = || get(async || Html(include_str!("page.html")));
    Router::new()
        .route("/", page())
        .route("/attempts", page())
        .route("/search", page())
        .route("/page.js", file(script, include_str!("page.js")))
        .route("/parts.js", file(script, pages::PARTS))
        .route("/style.css", file("text/css; charset=utf-8", pages::STYLE))
        .route("/icon.svg", file("image/svg+xml", pages::ICON))
        .nest("/api", api())
        .fallback(async || (StatusCode::NOT_FOUND, "There is no such page.\n"))
        .layer(from_fn_with_state(Arc::clone(&site), guard_page))
        .route("/metrics", get(health::metrics))
        .layer(from_fn_with_state(Arc::clone(&site), guard_name))
        .route("/healthz", get(async |State(site): State<Arc<Site>>| site.health.answer()))
        .with_state(site)
}

/// The page and its JSON have no login, so only this machine may read them, and no page of another site.
async fn guard_page(State(site): State<Arc<Site>>, request: Request, next: Next) -> Response {
    let is_api = request.uri().path().starts_with("/api/");
    let mut answer = if !site.own_hosts.listens_on().is_loopback() {
        (StatusCode::FORBIDDEN, NO_LOGIN).into_response()
    } else if is_api && is_of_another_site(request.headers()) {
        (StatusCode::FORBIDDEN, OTHER_SITE).into_response()
    } else {
        next.run(request).await
    };
    pages::guard_page(answer.headers_mut(), POLICY);
    answer
}

/// Against DNS rebinding: another site's name may resolve to this machine, and its page could read the answer.
async fn guard_name(State(site): State<Arc<Site>>, request: Request, next: Next) -> Response {
    let mut answer = match pages::names_us(request.headers(), &site.own_hosts) {
        true => next.run(request).await,
        false => (StatusCode::MISDIRECTED_REQUEST, OTHER_NAME).into_response(),
    };
    pages::guard_file(answer.headers_mut());
    answer
}

/// Browsers say from where a request comes; a page of this server is `same-origin`, and a typed address `none`.
fn is_of_another_site(headers: &HeaderMap) -> bool {
    let sites = headers.get_all("sec-fetch-site");
    sites.iter().any(|site| site != "same-origin" && site != "none")
}

/// What `journal stats`, `attention`, `list` and `show` print, as one document each.
fn api() -> Router<Arc<Site>> {
    let read = |document: fn(&Site, &str) -> Result<String>| {
        get(async move |State(site): State<Arc<Site>>, request: Request| {
            let asked = asked(&request);
            let document = tokio::task::spawn_blocking(move || document(&site, &asked)).await;
            match document {
                Ok(Ok(document)) => json_response(StatusCode::OK, document),
                Ok(Err(error)) => {
                    let document = json!({"error": {"message": error.message()}});
                    json_response(StatusCode::SERVICE_UNAVAILABLE, document.to_string())
                }
                Err(_) => StatusCode::INTERNAL_SERVER_ERROR.into_response(),
            }
        })
    };
    Router::new()
        .route("/stats", read(|site, _| Ok(site.journal.stats()?.to_json())))
        .route("/settle", read(|site, _| Ok(site.health.to_json())))
        .route("/attention", read(attention))
        .route("/list", read(|site, _| Ok(entries(site.journal.list(None, MAX_ROWS, None)?))))
        .route("/find", read(find))
        .route("/attempts", read(attempts))
        .route("/words", read(|_, _| Ok(words())))
}

fn json_response(status: StatusCode, document: String) -> Response {
    (status, [(CONTENT_TYPE, "application/json")], document).into_response()
}

fn asked(request: &Request) -> String {
    let query = request.uri().query().unwrap_or_default().as_bytes();
    let found = url::form_urlencoded::parse(query).find(|(key, _)| key == "q");
    found.map(|(_, value)| value.trim().to_owned()).unwrap_or_default()
}

fn attention(site: &Site, _: &str) -> Result<String> {
    let mut items = site.journal.attention(MAX_ROWS)?;
    for item in &mut items {
        if let Attention::Entry { entry, .. } = item {
            **entry = public((**entry).clone());
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
    found.extend(site.journal.list(None, MAX_SEARCHED, None)?.into_iter().filter(is_wanted));
    Ok(entries(found))
}

fn attempts(site: &Site, reference: &str) -> Result<String> {
    let attempts = Operator::of(&site.journal).attempts(reference)?.into_iter().map(public);
    Ok(array(attempts.map(|entry| commands::with(&entry.to_json(), &commands::of_entry(&entry)))))
}

fn entries(entries: Vec<Entry>) -> String {
    array(entries.into_iter().map(|entry| public(entry).to_json()))
}

/// Every user of this machine can read the page, so it says nothing of payees, and nothing in the service's own words,
/// which may name a person.
fn public(mut entry: Entry) -> Entry {
    entry.credentials = None;
    entry.error = entry.error.map(|error| Problem { description: None, ..error });
    entry
}

fn array(lines: impl Iterator<Item = String>) -> String {
    format!("[{}]", lines.collect::<Vec<_>>().join(","))
}

/// What the names in the other documents mean.
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
