//! TLS to PostgreSQL.

use std::sync::Arc;

use rustls::client::WebPkiServerVerifier;
use rustls::client::danger::{HandshakeSignatureValid, ServerCertVerified, ServerCertVerifier};
use rustls::crypto::{CryptoProvider, ring, verify_tls12_signature, verify_tls13_signature};
use rustls::pki_types::pem::PemObject as _;
use rustls::pki_types::{CertificateDer, PrivateKeyDer, ServerName, UnixTime};
use rustls::{CertificateError, ClientConfig, DigitallySignedStruct, RootCertStore, SignatureScheme};

use super::address::{Address, Tls};
use crate::store::failure::Failure;

type Result<T> = std::result::Result<T, Failure>;

/// The configuration that a URL asks for. It trusts only the CAs of `ca_file`; without one, the public CAs.
pub(super) fn client(address: &Address) -> Result<ClientConfig> {
    let provider = Arc::new(ring::default_provider());
    let unusable = |error: &dyn std::fmt::Display| {
        Failure::lasting(format!("TLS to the database cannot be used: {error}"))
    };
    let roots = Arc::new(roots(address)?);
    let chain = WebPkiServerVerifier::builder_with_provider(roots.clone(), provider.clone())
        .build()
        .map_err(|error| unusable(&error))?;
    let config = ClientConfig::builder_with_provider(provider.clone())
        .with_safe_default_protocol_versions()
        .map_err(|error| unusable(&error))?;
    let config = match address.tls {
        Tls::Disabled | Tls::Verified => config.with_root_certificates(roots),
        Tls::Unverified | Tls::VerifiedChain => {
            let chain = (address.tls == Tls::VerifiedChain).then_some(chain);
            config.dangerous().with_custom_certificate_verifier(Arc::new(AnyName { chain, provider }))
        }
    };
    let Some((certificate, key)) = &address.identity else { return Ok(config.with_no_client_auth()) };
    let certificates = CertificateDer::pem_file_iter(certificate)
        .and_then(Iterator::collect)
        .map_err(|error| unusable(&format!("{}: {error}", certificate.display())))?;
    let private = PrivateKeyDer::from_pem_file(key)
        .map_err(|error| unusable(&format!("{}: {error}", key.display())))?;
    config.with_client_auth_cert(certificates, private).map_err(|error| unusable(&error))
}

fn roots(address: &Address) -> Result<RootCertStore> {
    let Some(file) = &address.ca_file else {
        return Ok(RootCertStore { roots: webpki_roots::TLS_SERVER_ROOTS.to_vec() });
    };
    let unusable = |why: &dyn std::fmt::Display| {
        Failure::lasting(format!(
            "ca_file {} must be PEM with at least one certificate: {why}",
            file.display()
        ))
    };
    let mut roots = RootCertStore::empty();
    for certificate in CertificateDer::pem_file_iter(file).map_err(|error| unusable(&error))? {
        let certificate = certificate.map_err(|error| unusable(&error))?;
        roots.add(certificate).map_err(|error| unusable(&error))?;
    }
    if roots.is_empty() { Err(unusable(&"it has none")) } else { Ok(roots) }
}

/// Accepts a certificate for any name. Without a chain to verify it accepts any certificate.
#[derive(Debug)]
struct AnyName {
    chain: Option<Arc<WebPkiServerVerifier>>,
    provider: Arc<CryptoProvider>,
}

impl ServerCertVerifier for AnyName {
    fn verify_server_cert(
        &self,
        end_entity: &CertificateDer<'_>,
        intermediates: &[CertificateDer<'_>],
        server_name: &ServerName<'_>,
        ocsp_response: &[u8],
        now: UnixTime,
    ) -> std::result::Result<ServerCertVerified, rustls::Error> {
        let Some(chain) = &self.chain else { return Ok(ServerCertVerified::assertion()) };
        match chain.verify_server_cert(end_entity, intermediates, server_name, ocsp_response, now) {
            Err(rustls::Error::InvalidCertificate(
                CertificateError::NotValidForName | CertificateError::NotValidForNameContext { .. },
            )) => Ok(ServerCertVerified::assertion()),
            verified => verified,
        }
    }

    fn verify_tls12_signature(
        &self,
        message: &[u8],
        certificate: &CertificateDer<'_>,
        signature: &DigitallySignedStruct,
    ) -> std::result::Result<HandshakeSignatureValid, rustls::Error> {
        let algorithms = &self.provider.signature_verification_algorithms;
        verify_tls12_signature(message, certificate, signature, algorithms)
    }

    fn verify_tls13_signature(
        &self,
        message: &[u8],
        certificate: &CertificateDer<'_>,
        signature: &DigitallySignedStruct,
    ) -> std::result::Result<HandshakeSignatureValid, rustls::Error> {
        let algorithms = &self.provider.signature_verification_algorithms;
        verify_tls13_signature(message, certificate, signature, algorithms)
    }

    fn supported_verify_schemes(&self) -> Vec<SignatureScheme> {
        self.provider.signature_verification_algorithms.supported_schemes()
    }
}
