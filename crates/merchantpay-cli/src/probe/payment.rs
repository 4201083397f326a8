//! Makes one payment through the journal after the user has typed the payment's sum. Then the user pays or
//! cancels the payment.

use std::time::{Duration, SystemTime, UNIX_EPOCH};

use merchantpay::{Client, Code, Error, Payment, PaymentMethod, PaymentRequest, Reason, Status};
use merchantpay_journal::{Entry, IntentState, Journal, Until};
use merchantpay_sandbox::assumptions;

use super::prompt::ask;
use super::{fields, full_text};
use crate::args;
use crate::doctor::findings::Findings;
use crate::interrupts::interrupt_on_signal;
use crate::journal_settings::JournalSettings;
use crate::output::Failure;

const CHECK: &str = "payment";
/// The probe waits this long for the service to check a payment. Then the probe ends without the result.
const PATIENCE: Duration = Duration::from_secs(600);

/// Makes the request from the arguments and checks it.
pub(super) fn request(arguments: &args::Probe, sum: &str) -> Result<PaymentRequest, Error> {
    let account = arguments.customer_account.as_deref().unwrap_or_default();
    let method: PaymentMethod = arguments.payment_method.parse()?;
    let mut request = PaymentRequest::new(sum.parse::<merchantpay::Amount>()?, method, account);
    if let Some(bank) = &arguments.payer_bank {
        request = request.payer_bank(bank);
    }
    request.checked_body(false)?;
    Ok(request)
}

pub(super) fn check(
    findings: &mut Findings,
    settings: &JournalSettings,
    sum: &str,
    request: &PaymentRequest,
) -> Result<(), Failure> {
    let (client, journal) = settings.open()?;
    let wanted = format!("{sum} RUB");
    let question =
        format!("This makes a payment of {wanted} at {}. Type {wanted} to go on.", client.base_url());
    if ask(&question)? != wanted {
        return Err(Error::invalid_argument(format!(
            "the confirmation was not {wanted:?}: no payment was made"
        ))
        .into());
    }
    interrupt_on_signal(&client)?;
    let reference = reference();
    let entry = journal.pay(&reference, request)?;
    let Some(payment) = entry.credentials.clone() else {
        let description =
            entry.error.as_ref().and_then(|error| error.description.as_deref()).unwrap_or("no credentials");
        let text = format!("the payment {reference} has no account or link to pay to: {description}");
        return findings.fault(CHECK, text, format!("merchantpay journal show {reference}"));
    };
    created(findings, &client, &payment)?;
    let question = format!(
        "Pay {sum} RUB to {} ({}), then type paid. Anything else cancels the payment {reference}.",
        payment.payee_account().unwrap_or("-"),
        payment.deeplink().unwrap_or("no link"),
    );
    if ask(&question)? == "paid" {
        paid(findings, &journal, &entry)
    } else {
        cancelled(findings, &client, &journal, &entry)
    }
}

/// A reference that no other payment of the journal has.
fn reference() -> String {
    let now = SystemTime::now().duration_since(UNIX_EPOCH).unwrap_or_default();
    format!("probe-{}", now.as_millis())
}

/// Checks the reply to `/new` and the reply to the following `/status`.
fn created(findings: &mut Findings, client: &Client, payment: &Payment) -> Result<(), Failure> {
    let mut differs = fields::compare(findings, CHECK, "/new", payment.json(), fields::CREDENTIALS)?;
    let order_id = payment.order_id();
    if !assumptions::is_order_id(order_id) {
        let text = "the order id has more than 64 characters, or characters other than letters, digits, - \
             and _ (the sandbox's order ids have only these)";
        findings.warning(CHECK, text, "your program must store order ids as texts of any length")?;
        differs = true;
    }
    let status = client.get_status(order_id)?;
    differs |= fields::compare(findings, CHECK, "/status", status.json(), fields::STATUS)?;
    if status.status() != Some(&Status::Pending) {
        let text = format!("a payment with credentials has the status {}", name(&status));
        findings.fault(CHECK, text, fields::ASK)?;
        differs = true;
    }
    // Two amounts are equal even if they have different numbers of decimals.
    let same = [
        ("sum", payment.sum() == status.sum()),
        ("payeeAccount", payment.payee_account() == status.payee_account()),
        ("payeeAccountBank", payment.payee_account_bank() == status.payee_account_bank()),
        ("dealSum", payment.deal_sum() == status.deal_sum()),
        ("dealCurrency", payment.deal_currency() == status.deal_currency()),
        ("dealRate", payment.deal_rate() == status.deal_rate()),
        ("deeplink", payment.deeplink() == status.deeplink()),
    ];
    for (field, _) in same.into_iter().filter(|(_, is_same)| !is_same) {
        findings.fault(
            CHECK,
            format!("the reply to /status has a different {field} than the reply to /new"),
            fields::ASK,
        )?;
        differs = true;
    }
    differs |= holder(findings, payment, &status)?;
    if differs { Ok(()) } else { findings.ok(CHECK, "/new and /status are as in the sandbox") }
}

