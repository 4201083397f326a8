//! The HTTP server of the operator's page and of receivers: axum's router with tower-http's limits on a request, over
//! hyper, because axum's own server does not limit connections.

use std::sync::Arc;
use std::time::Duration;

use axum::Router;
use axum::body::Bytes;
use axum::extract::Request;
use axum::http::header::CONNECTION;
use axum::http::{HeaderMap, HeaderValue, Method, StatusCode, Uri};
use axum::middleware::map_request;
use axum::response::{IntoResponse as _, Response};
use hyper::server::conn::http1;
use hyper_util::rt::TokioIo;
use hyper_util::service::TowerToHyperService;
use merchantpay_sandbox::pages::{MOST_CONNECTIONS, each_connection, read_up_to, with_targets_host};
use tokio::net::TcpListener;
use tokio::runtime::{Builder, Runtime};
use tokio::sync::{Semaphore, watch};
use tokio::time::timeout;
use tower_http::limit::RequestBodyLimitLayer;
use tower_http::set_header::SetResponseHeaderLayer;
use tower_http::timeout::RequestBodyDeadlineLayer;

/// The largest body in bytes: larger than any webhook of the contract.
pub(crate) const LARGEST: usize = 1024 * 1024;
/// A body up to this size is read to its end, so that its sender can read the refusal and gets no reset.
const MOST_DISCARDED: usize = 8 * LARGEST;
const BODY_DEADLINE: Duration = Duration::from_secs(10);
/// The deadline of a connection and so of its only request: to send it, to have it forwarded (30 s), and to read
/// the answer. It ends senders that stop in the middle of a head, and those that never read.
const CONNECTION_DEADLINE: Duration = Duration::from_secs(45);
const SHUTDOWN: Duration = Duration::from_secs(2);

/// At most this many handlers block at once.
pub(crate) fn runtime(handlers: usize) -> std::io::Result<Runtime> {
    Builder::new_current_thread().enable_io().enable_time().max_blocking_threads(handlers).build()
}

pub(crate) struct Webhook {
    pub(crate) uri: Uri,
    pub(crate) headers: HeaderMap,
    pub(crate) body: Bytes,
}

pub(crate) enum Arrival {
    Webhook(Webhook),
    NotPost(Method),
    TooLarge,
    TooSlow,
}

/// Runs on a thread that may block.
pub(crate) type Handler = dyn Fn(Arrival) -> Response + Send + Sync;

/// Gives every request to `handler`, whatever its path is, until `stop` becomes true.
pub(crate) async fn receive(listener: TcpListener, handler: Arc<Handler>, stop: watch::Receiver<bool>) {
    let answer = move |request: Request| {
        let handler = Arc::clone(&handler);
        async move {
            let arrival = arrival(request).await;
            let answered = tokio::task::spawn_blocking(move || handler(arrival)).await;
            answered.unwrap_or_else(|_| StatusCode::INTERNAL_SERVER_ERROR.into_response())
        }
    };
    serve(listener, Router::new().fallback(answer), stop, CONNECTION_DEADLINE).await;
}

async fn arrival(request: Request) -> Arrival {
    let (head, body) = request.into_parts();
    if head.method != Method::POST {
        return Arrival::NotPost(head.method);
    }
    match read_up_to(body, LARGEST).await {
        Ok(Some(body)) => Arrival::Webhook(Webhook { uri: head.uri, headers: head.headers, body }),
        Ok(None) => Arrival::TooLarge,
        // A broken connection looks like a slow sender: the rest did not come.
        Err(_) => Arrival::TooSlow,
    }
}

/// When `stop` becomes true, waits [`SHUTDOWN`] for the running requests.
pub(crate) async fn serve(
    listener: TcpListener,
    app: Router,
    mut stop: watch::Receiver<bool>,
    connection_deadline: Duration,
) {
    let app = app
        .layer(RequestBodyDeadlineLayer::new(BODY_DEADLINE))
        .layer(RequestBodyLimitLayer::new(MOST_DISCARDED))
        // One request a connection, so that the connection's deadline is the request's.
        .layer(SetResponseHeaderLayer::overriding(CONNECTION, HeaderValue::from_static("close")))
        .layer(map_request(async |request: Request| with_targets_host(request)));
    let permits = Arc::new(Semaphore::new(MOST_CONNECTIONS));
    let accepting = each_connection(listener, Arc::clone(&permits), |stream, _| {
        let service = TowerToHyperService::new(app.clone());
        let connection = http1::Builder::new().serve_connection(TokioIo::new(stream), service);
        async move { drop(timeout(connection_deadline, connection).await) }
    });
    tokio::select! {
        () = accepting => {}
        _ = stop.wait_for(|stop| *stop) => {}
    }
    // All permits are free once the last connection has ended.
    let _ = timeout(SHUTDOWN, permits.acquire_many(MOST_CONNECTIONS as u32)).await;
}

#[cfg(test)]
mod tests {
    use std::io::{Read as _, Write as _};
    use std::net::SocketAddr;

    use tokio::net::TcpSocket;

    use super::*;

    fn asked(address: SocketAddr) -> std::net::TcpStream {
        let mut stream = std::net::TcpStream::connect(address).unwrap();
        stream.write_all(b"POST / HTTP/1.1\r\nHost: shop\r\nContent-Length: 2\r\n\r\n{}").unwrap();
        stream
    }

    #[test]
    fn silent_readers_do_not_block_others() {
        let runtime = tokio::runtime::Builder::new_current_thread().enable_all().build().unwrap();
        let listener = runtime.block_on(async {
            let socket = TcpSocket::new_v4().unwrap();
            // Accepted connections inherit this size, so the sender must read most of an answer before the
            // server can write the rest.
            socket.set_send_buffer_size(4096).unwrap();
            socket.bind("127.0.0.1:0".parse().unwrap()).unwrap();
            socket.listen(1024).unwrap()
        });
        let address = listener.local_addr().unwrap();
        let (stop, stopped) = watch::channel(false);
        let large = Router::new().fallback(async || vec![b'x'; LARGEST]);
        let serving = serve(listener, large, stopped, Duration::from_millis(500));
        let server = std::thread::spawn(move || runtime.block_on(serving));
        let silent: Vec<_> = (0..MOST_CONNECTIONS).map(|_| asked(address)).collect();
        // On a busy machine the deadline may pass before the server comes to a request.
        let is_answered = |_| {
            let (mut reader, mut begin) = (asked(address), [0; 15]);
            reader.set_read_timeout(Some(Duration::from_secs(60))).unwrap();
            reader.read_exact(&mut begin).is_ok_and(|()| &begin == b"HTTP/1.1 200 OK")
        };
        assert!((0..20).any(is_answered));
        stop.send_replace(true);
        server.join().unwrap();
        drop(silent);
    }
}
