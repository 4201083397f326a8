//! The seven endpoints of the signed API (contract, section 4).

use std::sync::Arc;

use axum::body::{Body as HttpBody, Bytes};
use axum::extract::{DefaultBodyLimit, FromRequest as _, Multipart};
use axum::http::{HeaderMap, Request as HttpRequest, header};
use merchantpay::{Amount, PaymentMethod, RECEIPT_TYPES, Reason};
use serde::Deserialize;
use serde_json::value::RawValue;

use crate::api::reply::Reply;
use crate::base::assumptions;
use crate::base::hosts::Peer;
use crate::model::body::Body;
use crate::model::payment::{Order, Pace, Payment, Receipt};
use crate::model::state::{By, Scenario, Step};
use crate::service::{self, Service};
use crate::store::database::RECEIPT;

const LONGEST_NAME: usize = 200;

/// A field of a request, still as text, so that each wrong field has its own error.
type Field = Option<Box<RawValue>>;

/// Of every operation. serde refuses a name that occurs twice.
#[derive(Default, Deserialize)]
#[serde(default, rename_all = "camelCase")]
struct Request {
    order_id: Field,
    sum: Field,
    currency: Field,
    payment_method: Field,
    customer_account: Field,
    payer_bank: Field,
    merchant_id: Field,
    status_webhook_url: Field,
    credentials_webhook_url: Field,
    sum_drift_up: Field,
    sum_drift_down: Field,
}

impl Request {
    fn parse(body: &[u8]) -> Option<Request> {
        // serde would also take an array of the fields in their order.
        let is_object = body.trim_ascii_start().first() == Some(&b'{');
        serde_json::from_slice(body).ok().filter(|_| is_object)
    }
}

/// An empty text is an error.
fn text(field: &Field) -> Result<Option<String>, ()> {
    let text = field.as_ref().map(|value| serde_json::from_str::<String>(value.get()));
    match text.transpose().map_err(|_| ())? {
        Some(text) if text.trim().is_empty() => Err(()),
        text => Ok(text),
    }
}

fn amount(field: &Field) -> Result<Option<Amount>, ()> {
    field.as_ref().map(|value| value.get().parse().map_err(|_| ())).transpose()
}

/// The sandbox itself has no `peer`.
pub(crate) async fn handle(
    service: &Arc<Service>,
    operation: &str,
    headers: &HeaderMap,
    body: Bytes,
    peer: Option<Peer>,
) -> Reply {
    let result = match operation {
        "getAvailableAmounts" => available(&body),
        "newPayment" => new_payment(service, read_order(service, &body, peer, false)).await,
        "newPaymentAsync" => read_order(service, &body, peer, true)
            .and_then(|order| create(service, order))
            .map(|(order_id, _)| about(&order_id)),
        "confirm" => confirm(service, &body),
        "cancel" => cancel(service, &body),
        "getStatus" => status(service, &body),
        _ => attach_receipt(service, headers, body).await,
    };
    result.unwrap_or_else(|refusal| refusal)
}

async fn new_payment(service: &Arc<Service>, order: Result<Order, Reply>) -> Result<Reply, Reply> {
    let order = order?;
    let (_, wait) = service.timing(order.pace);
    let (order_id, found) = create(service, order)?;
    // A search that never ends has dropped its sender: wait until the time limit.
    let found = async {
        match found.await {
            Ok(found) => found,
            Err(_) => std::future::pending().await,
        }
    };
    // Biased: if both are ready, the search wins.
    let found = tokio::select! {
        biased;
        found = found => found,
        () = service.clock.sleep(wait) => false,
    };
    if !found {
        return Err(Reply::refusal(assumptions::NO_CREDENTIALS, assumptions::NO_CREDENTIALS_TEXT));
    }
    let credentials = |payment: &mut Payment| Reply::success(&payment.order_id, &Body::credentials(payment));
    service.payments.with(&order_id, credentials).ok_or_else(not_found)
}

fn create(
    service: &Arc<Service>,
    order: Order,
) -> Result<(String, tokio::sync::oneshot::Receiver<bool>), Reply> {
    let (scenario, pace) = (Scenario::of(&order.customer_account), order.pace);
    let cause = (By::Merchant, order.created_by.clone());
    let order_id = service
        .payments
        .create(order, service.options.hold && pace == Pace::Configured)
        .map_err(|_| Reply::refusal(500, "the operating system returned no random bytes"))?;
    service.payments.with(&order_id, |payment| {
        payment.record_change(service.clock.now(), cause);
        service.save_and_publish(payment);
    });
    let found = service::search_credentials(service, &order_id, scenario, pace);
    Ok((order_id, found))
}

