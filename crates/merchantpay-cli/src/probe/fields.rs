//! Compares the fields of a reply with the fields of the contract.

use std::collections::BTreeSet;

use crate::doctor::findings::Findings;
use crate::json_members::Members;
use crate::output::Failure;

/// The fields of `/available` (contract, section 4.1).
pub(super) const AMOUNTS: &[&str] = &["success", "availableAmounts", "otherAmountsPossible"];
/// The fields of `/new` (section 4.2). `success` is missing here, because the journal does not store it.
pub(super) const CREDENTIALS: &[&str] = &[
    "orderId",
    "sum",
    "payeeAccount",
    "payeeAccountBank",
    "payeeName",
    "currency",
    "dealSum",
    "dealCurrency",
    "dealRate",
    "deeplink",
];
/// The fields of `/status` for a payment with credentials (section 4.6).
pub(super) const STATUS: &[&str] = &[
    "success",
    "orderId",
    "sum",
    "payeeAccount",
    "payeeAccountBank",
    "payeeName",
    "dealSum",
    "dealCurrency",
    "dealRate",
    "deeplink",
    "status",
];
/// The fields of a refusal (section 4), and of a refused `/cancel` (section 4.5).
pub(super) const REFUSAL: &[&str] = &["success", "errorDescription"];
pub(super) const CANCEL_REFUSAL: &[&str] = &["success", "orderId", "errorDescription"];

/// Reports each field that is missing, and each field that the contract does not show. Returns whether a
/// field was reported.
pub(super) fn compare(
    findings: &mut Findings,
    check: &str,
    reply: &str,
    json: &str,
    shown: &[&str],
) -> Result<bool, Failure> {
    let Ok(Members(members)) = serde_json::from_str(json) else {
        findings.fault(check, format!("the reply to {reply} is not a JSON object"), ASK)?;
        return Ok(true);
    };
    let there: BTreeSet<&str> = members.iter().map(|(name, _)| name.as_str()).collect();
    let missing: Vec<&str> = shown.iter().copied().filter(|name| !there.contains(name)).collect();
    let further: Vec<&str> = there.into_iter().filter(|name| !shown.contains(name)).collect();
    if !missing.is_empty() {
        let text = format!("the reply to {reply} lacks {}", missing.join(", "));
        findings.fault(check, text, ASK)?;
    }
    if !further.is_empty() {
        let text = format!(
            "the reply to {reply} has fields that the contract does not show: {}",
            further.join(", ")
        );
        findings.warning(
            check,
            text,
            "the library keeps these fields; ask the service's support what they mean",
        )?;
    }
    Ok(!missing.is_empty() || !further.is_empty())
}

pub(super) const ASK: &str = "send this line to the service's support";
