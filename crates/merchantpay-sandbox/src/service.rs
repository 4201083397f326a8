//! The seven endpoints (contract, section 4).

use std::sync::Arc;

use axum::body::Bytes;
use axum::http::{HeaderMap, Uri};
use merchantpay::{Amount, PaymentMethod, Reason};

use crate::assumptions;
use crate::clock::Clock;
use crate::database::Database;
use crate::deliveries::Deliveries;
use crate::event_bus::EventBus;
use crate::json::{Object, Value};
use crate::options::Options;
use crate::payment::{Order, Payment};
use crate::payment_store::PaymentStore;
use crate::receipt;
use crate::receipt_store::ReceiptStore;
use crate::reply::Reply;
use crate::scheduler;
use crate::state::Step;
use crate::test_accounts::Scenario;
use crate::timeline::Cause;
use crate::view;

/// The service behind its endpoints: it knows nothing of signatures and connections.
pub(crate) struct Service {
    pub(crate) options: Options,
    pub(crate) base_url: String,
    pub(crate) payments: PaymentStore,
    pub(crate) deliveries: Arc<Deliveries>,
    pub(crate) clock: Arc<Clock>,
    pub(crate) events: Arc<EventBus>,
    pub(crate) database: Arc<Database>,
    pub(crate) receipts: ReceiptStore,
}

impl Service {
    /// Answers a request that the merchant has signed.
    pub(crate) async fn answer(self: &Arc<Service>, operation: &str, headers: &HeaderMap, body: Bytes) -> Reply {
        let answered = match operation {
            "getAvailableAmounts" => available(&body),
            "newPayment" => self.new_payment(&body).await,
            "newPaymentAsync" => self.new_payment_async(&body),
            "confirm" => self.confirm(&body),
            "cancel" => self.cancel(&body),
            "getStatus" => self.status(&body),
            _ => self.attach_receipt(headers, body).await,
        };
        answered.unwrap_or_else(|refusal| refusal)
    }

    async fn new_payment(self: &Arc<Service>, body: &[u8]) -> Result<Reply, Reply> {
        let (order_id, found) = self.create(self.order(body, false)?)?;
        let wait = self.options.credentials_wait;
        // A search that never ends drops its sender: the wait goes on to its end.
        let found = async {
            match found.await {
                Ok(found) => found,
                Err(_) => std::future::pending().await,
            }
        };
        // What was found at the last moment was found.
        let found = tokio::select! {
            biased;
            found = found => found,
            () = self.clock.sleep(wait) => false,
        };
        if !found {
            return Err(Reply::refusal(assumptions::NO_CREDENTIALS, assumptions::NO_CREDENTIALS_TEXT));
        }
        let fields = self.payments.with(&order_id, |payment| payment.with_credentials());
        fields.map(Reply::success).ok_or_else(not_found)
    }

    fn new_payment_async(self: &Arc<Service>, body: &[u8]) -> Result<Reply, Reply> {
        let (order_id, _) = self.create(self.order(body, true)?)?;
        Ok(about(&order_id))
    }

    fn create(self: &Arc<Service>, order: Order) -> Result<(String, tokio::sync::oneshot::Receiver<bool>), Reply> {
        let scenario = Scenario::of(&order.customer_account);
        let cause = Cause::merchant(order.operation);
        let order_id = self.payments.create(order, self.options.hold).map_err(|_| Reply::refusal(500, "no random bytes"))?;
        self.payments.with(&order_id, |payment| {
            payment.record_change(self.clock.now(), cause);
            self.changed(payment);
        });
        let found = scheduler::search_credentials(self, &order_id, scenario);
        Ok((order_id, found))
    }