/// Contract, sections 4.2 and 4.3.
fn read_order(
    service: &Service,
    body: &[u8],
    peer: Option<Peer>,
    asynchronous: bool,
) -> Result<Order, Reply> {
    let request = parse(body)?;
    let sum = amount(&request.sum).ok().flatten();
    let sum = sum.filter(|sum| sum.is_positive() && deal_sum(service, *sum).is_some());
    let sum = sum.ok_or_else(|| Reply::invalid("sum"))?;
    check_currency(&request)?;
    check_method(&request)?;
    let text = |name, field| text(field).map_err(|()| Reply::invalid(name));
    let url = |name, field| match text(name, field)? {
        Some(url) if !assumptions::is_webhook_url(&url) => Err(Reply::invalid(name)),
        Some(url) if peer.is_some_and(|peer| !service.webhook_hosts.allows_from(peer, &url)) => {
            let why = format!("invalid {name}: {}", assumptions::FOREIGN_WEBHOOK_TEXT);
            Err(Reply::refusal(assumptions::BAD_REQUEST, &why))
        }
        url => Ok(url),
    };
    let required = |name, field| text(name, field)?.ok_or_else(|| Reply::invalid(name));
    let credentials_webhook_url = match asynchronous {
        true => url("credentialsWebhookUrl", &request.credentials_webhook_url)?,
        false => None,
    };
    if asynchronous && credentials_webhook_url.is_none() {
        return Err(Reply::invalid("credentialsWebhookUrl"));
    }
    let payer_bank = text("payerBank", &request.payer_bank)?;
    if payer_bank.is_none() && service.options.payer_bank_required {
        return Err(Reply::invalid("payerBank"));
    }
    Ok(Order {
        created_by: if asynchronous { "newPaymentAsync" } else { "newPayment" }.into(),
        requested_sum: sum,
        payment_method: required("paymentMethod", &request.payment_method)?,
        payer_bank,
        customer_account: required("customerAccount", &request.customer_account)?,
        status_webhook_url: url("statusWebhookUrl", &request.status_webhook_url)?,
        credentials_webhook_url,
        merchant_id: text("merchantId", &request.merchant_id)?,
        pace: if peer.is_some() { Pace::Configured } else { Pace::Immediate },
    })
}

fn deal_sum(service: &Service, sum: Amount) -> Option<Amount> {
    assumptions::deal_sum(sum, service.options.rate, service.options.balance, service.options.commission)
}

fn confirm(service: &Arc<Service>, body: &[u8]) -> Result<Reply, Reply> {
    let order_id = order_id(body)?;
    if !service.payments.has(&order_id) {
        return Err(not_found());
    }
    if !service.step(&order_id, Step::Confirm, (By::Merchant, "confirm".into())) {
        return Err(Reply::refusal(assumptions::CONFLICT, "payment could not be confirmed"));
    }
    service::schedule_next_step(service, &order_id);
    Ok(about(&order_id))
}

fn cancel(service: &Arc<Service>, body: &[u8]) -> Result<Reply, Reply> {
    let order_id = order_id(body)?;
    if !service.payments.has(&order_id) {
        return Err(Reply::not_cancelled(assumptions::NOT_FOUND, Reason::OrderNotFound, &order_id));
    }
    if service.step(&order_id, Step::Cancel, (By::Merchant, "cancel".into())) {
        return Ok(about(&order_id));
    }
    Err(Reply::not_cancelled(403, Reason::PaymentCouldNotBeCanceled, &order_id))
}

fn status(service: &Service, body: &[u8]) -> Result<Reply, Reply> {
    let status = |payment: &mut Payment| Reply::success(&payment.order_id, &Body::status(payment));
    service.payments.with(&order_id(body)?, status).ok_or_else(not_found)
}

async fn attach_receipt(service: &Arc<Service>, headers: &HeaderMap, body: Bytes) -> Result<Reply, Reply> {
    let (order_id, files) = read_form(headers, body).await?;
    if !service.payments.has(&order_id) {
        return Err(not_found());
    }
    let (at, mut added) = (service.clock.now(), Vec::new());
    let cause = (By::Merchant, "attachReceipt".into());
    let taken = service.step_with(&order_id, Some(Step::AttachReceipt), cause, |payment| {
        let possible = payment.state.after(Step::AttachReceipt).is_some();
        for file in files.into_iter().filter(|_| possible) {
            let id = payment.receipt_list.len() as u64 + 1;
            let url = format!("/sandbox/payments/{order_id}/receipts/{id}");
            service.database.save(RECEIPT, &url, &*file.bytes);
            let receipt = Receipt { id, at, url, ..file };
            added.push((id, receipt.size));
            payment.receipt_list.push(receipt);
        }
        possible
    });
    service.payments.keep_receipts(&order_id, &added, service.database.is_open());
    if !taken.ok_or_else(not_found)? {
        return Err(Reply::refusal(assumptions::CONFLICT, "receipt is not required"));
    }
    service::schedule_next_step(service, &order_id);
    Ok(about(&order_id))
}

