//! The JSON documents of the control API and its events. A field that the contract also has keeps the
//! contract's name.

use axum::http::HeaderMap;
use base64::Engine as _;
use base64::engine::general_purpose::STANDARD;
use merchantpay::OPERATIONS;
use serde_json::{Value, json};

use crate::base::clock::{Clock, ClockMode, timestamp};
use crate::model::exchange::{CapturedBody, Endpoint, Exchange, Refused, SignatureCheck};
use crate::model::fault::{Fault, PlannedFault};
use crate::model::payment::{Payment, ReceiptInfo};
use crate::model::state::{State, Step};
use crate::model::test_accounts::TEST_ACCOUNTS;
use crate::model::webhook::Webhook;
use crate::model::webhook_fault::{WebhookFault, WebhookPlan};

pub(crate) fn clock(clock: &Clock) -> Value {
    let mode = if clock.mode() == ClockMode::Manual { "manual" } else { "real" };
    let pending = clock.pending();
    json!({"mode": mode, "now": timestamp(clock.now()), "timers": pending.timers, "nextTimerAt": pending.next.map(timestamp)})
}

/// A payment in a list.
pub(crate) fn payment(payment: &Payment) -> Value {
    let (order, (created, changed)) = (&payment.order, payment.timeline.ends());
    json!({
        "orderId": payment.order_id,
        "status": payment.state.status().as_str(),
        "state": payment.state.name(),
        "final": payment.state.is_final(),
        "held": payment.held,
        "createdBy": order.operation,
        "createdAt": timestamp(created),
        "changedAt": timestamp(changed),
        "sum": payment.sum.to_string(),
        "requestedSum": order.sum.to_string(),
        "currency": "RUB",
        "paymentMethod": order.payment_method,
        "customerAccount": order.customer_account,
        "payerBank": order.payer_bank,
        "merchantId": order.merchant_id,
        "receipts": payment.receipts.len(),
        "webhooks": payment.webhooks,
    })
}

/// All details of a payment, except its exchanges and webhooks.
pub(crate) fn payment_details(
    payment: &Payment,
    plans: &[WebhookPlan],
    is_kept: impl Fn(&ReceiptInfo) -> bool,
) -> Value {
    let order = &payment.order;
    let test_account =
        TEST_ACCOUNTS.iter().find(|test_account| test_account.account == order.customer_account);
    let timeline = payment.timeline.0.iter().map(|change| {
        json!({
            "at": timestamp(change.at), "by": change.by.name(), "cause": change.cause, "state": change.state.name(),
            "status": change.state.status().as_str(), "sum": change.sum.to_string(),
        })
    });
    let receipts = payment.receipts.iter().map(|receipt| {
        json!({
            "id": receipt.id, "name": receipt.name, "contentType": receipt.content_type, "size": receipt.size, "at": timestamp(receipt.at),
            "kept": is_kept(receipt),
            "url": format!("/sandbox/payments/{}/receipts/{}", payment.order_id, receipt.id),
        })
    });
    let credentials = payment.credentials.as_ref().map(|credentials| {
        json!({
            "payeeAccount": credentials.account, "payeeAccountBank": credentials.bank, "payeeName": credentials.name,
            "dealSum": credentials.deal_sum.to_string(), "dealCurrency": credentials.deal_currency,
            "dealRate": credentials.deal_rate.to_string(), "deeplink": credentials.deeplink,
        })
    });
    let mut view = self::payment(payment);
    view["testAccount"] = json!(test_account.map(|test_account| test_account.account));
    view["statusWebhookUrl"] = json!(order.status_webhook_url);
    view["credentialsWebhookUrl"] = json!(order.credentials_webhook_url);
    view["credentials"] = json!(credentials);
    view["actions"] = actions(payment);
    view["timeline"] = timeline.collect();
    view["nextWebhooks"] = self::plans(plans);
    view["receiptList"] = receipts.collect();
    view
}

/// The actions that are possible now.
fn actions(payment: &Payment) -> Value {
    let possible = |step| payment.state.after(step).is_some();
    let merchant: Vec<&str> =
        [("confirm", Step::Confirm), ("cancel", Step::Cancel), ("attachReceipt", Step::AttachReceipt)]
            .into_iter()
            .filter_map(|(name, step)| possible(step).then_some(name))
            .collect();
    let customer: &[&str] = if possible(Step::Pay) { &["exactly", "less", "more", "nothing"] } else { &[] };
    let mut operator = Vec::new();
    for (name, possible) in [
        ("approve", possible(Step::Approve)),
        ("fail", possible(Step::Fail) || payment.state == State::Searching),
        ("arbitration", possible(Step::Arbitrate)),
        ("requireReceipt", possible(Step::RequireReceipt)),
        ("hold", !payment.state.is_final() && !payment.held),
        ("release", !payment.state.is_final() && payment.held),
    ] {
        if possible {
            operator.push(name);
        }
    }
    json!({"merchant": merchant, "customer": customer, "operator": operator})
}

pub(crate) fn plans(plans: &[WebhookPlan]) -> Value {
    let plan = |plan: &WebhookPlan| json!({"id": plan.id, "action": plan.fault.name(), "delayMs": plan.fault.delay_ms(), "times": plan.times});
    plans.iter().map(plan).collect()
}

