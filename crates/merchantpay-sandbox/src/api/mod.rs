//! The merchant's signed API: verifies a request, passes it to its endpoint, and signs the reply.

mod endpoints;
pub(crate) mod reply;

use std::sync::Arc;
use std::time::{Duration, Instant};

use axum::body::{Body, Bytes};
use axum::extract::{Request, State};
use axum::http::request::Parts;
use axum::http::{HeaderMap, Method, Response};
use merchantpay::{BASE_PATH, OPERATIONS};

use crate::api::reply::{Outgoing, Reply};
use crate::app::AppState;
use crate::base::clock::Millis;
use crate::base::own_hosts::Peer;
use crate::base::{assumptions, read_up_to};
use crate::model::exchange::{Captured, Exchange, ExchangeSummary, Explanation, Message, order_id_in};
use crate::model::fault::{Fault, PlannedFault};
use crate::model::payment::Pace;
use crate::model::state::By;

/// The number of characters that are kept of an unknown path.
const LONGEST_PATH: usize = 200;

/// Marks a response that is never sent: its connection closes instead.
#[derive(Clone)]
pub(crate) struct Dropped;

/// `Ok` for a verified signature, otherwise the cause of the refusal.
type Verified = Result<(), Option<Explanation>>;

/// Serves a request to an endpoint, or to an unknown path.
pub(crate) async fn serve(State(app): State<Arc<AppState>>, request: Request) -> Response<Body> {
    let began = (app.service.clock.now(), Instant::now());
    let (head, body) = request.into_parts();
    if let Some(why) = app.own_hosts.refusal(&head.headers) {
        // Drain the body, so that the client sees this refusal and not a reset.
        let _ = read_up_to(body, 0).await;
        return app.keys.sign(Reply::refusal(assumptions::FORBIDDEN, why)).into_response();
    }
    let path = head.uri.path().strip_prefix(BASE_PATH).unwrap_or_default();
    let operation = OPERATIONS.iter().find(|known| known.path == path).map(|known| known.name);
    let read = read_up_to(body, assumptions::LARGEST_REQUEST).await;
    let reply = match (operation, read) {
        (Some(operation), Ok(Some(body))) if head.method == Method::POST => {
            let Some(peer) = head.extensions.get::<Peer>().copied() else { return dropped() };
            let origin = Origin::Merchant(peer);
            exchange(&app, OperationRequest { operation, headers: head.headers, body, origin }).await
        }
        (operation, read) => Some(refuse(&app, began, head, operation, read)),
    };
    reply.map_or_else(dropped, Outgoing::into_response)
}

/// Refuses a request that no operation handles, and logs it.
fn refuse(
    app: &AppState,
    began: (Millis, Instant),
    head: Parts,
    operation: Option<&'static str>,
    read: Result<Option<Bytes>, axum::Error>,
) -> Outgoing {
    let (status, text) = match (operation, &read) {
        (None, _) => (assumptions::NOT_FOUND, assumptions::no_endpoint_text(head.uri.path())),
        _ if head.method != Method::POST => {
            (assumptions::METHOD_NOT_ALLOWED, assumptions::ONLY_POST_TEXT.to_owned())
        }
        (_, Ok(_)) => (assumptions::TOO_LARGE, assumptions::TOO_LARGE_TEXT.to_owned()),
        (_, Err(_)) => (assumptions::BAD_REQUEST, assumptions::UNREADABLE_TEXT.to_owned()),
    };
    let reply = app.keys.sign(Reply::refusal(status, &text));
    // A browser that asks for an icon means no call.
    let is_call = head.method == Method::POST
        || head.uri.path().starts_with("/api/")
        || ["x-signature", "x-keyid"].iter().any(|name| head.headers.contains_key(*name));
    if is_call {
        let (body, verified) = match read {
            Ok(Some(body)) => (Captured::new(&body), Some(app.merchant().verify(&head.headers, &body))),
            Ok(None) => (Captured { size: assumptions::LARGEST_REQUEST + 1, ..Captured::default() }, None),
            Err(_) => (Captured::default(), None),
        };
        let path = head.uri.path().chars().take(LONGEST_PATH).collect();
        let request = Message {
            method: Some(head.method.to_string()),
            path: Some(path),
            ..Message::new(&head.headers, body)
        };
        log(app, began, operation, By::Merchant, request, (verified, None, None), Some(&reply));
    }
    reply
}

