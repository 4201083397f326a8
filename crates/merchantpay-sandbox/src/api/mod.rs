//! The merchant's signed API: verifies a request, passes it to its endpoint, and signs the reply.

mod endpoints;
pub(crate) mod reply;

use std::sync::Arc;
use std::time::{Duration, Instant};

use axum::body::{Body, Bytes};
use axum::extract::{Request, State};
use axum::http::request::Parts;
use axum::http::{HeaderMap, Method, Response};
use merchantpay::{BASE_PATH, OPERATIONS, OperationInfo};

use crate::api::reply::{Outgoing, Reply};
use crate::app::AppState;
use crate::base::hosts::Peer;
use crate::base::{assumptions, millis, read_up_to};
use crate::model::exchange::{Captured, Exchange, ExchangeSummary, Explanation, Message, order_id_in};
use crate::model::fault::{Fault, PlannedFault};
use crate::model::state::By;

const LONGEST_PATH: usize = 200;

/// Marks a response that is never sent: its connection closes instead.
#[derive(Clone)]
pub(crate) struct Dropped;

pub(crate) async fn serve(State(app): State<Arc<AppState>>, request: Request) -> Response<Body> {
    let (head, body) = request.into_parts();
    if let Some(why) = app.own_hosts.refusal(&head.headers) {
        let _ = read_up_to(body, 0).await;
        return app.keys.sign(Reply::refusal(assumptions::FORBIDDEN, why)).into_response();
    }
    let path = head.uri.path().strip_prefix(BASE_PATH).unwrap_or_default();
    let operation = OPERATIONS.iter().find(|known| known.path == path);
    let peer = head.extensions.get::<Peer>().copied();
    let reply = match (operation, peer, read_up_to(body, assumptions::LARGEST_REQUEST).await) {
        (Some(operation), Some(peer), Ok(Some(body))) if head.method == Method::POST => {
            exchange(&app, operation, head.headers, body, Origin::Merchant(peer)).await
        }
        (operation, _, read) => Some(refuse(&app, head, operation, read)),
    };
    reply.map_or_else(dropped, Outgoing::into_response)
}

fn refuse(
    app: &AppState,
    head: Parts,
    operation: Option<&'static OperationInfo>,
    read: Result<Option<Bytes>, axum::Error>,
) -> Outgoing {
    let path = head.uri.path();
    let (status, text) = match (operation, &read) {
        (None, _) => (assumptions::NOT_FOUND, assumptions::no_endpoint_text(path)),
        _ if head.method != Method::POST => {
            (assumptions::METHOD_NOT_ALLOWED, assumptions::ONLY_POST_TEXT.to_owned())
        }
        (_, Ok(_)) => (assumptions::TOO_LARGE, assumptions::TOO_LARGE_TEXT.to_owned()),
        (_, Err(_)) => (assumptions::BAD_REQUEST, assumptions::UNREADABLE_TEXT.to_owned()),
    };
    let reply = app.keys.sign(Reply::refusal(status, &text));
    // A browser that asks for an icon means no call.
    let is_call = head.method == Method::POST
        || path.starts_with("/api/")
        || ["x-signature", "x-keyid"].iter().any(|name| head.headers.contains_key(*name));
    if is_call {
        let whole = read.as_ref().ok().and_then(Option::as_ref);
        let body = match (whole, &read) {
            (Some(body), _) => Captured::new(body),
            (None, Ok(_)) => Captured { size: assumptions::LARGEST_REQUEST + 1, ..Captured::default() },
            (None, Err(_)) => Captured::default(),
        };
        let path = path.chars().take(LONGEST_PATH).collect();
        let name = operation.map(|known| known.name);
        let mut record = Record::new(app, name, By::Merchant, (&head.method, path), &head.headers, body);
        if let Some(body) = whole {
            record.note_verified(app.merchant().verify(&head.headers, body));
        }
        record.end(app, None, Some(&reply));
    }
    reply
}

struct Record {
    started: Instant,
    exchange: Exchange,
}

