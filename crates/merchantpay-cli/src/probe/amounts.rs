//! Checks `/available`, which reserves nothing.

use merchantpay::{Amount, AmountsRequest, Client, Code, PaymentMethod};

use super::{fields, full_text};
use crate::doctor::findings::Findings;
use crate::output::Failure;

const CHECK: &str = "available";

pub(super) fn check(
    findings: &mut Findings,
    client: &Client,
    sum: Amount,
    method: PaymentMethod,
) -> Result<(), Failure> {
    let amounts = match client.get_available_amounts(&AmountsRequest::new(sum, method)) {
        Ok(amounts) => amounts,
        Err(error) if error.code() == Code::Rejected => {
            let text = format!("the service refuses to list amounts for {sum} RUB: {}", full_text(&error));
            return findings.fault(CHECK, text, fields::ASK);
        }
        Err(error) => return findings.fault(CHECK, full_text(&error), "run `merchantpay doctor`"),
    };
    if fields::compare(findings, CHECK, "/available", amounts.json(), fields::AMOUNTS)? {
        return Ok(());
    }
    let others = if amounts.other_amounts_possible() { "others are possible" } else { "no others" };
    findings.ok(
        CHECK,
        format!(
            "the reply is as the contract shows it: {} amounts, {others}",
            amounts.available_amounts().len()
        ),
    )
}
