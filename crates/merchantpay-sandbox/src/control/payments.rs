//! Shows payments, and acts as their merchant, their customer and their operator.

use std::sync::Arc;

use axum::Json;
use axum::body::Body;
use axum::extract::{Path, State};
use axum::http::{Response, Uri};
use merchantpay::Amount;
use serde::Deserialize;
use serde_json::{Value, json};

use super::{Filter, Input, Problem, Result, check_webhook_url, download, number, page, page_size};
use crate::app::AppState;
use crate::base::json::name;
use crate::model::payment::{Details, MerchantAction, OperatorAction, Payment};
use crate::model::state::{By, Pays, State as PaymentState, Step};
use crate::service::payments::schedule_next_step;
use crate::stories::{NewPayment, PlayedMerchant};

/// The number of exchanges and webhooks that are listed with a payment.
const MAX_LISTED: usize = 100;

#[derive(Default, Deserialize)]
#[serde(default, rename_all = "camelCase", deny_unknown_fields)]
pub(super) struct Wanted {
    limit: Option<usize>,
    before: Option<u64>,
    status: Option<String>,
    merchant_id: Option<String>,
    search: Option<String>,
}

#[derive(Deserialize)]
#[serde(deny_unknown_fields)]
pub(super) struct Action<T> {
    action: T,
}

/// Either what the customer pays, or the sum.
#[derive(Deserialize)]
#[serde(deny_unknown_fields)]
pub(super) struct CustomerPays {
    pays: Option<Pays>,
    sum: Option<String>,
}

pub(super) async fn list(
    State(app): State<Arc<AppState>>,
    Filter(wanted): Filter<Wanted>,
) -> Result<Json<Value>> {
    let size = page_size(wanted.limit)?;
    let passes = |payment: &Payment| {
        wanted.status.as_deref().is_none_or(|status| payment.state.status_name() == status)
            && (wanted.merchant_id.is_none() || wanted.merchant_id == payment.order.merchant_id)
            && wanted.search.as_deref().is_none_or(|text| contains(payment, text))
    };
    let shown = |payment: &Payment| json!(payment.shown());
    let payments = app.service.payments.newest(wanted.before, size, passes, shown);
    let (payments, next) = page(payments, size);
    Ok(Json(json!({"payments": payments, "next": next})))
}

/// Returns `true` if a text is part of the payment's ids or accounts, by which a developer searches.
fn contains(payment: &Payment, text: &str) -> bool {
    let order = &payment.order;
    let known = [Some(&payment.order_id), Some(&order.customer_account), order.merchant_id.as_ref()];
    known.into_iter().flatten().any(|known| known.contains(text))
}

/// Deletes the payments with a final status. The other payments continue.
pub(super) async fn clear(State(app): State<Arc<AppState>>) -> Json<Value> {
    let service = &app.service;
    let cleared = service.payments.remove_final();
    for order_id in &cleared {
        service.deliveries.forget_plans(order_id);
        service.database.delete_payment(order_id);
    }
    service.events.publish("cleared", || json!({"list": "payments"}));
    Json(json!({"cleared": cleared.len()}))
}

pub(super) async fn one(
    State(app): State<Arc<AppState>>,
    Path(order_id): Path<String>,
) -> Result<Json<Value>> {
    show(&app, &order_id)
}

pub(super) fn show(app: &AppState, order_id: &str) -> Result<Json<Value>> {
    let service = &app.service;
    let exchanges = app.exchanges.newest(None, MAX_LISTED, |one| one.order_id.as_deref() == Some(order_id));
    let webhooks = service.deliveries.log.newest(None, MAX_LISTED, |one| one.order_id == order_id);
    let details = Details {
        next_webhooks: service.deliveries.plans(order_id),
        exchange_list: exchanges.into_iter().map(|(_, exchange)| exchange).collect(),
        webhook_list: webhooks.into_iter().map(|(_, webhook)| webhook).collect(),
    };
    let shown = service.payments.with(order_id, |payment| {
        let mut shown = payment.shown();
        shown.details = Some(details);
        Json(json!(shown))
    });
    shown.ok_or_else(Problem::payment_not_found)
}

/// Acts as the merchant, who creates a payment.
pub(super) async fn create(
    State(app): State<Arc<AppState>>,
    Input(payment): Input<NewPayment>,
) -> Result<Json<Value>> {
    for url in [&payment.status_webhook_url, &payment.credentials_webhook_url].into_iter().flatten() {
        check_webhook_url(&app, url)?;
    }
    let merchant = PlayedMerchant::of(&app).map_err(refused)?;
    let created = merchant.create(&payment).await.map_err(refused)?;
    // A refusal of newPayment does not contain an order id, even if the payment exists without credentials.
    match created.order_id() {
        Some(order_id) => show(&app, &order_id),
        None => Err(Problem::conflict(created.refusal().unwrap_or_default())),
    }
}

/// Acts as the payment's merchant.
pub(super) async fn merchant(
    State(app): State<Arc<AppState>>,
    Path(order_id): Path<String>,
    Input(Action { action }): Input<Action<MerchantAction>>,
) -> Result<Json<Value>> {
    if !app.service.payments.has(&order_id) {
        return Err(Problem::payment_not_found());
    }
    let merchant = PlayedMerchant::of(&app).map_err(refused)?;
    let answer = match action {
        MerchantAction::Confirm => merchant.confirm(&order_id, None).await,
        MerchantAction::Cancel => merchant.cancel(&order_id).await,
        MerchantAction::AttachReceipt => merchant.attach_receipt(&order_id).await,
        MerchantAction::GetStatus => merchant.get_status(&order_id).await,
    };
    match answer.map_err(refused)?.refusal() {
        None => show(&app, &order_id),
        Some(refusal) => Err(Problem::conflict(refusal)),
    }
}

