//! The merchant's receiver of webhooks: a real server on loopback.

use std::sync::Arc;

use axum::Router;
use axum::body::Bytes;
use axum::extract::{Path, State};
use axum::http::{HeaderMap, StatusCode};
use axum::routing::post;
use merchantpay::WebhookVerifier;

use crate::AnyResult;
use crate::ledger::{Ledger, Taken};
use crate::service::Service;

struct Receiver {
    verifier: WebhookVerifier,
    ledger: Arc<Ledger>,
}

/// Serves on a separate thread until the process ends. Returns the base URL. The webhook URL of each payment
/// begins with this base URL.
pub(crate) fn start(service: &Service, ledger: Arc<Ledger>) -> AnyResult<String> {
    let receiver = Arc::new(Receiver { verifier: WebhookVerifier::new(service.public_key()?), ledger });
    let listener = std::net::TcpListener::bind("127.0.0.1:0")?;
    listener.set_nonblocking(true)?;
    let url = format!("http://{}/hooks", listener.local_addr()?);
    let runtime = tokio::runtime::Builder::new_current_thread().enable_io().build()?;
    std::thread::spawn(move || {
        runtime.block_on(async {
            let app = Router::new().route("/hooks/{end}", post(take)).with_state(receiver);
            axum::serve(tokio::net::TcpListener::from_std(listener)?, app).await
        })
    });
    Ok(url)
}

/// No webhook is used before its signature is verified, and the receiver answers 200 only after the webhook
/// is written to the ledger.
async fn take(
    State(receiver): State<Arc<Receiver>>,
    Path(end): Path<String>,
    headers: HeaderMap,
    body: Bytes,
) -> StatusCode {
    let header = |name: &str| headers.get(name).and_then(|value| value.to_str().ok());
    let Ok(event) =
        receiver.verifier.verify(&body, header("x-signature").unwrap_or_default(), header("x-keyid"))
    else {
        return StatusCode::BAD_REQUEST;
    };
    let payment = event.payment();
    match receiver.ledger.webhook(&end, payment.order_id(), payment.is_final()) {
        Taken::Yes => StatusCode::OK,
        Taken::Again => StatusCode::INTERNAL_SERVER_ERROR,
        Taken::NotOurs => StatusCode::NOT_FOUND,
    }
}
