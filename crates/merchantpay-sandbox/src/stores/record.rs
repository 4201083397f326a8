//! Payments and webhooks as database records: JSON, with unformatted sums and times. Decoding returns `None`
//! for an invalid record.

use base64::Engine as _;
use base64::engine::general_purpose::STANDARD;
use merchantpay::Amount;
use serde_json::{Value, json};

use crate::model::payment::{Credentials, Order, Pace, Payment, ReceiptInfo};
use crate::model::state::State;
use crate::model::test_accounts::Scenario;
use crate::model::timeline::{By, Change, Timeline};
use crate::model::webhook::{Attempt, Webhook, WebhookState};
use crate::model::webhook_fault::WebhookFault;

pub(crate) fn encode_payment(payment: &Payment) -> Value {
    let order = &payment.order;
    json!({
        "number": payment.number, "orderId": payment.order_id, "operation": order.operation,
        "requestedSum": order.sum.to_string(), "paymentMethod": order.payment_method, "customerAccount": order.customer_account,
        "payerBank": order.payer_bank, "statusWebhookUrl": order.status_webhook_url,
        "credentialsWebhookUrl": order.credentials_webhook_url, "merchantId": order.merchant_id,
        "state": payment.state.name(), "sum": payment.sum.to_string(), "held": payment.held, "paid": payment.paid_manually,
        "generation": payment.generation, "webhooks": payment.webhooks,
        "credentials": payment.credentials.as_ref().map(|credentials| json!({
            "account": credentials.account, "bank": credentials.bank, "name": credentials.name, "deeplink": credentials.deeplink,
            "dealSum": credentials.deal_sum.to_string(), "dealCurrency": credentials.deal_currency,
            "dealRate": credentials.deal_rate.to_string(),
        })),
        "timeline": payment.timeline.0.iter().map(|change| json!({
            "at": change.at, "by": change.by.name(), "cause": change.cause, "state": change.state.name(), "sum": change.sum.to_string(),
        })).collect::<Vec<_>>(),
        "receipts": payment.receipts.iter().map(|receipt| json!({
            "id": receipt.id, "name": receipt.name, "contentType": receipt.content_type, "size": receipt.size, "at": receipt.at,
        })).collect::<Vec<_>>(),
    })
}

pub(crate) fn decode_payment(text: &str) -> Option<Payment> {
    let record = Record(serde_json::from_str(text).ok()?);
    let customer_account = record.text("customerAccount")?;
    let credentials = match record.get("credentials") {
        Some(found) => Some(Credentials {
            account: found.text("account")?,
            bank: found.text("bank")?.into(),
            name: found.text("name")?.into(),
            deal_sum: found.amount("dealSum")?,
            deal_currency: found.text("dealCurrency")?.into(),
            deal_rate: found.amount("dealRate")?,
            deeplink: found.text("deeplink")?,
        }),
        None => None,
    };
    let change = |record: &Record| {
        let by = record.text("by")?;
        Some(Change {
            at: record.number("at")?,
            by: By::ALL.into_iter().find(|known| known.name() == by)?,
            cause: record.text("cause")?.into(),
            state: record.state()?,
            sum: record.amount("sum")?,
        })
    };
    let receipt = |record: &Record| {
        Some(ReceiptInfo {
            id: record.number("id")?,
            name: record.text("name")?,
            content_type: record.text("contentType")?,
            size: usize::try_from(record.number("size")?).ok()?,
            at: record.number("at")?,
        })
    };
    Some(Payment {
        number: record.number("number")?,
        order_id: record.text("orderId")?,
        scenario: Scenario::of(&customer_account),
        order: Order {
            operation: if record.text("operation")? == "newPaymentAsync" {
                "newPaymentAsync"
            } else {
                "newPayment"
            },
            sum: record.amount("requestedSum")?,
            payment_method: record.text("paymentMethod")?,
            customer_account,
            payer_bank: record.text("payerBank"),
            status_webhook_url: record.text("statusWebhookUrl"),
            credentials_webhook_url: record.text("credentialsWebhookUrl"),
            merchant_id: record.text("merchantId"),
            pace: Pace::Configured,
        },
        state: record.state()?,
        sum: record.amount("sum")?,
        credentials,
        timeline: Timeline(record.list("timeline")?.iter().map(change).collect::<Option<_>>()?),
        held: record.flag("held")?,
        paid_manually: record.flag("paid")?,
        generation: record.number("generation")?,
        webhooks: record.number("webhooks")?,
        receipts: record.list("receipts")?.iter().map(receipt).collect::<Option<_>>()?,
    })
}

