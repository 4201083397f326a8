//! Reads the issuer, the names and the expiry of a server's certificate.

use rustls::client::verify_server_name;
use rustls::pki_types::{CertificateDer, ServerName};
use rustls::server::ParsedCertificate;
use x509_cert::Certificate as Parsed;
use x509_cert::der::Decode as _;
use x509_cert::ext::pkix::SubjectAltName;
use x509_cert::ext::pkix::name::GeneralName;
use x509_cert::time::Time;

use super::target::Target;

const SECONDS_OF_A_DAY: i64 = 86_400;

/// The fields of a certificate that was not verified.
pub(super) struct Certificate {
    pub issuer: String,
    /// In seconds since 1970.
    pub not_before: i64,
    pub not_after: i64,
    names: Vec<String>,
    is_for_host: bool,
}

impl Certificate {
    pub(super) fn read(der: &CertificateDer<'_>, target: &Target) -> Option<Certificate> {
        let parsed = Parsed::from_der(der).ok()?;
        let parsed = parsed.tbs_certificate();
        let names = parsed.get_extension::<SubjectAltName>().ok().flatten();
        let names = names.map(|(_, names)| names.0.iter().map(name).collect()).unwrap_or_default();
        let host = ServerName::try_from(target.host.as_str()).ok();
        let is_for_host = host
            .zip(ParsedCertificate::try_from(der).ok())
            .is_some_and(|(host, certificate)| verify_server_name(&certificate, &host).is_ok());
        Some(Certificate {
            issuer: parsed.issuer().to_string(),
            not_before: seconds(parsed.validity().not_before),
            not_after: seconds(parsed.validity().not_after),
            names,
            is_for_host,
        })
    }

    pub(super) fn days_left(&self, now: i64) -> i64 {
        (self.not_after - now).div_euclid(SECONDS_OF_A_DAY)
    }

    /// Returns why the certificate does not fit the host's name or the current time, and what to do. `owner` is
    /// the server, as the texts name it, and `url` the setting that names the host.
    pub(super) fn fault(&self, owner: &str, url: &str, host: &str, now: i64) -> Option<(String, String)> {
        let days = |seconds: i64| seconds / SECONDS_OF_A_DAY;
        if now > self.not_after {
            let text = format!("{owner}'s certificate expired {} days ago", days(now - self.not_after));
            let advice =
                format!("check this machine's clock; if it is right, {owner} needs a new certificate");
            return Some((text, advice));
        }
        if now < self.not_before {
            let text = format!(
                "{owner}'s certificate is not valid yet: it becomes valid in {} days",
                days(self.not_before - now)
            );
            let advice = format!("check this machine's clock; if it is right, ask {owner}'s operator");
            return Some((text, advice));
        }
        (!self.is_for_host).then(|| {
            let text = match self.names.join(", ") {
                names if names.is_empty() => {
                    format!("{owner}'s certificate has no subjectAltName, so it is not for {host}")
                }
                names => format!("{owner}'s certificate is for {names}, not for {host}"),
            };
            (text, format!("check the host of {url}; if it is right, {owner} needs another certificate"))
        })
    }
}

fn seconds(time: Time) -> i64 {
    i64::try_from(time.to_unix_duration().as_secs()).unwrap_or(i64::MAX)
}

fn name(name: &GeneralName) -> String {
    match name {
        GeneralName::DnsName(name) => name.to_string(),
        GeneralName::IpAddress(bytes) => {
            match (<[u8; 4]>::try_from(bytes.as_bytes()), bytes.as_bytes().try_into()) {
                (Ok(address), _) => std::net::Ipv4Addr::from(address).to_string(),
                (_, Ok::<[u8; 16], _>(address)) => std::net::Ipv6Addr::from(address).to_string(),
                _ => "an address".to_owned(),
            }
        }
        _ => "a name that is not a host name".to_owned(),
    }
}
