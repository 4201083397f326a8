//! The HTTP server of `webhook listen` and of `journal settle --listen`. It reads each request completely,
//! within limits, and answers it. Each connection has its own task, and each step has a deadline, so that a
//! slow sender does not block other senders.

use std::convert::Infallible;
use std::sync::Arc;
use std::time::Duration;

use http_body_util::{BodyExt as _, Full};
use hyper::body::{Bytes, Incoming};
use hyper::header::HeaderMap;
use hyper::{Method, Request, Response, StatusCode, Uri};
use hyper_util::rt::{TokioIo, TokioTimer};
use tokio::net::{TcpListener, TcpStream};
use tokio::sync::{Notify, Semaphore, watch};
use tokio::task::JoinSet;

/// The largest body that is read: larger than any webhook of the contract.
pub(crate) const LARGEST: usize = 1024 * 1024;

/// The number of connections at the same time. Further connections wait until they are accepted.
const MOST_CONNECTIONS: usize = 256;
const MOST_HEADERS: usize = 64;
const LARGEST_HEAD: usize = 32 * 1024;
/// The time limit for the head of a request, and again for its body.
const READ_TIMEOUT: Duration = Duration::from_secs(10);
/// The time limit for sending the whole answer. Without it, a sender that never reads the answer would keep
/// the connection.
const WRITE_TIMEOUT: Duration = Duration::from_secs(10);
/// The server reads this much of a body that is too large, so that the sender can finish and read the answer.
const MOST_DISCARDED: usize = 8 * LARGEST;
/// At the end of the server, running requests have this time to finish.
const SHUTDOWN_TIMEOUT: Duration = Duration::from_secs(2);

/// A complete request.
pub(crate) struct Webhook {
    pub(crate) uri: Uri,
    pub(crate) headers: HeaderMap,
    pub(crate) body: Vec<u8>,
}

/// A request that the server received.
pub(crate) enum Arrival {
    Webhook(Webhook),
    NotPost(Method, Uri, HeaderMap),
    TooLarge,
    TooSlow,
}

/// The answer to a request.
pub(crate) struct Answer {
    pub(crate) status: StatusCode,
    pub(crate) headers: HeaderMap,
    pub(crate) body: Vec<u8>,
}

impl From<StatusCode> for Answer {
    fn from(status: StatusCode) -> Answer {
        Answer { status, headers: HeaderMap::new(), body: Vec::new() }
    }
}

/// The function that answers a request. It runs on a thread that is allowed to block.
pub(crate) type Handler = dyn Fn(Arrival) -> Answer + Send + Sync;

/// Serves until `stop` becomes true. Then it waits for the running requests to finish.
pub(crate) async fn serve(listener: TcpListener, handler: Arc<Handler>, stop: watch::Receiver<bool>) {
    serve_with(listener, handler, stop, WRITE_TIMEOUT).await;
}

async fn serve_with(
    listener: TcpListener,
    handler: Arc<Handler>,
    mut stop: watch::Receiver<bool>,
    write_timeout: Duration,
) {
    let permits = Arc::new(Semaphore::new(MOST_CONNECTIONS));
    let mut connections = JoinSet::new();
    let stopped = stop.clone();
    let accepting = async {
        loop {
            while connections.try_join_next().is_some() {}
            let Ok(permit) = Arc::clone(&permits).acquire_owned().await else { return };
            match listener.accept().await {
                Ok((stream, _)) => {
                    let handler = Arc::clone(&handler);
                    let connection = serve_connection(stream, handler, stopped.clone(), write_timeout);
                    connections.spawn(async move {
                        connection.await;
                        drop(permit);
                    });
                }
                // Most likely no file descriptor is free. A short pause lets some connections end.
                Err(_) => tokio::time::sleep(Duration::from_millis(20)).await,
            }
        }
    };
    tokio::select! {
        () = accepting => {}
        _ = stop.wait_for(|stop| *stop) => {}
    }
    while connections.join_next().await.is_some() {}
}

