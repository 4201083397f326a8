//! A running sandbox, which a program or a test starts and stops: the merchant API, the control API and the console
//! on one listener.

use std::convert::Infallible;
use std::fmt;
use std::io;
use std::net::{SocketAddr, TcpListener};
use std::sync::Arc;
use std::time::Duration;

use axum::Router;
use axum::body::Body;
use axum::extract::State;
use axum::http::{Response, StatusCode};
use axum::routing::get;
use hyper_util::rt::{TokioIo, TokioTimer};
use merchantpay::{PrivateKey, PublicKey};
use tokio::net::TcpStream;
use tokio::runtime::Runtime;
use tokio::sync::Semaphore;
use tower_http::timeout::RequestBodyDeadlineLayer;

use crate::api::{self, Dropped};
use crate::app::{AppState, loopback, server_keys};
use crate::base::hosts::{Peer, with_targets_host};
use crate::base::options::Options;
use crate::model::fault::PlannedFault;
use crate::model::webhook::Delivery;
use crate::service;
use crate::settings::ClientSettings;
use crate::store::database::Database;
use crate::{console, control};

const MOST_PORTS: usize = 20;
/// The connections that a server serves at once; further ones wait.
pub const MOST_CONNECTIONS: usize = 256;

/// The simulated service. It runs on its own threads until the value is dropped.
pub struct Sandbox {
    app: Arc<AppState>,
    /// As at the start: the control API can replace the merchant's key later.
    settings: ClientSettings,
    runtime: Option<Runtime>,
}

impl Sandbox {
    /// Starts a sandbox. When this function returns, the sandbox answers requests.
    ///
    /// # Errors
    ///
    /// The address cannot be bound, the database cannot be used, or the merchant has the same key or key id
    /// as the service.
    pub fn start(options: Options) -> io::Result<Sandbox> {
        let listeners = listen(options.address)?;
        let database = Arc::new(match &options.database {
            Some(path) => Database::open(path)?,
            None => Database::default(),
        });
        let server = server_keys(&options, &database)?;
        let runtime = tokio::runtime::Builder::new_multi_thread()
            .worker_threads(2)
            .thread_name("sandbox")
            .enable_io()
            .enable_time()
            .build()?;
        let app = Arc::new(AppState::load(options, server, database, listeners[0].local_addr()?)?);
        {
            let _inside = runtime.enter();
            app.service.deliveries.resume();
            service::resume(&app.service);
            for listener in listeners {
                listener.set_nonblocking(true)?;
                let listener = tokio::net::TcpListener::from_std(listener)?;
                runtime.spawn(serve(listener, Arc::clone(&app)));
            }
        }
        let settings = app.settings();
        Ok(Sandbox { app, settings, runtime: Some(runtime) })
    }

    /// The address on which the sandbox listens.
    pub fn address(&self) -> SocketAddr {
        self.app.address
    }

    /// The base URL, to which the paths of the API are appended: [`Options::public_url`] if that is set.
    pub fn url(&self) -> &str {
        &self.app.service.base_url
    }

    /// The merchant's key id.
    pub fn merchant_key_id(&self) -> &str {
        &self.settings.key_id
    }

    /// The merchant's initial private key, if the sandbox made it.
    pub fn merchant_private_key(&self) -> Option<&PrivateKey> {
        self.settings.private_key.as_ref()
    }

    /// The initial settings of the merchant's client.
    pub fn settings(&self) -> &ClientSettings {
        &self.settings
    }

    /// The service's key id.
    pub fn server_key_id(&self) -> &str {
        &self.app.keys.key_id
    }

    /// The service's public key.
    pub fn server_public_key(&self) -> PublicKey {
        self.app.keys.key.public_key()
    }

    /// Plans a fault for the next `times` requests of an operation, or of all operations. Faults happen in
    /// the order in which they were planned.
    pub fn misbehave(&self, fault: impl Into<PlannedFault>, operation: Option<&str>, times: u32) {
        let operation = operation.map(str::to_owned);
        self.app.faults.plan(PlannedFault { operation, times: Some(times), ..fault.into() }, 0);
    }

    /// The number of requests of an operation, such as `newPayment`, that reached the service, including
    /// refused requests.
    pub fn requests(&self, operation: &str) -> u64 {
        self.app.requests().find(|(name, _)| *name == operation).map_or(0, |(_, count)| count)
    }

    /// The last two thousand webhooks whose delivery has succeeded or finally failed, oldest first.
    pub fn deliveries(&self) -> Vec<Delivery> {
        self.app.service.deliveries.log.finished()
    }

