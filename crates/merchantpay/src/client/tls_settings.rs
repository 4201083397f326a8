//! The TLS settings: the trusted CAs, and the client's certificate. No setting turns verification off.

use std::sync::Arc;

use base64::prelude::{BASE64_STANDARD, Engine};
use rustls::client::danger::ServerCertVerifier;
use rustls::client::{ResolvesClientCert, Resumption, WebPkiServerVerifier};
use rustls::crypto::{CryptoProvider, ring};
use rustls::pki_types::pem::PemObject;
use rustls::pki_types::{
    CertificateDer, PrivateKeyDer, PrivatePkcs1KeyDer, PrivatePkcs8KeyDer, PrivateSec1KeyDer,
};
use rustls::sign::{CertifiedKey, SingleCertAndKey};
use rustls::{ALL_VERSIONS, ClientConfig, InconsistentKeys, RootCertStore};
use zeroize::Zeroizing;

use super::roots;
use super::server_verifier::PinnedVerifier;
use crate::config::{ClientCertificate, Config};
use crate::error::{Error, Result};

/// The number of TLS sessions that are kept for resumption. Each new connection uses one session, and a
/// server sends two or more sessions.
const SESSIONS: usize = 64;

/// The TLS settings of all connections of a client. They contain no lock and no session, so that a child can
/// use them after a `fork`.
pub(super) struct TlsSettings {
    service: ClientConfig,
    proxy: ClientConfig,
}

/// The TLS settings together with the sessions of one process.
#[derive(Clone)]
pub(super) struct TlsConfigs {
    pub(super) service: Arc<ClientConfig>,
    /// The settings for an https proxy. It is a different server: it needs no pinned key, and never gets the
    /// client's certificate.
    pub(super) proxy: Arc<ClientConfig>,
}

impl TlsSettings {
    /// Makes the settings. The operating system's certificates are read only if a URL is https.
    ///
    /// # Errors
    ///
    /// `invalid_argument` for certificates or a key that cannot be used.
    pub(super) fn new(config: &Config) -> Result<TlsSettings> {
        let urls = [config.base_url.as_str(), config.proxy.as_deref().unwrap_or_default()];
        let is_https =
            urls.iter().any(|url| url.get(..6).is_some_and(|scheme| scheme.eq_ignore_ascii_case("https:")));
        let roots = roots::trusted(&config.ca_pem, config.exclusive_ca, is_https)?;
        let provider = Arc::new(ring::default_provider());
        let client_certificate =
            config.client_certificate.as_ref().map(|pair| certified_key(pair)).transpose()?;
        let proxy = client_config(&provider, authorities(&roots, &provider)?, None)?;
        let service = if config.pins.is_empty() {
            client_config(&provider, authorities(&roots, &provider)?, client_certificate)?
        } else {
            let pinned = PinnedVerifier::new(authorities(&roots, &provider)?, config.pins.clone());
            client_config(&provider, Arc::new(pinned), client_certificate)?
        };
        Ok(TlsSettings { service, proxy })
    }

    /// The settings for one process. Each process has its own sessions. Inherited sessions would contain keys
    /// of the parent. And their lock may be held for ever by a thread that a forked child does not have.
    pub(super) fn for_this_process(&self) -> TlsConfigs {
        let with_sessions = |config: &ClientConfig| {
            let mut config = config.clone();
            config.resumption = Resumption::in_memory_sessions(SESSIONS);
            Arc::new(config)
        };
        TlsConfigs { service: with_sessions(&self.service), proxy: with_sessions(&self.proxy) }
    }
}

fn authorities(
    roots: &Arc<RootCertStore>,
    provider: &Arc<CryptoProvider>,
) -> Result<Arc<WebPkiServerVerifier>> {
    WebPkiServerVerifier::builder_with_provider(Arc::clone(roots), Arc::clone(provider))
        .build()
        .map_err(|error| Error::invalid_argument(format!("the trusted certificates cannot be used: {error}")))
}

fn client_config(
    provider: &Arc<CryptoProvider>,
    verifier: Arc<dyn ServerCertVerifier>,
    client_certificate: Option<Arc<dyn ResolvesClientCert>>,
) -> Result<ClientConfig> {
    let builder = ClientConfig::builder_with_provider(Arc::clone(provider))
        .with_protocol_versions(ALL_VERSIONS)
        .map_err(|error| Error::invalid_argument(format!("TLS cannot be used: {error}")))?
        .dangerous()
        .with_custom_certificate_verifier(verifier);
    let mut config = match client_certificate {
        Some(certificate) => builder.with_client_cert_resolver(certificate),
        None => builder.with_no_client_auth(),
    };
    config.resumption = Resumption::disabled();
    Ok(config)
}

