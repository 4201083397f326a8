//! Checks a merchant's receiver: sends webhooks about a real payment, and compares the answers with the
//! expected answers.

use std::sync::Arc;

use serde_json::{Value, json};

use crate::app::AppState;
use crate::model::state::{MerchantAction, WebhookAction};
use crate::model::webhook::WebhookKind;
use crate::stories::{CUSTOMER, NewPayment, PlayedMerchant, SUM};

struct ReceiverCheck {
    kind: &'static str,
    content: &'static str,
    advice: &'static str,
    event: WebhookKind,
    action: Option<WebhookAction>,
}

const VERIFY_RAW_BYTES: &str = "Verify the raw bytes of the request under the sandbox's public key, and \
     answer 200 to each webhook that verifies.";

const RECEIVER_CHECKS: &[ReceiverCheck] = &[
    ReceiverCheck {
        kind: "credentials",
        content: "Credentials of a payment",
        advice: VERIFY_RAW_BYTES,
        event: WebhookKind::Credentials,
        action: None,
    },
    ReceiverCheck {
        kind: "status",
        content: "The final status of the payment",
        advice: VERIFY_RAW_BYTES,
        event: WebhookKind::Status,
        action: None,
    },
    ReceiverCheck {
        kind: "repeated",
        content: "The same status once more",
        advice: "A webhook may come twice: answer 200, and do nothing the second time.",
        event: WebhookKind::Status,
        action: Some(WebhookAction::Resend),
    },
    ReceiverCheck {
        kind: "late",
        content: "The credentials again, after the final status",
        advice: "Webhooks may come in another order: answer 200, and do not let an older webhook replace \
             a final status.",
        event: WebhookKind::Credentials,
        action: Some(WebhookAction::Resend),
    },
    ReceiverCheck {
        kind: "tampered",
        content: "The status with one more blank, which was added after signing",
        advice: "The receiver verifies JSON that was parsed and written again, or verifies nothing: \
             verify the raw bytes.",
        event: WebhookKind::Status,
        action: Some(WebhookAction::Tamper),
    },
    ReceiverCheck {
        kind: "wrongKey",
        content: "The status, signed with another key",
        advice: "The receiver accepts a forged webhook: verify the signature under the service's public \
             key alone.",
        event: WebhookKind::Status,
        action: Some(WebhookAction::WrongKey),
    },
    ReceiverCheck {
        kind: "unsigned",
        content: "The status without X-Signature and X-KeyId",
        advice: "The receiver accepts a webhook without a signature: refuse it with 400.",
        event: WebhookKind::Status,
        action: Some(WebhookAction::Unsigned),
    },
];

impl ReceiverCheck {
    fn is_genuine(&self) -> bool {
        matches!(self.action, None | Some(WebhookAction::Resend))
    }

    fn expected(&self) -> &'static str {
        if self.is_genuine() { "2xx" } else { "4xx" }
    }

    fn passes(&self, http_status: Option<u16>) -> bool {
        let expected = if self.is_genuine() { 200..300 } else { 400..500 };
        http_status.is_some_and(|status| expected.contains(&status))
    }

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
) -> Result<Value, String> {
    let order_id = match order_id {
        Some(order_id) => order_id,
        None => paid_order(app).await?,
    };
    let signed = app.service.payments.with(&order_id, |payment| {
        let sign = |kind| app.service.deliveries.sign(kind, payment, url);
        let is_usable = payment.credentials.is_some() && payment.state.is_final();
        is_usable.then(|| (sign(WebhookKind::Credentials), sign(WebhookKind::Status)))
    });
    let Some(Some((credentials, status))) = signed else {
        return Err("a receiver is checked with a payment that has credentials and a final status".to_owned());
    };
    let (mut results, mut answers, mut all_passed, mut count) = (Vec::new(), true, true, 0);
    for check in RECEIVER_CHECKS {
        let genuine = if check.event == WebhookKind::Credentials { &credentials } else { &status };
        let sent = match answers {
            true => Some(app.service.deliveries.send_once(genuine.clone(), check.action).await),
            false => None,
        };
        let attempt = sent.as_ref().and_then(|sent| sent.attempt_list.last());
        let http_status = attempt.and_then(|attempt| attempt.http_status);
        let passed = check.passes(http_status);
        results.push(json!({
            "kind": check.kind,
            "content": check.content,
            "expected": check.expected(),
            "webhook": sent.as_ref().map(|sent| sent.summary.id),
            "httpStatus": http_status,
            "durationMs": attempt.map(|attempt| attempt.duration_ms),
            "error": attempt.and_then(|attempt| attempt.error.as_deref()),
            "passed": passed,
            "advice": (!passed).then(|| check.advice(http_status)),
        }));
        count += u64::from(sent.is_some());
        all_passed &= passed;
        // If the receiver did not answer, the other webhooks are not sent: each would only wait for its
        // timeout.
        answers &= http_status.is_some();
    }
    app.service.payments.with(&order_id, |payment| {
        payment.webhooks += count;
        app.service.changed(payment);
    });
    Ok(json!({"url": url, "orderId": order_id, "passed": all_passed, "checks": results}))
}

/// Makes a paid payment. The payment has no webhook URL, so that the sandbox sends no webhook automatically.
async fn paid_order(app: &Arc<AppState>) -> Result<String, String> {
    let merchant = PlayedMerchant::of(app).map_err(|error| error.to_string())?;
    let payment = NewPayment {
        sum: SUM.to_owned(),
        payment_method: "sbp".to_owned(),
        customer_account: CUSTOMER.to_owned(),
        merchant_id: Some("receiver-check".to_owned()),
        ..NewPayment::default()
    };
    let created = merchant.create(&payment).await.map_err(|error| error.to_string())?;
    let order_id = created.accepted()?.unwrap_or_default();
    let confirmed = merchant.act(MerchantAction::Confirm, &order_id, None).await;
    confirmed.map_err(|error| error.to_string())?.accepted()?;
    Ok(order_id)
}
