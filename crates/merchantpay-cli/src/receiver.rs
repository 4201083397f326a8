//! A small web server that receives webhooks and believes only the signed ones.

use std::io;
use std::net::SocketAddr;
use std::sync::mpsc;
use std::time::Duration;

use axum::Router;
use axum::body::{Body, to_bytes};
use axum::extract::State;
use axum::http::{Request, StatusCode};
use axum::routing::post;
use merchantpay::{Event, Result, WebhookVerifier};
use tokio::sync::oneshot;

/// More than any webhook of the contract has.
const LARGEST: usize = 1024 * 1024;

/// Receives on a thread of its own until it is dropped.
pub(crate) struct Receiver {
    address: SocketAddr,
    events: mpsc::Receiver<Result<Event>>,
    _stop: oneshot::Sender<()>,
}

#[derive(Clone)]
struct Desk {
    verifier: WebhookVerifier,
    events: mpsc::Sender<Result<Event>>,
}

impl Receiver {
    /// Listens on any free port of loopback.
    pub(crate) fn start(verifier: WebhookVerifier) -> io::Result<Receiver> {
        let listener = std::net::TcpListener::bind(("127.0.0.1", 0))?;
        listener.set_nonblocking(true)?;
        let address = listener.local_addr()?;
        let (sender, events) = mpsc::channel();
        let (stop, stopped) = oneshot::channel::<()>();
        let runtime = tokio::runtime::Builder::new_current_thread().enable_io().build()?;
        let app = Router::new().route("/", post(receive)).with_state(Desk { verifier, events: sender });
        std::thread::Builder::new().name("webhooks".to_owned()).spawn(move || {
            runtime.block_on(async {
                let Ok(listener) = tokio::net::TcpListener::from_std(listener) else { return };
                tokio::select! {
                    _ = axum::serve(listener, app) => {}
                    _ = stopped => {}
                }
            });
        })?;
        Ok(Receiver { address, events, _stop: stop })
    }

    /// The URL to give as `statusWebhookUrl` or `credentialsWebhookUrl`.
    pub(crate) fn url(&self) -> String {
        format!("http://{}/", self.address)
    }

    /// The next webhook, verified or refused; `None` if none comes in time.
    pub(crate) fn next(&self, timeout: Duration) -> Option<Result<Event>> {
        self.events.recv_timeout(timeout).ok()
    }
}

/// Verifies the bytes as they came. The names of the headers are the sandbox's decision: the contract shows none.
async fn receive(State(desk): State<Desk>, request: Request<Body>) -> StatusCode {
    let (head, body) = request.into_parts();
    let Ok(body) = to_bytes(body, LARGEST).await else { return StatusCode::PAYLOAD_TOO_LARGE };
    let header = |name: &str| head.headers.get(name).and_then(|value| value.to_str().ok());
    let event = desk.verifier.verify(&body, header("x-signature").unwrap_or_default(), header("x-keyid"));
    let status = if event.is_ok() { StatusCode::OK } else { StatusCode::BAD_REQUEST };
    let _ = desk.events.send(event);
    status
}
