//! Two orders that are paid through the journal: one succeeds, and the reply of the other is lost.

use merchantpay::{PaymentMethod, PaymentRequest, Status};
use merchantpay_journal::{Entry, IntentState, Standing};
use merchantpay_sandbox::Fault;

use super::story::{StepResult, Steps, amount, text};
use crate::output::{Failure, print_line};

impl Steps<'_> {
    pub(super) fn order_that_goes_well(&mut self) -> Result<(), Failure> {
        const ORDER: &str = "order-1017";
        print_line(
            "\nA shop takes a payment for its order-1017. The journal keeps it in a file: whatever is done twice, the payment is one",
        )?;
        self.step("pay order-1017", "where the customer pays", |this| {
            let entry = this.demo.journal.pay(ORDER, &request("1500.50")?).map_err(text)?;
            Ok((shown(&entry), entry.credentials.is_some()))
        })?;
        self.step("pay order-1017 again", "the same payment, nothing sent", |this| {
            let before = this.demo.sandbox.requests("newPayment");
            let entry = this.demo.journal.pay(ORDER, &request("1500.50")?).map_err(text)?;
            let is_same = this.demo.sandbox.requests("newPayment") == before && entry.attempt == 1;
            Ok((format!("order {}, attempt {}", known(&entry), entry.attempt), is_same))
        })?;
        self.step("confirm: the customer has paid", "accepted", |this| this.confirm_order(ORDER))?;
        self.step("the service calls back", "doneSuccess", |this| {
            let entry = this.demo.callback(is_done)?;
            Ok((format!("verified; the entry is {}", entry.standing), entry.succeeded))
        })?;
        self.step("the news", "ship it, once", |this| this.ship(ORDER))
    }

    pub(super) fn order_whose_reply_is_lost(&mut self) -> Result<(), Failure> {
        const ORDER: &str = "order-1018";
        print_line(
            "\nThe next payment is made, but the service's reply is lost on its way: a cut cable, a crash, a restart.\n\
             The shop must not take a second payment, and does not know the first one's order id",
        )?;
        self.step("pay order-1018; the reply is lost", "unknown", |this| {
            this.demo.sandbox.misbehave(Fault::DropAfterCommit, Some("newPaymentAsync"), 1);
            let entry = this.demo.journal.pay_async(ORDER, &request("100")?).map_err(text)?;
            let happened = format!("{}: there may be a payment, or none", entry.standing);
            Ok((happened, entry.standing == Standing::Unknown && entry.order_id.is_none()))
        })?;
        self.step("pay order-1018 again", "unknown, nothing sent", |this| {
            let entry = this.demo.journal.pay_async(ORDER, &request("100")?).map_err(text)?;
            let sent = this.demo.sandbox.requests("newPaymentAsync");
            Ok((
                format!("{}; sent {sent} time in all", entry.standing),
                entry.standing == Standing::Unknown && sent == 1,
            ))
        })?;
        self.step("the service calls back", "the payment is found", |this| {
            let entry = this.demo.callback(|entry| entry.credentials.is_some())?;
            let is_found = (entry.reference.as_str(), entry.standing) == (ORDER, Standing::Open);
            Ok((format!("the URL is {ORDER}'s alone: {}", shown(&entry)), is_found))
        })?;
        self.step("confirm: the customer has paid", "accepted", |this| this.confirm_order(ORDER))?;
        self.step("the service calls back", "asked, doneSuccess", |this| {
            // Somebody may copy the webhook URL from a log, and send an old genuine webhook to it. So a webhook
            // only makes the journal ask the service.
            let entry = this.demo.callback(is_done)?;
            let happened = format!("the service was asked: {}, {} paid", entry.standing, entry.sum_asked);
            Ok((happened, entry.reference == ORDER && entry.succeeded))
        })?;
        self.step("the news", "ship it, once", |this| this.ship(ORDER))
    }

    fn confirm_order(&mut self, reference: &str) -> StepResult {
        let journal = &self.demo.journal;
        let entry = journal.find(reference).map_err(text)?.ok_or("the entry is not there")?;
        let entry = journal.confirm(&entry).map_err(text)?;
        let state = entry.intent_state.map_or("not stored", IntentState::name);
        Ok((state.to_owned(), entry.intent_state == Some(IntentState::Accepted)))
    }

    /// A shop does this in a loop, and again after a crash: it acts on each change that is not acknowledged,
    /// then acknowledges the change.
    fn ship(&mut self, reference: &str) -> StepResult {
        let journal = &self.demo.journal;
        let news = journal.news(10).map_err(text)?;
        let [entry] = &news[..] else { return Err(format!("{} news", news.len())) };
        let is_acknowledged = journal.acknowledge(entry).map_err(text)?;
        let is_over = journal.news(10).map_err(text)?.is_empty();
        let paid = if entry.succeeded { "paid exactly, shipped" } else { "not paid" };
        let is_it = entry.reference == reference && entry.succeeded && is_acknowledged && is_over;
        Ok((format!("{reference} is {}: {paid}", entry.standing), is_it))
    }
}

fn request(sum: &str) -> Result<PaymentRequest, String> {
    Ok(PaymentRequest::new(amount(sum)?, PaymentMethod::Sbp, "79001234567"))
}

fn is_done(entry: &Entry) -> bool {
    entry.status == Some(Status::DoneSuccess)
}

fn known(entry: &Entry) -> &str {
    entry.order_id.as_deref().unwrap_or("not known")
}

/// The text that the customer sees.
fn shown(entry: &Entry) -> String {
    let credentials =
        entry.credentials.as_ref().and_then(|payment| Some((payment.sum()?, payment.payee_account_bank()?)));
    let shown = credentials.map_or_else(
        || "nothing to show".to_owned(),
        |(sum, bank)| format!("pay {sum} to an account at {bank}"),
    );
    format!("order {}: {shown}", known(entry))
}
