//! `--pay`: one payment through the journal after the person has typed its sum. Then the person pays or cancels it.

use std::io::{BufRead as _, Write as _};
use std::time::Duration;

use merchantpay::{Amount, Client, Code, Error, Payment, PaymentMethod, PaymentRequest, Reason, Status};
use merchantpay_journal::{Entry, IntentState, Journal, Until};
use merchantpay_sandbox::assumptions;

use super::service::{ASK, differences, or_ok};
use super::{Finding, Found, Setup};
use crate::args;
use crate::dates;
use crate::output::{Failure, full_text, visible};
use crate::signals::interrupt_on_signal;

/// Contract, section 4.2, without `success`, which the journal does not store.
const CREDENTIALS: &str =
    "orderId sum payeeAccount payeeAccountBank payeeName currency dealSum dealCurrency dealRate deeplink";
/// Of a payment with credentials (section 4.6).
const STATUS: &str = "success orderId sum payeeAccount payeeAccountBank payeeName dealSum dealCurrency dealRate deeplink status";
/// Section 4.5.
const CANCEL_REFUSAL: &str = "success orderId errorDescription";

const PATIENCE: Duration = Duration::from_secs(600);

pub(super) fn request(arguments: &args::Doctor) -> Result<Option<PaymentRequest>, Error> {
    let Some(sum) = &arguments.pay else { return Ok(None) };
    let account = arguments.customer_account.as_deref().unwrap_or_default();
    let method: PaymentMethod = arguments.payment_method.parse()?;
    let mut request = PaymentRequest::new(sum.parse::<Amount>()?, method, account);
    if let Some(bank) = &arguments.payer_bank {
        request = request.payer_bank(bank);
    }
    request.checked_body(false)?;
    Ok(Some(request))
}

pub(super) fn payment(setup: &mut Setup<'_>) -> Found {
    let (Some(request), Some(sum)) = (&setup.request, &setup.arguments.pay) else { return Ok(Vec::new()) };
    if setup.has_faults || setup.client.is_none() {
        return Finding::skipped("no payment is made while there is a fault").into();
    }
    let (client, journal) = setup.arguments.settings.open()?;
    let wanted = format!("{sum} RUB");
    let question =
        format!("This makes a payment of {wanted} at {}. Type {wanted} to go on.", client.base_url());
    if ask(&question)? != wanted {
        let refused = format!("the confirmation was not {wanted:?}: no payment was made");
        return Err(Error::invalid_argument(refused).into());
    }
    interrupt_on_signal(&client)?;
    // With the time, so that no other payment of the journal has this reference.
    let reference = format!("doctor-{}", dates::now());
    let entry = journal.pay(&reference, request)?;
    let Some(payment) = entry.credentials.clone() else {
        let problem = entry.error.as_ref().and_then(|error| error.description.as_deref());
        let text = format!(
            "the payment {reference} has no account or link to pay to: {}",
            problem.unwrap_or("no credentials")
        );
        return Finding::fault(text, show(&entry)).into();
    };
    let mut found = created(&client, &payment)?;
    let question = format!(
        "Pay {wanted} to {} ({}), then type paid. Anything else cancels the payment {reference}.",
        payment.payee_account().unwrap_or("-"),
        payment.deeplink().unwrap_or("no link"),
    );
    found.extend(match ask(&question)?.as_str() {
        "paid" => vec![paid(&journal, &entry)?],
        _ => cancelled(&client, &journal, &entry)?,
    });
    Ok(found)
}

/// Asks on stderr, because stdout may be a pipe. At the end of stdin the answer is empty.
fn ask(question: &str) -> Result<String, Error> {
    let _ = write!(std::io::stderr(), "{}\n> ", visible(question));
    let mut answer = String::new();
    let read = std::io::stdin().lock().read_line(&mut answer);
    read.map_err(|error| Error::invalid_argument(format!("stdin cannot be read: {error}")))?;
    Ok(answer.trim().to_owned())
}

