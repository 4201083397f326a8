//! The way to the service as the client itself goes it: its name, its port, a proxy, TLS, and what to do about a refused
//! certificate.

use std::io::ErrorKind;
use std::net::IpAddr;

use axum::http::Uri;
use merchantpay::{CertificateFault, ConnectionFailure, ConnectionReport, ConnectionStep, TlsReport};
use x509_cert::Certificate as Parsed;
use x509_cert::der::Decode as _;
use x509_cert::ext::pkix::SubjectAltName;
use x509_cert::ext::pkix::name::GeneralName;
use x509_cert::time::Time;

use super::{Finding, Found, Setup};
use crate::dates;

/// `None` if the connection failed before this step.
fn reached<'a>(setup: &'a Setup<'_>, step: ConnectionStep) -> Option<&'a ConnectionReport> {
    let report = setup.connection.as_ref()?;
    report.failure.as_ref().is_none_or(|failure| failure.step >= step).then_some(report)
}

fn failed_at(report: &ConnectionReport, step: ConnectionStep) -> Option<&ConnectionFailure> {
    report.failure.as_ref().filter(|failure| failure.step == step)
}

pub(super) fn dns(setup: &mut Setup<'_>) -> Found {
    let Some(client) = &setup.client else { return Ok(Vec::new()) };
    let report = setup.connection.insert(client.report_connection()?);
    Found::from(not_found(report).unwrap_or_else(|| {
        let shown: Vec<String> = report.addresses.iter().map(|address| address.ip().to_string()).collect();
        Finding::ok(format!("{} has the address {}", report.host, shown.join(", ")))
    }))
}

pub(super) fn not_found(report: &ConnectionReport) -> Option<Finding> {
    let failure = failed_at(report, ConnectionStep::LookUp)?;
    let text = format!("the name {} cannot be resolved: {}", report.host, failure.cause);
    Some(Finding::fault(text, "check the host's spelling, and this machine's DNS (/etc/resolv.conf)"))
}

pub(super) fn tcp(setup: &mut Setup<'_>) -> Found {
    let Some(report) = reached(setup, ConnectionStep::Connect) else { return Ok(Vec::new()) };
    Found::from(match unreachable(report) {
        None => Finding::ok(format!("{} accepts connections on port {}", report.host, report.port)),
        Some((text, next)) => Finding::fault(text, overlooked_proxy(report).unwrap_or(next)),
    })
}

/// The fault and the next step.
pub(super) fn unreachable(report: &ConnectionReport) -> Option<(String, String)> {
    let failure = failed_at(report, ConnectionStep::Connect)?;
    let addresses: Vec<String> = report.addresses.iter().map(ToString::to_string).collect();
    let addresses = addresses.join(", ");
    Some(match failure.kind {
        ErrorKind::ConnectionRefused => (
            format!("nothing accepts connections at {addresses}"),
            "check the port of the URL, and that the server runs".to_owned(),
        ),
        _ => (
            format!("the connection to {addresses} failed: {}", failure.cause),
            "check the firewalls on the network path, and whether this network needs a proxy".to_owned(),
        ),
    })
}

/// Advice if a usual variable names a proxy: the library reads only its own.
fn overlooked_proxy(report: &ConnectionReport) -> Option<String> {
    let names = ["HTTPS_PROXY", "https_proxy", "ALL_PROXY", "all_proxy"];
    let is_set = |name: &&&str| std::env::var_os(name).is_some_and(|value| !value.is_empty());
    let name = names.iter().find(is_set).filter(|_| !report.is_proxy)?;
    Some(format!("{name} is set, but the library does not read it: set MERCHANTPAY_PROXY"))
}

pub(super) fn proxy(setup: &mut Setup<'_>) -> Found {
    let report = reached(setup, ConnectionStep::ProxyTls).filter(|report| report.is_proxy);
    let Some((report, client)) = report.zip(setup.client.as_ref()) else { return Ok(Vec::new()) };
    let service = authority(client.base_url());
    if let Some(failure) = failed_at(report, ConnectionStep::ProxyTls) {
        let server = Server { name: "the proxy", host: &report.host, url: "MERCHANTPAY_PROXY" };
        return refused(&server, report.proxy_tls.as_ref(), failure).into();
    }
    Found::from(match failed_at(report, ConnectionStep::Tunnel) {
        None => Finding::ok(format!("{} opens a tunnel to {service}", report.host)),
        // Only the user and the password make the client give up for good.
        Some(failure) if !failure.error.is_transient() => Finding::fault(
            failure.cause.clone(),
            "correct the user name and the password: MERCHANTPAY_PROXY=http://user:password@host:port",
        ),
        Some(failure) => Finding::fault(
            format!("the proxy opens no tunnel to {service}: {}", failure.cause),
            format!("ask the proxy's operator to allow CONNECT to {service}"),
        ),
    })
}

pub(super) fn tls(setup: &mut Setup<'_>) -> Found {
    let report = reached(setup, ConnectionStep::Tls);
    let Some((report, client)) = report.zip(setup.client.as_ref()) else { return Ok(Vec::new()) };
    let url = client.base_url();
    Found::from(match (&report.tls, failed_at(report, ConnectionStep::Tls)) {
        (tls, Some(failure)) => {
            let host = host(url).unwrap_or_default();
            let server = Server { name: "the server", host: &host, url: "the URL" };
            refused(&server, tls.as_ref(), failure)
        }
        (Some(tls), None) => trusted(tls),
        (None, None) if is_local(url) => Finding::ok("TLS is not needed: the base URL is on this machine"),
        (None, None) => Finding::fault(
            "the base URL is plain http: anyone on the network path can read every account and every signature",
            "use https",
        ),
    })
}

pub(super) fn host(url: &str) -> Option<String> {
    let uri: Uri = url.parse().ok()?;
    Some(uri.host()?.trim_start_matches('[').trim_end_matches(']').to_owned())
}

fn authority(url: &str) -> String {
    let uri = url.parse::<Uri>().ok();
    uri.and_then(|uri| uri.authority().map(ToString::to_string)).unwrap_or_default()
}

pub(super) fn is_local(url: &str) -> bool {
    let is_loopback = |host: &str| host.parse().is_ok_and(|address: IpAddr| address.is_loopback());
    host(url).is_some_and(|host| host == "localhost" || is_loopback(&host))
}

const DAY: i64 = 86_400;
const WARN_BELOW_DAYS: i64 = 14;

pub(super) struct Server<'a> {
    /// As the messages call it.
    pub name: &'static str,
    pub host: &'a str,
    /// The setting with the host.
    pub url: &'static str,
}

/// Only for messages: nothing proves these texts of a refused certificate.
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

fn trusted(tls: &TlsReport) -> Finding {
    let version = tls.version.unwrap_or("TLS");
    let Some(Certificate { issuer, not_after, .. }) = Certificate::read(&tls.certificate) else {
        return Finding::ok(version);
    };
    let days = (not_after - now()).div_euclid(DAY);
    let end = dates::text(not_after.saturating_mul(1000));
    let day = end.split('T').next().unwrap_or_default();
    let text =
        format!("{version}, with a certificate issued by {issuer}, which is valid until {day} ({days} days)");
    if days < WARN_BELOW_DAYS {
        Finding::warning(text, "ask the server's operator for a new certificate before that day")
    } else {
        Finding::ok(text)
    }
}

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

fn now() -> i64 {
    dates::now() / 1000
}
