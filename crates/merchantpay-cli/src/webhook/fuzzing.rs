//! Runs `webhook listen` for its fuzz target. It prints nothing.

use std::sync::Arc;

use axum::http::header::HeaderName;
use merchantpay::{PublicKey, WebhookVerifier};
use tokio::net::TcpListener;
use tokio::sync::watch;

use super::listen::WebhookReceiver;
use super::report::Report;
use crate::server::receive;

/// Answers every request and never ends.
///
/// # Errors
///
/// If the listener cannot be used.
pub fn webhook_listen(listener: std::net::TcpListener, server_key: PublicKey) -> std::io::Result<()> {
    let verifier = WebhookVerifier::with_keys(&[server_key], &[], Some("merchant"))
        .map_err(|error| std::io::Error::other(error.message().to_owned()))?;
    let headers = ["x-signature", "x-keyid"].map(HeaderName::from_static);
    let (stop, stopped) = watch::channel(false);
    let receiver = Arc::new(WebhookReceiver::new(verifier, headers, Report::Nothing, stop));
    let runtime = tokio::runtime::Builder::new_current_thread().enable_all().build()?;
    listener.set_nonblocking(true)?;
    runtime.block_on(async {
        let handler = Arc::new(move |arrival| receiver.receive(arrival));
        receive(TcpListener::from_std(listener)?, handler, stopped).await;
        Ok(())
    })
}
