//! A CA that only the tests trust, and certificates of servers.

use std::sync::Arc;

use rcgen::{
    BasicConstraints, CertificateParams, CertifiedIssuer, DnType, IsCa, KeyPair, PKCS_ECDSA_P256_SHA256,
    SerialNumber, SignatureAlgorithm,
};
use rustls::pki_types::{CertificateDer, PrivateKeyDer, PrivatePkcs8KeyDer};
use rustls::{ServerConfig, SupportedProtocolVersion};

pub type Authority = CertifiedIssuer<'static, KeyPair>;

pub fn authority() -> Authority {
    authority_with(&PKCS_ECDSA_P256_SHA256)
}

/// The keys of signed certificates are of this kind too. With ed25519 every certificate has one length, because the
/// serial numbers are fixed.
///
/// # Panics
///
/// If a certificate cannot be made.
pub fn authority_with(algorithm: &'static SignatureAlgorithm) -> Authority {
    let mut params = CertificateParams::new(Vec::new()).expect("no names");
    params.is_ca = IsCa::Ca(BasicConstraints::Unconstrained);
    params.distinguished_name.push(DnType::CommonName, "Authority of a Test");
    params.serial_number = Some(SerialNumber::from(1));
    CertifiedIssuer::self_signed(params, KeyPair::generate_for(algorithm).expect("a key")).expect("a CA")
}

/// The certificate is valid from the first to the last of these years.
///
/// # Panics
///
/// If the certificate cannot be made.
pub fn certified(authority: &Authority, names: &[&str], years: (i32, i32)) -> Arc<ServerConfig> {
    let names: Vec<String> = names.iter().map(|name| (*name).to_owned()).collect();
    let mut params = CertificateParams::new(names).expect("names");
    (params.not_before, params.not_after) =
        (rcgen::date_time_ymd(years.0, 1, 1), rcgen::date_time_ymd(years.1, 1, 1));
    params.serial_number = Some(SerialNumber::from(2));
    let key = KeyPair::generate_for(authority.key().algorithm()).expect("a key");
    let certificate = params.signed_by(&key, authority).expect("a certificate");
    settings(certificate.der().clone(), &key, rustls::ALL_VERSIONS)
}

/// Any CA or no CA may have signed the certificate.
///
/// # Panics
///
/// If the key is not the certificate's.
pub fn settings(
    certificate: CertificateDer<'static>,
    key: &KeyPair,
    versions: &[&'static SupportedProtocolVersion],
) -> Arc<ServerConfig> {
    let key = PrivateKeyDer::from(PrivatePkcs8KeyDer::from(key.serialize_der()));
    let provider = Arc::new(rustls::crypto::ring::default_provider());
    let builder = ServerConfig::builder_with_provider(provider).with_protocol_versions(versions);
    let builder = builder.expect("versions of TLS").with_no_client_auth();
    Arc::new(builder.with_single_cert(vec![certificate], key).expect("the certificate's key"))
}
