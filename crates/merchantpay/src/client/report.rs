//! What a client finds when it opens a connection, for a program that checks a set-up.

use std::io::ErrorKind;
use std::net::SocketAddr;
use std::sync::{Arc, Mutex};
use std::time::Instant;

use rustls::client::danger::{HandshakeSignatureValid, ServerCertVerified, ServerCertVerifier};
use rustls::pki_types::{CertificateDer, ServerName, UnixTime};
use rustls::{DigitallySignedStruct, SignatureScheme};

use super::Client;
use super::process::lock;
use crate::config::LONGEST;
use crate::error::{Error, Outcome, Result};

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
        match self.handle.begin(std::process::id()) {
            Some(guard) => Ok(self.shared.http.report(end, guard.call())),
            None => Err(Error::cancelled(Outcome::NotSent)),
        }
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

/// Keeps the certificate that `verifier` is asked about.
#[derive(Debug)]
pub(super) struct CertificateRecorder {
    verifier: Arc<dyn ServerCertVerifier>,
    certificate: Mutex<Option<Vec<u8>>>,
}

impl CertificateRecorder {
    pub(super) fn new(verifier: &Arc<dyn ServerCertVerifier>) -> Arc<CertificateRecorder> {
        Arc::new(CertificateRecorder { verifier: Arc::clone(verifier), certificate: Mutex::default() })
    }

    pub(super) fn report(&self, version: Option<&'static str>) -> Option<TlsReport> {
        lock(&self.certificate).take().map(|certificate| TlsReport { version, certificate })
    }
}

impl ServerCertVerifier for CertificateRecorder {
    fn verify_server_cert(
        &self,
        end_entity: &CertificateDer<'_>,
        intermediates: &[CertificateDer<'_>],
        server_name: &ServerName<'_>,
        ocsp_response: &[u8],
        now: UnixTime,
    ) -> std::result::Result<ServerCertVerified, rustls::Error> {
        *lock(&self.certificate) = Some(end_entity.to_vec());
        self.verifier.verify_server_cert(end_entity, intermediates, server_name, ocsp_response, now)
    }

    fn verify_tls12_signature(
        &self,
        message: &[u8],
        certificate: &CertificateDer<'_>,
        signature: &DigitallySignedStruct,
    ) -> std::result::Result<HandshakeSignatureValid, rustls::Error> {
        self.verifier.verify_tls12_signature(message, certificate, signature)
    }

    fn verify_tls13_signature(
        &self,
        message: &[u8],
        certificate: &CertificateDer<'_>,
        signature: &DigitallySignedStruct,
    ) -> std::result::Result<HandshakeSignatureValid, rustls::Error> {
        self.verifier.verify_tls13_signature(message, certificate, signature)
    }

    fn supported_verify_schemes(&self) -> Vec<SignatureScheme> {
        self.verifier.supported_verify_schemes()
    }
}
