//! Runs `webhook listen` for its fuzz target. It verifies each webhook and explains each that does not
//! verify. It prints nothing.

use std::sync::Arc;

use axum::http::StatusCode;
use axum::http::header::HeaderName;
use merchantpay::{PublicKey, WebhookVerifier};
use tokio::net::TcpListener;
use tokio::sync::watch;

use super::listen::text;
use crate::server::{Arrival, receive};

/// Answers every request and never ends.
///
/// # Errors
///
/// If the listener cannot be used.
pub fn webhook_listen(listener: std::net::TcpListener, server_key: PublicKey) -> std::io::Result<()> {
    let verifier = WebhookVerifier::with_keys(&[server_key], &[], Some("merchant"))
        .map_err(|error| std::io::Error::other(error.message().to_owned()))?;
    let handler = move |arrival| {
        let webhook = match arrival {
            Arrival::Webhook(webhook) => webhook,
            Arrival::NotPost(..) => return StatusCode::METHOD_NOT_ALLOWED.into(),
            Arrival::TooLarge => return StatusCode::PAYLOAD_TOO_LARGE.into(),
            Arrival::TooSlow => return StatusCode::REQUEST_TIMEOUT.into(),
        };
        let signature = text(&webhook.headers, &HeaderName::from_static("x-signature"));
        let key_id = text(&webhook.headers, &HeaderName::from_static("x-keyid"));
        let (signature, key_id) = (signature.as_deref().unwrap_or_default(), key_id.as_deref());
        match verifier.verify(&webhook.body, signature, key_id) {
            Ok(_) => StatusCode::OK.into(),
            Err(_) => {
                let _ = verifier.explain(&webhook.body, signature, key_id);
                StatusCode::BAD_REQUEST.into()
            }
        }
    };
    let runtime = tokio::runtime::Builder::new_current_thread().enable_all().build()?;
    listener.set_nonblocking(true)?;
    let (_stop, stopped) = watch::channel(false);
    runtime.block_on(async {
        receive(TcpListener::from_std(listener)?, Arc::new(handler), stopped).await;
        Ok(())
    })
}
