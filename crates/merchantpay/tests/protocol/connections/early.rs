//! Tests of a server that answers a long request before it has read it whole, as nginx does with 413. The client
//! must still read the refusal.

use std::io::{Read, Write};
use std::net::TcpListener;

use crate::common::reply::{Reply, bare, refusal};
use crate::common::route::{ROUTES, Service};
use crate::common::{ORDER, config, summary};
use merchantpay::{Client, Code, Config, Outcome, Receipt};
use merchantpay_services::head;
use rustls::{ServerConnection, StreamOwned};

/// The length of the request. It is more than the buffers of two sockets, so the request is written
/// completely only if the service reads.
const LENGTH: usize = 24 * 1024 * 1024;

/// The service's behaviour after its answer.
#[derive(Clone, Copy, Debug)]
enum Then {
    /// Closes the connection, although bytes of the request are unread.
    Close,
    /// Reads the rest of the request.
    Read,
}

fn answer(mut stream: impl Read + Write, reply: &[u8], then: Then) {
    head(&mut stream).unwrap();
    stream.write_all(reply).unwrap();
    stream.flush().unwrap();
    if let Then::Read = then {
        let _ = std::io::copy(&mut stream, &mut std::io::sink());
    }
}

fn receipt() -> Receipt {
    let mut receipt = Receipt::new(ORDER);
    receipt.add_bytes("scan.pdf", "application/pdf", &b"%PDF".repeat(LENGTH / 4)).unwrap();
    receipt
}

/// Sends the receipt without TLS, and over TLS on each route. Returns the results.
fn outcomes(reply: Option<&Reply>, then: Then) -> Vec<(String, merchantpay::Error)> {
    let receipt = receipt();
    let reply = reply.map(Reply::bytes).unwrap_or_default();
    let refused =
        |config: Config| Client::new(config).unwrap().attach_receipt(&receipt).expect_err("it was refused");
    let listener = TcpListener::bind(("127.0.0.1", 0)).unwrap();
    let plain = config(&format!("http://{}", listener.local_addr().unwrap()));
    let response = reply.clone();
    let server = std::thread::spawn(move || {
        let (stream, _) = listener.accept().unwrap();
        // Without this option, TCP may delay the answer until an acknowledgement arrives. The answer would
        // then be lost when the connection is closed.
        stream.set_nodelay(true).unwrap();
        answer(stream, &response, then);
    });
    let mut outcomes = vec![(format!("http, then {then:?}"), refused(plain))];
    server.join().unwrap();
    for route in ROUTES {
        let response = reply.clone();
        let service = Service::start(route, &rustls::version::TLS13, move |_, tls, below| {
            answer(StreamOwned::new(ServerConnection::new(tls).unwrap(), below), &response, then);
        });
        outcomes.push((format!("{route:?}, then {then:?}"), refused(service.config())));
    }
    outcomes
}

#[test]
fn answer_before_the_whole_request_is_read() {
    let signed = |status| refusal("too large").status(status);
    for (reply, code, outcome, status) in [
        (Some(signed(413)), Code::Rejected, Outcome::Rejected, Some(413)),
        (Some(signed(401)), Code::Rejected, Outcome::Rejected, Some(401)),
        (Some(bare(413, "text/html", "<h1>Too large</h1>")), Code::Unverified, Outcome::Unknown, Some(413)),
        (None, Code::Transport, Outcome::Unknown, None),
    ] {
        for then in [Then::Close, Then::Read] {
            if reply.is_none() && matches!(then, Then::Read) {
                continue;
            }
            for (what, error) in outcomes(reply.as_ref(), then) {
                assert_eq!(summary(&error), (code, outcome, status), "{what}: {error}");
            }
        }
    }
}
