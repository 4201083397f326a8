//! The TLS servers of the tests: a CA, the CA's certificates, and a service with TLS.

use std::io::Write;
use std::net::{SocketAddr, TcpListener, TcpStream};
use std::sync::Arc;
use std::sync::mpsc::{Receiver, channel};

use rcgen::{BasicConstraints, CertificateParams, CertifiedIssuer, DnType, IsCa, KeyPair};
use rustls::pki_types::{CertificateDer, PrivateKeyDer, PrivatePkcs8KeyDer};
use rustls::{HandshakeKind, ServerConfig, ServerConnection, StreamOwned, SupportedProtocolVersion};

use super::LONG;
use super::reply::success;
use super::server::{Request, read_request};

pub type Authority = CertifiedIssuer<'static, KeyPair>;

pub fn authority() -> Authority {
    let mut params = CertificateParams::new(Vec::new()).unwrap();
    params.is_ca = IsCa::Ca(BasicConstraints::Unconstrained);
    params.distinguished_name.push(DnType::CommonName, "a test's authority");
    CertifiedIssuer::self_signed(params, KeyPair::generate().unwrap()).unwrap()
}

/// The TLS settings of a service with a certificate of this CA.
pub fn certified(authority: &Authority, name: &str, expired: bool) -> Arc<ServerConfig> {
    let mut params = CertificateParams::new(vec![name.to_owned()]).unwrap();
    if expired {
        (params.not_before, params.not_after) =
            (rcgen::date_time_ymd(2001, 1, 1), rcgen::date_time_ymd(2002, 1, 1));
    }
    let key = KeyPair::generate().unwrap();
    settings(params.signed_by(&key, authority).unwrap().der().clone(), &key, rustls::ALL_VERSIONS)
}

/// The TLS settings of a service on `localhost` that supports only this TLS version.
pub fn certified_for(authority: &Authority, version: &'static SupportedProtocolVersion) -> Arc<ServerConfig> {
    let key = KeyPair::generate().unwrap();
    let params = CertificateParams::new(vec!["localhost".to_owned()]).unwrap();
    settings(params.signed_by(&key, authority).unwrap().der().clone(), &key, &[version])
}

fn settings(
    certificate: CertificateDer<'static>,
    key: &KeyPair,
    versions: &[&'static SupportedProtocolVersion],
) -> Arc<ServerConfig> {
    let key = PrivateKeyDer::from(PrivatePkcs8KeyDer::from(key.serialize_der()));
    let provider = Arc::new(rustls::crypto::ring::default_provider());
    let builder = ServerConfig::builder_with_provider(provider).with_protocol_versions(versions).unwrap();
    Arc::new(builder.with_no_client_auth().with_single_cert(vec![certificate], key).unwrap())
}

/// A service with TLS. It reports the result of each connection: a request, or a failed handshake.
pub struct TlsServer {
    pub address: SocketAddr,
    connections: Receiver<Option<(Request, HandshakeKind)>>,
}

impl TlsServer {
    pub fn start(authority: &Authority, name: &str, expired: bool) -> TlsServer {
        TlsServer::with(certified(authority, name, expired))
    }

    /// Starts a service with this certificate, which any CA or no CA may have signed.
    pub fn serving(certificate: CertificateDer<'static>, key: &KeyPair) -> TlsServer {
        TlsServer::with(settings(certificate, key, rustls::ALL_VERSIONS))
    }

    pub fn with(config: Arc<ServerConfig>) -> TlsServer {
        let listener = TcpListener::bind(("127.0.0.1", 0)).unwrap();
        let address = listener.local_addr().unwrap();
        let (report, connections) = channel();
        std::thread::spawn(move || {
            for stream in listener.incoming() {
                let _ = report.send(serve(stream.unwrap(), Arc::clone(&config)));
            }
        });
        TlsServer { address, connections }
    }

    pub fn url(&self, host: &str) -> String {
        format!("https://{host}:{}", self.address.port())
    }

    /// The result of the next connection. `None` for a failed handshake.
    pub fn connection(&self) -> Option<(Request, HandshakeKind)> {
        self.connections.recv_timeout(LONG).expect("nobody connected")
    }

    pub fn no_more(&self) -> bool {
        self.connections.try_recv().is_err()
    }
}

/// Serves one connection with one request.
fn serve(stream: TcpStream, config: Arc<ServerConfig>) -> Option<(Request, HandshakeKind)> {
    let mut stream = StreamOwned::new(ServerConnection::new(config).unwrap(), stream);
    let request = read_request(&mut stream, &mut Vec::new())?;
    stream.write_all(&success().header("Connection", "close").bytes()).unwrap();
    stream.conn.send_close_notify();
    let _ = stream.flush();
    Some((request, stream.conn.handshake_kind()?))
}
