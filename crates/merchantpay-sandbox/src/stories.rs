//! Stories: examples of payments, each played from its beginning to its end. None waits for the clock, so they also end
//! with a manual one. And the check of a merchant's receiver: webhooks about a payment, and the answers that are
//! expected.

use std::ops::Range;
use std::sync::Arc;

use axum::body::Bytes;
use axum::http::{HeaderMap, HeaderName, HeaderValue};
use merchantpay::{
    Amount, Error, Keypair, PaymentMethod, PaymentRequest, Protocol, Receipt, UnsignedRequest, operation,
};
use serde::{Deserialize, Serialize};
use serde_json::{Value, json};

use crate::api::{Origin, exchange};
use crate::app::AppState;
use crate::model::fault::Fault;
use crate::model::payment::Payment;
use crate::model::state::{MerchantAction, State, WebhookAction, WebhookPlan};
use crate::model::webhook::WebhookKind;

/// One story. The sandbox acts as the merchant, as the customer and, in some stories, as a forger.
#[derive(Serialize)]
pub struct Story {
    /// The name in the path of the control API.
    pub name: &'static str,
    /// A title of a few words.
    pub title: &'static str,
    /// What happens to the payment.
    pub events: &'static str,
    /// What the merchant's program should do.
    pub advice: &'static str,
    #[serde(skip)]
    account: &'static str,
    #[serde(skip)]
    acts: &'static [Act],
}

enum Act {
    NewPayment,
    NewPaymentAsync,
    Call(MerchantAction),
    ConfirmWithoutReply,
    NextWebhook(WebhookAction, Option<u64>),
    ForgedWebhook,
}

const CONFIRM: Act = Act::Call(MerchantAction::Confirm);
const SUM: &str = "1500.50";
const CUSTOMER: &str = "79001234567";
/// Long enough to see in the console that the payment is already final.
const LATE_MS: u64 = 1_000;

/// Every story.
pub const STORIES: &[Story] = &[
    Story {
        name: "paid",
        title: "Paid",
        events: "The customer pays the whole sum, and the merchant confirms. The webhook reports doneSuccess.",
        advice: "Deliver the order after a verified webhook, or after getStatus, with doneSuccess and the whole sum.",
        account: CUSTOMER,
        acts: &[Act::NewPayment, CONFIRM],
    },
    Story {
        name: "paid-less",
        title: "Paid less",
        events: "The customer pays a tenth less. The webhook reports doneSuccess with the smaller sum.",
        advice: "Compare the sum with the sum of the order: doneSuccess alone does not say that all of it was paid.",
        account: "pays-less",
        acts: &[Act::NewPayment, CONFIRM],
    },
    Story {
        name: "no-credentials",
        title: "No credentials",
        events: "No payee is found for a payment by newPaymentAsync. The webhook reports it, and the payment is doneFail.",
        advice: "Offer the customer another method. Nobody has paid, so there is nothing to cancel.",
        account: "no-credentials",
        acts: &[Act::NewPaymentAsync],
    },
    Story {
        name: "arbitration",
        title: "Arbitration",
        events: "The service asks for a receipt, the merchant attaches one, and the payment is doneSuccess.",
        advice: "receiptRequired is not final: ask the customer for the receipt, attach it, and wait.",
        account: "arbitration",
        acts: &[Act::NewPayment, CONFIRM, Act::Call(MerchantAction::AttachReceipt)],
    },
    Story {
        name: "lost-response",
        title: "Lost response",
        events: "The merchant confirms, and the connection closes before the reply. The payment was \
             confirmed nevertheless.",
        advice: "The outcome of the call is unknown: ask getStatus before anything is sent again.",
        account: CUSTOMER,
        acts: &[Act::NewPayment, Act::ConfirmWithoutReply, Act::Call(MerchantAction::GetStatus)],
    },
    Story {
        name: "late-webhook",
        title: "Late webhook",
        events: "The payment is doneSuccess, and its webhook comes a second later.",
        advice: "Do not wait for the webhook alone: getStatus shows the status earlier, and then the \
             webhook changes nothing.",
        account: CUSTOMER,
        acts: &[Act::NewPayment, Act::NextWebhook(WebhookAction::Delay, Some(LATE_MS)), CONFIRM],
    },
    Story {
        name: "forged-webhook",
        title: "Forged webhook",
        events: "A webhook reports doneSuccess, and another key signed it. The payment is still pending.",
        advice: "Refuse it with 400. A program that answers 200 may deliver an order that nobody has paid.",
        account: CUSTOMER,
        acts: &[Act::NewPayment, Act::ForgedWebhook],
    },
    Story {
        name: "repeated-webhook",
        title: "Repeated webhook",
        events: "The customer pays, and the webhook that reports it comes twice.",
        advice: "Answer 200 both times, and deliver the order once.",
        account: CUSTOMER,
        acts: &[Act::NewPayment, Act::NextWebhook(WebhookAction::Duplicate, None), CONFIRM],
    },
];

