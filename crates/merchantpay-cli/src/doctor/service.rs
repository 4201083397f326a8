//! Sends a signed `/status` request for an order that does not exist. The signed refusal proves that both
//! pairs of keys are right.

use std::time::{Instant, SystemTime, UNIX_EPOCH};

use merchantpay::{Client, Code, Error, Reason};

use super::findings::Findings;
use crate::output::Failure;

const CHECK: &str = "service";

pub(super) fn check(findings: &mut Findings, client: &Client, is_reached: bool) -> Result<(), Failure> {
    if !is_reached {
        return findings
            .skipped(CHECK, "there is no connection to the service, so no signed request was sent");
    }
    let started = Instant::now();
    let answer = client.get_status(&unknown_order());
    let took = started.elapsed().as_millis();
    let error = match answer {
        Err(error) => error,
        Ok(_) => {
            let text = "the service knows an order that was never created";
            return findings.warning(CHECK, text, "ask the service's support whether this is a test system");
        }
    };
    match (error.code(), error.http_status()) {
        (Code::Rejected, _)
            if matches!(error.reason(), Some(Reason::OrderNotFound | Reason::InvalidOrderId)) =>
        {
            findings.ok(
                CHECK,
                format!("the service accepts your signature, and the reply's signature is valid ({took} ms)"),
            )
        }
        (Code::Rejected, Some(401 | 403)) => {
            let advice =
                "check MERCHANTPAY_KEY_ID, and that the service has your public key (see `keys` above)";
            findings.fault(CHECK, refusal("the service does not accept your key", &error), advice)
        }
        (Code::Rejected, Some(404)) => findings.fault(
            CHECK,
            refusal("the service does not know this path", &error),
            "check MERCHANTPAY_BASE_URL: it must end before /api/v1/merchant/pay",
        ),
        (Code::Rejected, _) => findings.warning(
            CHECK,
            refusal(
                "the service's signature is valid, but the service refuses an unknown order with its own \
                 text",
                &error,
            ),
            "send this line to the service's support",
        ),
        (Code::Unverified, _) => findings.fault(CHECK, error.message(), unverified_advice(&error)),
        (Code::Timeout, _) => {
            findings.fault(CHECK, error.message(), "ask the service's support whether it works")
        }
        _ => findings.fault(
            CHECK,
            error.message(),
            "try again; if it fails again, send this line to the service's support",
        ),
    }
}

/// An order id that the service has never given to anybody.
pub(crate) fn unknown_order() -> String {
    let now = SystemTime::now().duration_since(UNIX_EPOCH).unwrap_or_default();
    format!("unknown-{:x}", now.as_nanos())
}

fn refusal(text: &str, error: &Error) -> String {
    error.description().map_or_else(|| text.to_owned(), |description| format!("{text}: {description}"))
}

/// A reply with a signature, even a wrong signature, comes from a payment service. A reply without a
/// signature comes from another server on the network path, such as a proxy.
fn unverified_advice(error: &Error) -> &'static str {
    if error.excerpt().is_some() || error.message().contains("X-Signature is missing") {
        return "something other than the service answered: check MERCHANTPAY_BASE_URL, and the proxies on \
             the network path";
    }
    "compare MERCHANTPAY_SERVER_PUBLIC_KEY and MERCHANTPAY_SERVER_KEY_ID with the values of the service, \
     over a second channel"
}
