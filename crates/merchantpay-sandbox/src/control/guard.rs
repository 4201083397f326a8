//! Refuses requests from pages of other sites: a browser on the developer's machine can reach the sandbox on
//! behalf of any page.

use std::sync::Arc;

use axum::body::Body;
use axum::extract::{Request, State};
use axum::http::{HeaderMap, Method, Response, header};
use axum::middleware::Next;
use axum::response::IntoResponse as _;

use super::refusal::Refusal;
use crate::app::AppState;
use crate::base::body::read_up_to;
use crate::base::own_hosts::{OwnHosts, Peer, once};

/// Refuses clients on other machines. The control API and the console have no login.
pub(crate) async fn this_machine_only(request: Request, next: Next) -> Response<Body> {
    let peer = request.extensions().get::<Peer>();
    if peer.is_some_and(|peer| peer.is_this_machine()) {
        return next.run(request).await;
    }
    let _ = read_up_to(request.into_body(), 0).await;
    Refusal::forbidden(
        "the console and the control API answer only clients on the sandbox's own machine, by its loopback \
         address: `merchantpay sandbox --allow-remote` opens them to the network",
    )
    .into_response()
}

/// The largest body.
const LARGEST: usize = 64 * 1024;

/// Passes a request on, or refuses it.
pub(crate) async fn check(State(app): State<Arc<AppState>>, request: Request, next: Next) -> Response<Body> {
    let (head, body) = request.into_parts();
    let refusal = refusal(&app.own_hosts, &head.method, &head.headers);
    // The body is always read to its end. If the connection closed earlier, the sender would not read the
    // refusal.
    let body = read_up_to(body, LARGEST).await;
    match (refusal, body) {
        (Some(refusal), _) => refusal.into_response(),
        (None, Ok(Some(body))) => next.run(Request::from_parts(head, Body::from(body))).await,
        (None, Ok(None)) => Refusal::invalid("the body is too large").into_response(),
        (None, Err(_)) => Refusal::invalid("the body cannot be read").into_response(),
    }
}

fn refusal(own_hosts: &OwnHosts, method: &Method, headers: &HeaderMap) -> Option<Refusal> {
    if let Some(why) = own_hosts.refusal(headers) {
        return Some(Refusal::forbidden(why));
    }
    // A form of another site can post to every server without permission, but it cannot post JSON.
    let is_json = || {
        let content_type = once(headers, header::CONTENT_TYPE.as_str()).ok().flatten().unwrap_or_default();
        content_type
            .split(';')
            .next()
            .is_some_and(|kind| kind.trim().eq_ignore_ascii_case("application/json"))
    };
    (method == Method::POST && !is_json()).then(Refusal::content_type)
}
