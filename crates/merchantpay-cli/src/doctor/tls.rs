//! TLS handshakes. [`handshake`] accepts every certificate, so that the server's certificate can be shown: no
//! secret is sent over its connection. [`verified`] has the client's own settings.

use std::io;

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
    let result = complete(&mut stream);
    let der = shown.certificate.lock().unwrap_or_else(PoisonError::into_inner).take();
    let version = match stream.conn.protocol_version() {
        Some(rustls::ProtocolVersion::TLSv1_2) => "TLS 1.2",
        _ => "TLS 1.3",
    };
    Ok(Handshake {
        certificate: der.and_then(|der| Certificate::read(&der, target)),
        version,
        connection: result.map(|()| Box::new(stream) as Connection).map_err(|error| error.to_string()),
    })
}

/// A connection to a server whose certificate is trusted by `config`.
pub(super) fn verified(
    connection: Connection,
    host: &str,
    config: Arc<ClientConfig>,
) -> Result<Connection, io::Error> {
    let name = ServerName::try_from(host.to_owned()).map_err(io::Error::other)?;
    let client = ClientConnection::new(config, name).map_err(io::Error::other)?;
    let mut stream = StreamOwned::new(client, connection);
    complete(&mut stream)?;
    Ok(Box::new(stream))
}

fn complete(stream: &mut StreamOwned<ClientConnection, Connection>) -> io::Result<()> {
    while stream.conn.is_handshaking() {
        stream.conn.complete_io(&mut stream.sock)?;
    }
    Ok(())
}

/// Returns `true` if the handshake failed because the certificate is not trusted.
pub(super) fn distrusts(error: &io::Error) -> bool {
    let cause = error.get_ref().and_then(|cause| cause.downcast_ref());
    matches!(cause, Some(Error::InvalidCertificate(_)))
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
