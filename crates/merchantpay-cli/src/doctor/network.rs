//! The way to the service as the client itself goes it: its name, its port, a proxy, and TLS.

use std::io::ErrorKind;
use std::net::IpAddr;

use axum::http::Uri;
use merchantpay::{ConnectionFailure, ConnectionReport, ConnectionStep};

use super::Setup;
use super::certificate::{self, Server};
use super::finding::Finding;
use crate::output::Failure;

type Found = Result<Vec<Finding>, Failure>;

/// The report, unless the connection failed before this step.
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
    Ok(not_found(report)
        .unwrap_or_else(|| {
            let shown: Vec<String> =
                report.addresses.iter().map(|address| address.ip().to_string()).collect();
            Finding::ok(format!("{} has the address {}", report.host, shown.join(", ")))
        })
        .into())
}

/// The fault if the name has no address.
pub(super) fn not_found(report: &ConnectionReport) -> Option<Finding> {
    let failure = failed_at(report, ConnectionStep::LookUp)?;
    let text = format!("the name {} cannot be resolved: {}", report.host, failure.cause);
    Some(Finding::fault(text, "check the host's spelling, and this machine's DNS (/etc/resolv.conf)"))
}

pub(super) fn tcp(setup: &mut Setup<'_>) -> Found {
    let Some(report) = reached(setup, ConnectionStep::Connect) else { return Ok(Vec::new()) };
    Ok(match unreachable(report) {
        None => Finding::ok(format!("{} accepts connections on port {}", report.host, report.port)),
        Some((text, next)) => Finding::fault(text, overlooked_proxy(report).unwrap_or(next)),
    }
    .into())
}

/// The fault if no address accepts a connection, and the next step.
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
        return Ok(certificate::refused(&server, report.proxy_tls.as_ref(), failure).into());
    }
    Ok(match failed_at(report, ConnectionStep::Tunnel) {
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
    }
    .into())
}

pub(super) fn tls(setup: &mut Setup<'_>) -> Found {
    let report = reached(setup, ConnectionStep::Tls);
    let Some((report, client)) = report.zip(setup.client.as_ref()) else { return Ok(Vec::new()) };
    let url = client.base_url();
    Ok(match (&report.tls, failed_at(report, ConnectionStep::Tls)) {
        (tls, Some(failure)) => {
            let host = host(url).unwrap_or_default();
            let server = Server { name: "the server", host: &host, url: "the URL" };
            certificate::refused(&server, tls.as_ref(), failure)
        }
        (Some(tls), None) => certificate::trusted(tls),
        (None, None) if is_local(url) => {
            Finding::ok("TLS is not needed: the base URL is on this machine")
        }
        (None, None) => Finding::fault(
            "the base URL is plain http: anyone on the network path can read every account and every signature",
            "use https",
        ),
    }
    .into())
}

/// The host without brackets.
pub(super) fn host(url: &str) -> Option<String> {
    let uri: Uri = url.parse().ok()?;
    Some(uri.host()?.trim_start_matches('[').trim_end_matches(']').to_owned())
}

fn authority(url: &str) -> String {
    let uri = url.parse::<Uri>().ok();
    uri.and_then(|uri| uri.authority().map(ToString::to_string)).unwrap_or_default()
}

/// Whether the text of the URL names this machine.
pub(super) fn is_local(url: &str) -> bool {
    let is_loopback = |host: &str| host.parse().is_ok_and(|address: IpAddr| address.is_loopback());
    host(url).is_some_and(|host| host == "localhost" || is_loopback(&host))
}
