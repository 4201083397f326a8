//! The merchant's signed API: verifies a request, passes it to its endpoint, and signs the reply.

mod endpoints;
mod receipt_form;

use std::sync::Arc;
use std::time::Instant;

use axum::body::{Body, Bytes};
use axum::extract::{Request, State};
use axum::http::request::Parts;
use axum::http::{HeaderMap, Method, Response};
use merchantpay::{BASE_PATH, OPERATIONS};

use crate::app::AppState;
use crate::base::assumptions;
use crate::base::body::read_up_to;
use crate::base::clock::Millis;
use crate::base::own_hosts::Peer;
use crate::faults::connection::Socket;
use crate::model::exchange::{
    CapturedBody, CapturedReply, Endpoint, Exchange, SignatureCheck, captured_headers,
};
use crate::model::fault::Fault;
use crate::model::payment::Pace;
use crate::model::view;
use crate::replies::outgoing::OutgoingReply;
use crate::replies::unsigned::Reply;

/// The number of characters that are kept of an unknown path.
const LONGEST_PATH: usize = 200;

/// A body; `None` if it is too large.
type ReadBody = Result<Option<Bytes>, axum::Error>;

/// Marks a response that is never sent: its connection closes instead.
#[derive(Clone)]
pub(crate) struct Dropped;

/// Serves a request to an endpoint, or to an unknown path.
pub(crate) async fn serve(State(app): State<Arc<AppState>>, request: Request) -> Response<Body> {
    let (at, started) = (app.service.clock.now(), Instant::now());
    let (mut head, body) = request.into_parts();
    if let Some(why) = app.own_hosts.refusal(&head.headers) {
        // Drain the body, so that the client sees this refusal and not a reset.
        let _ = read_up_to(body, 0).await;
        return app.signer.sign(Reply::refusal(assumptions::FORBIDDEN, why)).into_response();
    }
    let path = head.uri.path().strip_prefix(BASE_PATH).unwrap_or_default();
    let operation = OPERATIONS.iter().find(|known| known.path == path).map(|known| known.name);
    let read = read_up_to(body, assumptions::LARGEST_REQUEST).await;
    let (operation, body) = match (operation, read) {
        (Some(operation), Ok(Some(body))) if head.method == Method::POST => (operation, body),
        (operation, read) => {
            let refusal = refusal(&head, operation, &read);
            let reply = app.signer.sign(refusal);
            if is_a_call(&head) {
                let exchange = refused_exchange(&app, at, started, head, operation, read, &reply);
                app.exchanges.add(exchange, &app.service.events);
            }
            return reply.into_response();
        }
    };
    let (Some(socket), Some(peer)) =
        (head.extensions.remove::<Socket>(), head.extensions.get::<Peer>().copied())
    else {
        return dropped();
    };
    let origin = Origin::Merchant { socket, peer };
    let request = OperationRequest { operation, headers: head.headers, body, origin };
    let handled = exchange(&app, request).await;
    match handled.reply {
        Some(reply) if handled.fault == Some(Fault::StallMidReply.name()) => {
            reply.into_half_response(&app.stalled)
        }
        Some(reply) => reply.into_response(),
        None => dropped(),
    }
}

/// The reply to a request that is refused before an operation handles it.
fn refusal(head: &Parts, operation: Option<&str>, read: &ReadBody) -> Reply {
    match (operation, read) {
        (None, _) => Reply::refusal(assumptions::NOT_FOUND, &assumptions::no_endpoint_text(head.uri.path())),
        (Some(_), _) if head.method != Method::POST => {
            Reply::refusal(assumptions::METHOD_NOT_ALLOWED, assumptions::ONLY_POST_TEXT)
        }
        (Some(_), Ok(_)) => Reply::refusal(assumptions::TOO_LARGE, assumptions::TOO_LARGE_TEXT),
        (Some(_), Err(_)) => Reply::refusal(assumptions::BAD_REQUEST, assumptions::UNREADABLE_TEXT),
    }
}

/// Returns `true` if a request is meant for the service. A browser's request for an icon is not.
fn is_a_call(head: &Parts) -> bool {
    head.method == Method::POST
        || head.uri.path().starts_with("/api/")
        || ["x-signature", "x-keyid"].iter().any(|name| head.headers.contains_key(*name))
}

