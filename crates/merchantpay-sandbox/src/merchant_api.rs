//! The HTTP side: what reaches the merchant's endpoints is verified, what leaves them is signed.

use std::convert::Infallible;
use std::net::IpAddr;
use std::sync::Arc;
use std::sync::atomic::{AtomicU64, Ordering};
use std::time::Instant;

use axum::Router;
use axum::body::{Body, Bytes};
use axum::extract::{Request, State};
use axum::http::{HeaderMap, Method, Response, StatusCode, header};
use http_body_util::BodyExt as _;
use hyper_util::rt::TokioIo;
use merchantpay::{BASE_PATH, OPERATIONS, PrivateKey};
use tokio::net::TcpListener;

use crate::assumptions;
use crate::console;
use crate::control;
use crate::exchange::{CapturedBody, CapturedReply, Exchange};
use crate::exchange_log::ExchangeLog;
use crate::fault::Fault;
use crate::fault_queue::FaultQueue;
use crate::json::{Value, object};
use crate::merchant::Merchant;
use crate::reply::Reply;
use crate::service::Service;
use crate::stall::{HalfBody, StallableStream, StalledRequests};
use crate::view;

/// Everything that a request passes on its way to the service and back.
pub(crate) struct AppState {
    pub(crate) service: Arc<Service>,
    pub(crate) merchant: Merchant,
    pub(crate) key_id: String,
    pub(crate) key: PrivateKey,
    /// A key that is not the service's, for signatures that must not verify.
    pub(crate) wrong_key: PrivateKey,
    pub(crate) faults: FaultQueue,
    pub(crate) stalled: StalledRequests,
    pub(crate) requests: Requests,
    pub(crate) exchanges: ExchangeLog,
    /// Where the sandbox listens: whom the control API answers.
    pub(crate) listens_on: IpAddr,
}

/// How many requests reached each operation, in the order of [`OPERATIONS`].
#[derive(Default)]
pub(crate) struct Requests([AtomicU64; OPERATIONS.len()]);

impl Requests {
    fn add(&self, operation: &str) {
        if let Some(counter) = self.counter(operation) {
            counter.fetch_add(1, Ordering::Relaxed);
        }
    }

    pub(crate) fn of(&self, operation: &str) -> u64 {
        self.counter(operation).map_or(0, |counter| counter.load(Ordering::Relaxed))
    }

    fn counter(&self, operation: &str) -> Option<&AtomicU64> {
        OPERATIONS.iter().position(|known| known.name == operation).and_then(|index| self.0.get(index))
    }
}

/// Marks a response that is never sent: its connection closes instead.
#[derive(Clone)]
struct Dropped;

/// Serves until it is cancelled. Each connection has a task of its own.
pub(crate) async fn serve(listener: TcpListener, app: Arc<AppState>) {
    let control = control::routes(&app).with_state(Arc::clone(&app));
    let console = console::router(control.clone(), app.listens_on);
    let router = Router::new().fallback(merchant).with_state(Arc::clone(&app)).merge(console).merge(control);
    loop {
        let Ok((stream, _)) = listener.accept().await else {
            // Out of descriptors, most likely: let some connections end.
            tokio::time::sleep(std::time::Duration::from_millis(20)).await;
            continue;
        };
        let _ = stream.set_nodelay(true);
        let (router, app) = (router.clone(), Arc::clone(&app));
        tokio::spawn(async move {
            let stream = StallableStream::new(stream, app);
            let service = hyper::service::service_fn(move |request| answer(router.clone(), request));
            // A client that goes away is its own affair.
            let _ = hyper::server::conn::http1::Builder::new().serve_connection(TokioIo::new(stream), service).await;
        });
    }
}

/// Answers a request, or fails to: hyper then closes the connection without a byte.
async fn answer(mut router: Router, request: hyper::Request<hyper::body::Incoming>) -> Result<Response<Body>, std::io::Error> {
    use tower_service::Service as _;

    let response: Result<Response<Body>, Infallible> = router.call(request.map(Body::new)).await;
    match response {
        Ok(response) if response.extensions().get::<Dropped>().is_none() => Ok(response),
        _ => Err(std::io::Error::other("dropped on demand")),
    }
}

