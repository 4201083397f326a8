//! Tests of the servers that TLS trusts. Nothing of a request is written to any other server.

use std::io::{Read, Write};
use std::net::TcpListener;
use std::path::PathBuf;
use std::sync::Arc;
use std::sync::atomic::{AtomicUsize, Ordering};

use crate::common::reply::success;
use crate::common::server::read_request;
use crate::common::tls::{TlsServer, authority, certified};
use crate::common::{ORDER, config, every_call, is_own_process, summary};
use merchantpay::{Client, Code, Config, Error, Outcome};
use rcgen::{BasicConstraints, CertificateParams, IsCa, KeyPair};
use rustls::{AlertDescription, HandshakeKind, ServerConnection, StreamOwned};
use tempfile::tempdir_in;

/// Makes a call with these settings. Checks that the call fails at the first attempt, and that no request
/// arrives.
#[track_caller]
fn assert_not_sent(config: Config, server: &TlsServer, call: impl Fn(&Client) -> Result<(), Error>) {
    let attempts = Arc::new(AtomicUsize::new(0));
    let count = Arc::clone(&attempts);
    let observed = config.observer(move |_| {
        count.fetch_add(1, Ordering::Relaxed);
    });
    let client = Client::new(observed).unwrap();
    let error = call(&client).expect_err("the server was trusted");
    assert_eq!(summary(&error), (Code::Transport, Outcome::NotSent, None), "{error}");
    assert!(server.connection().is_none(), "no request came through");
    assert_eq!(attempts.load(Ordering::Relaxed), 1, "a certificate that is not trusted is not tried again");
}

fn confirm(client: &Client) -> Result<(), Error> {
    client.confirm(ORDER).map(drop)
}

#[test]
fn untrusted_certificate_gets_no_request() {
    let (own, other) = (authority(), authority());
    for (_, call) in every_call() {
        let server = TlsServer::start(&own, "localhost", false);
        assert_not_sent(config(&server.url("localhost")), &server, call);
        assert_not_sent(config(&server.url("localhost")).ca_pem(other.pem()), &server, call);
    }
    for (certified, host, expired) in [
        ("pay.example", "localhost", false),
        ("localhost", "127.0.0.1", false),
        ("127.0.0.1", "localhost", false),
        ("localhost", "localhost", true),
    ] {
        let server = TlsServer::start(&own, certified, expired);
        assert_not_sent(config(&server.url(host)).ca_pem(own.pem()), &server, confirm);
    }
    // The CA of one client is not the next one's.
    let server = TlsServer::start(&own, "localhost", false);
    confirm(&Client::new(config(&server.url("localhost")).ca_pem(own.pem())).unwrap()).unwrap();
    assert!(server.connection().is_some());
    assert_not_sent(config(&server.url("localhost")), &server, confirm);
}

#[test]
fn report_shows_the_certificate_and_its_fault() {
    use merchantpay::{CertificateFault as Fault, ConnectionStep};

    let (own, other) = (authority(), authority());
    for (name, expired, trusted, fault) in [
        ("localhost", false, &own, None),
        ("localhost", true, &own, Some(Fault::Expired)),
        ("pay.example", false, &own, Some(Fault::OtherName)),
        ("localhost", false, &other, Some(Fault::UnknownIssuer)),
    ] {
        let server = TlsServer::start(&own, name, expired);
        let client = Client::new(config(&server.url("localhost")).ca_pem(trusted.pem())).unwrap();
        for _ in 0..2 {
            let report = client.report_connection().unwrap();
            assert_eq!((report.host.as_str(), report.port), ("localhost", server.address.port()));
            assert!(report.addresses.contains(&server.address) && !report.is_proxy, "{report:?}");
            let tls = report.tls.unwrap();
            assert_eq!(tls.version, fault.is_none().then_some("TLS 1.3"));
            assert!(!tls.certificate.is_empty());
            assert!(server.connection().is_none(), "no request is sent");
            let failure = report.failure.map(|failure| (failure.step, failure.certificate));
            assert_eq!(failure, fault.map(|fault| (ConnectionStep::Tls, Some(fault))));
        }
        assert_eq!(confirm(&client).is_ok(), fault.is_none(), "a call goes the same way");
    }
    let nobody = Client::new(config("http://127.0.0.1:1")).unwrap().report_connection().unwrap();
    assert_eq!(nobody.failure.unwrap().step, ConnectionStep::Connect);
}

