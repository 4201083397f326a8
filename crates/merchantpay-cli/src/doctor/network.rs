//! Checks the way to the service: its name, its port, the proxy, TLS, and the clocks at both ends.

use std::net::{SocketAddr, TcpStream, ToSocketAddrs as _};
use std::sync::mpsc::channel;
use std::time::{Duration, SystemTime, UNIX_EPOCH};

use base64::Engine as _;
use base64::engine::general_purpose::STANDARD;
use merchantpay::{Client, Error, SETTINGS};
use time::OffsetDateTime;
use time::format_description::well_known::{Rfc2822, Rfc3339};
use ureq::{Proxy, ProxyProtocol};

use super::exchange::{self, Connection};
use super::findings::{Findings, Trouble};
use super::target::{self, Target};
use super::tls::{self, Handshake};
use crate::output::Failure;
use crate::settings::Settings;

/// Warns if a certificate expires within this many days.
const FEW_DAYS: i64 = 14;
/// The clocks may differ by this many seconds. A larger difference is a fault.
const CLOCK_TOLERANCE: i64 = 60;
/// The time limit of a connection if no limit is set. It equals the client's own default.
const PATIENCE: Duration = Duration::from_secs(10);

/// Checks whether the client itself can open a connection.
pub(super) fn check(findings: &mut Findings, settings: &Settings, client: &Client) -> Result<bool, Failure> {
    let limit = patience(settings);
    let Some(target) = Target::of(client.base_url()) else { return Ok(true) };
    // Only the client decides whether the check succeeds. The steps below only find the step that fails, and
    // the reason.
    let opened = client.derive(limit).connect();
    let connection = match connection(findings, settings, client, &target, limit)? {
        Some(connection) => connection,
        None => return Ok(opened.is_ok()),
    };
    let connection = if target.has_tls {
        let handshake = tls::handshake(connection, &target);
        secured(findings, &target, handshake, &opened)?
    } else {
        plain(findings, &target)?;
        Some(connection)
    };
    match connection {
        Some(connection) => clock(findings, &target, connection)?,
        None => findings.skipped("clock", "the service was not asked for the time")?,
    }
    Ok(opened.is_ok())
}

pub(super) fn patience(settings: &Settings) -> Duration {
    let text = text(settings, "connect_timeout").and_then(|text| text.parse().ok());
    text.map_or(PATIENCE, Duration::from_millis)
}

fn text(settings: &Settings, name: &str) -> Option<String> {
    let setting = SETTINGS.iter().find(|setting| setting.name == name)?;
    settings.text(setting, &settings.origin(setting)?).ok().map(|text| text.to_string())
}

/// Opens a connection to the service, through the proxy if one is set.
fn connection(
    findings: &mut Findings,
    settings: &Settings,
    client: &Client,
    target: &Target,
    limit: Duration,
) -> Result<Option<Connection>, Failure> {
    let proxy = text(settings, "proxy").and_then(|url| Proxy::new(&url).ok());
    let (host, port) =
        proxy.as_ref().map_or((target.host.as_str(), target.port), |proxy| (host_of(proxy), proxy.port()));
    let addresses = match resolve(host, port, limit) {
        Ok(addresses) => addresses,
        Err(trouble) => return findings.trouble("dns", trouble).map(|()| None),
    };
    let shown: Vec<String> = addresses.iter().map(|address| address.ip().to_string()).collect();
    findings.ok("dns", format!("{host} has the address {}", shown.join(", ")))?;
    let stream = match open(&addresses, limit) {
        Ok(stream) => stream,
        Err(trouble) => {
            return findings.trouble("tcp", with_proxy_hint(trouble, proxy.is_some())).map(|()| None);
        }
    };
    findings.ok("tcp", format!("{host} accepts connections on port {port}"))?;
    let Some(proxy) = &proxy else { return Ok(Some(Box::new(stream))) };
    let connection = match proxy.protocol() {
        ProxyProtocol::Https => secured_proxy(proxy, stream, client, || open(&addresses, limit).ok()),
        _ => Ok(Box::new(stream) as Connection),
    };
    match connection.and_then(|connection| through(proxy, connection, target)) {
        Ok(connection) => {
            findings.ok("proxy", format!("{host} opens a tunnel to {}", target.authority()))?;
            Ok(Some(connection))
        }
        Err(trouble) => findings.trouble("proxy", trouble).map(|()| None),
    }
}

/// Resolves a name within a time limit, because the system's resolver has no time limit.
pub(super) fn resolve(host: &str, port: u16, limit: Duration) -> Result<Vec<SocketAddr>, Trouble> {
    let advice = "check the host's spelling, and this machine's DNS (/etc/resolv.conf)";
    let (report, resolved) = channel();
    let name = (host.to_owned(), port);
    std::thread::spawn(move || drop(report.send(name.to_socket_addrs().map(Vec::from_iter))));
    match resolved.recv_timeout(limit) {
        Ok(Ok(addresses)) if !addresses.is_empty() => Ok(addresses),
        Ok(Ok(_)) => Err(Trouble::new(format!("the name {host} has no address"), advice)),
        Ok(Err(error)) => Err(Trouble::new(format!("the name {host} cannot be resolved: {error}"), advice)),
        Err(_) => {
            Err(Trouble::new(format!("the DNS server did not resolve {host} within {limit:?}"), advice))
        }
    }
}

