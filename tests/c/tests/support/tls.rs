//! TLS in front of plain services, with certificates of a CA that only the tests trust.

use std::io::{self, Read, Write};
use std::net::{TcpListener, TcpStream};
use std::sync::Arc;
use std::thread;

use rcgen::{BasicConstraints, CertificateParams, CertifiedIssuer, IsCa, KeyPair};
use rustls::crypto::ring;
use rustls::pki_types::{PrivateKeyDer, PrivatePkcs8KeyDer};
use rustls::{ServerConfig, ServerConnection, StreamOwned};

/// A CA, and its certificate for this machine.
pub struct Authority {
    pub pem: String,
    settings: Arc<ServerConfig>,
}

impl Authority {
    pub fn new() -> Authority {
        let mut params = CertificateParams::new(Vec::new()).expect("no names");
        params.is_ca = IsCa::Ca(BasicConstraints::Unconstrained);
        let authority =
            CertifiedIssuer::self_signed(params, KeyPair::generate().expect("a key")).expect("an authority");
        let key = KeyPair::generate().expect("a key");
        let names = ["localhost", "127.0.0.1"].map(str::to_owned).to_vec();
        let certificate =
            CertificateParams::new(names).expect("names").signed_by(&key, &authority).expect("a certificate");
        let builder = ServerConfig::builder_with_provider(Arc::new(ring::default_provider()))
            .with_safe_default_protocol_versions()
            .expect("versions of TLS")
            .with_no_client_auth();
        let key = PrivateKeyDer::from(PrivatePkcs8KeyDer::from(key.serialize_der()));
        let settings = builder.with_single_cert(vec![certificate.der().clone()], key).expect("settings");
        Authority { pem: authority.pem(), settings: Arc::new(settings) }
    }

    /// The https URL of the service that has this http URL.
    pub fn front(&self, url: &str) -> String {
        front(url, &self.settings)
    }
}

fn front(url: &str, settings: &Arc<ServerConfig>) -> String {
    let service = url.strip_prefix("http://").expect("http://host:port").to_owned();
    let listener = TcpListener::bind(("127.0.0.1", 0)).expect("a port");
    let address = listener.local_addr().expect("an address");
    let settings = Arc::clone(settings);
    thread::spawn(move || {
        for client in listener.incoming().flatten() {
            let (settings, service) = (Arc::clone(&settings), service.clone());
            // Some services end their connections badly on purpose.
            thread::spawn(move || carry(client, &service, settings));
        }
    });
    format!("https://127.0.0.1:{}", address.port())
}

/// Carries requests and replies until either side ends its connection.
fn carry(client: TcpStream, service: &str, settings: Arc<ServerConfig>) -> io::Result<()> {
    let connection = ServerConnection::new(settings).map_err(io::Error::other)?;
    let (mut client, mut service) = (StreamOwned::new(connection, client), TcpStream::connect(service)?);
    loop {
        service.write_all(&message(&mut client)?)?;
        client.write_all(&message(&mut service)?)?;
        client.flush()?;
    }
}

/// Reads a head and its body, which has the length in `Content-Length`.
fn message(stream: &mut impl Read) -> io::Result<Vec<u8>> {
    let (mut read, mut byte) = (Vec::new(), [0]);
    while !read.ends_with(b"\r\n\r\n") {
        stream.read_exact(&mut byte)?;
        read.extend_from_slice(&byte);
    }
    let head = String::from_utf8_lossy(&read).to_lowercase();
    let length = head.lines().find_map(|line| line.strip_prefix("content-length:")?.trim().parse().ok());
    let mut body = vec![0; length.unwrap_or(0)];
    stream.read_exact(&mut body)?;
    read.extend_from_slice(&body);
    Ok(read)
}
