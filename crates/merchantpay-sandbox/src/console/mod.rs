//! The console: the sandbox's pages for a browser. They work without a script, and use the control API.

mod api;
mod assets;
mod calls;
mod faults;
mod form;
mod guard;
mod keys;
mod layout;
mod pay;
mod payment;
mod payments;
mod qr;
mod receiver;
mod show;
mod start;
mod tables;
mod webhooks;

use std::sync::Arc;

use axum::Router;
use axum::body::Bytes;
use axum::extract::{Path, RawQuery, State};
use axum::http::{Method, StatusCode};
use axum::middleware;
use axum::response::Redirect;
use axum::routing::{get, post};
use serde_json::Value;

use self::api::Api;
use self::form::Form;
use self::layout::{Page, Section};
use crate::base::assumptions;
use crate::base::own_hosts::OwnHosts;

/// The router of the console's pages and files. `own_hosts` are the sandbox's names and addresses.
pub(crate) fn router(control: Router, own_hosts: Arc<OwnHosts>) -> Router {
    let pages = Router::new()
        .route("/", get(start_page))
        .route("/keys", post(accept_key))
        .route("/stories", post(play_story))
        .route("/payments", get(payments_page).post(create_payment))
        .route("/payments/clear", post(clear_payments))
        .route("/payments/{id}", get(payment_page))
        .route("/payments/{id}/merchant", post(merchant))
        .route("/payments/{id}/customer", post(customer))
        .route("/payments/{id}/operator", post(operator))
        .route("/payments/{id}/clock", post(clock_of_payment))
        .route("/payments/{id}/webhooks", post(plan_webhooks))
        .route("/payments/{id}/webhooks/clear", post(forget_webhooks))
        .route("/calls", get(calls_page))
        .route("/calls/clear", post(clear_calls))
        .route("/calls/{id}", get(call_page))
        .route("/webhooks", get(webhooks_page))
        .route("/webhooks/clear", post(clear_webhooks))
        .route("/webhooks/{id}", get(webhook_page).post(send_webhook))
        .route("/faults", get(faults_page).post(add_fault))
        .route("/faults/clear", post(clear_faults))
        .route("/faults/{id}/clear", post(clear_fault))
        .route("/receiver", get(receiver_page).post(check_receiver))
        .route("/clock", post(advance_clock))
        .route("/pay/{id}", get(pay_page).post(pay_by_customer))
        .method_not_allowed_fallback(async |method: Method| {
            layout::problem(StatusCode::METHOD_NOT_ALLOWED, &format!("{method} means nothing here."))
        })
        .with_state(Api::new(control, own_hosts.listens_on()));
    pages.merge(assets::router()).layer(middleware::from_fn_with_state(own_hosts, guard::check))
}

type PageResult = Result<Page, Page>;
type RedirectResult = Result<Redirect, Page>;

async fn start_page(State(api): State<Api>, RawQuery(query): RawQuery) -> PageResult {
    start::page(&api, &query_form(query)).await
}

async fn accept_key(State(api): State<Api>, body: Bytes) -> RedirectResult {
    keys::accept(&api, &Form::read(&body)).await?;
    Ok(Redirect::to("/"))
}

async fn play_story(State(api): State<Api>, body: Bytes) -> RedirectResult {
    let form = Form::read(&body);
    // The name becomes part of a control API path.
    let story = order_id(form.text("story")).map_err(|_| layout::not_found("story"))?;
    let played = api.post(&format!("/sandbox/stories/{story}"), form.document(&["webhookUrl"], &[])).await?;
    Ok(Redirect::to(&format!("/payments/{}", api::text(&played, "orderId"))))
}

async fn create_payment(State(api): State<Api>, body: Bytes) -> RedirectResult {
    let created = api.post("/sandbox/payments", start::new_payment(&Form::read(&body))).await?;
    Ok(Redirect::to(&format!("/payments/{}", api::text(&created, "orderId"))))
}

async fn receiver_page(State(api): State<Api>) -> PageResult {
    receiver::page(&api).await
}

async fn check_receiver(State(api): State<Api>, body: Bytes) -> PageResult {
    receiver::check(&api, &Form::read(&body)).await
}

async fn payments_page(State(api): State<Api>, RawQuery(query): RawQuery) -> PageResult {
    payments::page(&api, &query_form(query)).await
}

async fn payment_page(State(api): State<Api>, Path(id): Path<String>) -> PageResult {
    payment::page(&api, order_id(&id)?).await
}

async fn calls_page(State(api): State<Api>, RawQuery(query): RawQuery) -> PageResult {
    calls::page(&api, &query_form(query)).await
}

async fn call_page(State(api): State<Api>, Path(id): Path<String>) -> PageResult {
    calls::one(&api, number(&id, "call")?).await
}

async fn webhooks_page(State(api): State<Api>, RawQuery(query): RawQuery) -> PageResult {
    webhooks::page(&api, &query_form(query)).await
}

async fn webhook_page(State(api): State<Api>, Path(id): Path<String>) -> PageResult {
    webhooks::one(&api, number(&id, "webhook")?).await
}

async fn faults_page(State(api): State<Api>) -> PageResult {
    faults::page(&api).await
}

