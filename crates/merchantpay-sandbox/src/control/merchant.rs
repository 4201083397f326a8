//! Acts as the merchant: creates, confirms and cancels payments and attaches receipts, without a program.

use std::sync::Arc;

use axum::body::Body;
use axum::extract::{Path, State};

use super::payments::show;
use super::refusal::{ApiResult, Refusal};
use super::request::RequestFields;
use super::stories::webhook_url;
use crate::app::AppState;
use crate::stories::{NewPayment, PlayedMerchant};

/// Creates a payment.
pub(crate) async fn create(State(app): State<Arc<AppState>>, body: Body) -> ApiResult {
    let mut fields = RequestFields::read(body).await?;
    let required = |value: Option<String>, name: &str| {
        value.ok_or_else(|| Refusal::invalid(format!("{name} is missing")))
    };
    let payment = NewPayment {
        sum: required(fields.text("sum")?, "sum")?,
        payment_method: required(fields.text("paymentMethod")?, "paymentMethod")?,
        customer_account: required(fields.text("customerAccount")?, "customerAccount")?,
        merchant_id: fields.text("merchantId")?,
        status_webhook_url: webhook_url(&app, &mut fields, "statusWebhookUrl")?,
        credentials_webhook_url: webhook_url(&app, &mut fields, "credentialsWebhookUrl")?,
    };
    fields.end()?;
    let merchant = PlayedMerchant::of(&app).map_err(refused)?;
    let created = merchant.create(&payment).await.map_err(refused)?;
    created.order_id().map_or_else(
        // A refusal of newPayment does not contain an order id, even if the payment exists without
        // credentials.
        || Err(Refusal::conflict(created.refusal().unwrap_or_default())),
        |order_id| show(&app, &order_id),
    )
}

/// Executes a merchant's action on a payment.
pub(crate) async fn act(
    State(app): State<Arc<AppState>>,
    Path(order_id): Path<String>,
    body: Body,
) -> ApiResult {
    let mut fields = RequestFields::read(body).await?;
    let action = fields.text("action")?.unwrap_or_default();
    fields.end()?;
    app.service.payments.with(&order_id, |_| ()).ok_or_else(Refusal::payment_not_found)?;
    let merchant = PlayedMerchant::of(&app).map_err(refused)?;
    let answer = match action.as_str() {
        "confirm" => merchant.confirm(&order_id, None).await,
        "cancel" => merchant.cancel(&order_id).await,
        "attachReceipt" => merchant.attach_receipt(&order_id).await,
        "getStatus" => merchant.get_status(&order_id).await,
        _ => return Err(Refusal::invalid("action must be confirm, cancel, attachReceipt or getStatus")),
    };
    match answer.map_err(refused)?.refusal() {
        None => show(&app, &order_id),
        Some(refusal) => Err(Refusal::conflict(refusal)),
    }
}

fn refused(error: merchantpay::Error) -> Refusal {
    Refusal::invalid(error.to_string())
}
