//! A small web server that receives webhooks. The sender of a webhook gets its answer only after the program
//! has looked at the webhook.

use std::io;
use std::net::SocketAddr;
use std::sync::mpsc;
use std::time::Duration;

use axum::Router;
use axum::body::{Body, to_bytes};
use axum::extract::State;
use axum::http::{Request, StatusCode};
use tokio::sync::oneshot;

/// The largest body: larger than any webhook of the contract.
const LARGEST: usize = 1024 * 1024;

/// Receives on its own thread until the value is dropped.
pub(crate) struct Receiver {
    address: SocketAddr,
    arrivals: mpsc::Receiver<Arrival>,
    _stop: oneshot::Sender<()>,
}

/// A webhook as it was received, not verified.
pub(crate) struct Arrival {
    pub path: String,
    pub body: Vec<u8>,
    pub signature: String,
    pub key_id: Option<String>,
    answer: oneshot::Sender<u16>,
}

impl Arrival {
    /// Answers the webhook with an HTTP status.
    pub(crate) fn answer(self, status: u16) {
        // The sender may have disconnected. Then the service sends the webhook again.
        let _ = self.answer.send(status);
    }
}

impl Receiver {
    /// Listens on any free port of the loopback interface and accepts every path.
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

    /// The receiver's URL, without a slash at the end.
    pub(crate) fn url(&self) -> String {
        format!("http://{}", self.address)
    }

    /// The next webhook; `None` if no webhook comes in time.
    pub(crate) fn next(&self, timeout: Duration) -> Option<Arrival> {
        self.arrivals.recv_timeout(timeout).ok()
    }
}

/// The contract does not name the headers of a webhook. This function uses the sandbox's names.
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
