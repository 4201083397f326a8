//! The steps of the demo, in the order in which they run.

use merchantpay::{
    Amount, AmountsRequest, Code, Error, Event, Outcome, Payment, PaymentMethod, PaymentRequest, Reason,
    Receipt, Status,
};
use merchantpay_sandbox::Fault;

use super::Demo;
use super::table::Table;
use crate::output::{Failure, print_line};

/// The smallest file that looks like a PDF by its first bytes.
const RECEIPT: &[u8] = b"%PDF-1.4\n% a receipt of the demonstration\n%%EOF\n";

/// The result of a step: a text that says what happened, and whether the contract expects that.
pub(super) type StepResult = Result<(String, bool), String>;

pub(crate) fn run(demo: &Demo, table: &mut Table) -> Result<(), Failure> {
    let mut steps = Steps { demo, table, order_id: String::new() };
    steps.amounts()?;
    steps.order_that_goes_well()?;
    steps.order_whose_reply_is_lost()?;
    steps.asynchronous()?;
    steps.arbitration()?;
    steps.refusals()
}

pub(super) struct Steps<'a> {
    pub(super) demo: &'a Demo,
    table: &'a mut Table,
    /// The payment that the next steps use.
    order_id: String,
}

impl Steps<'_> {
    pub(super) fn step(
        &mut self,
        name: &'static str,
        expected: &'static str,
        step: impl FnOnce(&mut Self) -> StepResult,
    ) -> Result<(), Failure> {
        let (happened, as_expected) = step(self).unwrap_or_else(|why| (why, false));
        print_line(&self.table.add(name, expected, happened, as_expected))
    }

    fn amounts(&mut self) -> Result<(), Failure> {
        print_line("\nWhich amounts could be paid now")?;
        self.step("available amounts", "a list, and whether others are possible", |this| {
            let request = AmountsRequest::new(amount("1500.50")?, PaymentMethod::Sbp);
            let reply = this.demo.client.get_available_amounts(&request).map_err(text)?;
            let amounts: Vec<String> = reply.available_amounts().iter().map(Amount::to_string).collect();
            let others = if reply.other_amounts_possible() { "others possible" } else { "no others" };
            Ok((
                format!("[{}], {others}", amounts.join(", ")),
                !amounts.is_empty() || reply.other_amounts_possible(),
            ))
        })
    }

    fn asynchronous(&mut self) -> Result<(), Failure> {
        print_line("\nWithout the journal: the operations one by one. The credentials come by webhook")?;
        self.step("new payment, asynchronous", "an order id", |this| {
            let url = this.demo.receiver.url();
            let request = PaymentRequest::new(amount("2000")?, PaymentMethod::Card, "2200000000000004")
                .credentials_webhook_url(&url)
                .status_webhook_url(&url);
            let payment = this.demo.client.new_payment_async(&request).map_err(text)?;
            Ok(this.created(&payment, false))
        })?;
        self.step("credentials webhook", "signed credentials", |this| {
            let event = this.demo.webhook(&this.order_id)?;
            let is_it = matches!(&event, Event::CredentialsIssued(payment) if payment.order_id() == this.order_id && payment.payee_account().is_some());
            Ok((format!("verified: {}", event.kind()), is_it))
        })?;
        self.step("confirm", "verification starts", Self::confirm)?;
        self.step("status webhook", "doneSuccess", |this| {
            let event = this.demo.webhook(&this.order_id)?;
            let status = event.payment().status().map_or("no status", Status::as_str).to_owned();
            let is_it = matches!(&event, Event::StatusChanged(payment)
                if payment.order_id() == this.order_id && payment.status() == Some(&Status::DoneSuccess));
            Ok((format!("verified: {status}"), is_it))
        })
    }

    fn arbitration(&mut self) -> Result<(), Failure> {
        print_line("\nA payment that is disputed")?;
        self.step("new payment, disputed", "credentials in the reply", |this| {
            let request = PaymentRequest::new(amount("999.99")?, PaymentMethod::Sbp, "arbitration");
            let payment = this.demo.client.new_payment(&request).map_err(text)?;
            Ok(this.created(&payment, true))
        })?;
        self.step("confirm", "verification starts", Self::confirm)?;
        self.step("status", "receiptRequired", |this| this.reaches(Status::ReceiptRequired))?;
        self.step("attach a receipt", "accepted", |this| {
            let mut receipt = Receipt::new(&this.order_id);
            receipt.add_bytes("receipt.pdf", "application/pdf", RECEIPT).map_err(text)?;
            this.demo.client.attach_receipt(&receipt).map_err(text)?;
            Ok((format!("{} bytes of PDF, accepted", RECEIPT.len()), true))
        })?;
        self.step("status", "doneSuccess", |this| this.reaches(Status::DoneSuccess))
    }

    fn refusals(&mut self) -> Result<(), Failure> {
        print_line("\nWhat is refused, and what is not verified")?;
        self.step("cancel a paid payment", "403, could not be canceled", |this| {
            let error = refused(this.demo.client.cancel(&this.order_id))?;
            let is_it = (error.code(), error.outcome(), error.reason(), error.http_status())
                == (Code::Rejected, Outcome::Rejected, Some(Reason::PaymentCouldNotBeCanceled), Some(403));
            Ok((code_and_outcome(&error), is_it))
        })?;
        self.step("a forged reply", "not verified", |this| {
            this.demo.sandbox.misbehave(Fault::WrongKey, Some("getStatus"), 1);
            let error = refused(this.demo.client.get_status(&this.order_id))?;
            Ok((
                code_and_outcome(&error),
                (error.code(), error.outcome()) == (Code::Unverified, Outcome::Unknown),
            ))
        })
    }

    fn confirm(&mut self) -> StepResult {
        let payment = self.demo.client.confirm(&self.order_id).map_err(text)?;
        Ok(("accepted".to_owned(), payment.order_id() == self.order_id))
    }

    fn reaches(&mut self, status: Status) -> StepResult {
        let payment = self.demo.wait_for(&self.order_id, &status).map_err(text)?;
        let happened = payment.status().map_or("no status", Status::as_str).to_owned();
        Ok((happened, payment.status() == Some(&status)))
    }

    fn created(&mut self, payment: &Payment, with_credentials: bool) -> (String, bool) {
        self.order_id = payment.order_id().to_owned();
        let happened = match (payment.sum(), payment.payee_account_bank()) {
            (Some(sum), Some(bank)) => format!("order {}: pay {sum} to an account at {bank}", self.order_id),
            _ => format!("order {}", self.order_id),
        };
        (happened, payment.payee_account().is_some() == with_credentials)
    }
}

pub(super) fn amount(text: &str) -> Result<Amount, String> {
    text.parse().map_err(|error: Error| error.to_string())
}

pub(super) fn text(error: Error) -> String {
    error.to_string()
}

/// Returns the error of a call that must not succeed.
fn refused(result: Result<Payment, Error>) -> Result<Error, String> {
    match result {
        Ok(_) => Err("it was accepted".to_owned()),
        Err(error) => Ok(error),
    }
}

fn code_and_outcome(error: &Error) -> String {
    let status = error.http_status().map_or_else(String::new, |status| format!(" (HTTP {status})"));
    format!("{}, outcome {}{status}", error.code(), error.outcome())
}
