//! TLS in front of plain services, with certificates of a CA that only the tests trust.

use std::io::{self, Read, Write};
use std::net::{Shutdown, TcpListener, TcpStream};
use std::sync::{Arc, Mutex};
use std::thread;

use base64::Engine;
use base64::prelude::BASE64_STANDARD;
use rcgen::{
    BasicConstraints, Certificate, CertificateParams, CertifiedIssuer, IsCa, KeyPair, PublicKeyData,
};
use rustls::crypto::ring;
use rustls::pki_types::{PrivateKeyDer, PrivatePkcs8KeyDer};
use rustls::server::WebPkiClientVerifier;
use rustls::{RootCertStore, ServerConfig, ServerConnection};
use sha2::{Digest, Sha256};

/// The largest content of a TLS record.
const RECORD: usize = 16 * 1024;

/// A CA, and its certificate for this machine.
pub struct Authority {
    pem: String,
    pin: String,
    client: (String, String),
    settings: Arc<ServerConfig>,
    mutual: Arc<ServerConfig>,
}

impl Authority {
    pub fn new() -> Authority {
        let (services, merchants) = (issuer(), issuer());
        let (certificate, key) = certified(&services, &["localhost", "127.0.0.1"]);
        let (client, client_key) = certified(&merchants, &[]);
        let mut trusted = RootCertStore::empty();
        trusted.add(merchants.der().clone()).expect("an authority");
        let provider = Arc::new(ring::default_provider());
        let merchants =
            WebPkiClientVerifier::builder_with_provider(Arc::new(trusted), Arc::clone(&provider)).build();
        let settings = |verifier| {
            let builder = ServerConfig::builder_with_provider(Arc::clone(&provider))
                .with_safe_default_protocol_versions();
            let builder = builder.expect("versions of TLS").with_client_cert_verifier(verifier);
            let key = PrivateKeyDer::from(PrivatePkcs8KeyDer::from(key.serialize_der()));
            Arc::new(builder.with_single_cert(vec![certificate.der().clone()], key).expect("settings"))
        };
        Authority {
            pem: services.pem(),
            pin: format!("sha256/{}", BASE64_STANDARD.encode(Sha256::digest(key.subject_public_key_info()))),
            client: (client.pem(), client_key.serialize_pem()),
            settings: settings(WebPkiClientVerifier::no_client_auth()),
            mutual: settings(merchants.expect("a verifier")),
        }
    }

    /// The CA's certificate, as PEM.
    pub fn pem(&self) -> &str {
        &self.pem
    }

    /// The pin of the services' key.
    pub fn pin(&self) -> &str {
        &self.pin
    }

    /// A merchant's certificate from another CA, and its key, as PEM.
    pub fn client(&self) -> (&str, &str) {
        (&self.client.0, &self.client.1)
    }

    /// The https URL of the service that has this http URL.
    pub fn front(&self, url: &str) -> String {
        front(url, &self.settings)
    }

    /// Like [`front`](Self::front), with required client certificates.
    pub fn mutual_front(&self, url: &str) -> String {
        front(url, &self.mutual)
    }
}

fn issuer() -> CertifiedIssuer<'static, KeyPair> {
    let mut params = CertificateParams::new(Vec::new()).expect("no names");
    params.is_ca = IsCa::Ca(BasicConstraints::Unconstrained);
    CertifiedIssuer::self_signed(params, KeyPair::generate().expect("a key")).expect("an authority")
}

fn certified(issuer: &CertifiedIssuer<'_, KeyPair>, names: &[&str]) -> (Certificate, KeyPair) {
    let key = KeyPair::generate().expect("a key");
    let params = CertificateParams::new(names.iter().map(|name| (*name).to_owned()).collect::<Vec<_>>())
        .expect("names");
    (params.signed_by(&key, issuer).expect("a certificate"), key)
}

fn front(url: &str, settings: &Arc<ServerConfig>) -> String {
    let (host, port) =
        url.strip_prefix("http://").and_then(|rest| rest.split_once(':')).expect("http://host:port");
    let service: (String, u16) = (host.to_owned(), port.parse().expect("a port"));
    let listener = TcpListener::bind(("127.0.0.1", 0)).expect("a port");
    let address = listener.local_addr().expect("an address");
    let settings = Arc::clone(settings);
    thread::spawn(move || {
        for client in listener.incoming().flatten() {
            let (settings, service) = (Arc::clone(&settings), service.clone());
            // Some services end their connections badly on purpose.
            thread::spawn(move || carry(&client, &TcpStream::connect(service)?, settings));
        }
    });
    format!("https://{host}:{}", address.port())
}

/// Carries one connection both ways until either side ends it.
fn carry(client: &TcpStream, service: &TcpStream, settings: Arc<ServerConfig>) -> io::Result<()> {
    let tls = Mutex::new(ServerConnection::new(settings).map_err(io::Error::other)?);
    let close = |_| [client, service].into_iter().try_for_each(|stream| stream.shutdown(Shutdown::Both));
    thread::scope(|scope| {
        scope.spawn(|| to_client(&tls, client, service).or_else(close));
        to_service(&tls, client, service).or_else(close)
    })
}

fn to_service(
    tls: &Mutex<ServerConnection>,
    mut client: &TcpStream,
    mut service: &TcpStream,
) -> io::Result<()> {
    let mut bytes = [0; RECORD];
    loop {
        let count = client.read(&mut bytes)?;
        if count == 0 {
            return service.shutdown(Shutdown::Write);
        }
        let mut content = Vec::new();
        {
            let mut tls = tls.lock().expect("the other direction did not panic");
            let mut received = &bytes[..count];
            while !received.is_empty() {
                tls.read_tls(&mut received)?;
                let state = tls.process_new_packets().map_err(io::Error::other)?;
                let had = content.len();
                content.resize(had + state.plaintext_bytes_to_read(), 0);
                tls.reader().read_exact(&mut content[had..])?;
            }
            flush(&mut tls, client)?;
        }
        service.write_all(&content)?;
    }
}

fn to_client(tls: &Mutex<ServerConnection>, client: &TcpStream, mut service: &TcpStream) -> io::Result<()> {
    let mut bytes = [0; RECORD];
    loop {
        let count = service.read(&mut bytes)?;
        let mut tls = tls.lock().expect("the other direction did not panic");
        if count == 0 {
            tls.send_close_notify();
            flush(&mut tls, client)?;
            return client.shutdown(Shutdown::Write);
        }
        tls.writer().write_all(&bytes[..count])?;
        flush(&mut tls, client)?;
    }
}

fn flush(tls: &mut ServerConnection, mut client: &TcpStream) -> io::Result<()> {
    while tls.wants_write() {
        tls.write_tls(&mut client)?;
    }
    Ok(())
}
