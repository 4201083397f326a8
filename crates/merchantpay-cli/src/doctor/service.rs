//! A signed `/status` of an order that does not exist: a signed refusal proves that both pairs of keys are right.

use std::time::{Duration, Instant, SystemTime, UNIX_EPOCH};

use merchantpay::{Code, Error, Reason};

use super::Setup;
use super::finding::Finding;
use crate::output::Failure;

/// The clocks may differ by this many seconds: a reply's date has whole seconds, and the reply took a while.
const CLOCK_TOLERANCE: u64 = 60;

/// Asks the service, and compares the clocks by the reply. No signature covers the date, but it is good enough to
/// find a wrong clock.
pub(super) fn clock(setup: &mut Setup<'_>) -> Result<Vec<Finding>, Failure> {
    let Some(client) = setup.client.as_ref().filter(|_| setup.is_connected()) else { return Ok(Vec::new()) };
    let started = Instant::now();
    setup.reply = Some(client.get_status(&unknown_order()));
    setup.reply_took = started.elapsed();
    let clocks = setup.clocks.lock().ok().and_then(|clocks| *clocks);
    let Some((theirs, ours)) = clocks else {
        return Ok(Finding::skipped("the service does not send the time (header Date)").into());
    };
    let (direction, apart) = match ours.duration_since(theirs) {
        Ok(ahead) => ("ahead of", ahead),
        Err(behind) => ("behind", behind.duration()),
    };
    let apart = apart.as_secs();
    Ok(if apart <= CLOCK_TOLERANCE {
        Finding::ok(format!(
            "the clocks of this machine and of the service differ by at most {CLOCK_TOLERANCE} s"
        ))
    } else {
        Finding::fault(
            format!("this machine's clock is {apart} s {direction} the service's"),
            "correct this machine's clock, and keep it correct with NTP (timedatectl)",
        )
    }
    .into())
}

pub(super) fn service(setup: &mut Setup<'_>) -> Result<Vec<Finding>, Failure> {
    Ok(match &setup.reply {
        None if setup.client.is_none() => {
            Finding::skipped("doctor checks nothing else before the settings are complete")
        }
        None => Finding::skipped("there is no connection to the service, so no signed request was sent"),
        Some(Ok(_)) => Finding::warning(
            "the service knows an order that was never created",
            "ask the service's support whether this is a test system",
        ),
        Some(Err(error)) => judge(error, setup.reply_took),
    }
    .into())
}

fn judge(error: &Error, took: Duration) -> Finding {
    match (error.code(), error.http_status(), error.reason()) {
        (Code::Rejected, _, Some(Reason::OrderNotFound | Reason::InvalidOrderId)) => {
            let took = took.as_millis();
            Finding::ok(format!(
                "the service accepts your signature, and the reply's signature is valid ({took} ms)"
            ))
        }
        (Code::Rejected, Some(401 | 403), _) => Finding::fault(
            refusal("the service does not accept your key", error),
            "check MERCHANTPAY_KEY_ID, and that the service has your public key (see `keys` above)",
        ),
        (Code::Rejected, Some(404), _) => Finding::fault(
            refusal("the service does not know this path", error),
            "check MERCHANTPAY_BASE_URL: it must end before /api/v1/merchant/pay",
        ),
        (Code::Rejected, ..) => Finding::warning(
            refusal(
                "the service's signature is valid, but the service refuses an unknown order with its own text",
                error,
            ),
            "send this line to the service's support",
        ),
        (Code::Unverified, ..) => Finding::fault(error.message(), unverified(error)),
        (Code::Timeout, ..) => Finding::fault(error.message(), "ask the service's support whether it works"),
        _ => Finding::fault(
            error.message(),
            "try again; if it fails again, send this line to the service's support",
        ),
    }
}

/// An order id that the service has never given to anybody.
fn unknown_order() -> String {
    let now = SystemTime::now().duration_since(UNIX_EPOCH).unwrap_or_default();
    format!("unknown-{:x}", now.as_nanos())
}

fn refusal(text: &str, error: &Error) -> String {
    error.description().map_or_else(|| text.to_owned(), |description| format!("{text}: {description}"))
}

/// A reply with a signature, even a wrong one, comes from a payment service; one without comes from another
/// server on the way, such as a proxy.
fn unverified(error: &Error) -> &'static str {
    if error.excerpt().is_some() || error.message().contains("X-Signature is missing") {
        "something other than the service answered: check MERCHANTPAY_BASE_URL, and the proxies on the network path"
    } else {
        "compare MERCHANTPAY_SERVER_PUBLIC_KEY and MERCHANTPAY_SERVER_KEY_ID with the values of the service, over a \
         second channel"
    }
}