/// Logs an exchange. `outcome` is the check of the signature, the fault, and the order of a success.
fn log(
    app: &AppState,
    (at, started): (Millis, Instant),
    operation: Option<&'static str>,
    by: By,
    request: Message,
    (verified, fault, order_id): (Option<Verified>, Option<Fault>, Option<String>),
    reply: Option<&Outgoing>,
) {
    let is_verified = verified.as_ref().map(Result::is_ok);
    let explanation = verified.and_then(Result::err).flatten();
    let summary = ExchangeSummary {
        id: 0,
        at,
        duration_ms: u64::try_from(started.elapsed().as_millis()).unwrap_or(u64::MAX),
        method: request.method.clone().unwrap_or_default(),
        path: request.path.clone().unwrap_or_default(),
        operation,
        by,
        order_id: order_id.or_else(|| order_id_in(&request.body.bytes)),
        order_exists: None,
        verified: is_verified,
        cause: explanation.as_ref().map(|explanation| explanation.cause),
        http_status: reply.map(|reply| reply.status),
        fault,
    };
    let reply = reply.map(Outgoing::captured);
    app.exchanges.add(Exchange { summary, explanation, request, reply }, &app.service.events);
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
    Merchant(Peer),
    /// The sandbox acts as the merchant. Only the given fault can happen. No signature is required, because
    /// the sandbox may not have the merchant's private key.
    Sandbox(Option<Fault>),
}

/// Handles one request of an operation, and logs it with its reply. `None` if the connection closes without
/// one.
pub(crate) async fn exchange(app: &AppState, request: OperationRequest) -> Option<Outgoing> {
    let began = (app.service.clock.now(), Instant::now());
    let OperationRequest { operation, headers, body, origin } = request;
    // The signature is checked first: bytes without the merchant's signature are not parsed, and no fault
    // happens to them.
    let (by, peer, verified, fault) = match origin {
        Origin::Sandbox(fault) => (By::Sandbox, None, Ok(()), fault.map(PlannedFault::from)),
        Origin::Merchant(peer) => {
            let verified = app.merchant().verify(&headers, &body);
            let fault = verified.is_ok().then(|| app.faults.take(operation)).flatten();
            app.count_request(operation);
            (By::Merchant, Some(peer), verified, fault)
        }
    };
    let kind = fault.as_ref().map(|fault| fault.kind);
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
    let reply = match &verified {
        _ if kind == Some(Fault::DropBeforeCommit) => None,
        Ok(()) => {
            let pace = if by == By::Sandbox { Pace::Immediate } else { Pace::Configured };
            Some(endpoints::handle(&app.service, operation, &headers, body.clone(), pace, peer).await)
        }
        Err(explanation) => {
            let explanation = explanation.as_ref().map(|one| (one.cause, one.hint.as_str()));
            let text = assumptions::signature_text(explanation);
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
    let path = OPERATIONS.iter().find(|known| known.name == operation).map(|known| known.path);
    let message = Message {
        method: Some(Method::POST.to_string()),
        path: Some(format!("{BASE_PATH}{}", path.unwrap_or_default())),
        ..Message::new(&headers, Captured::new(&body))
    };
    log(app, began, Some(operation), by, message, (Some(verified), kind, order_id), reply.as_ref());
    reply
}

fn dropped() -> Response<Body> {
    let mut response = Response::new(Body::empty());
    response.extensions_mut().insert(Dropped);
    response
}
