//! Shows payments, and acts as their customer and as their operator.

use std::sync::Arc;

use axum::body::Body;
use axum::extract::{Path, State};
use axum::http::{HeaderName, HeaderValue, Response, Uri, header};
use merchantpay::Amount;
use serde_json::{Value, json};

use super::refusal::{ApiResult, Refusal};
use super::request::{ListQuery, RequestFields, number};
use super::response;
use crate::app::AppState;
use crate::model::payment::{CustomerPays, Payment, ReceiptInfo};
use crate::model::state::{State as PaymentState, Step};
use crate::model::timeline::{By, Cause};
use crate::model::view;
use crate::model::webhook::Webhook;
use crate::payments::scheduler;

/// The number of exchanges and webhooks that are listed with a payment.
const MAX_LISTED: usize = 100;

pub(crate) async fn list(State(app): State<Arc<AppState>>, uri: Uri) -> ApiResult {
    let query = ListQuery::read(&uri, &["status", "merchantId", "search"])?;
    let passes = |payment: &Payment| {
        query.passes("status", Some(payment.state.status().as_str()))
            && query.passes("merchantId", payment.order.merchant_id.as_deref())
            && query.filter("search").is_none_or(|text| contains(payment, text))
    };
    let mut list = app.service.payments.newest(query.before, query.looked_for(), passes, view::payment);
    let next = query.next(&mut list);
    let payments: Vec<_> = list.into_iter().map(|(_, payment)| payment).collect();
    Ok(response::json(200, &json!({"payments": payments, "next": next})))
}

/// Returns `true` if a text is part of the payment's ids or accounts, by which a developer searches.
fn contains(payment: &Payment, text: &str) -> bool {
    let order = &payment.order;
    let known = [Some(&payment.order_id), Some(&order.customer_account), order.merchant_id.as_ref()];
    known.into_iter().flatten().any(|known| known.contains(text))
}

/// Adds the field `orderExists` to a document. The field is true if the payment with the document's `orderId`
/// exists. A merchant can name any order id, and payments can be deleted.
pub(super) fn with_existence(app: &AppState, mut document: Value) -> Value {
    let order_id = document["orderId"].as_str().unwrap_or_default();
    document["orderExists"] = app.service.payments.with(order_id, |_| ()).is_some().into();
    document
}

/// Deletes the payments with a final status. The other payments continue.
pub(crate) async fn clear(State(app): State<Arc<AppState>>) -> ApiResult {
    let service = &app.service;
    let cleared = service.payments.remove_final();
    for order_id in &cleared {
        service.deliveries.forget_plans(order_id);
        service.database.delete_payment(order_id);
    }
    service.events.publish("cleared", || json!({"list": "payments"}));
    Ok(response::json(200, &json!({"cleared": cleared.len()})))
}

pub(crate) async fn one(State(app): State<Arc<AppState>>, Path(order_id): Path<String>) -> ApiResult {
    show(&app, &order_id)
}

pub(super) fn show(app: &AppState, order_id: &str) -> ApiResult {
    let service = &app.service;
    let is_kept = |receipt: &ReceiptInfo| service.receipts.has(&service.database, order_id, receipt.id);
    let details = service.payments.with(order_id, |payment| {
        view::payment_details(payment, &service.deliveries.plans(order_id), is_kept)
    });
    let mut view = details.ok_or_else(Refusal::payment_not_found)?;
    let exchanges =
        app.exchanges.newest(None, MAX_LISTED, |exchange| exchange.order_id().as_deref() == Some(order_id));
    let of_payment = |webhook: &Webhook| webhook.order_id == order_id;
    let webhooks = service.deliveries.log.newest(None, MAX_LISTED, of_payment, view::webhook);
    view["exchangeList"] = exchanges.iter().map(view::exchange).collect();
    view["webhookList"] = webhooks.into_iter().map(|(_, webhook)| webhook).collect();
    Ok(response::json(200, &view))
}

/// Acts as the customer, who pays or decides never to pay.
pub(crate) async fn customer(
    State(app): State<Arc<AppState>>,
    Path(order_id): Path<String>,
    body: Body,
) -> ApiResult {
    let mut fields = RequestFields::read(body).await?;
    let (pays, sum) = (fields.text("pays")?, fields.text("sum")?);
    fields.end()?;
    let (what, pays) = match (pays.as_deref(), sum) {
        (Some("exactly"), None) => ("exactly", Some(CustomerPays::Exactly)),
        (Some("less"), None) => ("less", Some(CustomerPays::Less)),
        (Some("more"), None) => ("more", Some(CustomerPays::More)),
        (Some("nothing"), None) => ("nothing", None),
        (None, Some(sum)) => {
            let sum = sum.parse::<Amount>().ok().filter(Amount::is_positive);
            (
                "sum",
                Some(CustomerPays::Sum(sum.ok_or_else(|| {
                    Refusal::invalid("sum must be a text such as \"1500.50\" and above 0")
                })?)),
            )
        }
        _ => return Err(Refusal::invalid("give either pays (exactly, less, more or nothing) or sum")),
    };
    let mut found = PaymentState::Searching;
    let step = if pays.is_some() { Step::Pay } else { Step::Fail };
    let paid = app.service.step_with(&order_id, step, Cause { by: By::Customer, what }, |payment| {
        found = payment.state;
        let open = payment.state == PaymentState::AwaitingPayment;
        if let Some(pays) = pays.filter(|_| open) {
            (payment.sum, payment.paid_manually) = (payment.amount_paid(pays), true);
        }
        open
    });
    if !paid.ok_or_else(Refusal::payment_not_found)? {
        return Err(not_possible(found, what));
    }
    show(&app, &order_id)
}