async fn pay_page(State(api): State<Api>, Path(id): Path<String>) -> PageResult {
    pay::page(&api, order_id(&id).map_err(|problem| Page { section: Section::Frame, ..problem })?).await
}

async fn pay_by_customer(State(api): State<Api>, Path(id): Path<String>, body: Bytes) -> RedirectResult {
    let framed = |problem| Page { section: Section::Frame, ..problem };
    let id = order_id(&id).map_err(framed)?;
    let form = Form::read(&body);
    api.post(&format!("/sandbox/payments/{id}/customer"), form.document(&["pays", "sum"], &[]))
        .await
        .map_err(framed)?;
    Ok(Redirect::to(&format!("/pay/{id}")))
}

async fn merchant(State(api): State<Api>, Path(id): Path<String>, body: Bytes) -> RedirectResult {
    on_payment(&api, &id, "merchant", Form::read(&body).document(&["action"], &[])).await
}

async fn customer(State(api): State<Api>, Path(id): Path<String>, body: Bytes) -> RedirectResult {
    on_payment(&api, &id, "customer", Form::read(&body).document(&["pays", "sum"], &[])).await
}

async fn operator(State(api): State<Api>, Path(id): Path<String>, body: Bytes) -> RedirectResult {
    on_payment(&api, &id, "operator", Form::read(&body).document(&["action"], &[])).await
}

async fn plan_webhooks(State(api): State<Api>, Path(id): Path<String>, body: Bytes) -> RedirectResult {
    on_payment(&api, &id, "webhooks", Form::read(&body).document(&["action"], &["delayMs", "times"])).await
}

async fn forget_webhooks(State(api): State<Api>, Path(id): Path<String>) -> RedirectResult {
    let id = order_id(&id)?;
    api.delete(&format!("/sandbox/payments/{id}/webhooks")).await?;
    Ok(Redirect::to(&format!("/payments/{id}")))
}

/// Posts a document about a payment, and redirects to the payment's page.
async fn on_payment(api: &Api, id: &str, what: &str, document: Value) -> RedirectResult {
    let id = order_id(id)?;
    api.post(&format!("/sandbox/payments/{id}/{what}"), document).await?;
    Ok(Redirect::to(&format!("/payments/{id}")))
}

async fn send_webhook(State(api): State<Api>, Path(id): Path<String>, body: Bytes) -> RedirectResult {
    let id = number(&id, "webhook")?;
    let made = api
        .post(&format!("/sandbox/webhooks/{id}"), Form::read(&body).document(&["action"], &["delayMs"]))
        .await?;
    let new = api::list(&made, "webhooks").first().map_or(id, |webhook| api::number(webhook, "id"));
    Ok(Redirect::to(&format!("/webhooks/{new}")))
}

async fn add_fault(State(api): State<Api>, body: Bytes) -> RedirectResult {
    let numbers = ["times", "probability", "seed", "latencyMs", "bytes"];
    api.post("/sandbox/faults", Form::read(&body).document(&["kind", "operation"], &numbers)).await?;
    Ok(Redirect::to("/faults"))
}

async fn clear_faults(State(api): State<Api>) -> RedirectResult {
    api.delete("/sandbox/faults").await?;
    Ok(Redirect::to("/faults"))
}

async fn clear_fault(State(api): State<Api>, Path(id): Path<String>) -> RedirectResult {
    api.delete(&format!("/sandbox/faults/{}", number(&id, "fault")?)).await?;
    Ok(Redirect::to("/faults"))
}

async fn clear_payments(State(api): State<Api>) -> RedirectResult {
    clear(&api, "/sandbox/payments", "/payments").await
}

async fn clear_calls(State(api): State<Api>) -> RedirectResult {
    clear(&api, "/sandbox/exchanges", "/calls").await
}

async fn clear_webhooks(State(api): State<Api>) -> RedirectResult {
    clear(&api, "/sandbox/webhooks", "/webhooks").await
}

/// Clears a list, and redirects to the page of the list.
async fn clear(api: &Api, what: &str, page: &str) -> RedirectResult {
    api.delete(what).await?;
    Ok(Redirect::to(page))
}

async fn advance_clock(State(api): State<Api>, body: Bytes) -> RedirectResult {
    api.post("/sandbox/clock", Form::read(&body).document(&[], &["advanceMs"])).await?;
    Ok(Redirect::to("/payments"))
}

async fn clock_of_payment(State(api): State<Api>, Path(id): Path<String>, body: Bytes) -> RedirectResult {
    let id = order_id(&id)?;
    api.post("/sandbox/clock", Form::read(&body).document(&[], &["advanceMs"])).await?;
    Ok(Redirect::to(&format!("/payments/{id}")))
}

fn query_form(query: Option<String>) -> Form {
    Form::read(query.unwrap_or_default().as_bytes())
}

/// Only a valid id becomes part of a control API path.
fn order_id(id: &str) -> Result<&str, Page> {
    if assumptions::is_order_id(id) { Ok(id) } else { Err(layout::not_found("payment")) }
}

fn number(id: &str, what: &str) -> Result<u64, Page> {
    id.parse().map_err(|_| layout::not_found(what))
}

#[cfg(test)]
mod tests;