fn refused(error: merchantpay::Error) -> Problem {
    Problem::invalid(error.to_string())
}

/// Acts as the customer, who pays or decides never to pay.
pub(super) async fn customer(
    State(app): State<Arc<AppState>>,
    Path(order_id): Path<String>,
    Input(CustomerPays { pays, sum }): Input<CustomerPays>,
) -> Result<Json<Value>> {
    let sum = match (pays, sum) {
        (Some(_), None) => None,
        (None, Some(sum)) => {
            let sum = sum.parse::<Amount>().ok().filter(Amount::is_positive);
            let why = "sum must be a text such as \"1500.50\" and above 0";
            Some(sum.ok_or_else(|| Problem::invalid(why))?)
        }
        _ => return Err(Problem::invalid("give either pays (exactly, less, more or nothing) or sum")),
    };
    let what = pays.map_or_else(|| "sum".to_owned(), name);
    let mut found = PaymentState::Searching;
    let step = if pays == Some(Pays::Nothing) { Step::Fail } else { Step::Pay };
    let paid = app.service.step_with(&order_id, step, (By::Customer, what.clone().into()), |payment| {
        found = payment.state;
        let open = payment.state == PaymentState::AwaitingPayment;
        if open && step == Step::Pay {
            let asked = || payment.amount_paid(pays.unwrap_or(Pays::Exactly));
            (payment.sum, payment.paid_by_hand) = (sum.unwrap_or_else(asked), true);
        }
        open
    });
    if !paid.ok_or_else(Problem::payment_not_found)? {
        return Err(not_possible(found, &what));
    }
    show(&app, &order_id)
}

/// Acts as the service's operator.
pub(super) async fn operator(
    State(app): State<Arc<AppState>>,
    Path(order_id): Path<String>,
    Input(Action { action }): Input<Action<OperatorAction>>,
) -> Result<Json<Value>> {
    let service = &app.service;
    let found = service.payments.with(&order_id, |payment| payment.state);
    let found = found.ok_or_else(Problem::payment_not_found)?;
    let step = match action {
        OperatorAction::Hold | OperatorAction::Release => return hold(&app, &order_id, action),
        OperatorAction::Approve => Step::Approve,
        // A payment without credentials fails in the same way as if no credentials were found.
        OperatorAction::Fail if found == PaymentState::Searching => Step::CredentialsNotFound,
        OperatorAction::Fail => Step::Fail,
        OperatorAction::Arbitration => Step::Arbitrate,
        OperatorAction::RequireReceipt => Step::RequireReceipt,
    };
    let cause = (By::Operator, name(action).into());
    let taken = service.step_with(&order_id, step, cause, |payment| {
        let possible = payment.state.after(step).is_some();
        // The payment is held, because the operator who starts an arbitration also decides its result.
        payment.held |= possible && matches!(step, Step::Arbitrate | Step::RequireReceipt);
        possible
    });
    if taken == Some(true) { show(&app, &order_id) } else { Err(not_possible(found, &name(action))) }
}

fn hold(app: &Arc<AppState>, order_id: &str, action: OperatorAction) -> Result<Json<Value>> {
    let (service, held) = (&app.service, action == OperatorAction::Hold);
    let changed = service.payments.with(order_id, |payment| {
        if payment.state.is_final() || payment.held == held {
            return Err(not_possible(payment.state, &name(action)));
        }
        payment.held = held;
        payment.record_change(service.clock.now(), (By::Operator, name(action).into()));
        service.changed(payment);
        Ok(())
    });
    changed.ok_or_else(Problem::payment_not_found)??;
    schedule_next_step(service, order_id);
    show(app, order_id)
}

fn not_possible(state: PaymentState, what: &str) -> Problem {
    Problem::conflict(format!("the payment is {}: {what} is not possible", name(state)))
}

/// Downloads a receipt's file, or shows it with `?view=1`.
pub(super) async fn receipt(
    State(app): State<Arc<AppState>>,
    Path((order_id, id)): Path<(String, String)>,
    uri: Uri,
) -> Result<Response<Body>> {
    let (id, service) = (number(&id)?, &app.service);
    let found = service
        .payments
        .with(&order_id, |payment| payment.receipt_list.iter().find(|receipt| receipt.id == id).cloned());
    let receipt = found
        .ok_or_else(Problem::payment_not_found)?
        .ok_or_else(|| Problem::not_found("there is no such receipt"))?;
    let in_memory = Some(receipt.bytes).filter(|bytes| !bytes.is_empty());
    let bytes = in_memory.or_else(|| service.database.receipt(&order_id, id));
    let bytes = bytes.ok_or_else(|| Problem::not_found("this receipt is not kept any more"))?;
    let disposition = if uri.query() == Some("view=1") { "inline" } else { "attachment" };
    // The merchant's file name is untrusted, so no header repeats it.
    let ending = receipt.content_type.split('/').nth(1).unwrap_or("bin");
    let disposition = format!("{disposition}; filename=\"{order_id}-{id}.{ending}\"");
    Ok(download(bytes, &receipt.content_type, &disposition))
}
