//! `journal settle --listen`: serves the health, the metrics, and a page for the operator. The page changes
//! nothing.

mod attempt;
pub(crate) mod commands;
mod frame;
mod health;
mod layout;
mod metrics;
mod search;
mod start;

use std::net::SocketAddr;
use std::sync::Arc;

use hyper::header::{CONTENT_TYPE, HeaderMap, HeaderName, HeaderValue};
use hyper::{Method, StatusCode, Uri};
use merchantpay::{Error, Result};
use merchantpay_journal::Journal;
use merchantpay_sandbox::pages::{self, OwnHosts};
use tokio::net::TcpListener;
use tokio::sync::watch;

use crate::server::{self, Answer, Arrival};
pub(crate) use health::Health;
use layout::Page;
pub(crate) use metrics::prometheus;

/// The number of threads that read the journal.
const THREADS: usize = 4;

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
        let site = Site { journal, health, own_hosts };
        let handler = Arc::new(move |arrival| site.answer(&arrival));
        let serve = move || runtime.block_on(server::serve(listener, handler, stopped));
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

/// The data that the pages show.
struct Site {
    journal: Journal,
    health: Arc<Health>,
    own_hosts: OwnHosts,
}

impl Site {
    fn answer(&self, arrival: &Arrival) -> Answer {
        match arrival {
            Arrival::NotPost(method, uri, headers) if [Method::GET, Method::HEAD].contains(method) => {
                self.read(uri, headers)
            }
            Arrival::TooSlow => StatusCode::REQUEST_TIMEOUT.into(),
            _ => page(Page::problem(StatusCode::METHOD_NOT_ALLOWED, "Nothing can be changed here.")),
        }
    }

    fn read(&self, uri: &Uri, headers: &HeaderMap) -> Answer {
        match uri.path() {
            "/healthz" => self.health.answer(),
            "/metrics" => self.foreign_host(headers).map_or_else(|| self.metrics(), page),
            "/console/style.css" => file("text/css; charset=utf-8", pages::STYLE),
            "/console/icon.svg" => file("image/svg+xml", pages::ICON),
            path => page(self.guarded(headers).unwrap_or_else(|| self.page(path, uri))),
        }
    }

    /// Returns a refusal if a request is not allowed to see a page. The pages have no login, so only this
    /// machine may read them.
    fn guarded(&self, headers: &HeaderMap) -> Option<Page> {
        if !self.own_hosts.listens_on().is_loopback() {
            let why = "The pages are shown only where the service listens on this machine alone, such as 127.0.0.1: \
                       they have no login. Use ssh -L to reach them.";
            return Some(Page::problem(StatusCode::FORBIDDEN, why));
        }
        self.foreign_host(headers)
    }

    /// Refuses a request for another name: a page in a browser on this network could read the answer through a
    /// name that resolves to this machine.
    fn foreign_host(&self, headers: &HeaderMap) -> Option<Page> {
        if pages::names_us(headers, &self.own_hosts) {
            return None;
        }
        let why = "This name is not the service's. Use the address that the service printed when it started, or \
                   start settle with --allow-host NAME.";
        Some(Page::problem(StatusCode::MISDIRECTED_REQUEST, why))
    }

    fn page(&self, path: &str, uri: &Uri) -> Page {
        let shown = match path {
            "/" => start::page(&self.journal, &self.health),
            "/attempts" => attempt::page(&self.journal, &query(uri, "reference")),
            "/search" => search::page(&self.journal, &query(uri, "q")),
            _ => return Page::problem(StatusCode::NOT_FOUND, "There is no such page."),
        };
        shown.unwrap_or_else(|error| Page::problem(StatusCode::SERVICE_UNAVAILABLE, error.message()))
    }

    fn metrics(&self) -> Answer {
        match self.journal.stats() {
            Ok(stats) => {
                file("text/plain; version=0.0.4; charset=utf-8", &prometheus(&stats, Some(&self.health)))
            }
            Err(error) => health::failed(health::Check::of(&error)),
        }
    }
}

fn page(page: Page) -> Answer {
    let mut answer = file("text/html; charset=utf-8", &page.document());
    answer.status = page.status;
    pages::guard_page(&mut answer.headers, layout::POLICY);
    answer
}

fn file(content_type: &'static str, text: &str) -> Answer {
    let mut headers: HeaderMap = HeaderMap::new();
    headers.insert::<HeaderName>(CONTENT_TYPE, HeaderValue::from_static(content_type));
    pages::guard_file(&mut headers);
    Answer { status: StatusCode::OK, headers, body: text.as_bytes().to_vec() }
}

/// A value of the query; empty if the query does not have the value.
fn query(uri: &Uri, name: &str) -> String {
    let query = uri.query().unwrap_or_default().as_bytes();
    let found = url::form_urlencoded::parse(query).find(|(key, _)| key == name);
    found.map(|(_, value)| value.trim().to_owned()).unwrap_or_default()
}
