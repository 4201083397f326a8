//! Receives webhooks: webhook [COUNT]. The program ends after COUNT webhooks; without COUNT, or with 0, it
//! does not end.
//!
//! The program listens on loopback, without TLS: in production a proxy in front of the server does TLS.
mod example;

use std::process::ExitCode;
use std::sync::Arc;
use std::sync::atomic::{AtomicUsize, Ordering};
use std::time::Duration;

use axum::body::Body;
use axum::extract::State;
use axum::http::{HeaderMap, StatusCode};
use axum::routing::post;
use example::{Ended, setting, shown};
use http_body_util::BodyExt as _;
use merchantpay::{Event, EventKind, PublicKey, WebhookVerifier};
use tokio::sync::Notify;

/// The largest body that is accepted, in bytes. Every webhook of the contract is far smaller.
const LARGEST_BODY: usize = 65_536;

fn main() -> ExitCode {
    example::run(receive_webhooks)
}

#[tokio::main(flavor = "current_thread")]
async fn receive_webhooks() -> Ended {
    let arguments: Vec<String> = std::env::args().skip(1).collect();
    let count = match &arguments[..] {
        [] => 0,
        [count] => count.parse().unwrap_or_else(|_| example::usage("webhook [COUNT]")),
        _ => example::usage("webhook [COUNT]"),
    };
    let receiver =
        Arc::new(Receiver { verifier: verifier()?, left: AtomicUsize::new(count), done: Notify::new() });
    let listener = tokio::net::TcpListener::bind(("127.0.0.1", 0)).await?;
    println!("listening {}", listener.local_addr()?.port());
    // The last response is written before the connections close.
    let done = Arc::clone(&receiver);
    axum::serve(listener, post(receive).with_state(receiver))
        .with_graceful_shutdown(async move { done.done.notified().await })
        .await?;
    Ok(())
}

/// Makes the verifier. It needs only the service's public key; the other settings make it stricter.
fn verifier() -> merchantpay::Result<WebhookVerifier> {
    let optional = |name| std::env::var(name).ok().filter(|text| !text.is_empty());
    WebhookVerifier::with_keys(
        &[PublicKey::from_base64(&setting("MERCHANTPAY_SERVER_PUBLIC_KEY")?)?],
        optional("MERCHANTPAY_SERVER_KEY_ID").as_slice(),
        optional("MERCHANTPAY_KEY_ID").as_deref(),
    )
}

struct Receiver {
    verifier: WebhookVerifier,
    left: AtomicUsize,
    done: Notify,
}

/// Verifies one webhook. The same event may come again: a shop must handle an event only once.
async fn receive(State(receiver): State<Arc<Receiver>>, headers: HeaderMap, body: Body) -> StatusCode {
    // A sender must not keep its connection open for ever.
    let Ok(Some(body)) = tokio::time::timeout(Duration::from_secs(10), read(body)).await else {
        println!("refused too_large");
        return StatusCode::BAD_REQUEST;
    };
    let header = |name| headers.get(name).and_then(|value| value.to_str().ok());
    // Uses the unchanged bytes: a parsed and rewritten body does not verify.
    let (signature, key_id) = (header("x-signature").unwrap_or_default(), header("x-keyid"));
    match receiver.verifier.verify(&body, signature, key_id) {
        Ok(event) => {
            print_event(&event);
            if receiver.left.fetch_sub(1, Ordering::Relaxed) == 1 {
                receiver.done.notify_one();
            }
            StatusCode::OK
        }
        Err(error) => {
            println!("refused {}", error.code());
            let why = receiver.verifier.explain(&body, signature, key_id);
            let why = why
                .map_or_else(|| error.to_string(), |why| format!("{}: {}", why.cause().name(), why.hint()));
            eprintln!("webhook refused: {why}"); // for your log, not for the sender
            StatusCode::BAD_REQUEST
        }
    }
}

/// Reads a body; `None` if the body is too large. Even such a body is read to its end: a sender that still
/// writes would miss the response.
async fn read(mut body: Body) -> Option<Vec<u8>> {
    let (mut bytes, mut length) = (Vec::new(), 0);
    while let Some(frame) = body.frame().await {
        let Ok(data) = frame.ok()?.into_data() else { continue };
        length += data.len();
        if length <= LARGEST_BODY {
            bytes.extend_from_slice(&data);
        }
    }
    (length <= LARGEST_BODY).then_some(bytes)
}

fn print_event(event: &Event) {
    let payment = event.payment();
    match event.event_kind() {
        EventKind::Credentials => println!(
            "credentials {} pay {} RUB to {}",
            payment.order_id(),
            shown(payment.sum()),
            shown(payment.payee_account())
        ),
        EventKind::CredentialsFailed => println!("credentials_failed {}", payment.order_id()),
        EventKind::Status => println!("status {} {}", payment.order_id(), shown(payment.status())),
        // A later version may know more kinds.
        _ => println!("event {}", payment.order_id()),
    }
}
