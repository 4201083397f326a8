//! TLS in front of plain services, by certificates of an authority that only the tests trust.

use std::io::{self, Read, Write};
use std::net::{Shutdown, TcpListener, TcpStream};
use std::sync::{Arc, Mutex};
use std::thread;

use rcgen::{BasicConstraints, CertificateParams, CertifiedIssuer, IsCa, KeyPair};
use rustls::crypto::ring;
use rustls::pki_types::{PrivateKeyDer, PrivatePkcs8KeyDer};
use rustls::{ServerConfig, ServerConnection};

/// The largest content of a TLS record.
const RECORD: usize = 16 * 1024;

/// An authority, and what it has certified: this machine.
pub struct Authority {
    pem: String,
    settings: Arc<ServerConfig>,
}

impl Authority {
    pub fn new() -> Authority {
        let mut params = CertificateParams::new(Vec::new()).expect("no names");
        params.is_ca = IsCa::Ca(BasicConstraints::Unconstrained);
        let issuer = CertifiedIssuer::self_signed(params, KeyPair::generate().expect("a key")).expect("an authority");
        let key = KeyPair::generate().expect("a key");
        let params = CertificateParams::new(["localhost", "127.0.0.1"].map(str::to_owned)).expect("two names");
        let certificate = params.signed_by(&key, &issuer).expect("a certificate");
        let key = PrivateKeyDer::from(PrivatePkcs8KeyDer::from(key.serialize_der()));
        let builder = ServerConfig::builder_with_provider(Arc::new(ring::default_provider())).with_safe_default_protocol_versions();
        let builder = builder.expect("versions of TLS").with_no_client_auth();
        let settings = builder.with_single_cert(vec![certificate.der().clone()], key).expect("settings");
        Authority { pem: issuer.pem(), settings: Arc::new(settings) }
    }

    /// Its certificate, as PEM.
    pub fn pem(&self) -> &str {
        &self.pem
    }

    /// The https URL of the service that has this http URL.
    pub fn front(&self, url: &str) -> String {
        let (host, port) = url.strip_prefix("http://").and_then(|rest| rest.split_once(':')).expect("http://host:port");
        let service: (String, u16) = (host.to_owned(), port.parse().expect("a port"));
        let listener = TcpListener::bind(("127.0.0.1", 0)).expect("a port");
        let address = listener.local_addr().expect("an address");
        let settings = Arc::clone(&self.settings);
        thread::spawn(move || {
            for client in listener.incoming().flatten() {
                let (settings, service) = (Arc::clone(&settings), service.clone());
                // A connection that ends badly is what some of the services are for.
                thread::spawn(move || carry(&client, &TcpStream::connect(service)?, settings));
            }
        });
        format!("https://{host}:{}", address.port())
    }
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

fn to_service(tls: &Mutex<ServerConnection>, mut client: &TcpStream, mut service: &TcpStream) -> io::Result<()> {
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