fn available(body: &[u8]) -> Result<Reply, Reply> {
    let simplified = |error| Reply::new(assumptions::BAD_REQUEST, &Body::simplified(error));
    let request = Request::parse(body).ok_or_else(|| simplified(assumptions::UNREADABLE_TEXT))?;
    let sum = amount(&request.sum).ok().flatten().ok_or_else(|| simplified("invalid sum"))?;
    if !sum.is_positive() {
        return Err(simplified("sum must be greater than 0"));
    }
    check_currency(&request)?;
    check_method(&request)?;
    let drift = |name, field| amount(field).map_err(|()| Reply::invalid(name));
    let up = drift("sumDriftUp", &request.sum_drift_up)?;
    let (amounts, others) = assumptions::offers(sum, up, drift("sumDriftDown", &request.sum_drift_down)?);
    let body = Body::new(true).amounts("availableAmounts", amounts).flag("otherAmountsPossible", others);
    Ok(Reply::new(200, &body))
}

fn parse(body: &[u8]) -> Result<Request, Reply> {
    Request::parse(body).ok_or_else(unreadable)
}

fn order_id(body: &[u8]) -> Result<String, Reply> {
    valid_order_id(text(&parse(body)?.order_id).ok().flatten())
}

fn valid_order_id(order_id: Option<String>) -> Result<String, Reply> {
    let order_id = order_id.filter(|id| assumptions::is_order_id(id));
    order_id.ok_or_else(|| Reply::reason(assumptions::BAD_REQUEST, Reason::InvalidOrderId))
}

fn check_currency(request: &Request) -> Result<(), Reply> {
    match text(&request.currency) {
        Ok(Some(currency)) if currency == "RUB" => Ok(()),
        _ => Err(Reply::reason(assumptions::BAD_REQUEST, Reason::InvalidCurrency)),
    }
}

fn check_method(request: &Request) -> Result<(), Reply> {
    let method = text(&request.payment_method).ok().flatten();
    let known = method.is_some_and(|method| method.parse::<PaymentMethod>().is_ok());
    if known { Ok(()) } else { Err(Reply::invalid("paymentMethod")) }
}

fn about(order_id: &str) -> Reply {
    Reply::success(order_id, &Body::about(order_id))
}

fn not_found() -> Reply {
    Reply::reason(assumptions::NOT_FOUND, Reason::OrderNotFound)
}

fn unreadable() -> Reply {
    Reply::refusal(assumptions::BAD_REQUEST, assumptions::UNREADABLE_TEXT)
}

/// The form of `/receipt/attach` (contract, section 4.7). The files have no ids yet.
async fn read_form(headers: &HeaderMap, body: Bytes) -> Result<(String, Vec<Receipt>), Reply> {
    let wrong_format = || Reply::reason(assumptions::BAD_REQUEST, Reason::InvalidFileFormat);
    let mut request = HttpRequest::new(HttpBody::from(body));
    if let Some(content_type) = headers.get(header::CONTENT_TYPE) {
        request.headers_mut().insert(header::CONTENT_TYPE, content_type.clone());
    }
    // axum would stop at 2 MB; the size of the body is already checked.
    DefaultBodyLimit::disable().apply(&mut request);
    let mut form = Multipart::from_request(request, &()).await.map_err(|_| unreadable())?;
    let (mut order_id, mut files) = (None, Vec::new());
    while let Some(part) = form.next_field().await.map_err(|_| unreadable())? {
        match part.name() {
            Some("orderId") if order_id.is_none() => {
                order_id = Some(part.text().await.map_err(|_| unreadable())?)
            }
            Some("file") => {
                let content_type = part.content_type().unwrap_or_default().to_owned();
                let name = part.file_name().unwrap_or_default().chars().take(LONGEST_NAME).collect();
                let bytes = part.bytes().await.map_err(|_| unreadable())?;
                let is_known = RECEIPT_TYPES.contains(&content_type.as_str());
                if !is_known || bytes.is_empty() || files.len() == assumptions::MOST_FILES {
                    return Err(wrong_format());
                }
                let (size, url) = (bytes.len(), String::new());
                files.push(Receipt { id: 0, name, content_type, size, at: 0, kept: true, url, bytes });
            }
            _ => return Err(unreadable()),
        }
    }
    let order_id = valid_order_id(order_id)?;
    if files.is_empty() { Err(wrong_format()) } else { Ok((order_id, files)) }
}
