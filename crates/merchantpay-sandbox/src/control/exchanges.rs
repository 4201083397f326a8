//! Shows and downloads the signed exchanges.

use std::sync::Arc;

use axum::body::Body;
use axum::extract::{Path, State};
use axum::http::{HeaderValue, Response, Uri, header};
use serde_json::json;

use super::payments::with_existence;
use super::refusal::{ApiResult, Refusal};
use super::request::{ListQuery, number};
use super::response;
use crate::app::AppState;
use crate::model::exchange::Exchange;
use crate::model::view;

pub(crate) async fn list(State(app): State<Arc<AppState>>, uri: Uri) -> ApiResult {
    let query = ListQuery::read(&uri, &["orderId", "operation", "refused"])?;
    let refused = query.is_set("refused")?;
    let passes = |exchange: &Exchange| {
        query.passes("operation", exchange.endpoint.operation())
            && query.passes("orderId", exchange.order_id().as_deref())
            && (!refused || exchange.is_refused())
    };
    let mut list: Vec<_> = app
        .exchanges
        .newest(query.before, query.looked_for(), passes)
        .into_iter()
        .map(|one| (one.id, one))
        .collect();
    let next = query.next(&mut list);
    let exchanges: Vec<_> =
        list.iter().map(|(_, exchange)| with_existence(&app, view::exchange(exchange))).collect();
    Ok(response::json(200, &json!({"exchanges": exchanges, "next": next})))
}

pub(crate) async fn one(State(app): State<Arc<AppState>>, Path(id): Path<String>) -> ApiResult {
    Ok(response::json(200, &with_existence(&app, view::exchange_details(&find(&app, &id)?))))
}

/// Deletes all exchanges.
pub(crate) async fn clear(State(app): State<Arc<AppState>>) -> ApiResult {
    let cleared = app.exchanges.clear();
    app.service.events.publish("cleared", || json!({"list": "exchanges"}));
    Ok(response::json(200, &json!({"cleared": cleared})))
}

/// Downloads the bytes of a request or a reply.
pub(crate) async fn bytes(
    State(app): State<Arc<AppState>>,
    Path((id, side)): Path<(String, String)>,
) -> ApiResult {
    let exchange = find(&app, &id)?;
    let body = match side.as_str() {
        "request" => Some(exchange.body),
        "reply" => exchange.reply.map(|reply| reply.body),
        _ => None,
    };
    let body = body.ok_or_else(|| Refusal::not_found("the exchange has no body of this kind"))?;
    let mut response = Response::new(Body::from(body.bytes));
    for (name, value) in [
        (header::CONTENT_TYPE, "application/octet-stream"),
        (header::CONTENT_DISPOSITION, "attachment"),
        (header::X_CONTENT_TYPE_OPTIONS, "nosniff"),
        (header::CONTENT_SECURITY_POLICY, "default-src 'none'; sandbox"),
        (header::CACHE_CONTROL, "no-store"),
    ] {
        response.headers_mut().insert(name, HeaderValue::from_static(value));
    }
    Ok(response)
}

fn find(app: &AppState, id: &str) -> Result<Exchange, Refusal> {
    app.exchanges
        .get(number(id)?)
        .ok_or_else(|| Refusal::not_found("there is no such exchange, or it is not kept any more"))
}
