//! A service with TLS.

use std::io::Write;
use std::net::{SocketAddr, TcpStream};
use std::sync::Arc;
use std::sync::mpsc::{Receiver, channel};

use merchantpay_services::serve;
pub use merchantpay_services::{Authority, authority, settings};
use rcgen::{CertificateParams, KeyPair};
use rustls::pki_types::CertificateDer;
use rustls::{HandshakeKind, ServerConfig, ServerConnection, StreamOwned, SupportedProtocolVersion};

use super::LONG;
use super::reply::success;
use super::server::{Request, read_request};

pub fn certified(authority: &Authority, name: &str, expired: bool) -> Arc<ServerConfig> {
    let years = if expired { (2001, 2002) } else { (2020, 2090) };
    merchantpay_services::certified(authority, &[name], years)
}

pub fn certified_for(authority: &Authority, version: &'static SupportedProtocolVersion) -> Arc<ServerConfig> {
    let key = KeyPair::generate().unwrap();
    let params = CertificateParams::new(vec!["localhost".to_owned()]).unwrap();
    settings(params.signed_by(&key, authority).unwrap().der().clone(), &key, &[version])
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
        let (report, connections) = channel();
        let address = serve(move |stream| drop(report.send(one_request(stream, Arc::clone(&config)))));
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

fn one_request(stream: TcpStream, config: Arc<ServerConfig>) -> Option<(Request, HandshakeKind)> {
    let mut stream = StreamOwned::new(ServerConnection::new(config).unwrap(), stream);
    let request = read_request(&mut stream, &mut Vec::new())?;
    stream.write_all(&success().header("Connection", "close").bytes()).unwrap();
    stream.conn.send_close_notify();
    let _ = stream.flush();
    Some((request, stream.conn.handshake_kind()?))
}
