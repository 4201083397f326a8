//! A signed `/status` of an order that does not exist: a signed refusal proves that both pairs of keys are right. With
//! `--contract` the replies are also compared with the contract, and where the contract leaves something open, with the
//! sandbox's assumption. Nothing of this moves money.

use std::collections::BTreeSet;
use std::time::{Duration, Instant};

use merchantpay::{Amount, AmountsRequest, Code, Error, Reason};
use merchantpay_sandbox::assumptions;

use super::{Finding, Found, Setup};
use crate::dates;
use crate::document::Members;
use crate::output::full_text;

/// In seconds: a reply's date has whole seconds, and the reply took a while.
const CLOCK_TOLERANCE: u64 = 60;

/// Asks the service, and compares the clocks by the reply. No signature covers the date, but it is good enough to
/// find a wrong clock.
pub(super) fn clock(setup: &mut Setup<'_>) -> Found {
    let Some(client) = setup.client.as_ref().filter(|_| setup.is_connected()) else { return Ok(Vec::new()) };
    let started = Instant::now();
    setup.reply = Some(client.get_status(&format!("unknown-{:x}", dates::now())));
    setup.reply_took = started.elapsed();
    let clocks = setup.clocks.lock().ok().and_then(|clocks| *clocks);
    let Some((theirs, ours)) = clocks else {
        return Finding::skipped("the service does not send the time (header Date)").into();
    };
    let (direction, apart) = match ours.duration_since(theirs) {
        Ok(ahead) => ("ahead of", ahead),
        Err(behind) => ("behind", behind.duration()),
    };
    let apart = apart.as_secs();
    Found::from(if apart <= CLOCK_TOLERANCE {
        Finding::ok(format!(
            "the clocks of this machine and of the service differ by at most {CLOCK_TOLERANCE} s"
        ))
    } else {
        Finding::fault(
            format!("this machine's clock is {apart} s {direction} the service's"),
            "correct this machine's clock, and keep it correct with NTP (timedatectl)",
        )
    })
}

pub(super) fn service(setup: &mut Setup<'_>) -> Found {
    Found::from(match &setup.reply {
        None if setup.client.is_none() => {
            Finding::skipped("doctor checks nothing else before the settings are complete")
        }
        None => Finding::skipped("there is no connection to the service, so no signed request was sent"),
        Some(Ok(_)) => Finding::warning(
            "the service knows an order that was never created",
            "ask the service's support whether this is a test system",
        ),
        Some(Err(error)) => judge(error, setup.reply_took),
    })
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

/// Contract, section 4.1.
const AMOUNTS: &str = "success availableAmounts otherAmountsPossible";
/// Section 4.
const REFUSAL: &str = "success errorDescription";

pub(super) const ASK: &str = "send this line to the service's support";

/// `/available`, which reserves nothing.
pub(super) fn amounts(setup: &mut Setup<'_>) -> Found {
    let is_wanted = setup.wants_contract() && setup.is_connected();
    let Some(client) = setup.client.as_ref().filter(|_| is_wanted) else { return Ok(Vec::new()) };
    let arguments = setup.arguments;
    let sum: Amount = arguments.pay.as_ref().unwrap_or(&arguments.sum).parse()?;
    let request = AmountsRequest::new(sum, arguments.payment_method.parse()?);
    let amounts = match client.get_available_amounts(&request) {
        Ok(amounts) => amounts,
        Err(error) => {
            let text = match error.code() {
                Code::Rejected => {
                    format!("the service refuses to list amounts for {sum} RUB: {}", full_text(&error))
                }
                _ => full_text(&error),
            };
            return Finding::fault(text, ASK).into();
        }
    };
    let found = differences("/available", amounts.json(), AMOUNTS);
    let others = if amounts.other_amounts_possible() { "others are possible" } else { "no others" };
    let count = amounts.available_amounts().len();
    or_ok(found, || format!("the reply to /available is as in the contract: {count} amounts, {others}"))
}

pub(super) fn unknown_order(setup: &mut Setup<'_>) -> Found {
    let error = match setup.reply.as_ref().filter(|_| setup.wants_contract()) {
        None => return Ok(Vec::new()),
        Some(Ok(_)) => {
            return Finding::fault("the service knows an order that was never created", ASK).into();
        }
        // `service` has reported any other error.
        Some(Err(error)) if error.code() != Code::Rejected => return Ok(Vec::new()),
        Some(Err(error)) => error,
    };
    let body = error.body().and_then(|body| std::str::from_utf8(body).ok()).unwrap_or_default();
    let mut found = differences("/status of an unknown order", body, REFUSAL);
    if error.reason() != Some(Reason::OrderNotFound) {
        let text = format!(
            "the service refuses an unknown order with a text other than `order not found`: {}",
            full_text(error)
        );
        found.push(Finding::warning(text, "your program must check the outcome `rejected`, not the text"));
    }
    let (status, assumed) = (error.http_status().unwrap_or_default(), assumptions::NOT_FOUND);
    if status != assumed {
        found.push(Finding::warning(
            format!("an unknown order has HTTP status {status}; the sandbox assumes {assumed}"),
            "the library reads the signed body, whatever the status is",
        ));
    }
    or_ok(found, || "an unknown order is refused as in the sandbox".to_owned())
}

pub(super) fn or_ok(found: Vec<Finding>, text: impl FnOnce() -> String) -> Found {
    Ok(if found.is_empty() { vec![Finding::ok(text())] } else { found })
}

pub(super) fn differences(reply: &str, json: &str, shown: &str) -> Vec<Finding> {
    let Ok(Members(members)) = serde_json::from_str(json) else {
        return vec![Finding::fault(format!("the reply to {reply} is not a JSON object"), ASK)];
    };
    let there: BTreeSet<&str> = members.iter().map(|(name, _)| name.as_str()).collect();
    let shown: BTreeSet<&str> = shown.split(' ').collect();
    let missing: Vec<&str> = shown.difference(&there).copied().collect();
    let further: Vec<&str> = there.difference(&shown).copied().collect();
    let mut found = Vec::new();
    if !missing.is_empty() {
        found.push(Finding::fault(format!("the reply to {reply} lacks {}", missing.join(", ")), ASK));
    }
    if !further.is_empty() {
        let further = further.join(", ");
        found.push(Finding::warning(
            format!("the reply to {reply} has fields that the contract does not show: {further}"),
            "the library keeps these fields; ask the service's support what they mean",
        ));
    }
    found
}
