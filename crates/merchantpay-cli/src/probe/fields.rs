//! The fields of a reply, compared with those that the contract shows.

use std::collections::BTreeSet;

use crate::doctor::findings::Findings;
use crate::json_members::Members;
use crate::output::Failure;

/// `/available` (contract, section 4.1).
pub(super) const AMOUNTS: &[&str] = &["success", "availableAmounts", "otherAmountsPossible"];
/// `/new` (section 4.2), but for `success`, which the journal does not keep.
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
/// `/status` of a payment with credentials (section 4.6).
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
/// A refusal (section 4), and that of `/cancel` (section 4.5).
pub(super) const REFUSAL: &[&str] = &["success", "errorDescription"];
pub(super) const CANCEL_REFUSAL: &[&str] = &["success", "orderId", "errorDescription"];

/// Reports the fields that are missing or that the contract does not show. Returns whether there are such.
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
        findings.warning(check, text, "the library keeps them; ask the service's support what they mean")?;
    }
    Ok(!missing.is_empty() || !further.is_empty())
}

pub(super) const ASK: &str = "send this line to the service's support";