/// The whole body, or `None` if it is too large: it is then read to its end all the same, up to a point, because a sender
/// that is cut off in the middle would not get to read the refusal.
pub(crate) async fn read(mut body: Body, largest: usize) -> Result<Option<Bytes>, axum::Error> {
    let (mut bytes, mut size) = (Vec::new(), 0usize);
    while let Some(frame) = body.frame().await {
        let Ok(chunk) = frame?.into_data() else { continue };
        size = size.saturating_add(chunk.len());
        if size <= largest {
            bytes.extend_from_slice(&chunk);
        } else if size > assumptions::MOST_DISCARDED {
            break;
        } else {
            bytes = Vec::new();
        }
    }
    Ok((size <= largest).then(|| bytes.into()))
}

/// A request to one of the merchant's endpoints, or to nothing.
async fn merchant(State(app): State<Arc<AppState>>, request: Request) -> Response<Body> {
    let (head, body) = request.into_parts();
    let path = head.uri.path().strip_prefix(BASE_PATH).unwrap_or_default();
    let Some(operation) = OPERATIONS.iter().find(|known| known.path == path).map(|known| known.name) else {
        return app.sign(Reply::refusal(assumptions::NOT_FOUND, assumptions::NO_ENDPOINT_TEXT));
    };
    if head.method != Method::POST {
        return app.sign(Reply::refusal(assumptions::METHOD_NOT_ALLOWED, assumptions::ONLY_POST_TEXT));
    }
    let body = match read(body, assumptions::LARGEST_REQUEST).await {
        Ok(Some(body)) => body,
        Ok(None) => return app.sign(Reply::refusal(assumptions::TOO_LARGE, assumptions::TOO_LARGE_TEXT)),
        Err(_) => return app.sign(Reply::refusal(assumptions::BAD_REQUEST, assumptions::UNREADABLE_TEXT)),
    };
    app.requests.add(operation);
    let (at, started) = (app.service.clock.now(), Instant::now());
    let answered = app.answer(operation, &head.headers, body.clone()).await;
    let exchange = Exchange {
        id: 0,
        at,
        duration: started.elapsed(),
        operation,
        headers: head.headers,
        body: CapturedBody::new(&body),
        verified: answered.verified,
        reply: answered.reply.clone().map(|reply| CapturedReply {
            status: reply.status,
            headers: reply.headers,
            body: CapturedBody::new(&reply.body),
        }),
        fault: answered.fault,
    };
    app.exchanges.add(exchange, &app.service.events);
    match answered.reply {
        Some(reply) if answered.fault == Some(Fault::StallMidReply.name()) => reply.half(&app.stalled),
        Some(reply) => reply.into_response(),
        None => dropped(),
    }
}

/// What becomes of a request: no reply where the connection is to close.
struct Answered {
    reply: Option<Outgoing>,
    verified: bool,
    fault: Option<&'static str>,
}

/// A reply as it leaves.
#[derive(Clone)]
struct Outgoing {
    status: u16,
    headers: HeaderMap,
    body: Bytes,
}

impl Outgoing {
    fn into_response(self) -> Response<Body> {
        let mut response = Response::new(Body::from(self.body));
        *response.status_mut() = StatusCode::from_u16(self.status).unwrap_or(StatusCode::INTERNAL_SERVER_ERROR);
        *response.headers_mut() = self.headers;
        response
    }
}

impl Outgoing {
    /// All of the head, which promises the whole body, and half of the body.
    fn half(mut self, stalled: &StalledRequests) -> Response<Body> {
        self.headers.insert(header::CONTENT_LENGTH, self.body.len().into());
        let half = self.body.split_to(self.body.len() / 2);
        let stall = stalled.enter(&Fault::StallMidReply);
        self.into_response().map(|_| HalfBody::body(half, stall))
    }
}

impl AppState {
    async fn answer(&self, operation: &str, headers: &HeaderMap, body: Bytes) -> Answered {
        let fault = self.faults.take(operation);
        let name = fault.as_ref().map(Fault::name);
        if fault.is_some() {
            self.service.events.publish("faults", || view::faults(self));
        }
        // Before anything is read: bytes that the merchant has not signed mean nothing.
        let verified = self.merchant.has_signed(headers, &body);
        match &fault {
            Some(Fault::DropBeforeCommit) => return Answered { reply: None, verified, fault: name },
            Some(Fault::Latency(latency)) => tokio::time::sleep(*latency).await,
            Some(point @ Fault::StallBeforeCommit) => self.stall(point).await,
            _ => {}
        }
        let reply = if verified {
            self.service.answer(operation, headers, body).await
        } else {
            Reply::refusal(assumptions::UNAUTHORIZED, assumptions::SIGNATURE_TEXT)
        };
        if let Some(point @ Fault::StallAfterCommit) = &fault {
            self.stall(point).await;
        }
        let reply = match fault {
            Some(fault) => self.with_fault(fault, headers, reply),
            None => Some(self.signed(reply)),
        };
        Answered { reply, verified, fault: name }
    }

