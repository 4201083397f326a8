//! Shows payments, acts as their merchant, their customer and their operator, and plays stories.

use axum::Json;
use axum::body::{Body, Bytes};
use axum::extract::{Path, State};
use axum::http::{HeaderMap, Response, Uri};
use merchantpay::{Amount, WebhookVerifier};
use serde::Deserialize;
use serde_json::{Value, json};

use super::lists::cleared;
use super::{App, Document, Filter, Input, Problem, Result, check_webhook_url, download, number, page};
use crate::app::AppState;
use crate::base::name;
use crate::model::payment::Payment;
use crate::model::state::{By, MerchantAction, OperatorAction, Pays, State as PaymentState, Step};
use crate::service::schedule_next_step;
use crate::store::database::{PAYMENT, RECEIPT};
use crate::stories::{NewPayment, PlayedMerchant, STORIES, Story, check_receiver, play as play_story};

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

#[derive(Deserialize)]
#[serde(deny_unknown_fields)]
pub(super) struct CustomerPays {
    pays: Option<Pays>,
    sum: Option<String>,
}

pub(super) async fn list(State(app): App, Filter(wanted): Filter<Wanted>) -> Document {
    let passes = |payment: &Payment| {
        wanted.status.as_deref().is_none_or(|status| payment.state.status_name() == status)
            && (wanted.merchant_id.is_none() || wanted.merchant_id == payment.order.merchant_id)
            && wanted.search.as_deref().is_none_or(|text| contains(payment, text))
    };
    let show = |payment: &Payment| passes(payment).then(|| payment.shown());
    page("payments", wanted.limit, |size| app.service.payments.newest(wanted.before, size, show))
}

/// What a developer searches by: ids and accounts.
fn contains(payment: &Payment, text: &str) -> bool {
    let order = &payment.order;
    let known = [Some(&payment.order_id), Some(&order.customer_account), order.merchant_id.as_ref()];
    known.into_iter().flatten().any(|known| known.contains(text))
}

/// Payments without a final status continue.
pub(super) async fn clear(State(app): App) -> Json<Value> {
    let service = &app.service;
    let removed = service.payments.remove_final();
    for payment in &removed {
        service.database.delete(PAYMENT, payment.number);
        payment.receipt_list.iter().for_each(|receipt| service.database.delete(RECEIPT, &receipt.url));
    }
    cleared(&app, "payments", removed.len())
}

pub(super) async fn one(State(app): App, Path(order_id): Path<String>) -> Document {
    show(&app, &order_id)
}

pub(super) fn show(app: &AppState, order_id: &str) -> Document {
    let service = &app.service;
    let exchanges = app.exchanges.newest(None, MAX_LISTED, |one| one.order_id.as_deref() == Some(order_id));
    let webhooks = service.deliveries.log.newest(None, MAX_LISTED, |one| one.order_id == order_id);
    let shown = service.payments.with(order_id, |payment| {
        let mut shown = payment.shown();
        shown["exchangeList"] = exchanges.into_iter().map(|(_, exchange)| json!(exchange)).collect();
        shown["webhookList"] = webhooks.into_iter().map(|(_, webhook)| json!(webhook)).collect();
        Json(shown)
    });
    shown.ok_or_else(Problem::payment_not_found)
}

pub(super) async fn create(State(app): App, Input(payment): Input<NewPayment>) -> Document {
    for url in [&payment.status_webhook_url, &payment.credentials_webhook_url].into_iter().flatten() {
        check_webhook_url(&app, url)?;
    }
    let merchant = PlayedMerchant::of(&app).map_err(refused)?;
    let created = merchant.create(&payment).await.map_err(refused)?;
    // A refusal of newPayment does not contain an order id, even if the payment exists without credentials.
    show(&app, &created.accepted().map_err(Problem::conflict)?.unwrap_or_default())
}

pub(super) async fn merchant(
    State(app): App,
    Path(order_id): Path<String>,
    Input(Action { action }): Input<Action<MerchantAction>>,
) -> Document {
    if !app.service.payments.has(&order_id) {
        return Err(Problem::payment_not_found());
    }
    let merchant = PlayedMerchant::of(&app).map_err(refused)?;
    let answer = merchant.act(action, &order_id, None).await.map_err(refused)?;
    answer.accepted().map_err(Problem::conflict)?;
    show(&app, &order_id)
}

fn refused(error: merchantpay::Error) -> Problem {
    Problem::invalid(error.to_string())
}