/// Executes an operator's action.
pub(crate) async fn operator(
    State(app): State<Arc<AppState>>,
    Path(order_id): Path<String>,
    body: Body,
) -> ApiResult {
    let mut fields = RequestFields::read(body).await?;
    let action = fields.text("action")?.unwrap_or_default();
    fields.end()?;
    let service = &app.service;
    let (what, step) = match action.as_str() {
        "approve" => ("approve", Step::Approve),
        "fail" => ("fail", Step::Fail),
        "arbitration" => ("arbitration", Step::Arbitrate),
        "requireReceipt" => ("requireReceipt", Step::RequireReceipt),
        "hold" => return hold(&app, &order_id, true),
        "release" => return hold(&app, &order_id, false),
        _ => {
            return Err(Refusal::invalid(
                "action must be approve, fail, arbitration, requireReceipt, hold or release",
            ));
        }
    };
    let found =
        service.payments.with(&order_id, |payment| payment.state).ok_or_else(Refusal::payment_not_found)?;
    // A payment without credentials fails in the same way as if no credentials were found.
    let step =
        if found == PaymentState::Searching && step == Step::Fail { Step::CredentialsNotFound } else { step };
    let taken = service.step_with(&order_id, step, Cause { by: By::Operator, what }, |payment| {
        let possible = payment.state.after(step).is_some();
        // The payment is held, because the operator who starts an arbitration also decides its result.
        payment.held |= possible && matches!(step, Step::Arbitrate | Step::RequireReceipt);
        possible
    });
    if taken != Some(true) {
        return Err(not_possible(found, what));
    }
    show(&app, &order_id)
}

fn hold(app: &Arc<AppState>, order_id: &str, held: bool) -> ApiResult {
    let what = if held { "hold" } else { "release" };
    let service = &app.service;
    let changed = service.payments.with(order_id, |payment| {
        if payment.state.is_final() || payment.held == held {
            return Err(not_possible(payment.state, what));
        }
        payment.held = held;
        payment.record_change(service.clock.now(), Cause { by: By::Operator, what });
        service.changed(payment);
        Ok(())
    });
    changed.ok_or_else(Refusal::payment_not_found)??;
    scheduler::schedule_next_step(service, order_id);
    show(app, order_id)
}

/// Downloads a receipt's file. The file's author is not trusted: browsers must neither run the file nor guess
/// the file's type.
pub(crate) async fn receipt(
    State(app): State<Arc<AppState>>,
    Path((order_id, id)): Path<(String, String)>,
    uri: Uri,
) -> ApiResult {
    let (id, service) = (number(&id)?, &app.service);
    let note = service
        .payments
        .with(&order_id, |payment| payment.receipts.iter().find(|receipt| receipt.id == id).cloned());
    let note = note
        .ok_or_else(Refusal::payment_not_found)?
        .ok_or_else(|| Refusal::not_found("there is no such receipt"))?;
    let bytes = service.receipts.bytes(&service.database, &order_id, id);
    let bytes = bytes.ok_or_else(|| Refusal::not_found("this receipt is not kept any more"))?;
    let disposition = if uri.query() == Some("view=1") { "inline" } else { "attachment" };
    // The merchant's file name is untrusted, so no header repeats it.
    let ending = note.content_type.split('/').nth(1).unwrap_or("bin").to_owned();
    let disposition = format!("{disposition}; filename=\"{order_id}-{id}.{ending}\"");
    let mut response = Response::new(Body::from(bytes));
    for (name, value) in [
        (header::CONTENT_TYPE, note.content_type.as_str()),
        (header::CONTENT_DISPOSITION, disposition.as_str()),
        (header::X_CONTENT_TYPE_OPTIONS, "nosniff"),
        (header::CONTENT_SECURITY_POLICY, "default-src 'none'; sandbox"),
        (HeaderName::from_static("cross-origin-resource-policy"), "same-origin"),
        (header::CACHE_CONTROL, "no-store"),
    ] {
        response.headers_mut().insert(
            name,
            HeaderValue::from_str(value).map_err(|_| Refusal::not_found("there is no such receipt"))?,
        );
    }
    Ok(response)
}

fn not_possible(state: PaymentState, what: &str) -> Refusal {
    Refusal::conflict(format!("the payment is {}: {what} is not possible", state.name()))
}
