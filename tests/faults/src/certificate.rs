//! A CA and its certificates. All lengths are the same in every run, so that an offset always means the same
//! place: ed25519 signatures have one length, and the serial numbers are fixed.

use std::sync::{Arc, LazyLock};

use rcgen::{
    BasicConstraints, CertificateParams, CertifiedIssuer, DnType, IsCa, KeyPair, PKCS_ED25519, SerialNumber,
};
use rustls::ServerConfig;
use rustls::pki_types::{PrivateKeyDer, PrivatePkcs8KeyDer};

struct Certificates {
    authority: String,
    settings: Arc<ServerConfig>,
}

static CERTIFICATES: LazyLock<Certificates> = LazyLock::new(|| make().expect("certificates can be made"));

/// The CA's certificate as PEM.
pub(crate) fn authority() -> &'static str {
    &CERTIFICATES.authority
}

/// The TLS settings of the service, with a certificate of the CA.
pub(crate) fn settings() -> Arc<ServerConfig> {
    Arc::clone(&CERTIFICATES.settings)
}

fn make() -> Result<Certificates, Box<dyn std::error::Error>> {
    let mut params = CertificateParams::new(Vec::new())?;
    params.is_ca = IsCa::Ca(BasicConstraints::Unconstrained);
    params.distinguished_name.push(DnType::CommonName, "the harness's authority");
    params.serial_number = Some(SerialNumber::from(1));
    let authority = CertifiedIssuer::self_signed(params, KeyPair::generate_for(&PKCS_ED25519)?)?;

    let mut params = CertificateParams::new(vec!["127.0.0.1".to_owned()])?;
    params.serial_number = Some(SerialNumber::from(2));
    let key = KeyPair::generate_for(&PKCS_ED25519)?;
    let certificate = params.signed_by(&key, &authority)?.der().clone();
    let key = PrivateKeyDer::from(PrivatePkcs8KeyDer::from(key.serialize_der()));
    let provider = Arc::new(rustls::crypto::ring::default_provider());
    let settings = ServerConfig::builder_with_provider(provider)
        .with_safe_default_protocol_versions()?
        .with_no_client_auth()
        .with_single_cert(vec![certificate], key)?;
    Ok(Certificates { authority: authority.pem(), settings: Arc::new(settings) })
}