fn refused_exchange(
    app: &AppState,
    at: Millis,
    started: Instant,
    head: Parts,
    operation: Option<&'static str>,
    read: ReadBody,
    reply: &OutgoingReply,
) -> Exchange {
    let (body, signature) = match read {
        Ok(Some(body)) => {
            let check = app.merchant().verify(&head.headers, &body);
            (
                CapturedBody::new(&body),
                check.map_or_else(SignatureCheck::Refused, |()| SignatureCheck::Verified),
            )
        }
        Ok(None) => {
            let size = assumptions::LARGEST_REQUEST + 1;
            (CapturedBody { bytes: Bytes::new(), size }, SignatureCheck::NotMade)
        }
        Err(_) => (CapturedBody::new(&Bytes::new()), SignatureCheck::NotMade),
    };
    let other = || Endpoint::Other(head.uri.path().chars().take(LONGEST_PATH).collect());
    Exchange {
        id: 0,
        at,
        duration: started.elapsed(),
        method: head.method,
        endpoint: operation.map_or_else(other, Endpoint::Operation),
        headers: captured_headers(&head.headers),
        body,
        played: false,
        signature,
        reply: Some(captured(reply)),
        fault: None,
    }
}

fn captured(reply: &OutgoingReply) -> CapturedReply {
    CapturedReply {
        status: reply.status,
        headers: reply.headers.clone(),
        body: CapturedBody::new(&reply.body),
    }
}

/// A request to one operation.
pub(crate) struct OperationRequest {
    pub(crate) operation: &'static str,
    pub(crate) headers: HeaderMap,
    pub(crate) body: Bytes,
    pub(crate) origin: Origin,
}

/// The sender of a request.
pub(crate) enum Origin {
    /// The request came over this connection.
    Merchant { socket: Socket, peer: Peer },
    /// The sandbox acts as the merchant. Only the given fault can happen. No signature is required, because
    /// the sandbox may not have the merchant's private key.
    Sandbox(Option<Fault>),
}

/// Acts as the merchant: handles a request that the sandbox itself made. `None` if the reply is lost.
pub(crate) async fn play(app: &AppState, request: OperationRequest) -> Option<OutgoingReply> {
    exchange(app, request).await.reply
}

/// Handles one request of an operation, and logs it with its reply.
async fn exchange(app: &AppState, request: OperationRequest) -> Handled {
    let (at, started) = (app.service.clock.now(), Instant::now());
    let handled = handle(app, &request).await;
    let exchange = Exchange {
        id: 0,
        at,
        duration: started.elapsed(),
        method: Method::POST,
        endpoint: Endpoint::Operation(request.operation),
        headers: captured_headers(&request.headers),
        body: CapturedBody::new(&request.body),
        played: matches!(request.origin, Origin::Sandbox(_)),
        signature: handled.signature.clone(),
        reply: handled.reply.as_ref().map(captured),
        fault: handled.fault,
    };
    app.exchanges.add(exchange, &app.service.events);
    handled
}

struct Handled {
    /// `None` if the connection closes without a reply.
    reply: Option<OutgoingReply>,
    signature: SignatureCheck,
    fault: Option<&'static str>,
}

async fn handle(app: &AppState, request: &OperationRequest) -> Handled {
    let OperationRequest { operation, headers, body, origin } = request;
    // The signature is checked first: bytes without the merchant's signature are not parsed, and no fault
    // happens to them.
    let (pace, fault) = match origin {
        Origin::Sandbox(fault) => (Ok(Pace::Immediate), fault.clone()),
        Origin::Merchant { .. } => {
            let pace = app.merchant().verify(headers, body).map(|()| Pace::Configured);
            let fault = pace.is_ok().then(|| app.faults.take(operation)).flatten();
            (pace, fault)
        }
    };
    let name = fault.as_ref().map(Fault::name);
    if fault.is_some() {
        app.service.events.publish("faults", || view::faults(&app.faults.all(), &app.stalled.all()));
    }
    if let Origin::Merchant { socket, .. } = origin {
        if let Some(point @ Fault::StallUnread) = &fault {
            socket.reset_at_end();
            stall(app, point).await
        }
        app.request_counts.add(operation);
    }
    let signature = match &pace {
        Ok(_) => SignatureCheck::Verified,
        Err(refused) => SignatureCheck::Refused(refused.clone()),
    };
    match &fault {
        Some(Fault::DropBeforeCommit) => return Handled { reply: None, signature, fault: name },
        Some(Fault::Latency(latency)) => tokio::time::sleep(*latency).await,
        Some(point @ Fault::StallBeforeCommit) => stall(app, point).await,
        _ => {}
    }
    let reply = match pace {
        Ok(pace) => {
            let peer = match origin {
                Origin::Merchant { peer, .. } => Some(*peer),
                Origin::Sandbox(_) => None,
            };
            endpoints::handle(&app.service, operation, headers, body.clone(), pace, peer).await
        }
        Err(refused) => {
            let text = assumptions::signature_text(refused.explanation.as_ref());
            Reply::refusal(assumptions::UNAUTHORIZED, &text)
        }
    };
    if let Some(point @ Fault::StallAfterCommit) = &fault {
        stall(app, point).await;
    }
    let reply = match fault {
        Some(fault) => app.signer.sign_with_fault(fault, headers, reply),
        None => Some(app.signer.sign(reply)),
    };
    Handled { reply, signature, fault: name }
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
