//! Checks `/status` of an order that does not exist.

use merchantpay::{Client, Code, Reason};
use merchantpay_sandbox::assumptions;

use super::{fields, full_text};
use crate::doctor::findings::Findings;
use crate::doctor::unknown_order;
use crate::output::Failure;

const CHECK: &str = "status";

pub(super) fn check(findings: &mut Findings, client: &Client) -> Result<(), Failure> {
    let error = match client.get_status(&unknown_order()) {
        Ok(_) => {
            return findings.fault(CHECK, "the service knows an order that was never created", fields::ASK);
        }
        Err(error) => error,
    };
    if error.code() != Code::Rejected {
        return findings.fault(CHECK, full_text(&error), "run `merchantpay doctor`");
    }
    let mut differs = false;
    let body = error.body().and_then(|body| std::str::from_utf8(body).ok()).unwrap_or_default();
    differs |= fields::compare(findings, CHECK, "/status of an unknown order", body, fields::REFUSAL)?;
    if error.reason() != Some(Reason::OrderNotFound) {
        let text = format!(
            "the service refuses an unknown order with a text other than `order not found`: {}",
            full_text(&error)
        );
        findings.warning(CHECK, text, "your program must check the outcome `rejected`, not the text")?;
        differs = true;
    }
    let status = error.http_status().unwrap_or_default();
    if status != assumptions::NOT_FOUND {
        let text = format!(
            "an unknown order has HTTP status {status}; the sandbox assumes {}",
            assumptions::NOT_FOUND
        );
        findings.warning(CHECK, text, "the library reads the signed body, whatever the status is")?;
        differs = true;
    }
    if differs { Ok(()) } else { findings.ok(CHECK, "an unknown order is refused as in the sandbox") }
}
