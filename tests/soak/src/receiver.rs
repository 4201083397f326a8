//! The merchant's receiver of webhooks: a real server on loopback.

use std::sync::Arc;

use axum::Router;
use axum::body::Bytes;
use axum::extract::State;
use axum::http::{HeaderMap, StatusCode, Uri};
use axum::routing::post;

use crate::AnyResult;

#[derive(Clone)]
pub(crate) struct Hook {
    pub(crate) path: String,
    pub(crate) body: Bytes,
    pub(crate) signature: String,
    pub(crate) key_id: String,
}

type Take = Arc<dyn Fn(Hook) -> u16 + Send + Sync>;

/// Serves on a thread until the process ends; `take` returns the status of the answer. Returns the base URL, to which
/// each payment adds one part.
pub(crate) fn start(take: impl Fn(Hook) -> u16 + Send + Sync + 'static) -> AnyResult<String> {
    let listener = std::net::TcpListener::bind("127.0.0.1:0")?;
    listener.set_nonblocking(true)?;
    let url = format!("http://{}/hooks", listener.local_addr()?);
    let app = Router::new().route("/hooks/{end}", post(answer)).with_state(Arc::new(take) as Take);
    let runtime = tokio::runtime::Builder::new_current_thread().enable_io().build()?;
    std::thread::spawn(move || {
        runtime.block_on(async { axum::serve(tokio::net::TcpListener::from_std(listener)?, app).await })
    });
    Ok(url)
}

async fn answer(State(take): State<Take>, uri: Uri, headers: HeaderMap, body: Bytes) -> StatusCode {
    let header =
        |name: &str| headers.get(name).and_then(|value| value.to_str().ok()).unwrap_or_default().to_owned();
    let (path, signature, key_id) = (uri.path().to_owned(), header("x-signature"), header("x-keyid"));
    let status = take(Hook { path, body, signature, key_id });
    StatusCode::from_u16(status).unwrap_or(StatusCode::INTERNAL_SERVER_ERROR)
}