/// Returns the payment's order id; the error is the text of a refusal.
pub(crate) async fn play(app: &Arc<AppState>, story: &Story, webhook_url: &str) -> Result<String, String> {
    let merchant = PlayedMerchant::of(app).map_err(|error| error.to_string())?;
    let mut order_id = String::new();
    for act in story.acts {
        let answer = match act {
            Act::NewPayment | Act::NewPaymentAsync => {
                let url = Some(webhook_url.to_owned());
                let payment = NewPayment {
                    status_webhook_url: url.clone(),
                    credentials_webhook_url: url.filter(|_| matches!(act, Act::NewPaymentAsync)),
                    ..NewPayment::example(story.account, &format!("story-{}", story.name))
                };
                merchant.create(&payment).await
            }
            Act::Call(action) => merchant.act(*action, &order_id, None).await,
            Act::ConfirmWithoutReply => {
                merchant.act(MerchantAction::Confirm, &order_id, Some(Fault::DropAfterCommit)).await
            }
            Act::NextWebhook(action, delay_ms) => {
                let plan = WebhookPlan::new(*action, *delay_ms);
                app.service.payments.with(&order_id, |payment| payment.next_webhooks.push_back(plan));
                continue;
            }
            Act::ForgedWebhook => {
                forge_success(app, &order_id, webhook_url).await;
                continue;
            }
        };
        if let Some(id) = answer.map_err(|error| error.to_string())?.accepted()? {
            order_id = id;
        }
    }
    Ok(order_id)
}

/// A forger signs with a wrong key, and does not retry.
async fn forge_success(app: &AppState, order_id: &str, webhook_url: &str) {
    let forged = app.service.payments.with(order_id, |payment| {
        payment.webhooks += 1;
        app.service.save_and_publish(payment);
        let paid = Payment { state: State::DoneSuccess, ..payment.clone() };
        app.service.deliveries.sign(WebhookKind::Status, &paid, webhook_url)
    });
    if let Some(forged) = forged {
        app.service.deliveries.send_once(forged, Some(WebhookAction::WrongKey)).await;
    }
}

/// Of the prepared requests, which never reach a network.
const BASE_URL: &str = "http://localhost";
/// The smallest file that every viewer accepts as a PDF.
const RECEIPT: &[u8] = b"%PDF-1.4\n% a receipt of the sandbox\n%%EOF\n";

#[derive(Default, Deserialize)]
#[serde(rename_all = "camelCase", deny_unknown_fields)]
pub(crate) struct NewPayment {
    pub(crate) sum: String,
    pub(crate) payment_method: String,
    pub(crate) customer_account: String,
    pub(crate) merchant_id: Option<String>,
    pub(crate) status_webhook_url: Option<String>,
    /// If set, the payment is made by `newPaymentAsync`.
    pub(crate) credentials_webhook_url: Option<String>,
}

impl NewPayment {
    fn example(account: &str, merchant_id: &str) -> NewPayment {
        NewPayment {
            sum: SUM.to_owned(),
            payment_method: "sbp".to_owned(),
            customer_account: account.to_owned(),
            merchant_id: Some(merchant_id.to_owned()),
            ..NewPayment::default()
        }
    }
}

pub(crate) struct PlayedMerchant<'a> {
    app: &'a AppState,
    protocol: Protocol,
    signs: bool,
}

#[derive(Default, Deserialize)]
#[serde(default, rename_all = "camelCase")]
pub(crate) struct Answer {
    pub(crate) order_id: Option<String>,
    error_description: Option<String>,
}

impl Answer {
    /// The error is the text of the service's refusal.
    pub(crate) fn accepted(self) -> Result<Option<String>, String> {
        self.error_description.map_or(Ok(self.order_id), Err)
    }
}

