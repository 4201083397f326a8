//! The URL for webhooks: whether it can be reached, and whether a message without a signature is refused there. And the
//! journal: its database, the attempts that wait in it, and whether `settle` runs.

use std::net::{IpAddr, Ipv6Addr};
use std::time::Duration;

use axum::http::Uri;
use merchantpay::{Client, Code, Config, Error, Keypair, Setting};
use merchantpay_journal::{SETTINGS, Stats};
use ureq::tls::TlsConfig;

use super::network::{Server, host, is_local, not_found, refused, unreachable};
use super::{Finding, Found, Setup};

const URL: &str = "MERCHANTPAY_CALLBACK_URL";
const TIMEOUT: Duration = Duration::from_secs(10);

pub(super) fn callback(setup: &mut Setup<'_>) -> Found {
    let Some(client) = &setup.client else { return Ok(Vec::new()) };
    let Some(url) = setup.arguments.settings.value("callback_url") else {
        let text = "no callback URL is set: only `journal settle` learns the results, by asking the service";
        return Finding::skipped(text).into();
    };
    let clean = Setting::among(SETTINGS, "callback_url").and_then(|setting| setting.clean(&url));
    Found::from(match clean {
        Ok(url) => checked(url, is_local(client.base_url())).unwrap_or_else(|fault| fault),
        Err(error) => Finding::fault(error.message(), format!("correct {URL}")),
    })
}

/// `is_near`: the service is on this machine, so it reaches addresses that the internet does not.
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
        return Err(refused(&server, report.tls.as_ref(), failure));
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

/// The HTTP status for a message without a signature. `checked` has verified the certificate.
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

/// If an attempt is overdue for longer, no `settle` runs.
const LONGEST_OVERDUE_MS: i64 = 10 * 60 * 1000;

pub(super) fn journal(setup: &mut Setup<'_>) -> Found {
    if setup.client.is_none() {
        return Ok(Vec::new());
    }
    if setup.arguments.settings.journal_place().is_none() {
        let text = "no journal is set: without a journal, a lost reply can lead to a second payment";
        return Finding::skipped(text).into();
    }
    Found::from(match setup.arguments.settings.open().and_then(|(_, journal)| journal.stats()) {
        Ok(stats) => {
            let Stats { standings, attention, .. } = &stats;
            let attempts = standings.sending + standings.unknown + standings.open;
            let finding = match (&stats.pause, attention) {
                (Some(note), _) => Finding::warning(
                    format!("the journal is paused, so nothing is paid: {note}"),
                    "run `merchantpay journal resume`, or `merchantpay journal restored` on a copy",
                ),
                (None, 0) => Finding::ok(format!(
                    "the journal answers; {attempts} attempts are not over, and nothing needs attention"
                )),
                (None, _) => Finding::warning(
                    format!("an operator must decide about {attention} items"),
                    "run `merchantpay journal attention`",
                ),
            };
            setup.stats = Some(stats);
            finding
        }
        Err(error) => {
            let is_file = setup.arguments.settings.journal_file().is_some();
            Finding::fault(error.message(), next_step(&error, is_file))
        }
    })
}

/// Adds nothing where the journal's own text says what to do.
fn next_step(error: &Error, is_file: bool) -> &'static str {
    match (error.code(), is_file, error.is_transient()) {
        (Code::InvalidArgument, ..) => "correct what this line names",
        (_, true, _) => {
            "do what this line says; otherwise check the path, the disk, and that this user owns the file"
        }
        (_, false, false) => "correct what this line names",
        (_, false, true) => "check that the database runs, and the URL, the user and the password",
    }
}

pub(super) fn settle(setup: &mut Setup<'_>) -> Found {
    let Some(stats) = &setup.stats else { return Ok(Vec::new()) };
    let overdue = stats.overdue_ms.filter(|overdue| *overdue > LONGEST_OVERDUE_MS);
    Found::from(overdue.map_or_else(
        || Finding::ok("no attempt is overdue"),
        |overdue| {
            let minutes = overdue / 60_000;
            Finding::fault(
                format!(
                    "an attempt has been due for {minutes} minutes: `journal settle` does not run, or does not \
                     succeed"
                ),
                "run `merchantpay journal settle --every 10s` as a service",
            )
        },
    ))
}