impl Record {
    fn new(
        app: &AppState,
        operation: Option<&'static str>,
        by: By,
        (method, path): (&Method, String),
        headers: &HeaderMap,
        body: Captured,
    ) -> Record {
        let method = method.to_string();
        let summary = ExchangeSummary {
            at: app.service.clock.now(),
            method: method.clone(),
            path: path.clone(),
            operation,
            by,
            ..ExchangeSummary::default()
        };
        let request = Message { method: Some(method), path: Some(path), ..Message::new(headers, body) };
        let exchange = Exchange { summary, request, ..Exchange::default() };
        Record { started: Instant::now(), exchange }
    }

    fn note_verified(&mut self, verified: Result<(), Option<Explanation>>) {
        self.exchange.summary.verified = Some(verified.is_ok());
        self.exchange.explanation = verified.err().flatten();
        self.exchange.summary.cause = self.exchange.explanation.as_ref().map(|one| one.cause);
    }

    /// `order_id` is the order of a success.
    fn end(mut self, app: &AppState, order_id: Option<String>, reply: Option<&Outgoing>) {
        let Exchange { summary, request, .. } = &mut self.exchange;
        summary.duration_ms = millis(self.started.elapsed());
        summary.order_id = order_id.or_else(|| order_id_in(&request.body.bytes));
        summary.http_status = reply.map(|reply| reply.status);
        self.exchange.reply = reply.map(Outgoing::captured);
        app.exchanges.add(self.exchange, &app.service.events);
    }
}

pub(crate) enum Origin {
    Merchant(Peer),
    /// The sandbox acts as the merchant: without a signature, because it may not have the merchant's private key, and
    /// with no fault but the given one.
    Sandbox(Option<Fault>),
}

/// `None` if the connection closes without a reply.
pub(crate) async fn exchange(
    app: &AppState,
    operation: &'static OperationInfo,
    headers: HeaderMap,
    body: Bytes,
    origin: Origin,
) -> Option<Outgoing> {
    let by = if matches!(origin, Origin::Merchant(_)) { By::Merchant } else { By::Sandbox };
    let path = format!("{BASE_PATH}{}", operation.path);
    let bytes = Captured::new(&body);
    let mut record = Record::new(app, Some(operation.name), by, (&Method::POST, path), &headers, bytes);
    // First the signature: bytes that the merchant did not sign are not parsed, and take no fault.
    let (verified, peer, fault) = match origin {
        Origin::Sandbox(fault) => (Ok(()), None, fault.map(PlannedFault::from)),
        Origin::Merchant(peer) => {
            let verified = app.merchant().verify(&headers, &body);
            let fault = verified.is_ok().then(|| app.faults.take(operation.name)).flatten();
            app.count_request(operation.name);
            (verified, Some(peer), fault)
        }
    };
    record.note_verified(verified);
    let kind = fault.as_ref().map(|fault| fault.kind);
    record.exchange.summary.fault = kind;
    if kind.is_some() {
        app.service.events.publish("faults", || app.faults.list());
    }
    match &kind {
        Some(Fault::Latency) => {
            let ms = fault.as_ref().and_then(|fault| fault.latency_ms);
            tokio::time::sleep(Duration::from_millis(ms.unwrap_or_default())).await;
        }
        Some(point @ Fault::StallBeforeCommit) => app.faults.stall(*point).await,
        _ => {}
    }
    let reply = match record.exchange.summary.verified {
        _ if kind == Some(Fault::DropBeforeCommit) => None,
        Some(true) => Some(endpoints::handle(&app.service, operation.name, &headers, body, peer).await),
        _ => {
            let explanation = record.exchange.explanation.as_ref();
            let text = assumptions::signature_text(explanation.map(|one| (one.cause, one.hint.as_str())));
            Some(Reply::refusal(assumptions::UNAUTHORIZED, &text))
        }
    };
    if let Some(point @ Fault::StallAfterCommit) = kind {
        app.faults.stall(point).await;
    }
    let order_id = reply.as_ref().and_then(|reply| reply.order_id.clone());
    let reply = reply.and_then(|reply| match &fault {
        Some(fault) => app.keys.sign_with_fault(fault, &headers, reply),
        None => Some(app.keys.sign(reply)),
    });
    record.end(app, order_id, reply.as_ref());
    reply
}

fn dropped() -> Response<Body> {
    let mut response = Response::new(Body::empty());
    response.extensions_mut().insert(Dropped);
    response
}
