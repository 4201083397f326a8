//! Tests of the TLS settings of a hardened host: an exclusive CA, pinned keys, and a client certificate.

use std::io::Write;
use std::path::PathBuf;
use std::sync::Arc;
use std::sync::mpsc::channel;

use crate::common::reply::success;
use crate::common::route::{Route, Service};
use crate::common::server::{Server, read_request};
use crate::common::tls::{Authority, TlsServer, authority};
use crate::common::{ORDER, config, every_call, is_own_process, summary};
use base64::prelude::{BASE64_STANDARD, Engine};
use merchantpay::{Client, Code, Config, Error, Outcome};
use rcgen::{CertificateParams, KeyPair, PublicKeyData};
use rustls::server::WebPkiClientVerifier;
use rustls::{RootCertStore, ServerConfig, ServerConnection, StreamOwned};

/// A key, and a certificate for `localhost` that the CA has issued for the key.
struct Certified {
    key: KeyPair,
    certificate: rcgen::Certificate,
    /// The CA's own certificate.
    authority: String,
}

impl Certified {
    fn by(authority: &Authority) -> Certified {
        let key = KeyPair::generate().unwrap();
        let certificate =
            CertificateParams::new(vec!["localhost".to_owned()]).unwrap().signed_by(&key, authority).unwrap();
        Certified { key, certificate, authority: authority.pem() }
    }

    fn pin(&self) -> String {
        pin_of(&self.key)
    }

    fn serve(&self) -> TlsServer {
        TlsServer::serving(self.certificate.der().clone(), &self.key)
    }
}

fn pin_of(key: &KeyPair) -> String {
    use sha2::{Digest, Sha256};
    format!("sha256/{}", BASE64_STANDARD.encode(Sha256::digest(key.subject_public_key_info())))
}

fn at(server: &TlsServer) -> Config {
    config(&server.url("localhost"))
}

fn confirm(config: Config) -> Result<(), Error> {
    Client::new(config).unwrap().confirm(ORDER).map(drop)
}

/// Checks that no request arrived, and that the client made only one attempt.
#[track_caller]
fn assert_refused(config: Config, server: &TlsServer, text: &str) {
    let error = confirm(config).expect_err("the server was trusted");
    assert_eq!(summary(&error), (Code::Transport, Outcome::NotSent, None), "{error}");
    assert!(!error.is_transient() && error.message().contains(text), "{error}");
    assert!(!error.message().contains("CA:FALSE"), "that is another cause: {error}");
    assert!(
        server.connection().is_none() && server.no_more(),
        "no request came through, and there was one attempt"
    );
}

/// Runs in a separate process. For that process the system trusts a CA that the test makes.
#[test]
fn exclusive_ca_replaces_the_systems() {
    let file = PathBuf::from(env!("CARGO_TARGET_TMPDIR")).join("the-systems-store-of-a-hardened-host.pem");
    let name = "connections::hardened::exclusive_ca_replaces_the_systems";
    if !is_own_process(name, &[("SSL_CERT_FILE", file.as_os_str())]) {
        return;
    }
    let (systems, own) = (authority(), authority());
    std::fs::write(&file, systems.pem()).unwrap();
    let (by_system, by_own) = (Certified::by(&systems).serve(), Certified::by(&own).serve());
    for (exclusive, server, trusted) in
        [(false, &by_system, true), (false, &by_own, true), (true, &by_system, false), (true, &by_own, true)]
    {
        let config = at(server).ca_pem(own.pem()).exclusive_ca(exclusive);
        if trusted {
            confirm(config).unwrap();
            assert!(server.connection().is_some());
        } else {
            assert_refused(config, server, "invalid peer certificate");
        }
    }
    std::fs::remove_file(file).unwrap();
}

#[test]
fn server_needs_a_pinned_key_and_a_trusted_certificate() {
    let authority = authority();
    let (service, other) = (Certified::by(&authority), Certified::by(&authority));
    let (server, pin, next) = (service.serve(), service.pin(), other.pin());
    let of_authority = pin_of(authority.key());
    let pinned = |pins: &[&String]| {
        pins.iter().try_fold(at(&server).ca_pem(authority.pem()), |config, pin| config.pin_spki(pin)).unwrap()
    };
    for pins in [&[&pin][..], &[&next, &pin], &[&pin, &next]] {
        for (_, call) in every_call() {
            call(&Client::new(pinned(pins)).unwrap()).unwrap();
            assert!(server.connection().is_some());
        }
    }
    for pins in [&[&next][..], &[&of_authority]] {
        assert_refused(pinned(pins), &server, "not one of the pinned keys");
    }
    let untrusted = at(&server).pin_spki(&pin).unwrap();
    assert_refused(untrusted, &server, "UnknownIssuer");
}

/// The TLS settings of a service that requires a client certificate of this CA.
fn demanding_settings(server: &Certified, clients: &Authority) -> Arc<ServerConfig> {
    let mut roots = RootCertStore::empty();
    roots.add(clients.der().clone()).unwrap();
    let provider = Arc::new(rustls::crypto::ring::default_provider());
    let verifier =
        WebPkiClientVerifier::builder_with_provider(Arc::new(roots), Arc::clone(&provider)).build().unwrap();
    let key = rustls::pki_types::PrivatePkcs8KeyDer::from(server.key.serialize_der()).into();
    let builder =
        ServerConfig::builder_with_provider(provider).with_safe_default_protocol_versions().unwrap();
    let config = builder
        .with_client_cert_verifier(verifier)
        .with_single_cert(vec![server.certificate.der().clone()], key);
    Arc::new(config.unwrap())
}

