//! What a client finds when it opens a connection, for a program that checks a set-up.

use std::io::ErrorKind;
use std::net::SocketAddr;
use std::time::Instant;

use super::Client;
use crate::config::LONGEST;
use crate::error::{Error, Result};

/// How a client opened a connection, or where it failed: see [`Client::report_connection`].
#[derive(Debug, Clone)]
#[non_exhaustive]
pub struct ConnectionReport {
    /// The host to which the client connects first: the proxy if one is set, else the service. An IPv6 address
    /// is in brackets.
    pub host: String,
    /// The port of `host`.
    pub port: u16,
    /// Whether `host` is a proxy.
    pub is_proxy: bool,
    /// The addresses of `host`. Empty if there are none, or if they are not known.
    pub addresses: Vec<SocketAddr>,
    /// TLS with an https proxy.
    pub proxy_tls: Option<TlsReport>,
    /// TLS with the service.
    pub tls: Option<TlsReport>,
    /// Why there is no connection; `None` if it was opened.
    pub failure: Option<ConnectionFailure>,
}

/// TLS with one server that sent a certificate.
#[derive(Debug, Clone)]
#[non_exhaustive]
pub struct TlsReport {
    /// The version of TLS, such as `TLS 1.3`; `None` if the handshake failed.
    pub version: Option<&'static str>,
    /// The server's own certificate as DER. It proves nothing if the handshake failed: anybody can send it.
    pub certificate: Vec<u8>,
}

/// Why a connection could not be opened.
#[derive(Debug, Clone)]
#[non_exhaustive]
pub struct ConnectionFailure {
    /// The step that failed.
    pub step: ConnectionStep,
    /// The error with which a call would end.
    pub error: Error,
    /// The cause alone, without what it means for a call.
    pub cause: String,
    /// The operating system's kind of failure.
    pub kind: ErrorKind,
    /// The fault of the server's certificate, if that is the cause.
    pub certificate: Option<CertificateFault>,
}

/// A step of opening a connection, in their order.
#[derive(Debug, Clone, Copy, PartialEq, Eq, PartialOrd, Ord, Default)]
#[non_exhaustive]
pub enum ConnectionStep {
    /// Looking the host's name up.
    #[default]
    LookUp,
    /// Connecting to one of the addresses.
    Connect,
    /// TLS with an https proxy.
    ProxyTls,
    /// The proxy's tunnel to the service.
    Tunnel,
    /// TLS with the service.
    Tls,
}

/// Why a server's certificate is refused.
#[derive(Debug, Clone, Copy, PartialEq, Eq)]
#[non_exhaustive]
pub enum CertificateFault {
    /// It is not valid any more.
    Expired,
    /// It is not valid yet.
    NotYetValid,
    /// It is not for the host of the URL.
    OtherName,
    /// No trusted CA has issued it.
    UnknownIssuer,
    /// Its key is not one of the pinned keys.
    NotPinned,
    /// Anything else.
    Other,
}

impl Client {
    /// Opens a connection as a call would, reports what was found, and closes it. Sends no request. The name is
    /// looked up anew, and the TLS session is a full one, so that the report has the server's certificate.
    ///
    /// # Errors
    ///
    /// `cancelled` if the client was interrupted. A connection that cannot be opened is a
    /// [`failure`](ConnectionReport::failure) of the report.
    pub fn report_connection(&self) -> Result<ConnectionReport> {
        let end = Instant::now() + self.timeout.min(LONGEST);
        Ok(self.shared.http.report(end, self.handle.begin()?.call()))
    }
}

/// What is known of a connection while it is being opened.
#[derive(Default)]
pub(super) struct Trace {
    pub(super) step: ConnectionStep,
    pub(super) addresses: Vec<SocketAddr>,
    pub(super) proxy_tls_version: Option<&'static str>,
    pub(super) tls_version: Option<&'static str>,
}