pub(super) fn open(addresses: &[SocketAddr], limit: Duration) -> Result<TcpStream, Trouble> {
    let mut failure = Trouble::new("there is no address to connect to", "check the host of the URL");
    for address in addresses {
        match TcpStream::connect_timeout(address, limit) {
            Ok(stream) => {
                let set = stream.set_read_timeout(Some(limit)).and(stream.set_write_timeout(Some(limit)));
                return set.map(|()| stream).map_err(|error| Trouble::new(error.to_string(), "try again"));
            }
            Err(error) if error.kind() == std::io::ErrorKind::ConnectionRefused => {
                let advice = "check the port of the URL, and that the server runs";
                failure = Trouble::new(format!("nothing accepts connections at {address}"), advice);
            }
            Err(error) => {
                let advice =
                    "check the firewalls on the network path, and whether this network needs a proxy";
                failure = Trouble::new(format!("the connection to {address} failed: {error}"), advice);
            }
        }
    }
    Err(failure)
}

/// Adds a hint about proxies: the library reads only its own variable for the proxy, not usual ones such as
/// HTTPS_PROXY.
fn with_proxy_hint(trouble: Trouble, has_proxy: bool) -> Trouble {
    let names = ["HTTPS_PROXY", "https_proxy", "ALL_PROXY", "all_proxy"];
    match names.iter().find(|name| std::env::var_os(name).is_some_and(|value| !value.is_empty())) {
        Some(name) if !has_proxy => {
            let advice = format!("{name} is set, but the library does not read it: set MERCHANTPAY_PROXY");
            Trouble::new(trouble.text, advice)
        }
        _ => trouble,
    }
}

fn host_of(proxy: &Proxy) -> &str {
    proxy.host().trim_start_matches('[').trim_end_matches(']')
}

/// TLS with the proxy, by the client's own rules: the request for a tunnel contains the proxy's password.
/// `again` opens another connection, which only shows the certificate.
fn secured_proxy(
    proxy: &Proxy,
    stream: TcpStream,
    client: &Client,
    again: impl FnOnce() -> Option<TcpStream>,
) -> Result<Connection, Trouble> {
    const URL: &str = "MERCHANTPAY_PROXY";
    let host = host_of(proxy);
    let why = match tls::verified(Box::new(stream), host, client.proxy_tls()) {
        Ok(connection) => return Ok(connection),
        Err(why) => why,
    };
    if !tls::distrusts(&why) {
        let text = format!("no TLS with the proxy: {why}");
        return Err(Trouble::new(text, format!("check the scheme and the port of {URL}")));
    }
    let at = Target { host: host.to_owned(), port: proxy.port(), has_tls: true, path: String::new() };
    let shown = again().and_then(|stream| tls::handshake(Box::new(stream), &at).ok());
    let certificate = shown.and_then(|shown| shown.certificate);
    let fault =
        certificate.as_ref().and_then(|certificate| certificate.fault("the proxy", URL, host, seconds()));
    let (text, advice) = fault.unwrap_or_else(|| {
        let advice = "set MERCHANTPAY_CA_FILE to the certificate of the proxy's CA, if you expect this CA";
        (format!("the proxy's certificate is not trusted: {why}"), advice.to_owned())
    });
    let issuer = certificate.map(|certificate| format!(" (issuer: {})", certificate.issuer));
    Err(Trouble::new(text + &issuer.unwrap_or_default(), advice))
}

fn through(proxy: &Proxy, mut connection: Connection, target: &Target) -> Result<Connection, Trouble> {
    let authorization = proxy
        .username()
        .map(|name| STANDARD.encode(format!("{name}:{}", proxy.password().unwrap_or_default())));
    let advice = "check that MERCHANTPAY_PROXY names an HTTP proxy";
    let head = exchange::tunnel(&mut *connection, target, authorization.as_deref())
        .map_err(|why| Trouble::new(format!("the proxy does not open a tunnel: {why}"), advice))?;
    let (status, service) = (head.status, target.authority());
    match status {
        200..=299 => Ok(connection),
        407 if authorization.is_some() => Err(Trouble::new(
            "the proxy does not accept this user name and password (HTTP 407)",
            "correct the user name and the password in MERCHANTPAY_PROXY",
        )),
        407 => Err(Trouble::new(
            "the proxy asks for a user name and a password (HTTP 407)",
            "set MERCHANTPAY_PROXY=http://user:password@host:port",
        )),
        _ => Err(Trouble::new(
            format!("the proxy refuses a tunnel to {service} (HTTP {status})"),
            format!("ask the proxy's operator to allow CONNECT to {service}"),
        )),
    }
}