fn demanding(server: &Certified, clients: &Authority) -> TlsServer {
    TlsServer::with(demanding_settings(server, clients))
}

#[test]
fn client_certificate_is_shown_to_a_service_that_asks() {
    let (authority, clients) = (authority(), crate::common::tls::authority());
    let server = demanding(&Certified::by(&authority), &clients);
    let trusting = || at(&server).ca_pem(authority.pem());
    let own = Certified::by(&clients);
    let (certificate, key) = (own.certificate.pem(), own.key.serialize_pem());
    let folder = tempfile::tempdir_in(env!("CARGO_TARGET_TMPDIR")).unwrap();
    let mut by_files = trusting();
    for (name, pem) in [("client_cert_file", &certificate), ("client_key_file", &key)] {
        let path = folder.path().join(name);
        std::fs::write(&path, pem).unwrap();
        by_files.set(name, path.to_str()).unwrap();
    }
    for config in [trusting().client_certificate(&certificate, &key), by_files] {
        for (path, call) in every_call() {
            call(&Client::new(config.clone()).unwrap()).unwrap_or_else(|error| panic!("{path}: {error}"));
            assert_eq!(server.connection().unwrap().0.operation(), path);
        }
    }
}

#[test]
fn refused_client_certificate_sends_no_request() {
    let (authority, clients) = (authority(), crate::common::tls::authority());
    let server = demanding(&Certified::by(&authority), &clients);
    let trusting = || at(&server).ca_pem(authority.pem()).max_retries(0);
    let foreign = Certified::by(&authority);
    for config in
        [trusting(), trusting().client_certificate(foreign.certificate.pem(), foreign.key.serialize_pem())]
    {
        // With TLS 1.3 the client sends its request before it receives the refusal, so the outcome is not
        // checked.
        let error = confirm(config).expect_err("the client was trusted");
        assert_eq!(error.code(), Code::Transport, "{error}");
        assert!(server.connection().is_none(), "no request was read");
    }
}

#[test]
fn unusable_client_certificate_is_an_invalid_argument() {
    let authority = authority();
    let (own, other) = (Certified::by(&authority), Certified::by(&authority));
    let (certificate, key) = (own.certificate.pem(), own.key.serialize_pem());
    let secret = key.lines().nth(1).unwrap();
    for (what, certificate, key) in [
        ("no certificate", "", key.as_str()),
        ("no key", certificate.as_str(), ""),
        ("the key of another", &certificate, &other.key.serialize_pem()),
        ("the two in each other's place", &key, &certificate),
        ("a key that is cut", &certificate, &key[..key.len() / 2]),
        ("two keys", &certificate, &format!("{key}{}", other.key.serialize_pem())),
        ("text", "text", "text"),
    ] {
        for url in ["https://pay.example", "http://localhost"] {
            let config = config(url).client_certificate(certificate, key);
            assert!(!format!("{config:?}").contains(secret), "{what}");
            let error = Client::new(config).expect_err(what);
            assert_eq!(summary(&error), (Code::InvalidArgument, Outcome::NotSent, None), "{what}: {error}");
            assert!(
                matches!(error.argument(), Some("client_cert_file" | "client_key_file")),
                "{what}: {error}"
            );
            assert!(!error.message().contains(secret), "{what}: {error}");
        }
    }
    let missing = PathBuf::from(env!("CARGO_TARGET_TMPDIR")).join("no-such-file.pem");
    let error = config("https://pay.example").client_certificate_files(&missing, &missing).unwrap_err();
    assert_eq!(summary(&error), (Code::InvalidArgument, Outcome::NotSent, None), "{error}");
    assert_eq!(error.argument(), Some("client_cert_file"), "{error}");
}

/// An https proxy needs no pinned key and never gets the client certificate; the service in the tunnel needs both.
#[test]
fn pins_and_client_certificate_are_not_for_the_proxy() {
    let (of_service, clients) = (Certified::by(&authority()), authority());
    let own = Certified::by(&clients);
    let (settings, (report, operations)) = (demanding_settings(&of_service, &clients), channel());
    let service = Service::start(Route::HttpsProxy, &rustls::version::TLS13, move |_, _, below| {
        let mut secure = StreamOwned::new(ServerConnection::new(Arc::clone(&settings)).unwrap(), below);
        let request = read_request(&mut secure, &mut Vec::new()).unwrap();
        report.send(request.operation().to_owned()).unwrap();
        let _ = secure.write_all(&success().bytes());
    });
    let config = service.config().ca_pem(of_service.authority.clone()).pin_spki(of_service.pin()).unwrap();
    confirm(config.client_certificate(own.certificate.pem(), own.key.serialize_pem())).unwrap();
    assert_eq!(operations.recv().unwrap(), "/confirm");
}

#[test]
fn plain_http_ignores_settings_of_tls() {
    let server = Server::replying(success());
    let own = Certified::by(&authority());
    let config =
        config(&server.url()).ca_pem(authority().pem()).exclusive_ca(true).pin_spki(own.pin()).unwrap();
    confirm(config.client_certificate(own.certificate.pem(), own.key.serialize_pem())).unwrap();
    assert_eq!(server.finish().requests.len(), 1);
}
