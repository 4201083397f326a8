//! The signed API of the merchant: a request is verified, handled by its endpoint, and its reply signed.

mod endpoints;
mod receipt_form;

use std::sync::Arc;
use std::time::Instant;

use axum::body::{Body, Bytes};
use axum::extract::{Request, State};
use axum::http::{HeaderMap, Method, Response};
use merchantpay::{BASE_PATH, OPERATIONS};

use crate::app::AppState;
use crate::base::assumptions;
use crate::base::body::read_up_to;
use crate::model::exchange::{CapturedBody, CapturedReply, Exchange};
use crate::model::fault::Fault;
use crate::model::payment::Pace;
use crate::model::view;
use crate::replies::outgoing::OutgoingReply;
use crate::replies::unsigned::Reply;

/// Marks a response that is never sent: its connection closes instead.
#[derive(Clone)]
pub(crate) struct Dropped;

/// A request to one of the merchant's endpoints, or to none.
pub(crate) async fn serve(State(app): State<Arc<AppState>>, request: Request) -> Response<Body> {
    let sign = |reply| app.signer.sign(reply).into_response();
    let (head, body) = request.into_parts();
    let path = head.uri.path().strip_prefix(BASE_PATH).unwrap_or_default();
    let Some(operation) = OPERATIONS.iter().find(|known| known.path == path).map(|known| known.name) else {
        return sign(Reply::refusal(assumptions::NOT_FOUND, assumptions::NO_ENDPOINT_TEXT));
    };
    if head.method != Method::POST {
        return sign(Reply::refusal(assumptions::METHOD_NOT_ALLOWED, assumptions::ONLY_POST_TEXT));
    }
    let body = match read_up_to(body, assumptions::LARGEST_REQUEST).await {
        Ok(Some(body)) => body,
        Ok(None) => return sign(Reply::refusal(assumptions::TOO_LARGE, assumptions::TOO_LARGE_TEXT)),
        Err(_) => return sign(Reply::refusal(assumptions::BAD_REQUEST, assumptions::UNREADABLE_TEXT)),
    };
    app.request_counts.add(operation);
    let request = OperationRequest { operation, headers: head.headers, body, origin: Origin::Merchant };
    let handled = exchange(&app, request).await;
    match handled.reply {
        Some(reply) if handled.fault == Some(Fault::StallMidReply.name()) => {
            reply.into_half_response(&app.stalled)
        }
        Some(reply) => reply.into_response(),
        None => dropped(),
    }
}

/// A request of one operation.
pub(crate) struct OperationRequest {
    pub(crate) operation: &'static str,
    pub(crate) headers: HeaderMap,
    pub(crate) body: Bytes,
    pub(crate) origin: Origin,
}

/// Who made a request.
pub(crate) enum Origin {
    /// It came over the network.
    Merchant,
    /// The sandbox plays the merchant, with this fault and no other. No signature is required, because the
    /// sandbox may not have the merchant's private key.
    Sandbox(Option<Fault>),
}

/// Plays the merchant: handles a request of the sandbox itself. `None` if the reply is lost.
pub(crate) async fn play(app: &AppState, request: OperationRequest) -> Option<OutgoingReply> {
    exchange(app, request).await.reply
}

/// Handles one request of an operation, and logs it with its reply.
async fn exchange(app: &AppState, request: OperationRequest) -> Handled {
    let (at, started) = (app.service.clock.now(), Instant::now());
    let handled = handle(app, &request).await;
    let captured = |reply: &OutgoingReply| CapturedReply {
        status: reply.status,
        headers: reply.headers.clone(),
        body: CapturedBody::new(&reply.body),
    };
    let exchange = Exchange {
        id: 0,
        at,
        duration: started.elapsed(),
        operation: request.operation,
        headers: request.headers,
        body: CapturedBody::new(&request.body),
        played: matches!(request.origin, Origin::Sandbox(_)),
        verified: handled.verified,
        reply: handled.reply.as_ref().map(captured),
        fault: handled.fault,
    };
    app.exchanges.add(exchange, &app.service.events);
    handled
}

struct Handled {
    /// `None` where the connection is to close without a reply.
    reply: Option<OutgoingReply>,
    verified: bool,
    fault: Option<&'static str>,
}

async fn handle(app: &AppState, request: &OperationRequest) -> Handled {
    let OperationRequest { operation, headers, body, origin } = request;
    let fault = match origin {
        Origin::Merchant => app.faults.take(operation),
        Origin::Sandbox(fault) => fault.clone(),
    };
    let name = fault.as_ref().map(Fault::name);
    if fault.is_some() {
        app.service.events.publish("faults", || view::faults(&app.faults.all(), &app.stalled.all()));
    }
    // Before anything is parsed: bytes that the merchant has not signed mean nothing.
    let played = matches!(origin, Origin::Sandbox(_));
    let verified = played || app.merchant.has_signed(headers, body);
    match &fault {
        Some(Fault::DropBeforeCommit) => return Handled { reply: None, verified, fault: name },
        Some(Fault::Latency(latency)) => tokio::time::sleep(*latency).await,
        Some(point @ Fault::StallBeforeCommit) => stall(app, point).await,
        _ => {}
    }
    let reply = if verified {
        let pace = if played { Pace::Immediate } else { Pace::Configured };
        endpoints::handle(&app.service, operation, headers, body.clone(), pace).await
    } else {
        Reply::refusal(assumptions::UNAUTHORIZED, assumptions::SIGNATURE_TEXT)
    };
    if let Some(point @ Fault::StallAfterCommit) = &fault {
        stall(app, point).await;
    }
    let reply = match fault {
        Some(fault) => app.signer.sign_with_fault(fault, headers, reply),
        None => Some(app.signer.sign(reply)),
    };
    Handled { reply, verified, fault: name }
}

/// Waits until the connection or the sandbox ends.
async fn stall(app: &AppState, point: &Fault) {
    let _stall = app.stalled.enter(point);
    std::future::pending().await
}

fn dropped() -> Response<Body> {
    let mut response = Response::new(Body::empty());
    response.extensions_mut().insert(Dropped);
    response
}
