//! The CAs that TLS trusts: the CAs of the operating system, the public CAs if the system has none, and the
//! CAs that the merchant configures.

use std::sync::Arc;

use rustls::RootCertStore;
use rustls::pki_types::CertificateDer;
use rustls::pki_types::pem::PemObject;

use super::system_roots::{self, System};
use crate::error::{Error, Result};

/// The CAs for these settings. The system's store is read only if `is_https`. If the store is empty and the
/// merchant configures a CA, only the configured CA is trusted. If there is no CA at all, the public CAs are
/// trusted.
///
/// # Errors
///
/// `invalid_argument` for a CA that is not PEM with certificates, or for `exclusive` without a CA. Also for a
/// system store that exists but cannot be read: the public CAs may include CAs that the system's owner does
/// not trust.
pub(super) fn trusted(ca_pem: &[u8], exclusive: bool, is_https: bool) -> Result<Arc<RootCertStore>> {
    let own = certificates(ca_pem)?;
    if exclusive {
        let own =
            own.ok_or_else(|| Error::invalid_argument("exclusive_ca needs a CA: set ca_pem or ca_file"))?;
        return Ok(Arc::new(own));
    }
    let trusted = together(own, if is_https { system_roots::system() } else { System::default() })?;
    Ok(if trusted.is_empty() {
        Arc::new(RootCertStore { roots: webpki_roots::TLS_SERVER_ROOTS.to_vec() })
    } else {
        trusted
    })
}

fn together(own: Option<RootCertStore>, system: System) -> Result<Arc<RootCertStore>> {
    match (own, system.fault) {
        (None, Some(fault)) if system.roots.is_empty() => {
            Err(Error::invalid_argument(format!("the system's certificates cannot be read: {fault}")))
        }
        (None, _) => Ok(system.roots),
        (Some(mut own), _) => {
            own.extend(system.roots.roots.iter().cloned());
            Ok(Arc::new(own))
        }
    }
}

/// `None` if the text contains no PEM.
fn certificates(pem: &[u8]) -> Result<Option<RootCertStore>> {
    if pem.is_empty() {
        return Ok(None);
    }
    let mut certificates = RootCertStore::empty();
    for certificate in CertificateDer::pem_slice_iter(pem) {
        let certificate = certificate.map_err(|_| unusable())?;
        let number = certificates.len() + 1;
        certificates
            .add(certificate)
            .map_err(|_| Error::invalid_argument(format!("certificate {number} of the CA cannot be read")))?;
    }
    if certificates.is_empty() { Err(unusable()) } else { Ok(Some(certificates)) }
}

fn unusable() -> Error {
    Error::invalid_argument("the CA must be PEM with at least one certificate")
}

#[cfg(test)]
mod tests {
    use super::*;

    fn list(count: usize) -> RootCertStore {
        RootCertStore { roots: webpki_roots::TLS_SERVER_ROOTS[..count].to_vec() }
    }

    #[test]
    fn the_merchants_authorities_stand_beside_the_systems_and_one_of_them_has_to_be_readable() {
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
            let system = System {
                roots: Arc::new(list(of_system)),
                fault: (!readable).then(|| "unreadable".to_owned()),
            };
            let own = (own > 0).then(|| list(own));
            let expected = trusted;
            assert_eq!(
                together(own.clone(), system).ok().map(|all| all.len()),
                expected,
                "{own:?} {of_system} {readable}"
            );
        }
    }

    #[test]
    fn an_exclusive_authority_has_to_be_there() {
        assert!(trusted(b"", true, true).unwrap_err().message().contains("exclusive_ca"));
        assert!(trusted(b"nonsense", true, true).is_err());
    }
}