impl<'a> PlayedMerchant<'a> {
    pub(crate) fn of(app: &'a AppState) -> Result<PlayedMerchant<'a>, Error> {
        let keys = app.merchant();
        let own = keys.private_key.clone();
        let signs = own.is_some();
        let key = match own {
            Some(key) => key,
            None => Keypair::generate()?.private_key().clone(),
        };
        let server_key = app.keys.key.public_key();
        let protocol = Protocol::new(BASE_URL, &keys.key_id, Arc::new(key), &[server_key], &[])?;
        Ok(PlayedMerchant { app, protocol, signs })
    }

    pub(crate) async fn create(&self, payment: &NewPayment) -> Result<Answer, Error> {
        let method: PaymentMethod = payment.payment_method.parse()?;
        let sum: Amount = payment.sum.parse()?;
        let mut request = PaymentRequest::new(sum, method, &payment.customer_account);
        if let Some(merchant_id) = &payment.merchant_id {
            request = request.merchant_id(merchant_id);
        }
        if let Some(url) = &payment.status_webhook_url {
            request = request.status_webhook_url(url);
        }
        if let Some(url) = &payment.credentials_webhook_url {
            request = request.credentials_webhook_url(url);
            return self.call(operation::new_payment_async(&request), None).await;
        }
        self.call(operation::new_payment(&request), None).await
    }

    /// `fault` happens to the reply.
    pub(crate) async fn act(
        &self,
        action: MerchantAction,
        order_id: &str,
        fault: Option<Fault>,
    ) -> Result<Answer, Error> {
        match action {
            MerchantAction::Confirm => self.call(operation::confirm(order_id), fault).await,
            MerchantAction::Cancel => self.call(operation::cancel(order_id), fault).await,
            MerchantAction::GetStatus => self.call(operation::get_status(order_id), fault).await,
            MerchantAction::AttachReceipt => {
                let mut receipt = Receipt::new(order_id);
                receipt.add_bytes("receipt.pdf", "application/pdf", RECEIPT)?;
                self.call(operation::attach_receipt(&receipt), fault).await
            }
        }
    }

    async fn call<R>(&self, request: UnsignedRequest<R>, fault: Option<Fault>) -> Result<Answer, Error> {
        let prepared = self.protocol.prepare(request)?;
        let mut headers = HeaderMap::new();
        for (name, value) in prepared.request().headers() {
            // Without the merchant's private key a temporary key has signed the request, so its signature is wrong.
            if !self.signs && name.eq_ignore_ascii_case("X-Signature") {
                continue;
            }
            if let (Ok(name), Ok(value)) = (name.parse::<HeaderName>(), HeaderValue::from_str(value)) {
                headers.insert(name, value);
            }
        }
        let body = Bytes::copy_from_slice(prepared.request().body());
        let reply = exchange(self.app, prepared.operation(), headers, body, Origin::Sandbox(fault)).await;
        Ok(reply.and_then(|reply| serde_json::from_slice(&reply.body).ok()).unwrap_or_default())
    }
}

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
    fn expected(&self) -> (&'static str, Range<u16>) {
        match self.action {
            None | Some(WebhookAction::Resend) => ("2xx", 200..300),
            _ => ("4xx", 400..500),
        }
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

/// Sends each webhook once, about this payment or a new one. The error says why the payment cannot be used.
pub(crate) async fn check_receiver(
    app: &AppState,
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
        let (expected, statuses) = check.expected();
        let passed = http_status.is_some_and(|status| statuses.contains(&status));
        results.push(json!({
            "kind": check.kind,
            "content": check.content,
            "expected": expected,
            "webhook": sent.as_ref().map(|sent| sent.summary.id),
            "httpStatus": http_status,
            "durationMs": attempt.map(|attempt| attempt.duration_ms),
            "error": attempt.and_then(|attempt| attempt.error.as_deref()),
            "passed": passed,
            "advice": (!passed).then(|| check.advice(http_status)),
        }));
        count += u64::from(sent.is_some());
        all_passed &= passed;
        // After no answer the other webhooks are not sent: each would only wait for its timeout.
        answers &= http_status.is_some();
    }
    app.service.payments.with(&order_id, |payment| {
        payment.webhooks += count;
        app.service.save_and_publish(payment);
    });
    Ok(json!({"url": url, "orderId": order_id, "passed": all_passed, "checks": results}))
}

/// Without a webhook URL, so that the sandbox itself sends no webhook.
async fn paid_order(app: &AppState) -> Result<String, String> {
    let merchant = PlayedMerchant::of(app).map_err(|error| error.to_string())?;
    let created = merchant.create(&NewPayment::example(CUSTOMER, "receiver-check")).await;
    let order_id = created.map_err(|error| error.to_string())?.accepted()?.unwrap_or_default();
    let confirmed = merchant.act(MerchantAction::Confirm, &order_id, None).await;
    confirmed.map_err(|error| error.to_string())?.accepted()?;
    Ok(order_id)
}