async fn serve_connection(
    stream: TcpStream,
    handler: Arc<Handler>,
    mut stop: watch::Receiver<bool>,
    write_timeout: Duration,
) {
    let _ = stream.set_nodelay(true);
    let answered = Notify::new();
    let service = hyper::service::service_fn(|request| async {
        let answer = answer(request, Arc::clone(&handler)).await;
        answered.notify_one();
        answer
    });
    let unread = async {
        answered.notified().await;
        tokio::time::sleep(write_timeout).await;
    };
    let connection = hyper::server::conn::http1::Builder::new()
        .timer(TokioTimer::new())
        .header_read_timeout(READ_TIMEOUT)
        .max_headers(MOST_HEADERS)
        .max_buf_size(LARGEST_HEAD)
        .keep_alive(false)
        .serve_connection(TokioIo::new(stream), service);
    tokio::pin!(connection);
    // In the first two cases the connection has ended, so nothing is left to do.
    tokio::select! {
        _ = connection.as_mut() => return,
        () = unread => return,
        _ = stop.wait_for(|stop| *stop) => {}
    }
    connection.as_mut().graceful_shutdown();
    let _ = tokio::time::timeout(SHUTDOWN_TIMEOUT, connection).await;
}

async fn answer(
    request: Request<Incoming>,
    handler: Arc<Handler>,
) -> Result<Response<Full<Bytes>>, Infallible> {
    let arrival = arrival(request).await;
    let answer = tokio::task::spawn_blocking(move || handler(arrival))
        .await
        .unwrap_or(StatusCode::INTERNAL_SERVER_ERROR.into());
    let mut response = Response::new(Full::from(answer.body));
    *response.status_mut() = answer.status;
    response.headers_mut().extend(answer.headers);
    Ok(response)
}

async fn arrival(request: Request<Incoming>) -> Arrival {
    let (head, mut body) = request.into_parts();
    if head.method != Method::POST {
        return Arrival::NotPost(head.method, head.uri, head.headers);
    }
    let (mut bytes, mut size) = (Vec::new(), 0usize);
    let reading = async {
        while let Some(frame) = body.frame().await {
            let Ok(data) = frame.map_err(drop)?.into_data() else { continue };
            size = size.saturating_add(data.len());
            if size <= LARGEST {
                bytes.extend_from_slice(&data);
            } else if size > MOST_DISCARDED {
                break;
            }
        }
        Ok::<(), ()>(())
    };
    match tokio::time::timeout(READ_TIMEOUT, reading).await {
        _ if size > LARGEST => Arrival::TooLarge,
        Ok(Ok(())) => Arrival::Webhook(Webhook { uri: head.uri, headers: head.headers, body: bytes }),
        // A broken connection cannot be distinguished from a slow sender: the rest of the request did not arrive.
        Ok(Err(())) | Err(_) => Arrival::TooSlow,
    }
}

#[cfg(test)]
mod tests {
    use std::io::{Read as _, Write as _};

    use tokio::net::TcpSocket;

    use super::*;

    /// A sender that has sent a request and has not read the answer yet.
    fn asked(address: std::net::SocketAddr) -> std::net::TcpStream {
        let mut stream = std::net::TcpStream::connect(address).unwrap();
        stream.write_all(b"POST / HTTP/1.1\r\nHost: shop\r\nContent-Length: 2\r\n\r\n{}").unwrap();
        stream
    }

    #[test]
    fn senders_that_never_read_their_answers_do_not_keep_others_out() {
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
        let large = |_| Answer { body: vec![b'x'; LARGEST], ..StatusCode::OK.into() };
        let serving = serve_with(listener, Arc::new(large), stopped, Duration::from_millis(500));
        let server = std::thread::spawn(move || runtime.block_on(serving));
        let silent: Vec<_> = (0..MOST_CONNECTIONS).map(|_| asked(address)).collect();
        // The beginning of the answer shows that the server accepted the connection.
        let (mut reader, mut begin) = (asked(address), [0; 15]);
        reader.set_read_timeout(Some(Duration::from_secs(60))).unwrap();
        reader.read_exact(&mut begin).unwrap();
        assert_eq!(&begin, b"HTTP/1.1 200 OK");
        stop.send_replace(true);
        server.join().unwrap();
        drop(silent);
    }
}
