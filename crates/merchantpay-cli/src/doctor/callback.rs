//! Checks the URL that receives webhooks: whether the service can reach it, and whether the receiver refuses
//! a message without a signature.

use std::net::IpAddr;

use merchantpay::{Client, Config, Keypair, Setting};
use merchantpay_journal::SETTINGS;

use super::exchange::{self, Connection, Head};
use super::findings::{Findings, Trouble};
use super::network::{open, patience, resolve};
use super::target::Target;
use super::tls;
use crate::journal_settings::JournalSettings;
use crate::output::Failure;

const CHECK: &str = "callback";

pub(super) fn check(
    findings: &mut Findings,
    journal: &JournalSettings,
    is_local: bool,
) -> Result<(), Failure> {
    let Some(url) = journal.callback_url() else {
        return findings.skipped(
            CHECK,
            "no callback URL is set: only `journal settle` learns the results, by asking the service",
        );
    };
    let clean = Setting::among(SETTINGS, "callback_url").and_then(|setting| setting.clean(&url));
    let url = match clean {
        Ok(url) => url,
        Err(error) => return findings.fault(CHECK, error.message(), "correct MERCHANTPAY_CALLBACK_URL"),
    };
    let target = match usable(url) {
        Ok(target) => target,
        Err(trouble) => return findings.trouble(CHECK, trouble),
    };
    match answer(&target, journal, is_local) {
        Ok(head) => judge(findings, &head),
        Err(trouble) => findings.trouble(CHECK, trouble),
    }
}

/// Parses the URL that receives webhooks. An error does not show an unusable URL, because the URL may contain
/// a password.
fn usable(url: &str) -> Result<Target, Trouble> {
    let advice = "set MERCHANTPAY_CALLBACK_URL to an absolute https URL";
    let target = Target::of(url);
    let target = target.filter(|_| !url.contains(['?', '#']));
    target.ok_or_else(|| {
        let text =
            "the callback URL must be an absolute http or https URL, without a user name, query or fragment";
        Trouble::new(text, advice)
    })
}

/// Sends the receiver a message without a signature and returns the receiver's reply.
fn answer(target: &Target, journal: &JournalSettings, is_local: bool) -> Result<Head, Trouble> {
    let limit = patience(&journal.settings);
    let addresses = resolve(&target.host, target.port, limit)?;
    if !is_local && addresses.iter().all(|address| is_private(address.ip())) {
        let text = format!(
            "{} is an address of this machine or network, which the service cannot reach",
            target.host
        );
        return Err(Trouble::new(text, "set MERCHANTPAY_CALLBACK_URL to a host that the internet can reach"));
    }
    if !is_local && !target.has_tls {
        let text = "the callback URL is plain http: anyone on the network path can read the webhooks";
        return Err(Trouble::new(text, "use https"));
    }
    let stream = open(&addresses, limit).map_err(|trouble| {
        Trouble::new(
            format!("the receiver cannot be reached: {}", trouble.text),
            "start the receiver, or check the port",
        )
    })?;
    let mut connection: Connection = Box::new(stream);
    if target.has_tls {
        trusted(target)?;
        connection =
            tls::handshake(connection, target).and_then(|handshake| handshake.connection).map_err(|why| {
                Trouble::new(format!("no TLS with the receiver: {why}"), "check the receiver's certificate")
            })?;
    }
    exchange::unsigned(&mut *connection, "POST", target, "{}").map_err(|why| {
        Trouble::new(format!("the receiver does not answer: {why}"), "look at the receiver's log")
    })
}

/// Checks the receiver's certificate with the public CAs, because the service trusts only these CAs. The
/// client of this check sends no signed request.
fn trusted(target: &Target) -> Result<(), Trouble> {
    let opened = Keypair::generate().and_then(|own| {
        let service = Keypair::generate()?.public_key();
        Client::new(Config::new(target.origin(), "-", own.private_key().clone(), service))?.connect()
    });
    opened.map_err(|error| {
        let text = format!("the receiver's certificate is not trusted: {}", error.message());
        Trouble::new(text, "give the receiver a certificate of a public CA, with the whole chain")
    })
}

fn judge(findings: &mut Findings, head: &Head) -> Result<(), Failure> {
    let status = head.status;
    match status {
        200..=299 => findings.fault(
            CHECK,
            format!("the receiver accepts a message without a signature (HTTP {status})"),
            "verify each webhook before your program uses it: docs/receive-webhooks.md",
        ),
        300..=399 => findings.fault(
            CHECK,
            format!("the receiver redirects (HTTP {status})"),
            "set MERCHANTPAY_CALLBACK_URL to the final URL: the service possibly does not follow redirects",
        ),
        404 | 405 => findings.warning(
            CHECK,
            format!("nothing accepts a POST request at this URL (HTTP {status})"),
            "check the path; this result is correct if the receiver accepts only paths below it",
        ),
        500..=599 => findings.fault(
            CHECK,
            format!("the receiver fails when a message has no signature (HTTP {status})"),
            "answer a message without a signature with 400 or 401; look at the receiver's log",
        ),
        _ => {
            findings.ok(CHECK, format!("the receiver refuses a message without a signature (HTTP {status})"))
        }
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
            address.is_loopback() || address.is_unspecified() || (address.segments()[0] & 0xfe00) == 0xfc00
        }
    }
}