    /// Waits until the delivery of a webhook of this kind (`credentials`, `credentials_failed`, `status`)
    /// about this payment has succeeded or finally failed. Returns `None` after the timeout.
    pub fn wait_for_delivery(&self, order_id: &str, kind: &str, timeout: Duration) -> Option<Delivery> {
        self.app.service.deliveries.log.wait_for(order_id, kind, timeout)
    }

    /// Stops the sandbox: connections close, and undelivered webhooks are lost. Dropping the value does the
    /// same.
    pub fn stop(self) {}
}

/// The first listener has the address. A sandbox on an address of the network also listens on loopback, where its
/// console and its control API answer.
fn listen(address: SocketAddr) -> io::Result<Vec<TcpListener>> {
    for _ in 0..MOST_PORTS {
        let first = TcpListener::bind(address)?;
        let bound = first.local_addr()?;
        if bound.ip().is_unspecified() || bound.ip().is_loopback() {
            return Ok(vec![first]);
        }
        match TcpListener::bind(loopback(bound)) {
            Ok(second) => return Ok(vec![first, second]),
            // The port that the system chose is often busy on the other address.
            Err(error) if address.port() == 0 && error.kind() == io::ErrorKind::AddrInUse => {}
            Err(error) => return Err(error),
        }
    }
    Err(io::ErrorKind::AddrInUse.into())
}

impl Drop for Sandbox {
    fn drop(&mut self) {
        if let Some(runtime) = self.runtime.take() {
            // Must not block: a sandbox may be dropped on a thread of a runtime.
            runtime.shutdown_background();
        }
    }
}

impl fmt::Debug for Sandbox {
    fn fmt(&self, f: &mut fmt::Formatter<'_>) -> fmt::Result {
        f.debug_struct("Sandbox").field("url", &self.url()).finish_non_exhaustive()
    }
}

async fn serve(listener: tokio::net::TcpListener, app: Arc<AppState>) {
    let mut developer = console::router(&app).merge(control::router(&app));
    if !app.service.options.allow_remote {
        developer = developer.layer(axum::middleware::from_fn(control::this_machine_only));
    }
    let router =
        Router::new().fallback(api::serve).route("/healthz", get(health)).with_state(Arc::clone(&app));
    let deadline = app.service.options.client_deadline;
    let router = router.merge(developer).layer(RequestBodyDeadlineLayer::new(deadline));
    let mut http = hyper::server::conn::http1::Builder::new();
    http.timer(TokioTimer::new()).header_read_timeout(deadline);
    let permits = Arc::new(Semaphore::new(MOST_CONNECTIONS));
    each_connection(listener, permits, |stream, peer| {
        let (router, http) = (router.clone(), http.clone());
        async move {
            let service = hyper::service::service_fn(move |mut request: hyper::Request<_>| {
                request.extensions_mut().insert(Peer::new(peer));
                respond(router.clone(), with_targets_host(request))
            });
            // An error of a connection affects only its client.
            let _ = http.serve_connection(TokioIo::new(stream), service).await;
        }
    })
    .await;
}

/// Serves each connection by a task of its own, which has one of the permits.
pub async fn each_connection<F: Future<Output = ()> + Send + 'static>(
    listener: tokio::net::TcpListener,
    permits: Arc<Semaphore>,
    serve: impl Fn(TcpStream, SocketAddr) -> F,
) {
    loop {
        let permit = Arc::clone(&permits).acquire_owned().await.ok();
        let Ok((stream, peer)) = listener.accept().await else {
            // Probably out of file descriptors: wait until some connections end.
            tokio::time::sleep(Duration::from_millis(20)).await;
            continue;
        };
        let _ = stream.set_nodelay(true);
        let served = serve(stream, peer);
        tokio::spawn(async move {
            served.await;
            drop(permit);
        });
    }
}

/// For a process supervisor, so the `Host` header is not checked.
async fn health(State(app): State<Arc<AppState>>) -> (StatusCode, &'static str) {
    match app.service.database.failure() {
        None => (StatusCode::OK, "ok\n"),
        Some(_) => (StatusCode::SERVICE_UNAVAILABLE, "a write to the database failed\n"),
    }
}

/// On an error hyper closes the connection without sending a byte.
async fn respond(
    mut router: Router,
    request: hyper::Request<hyper::body::Incoming>,
) -> Result<Response<Body>, std::io::Error> {
    use tower_service::Service as _;

    let response: Result<Response<Body>, Infallible> = router.call(request.map(Body::new)).await;
    match response {
        Ok(response) if response.extensions().get::<Dropped>().is_none() => Ok(response),
        _ => Err(std::io::Error::other("dropped on demand")),
    }
}
