//! Whom TLS trusts: the operating system's store, the public roots where there is none, and what the merchant gives.

use ureq::tls::{Certificate, PemItem, RootCerts, TlsConfig, parse_pem};

use crate::error::{Error, Result};

/// The settings of TLS. There is none that turns verification off.
///
/// The store is read only for an https service, once a client. Where the system has none and the merchant gives an
/// authority, that one alone is trusted.
///
/// # Errors
///
/// `invalid_argument` for a CA that is no PEM, or for a system's store that is there but cannot be read: to trust every
/// public authority in its place would be more than the system's owner does.
pub(super) fn tls(urls: &[&str], ca_pem: &[u8]) -> Result<TlsConfig> {
    let mut trusted = certificates(ca_pem)?;
    if urls.iter().any(|url| url.get(..6).is_some_and(|scheme| scheme.eq_ignore_ascii_case("https:"))) {
        let system = rustls_native_certs::load_native_certs();
        if let (true, true, Some(error)) = (trusted.is_empty(), system.certs.is_empty(), system.errors.first()) {
            return Err(Error::invalid_argument(format!("the system's certificates cannot be read: {error}")));
        }
        trusted.extend(system.certs.iter().map(|certificate| Certificate::from_der(certificate).to_owned()));
    }
    let roots = if trusted.is_empty() { RootCerts::WebPki } else { RootCerts::from(trusted) };
    Ok(TlsConfig::builder().root_certs(roots).build())
}

fn certificates(pem: &[u8]) -> Result<Vec<Certificate<'static>>> {
    if pem.is_empty() {
        return Ok(Vec::new());
    }
    let unusable = || Error::invalid_argument("the CA is not PEM with at least one certificate");
    let mut certificates = Vec::new();
    for item in parse_pem(pem) {
        if let PemItem::Certificate(certificate) = item.map_err(|_| unusable())? {
            certificates.push(certificate);
        }
    }
    if certificates.is_empty() { Err(unusable()) } else { Ok(certificates) }
}