/// Checks whether the reply to `/status` has the holder's name in Latin letters.
fn holder(findings: &mut Findings, payment: &Payment, status: &Payment) -> Result<bool, Failure> {
    let (Some(issued), Some(latin)) = (payment.payee_name(), status.payee_name()) else { return Ok(false) };
    if latin.chars().any(|c| c.is_alphabetic() && !c.is_ascii()) {
        findings.fault(CHECK, "payeeName in /status is not in Latin letters", fields::ASK)?;
        return Ok(true);
    }
    if assumptions::to_latin(issued) != latin {
        let text = "the service transliterates payeeName in /status differently from the sandbox";
        findings.warning(CHECK, text, "your program must not compare names")?;
        return Ok(true);
    }
    Ok(false)
}

fn paid(findings: &mut Findings, journal: &Journal, entry: &Entry) -> Result<(), Failure> {
    let confirmed = journal.confirm(entry)?;
    if confirmed.intent_state != Some(IntentState::Accepted) {
        let text = format!("the confirm of {} is {}", entry.reference, intent(confirmed.intent_state));
        return findings.fault(CHECK, text, advice(entry));
    }
    let last = journal.wait(&entry.reference, Until::Final, PATIENCE)?;
    if last.succeeded {
        return findings.ok(CHECK, format!("{} is paid: doneSuccess, exactly the sum", entry.reference));
    }
    let status = last.status.as_ref().map_or_else(|| "unknown".to_owned(), |status| status.to_string());
    findings.warning(
        CHECK,
        format!("{} has ended with another status: {status}", entry.reference),
        advice(entry),
    )
}

fn cancelled(
    findings: &mut Findings,
    client: &Client,
    journal: &Journal,
    entry: &Entry,
) -> Result<(), Failure> {
    let order_id = entry.order_id.as_deref().unwrap_or_default();
    let cancelled = journal.cancel(entry)?;
    if cancelled.intent_state != Some(IntentState::Accepted) {
        let text = format!("the cancel of {} is {}", entry.reference, intent(cancelled.intent_state));
        return findings.fault(CHECK, text, advice(entry));
    }
    let last = journal.wait(&entry.reference, Until::Final, PATIENCE)?;
    let mut differs = false;
    if last.status != Some(Status::DoneFail) {
        let status = last.status.as_ref().map_or_else(|| "none".to_owned(), |status| status.to_string());
        let text = format!("a cancelled payment has the status {status}; the sandbox assumes doneFail");
        findings.warning(CHECK, text, "treat each final status except doneSuccess as not paid")?;
        differs = true;
    }
    // Tries to cancel a final payment. By the contract (section 3) that has no effect.
    match client.cancel(order_id) {
        Err(error) if error.code() == Code::Rejected => {
            let body = error.body().and_then(|body| std::str::from_utf8(body).ok()).unwrap_or_default();
            let reply = "/cancel of a final payment";
            differs |= fields::compare(findings, CHECK, reply, body, fields::CANCEL_REFUSAL)?;
            let status = error.http_status();
            if status != Some(403) || error.reason() != Some(Reason::PaymentCouldNotBeCanceled) {
                let text = format!(
                    "the service did not refuse {reply} with HTTP 403 and `payment could not be \
                     canceled`: {}",
                    full_text(&error)
                );
                findings.fault(CHECK, text, fields::ASK)?;
                differs = true;
            }
        }
        Err(error) => return findings.fault(CHECK, full_text(&error), advice(entry)),
        Ok(_) => return findings.fault(CHECK, "a final payment can be cancelled again", fields::ASK),
    }
    if differs {
        Ok(())
    } else {
        findings.ok(CHECK, format!("{} is cancelled, as in the sandbox", entry.reference))
    }
}

fn name(payment: &Payment) -> String {
    payment.status().map_or_else(|| "none".to_owned(), |status| status.as_str().to_owned())
}

fn intent(state: Option<IntentState>) -> String {
    state.map_or_else(|| "not stored".to_owned(), |state| state.name().to_owned())
}

/// The command that shows the payment.
fn advice(entry: &Entry) -> String {
    format!("merchantpay journal show {}", entry.reference)
}
