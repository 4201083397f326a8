//! Checks a merchant's receiver: sends webhooks about a real payment, and compares the answers with the
//! expected answers.

use std::sync::Arc;

use serde::Serialize;

use crate::app::AppState;
use crate::model::body::Body;
use crate::model::payment::Payment;
use crate::model::webhook::{Webhook, WebhookAction, WebhookKind};
use crate::stories::merchant::{NewPayment, PlayedMerchant};

/// One webhook, and the answer of a correct receiver.
struct ReceiverCheck {
    kind: &'static str,
    content: &'static str,
    accepted: bool,
    /// Advice for a different answer.
    advice: &'static str,
    event: WebhookKind,
    action: Option<WebhookAction>,
}

/// The results of all checks.
#[derive(Serialize)]
#[serde(rename_all = "camelCase")]
pub(crate) struct ReceiverReport {
    url: String,
    order_id: String,
    passed: bool,
    checks: Vec<CheckResult>,
}

#[derive(Serialize)]
#[serde(rename_all = "camelCase")]
struct CheckResult {
    kind: &'static str,
    content: &'static str,
    expected: &'static str,
    /// `None` if the webhook was not sent.
    webhook: Option<u64>,
    http_status: Option<u16>,
    duration_ms: Option<u64>,
    error: Option<String>,
    passed: bool,
    advice: Option<&'static str>,
}

const VERIFY_RAW_BYTES: &str = "Verify the raw bytes of the request under the sandbox's public key, and \
     answer 200 to each webhook that verifies.";

const RECEIVER_CHECKS: &[ReceiverCheck] = &[
    ReceiverCheck {
        kind: "credentials",
        content: "Credentials of a payment",
        accepted: true,
        advice: VERIFY_RAW_BYTES,
        event: WebhookKind::Credentials,
        action: None,
    },
    ReceiverCheck {
        kind: "status",
        content: "The final status of the payment",
        accepted: true,
        advice: VERIFY_RAW_BYTES,
        event: WebhookKind::Status,
        action: None,
    },
    ReceiverCheck {
        kind: "repeated",
        content: "The same status once more",
        accepted: true,
        advice: "A webhook may come twice: answer 200, and do nothing the second time.",
        event: WebhookKind::Status,
        action: Some(WebhookAction::Resend),
    },
    ReceiverCheck {
        kind: "late",
        content: "The credentials again, after the final status",
        accepted: true,
        advice: "Webhooks may come in another order: answer 200, and do not let an older webhook replace \
             a final status.",
        event: WebhookKind::Credentials,
        action: Some(WebhookAction::Resend),
    },
    ReceiverCheck {
        kind: "tampered",
        content: "The status with one more blank, which was added after signing",
        accepted: false,
        advice: "The receiver verifies JSON that was parsed and written again, or verifies nothing: \
             verify the raw bytes.",
        event: WebhookKind::Status,
        action: Some(WebhookAction::Tamper),
    },
    ReceiverCheck {
        kind: "wrongKey",
        content: "The status, signed with another key",
        accepted: false,
        advice: "The receiver accepts a forged webhook: verify the signature under the service's public \
             key alone.",
        event: WebhookKind::Status,
        action: Some(WebhookAction::WrongKey),
    },
    ReceiverCheck {
        kind: "unsigned",
        content: "The status without X-Signature and X-KeyId",
        accepted: false,
        advice: "The receiver accepts a webhook without a signature: refuse it with 400.",
        event: WebhookKind::Status,
        action: Some(WebhookAction::Unsigned),
    },
];

