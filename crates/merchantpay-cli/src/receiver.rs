//! A small web server that receives webhooks. Each waits for its answer until somebody has looked at it.

use std::io;
use std::net::SocketAddr;
use std::sync::mpsc;
use std::time::Duration;

use axum::Router;
use axum::body::{Body, to_bytes};
use axum::extract::State;
use axum::http::{Request, StatusCode};
use tokio::sync::oneshot;

/// More than any webhook of the contract has.
const LARGEST: usize = 1024 * 1024;

/// Receives on a thread of its own until it is dropped.
pub(crate) struct Receiver {
    address: SocketAddr,
    arrivals: mpsc::Receiver<Arrival>,
    _stop: oneshot::Sender<()>,
}

/// A webhook as it came. Nothing of it is verified.
pub(crate) struct Arrival {
    pub path: String,
    pub body: Vec<u8>,
    pub signature: String,
    pub key_id: Option<String>,
    answer: oneshot::Sender<u16>,
}

impl Arrival {
    /// Answers with an HTTP status.
    pub(crate) fn answer(self, status: u16) {
        // A sender that has given up sends it again.
        let _ = self.answer.send(status);
    }
}

impl Receiver {
    /// Listens on any free port of loopback, at every path.
    pub(crate) fn start() -> io::Result<Receiver> {
        let listener = std::net::TcpListener::bind(("127.0.0.1", 0))?;
        listener.set_nonblocking(true)?;
        let address = listener.local_addr()?;
        let (sender, arrivals) = mpsc::channel();
        let (stop, stopped) = oneshot::channel::<()>();
        let runtime = tokio::runtime::Builder::new_current_thread().enable_io().build()?;
        let app = Router::new().fallback(receive).with_state(sender);
        std::thread::Builder::new().name("webhooks".to_owned()).spawn(move || {
            runtime.block_on(async {
                let Ok(listener) = tokio::net::TcpListener::from_std(listener) else { return };
                tokio::select! {
                    _ = axum::serve(listener, app) => {}
                    _ = stopped => {}
                }
            });
        })?;
        Ok(Receiver { address, arrivals, _stop: stop })
    }

    /// Where it listens, with no slash at the end.
    pub(crate) fn url(&self) -> String {
        format!("http://{}", self.address)
    }

    /// The next webhook; `None` if none comes in time.
    pub(crate) fn next(&self, timeout: Duration) -> Option<Arrival> {
        self.arrivals.recv_timeout(timeout).ok()
    }
}

/// The names of the headers are the sandbox's decision: the contract shows none.
async fn receive(State(arrivals): State<mpsc::Sender<Arrival>>, request: Request<Body>) -> StatusCode {
    let (head, body) = request.into_parts();
    let Ok(body) = to_bytes(body, LARGEST).await else { return StatusCode::PAYLOAD_TOO_LARGE };
    let header = |name: &str| head.headers.get(name).and_then(|value| value.to_str().ok()).map(str::to_owned);
    let (answer, answered) = oneshot::channel();
    let signature = header("x-signature").unwrap_or_default();
    let arrival = Arrival {
        path: head.uri.path().to_owned(),
        body: body.to_vec(),
        signature,
        key_id: header("x-keyid"),
        answer,
    };
    let _ = arrivals.send(arrival);
    let status = answered.await.ok().and_then(|status| StatusCode::from_u16(status).ok());
    status.unwrap_or(StatusCode::SERVICE_UNAVAILABLE)
}