#[test]
fn new_connection_resumes_the_session() {
    let authority = authority();
    let server = TlsServer::start(&authority, "localhost", false);
    let client = Client::new(config(&server.url("localhost")).ca_pem(authority.pem())).unwrap();
    let handshakes: Vec<HandshakeKind> = (0..3)
        .map(|_| {
            confirm(&client).unwrap();
            server.connection().unwrap().1
        })
        .collect();
    assert_eq!(handshakes, [HandshakeKind::Full, HandshakeKind::Resumed, HandshakeKind::Resumed]);
}

#[test]
fn set_ca_is_trusted() {
    let (authority, other) = (authority(), authority());
    let folder = tempdir_in(env!("CARGO_TARGET_TMPDIR")).unwrap();
    let file = folder.path().join("authority.pem");
    std::fs::write(&file, format!("{}\n{}", other.pem(), authority.pem())).unwrap();
    for (path, call) in every_call() {
        for host in ["localhost", "127.0.0.1"] {
            let server = TlsServer::start(&authority, host, false);
            let by_pem = config(&server.url(host)).ca_pem(other.pem()).ca_pem(authority.pem());
            let by_file = config(&server.url(host)).ca_file(&file).unwrap();
            for config in [by_pem, by_file] {
                call(&Client::new(config).unwrap()).unwrap_or_else(|error| panic!("{path}, {host}: {error}"));
                let request = server.connection().unwrap();
                assert_eq!((request.0.operation(), request.0.method.as_str()), (path, "POST"));
                assert!(server.no_more());
            }
        }
    }
}

#[test]
fn early_reply_does_not_replace_the_request() {
    let authority = authority();
    let mut config = Arc::unwrap_or_clone(certified(&authority, "pay.example", false));
    config.send_half_rtt_data = true;
    let listener = TcpListener::bind(("127.0.0.1", 0)).unwrap();
    let proxy = format!("http://{}", listener.local_addr().unwrap());
    // This thread acts as the proxy and as the service at the end of the tunnel.
    let service = std::thread::spawn(move || {
        let (mut stream, _) = listener.accept().unwrap();
        assert_eq!(read_request(&mut stream, &mut Vec::new()).unwrap().method, "CONNECT");
        stream.write_all(b"HTTP/1.1 200 Connection established\r\n\r\n").unwrap();
        let mut stream = StreamOwned::new(ServerConnection::new(Arc::new(config)).unwrap(), stream);
        while !stream.conn.wants_write() {
            stream.conn.read_tls(&mut stream.sock).unwrap();
            stream.conn.process_new_packets().unwrap();
        }
        // The reply is sent together with the last bytes of the handshake.
        stream.conn.writer().write_all(&success().bytes()).unwrap();
        let mut flight = Vec::new();
        while stream.conn.wants_write() {
            stream.conn.write_tls(&mut flight).unwrap();
        }
        stream.sock.write_all(&flight).unwrap();
        read_request(&mut stream, &mut Vec::new()).map(|request| request.method)
    });
    let config = crate::common::config("https://pay.example").ca_pem(authority.pem()).proxy(proxy);
    confirm(&Client::new(config).unwrap()).unwrap();
    assert_eq!(service.join().unwrap().as_deref(), Some("POST"));
}

#[test]
fn port_without_tls_is_named() {
    let listener = TcpListener::bind(("127.0.0.1", 0)).unwrap();
    let url = format!("https://localhost:{}", listener.local_addr().unwrap().port());
    let speaker = std::thread::spawn(move || {
        let (mut stream, _) = listener.accept().unwrap();
        stream.write_all(b"HTTP/1.1 400 Bad Request\r\n\r\n").unwrap();
    });
    let error = Client::new(config(&url).max_retries(0)).unwrap().confirm(ORDER).unwrap_err();
    assert_eq!(summary(&error), (Code::Transport, Outcome::NotSent, None), "{error}");
    assert!(error.message().contains("does not speak TLS") && !error.is_transient(), "{error}");
    speaker.join().unwrap();
    let untrusted = TlsServer::start(&authority(), "localhost", false);
    let error = Client::new(config(&untrusted.url("localhost"))).unwrap().confirm(ORDER).unwrap_err();
    assert!(error.message().contains("ca_file"), "{error}");
}

#[test]
fn ca_that_is_the_servers_certificate_is_named() {
    let mut params = CertificateParams::new(vec!["localhost".to_owned()]).unwrap();
    params.is_ca = IsCa::Ca(BasicConstraints::Unconstrained);
    let key = KeyPair::generate().unwrap();
    let certificate = params.self_signed(&key).unwrap();
    let server = TlsServer::serving(certificate.der().clone(), &key);
    let client = Client::new(config(&server.url("localhost")).ca_pem(certificate.pem())).unwrap();
    let error = client.confirm(ORDER).unwrap_err();
    assert_eq!(summary(&error), (Code::Transport, Outcome::NotSent, None), "{error}");
    assert!(error.message().contains("CA:FALSE"), "{error}");
}