impl ReceiverCheck {
    fn expected(&self) -> &'static str {
        if self.accepted { "2xx" } else { "4xx" }
    }

    fn passes(&self, http_status: Option<u16>) -> bool {
        let expected = if self.accepted { 200..300 } else { 400..500 };
        http_status.is_some_and(|status| expected.contains(&status))
    }

    /// The advice for a wrong answer: the reason and the remedy.
    fn advice(&self, http_status: Option<u16>) -> &'static str {
        match http_status {
            None => "Nothing answers at this URL in time.",
            Some(404 | 405) => "This is not the URL of the receiver: a receiver must accept POST.",
            Some(300..400) => {
                "The service does not follow a redirect: use the URL to which the redirect leads."
            }
            Some(500..) => "The receiver failed: look at its log. The service would send the webhook again.",
            _ => self.advice,
        }
    }
}

/// Sends each webhook once to the URL, about this payment or a new payment, and returns the results. If the
/// payment cannot be used, the error is the reason.
pub(crate) async fn check_receiver(
    app: &Arc<AppState>,
    url: &str,
    order_id: Option<String>,
) -> Result<ReceiverReport, String> {
    let order_id = match order_id {
        Some(order_id) => order_id,
        None => paid_order(app).await?,
    };
    let event = |event| app.service.payments.with(&order_id, |payment| webhook(app, payment, url, event));
    let (Some(Some(credentials)), Some(Some(status))) =
        (event(WebhookKind::Credentials), event(WebhookKind::Status))
    else {
        return Err("a receiver is checked with a payment that has credentials and a final status".to_owned());
    };
    let (mut results, mut answers) = (Vec::new(), true);
    for check in RECEIVER_CHECKS {
        let genuine = if check.event == WebhookKind::Credentials { &credentials } else { &status };
        let sent = match answers {
            true => Some(app.service.deliveries.send_once(genuine.clone(), check.action).await),
            false => None,
        };
        let attempt = sent.as_ref().and_then(|sent| sent.attempt_list.last());
        let http_status = attempt.and_then(|attempt| attempt.http_status);
        let passed = check.passes(http_status);
        results.push(CheckResult {
            kind: check.kind,
            content: check.content,
            expected: check.expected(),
            webhook: sent.as_ref().map(|sent| sent.summary.id),
            http_status,
            duration_ms: attempt.map(|attempt| attempt.duration_ms),
            error: attempt.and_then(|attempt| attempt.error.clone()),
            passed,
            advice: (!passed).then(|| check.advice(http_status)),
        });
        // If the receiver did not answer, the other webhooks are not sent: each would only wait for its
        // timeout.
        answers &= http_status.is_some();
    }
    let passed = results.iter().all(|result| result.passed);
    app.service.payments.with(&order_id, |payment| {
        payment.webhooks += results.iter().filter(|result| result.webhook.is_some()).count() as u64;
        app.service.changed(payment);
    });
    Ok(ReceiverReport { url: url.to_owned(), order_id, passed, checks: results })
}

/// Makes a paid payment. The payment has no webhook URL, so that the sandbox sends no webhook automatically.
async fn paid_order(app: &Arc<AppState>) -> Result<String, String> {
    let merchant = PlayedMerchant::of(app).map_err(|error| error.to_string())?;
    let payment = NewPayment {
        sum: "1500.50".to_owned(),
        payment_method: "sbp".to_owned(),
        customer_account: "79001234567".to_owned(),
        merchant_id: Some("receiver-check".to_owned()),
        status_webhook_url: None,
        credentials_webhook_url: None,
    };
    let created = merchant.create(&payment).await.map_err(|error| error.to_string())?;
    let order_id = created.order_id().ok_or_else(|| created.refusal().unwrap_or_default())?;
    let confirmed = merchant.confirm(&order_id, None).await.map_err(|error| error.to_string())?;
    confirmed.refusal().map_or(Ok(order_id), Err)
}

/// A webhook about the payment's present state, if the payment has the reported data.
fn webhook(app: &AppState, payment: &Payment, url: &str, kind: WebhookKind) -> Option<Webhook> {
    payment.credentials.as_ref()?;
    let body = match kind {
        WebhookKind::Credentials => Body::credentials(payment),
        _ if payment.state.is_final() => Body::status_changed(payment),
        _ => return None,
    };
    Some(app.service.deliveries.sign(kind, payment, url, body))
}