pub(super) async fn customer(
    State(app): App,
    Path(order_id): Path<String>,
    Input(CustomerPays { pays, sum }): Input<CustomerPays>,
) -> Document {
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
    let paid = app.service.step_with(&order_id, Some(step), (By::Customer, what.clone().into()), |payment| {
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

pub(super) async fn operator(
    State(app): App,
    Path(order_id): Path<String>,
    Input(Action { action }): Input<Action<OperatorAction>>,
) -> Document {
    let service = &app.service;
    let found = service.payments.with(&order_id, |payment| payment.state);
    let found = found.ok_or_else(Problem::payment_not_found)?;
    let cause = (By::Operator, name(action).into());
    let taken = service.step_with(&order_id, action.step(found), cause, |payment| {
        let possible = action.is_possible(payment.state, payment.held);
        if possible {
            payment.held = match action {
                // The operator who starts an arbitration also decides its result.
                OperatorAction::Arbitration | OperatorAction::RequireReceipt | OperatorAction::Hold => true,
                OperatorAction::Release => false,
                OperatorAction::Approve | OperatorAction::Fail => payment.held,
            };
        }
        possible
    });
    if taken != Some(true) {
        return Err(not_possible(found, &name(action)));
    }
    schedule_next_step(service, &order_id);
    show(&app, &order_id)
}

fn not_possible(state: PaymentState, what: &str) -> Problem {
    Problem::conflict(format!("the payment is {}: {what} is not possible", name(state)))
}

pub(super) async fn receipt(
    State(app): App,
    Path((order_id, id)): Path<(String, String)>,
    uri: Uri,
) -> Result<Response<Body>> {
    let (id, service) = (number(&id)?, &app.service);
    let find = |payment: &mut Payment| payment.receipt_list.iter().find(|receipt| receipt.id == id).cloned();
    let found = service.payments.with(&order_id, find).ok_or_else(Problem::payment_not_found)?;
    let receipt = found.ok_or_else(|| Problem::not_found("there is no such receipt"))?;
    let in_memory = Some(receipt.bytes).filter(|bytes| !bytes.is_empty());
    let saved = || service.database.value::<Vec<u8>>(RECEIPT, &receipt.url).map(Bytes::from);
    let bytes = in_memory.or_else(saved);
    let bytes = bytes.ok_or_else(|| Problem::not_found("this receipt is not kept any more"))?;
    let disposition = if uri.query() == Some("view=1") { "inline" } else { "attachment" };
    // The merchant's file name is untrusted, so no header repeats it.
    let ending = receipt.content_type.split('/').nth(1).unwrap_or("bin");
    let disposition = format!("{disposition}; filename=\"{order_id}-{id}.{ending}\"");
    Ok(download(bytes, &receipt.content_type, &disposition))
}

#[derive(Deserialize)]
#[serde(rename_all = "camelCase", deny_unknown_fields)]
pub(super) struct Play {
    webhook_url: Option<String>,
}

#[derive(Deserialize)]
#[serde(rename_all = "camelCase", deny_unknown_fields)]
pub(super) struct Check {
    url: String,
    order_id: Option<String>,
}

pub(super) async fn play(
    State(app): App,
    Path(name): Path<String>,
    Input(Play { webhook_url: url }): Input<Play>,
) -> Document {
    let url = url.unwrap_or_else(|| app.service.webhook_hosts.own_receiver.clone());
    check_webhook_url(&app, &url)?;
    let story = STORIES.iter().find(|story| story.name == name).ok_or_else(|| {
        let names: Vec<&str> = STORIES.iter().map(|story: &Story| story.name).collect();
        Problem::not_found(format!("there is no such story: choose one of {}", names.join(", ")))
    })?;
    let order_id = play_story(&app, story, &url).await.map_err(Problem::conflict)?;
    show(&app, &order_id)
}

pub(super) async fn check(State(app): App, Input(Check { url, order_id }): Input<Check>) -> Document {
    check_webhook_url(&app, &url)?;
    if order_id.as_ref().is_some_and(|order_id| !app.service.payments.has(order_id)) {
        return Err(Problem::payment_not_found());
    }
    check_receiver(&app, &url, order_id).await.map(Json).map_err(Problem::conflict)
}

/// Answers a webhook as a correct receiver does: 200 if it verifies, otherwise 400.
pub(super) async fn receive(State(app): App, headers: HeaderMap, body: Bytes) -> Document {
    let text = |name: &str| headers.get(name).and_then(|value| value.to_str().ok());
    let verifier = WebhookVerifier::with_keys(
        &[app.keys.key.public_key()],
        std::slice::from_ref(&app.keys.key_id),
        Some(&app.merchant().key_id),
    );
    let event = verifier.and_then(|verifier| {
        verifier.verify(&body, text("x-signature").unwrap_or_default(), text("x-keyid"))
    });
    let event = event.map_err(|_| Problem::invalid("the webhook does not verify"))?;
    Ok(Json(json!({"kind": event.kind(), "orderId": event.payment().order_id()})))
}