fn plain(findings: &mut Findings, target: &Target) -> Result<(), Failure> {
    if target::is_local(&target.origin()) {
        return findings.ok("tls", "TLS is not needed: the base URL is on this machine");
    }
    let text =
        "the base URL is plain http: anyone on the network path can read every account and every signature";
    findings.fault("tls", text, "use https")
}

/// Opens TLS over the connection. Returns `None` if the handshake failed.
fn secured(
    findings: &mut Findings,
    target: &Target,
    handshake: Result<Handshake, String>,
    opened: &Result<(), Error>,
) -> Result<Option<Connection>, Failure> {
    let handshake = match handshake {
        Ok(handshake) => handshake,
        Err(why) => return findings.fault("tls", why, "check the host of the URL").map(|()| None),
    };
    let now = seconds();
    let certificate = handshake.certificate.as_ref();
    match (opened, certificate) {
        (Ok(()), Some(certificate)) => {
            let days = certificate.days_left(now);
            let text = format!(
                "{}, with a certificate issued by {}, which is valid until {} ({days} days)",
                handshake.version,
                certificate.issuer,
                date(certificate.not_after)
            );
            if days < FEW_DAYS {
                findings.warning(
                    "tls",
                    text,
                    "ask the server's operator for a new certificate before that day",
                )?;
            } else {
                findings.ok("tls", text)?;
            }
        }
        (Ok(()), None) => findings.ok("tls", handshake.version)?,
        (Err(error), Some(certificate)) => {
            let fault = certificate.fault("the server", "the URL", &target.host, now);
            let (text, advice) = fault
                .unwrap_or_else(|| (error.message().to_owned(), trust_advice(error.message()).to_owned()));
            findings.fault("tls", format!("{text} (issuer: {})", certificate.issuer), advice)?;
        }
        (Err(error), None) => {
            findings.fault("tls", error.message(), "check the scheme and the port of the URL")?
        }
    }
    Ok(handshake.connection.ok())
}

fn trust_advice(message: &str) -> &'static str {
    if message.contains("pin") {
        return "compare MERCHANTPAY_PIN_SPKI with the key of the service's new certificate";
    }
    "set MERCHANTPAY_CA_FILE to the certificate of the CA, if you expect this CA"
}

/// Compares the local clock with the header `Date` of a reply. The reply has no signature, but its date is
/// good enough to find a wrong clock.
fn clock(findings: &mut Findings, target: &Target, mut connection: Connection) -> Result<(), Failure> {
    const CHECK: &str = "clock";
    let before = seconds();
    let head = exchange::unsigned(&mut *connection, "HEAD", target, "");
    let after = seconds();
    let theirs = head.as_ref().ok().and_then(|head| head.header("Date")).and_then(http_date);
    let Some(theirs) = theirs else {
        return findings.skipped(CHECK, "the service does not send the time (header Date)");
    };
    // The service made its reply between the times `before` and `after`.
    let ahead = if before > theirs { before - theirs } else { (after - theirs).min(0) };
    if ahead.abs() <= CLOCK_TOLERANCE {
        return findings.ok(
            CHECK,
            format!("the clocks of this machine and of the service differ by at most {CLOCK_TOLERANCE} s"),
        );
    }
    let direction = if ahead > 0 { "ahead of" } else { "behind" };
    let text = format!("this machine's clock is {} s {direction} the service's", ahead.abs());
    findings.fault(CHECK, text, "correct this machine's clock, and keep it correct with NTP (timedatectl)")
}

fn http_date(text: &str) -> Option<i64> {
    let text = text.strip_suffix("GMT").map(|text| format!("{text}+0000"))?;
    OffsetDateTime::parse(&text, &Rfc2822).ok().map(OffsetDateTime::unix_timestamp)
}

fn date(seconds: i64) -> String {
    let moment = OffsetDateTime::from_unix_timestamp(seconds).ok();
    let text = moment.and_then(|moment| moment.format(&Rfc3339).ok()).unwrap_or_default();
    text.split('T').next().unwrap_or_default().to_owned()
}

pub(super) fn seconds() -> i64 {
    SystemTime::now()
        .duration_since(UNIX_EPOCH)
        .map_or(0, |since| i64::try_from(since.as_secs()).unwrap_or(i64::MAX))
}

#[cfg(test)]
mod tests {
    use super::*;

    #[test]
    fn the_date_of_a_reply_is_read_to_the_second() {
        assert_eq!(http_date("Thu, 01 Jan 2026 00:00:00 GMT"), Some(1_767_225_600));
        for text in ["", "GMT", "Thu, 01 Jan 2026 00:00:00", "yesterday GMT"] {
            assert_eq!(http_date(text), None, "{text}");
        }
        assert_eq!(date(1_767_225_600), "2026-01-01");
    }
}
