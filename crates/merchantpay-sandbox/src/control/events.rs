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

use super::overview::overview;
use super::{Problem, Result};
use crate::app::AppState;
use crate::base::event_bus::Event;

/// The interval in which an idle stream sends a comment, so that the reader knows that the stream is open.
const HEARTBEAT_INTERVAL: Duration = Duration::from_secs(15);

pub(super) async fn stream(State(app): State<Arc<AppState>>) -> Result<Response<Body>> {
    // The subscription starts before the first line is sent, so that no later event is missed.
    let events = app
        .service
        .events
        .subscribe()
        .ok_or_else(|| Problem::conflict("too many event streams are open: close one first"))?;
    let hello = serde_json::to_string(&overview(&app)).unwrap_or_default();
    let (sender, body) = Channel::<Bytes, Infallible>::new(16);
    tokio::spawn(forward(events, sender, hello));
    let mut response = Response::new(Body::new(body));
    let content_type = HeaderValue::from_static("text/event-stream");
    response.headers_mut().insert(header::CONTENT_TYPE, content_type);
    Ok(response)
}

/// Sends events until the reader disconnects.
async fn forward(mut events: Receiver<Arc<Event>>, mut sender: Sender<Bytes>, hello: String) {
    let mut id = 1u64;
    let mut next = line(id, "hello", &hello);
    while sender.send_data(next).await.is_ok() {
        next = match tokio::time::timeout(HEARTBEAT_INTERVAL, events.recv()).await {
            Err(_) => Bytes::from_static(b": still here\n\n"),
            Ok(Ok(event)) => {
                id += 1;
                line(id, event.name, &event.data)
            }
            Ok(Err(RecvError::Lagged(missed))) => {
                id += 1;
                line(id, "missed", &format!("{{\"missed\":{missed}}}"))
            }
            Ok(Err(RecvError::Closed)) => return,
        };
    }
}

fn line(id: u64, name: &str, data: &str) -> Bytes {
    Bytes::from(format!("id: {id}\nevent: {name}\ndata: {data}\n\n"))
}
