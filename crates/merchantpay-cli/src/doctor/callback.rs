//! The URL for webhooks: whether it can be reached, and whether a message without a signature is refused there.

use std::net::{IpAddr, Ipv6Addr};
use std::time::Duration;

use axum::http::Uri;
use merchantpay::{Client, Config, Keypair, Setting};
use merchantpay_journal::SETTINGS;
use ureq::tls::TlsConfig;

use super::Setup;
use super::certificate::{self, Server};
use super::finding::Finding;
use super::network::{host, is_local, not_found, unreachable};
use crate::output::Failure;

const URL: &str = "MERCHANTPAY_CALLBACK_URL";
const TIMEOUT: Duration = Duration::from_secs(10);

pub(super) fn callback(setup: &mut Setup<'_>) -> Result<Vec<Finding>, Failure> {
    let Some(client) = &setup.client else { return Ok(Vec::new()) };
    let Some(url) = setup.settings.callback_url() else {
        let text = "no callback URL is set: only `journal settle` learns the results, by asking the service";
        return Ok(Finding::skipped(text).into());
    };
    let clean = Setting::among(SETTINGS, "callback_url").and_then(|setting| setting.clean(&url));
    Ok(match clean {
        Ok(url) => checked(url, is_local(client.base_url())).unwrap_or_else(|fault| fault),
        Err(error) => Finding::fault(error.message(), format!("correct {URL}")),
    }
    .into())
}

/// What the receiver at `url` does, or why it is not asked. `is_near`: the service is on this machine.
fn checked(url: &str, is_near: bool) -> Result<Finding, Finding> {
    let is_usable = |uri: &Uri| {
        let authority = uri.authority().is_some_and(|authority| !authority.as_str().contains('@'));
        authority && matches!(uri.scheme_str(), Some("http" | "https")) && !url.contains(['?', '#'])
    };
    // The text does not repeat the URL, which may contain a password.
    let uri = url.parse().ok().filter(is_usable).ok_or_else(|| {
        Finding::fault(
            "the callback URL must be an absolute http or https URL, without a user name, query or fragment",
            format!("set {URL} to an absolute https URL"),
        )
    })?;
    let is_tls = uri.scheme_str() == Some("https");
    let report = connection(&uri).and_then(|client| client.report_connection());
    let report = report.map_err(|error| Finding::fault(error.message(), format!("correct {URL}")))?;
    if let Some(fault) = not_found(&report) {
        return Err(fault);
    }
    if !is_near && report.addresses.iter().all(|address| is_private(address.ip())) {
        let text = format!(
            "{} is an address of this machine or network, which the service cannot reach",
            report.host
        );
        return Err(Finding::fault(text, format!("set {URL} to a host that the internet can reach")));
    }
    if !is_near && !is_tls {
        let text = "the callback URL is plain http: anyone on the network path can read the webhooks";
        return Err(Finding::fault(text, "use https"));
    }
    if let Some((text, _)) = unreachable(&report) {
        let text = format!("the receiver cannot be reached: {text}");
        return Err(Finding::fault(text, "start the receiver, or check the port"));
    }
    if let Some(failure) = &report.failure {
        let host = host(url).unwrap_or_default();
        let server = Server { name: "the receiver", host: &host, url: URL };
        return Err(certificate::refused(&server, report.tls.as_ref(), failure));
    }
    answer(&uri).map(judge).map_err(|why| {
        Finding::fault(format!("the receiver does not answer: {why}"), "look at the receiver's log")
    })
}

/// A client that only opens connections to the receiver. It trusts this machine's CAs: the service trusts the
/// public ones, and no `ca_file` of ours.
fn connection(uri: &Uri) -> merchantpay::Result<Client> {
    let (own, service) = (Keypair::generate()?, Keypair::generate()?);
    let origin = format!(
        "{}://{}",
        uri.scheme_str().unwrap_or_default(),
        uri.authority().map_or("", |authority| authority.as_str())
    );
    let config = Config::new(origin, "-", own.private_key().clone(), service.public_key());
    Client::new(config.allow_http(true).timeout(TIMEOUT))
}

/// Sends a message without a signature and returns the HTTP status. The certificate was verified before, by the
/// client.
fn answer(uri: &Uri) -> Result<u16, ureq::Error> {
    let agent = ureq::Agent::config_builder()
        .http_status_as_error(false)
        .max_redirects(0)
        .proxy(None)
        .timeout_global(Some(TIMEOUT))
        .tls_config(TlsConfig::builder().disable_verification(true).build())
        .user_agent("merchantpay-doctor")
        .build()
        .new_agent();
    let answer = agent.post(uri).header("Content-Type", "application/json").send("{}")?;
    Ok(answer.status().as_u16())
}

fn judge(status: u16) -> Finding {
    match status {
        200..=299 => Finding::fault(
            format!("the receiver accepts a message without a signature (HTTP {status})"),
            "verify each webhook before your program uses it: docs/webhooks.md",
        ),
        300..=399 => Finding::fault(
            format!("the receiver redirects (HTTP {status})"),
            format!("set {URL} to the final URL: the service possibly does not follow redirects"),
        ),
        404 | 405 => Finding::warning(
            format!("nothing accepts a POST request at this URL (HTTP {status})"),
            "check the path; this result is correct if the receiver accepts only paths below it",
        ),
        500..=599 => Finding::fault(
            format!("the receiver fails when a message has no signature (HTTP {status})"),
            "answer a message without a signature with 400 or 401; look at the receiver's log",
        ),
        _ => Finding::ok(format!("the receiver refuses a message without a signature (HTTP {status})")),
    }
}

fn is_private(address: IpAddr) -> bool {
    match address {
        IpAddr::V4(address) => {
            address.is_loopback()
                || address.is_private()
                || address.is_link_local()
                || address.is_unspecified()
        }
        IpAddr::V6(address) => {
            address.is_loopback() || address == Ipv6Addr::UNSPECIFIED || address.is_unique_local()
        }
    }
}
