//! A TLS handshake that accepts every certificate, so that the server's certificate can be shown. Only the
//! client decides whether a certificate is trusted. No secret is sent over this connection.

use std::sync::{Arc, Mutex, PoisonError};

use rustls::client::danger::{HandshakeSignatureValid, ServerCertVerified, ServerCertVerifier};
use rustls::crypto::CryptoProvider;
use rustls::pki_types::{CertificateDer, ServerName, UnixTime};
use rustls::{ClientConfig, ClientConnection, DigitallySignedStruct, Error, SignatureScheme, StreamOwned};

use super::certificate::Certificate;
use super::exchange::Connection;
use super::target::Target;

/// The result of a handshake.
pub(super) struct Handshake {
    pub certificate: Option<Certificate>,
    /// The version of TLS, for example `TLS 1.3`.
    pub version: &'static str,
    /// The connection, or the reason why there is none.
    pub connection: Result<Connection, String>,
}

pub(super) fn handshake(connection: Connection, target: &Target) -> Result<Handshake, String> {
    let provider = Arc::new(rustls::crypto::ring::default_provider());
    let shown = Arc::new(Shown { provider: provider.clone(), certificate: Mutex::default() });
    let config = ClientConfig::builder_with_provider(provider)
        .with_safe_default_protocol_versions()
        .map_err(|error| error.to_string())?
        .dangerous()
        .with_custom_certificate_verifier(shown.clone())
        .with_no_client_auth();
    let name = ServerName::try_from(target.host.clone()).map_err(|error| error.to_string())?;
    let client = ClientConnection::new(Arc::new(config), name).map_err(|error| error.to_string())?;
    let mut stream = StreamOwned::new(client, connection);
    let mut result = Ok(0);
    while stream.conn.is_handshaking() && result.is_ok() {
        result = stream.conn.complete_io(&mut stream.sock).map(|(read, written)| read + written);
    }
    let der = shown.certificate.lock().unwrap_or_else(PoisonError::into_inner).take();
    let version = match stream.conn.protocol_version() {
        Some(rustls::ProtocolVersion::TLSv1_2) => "TLS 1.2",
        _ => "TLS 1.3",
    };
    Ok(Handshake {
        certificate: der.and_then(|der| Certificate::read(&der, target)),
        version,
        connection: result.map(|_| Box::new(stream) as Connection).map_err(|error| error.to_string()),
    })
}

/// Keeps the certificate that the server sent.
#[derive(Debug)]
struct Shown {
    provider: Arc<CryptoProvider>,
    certificate: Mutex<Option<CertificateDer<'static>>>,
}

impl ServerCertVerifier for Shown {
    fn verify_server_cert(
        &self,
        end_entity: &CertificateDer<'_>,
        _: &[CertificateDer<'_>],
        _: &ServerName<'_>,
        _: &[u8],
        _: UnixTime,
    ) -> Result<ServerCertVerified, Error> {
        let mut certificate = self.certificate.lock().unwrap_or_else(PoisonError::into_inner);
        *certificate = Some(end_entity.clone().into_owned());
        Ok(ServerCertVerified::assertion())
    }

    fn verify_tls12_signature(
        &self,
        message: &[u8],
        certificate: &CertificateDer<'_>,
        signature: &DigitallySignedStruct,
    ) -> Result<HandshakeSignatureValid, Error> {
        let algorithms = &self.provider.signature_verification_algorithms;
        rustls::crypto::verify_tls12_signature(message, certificate, signature, algorithms)
    }

    fn verify_tls13_signature(
        &self,
        message: &[u8],
        certificate: &CertificateDer<'_>,
        signature: &DigitallySignedStruct,
    ) -> Result<HandshakeSignatureValid, Error> {
        let algorithms = &self.provider.signature_verification_algorithms;
        rustls::crypto::verify_tls13_signature(message, certificate, signature, algorithms)
    }

    fn supported_verify_schemes(&self) -> Vec<SignatureScheme> {
        self.provider.signature_verification_algorithms.supported_schemes()
    }
}
