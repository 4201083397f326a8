//! Whom TLS trusts: the operating system's store, the public roots where there is none, and what the merchant gives.

use std::sync::Arc;

use rustls::RootCertStore;
use ureq::tls::{Certificate, PemItem, RootCerts, TlsConfig, parse_pem};

use super::store::{self, Certificates, System};
use crate::error::{Error, Result};

/// The settings of TLS. There is none that turns verification off.
///
/// The store is read only for an https service. Where the system has none and the merchant gives an authority, that one
/// alone is trusted.
///
/// # Errors
///
/// `invalid_argument` for a CA that is no PEM of certificates, or for a system's store that is there but cannot be read: to trust
/// every public authority in its place would be more than the system's owner does.
pub(super) fn tls(urls: &[&str], ca_pem: &[u8]) -> Result<TlsConfig> {
    let own = certificates(ca_pem)?;
    let secure = urls.iter().any(|url| url.get(..6).is_some_and(|scheme| scheme.eq_ignore_ascii_case("https:")));
    let trusted = together(own, if secure { store::system() } else { System::default() })?;
    let roots = if trusted.is_empty() { RootCerts::WebPki } else { RootCerts::Specific(trusted) };
    Ok(TlsConfig::builder().root_certs(roots).build())
}

fn together(own: Vec<Certificate<'static>>, system: System) -> Result<Certificates> {
    match system.fault {
        Some(fault) if own.is_empty() && system.certificates.is_empty() => {
            Err(Error::invalid_argument(format!("the system's certificates cannot be read: {fault}")))
        }
        _ if own.is_empty() => Ok(system.certificates),
        _ => Ok(Arc::new(own.into_iter().chain(system.certificates.iter().cloned()).collect())),
    }
}

fn certificates(pem: &[u8]) -> Result<Vec<Certificate<'static>>> {
    if pem.is_empty() {
        return Ok(Vec::new());
    }
    let unusable = || Error::invalid_argument("the CA is not PEM with at least one certificate");
    let mut certificates = Vec::new();
    for item in parse_pem(pem) {
        if let PemItem::Certificate(certificate) = item.map_err(|_| unusable())? {
            // ureq leaves out what it cannot read, and every call would fail for want of it.
            RootCertStore::empty()
                .add(certificate.der().to_vec().into())
                .map_err(|_| Error::invalid_argument(format!("certificate {} of the CA cannot be read", certificates.len() + 1)))?;
            certificates.push(certificate);
        }
    }
    if certificates.is_empty() { Err(unusable()) } else { Ok(certificates) }
}

#[cfg(test)]
mod tests {
    use super::*;

    #[test]
    fn the_merchants_authorities_stand_beside_the_systems_and_one_of_them_has_to_be_readable() {
        let list = |count: usize| vec![Certificate::from_der(b"certificate").to_owned(); count];
        for (own, of_system, readable, trusted) in [
            (0, 0, true, Some(0)),
            (0, 2, true, Some(2)),
            (1, 0, true, Some(1)),
            (1, 2, true, Some(3)),
            (0, 0, false, None),
            (0, 2, false, Some(2)),
            (1, 0, false, Some(1)),
            (1, 2, false, Some(3)),
        ] {
            let system = System { certificates: Arc::new(list(of_system)), fault: (!readable).then(|| "unreadable".to_owned()) };
            assert_eq!(together(list(own), system).ok().map(|all| all.len()), trusted, "{own} {of_system} {readable}");
        }
    }
}