/// Runs in a separate process. The environment of that process names the file of the system's store.
#[test]
fn systems_store_is_read_once_a_process() {
    let file = PathBuf::from(env!("CARGO_TARGET_TMPDIR")).join("the-systems-store.pem");
    let name = "connections::tls::systems_store_is_read_once_a_process";
    if !is_own_process(name, &[("SSL_CERT_FILE", file.as_os_str())]) {
        return;
    }
    // A test that failed may have left the file.
    let _ = std::fs::remove_file(&file);
    let (one, other) = (authority(), authority());
    let (of_one, of_other) =
        (TlsServer::start(&one, "localhost", false), TlsServer::start(&other, "localhost", false));
    let at = |server: &TlsServer| config(&server.url("localhost"));
    let missing = Client::new(at(&of_one)).expect_err("there is no store");
    assert_eq!(summary(&missing), (Code::InvalidArgument, Outcome::NotSent, None), "{missing}");
    confirm(&Client::new(at(&of_one).ca_pem(one.pem())).unwrap()).unwrap();
    assert!(of_one.connection().is_some());
    for store in [&one, &other] {
        std::fs::write(&file, store.pem()).unwrap();
        confirm(&Client::new(at(&of_one)).unwrap()).unwrap();
        assert!(of_one.connection().is_some());
        assert_not_sent(at(&of_other), &of_other, confirm);
    }
    std::fs::remove_file(&file).unwrap();
}

/// A server whose first handshakes end with this alert.
fn alerting(alert: AlertDescription, times: usize) -> (Config, Arc<AtomicUsize>) {
    let authority = authority();
    let tls = certified(&authority, "localhost", false);
    let connections = Arc::new(AtomicUsize::new(0));
    let count = Arc::clone(&connections);
    let address = merchantpay_services::serve(move |mut stream| {
        if count.fetch_add(1, Ordering::SeqCst) < times {
            // The first bytes of ClientHello, so that closing does not discard the alert.
            let _ = stream.read(&mut [0; 4096]);
            return drop(stream.write_all(&[21, 3, 3, 0, 2, 2, alert.into()]));
        }
        let mut stream = StreamOwned::new(ServerConnection::new(Arc::clone(&tls)).unwrap(), stream);
        if read_request(&mut stream, &mut Vec::new()).is_some() {
            let _ = stream.write_all(&success().bytes());
        }
    });
    let config = config(&format!("https://localhost:{}", address.port()));
    (config.ca_pem(authority.pem()), connections)
}

#[test]
fn alert_about_certificates_or_settings_is_permanent() {
    use AlertDescription::*;
    for alert in [InternalError, BadRecordMac, UserCanceled, DecodeError] {
        let (config, connections) = alerting(alert, 2);
        confirm(&Client::new(config).unwrap()).unwrap_or_else(|error| panic!("{alert:?}: {error}"));
        assert_eq!(connections.load(Ordering::SeqCst), 3, "{alert:?}");
    }
    for alert in
        [HandshakeFailure, BadCertificate, UnknownCA, AccessDenied, ProtocolVersion, CertificateRequired]
    {
        let (config, connections) = alerting(alert, 9);
        let error = confirm(&Client::new(config).unwrap()).unwrap_err();
        assert_eq!(summary(&error), (Code::Transport, Outcome::NotSent, None), "{alert:?}: {error}");
        assert!(!error.is_transient(), "{alert:?}: {error}");
        assert_eq!(connections.load(Ordering::SeqCst), 1, "{alert:?}");
    }
}

/// `client/roots.rs` has the forms of a bundle.
#[test]
fn invalid_ca_is_an_invalid_argument() {
    let folder = tempdir_in(env!("CARGO_TARGET_TMPDIR")).unwrap();
    let file = folder.path().join("no-ca.pem");
    let (key, whole) = (KeyPair::generate().unwrap().serialize_pem(), authority());
    for text in [b"not PEM".as_slice(), b"", whole.der(), key.as_bytes()] {
        std::fs::write(&file, text).unwrap();
        for url in ["https://pay.example", "http://localhost"] {
            let error = config(url).ca_file(&file).and_then(Client::new).unwrap_err();
            assert_eq!(summary(&error), (Code::InvalidArgument, Outcome::NotSent, None), "{error}");
        }
    }
    for path in [folder.path().join("missing.pem"), folder.path().to_owned()] {
        let error = config("https://pay.example").ca_file(path).unwrap_err();
        assert_eq!(summary(&error), (Code::InvalidArgument, Outcome::NotSent, None), "{error}");
    }
}
