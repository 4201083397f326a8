//! Makes the server's certificate and its CA. The programs get the CA's certificate in `BENCH_CA`.

use std::sync::Arc;

use merchantpay_bench::Result;
use rcgen::{BasicConstraints, CertificateParams, CertifiedIssuer, DnType, IsCa, KeyPair};
use rustls::ServerConfig;
use rustls::crypto::ring;
use rustls::pki_types::{PrivateKeyDer, PrivatePkcs8KeyDer};

/// Returns the CA's certificate as PEM, and the TLS settings of a server with a certificate of this CA. The
/// server issues session tickets, like real servers.
pub fn make() -> Result<(String, Arc<ServerConfig>)> {
    let mut params = CertificateParams::new(Vec::new())?;
    params.is_ca = IsCa::Ca(BasicConstraints::Unconstrained);
    params.distinguished_name.push(DnType::CommonName, "the bench's authority");
    let authority = CertifiedIssuer::self_signed(params, KeyPair::generate()?)?;

    let key = KeyPair::generate()?;
    let certificate =
        CertificateParams::new(vec!["127.0.0.1".to_owned()])?.signed_by(&key, &authority)?.der().clone();
    let key = PrivateKeyDer::from(PrivatePkcs8KeyDer::from(key.serialize_der()));
    let mut settings = ServerConfig::builder_with_provider(Arc::new(ring::default_provider()))
        .with_safe_default_protocol_versions()?
        .with_no_client_auth()
        .with_single_cert(vec![certificate], key)?;
    settings.ticketer = ring::Ticketer::new()?;
    Ok((authority.pem(), Arc::new(settings)))
}
