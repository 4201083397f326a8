//! Receives webhooks: webhook [COUNT], where COUNT is how many to receive before it ends; 0 is without end.
//!
//! It listens on loopback: TLS is the business of the proxy in front of it.
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

/// No webhook of the contract is near it.
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

/// Of the settings it needs the service's public key alone; the others make it stricter.
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

/// Verifies one webhook. The same event may come again: a shop handles it once.
async fn receive(State(receiver): State<Arc<Receiver>>, headers: HeaderMap, body: Body) -> StatusCode {
    // A caller may not hold its connection for ever.
    let Ok(Some(body)) = tokio::time::timeout(Duration::from_secs(10), read(body)).await else {
        println!("refused too_large");
        return StatusCode::BAD_REQUEST;
    };
    let header = |name| headers.get(name).and_then(|value| value.to_str().ok());
    // The bytes as they came: a parser in between would make other bytes of them.
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

/// A body, unless it is too large. It is read to its end all the same: a caller that still writes would miss
/// the response.
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