    /// Reads the request of `/new` or `/new-async` (contract, sections 4.2 and 4.3).
    fn order(&self, body: &[u8], asynchronous: bool) -> Result<Order, Reply> {
        let request = parse(body)?;
        let sum = request.amount("sum").ok().flatten().filter(|sum| sum.is_positive() && self.deal_sum(*sum).is_some());
        let sum = sum.ok_or_else(|| Reply::invalid("sum"))?;
        check_currency(&request)?;
        check_method(&request)?;
        let text = |name| request.string(name).map_err(|()| Reply::invalid(name));
        let url = |name| match text(name)? {
            Some(url) if !is_url(&url) => Err(Reply::invalid(name)),
            url => Ok(url),
        };
        let credentials_webhook_url = if asynchronous { url("credentialsWebhookUrl")? } else { None };
        if asynchronous && credentials_webhook_url.is_none() {
            return Err(Reply::invalid("credentialsWebhookUrl"));
        }
        let payer_bank = text("payerBank")?;
        if payer_bank.is_none() && self.options.payer_bank_required {
            return Err(Reply::invalid("payerBank"));
        }
        Ok(Order {
            operation: if asynchronous { "newPaymentAsync" } else { "newPayment" },
            sum,
            payment_method: text("paymentMethod")?.unwrap_or_default(),
            payer_bank,
            customer_account: text("customerAccount")?.ok_or_else(|| Reply::invalid("customerAccount"))?,
            status_webhook_url: url("statusWebhookUrl")?,
            credentials_webhook_url,
            merchant_id: text("merchantId")?,
        })
    }

    /// `dealSum` for a sum, if it can be computed.
    fn deal_sum(&self, sum: Amount) -> Option<Amount> {
        assumptions::deal_sum(sum, self.options.rate, self.options.balance, self.options.commission)
    }

    fn confirm(self: &Arc<Service>, body: &[u8]) -> Result<Reply, Reply> {
        let order_id = order_id(body)?;
        self.payments.with(&order_id, |_| ()).ok_or_else(not_found)?;
        if !self.step(&order_id, Step::Confirm, Cause::merchant("confirm")) {
            return Err(Reply::refusal(assumptions::CONFLICT, "payment could not be confirmed"));
        }
        scheduler::schedule_next_step(self, &order_id);
        Ok(about(&order_id))
    }

    fn cancel(self: &Arc<Service>, body: &[u8]) -> Result<Reply, Reply> {
        let order_id = order_id(body)?;
        if self.payments.with(&order_id, |_| ()).is_none() {
            return Err(Reply::not_cancelled(assumptions::NOT_FOUND, Reason::OrderNotFound, &order_id));
        }
        if self.step(&order_id, Step::Cancel, Cause::merchant("cancel")) {
            return Ok(about(&order_id));
        }
        Err(Reply::not_cancelled(403, Reason::PaymentCouldNotBeCanceled, &order_id))
    }

    fn status(&self, body: &[u8]) -> Result<Reply, Reply> {
        let fields = self.payments.with(&order_id(body)?, |payment| payment.with_status());
        fields.map(Reply::success).ok_or_else(not_found)
    }

    async fn attach_receipt(self: &Arc<Service>, headers: &HeaderMap, body: Bytes) -> Result<Reply, Reply> {
        let form = receipt::read_form(headers, body).await?;
        let order_id = form.order_id;
        let taken = self.step_with(&order_id, Step::AttachReceipt, Cause::merchant("attachReceipt"), |payment| {
            if payment.state.after(Step::AttachReceipt).is_none() {
                return false;
            }
            let at = self.clock.now();
            for file in form.files {
                let number = payment.receipts.len() as u64 + 1;
                payment.receipts.push(self.receipts.add(&self.database, &payment.order_id, number, file, at));
            }
            true
        });
        if !taken.ok_or_else(not_found)? {
            return Err(Reply::refusal(assumptions::CONFLICT, "receipt is not required"));
        }
        scheduler::schedule_next_step(self, &order_id);
        Ok(about(&order_id))
    }

    /// Takes a step and sends the webhooks that it causes (contract, section 6). Says whether it was possible.
    pub(crate) fn step(self: &Arc<Service>, order_id: &str, step: Step, cause: Cause) -> bool {
        self.step_with(order_id, step, cause, |_| true).unwrap_or(false)
    }

