//! The seven endpoints of the signed API (contract, section 4).

use std::sync::Arc;

use axum::body::Bytes;
use axum::http::HeaderMap;
use merchantpay::{Amount, PaymentMethod, Reason};

use crate::api::receipt_form;
use crate::base::assumptions;
use crate::base::json::{Object, Value};
use crate::base::own_hosts::Peer;
use crate::model::payment::{Order, Pace};
use crate::model::state::Step;
use crate::model::test_accounts::Scenario;
use crate::model::timeline::Cause;
use crate::payments::scheduler;
use crate::payments::service::Service;
use crate::replies::unsigned::Reply;

/// The reply to a request with a verified signature.
pub(crate) async fn handle(
    service: &Arc<Service>,
    operation: &str,
    headers: &HeaderMap,
    body: Bytes,
    pace: Pace,
    peer: Option<Peer>,
) -> Reply {
    let result = match operation {
        "getAvailableAmounts" => available(&body),
        "newPayment" => new_payment(service, &body, pace, peer).await,
        "newPaymentAsync" => new_payment_async(service, &body, pace, peer),
        "confirm" => confirm(service, &body),
        "cancel" => cancel(service, &body),
        "getStatus" => status(service, &body),
        _ => attach_receipt(service, headers, body).await,
    };
    result.unwrap_or_else(|refusal| refusal)
}

async fn new_payment(
    service: &Arc<Service>,
    body: &[u8],
    pace: Pace,
    peer: Option<Peer>,
) -> Result<Reply, Reply> {
    let (order_id, found) = create(service, read_order(service, body, pace, peer, false)?)?;
    let (_, wait) = service.timing(pace);
    // If the search for credentials never ends, the sender of its result is dropped. Then the request waits
    // until its time limit.
    let found = async {
        match found.await {
            Ok(found) => found,
            Err(_) => std::future::pending().await,
        }
    };
    // If the result of the search and the time limit are both ready, the result of the search is used.
    let found = tokio::select! {
        biased;
        found = found => found,
        () = service.clock.sleep(wait) => false,
    };
    if !found {
        return Err(Reply::refusal(assumptions::NO_CREDENTIALS, assumptions::NO_CREDENTIALS_TEXT));
    }
    let fields = service.payments.with(&order_id, |payment| payment.with_credentials());
    fields.map(Reply::success).ok_or_else(not_found)
}

fn new_payment_async(
    service: &Arc<Service>,
    body: &[u8],
    pace: Pace,
    peer: Option<Peer>,
) -> Result<Reply, Reply> {
    let (order_id, _) = create(service, read_order(service, body, pace, peer, true)?)?;
    Ok(about(&order_id))
}

fn create(
    service: &Arc<Service>,
    order: Order,
) -> Result<(String, tokio::sync::oneshot::Receiver<bool>), Reply> {
    let (scenario, pace) = (Scenario::of(&order.customer_account), order.pace);
    let cause = Cause::merchant(order.operation);
    let order_id = service
        .payments
        .create(order, service.options.hold && pace == Pace::Configured)
        .map_err(|_| Reply::refusal(500, "the operating system returned no random bytes"))?;
    service.payments.with(&order_id, |payment| {
        payment.record_change(service.clock.now(), cause);
        service.changed(payment);
    });
    let found = scheduler::search_credentials(service, &order_id, scenario, pace);
    Ok((order_id, found))
}