/// An exchange in a list.
pub(crate) fn exchange(exchange: &Exchange) -> Value {
    json!({
        "id": exchange.id,
        "at": timestamp(exchange.at),
        "durationMs": u64::try_from(exchange.duration.as_millis()).unwrap_or(u64::MAX),
        "method": exchange.method.as_str(),
        "path": path(&exchange.endpoint),
        "operation": exchange.endpoint.operation(),
        "by": if exchange.played { "sandbox" } else { "merchant" },
        "orderId": exchange.order_id(),
        "verified": match exchange.signature {
            SignatureCheck::Verified => Some(true),
            SignatureCheck::Refused(_) => Some(false),
            SignatureCheck::NotMade => None,
        },
        "cause": refused(exchange).and_then(|refused| refused.explanation.as_ref()).map(|(cause, _)| cause),
        "httpStatus": exchange.reply.as_ref().map(|reply| reply.status),
        "fault": exchange.fault,
    })
}

pub(crate) fn exchange_details(exchange: &Exchange) -> Value {
    let mut view = self::exchange(exchange);
    view["request"] = json!({
        "method": exchange.method.as_str(), "path": path(&exchange.endpoint), "headers": headers(&exchange.headers),
        "keyId": header(&exchange.headers, "x-keyid"), "signature": header(&exchange.headers, "x-signature"), "body": captured_body(&exchange.body),
    });
    view["explanation"] = json!(refused(exchange).and_then(|refused| {
        let (cause, hint) = refused.explanation.as_ref()?;
        let signed = refused.signed.as_ref().map(captured_body);
        Some(json!({"cause": cause, "hint": hint, "signed": signed, "firstDifference": refused.first_difference}))
    }));
    view["reply"] = json!(exchange.reply.as_ref().map(|reply| json!({
        "httpStatus": reply.status, "headers": headers(&reply.headers), "keyId": header(&reply.headers, "x-keyid"),
        "signature": header(&reply.headers, "x-signature"), "body": captured_body(&reply.body),
    })));
    view
}

fn refused(exchange: &Exchange) -> Option<&Refused> {
    match &exchange.signature {
        SignatureCheck::Refused(refused) => Some(refused),
        _ => None,
    }
}

fn path(endpoint: &Endpoint) -> String {
    match endpoint {
        Endpoint::Other(path) => path.clone(),
        Endpoint::Operation(name) => {
            let path = OPERATIONS.iter().find(|known| known.name == *name).map_or("", |known| known.path);
            format!("{}{path}", merchantpay::BASE_PATH)
        }
    }
}

/// A webhook in a list.
pub(crate) fn webhook(webhook: &Webhook) -> Value {
    json!({
        "id": webhook.id,
        "at": timestamp(webhook.at),
        "orderId": webhook.order_id,
        "merchantId": webhook.merchant_id,
        "kind": webhook.kind,
        "url": webhook.url,
        "token": webhook.token(),
        "state": webhook.state.name(),
        "action": webhook.fault.map(WebhookFault::name),
        "copyOf": webhook.copy_of,
        "attempts": webhook.attempts.len(),
        "httpStatus": webhook.http_status(),
        "status": webhook.status,
    })
}

pub(crate) fn webhook_details(webhook: &Webhook) -> Value {
    let mut view = self::webhook(webhook);
    view["request"] = json!({
        "headers": webhook.headers(), "keyId": webhook.key_id, "signature": webhook.signature,
        "body": bytes(&webhook.body, webhook.body.len()),
    });
    view["attemptList"] = webhook
        .attempts
        .iter()
        .zip(1..)
        .map(|(attempt, number)| {
            json!({
                "attempt": number, "at": timestamp(attempt.at), "durationMs": attempt.duration_ms, "httpStatus": attempt.http_status,
                "headers": attempt.headers, "body": bytes(&attempt.body, attempt.size), "error": attempt.error,
            })
        })
        .collect();
    view
}

pub(crate) fn fault(planned: &PlannedFault) -> Value {
    let (latency, bytes) = match &planned.fault {
        Fault::Latency(latency) => (Some(u64::try_from(latency.as_millis()).unwrap_or(u64::MAX)), None),
        Fault::Oversized(bytes) => (None, Some(*bytes)),
        _ => (None, None),
    };
    json!({
        "id": planned.id, "kind": planned.fault.name(), "latencyMs": latency, "bytes": bytes, "operation": planned.operation,
        "times": planned.times, "left": planned.left(), "happened": planned.happened,
        "probability": planned.chance.as_ref().map(|chance| chance.0), "seed": planned.chance.as_ref().map(|chance| chance.1),
    })
}

pub(crate) fn faults(planned: &[PlannedFault], stalled: &[&str]) -> Value {
    json!({"faults": planned.iter().map(fault).collect::<Vec<_>>(), "stalled": stalled})
}

fn captured_body(body: &CapturedBody) -> Value {
    bytes(&body.bytes, body.size)
}

fn bytes(bytes: &[u8], size: usize) -> Value {
    json!({
        "size": size, "truncated": bytes.len() < size, "text": std::str::from_utf8(bytes).ok(), "base64": STANDARD.encode(bytes),
    })
}

fn headers(headers: &HeaderMap) -> Value {
    headers
        .iter()
        .map(|(name, value)| json!([name.as_str(), String::from_utf8_lossy(value.as_bytes())]))
        .collect()
}

fn header(headers: &HeaderMap, name: &str) -> Option<String> {
    headers.get(name).map(|value| String::from_utf8_lossy(value.as_bytes()).into_owned())
}