    /// The same with something to do, or to check, before it; `None` if there is no such payment.
    pub(crate) fn step_with(
        self: &Arc<Service>,
        order_id: &str,
        step: Step,
        cause: Cause,
        before: impl FnOnce(&mut Payment) -> bool,
    ) -> Option<bool> {
        self.payments.with(order_id, |payment| {
            if !before(payment) || !payment.apply(step, &self.options, &self.base_url) {
                return false;
            }
            payment.record_change(self.clock.now(), cause);
            let status = payment.state.status();
            let is_reported = step != Step::Pay && (status.is_final() || status.as_str() == "receiptRequired");
            let credentials = payment.order.credentials_webhook_url.clone().and_then(|url| match step {
                Step::CredentialsFound => Some(("credentials", url, true, payment.with_credentials())),
                Step::CredentialsNotFound => Some(("credentials_failed", url, false, vec![("orderId", Value::text(order_id))])),
                _ => None,
            });
            let status_url = payment.order.status_webhook_url.clone().filter(|_| is_reported);
            let changed = status_url.map(|url| ("status", url, true, payment.status_event()));
            // Queued under the store's lock: one payment's webhooks are queued in the order of its steps.
            self.database.in_transaction(|| {
                for (kind, url, success, fields) in credentials.into_iter().chain(changed) {
                    payment.webhooks += self.deliveries.queue(kind, payment, url, success, fields);
                }
                self.changed(payment);
            });
            true
        })
    }

    /// Saves a changed payment, and publishes the change.
    pub(crate) fn changed(&self, payment: &Payment) {
        self.database.save_payment(payment);
        self.database.save_progress(&self.clock, self.payments.random());
        self.events.publish("payment", || view::payment(payment));
    }
}

fn available(body: &[u8]) -> Result<Reply, Reply> {
    let request = Object::parse(body).ok_or_else(|| Reply::simplified(assumptions::UNREADABLE_TEXT))?;
    let sum = request.amount("sum").ok().flatten().ok_or_else(|| Reply::simplified("invalid sum"))?;
    if !sum.is_positive() {
        return Err(Reply::simplified("sum must be greater than 0"));
    }
    check_currency(&request)?;
    check_method(&request)?;
    let drift = |name| request.amount(name).map_err(|()| Reply::invalid(name));
    let (amounts, others) = assumptions::offers(sum, drift("sumDriftUp")?, drift("sumDriftDown")?);
    Ok(Reply::success(vec![("availableAmounts", Value::Numbers(amounts)), ("otherAmountsPossible", Value::Flag(others))]))
}

fn parse(body: &[u8]) -> Result<Object, Reply> {
    Object::parse(body).ok_or_else(|| Reply::refusal(assumptions::BAD_REQUEST, assumptions::UNREADABLE_TEXT))
}

fn order_id(body: &[u8]) -> Result<String, Reply> {
    let order_id = parse(body)?.string("orderId").ok().flatten().filter(|id| assumptions::is_order_id(id));
    order_id.ok_or_else(|| Reply::reason(assumptions::BAD_REQUEST, Reason::InvalidOrderId))
}

fn check_currency(request: &Object) -> Result<(), Reply> {
    match request.string("currency") {
        Ok(Some(currency)) if currency == "RUB" => Ok(()),
        _ => Err(Reply::reason(assumptions::BAD_REQUEST, Reason::InvalidCurrency)),
    }
}

fn check_method(request: &Object) -> Result<(), Reply> {
    let method = request.string("paymentMethod").ok().flatten();
    let known = method.is_some_and(|method| method.parse::<PaymentMethod>().is_ok());
    if known { Ok(()) } else { Err(Reply::invalid("paymentMethod")) }
}

fn is_url(text: &str) -> bool {
    text.parse::<Uri>().is_ok_and(|uri| matches!(uri.scheme_str(), Some("http" | "https")) && uri.host().is_some())
}

fn about(order_id: &str) -> Reply {
    Reply::success(vec![("orderId", Value::text(order_id))])
}

fn not_found() -> Reply {
    Reply::reason(assumptions::NOT_FOUND, Reason::OrderNotFound)
}