fn created(client: &Client, payment: &Payment) -> Found {
    let mut found = differences("/new", payment.json(), CREDENTIALS);
    let order_id = payment.order_id();
    if !assumptions::is_order_id(order_id) {
        let text = "the order id has more than 64 characters, or characters other than letters, digits, - \
             and _ (the sandbox's order ids have only these)";
        found.push(Finding::warning(text, "your program must store order ids as texts of any length"));
    }
    let status = client.get_status(order_id)?;
    found.extend(differences("/status", status.json(), STATUS));
    if status.status() != Some(&Status::Pending) {
        let word = status.status().map_or("none", Status::as_str);
        found.push(Finding::fault(format!("a payment with credentials has the status {word}"), ASK));
    }
    // Compares amounts by value: the texts may have different numbers of decimals.
    let same = [
        ("sum", payment.sum() == status.sum()),
        ("payeeAccount", payment.payee_account() == status.payee_account()),
        ("payeeAccountBank", payment.payee_account_bank() == status.payee_account_bank()),
        ("dealSum", payment.deal_sum() == status.deal_sum()),
        ("dealCurrency", payment.deal_currency() == status.deal_currency()),
        ("dealRate", payment.deal_rate() == status.deal_rate()),
        ("deeplink", payment.deeplink() == status.deeplink()),
    ];
    found.extend(same.into_iter().filter(|(_, is_same)| !is_same).map(|(field, _)| {
        Finding::fault(format!("the reply to /status has a different {field} than the reply to /new"), ASK)
    }));
    found.extend(holder(payment, &status));
    or_ok(found, || "/new and /status are as in the sandbox".to_owned())
}

/// `/status` has the name in Latin letters.
fn holder(payment: &Payment, status: &Payment) -> Option<Finding> {
    let (issued, latin) = payment.payee_name().zip(status.payee_name())?;
    if latin.chars().any(|c| c.is_alphabetic() && !c.is_ascii()) {
        return Some(Finding::fault("payeeName in /status is not in Latin letters", ASK));
    }
    let text = "the service transliterates payeeName in /status differently from the sandbox";
    (assumptions::to_latin(issued) != latin)
        .then(|| Finding::warning(text, "your program must not compare names"))
}

fn paid(journal: &Journal, entry: &Entry) -> Result<Finding, Failure> {
    let confirmed = journal.confirm(entry)?;
    if confirmed.intent_state != Some(IntentState::Accepted) {
        return Ok(not_accepted("confirm", &confirmed));
    }
    let last = journal.wait(&entry.reference, Until::Final, PATIENCE)?;
    let reference = &entry.reference;
    Ok(match last.succeeded {
        true => Finding::ok(format!("{reference} is paid: doneSuccess, exactly the sum")),
        false => {
            let text = format!("{reference} has ended with another status: {}", status(&last));
            Finding::warning(text, show(entry))
        }
    })
}

fn cancelled(client: &Client, journal: &Journal, entry: &Entry) -> Found {
    let cancelled = journal.cancel(entry)?;
    if cancelled.intent_state != Some(IntentState::Accepted) {
        return not_accepted("cancel", &cancelled).into();
    }
    let last = journal.wait(&entry.reference, Until::Final, PATIENCE)?;
    let mut found = Vec::new();
    if last.status != Some(Status::DoneFail) {
        let text =
            format!("a cancelled payment has the status {}; the sandbox assumes doneFail", status(&last));
        found.push(Finding::warning(text, "treat each final status except doneSuccess as not paid"));
    }
    // By the contract (section 3) a final payment cannot be cancelled again.
    match client.cancel(entry.order_id.as_deref().unwrap_or_default()) {
        Err(error) if error.code() == Code::Rejected => {
            let body = error.body().and_then(|body| std::str::from_utf8(body).ok()).unwrap_or_default();
            found.extend(differences("/cancel of a final payment", body, CANCEL_REFUSAL));
            if error.http_status() != Some(403) || error.reason() != Some(Reason::PaymentCouldNotBeCanceled) {
                let text = format!(
                    "the service did not refuse /cancel of a final payment with HTTP 403 and `payment could \
                     not be canceled`: {}",
                    full_text(&error)
                );
                found.push(Finding::fault(text, ASK));
            }
        }
        Err(error) => found.push(Finding::fault(full_text(&error), show(entry))),
        Ok(_) => found.push(Finding::fault("a final payment can be cancelled again", ASK)),
    }
    or_ok(found, || format!("{} is cancelled, as in the sandbox", entry.reference))
}

fn not_accepted(instruction: &str, entry: &Entry) -> Finding {
    let state = entry.intent_state.map_or("not stored", IntentState::name);
    Finding::fault(format!("the {instruction} of {} is {state}", entry.reference), show(entry))
}

fn status(entry: &Entry) -> &str {
    entry.status.as_ref().map_or("none", Status::as_str)
}

fn show(entry: &Entry) -> String {
    format!("merchantpay journal show {}", entry.reference)
}