pub(crate) fn encode_webhook(webhook: &Webhook) -> Value {
    json!({
        "id": webhook.id, "at": webhook.at, "orderId": webhook.order_id, "merchantId": webhook.merchant_id, "kind": webhook.kind, "url": webhook.url,
        "keyId": webhook.key_id, "signature": webhook.signature, "body": STANDARD.encode(&webhook.body), "status": webhook.status,
        "action": webhook.fault.map(WebhookFault::name), "delayMs": webhook.fault.and_then(WebhookFault::delay_ms),
        "copyOf": webhook.copy_of, "state": webhook.state.name(),
        "attempts": webhook.attempts.iter().map(|attempt| json!({
            "at": attempt.at, "durationMs": attempt.duration_ms, "httpStatus": attempt.http_status, "headers": attempt.headers,
            "body": STANDARD.encode(&attempt.body), "size": attempt.size, "error": attempt.error,
        })).collect::<Vec<_>>(),
    })
}

pub(crate) fn decode_webhook(text: &str) -> Option<Webhook> {
    let record = Record(serde_json::from_str(text).ok()?);
    let kind = record.text("kind")?;
    let state = record.text("state")?;
    let attempt = |record: &Record| {
        Some(Attempt {
            at: record.number("at")?,
            duration_ms: record.number("durationMs")?,
            http_status: record.number("httpStatus").and_then(|status| u16::try_from(status).ok()),
            headers: serde_json::from_value(record.0.get("headers")?.clone()).ok()?,
            body: STANDARD.decode(record.text("body")?).ok()?,
            size: usize::try_from(record.number("size")?).ok()?,
            error: record.text("error"),
        })
    };
    Some(Webhook {
        id: record.number("id")?,
        at: record.number("at")?,
        order_id: record.text("orderId")?,
        merchant_id: record.text("merchantId"),
        kind: ["credentials", "credentials_failed", "status"].into_iter().find(|known| *known == kind)?,
        url: record.text("url")?,
        key_id: record.text("keyId"),
        signature: record.text("signature"),
        body: STANDARD.decode(record.text("body")?).ok()?,
        status: record.text("status"),
        fault: record.text("action").and_then(|name| WebhookFault::named(&name, record.number("delayMs"))),
        copy_of: record.number("copyOf"),
        state: WebhookState::ALL.into_iter().find(|known| known.name() == state)?,
        attempts: record.list("attempts")?.iter().map(attempt).collect::<Option<_>>()?,
    })
}

struct Record(Value);

impl Record {
    fn get(&self, name: &str) -> Option<Record> {
        self.0.get(name).filter(|value| !value.is_null()).cloned().map(Record)
    }

    fn text(&self, name: &str) -> Option<String> {
        self.0.get(name)?.as_str().map(str::to_owned)
    }

    fn number(&self, name: &str) -> Option<u64> {
        self.0.get(name)?.as_u64()
    }

    fn flag(&self, name: &str) -> Option<bool> {
        self.0.get(name)?.as_bool()
    }

    fn amount(&self, name: &str) -> Option<Amount> {
        self.0.get(name)?.as_str()?.parse().ok()
    }

    fn state(&self) -> Option<State> {
        let name = self.text("state")?;
        State::ALL.into_iter().find(|state| state.name() == name)
    }

    fn list(&self, name: &str) -> Option<Vec<Record>> {
        Some(self.0.get(name)?.as_array()?.iter().cloned().map(Record).collect())
    }
}
