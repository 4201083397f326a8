//! Tests of the rule of `Stream::is_quiet`: when a connection may be used for a new request. The tests use a
//! direct connection and each kind of proxy, with each TLS version.

use std::io::Write;
use std::sync::Mutex;
use std::sync::mpsc::{Receiver, Sender, channel};
use std::time::{Duration, Instant};

use crate::common::reply::{signed, success};
use crate::common::route::{ROUTES, Route, Secure, Service, VERSIONS, accept, handshake, records, write};
use crate::common::server::read_request;
use crate::common::{LONG, ORDER, payment_request};
use merchantpay::{Client, Config};
use rustls::SupportedProtocolVersion;

fn every_route(mut check: impl FnMut(Route, &'static SupportedProtocolVersion, &str)) {
    for route in ROUTES {
        for version in VERSIONS {
            check(route, version, &format!("{route:?}, {version:?}"));
        }
    }
}

/// A client that never retries, and that uses a connection after any idle time.
fn client(config: Config) -> Client {
    Client::new(config.max_retries(0).reuse_idle(LONG).connect_idle(LONG)).unwrap()
}

fn payment(order: &str) -> Vec<u8> {
    // The body is longer than one decryption step, so that a part of the second response is still encrypted
    // after the first response was read.
    let padding = "x".repeat(6000);
    signed(format!(
        r#"{{"success":true,"orderId":"{order}","payeeAccount":"2200000000000001","padding":"{padding}"}}"#
    ))
    .bytes()
}

fn responses(secure: &mut Secure, orders: &[&str]) -> Vec<u8> {
    orders.iter().for_each(|order| secure.conn.writer().write_all(&payment(order)).unwrap());
    records(secure)
}

/// The part of an unrequested response that arrives before the next request.
#[derive(Clone, Copy, Debug)]
enum Unrequested {
    Whole,
    /// The whole response except its last byte.
    Begun,
}

#[test]
fn unrequested_response_answers_no_payment() {
    for unrequested in [Unrequested::Whole, Unrequested::Begun] {
        every_route(|route, version, case| {
            let service = Service::start(route, version, move |number, config, below| {
                let Some(mut secure) = accept(config, below) else { return };
                let mut unread = Vec::new();
                if read_request(&mut secure, &mut unread).is_none() {
                    return;
                }
                if number > 1 {
                    let response = responses(&mut secure, &["order-2"]);
                    let _ = write(&mut secure, &response);
                    return;
                }
                let both = responses(&mut secure, &["order-1", "order-0"]);
                let first = match unrequested {
                    Unrequested::Whole => both.len(),
                    Unrequested::Begun => both.len() - 1,
                };
                let _ = write(&mut secure, &both[..first]);
                if read_request(&mut secure, &mut unread).is_some() {
                    let _ = write(&mut secure, &both[first..]);
                }
            });
            let client = client(service.config());
            let orders = [1, 2].map(|_| {
                let payment = client.new_payment(&payment_request());
                payment
                    .unwrap_or_else(|error| panic!("{case}, {unrequested:?}: {error}"))
                    .order_id()
                    .to_owned()
            });
            assert_eq!(orders, ["order-1", "order-2"], "{case}, {unrequested:?}");
            assert_eq!(service.connections(), 2, "{case}, {unrequested:?}");
        });
    }
}

#[test]
fn connection_closed_by_tls_carries_no_payment() {
    every_route(|route, version, case| {
        let service = Service::start(route, version, |_, config, below| {
            let Some(mut secure) = accept(config, below) else { return };
            while read_request(&mut secure, &mut Vec::new()).is_some() {
                secure.conn.writer().write_all(&success().bytes()).unwrap();
                secure.conn.send_close_notify();
                let end = records(&mut secure);
                let _ = write(&mut secure, &end);
                // The TCP connection stays open until the client disconnects.
            }
        });
        let client = client(service.config());
        client.get_status(ORDER).unwrap_or_else(|error| panic!("{case}: {error}"));
        client.new_payment(&payment_request()).unwrap_or_else(|error| panic!("{case}: {error}"));
        assert_eq!(service.connections(), 2, "{case}");
    });
}

/// The time at which the service writes the session tickets of TLS 1.3.
#[derive(Clone, Copy, Debug)]
enum Tickets {
    Early,
    /// After the connection was opened, but before the payment.
    Late,
    /// Half of the bytes of the records before the payment, and the other half after it.
    Halved,
}

struct Ticketing {
    service: Service,
    go: Sender<()>,
    written: Receiver<()>,
}

impl Ticketing {
    fn start(route: Route, version: &'static SupportedProtocolVersion, tickets: Tickets) -> Ticketing {
        let ((go, may_go), (report, written)) = (channel(), channel());
        let may_go = Mutex::new(may_go);
        let service = Service::start(route, version, move |number, config, below| {
            let Some((mut secure, held)) = handshake(config, below) else { return };
            let first = match tickets {
                Tickets::Halved if number == 1 => held.len() / 2,
                _ => held.len(),
            };
            if number == 1 && !matches!(tickets, Tickets::Early) {
                may_go.lock().unwrap().recv().unwrap();
            }
            let _ = write(&mut secure, &held[..first]);
            let _ = report.send(());
            let mut unread = Vec::new();
            while read_request(&mut secure, &mut unread).is_some() {
                let _ = secure.write_all(&success().bytes());
                let _ = secure.flush();
            }
        });
        Ticketing { service, go, written }
    }
}

#[test]
fn connection_opened_ahead_waits_for_its_tickets() {
    for tickets in [Tickets::Early, Tickets::Late] {
        every_route(|route, version, case| {
            let Ticketing { service, go, written } = Ticketing::start(route, version, tickets);
            let client = client(service.config());
            client.connect().unwrap();
            let _ = go.send(());
            written.recv_timeout(LONG).unwrap_or_else(|error| panic!("{case}, {tickets:?}: {error}"));
            client.new_payment(&payment_request()).unwrap_or_else(|error| panic!("{case}: {error}"));
            client.confirm(ORDER).unwrap();
            assert_eq!(service.connections(), 1, "{case}, {tickets:?}");
        });
    }
}

#[test]
fn connection_outlives_the_connect_timeout() {
    let connect_timeout = Duration::from_secs(1);
    let opened: Vec<_> = ROUTES
        .into_iter()
        .flat_map(|route| VERSIONS.map(|version| (route, version)))
        .map(|(route, version)| {
            let ticketing = Ticketing::start(route, version, Tickets::Late);
            let client = client(ticketing.service.config().connect_timeout(connect_timeout));
            client.connect().unwrap();
            (route, version, ticketing, client)
        })
        .collect();
    let end = Instant::now() + connect_timeout;
    std::thread::sleep(end.saturating_duration_since(Instant::now()));
    for (route, version, ticketing, client) in opened {
        ticketing.go.send(()).unwrap();
        ticketing.written.recv_timeout(LONG).unwrap();
        client.new_payment(&payment_request()).unwrap();
        assert_eq!(ticketing.service.connections(), 1, "{route:?}, {version:?}");
    }
}

/// If only a part of a TLS record has arrived, its content is not known. It may be a response, so no payment
/// uses the connection.
#[test]
fn begun_record_carries_no_payment() {
    for route in ROUTES {
        let Ticketing { service, go, written } =
            Ticketing::start(route, &rustls::version::TLS13, Tickets::Halved);
        let client = client(service.config());
        client.connect().unwrap();
        go.send(()).unwrap();
        written.recv_timeout(LONG).unwrap();
        client.new_payment(&payment_request()).unwrap();
        assert_eq!(service.connections(), 2, "{route:?}");
    }
}
