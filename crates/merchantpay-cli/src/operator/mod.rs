//! `journal settle --listen`: the health, the metrics, and one static page for the operator over the JSON that the
//! commands print. It changes nothing.

mod api;
pub(crate) mod commands;
mod health;
mod metrics;

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
use merchantpay::{Error, Result};
use merchantpay_journal::Journal;
use merchantpay_sandbox::pages::{self, OwnHosts};
use tokio::net::TcpListener;
use tokio::sync::watch;

use crate::server;
pub(crate) use health::Health;
pub(crate) use metrics::prometheus;

/// The number of threads that read the journal.
const THREADS: usize = 4;
/// Half-sent requests must not keep a probe waiting for long.
const DEADLINE: Duration = Duration::from_secs(10);

/// The page runs and loads only files of this server, its script never parses a text as markup, and no other site
/// may show the page in a frame.
const POLICY: &str = "default-src 'none'; script-src 'self'; style-src 'self'; img-src 'self'; connect-src 'self'; \
     form-action 'self'; base-uri 'none'; frame-ancestors 'none'; require-trusted-types-for 'script'";

const NO_LOGIN: &str = "The page is shown only where the service listens on this machine alone, such as 127.0.0.1: \
     it has no login. Use ssh -L to reach it.\n";
const OTHER_NAME: &str = "This name is not the service's. Use the address that the service printed when it started, \
     or start settle with --allow-host NAME.\n";
const OTHER_SITE: &str = "The request comes from a page of another site.\n";

/// A listener. It ends when the value is dropped.
pub(crate) struct Listening {
    address: SocketAddr,
    stop: watch::Sender<bool>,
    thread: Option<std::thread::JoinHandle<()>>,
}

impl Listening {
    /// Listens at an address. A thread of its own answers the requests.
    ///
    /// # Errors
    ///
    /// `invalid_argument` if the program cannot listen at the address.
    pub(crate) fn start(
        address: SocketAddr,
        allowed_hosts: &[String],
        journal: Journal,
        health: Arc<Health>,
    ) -> Result<Listening> {
        let cannot = |error: std::io::Error| {
            Error::invalid_argument(format!("settle cannot listen at {address}: {error}"))
        };
        let runtime = tokio::runtime::Builder::new_current_thread()
            .enable_io()
            .enable_time()
            .max_blocking_threads(THREADS)
            .build()
            .map_err(cannot)?;
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

/// What the page shows, and who may see it.
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
        .nest("/api", api::router())
        .fallback(async || (StatusCode::NOT_FOUND, "There is no such page.\n"))
        .layer(from_fn_with_state(Arc::clone(&site), guard_page))
        .route("/metrics", get(metrics::metrics))
        .layer(from_fn_with_state(Arc::clone(&site), guard_name))
        .route("/healthz", get(healthz))
        .with_state(site)
}

async fn healthz(State(site): State<Arc<Site>>) -> Response {
    site.health.answer()
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