/// Makes the certificate with its key. The errors contain nothing of the files.
fn certified_key(pair: &ClientCertificate) -> Result<Arc<dyn ResolvesClientCert>> {
    let certificates: std::result::Result<Vec<_>, _> =
        CertificateDer::pem_slice_iter(&pair.certificates).collect();
    let certificates = certificates.ok().filter(|certificates| !certificates.is_empty());
    let certificates = certificates.ok_or_else(|| {
        Error::invalid_argument("the client certificate must be PEM with at least one certificate")
    })?;
    let key = private_key(&pair.key)?;
    // rustls gets only a reference to the key: if rustls owned the key, it would drop it without wiping it.
    let signing_key = ring::sign::any_supported_type(&key).map_err(|_| {
        Error::invalid_argument(
            "the client certificate or its key cannot be used: the key must be an RSA, ECDSA or Ed25519 key",
        )
    })?;
    let certified = CertifiedKey::new(certificates, signing_key);
    match certified.keys_match() {
        Ok(()) | Err(rustls::Error::InconsistentKeys(InconsistentKeys::Unknown)) => {}
        Err(rustls::Error::InconsistentKeys(_)) => {
            return Err(Error::invalid_argument("the private key does not belong to the client certificate"));
        }
        Err(_) => return Err(Error::invalid_argument("the client certificate cannot be used")),
    }
    Ok(Arc::new(SingleCertAndKey::from(certified)))
}

/// The only private key in a PEM text. The reader of rustls would leave the text in memory. This function
/// wipes every copy that it makes.
fn private_key(pem: &[u8]) -> Result<Zeroizing<PrivateKeyDer<'static>>> {
    let unusable = || Error::invalid_argument("the client certificate's key must be PEM with a private key");
    let mut keys = std::str::from_utf8(pem).map_err(|_| unusable())?.split("-----BEGIN ").skip(1).filter_map(
        |section| {
            let (label, rest) = section.split_once("-----")?;
            let make: fn(Vec<u8>) -> PrivateKeyDer<'static> = match label {
                "PRIVATE KEY" => |der| PrivatePkcs8KeyDer::from(der).into(),
                "RSA PRIVATE KEY" => |der| PrivatePkcs1KeyDer::from(der).into(),
                "EC PRIVATE KEY" => |der| PrivateSec1KeyDer::from(der).into(),
                _ => return None,
            };
            let (text, end) = rest.split_once("-----END ")?;
            Some(decoded(text).filter(|_| end.starts_with(label)).map(|der| Zeroizing::new(make(der))))
        },
    );
    match (keys.next(), keys.next()) {
        (Some(Some(key)), None) => Ok(key),
        (Some(_), Some(_)) => Err(Error::invalid_argument(
            "the client certificate's key file has several private keys: it must have exactly one private \
             key",
        )),
        _ => Err(unusable()),
    }
}

/// The bytes of a section's base64. Any kind of line end is accepted.
fn decoded(text: &str) -> Option<Vec<u8>> {
    let mut joined = Zeroizing::new(Vec::with_capacity(text.len()));
    joined.extend(text.bytes().filter(|byte| !byte.is_ascii_whitespace()));
    // The buffer has its full length from the start, because growing would leave copies of the key.
    let mut der = Zeroizing::new(vec![0; text.len()]);
    let length = BASE64_STANDARD.decode_slice(&*joined, &mut der).ok()?;
    der.truncate(length);
    Some(std::mem::take(&mut *der))
}

#[cfg(test)]
mod tests {
    use super::*;

    fn pem(label: &str, der: &[u8]) -> String {
        format!("-----BEGIN {label}-----\r\n{}\r\n-----END {label}-----\r\n", BASE64_STANDARD.encode(der))
    }

    #[test]
    fn a_private_key_is_read_by_its_label() {
        let der = b"any bytes".to_vec();
        for (label, key) in [
            ("PRIVATE KEY", PrivatePkcs8KeyDer::from(der.clone()).into()),
            ("RSA PRIVATE KEY", PrivatePkcs1KeyDer::from(der.clone()).into()),
            ("EC PRIVATE KEY", PrivateSec1KeyDer::from(der.clone()).into()),
        ] {
            // OpenSSL writes an elliptic curve's parameters before the key.
            let text = format!("{}{}", pem("EC PARAMETERS", b"a curve"), pem(label, &der));
            let read: &PrivateKeyDer<'_> = &private_key(text.as_bytes()).unwrap();
            assert_eq!(read, &key, "{label}");
        }
    }

    #[test]
    fn a_file_without_exactly_one_private_key_says_which_fault_it_has() {
        let (one, other) = (pem("PRIVATE KEY", b"one"), pem("EC PRIVATE KEY", b"other"));
        let cut = one.split_once("-----END").unwrap().0;
        let mixed = one.replace("END PRIVATE", "END EC PRIVATE");
        for (text, fault) in [
            (format!("{one}{other}"), "several private keys"),
            (format!("{one}{one}"), "several private keys"),
            (cut.to_owned(), "must be PEM with a private key"),
            (mixed, "must be PEM with a private key"),
            (one.replace("-----\r\nb", "-----\r\n!"), "must be PEM with a private key"),
            (pem("ENCRYPTED PRIVATE KEY", b"one"), "must be PEM with a private key"),
        ] {
            let error = private_key(text.as_bytes()).unwrap_err();
            assert!(error.message().contains(fault), "{text}: {error}");
        }
    }
}
