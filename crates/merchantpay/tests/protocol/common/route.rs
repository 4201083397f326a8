//! A service with TLS. The client reaches it directly or through a proxy's tunnel.

use std::io::{Read, Write};
use std::net::TcpStream;
use std::sync::Arc;
use std::sync::atomic::{AtomicUsize, Ordering};

use merchantpay::Config;
use rustls::{ServerConfig, ServerConnection, StreamOwned, SupportedProtocolVersion};

use super::server::read_request;
use super::tls::{Authority, authority, certified, certified_for};

#[derive(Clone, Copy, Debug, PartialEq, Eq)]
pub enum Route {
    Direct,
    HttpProxy,
    HttpsProxy,
}

pub const ROUTES: [Route; 3] = [Route::Direct, Route::HttpProxy, Route::HttpsProxy];
pub const VERSIONS: [&SupportedProtocolVersion; 2] = [&rustls::version::TLS12, &rustls::version::TLS13];

/// The connection below the service's own TLS.
pub trait Below: Read + Write + Send {}
impl<T: Read + Write + Send> Below for T {}

pub type Secure = StreamOwned<ServerConnection, Box<dyn Below>>;

pub struct Service {
    route: Route,
    port: u16,
    authority: Authority,
    connections: Arc<AtomicUsize>,
}

impl Service {
    /// Passes each connection to `serve` on a separate thread, with the connection's number, which starts at
    /// 1. If there is a proxy, the proxy has already opened the tunnel.
    pub fn start(
        route: Route,
        version: &'static SupportedProtocolVersion,
        serve: impl Fn(usize, Arc<ServerConfig>, Box<dyn Below>) + Send + Sync + 'static,
    ) -> Service {
        let authority = authority();
        let (inner, outer) = (certified_for(&authority, version), certified(&authority, "localhost", false));
        let connections = Arc::new(AtomicUsize::new(0));
        let count = Arc::clone(&connections);
        let address = merchantpay_services::serve(move |stream| {
            let number = count.fetch_add(1, Ordering::SeqCst) + 1;
            if let Some(below) = tunnel(route, Arc::clone(&outer), stream) {
                serve(number, Arc::clone(&inner), below);
            }
        });
        Service { route, port: address.port(), authority, connections }
    }

    pub fn config(&self) -> Config {
        let config = super::config(&format!("https://localhost:{}", self.port)).ca_pem(self.authority.pem());
        match self.route {
            Route::Direct => config,
            Route::HttpProxy => config.proxy(format!("http://localhost:{}", self.port)),
            Route::HttpsProxy => config.proxy(format!("https://localhost:{}", self.port)),
        }
    }

    pub fn connections(&self) -> usize {
        self.connections.load(Ordering::SeqCst)
    }
}

/// `None` if the client disconnects before the tunnel is open.
fn tunnel(route: Route, outer: Arc<ServerConfig>, stream: TcpStream) -> Option<Box<dyn Below>> {
    stream.set_nodelay(true).unwrap();
    let mut below: Box<dyn Below> = match route {
        Route::HttpsProxy => Box::new(StreamOwned::new(ServerConnection::new(outer).unwrap(), stream)),
        Route::Direct | Route::HttpProxy => Box::new(stream),
    };
    if route != Route::Direct {
        let connect = read_request(&mut below, &mut Vec::new())?;
        assert_eq!(connect.method, "CONNECT", "only a tunnel is asked for");
        below.write_all(b"HTTP/1.1 200 Connection established\r\n\r\n").ok()?;
        below.flush().ok()?;
    }
    Some(below)
}

/// Performs the handshake, but does not send the service's last bytes, which are the session tickets of TLS
/// 1.3. Returns these bytes.
pub fn handshake(config: Arc<ServerConfig>, below: Box<dyn Below>) -> Option<(Secure, Vec<u8>)> {
    let mut secure = StreamOwned::new(ServerConnection::new(config).unwrap(), below);
    while secure.conn.is_handshaking() {
        while secure.conn.wants_write() {
            secure.conn.write_tls(&mut secure.sock).ok()?;
        }
        secure.sock.flush().ok()?;
        if secure.conn.read_tls(&mut secure.sock).ok()? == 0 {
            return None;
        }
        secure.conn.process_new_packets().ok()?;
    }
    let held = records(&mut secure);
    if secure.conn.protocol_version() == Some(rustls::ProtocolVersion::TLSv1_2) {
        // In TLS 1.2 the client's handshake needs these bytes to complete.
        write(&mut secure, &held)?;
        return Some((secure, Vec::new()));
    }
    Some((secure, held))
}

/// Like [`handshake`], but sends all bytes.
pub fn accept(config: Arc<ServerConfig>, below: Box<dyn Below>) -> Option<Secure> {
    let (mut secure, held) = handshake(config, below)?;
    write(&mut secure, &held)?;
    Some(secure)
}

/// The TLS records of the bytes that were written to `secure`. A test can send several records in one write.
pub fn records(secure: &mut Secure) -> Vec<u8> {
    let mut records = Vec::new();
    while secure.conn.wants_write() {
        secure.conn.write_tls(&mut records).unwrap();
    }
    records
}

/// Writes TLS records to the connection below TLS; `None` if the client has disconnected.
pub fn write(secure: &mut Secure, records: &[u8]) -> Option<()> {
    secure.sock.write_all(records).ok()?;
    secure.sock.flush().ok()
}
