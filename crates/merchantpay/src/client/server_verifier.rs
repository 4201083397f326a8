//! Checks that a server's certificate is the certificate of the service: a trusted CA signed it and, if keys
//! are pinned, it has a pinned key.

use std::fmt;
use std::sync::Arc;

use rustls::client::WebPkiServerVerifier;
use rustls::client::danger::{HandshakeSignatureValid, ServerCertVerified, ServerCertVerifier};
use rustls::pki_types::{CertificateDer, ServerName, UnixTime};
use rustls::server::ParsedCertificate;
use rustls::{CertificateError, DigitallySignedStruct, Error, OtherError, SignatureScheme};

use crate::spki_pin::SpkiPin;

/// Applies all checks of rustls, and then requires one of the pins.
#[derive(Debug)]
pub(super) struct PinnedVerifier {
    authorities: Arc<WebPkiServerVerifier>,
    pins: Vec<SpkiPin>,
}

impl PinnedVerifier {
    pub(super) fn new(authorities: Arc<WebPkiServerVerifier>, pins: Vec<SpkiPin>) -> PinnedVerifier {
        PinnedVerifier { authorities, pins }
    }
}

impl ServerCertVerifier for PinnedVerifier {
    fn verify_server_cert(
        &self,
        end_entity: &CertificateDer<'_>,
        intermediates: &[CertificateDer<'_>],
        server_name: &ServerName<'_>,
        ocsp_response: &[u8],
        now: UnixTime,
    ) -> Result<ServerCertVerified, Error> {
        let verified = self.authorities.verify_server_cert(
            end_entity,
            intermediates,
            server_name,
            ocsp_response,
            now,
        )?;
        // Only the key of the server's own certificate is compared. The server also sends other certificates,
        // which may not belong to the verified chain.
        let key = ParsedCertificate::try_from(end_entity)?.subject_public_key_info();
        if self.pins.iter().any(|pin| pin.matches(&key)) {
            return Ok(verified);
        }
        Err(Error::InvalidCertificate(CertificateError::Other(OtherError(Arc::new(NotPinned)))))
    }

    fn verify_tls12_signature(
        &self,
        message: &[u8],
        certificate: &CertificateDer<'_>,
        signature: &DigitallySignedStruct,
    ) -> Result<HandshakeSignatureValid, Error> {
        self.authorities.verify_tls12_signature(message, certificate, signature)
    }

    fn verify_tls13_signature(
        &self,
        message: &[u8],
        certificate: &CertificateDer<'_>,
        signature: &DigitallySignedStruct,
    ) -> Result<HandshakeSignatureValid, Error> {
        self.authorities.verify_tls13_signature(message, certificate, signature)
    }

    fn supported_verify_schemes(&self) -> Vec<SignatureScheme> {
        self.authorities.supported_verify_schemes()
    }
}

/// The error if the public key of the server's certificate is not a pinned key.
struct NotPinned;

impl fmt::Display for NotPinned {
    fn fmt(&self, f: &mut fmt::Formatter<'_>) -> fmt::Result {
        f.write_str("the public key of the server's certificate is not one of the pinned keys")
    }
}

/// The text that rustls shows in an error.
impl fmt::Debug for NotPinned {
    fn fmt(&self, f: &mut fmt::Formatter<'_>) -> fmt::Result {
        fmt::Display::fmt(self, f)
    }
}

impl std::error::Error for NotPinned {}
