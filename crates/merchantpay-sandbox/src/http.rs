//! The HTTP server: the merchant API, the control API and the console on one listener.

use std::convert::Infallible;
use std::sync::Arc;
use std::time::Duration;

use axum::Router;
use axum::body::Body;
use axum::extract::State;
use axum::http::{Response, StatusCode};
use axum::routing::get;
use hyper_util::rt::TokioIo;
use tokio::net::TcpListener;

use crate::api::{self, Dropped};
use crate::app::AppState;
use crate::base::hosts::Peer;
use crate::console;
use crate::control;

/// Serves until the task is cancelled. Each connection has its own task.
pub(crate) async fn serve(listener: TcpListener, app: Arc<AppState>) {
    let mut developer = console::router(&app).merge(control::router(&app));
    if !app.service.options.allow_remote {
        developer = developer.layer(axum::middleware::from_fn(control::this_machine_only));
    }
    let router =
        Router::new().fallback(api::serve).route("/healthz", get(health)).with_state(Arc::clone(&app));
    let router = router.merge(developer);
    loop {
        let Ok((stream, peer)) = listener.accept().await else {
            // Most likely the process has no free file descriptors. Wait until some connections end.
            tokio::time::sleep(Duration::from_millis(20)).await;
            continue;
        };
        let _ = stream.set_nodelay(true);
        let router = router.clone();
        tokio::spawn(async move {
            let service = hyper::service::service_fn(move |mut request: hyper::Request<_>| {
                request.extensions_mut().insert(Peer::new(peer));
                respond(router.clone(), request)
            });
            // An error of a connection affects only its client.
            let _ = hyper::server::conn::http1::Builder::new()
                .serve_connection(TokioIo::new(stream), service)
                .await;
        });
    }
}

/// Answers a process supervisor, whatever the `Host` header is: 200, or 503 after a write to the database
/// failed.
async fn health(State(app): State<Arc<AppState>>) -> (StatusCode, &'static str) {
    match app.service.database.failure() {
        None => (StatusCode::OK, "ok\n"),
        Some(_) => (StatusCode::SERVICE_UNAVAILABLE, "a write to the database failed\n"),
    }
}

/// The response to a request. On an error hyper closes the connection without sending a byte.
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
