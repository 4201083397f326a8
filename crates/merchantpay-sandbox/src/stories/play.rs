//! Runs a story. A story never waits for the clock, so it also ends with a manual clock.

use std::sync::Arc;

use crate::app::AppState;
use crate::model::body::Body;
use crate::model::fault::Fault;
use crate::model::webhook::{WebhookAction, WebhookKind, WebhookPlan};
use crate::stories::merchant::{NewPayment, PlayedMerchant};
use crate::stories::{Act, Story};

const SUM: &str = "1500.50";

/// Runs a story, sends its webhooks to this URL, and returns the payment's order id. The error names the
/// refused call and the reason.
pub(crate) async fn play(app: &Arc<AppState>, story: &Story, webhook_url: &str) -> Result<String, String> {
    let merchant = PlayedMerchant::of(app).map_err(|error| error.to_string())?;
    let mut order_id = String::new();
    for act in story.acts {
        let answer = match act {
            Act::NewPayment | Act::NewPaymentAsync => {
                let url = Some(webhook_url.to_owned());
                let payment = NewPayment {
                    sum: SUM.to_owned(),
                    payment_method: "sbp".to_owned(),
                    customer_account: story.account.to_owned(),
                    merchant_id: Some(story.merchant_id()),
                    status_webhook_url: url.clone(),
                    credentials_webhook_url: url.filter(|_| matches!(act, Act::NewPaymentAsync)),
                };
                let answer = merchant.create(&payment).await;
                if let Some(id) = answer.as_ref().ok().and_then(|answer| answer.order_id()) {
                    order_id = id;
                }
                answer
            }
            Act::Confirm => merchant.confirm(&order_id, None).await,
            Act::ConfirmWithoutReply => merchant.confirm(&order_id, Some(Fault::DropAfterCommit)).await,
            Act::GetStatus => merchant.get_status(&order_id).await,
            Act::AttachReceipt => merchant.attach_receipt(&order_id).await,
            Act::NextWebhook(action, delay_ms) => {
                app.service.deliveries.plan(&order_id, WebhookPlan::new(*action, *delay_ms));
                continue;
            }
            Act::ForgedWebhook => {
                forge_success(app, &order_id, webhook_url).await;
                continue;
            }
        };
        if let Some(refusal) = answer.map_err(|error| error.to_string())?.refusal() {
            return Err(refusal);
        }
    }
    Ok(order_id)
}

/// Sends a webhook that reports an unpaid payment as paid. A wrong key signs this webhook. A forger does not
/// retry.
async fn forge_success(app: &AppState, order_id: &str, webhook_url: &str) {
    let forged = app.service.payments.with(order_id, |payment| {
        payment.webhooks += 1;
        app.service.changed(payment);
        let body = Body { status: Some("doneSuccess"), ..Body::status_changed(payment) };
        app.service.deliveries.sign(WebhookKind::Status, payment, webhook_url, body)
    });
    if let Some(forged) = forged {
        app.service.deliveries.send_once(forged, Some(WebhookAction::WrongKey)).await;
    }
}
