//! A server's certificate: its issuer, its names and its days, and what to do about a refused one.

use std::time::{SystemTime, UNIX_EPOCH};

use merchantpay::{CertificateFault, ConnectionFailure, TlsReport};
use time::OffsetDateTime;
use time::format_description::well_known::Rfc3339;
use x509_cert::Certificate as Parsed;
use x509_cert::der::Decode as _;
use x509_cert::ext::pkix::SubjectAltName;
use x509_cert::ext::pkix::name::GeneralName;
use x509_cert::time::Time;

use super::finding::Finding;

const DAY: i64 = 86_400;
/// Warns if a certificate expires within this many days.
const FEW_DAYS: i64 = 14;

/// Who has sent a certificate.
pub(super) struct Server<'a> {
    /// As the sentences name it.
    pub name: &'static str,
    pub host: &'a str,
    /// The setting with the host.
    pub url: &'static str,
}

/// The parts that a person needs; nothing proves them.
struct Certificate {
    issuer: String,
    names: String,
    /// In seconds since 1970.
    not_before: i64,
    not_after: i64,
}

impl Certificate {
    fn read(der: &[u8]) -> Option<Certificate> {
        let parsed = Parsed::from_der(der).ok()?;
        let parsed = parsed.tbs_certificate();
        let names = parsed.get_extension::<SubjectAltName>().ok().flatten();
        let names: Vec<String> = names.iter().flat_map(|(_, names)| &names.0).map(name).collect();
        let seconds = |time: Time| i64::try_from(time.to_unix_duration().as_secs()).unwrap_or(i64::MAX);
        Some(Certificate {
            issuer: parsed.issuer().to_string(),
            names: names.join(", "),
            not_before: seconds(parsed.validity().not_before),
            not_after: seconds(parsed.validity().not_after),
        })
    }
}

/// The session with a server that is trusted.
pub(super) fn trusted(tls: &TlsReport) -> Finding {
    let version = tls.version.unwrap_or("TLS");
    let Some(Certificate { issuer, not_after, .. }) = Certificate::read(&tls.certificate) else {
        return Finding::ok(version);
    };
    let days = (not_after - now()).div_euclid(DAY);
    let text = format!(
        "{version}, with a certificate issued by {issuer}, which is valid until {} ({days} days)",
        date(not_after)
    );
    if days < FEW_DAYS {
        Finding::warning(text, "ask the server's operator for a new certificate before that day")
    } else {
        Finding::ok(text)
    }
}

/// A handshake that failed.
pub(super) fn refused(server: &Server<'_>, tls: Option<&TlsReport>, failure: &ConnectionFailure) -> Finding {
    let Server { name, host, url } = server;
    let Some(tls) = tls else {
        let text = format!("no TLS with {name}: {}", failure.cause);
        return Finding::fault(text, format!("check the scheme and the port of {url}"));
    };
    let shown = Certificate::read(&tls.certificate);
    let days = |seconds: i64| seconds.max(0) / DAY;
    let (text, next) = match (failure.certificate, &shown) {
        (Some(CertificateFault::Expired), Some(shown)) => (
            format!("{name}'s certificate expired {} days ago", days(now() - shown.not_after)),
            format!("check this machine's clock; if it is right, {name} needs a new certificate"),
        ),
        (Some(CertificateFault::NotYetValid), Some(shown)) => (
            format!(
                "{name}'s certificate is not valid yet: it becomes valid in {} days",
                days(shown.not_before - now())
            ),
            format!("check this machine's clock; if it is right, ask {name}'s operator"),
        ),
        (Some(CertificateFault::OtherName), Some(shown)) => (
            match shown.names.as_str() {
                "" => format!("{name}'s certificate has no subjectAltName, so it is not for {host}"),
                names => format!("{name}'s certificate is for {names}, not for {host}"),
            },
            format!("check the host of {url}; if it is right, {name} needs another certificate"),
        ),
        (Some(CertificateFault::NotPinned), _) => (
            failure.cause.clone(),
            "compare MERCHANTPAY_PIN_SPKI with the key of the service's new certificate".to_owned(),
        ),
        (Some(CertificateFault::UnknownIssuer), _) => (
            format!("{name}'s certificate is not trusted: no trusted CA has issued it"),
            "set MERCHANTPAY_CA_FILE to the certificate of the CA, if you expect this CA".to_owned(),
        ),
        _ => (
            format!("{name}'s certificate is refused: {}", failure.cause),
            format!("ask {name}'s operator for another certificate"),
        ),
    };
    let issuer = shown.map_or_else(String::new, |shown| format!(" (issuer: {})", shown.issuer));
    Finding::fault(text + &issuer, next)
}

fn name(name: &GeneralName) -> String {
    match name {
        GeneralName::DnsName(name) => name.to_string(),
        GeneralName::IpAddress(bytes) => match bytes.as_bytes() {
            [a, b, c, d] => std::net::Ipv4Addr::new(*a, *b, *c, *d).to_string(),
            bytes => <[u8; 16]>::try_from(bytes).map_or_else(
                |_| "an address".to_owned(),
                |bytes| std::net::Ipv6Addr::from(bytes).to_string(),
            ),
        },
        _ => "a name that is not a host name".to_owned(),
    }
}

fn date(seconds: i64) -> String {
    let moment = OffsetDateTime::from_unix_timestamp(seconds).ok();
    let text = moment.and_then(|moment| moment.format(&Rfc3339).ok()).unwrap_or_default();
    text.split('T').next().unwrap_or_default().to_owned()
}

fn now() -> i64 {
    let since = SystemTime::now().duration_since(UNIX_EPOCH).unwrap_or_default();
    i64::try_from(since.as_secs()).unwrap_or(i64::MAX)
}