/// Reads the request of `/new` or `/new-async` (contract, sections 4.2 and 4.3).
fn read_order(
    service: &Service,
    body: &[u8],
    pace: Pace,
    peer: Option<Peer>,
    asynchronous: bool,
) -> Result<Order, Reply> {
    let request = parse(body)?;
    let sum = request
        .amount("sum")
        .ok()
        .flatten()
        .filter(|sum| sum.is_positive() && deal_sum(service, *sum).is_some());
    let sum = sum.ok_or_else(|| Reply::invalid("sum"))?;
    check_currency(&request)?;
    check_method(&request)?;
    let text = |name| request.string(name).map_err(|()| Reply::invalid(name));
    let url = |name| match text(name)? {
        Some(url) if !assumptions::is_webhook_url(&url) => Err(Reply::invalid(name)),
        Some(url) if peer.is_some_and(|peer| !service.webhook_hosts.allows_from(peer, &url)) => {
            let why = format!("invalid {name}: {}", assumptions::FOREIGN_WEBHOOK_TEXT);
            Err(Reply::refusal(assumptions::BAD_REQUEST, &why))
        }
        url => Ok(url),
    };
    let credentials_webhook_url = if asynchronous { url("credentialsWebhookUrl")? } else { None };
    if asynchronous && credentials_webhook_url.is_none() {
        return Err(Reply::invalid("credentialsWebhookUrl"));
    }
    let payer_bank = text("payerBank")?;
    if payer_bank.is_none() && service.options.payer_bank_required {
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
        pace,
    })
}

/// The `dealSum` of a sum, if it can be computed.
fn deal_sum(service: &Service, sum: Amount) -> Option<Amount> {
    assumptions::deal_sum(sum, service.options.rate, service.options.balance, service.options.commission)
}

fn confirm(service: &Arc<Service>, body: &[u8]) -> Result<Reply, Reply> {
    let order_id = order_id(body)?;
    if !is_found(service, &order_id) {
        return Err(not_found());
    }
    if !service.step(&order_id, Step::Confirm, Cause::merchant("confirm")) {
        return Err(Reply::refusal(assumptions::CONFLICT, "payment could not be confirmed"));
    }
    scheduler::schedule_next_step(service, &order_id);
    Ok(about(&order_id))
}

fn cancel(service: &Arc<Service>, body: &[u8]) -> Result<Reply, Reply> {
    let order_id = order_id(body)?;
    if !is_found(service, &order_id) {
        return Err(Reply::not_cancelled(assumptions::NOT_FOUND, Reason::OrderNotFound, &order_id));
    }
    if service.step(&order_id, Step::Cancel, Cause::merchant("cancel")) {
        return Ok(about(&order_id));
    }
    Err(Reply::not_cancelled(403, Reason::PaymentCouldNotBeCanceled, &order_id))
}

fn is_found(service: &Service, order_id: &str) -> bool {
    service.payments.with(order_id, |_| ()).is_some()
}

fn status(service: &Service, body: &[u8]) -> Result<Reply, Reply> {
    let fields = service.payments.with(&order_id(body)?, |payment| payment.with_status());
    fields.map(Reply::success).ok_or_else(not_found)
}

async fn attach_receipt(service: &Arc<Service>, headers: &HeaderMap, body: Bytes) -> Result<Reply, Reply> {
    let form = receipt_form::read_form(headers, body).await?;
    let order_id = form.order_id;
    if !is_found(service, &order_id) {
        return Err(not_found());
    }
    let taken =
        service.step_with(&order_id, Step::AttachReceipt, Cause::merchant("attachReceipt"), |payment| {
            if payment.state.after(Step::AttachReceipt).is_none() {
                return false;
            }
            let at = service.clock.now();
            for file in form.files {
                let number = payment.receipts.len() as u64 + 1;
                payment.receipts.push(service.receipts.add(
                    &service.database,
                    &payment.order_id,
                    number,
                    file,
                    at,
                ));
            }
            true
        });
    if !taken.ok_or_else(not_found)? {
        return Err(Reply::refusal(assumptions::CONFLICT, "receipt is not required"));
    }
    scheduler::schedule_next_step(service, &order_id);
    Ok(about(&order_id))
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
    Ok(Reply::success(vec![
        ("availableAmounts", Value::Numbers(amounts)),
        ("otherAmountsPossible", Value::Flag(others)),
    ]))
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

fn about(order_id: &str) -> Reply {
    Reply::success(vec![("orderId", Value::text(order_id))])
}

fn not_found() -> Reply {
    Reply::reason(assumptions::NOT_FOUND, Reason::OrderNotFound)
}