    /// Stands still for as long as there is somebody who waits.
    async fn stall(&self, point: &Fault) {
        let _standing = self.stalled.enter(point);
        std::future::pending().await
    }

    fn sign(&self, reply: Reply) -> Response<Body> {
        self.signed(reply).into_response()
    }

    fn signed(&self, reply: Reply) -> Outgoing {
        let signature = self.key.sign(reply.body.as_bytes()).to_base64();
        outgoing(reply.status, Some((&self.key_id, &signature)), reply.body)
    }

    fn with_fault(&self, fault: Fault, request: &HeaderMap, reply: Reply) -> Option<Outgoing> {
        let signature = self.key.sign(reply.body.as_bytes()).to_base64();
        let signed = Some((self.key_id.as_str(), signature.as_str()));
        let header = |name: &str| request.get(name).and_then(|value| value.to_str().ok()).unwrap_or_default();
        Some(match fault {
            Fault::Unsigned => outgoing(reply.status, None, reply.body),
            Fault::MalformedSignature => outgoing(reply.status, Some((&self.key_id, "not-a-signature")), reply.body),
            Fault::WrongKey => {
                let forged = self.wrong_key.sign(reply.body.as_bytes()).to_base64();
                outgoing(reply.status, Some((&self.key_id, &forged)), reply.body)
            }
            Fault::Tampered => {
                // One more blank: the same JSON, but not the bytes that were signed.
                outgoing(reply.status, signed, format!("{} ", reply.body))
            }
            Fault::Reflected => outgoing(reply.status, Some((header("x-keyid"), header("x-signature"))), reply.body),
            Fault::HtmlBadGateway => {
                let page = "<html><head><title>502 Bad Gateway</title></head><body>nginx</body></html>";
                let mut response = outgoing(502, None, page.to_owned());
                response.headers.insert(header::CONTENT_TYPE, header::HeaderValue::from_static("text/html"));
                response
            }
            Fault::WrongOrder => {
                self.signed(Reply { status: 200, body: object(&[("success", Value::Flag(true)), ("orderId", Value::text("sb-another"))]) })
            }
            Fault::DuplicateKeys => {
                let body = reply.body.replacen('{', "{\"success\":true,", 1);
                self.signed(Reply { status: reply.status, body })
            }
            Fault::Redirect => {
                let mut response = self.signed(Reply { status: 307, body: reply.body });
                response.headers.insert(header::LOCATION, header::HeaderValue::from_static("/elsewhere"));
                response
            }
            Fault::Oversized(size) => {
                let body = format!("{}{}", reply.body, " ".repeat(size.saturating_sub(reply.body.len())));
                self.signed(Reply { status: reply.status, body })
            }
            Fault::DropBeforeCommit | Fault::DropAfterCommit => return None,
            Fault::Latency(_) | Fault::StallUnread | Fault::StallBeforeCommit | Fault::StallAfterCommit | Fault::StallMidReply => {
                self.signed(reply)
            }
        })
    }
}

fn dropped() -> Response<Body> {
    let mut response = Response::new(Body::empty());
    response.extensions_mut().insert(Dropped);
    response
}

fn outgoing(status: u16, signed: Option<(&str, &str)>, body: String) -> Outgoing {
    let mut headers = HeaderMap::with_capacity(3);
    headers.insert(header::CONTENT_TYPE, header::HeaderValue::from_static("application/json"));
    for (name, value) in signed.into_iter().flat_map(|(key_id, signature)| [("x-keyid", key_id), ("x-signature", signature)]) {
        // A key id that no header can carry is left out, and the merchant will refuse what comes.
        if let Ok(value) = header::HeaderValue::from_str(value) {
            headers.insert(name, value);
        }
    }
    Outgoing { status, headers, body: Bytes::from(body) }
}
