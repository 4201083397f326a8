//! The stream of server-sent events.

use std::convert::Infallible;
use std::sync::Arc;
use std::time::Duration;

use axum::body::{Body, Bytes};
use axum::extract::State;
use axum::http::{HeaderValue, Response, header};
use http_body_util::channel::{Channel, Sender};
use tokio::sync::broadcast::Receiver;
use tokio::sync::broadcast::error::RecvError;

use super::refusal::Refusal;
use super::{Answer, view};
use crate::feed::News;
use crate::server::Gate;

/// How often a silent stream says that it is there.
const SILENCE: Duration = Duration::from_secs(15);

pub(crate) async fn stream(State(gate): State<Arc<Gate>>) -> Answer {
    // Listening begins before the first line leaves: what comes after it is not missed.
    let news = gate.service.feed.listen().ok_or_else(|| Refusal::conflict("too many listen already"))?;
    let hello = view::sandbox(&gate).to_string();
    let (sender, body) = Channel::<Bytes, Infallible>::new(16);
    tokio::spawn(pass_on(news, sender, hello));
    let mut response = Response::new(Body::new(body));
    for (name, value) in
        [(header::CONTENT_TYPE, "text/event-stream"), (header::CACHE_CONTROL, "no-store"), (header::X_CONTENT_TYPE_OPTIONS, "nosniff")]
    {
        response.headers_mut().insert(name, HeaderValue::from_static(value));
    }
    Ok(response)
}

/// Until the reader goes away.
async fn pass_on(mut news: Receiver<Arc<News>>, mut sender: Sender<Bytes>, hello: String) {
    let mut id = 1u64;
    let mut line = event(id, "hello", &hello);
    while sender.send_data(line).await.is_ok() {
        line = match tokio::time::timeout(SILENCE, news.recv()).await {
            Err(_) => Bytes::from_static(b": still here\n\n"),
            Ok(Ok(news)) => {
                id += 1;
                event(id, news.name, &news.data)
            }
            Ok(Err(RecvError::Lagged(missed))) => {
                id += 1;
                event(id, "missed", &format!("{{\"missed\":{missed}}}"))
            }
            Ok(Err(RecvError::Closed)) => return,
        };
    }
}

fn event(id: u64, name: &str, data: &str) -> Bytes {
    Bytes::from(format!("id: {id}\nevent: {name}\ndata: {data}\n\n"))
}
