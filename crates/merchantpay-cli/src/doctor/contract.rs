//! `--contract`: compares a real service with the contract, and where the contract leaves something open, with the
//! sandbox's assumption. Nothing of this moves money.

use std::collections::BTreeSet;

use merchantpay::{Amount, AmountsRequest, Code, Reason};
use merchantpay_sandbox::assumptions;

use super::Setup;
use super::finding::Finding;
use crate::json_members::Members;
use crate::output::{Failure, full_text};

/// The fields of `/available` (contract, section 4.1).
const AMOUNTS: &[&str] = &["success", "availableAmounts", "otherAmountsPossible"];
/// The fields of a refusal (section 4).
const REFUSAL: &[&str] = &["success", "errorDescription"];

pub(super) const ASK: &str = "send this line to the service's support";

/// `/available`, which reserves nothing.
pub(super) fn amounts(setup: &mut Setup<'_>) -> Result<Vec<Finding>, Failure> {
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
            return Ok(Finding::fault(text, ASK).into());
        }
    };
    let found = differences("/available", amounts.json(), AMOUNTS);
    let others = if amounts.other_amounts_possible() { "others are possible" } else { "no others" };
    let count = amounts.available_amounts().len();
    Ok(or_ok(found, || format!("the reply to /available is as in the contract: {count} amounts, {others}")))
}

/// The reply to `/status` of an order that does not exist.
pub(super) fn unknown_order(setup: &mut Setup<'_>) -> Result<Vec<Finding>, Failure> {
    let error = match setup.reply.as_ref().filter(|_| setup.wants_contract()) {
        None => return Ok(Vec::new()),
        Some(Ok(_)) => {
            return Ok(Finding::fault("the service knows an order that was never created", ASK).into());
        }
        // The check of the service has named anything else.
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
    Ok(or_ok(found, || "an unknown order is refused as in the sandbox".to_owned()))
}

pub(super) fn or_ok(found: Vec<Finding>, text: impl FnOnce() -> String) -> Vec<Finding> {
    if found.is_empty() { Finding::ok(text()).into() } else { found }
}

/// The fields of a reply that are missing, and those that the contract does not show.
pub(super) fn differences(reply: &str, json: &str, shown: &[&str]) -> Vec<Finding> {
    let Ok(Members(members)) = serde_json::from_str(json) else {
        return Finding::fault(format!("the reply to {reply} is not a JSON object"), ASK).into();
    };
    let there: BTreeSet<&str> = members.iter().map(|(name, _)| name.as_str()).collect();
    let missing: Vec<&str> = shown.iter().copied().filter(|name| !there.contains(name)).collect();
    let further: Vec<&str> = there.into_iter().filter(|name| !shown.contains(name)).collect();
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
