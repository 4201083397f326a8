//! Whom TLS trusts: the operating system's store, the public roots where there is none, and what the merchant gives.

use std::ffi::OsString;
use std::sync::{Arc, Mutex};
use std::time::{Duration, Instant};

use rustls::RootCertStore;
use ureq::tls::{Certificate, PemItem, RootCerts, TlsConfig, parse_pem};

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
    let system = if secure { system(own.is_empty())? } else { Arc::default() };
    let trusted = if own.is_empty() { system } else { Arc::new(own.iter().chain(&*system).cloned().collect()) };
    let roots = if trusted.is_empty() { RootCerts::WebPki } else { RootCerts::Specific(trusted) };
    Ok(TlsConfig::builder().root_certs(roots).build())
}

type Certificates = Arc<Vec<Certificate<'static>>>;

/// How long the system's store is believed to be as it was. To read it takes milliseconds, and a process of php-fpm makes a client
/// for each request.
const KEPT: Duration = Duration::from_secs(60);

/// The system's store as it was read last.
struct Store {
    certificates: Certificates,
    /// What the environment said of where it is.
    from: [Option<OsString>; 2],
    read: Instant,
}

fn system(alone: bool) -> Result<Certificates> {
    static STORE: Mutex<Option<Store>> = Mutex::new(None);
    kept(&STORE, ["SSL_CERT_FILE", "SSL_CERT_DIR"].map(std::env::var_os), Instant::now(), || {
        let system = rustls_native_certs::load_native_certs();
        if let (true, true, Some(error)) = (alone, system.certs.is_empty(), system.errors.first()) {
            return Err(Error::invalid_argument(format!("the system's certificates cannot be read: {error}")));
        }
        Ok(Arc::new(system.certs.iter().map(|certificate| Certificate::from_der(certificate).to_owned()).collect()))
    })
}

/// Reads the store if it was not read a moment ago from the same place. Only tries the lock: in a forked child it may be held for
/// ever. What could not be read is asked for again.
fn kept(
    store: &Mutex<Option<Store>>,
    from: [Option<OsString>; 2],
    now: Instant,
    read: impl FnOnce() -> Result<Certificates>,
) -> Result<Certificates> {
    if let Ok(store) = store.try_lock()
        && let Some(store) = store.as_ref()
        && store.from == from
        && now.saturating_duration_since(store.read) < KEPT
    {
        return Ok(Arc::clone(&store.certificates));
    }
    let certificates = read()?;
    if let Ok(mut store) = store.try_lock()
        && !certificates.is_empty()
    {
        *store = Some(Store { certificates: Arc::clone(&certificates), from, read: now });
    }
    Ok(certificates)
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
    fn the_store_is_read_again_after_a_minute_from_elsewhere_or_if_it_was_empty() {
        let store = Mutex::new(None);
        let start = Instant::now();
        let place = |name: &str| [Some(OsString::from(name)), None];
        let found = || Ok(Arc::new(vec![Certificate::from_der(b"certificate").to_owned()]));
        let never = || -> Result<Certificates> { panic!("it is read") };

        let empty = kept(&store, place("a"), start, || Ok(Arc::default())).unwrap();
        assert!(empty.is_empty());
        let first = kept(&store, place("a"), start, found).unwrap();
        assert!(Arc::ptr_eq(&first, &kept(&store, place("a"), start + KEPT / 2, never).unwrap()));
        let other = kept(&store, place("b"), start, found).unwrap();
        assert!(!Arc::ptr_eq(&first, &other));
        let later = kept(&store, place("b"), start + KEPT, found).unwrap();
        assert!(!Arc::ptr_eq(&other, &later));
        assert!(Arc::ptr_eq(&later, &kept(&store, place("b"), start + KEPT, never).unwrap()));

        let failed = kept(&store, place("b"), start + 3 * KEPT, || Err(Error::invalid_argument("unreadable")));
        assert!(failed.is_err());
        let held = store.lock().unwrap();
        assert!(!Arc::ptr_eq(&later, &kept(&store, place("b"), start + KEPT, found).unwrap()));
        drop(held);
    }
}
