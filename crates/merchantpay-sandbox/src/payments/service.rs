//! The payments of a sandbox: every step is saved, published, and reported by webhooks.

use std::sync::Arc;
use std::time::Duration;

use crate::base::clock::Clock;
use crate::base::event_bus::EventBus;
use crate::base::json::Value;
use crate::base::options::Options;
use crate::base::webhook_hosts::WebhookHosts;
use crate::model::payment::{Pace, Payment};
use crate::model::state::Step;
use crate::model::timeline::Cause;
use crate::model::view;
use crate::stores::database::Database;
use crate::stores::payments::PaymentStore;
use crate::stores::receipts::ReceiptStore;
use crate::webhooks::deliveries::Deliveries;

/// The object on which the merchant API, the control API and the scheduler act. It does not handle signatures
/// or connections.
pub(crate) struct Service {
    pub(crate) options: Options,
    pub(crate) base_url: String,
    /// The URL that this machine's clients of the control API use.
    pub(crate) control_url: String,
    pub(crate) webhook_hosts: Arc<WebhookHosts>,
    pub(crate) payments: PaymentStore,
    pub(crate) deliveries: Arc<Deliveries>,
    pub(crate) clock: Arc<Clock>,
    pub(crate) events: Arc<EventBus>,
    pub(crate) database: Arc<Database>,
    pub(crate) receipts: ReceiptStore,
}

impl Service {
    /// The duration of an automatic step, and the time that `/new` waits for credentials.
    pub(crate) fn timing(&self, pace: Pace) -> (Duration, Duration) {
        match pace {
            Pace::Configured => (self.options.pace, self.options.credentials_wait),
            Pace::Immediate => (Duration::ZERO, Duration::ZERO),
        }
    }

    /// Runs a step of a payment after the delay, or immediately for [`Pace::Immediate`]. Must be called on
    /// the Tokio runtime, without the store's lock.
    pub(crate) fn after(&self, pace: Pace, delay: Duration, step: impl FnOnce() + Send + 'static) {
        match pace {
            Pace::Configured => self.clock.after(delay, step),
            Pace::Immediate => step(),
        }
    }

    /// Takes a step and queues its webhooks (contract, section 6). Returns `false` if the step is not
    /// possible.
    pub(crate) fn step(self: &Arc<Service>, order_id: &str, step: Step, cause: Cause) -> bool {
        self.step_with(order_id, step, cause, |_| true).unwrap_or(false)
    }

    /// Calls `before`, and then does the same as [`step`](Service::step). If `before` returns `false`, the
    /// step is not taken. Returns `None` if the payment does not exist.
    pub(crate) fn step_with(
        self: &Arc<Service>,
        order_id: &str,
        step: Step,
        cause: Cause,
        before: impl FnOnce(&mut Payment) -> bool,
    ) -> Option<bool> {
        self.payments.with(order_id, |payment| {
            if !before(payment) || !payment.apply(step, &self.options, &self.base_url) {
                return false;
            }
            payment.record_change(self.clock.now(), cause);
            let status = payment.state.status();
            let is_reported =
                step != Step::Pay && (status.is_final() || status.as_str() == "receiptRequired");
            let credentials = payment.order.credentials_webhook_url.clone().and_then(|url| match step {
                Step::CredentialsFound => Some(("credentials", url, true, payment.with_credentials())),
                Step::CredentialsNotFound => {
                    Some(("credentials_failed", url, false, vec![("orderId", Value::text(order_id))]))
                }
                _ => None,
            });
            let status_url = payment.order.status_webhook_url.clone().filter(|_| is_reported);
            let changed = status_url.map(|url| ("status", url, true, payment.status_event()));
            // The webhooks are queued under the store's lock, so that they have the order of the payment's
            // steps.
            self.database.in_transaction(|| {
                for (kind, url, success, fields) in credentials.into_iter().chain(changed) {
                    payment.webhooks += self.deliveries.queue(kind, payment, url, success, fields);
                }
                self.changed(payment);
            });
            true
        })
    }

    /// Saves a changed payment, and publishes the change.
    pub(crate) fn changed(&self, payment: &Payment) {
        self.database.save_payment(payment);
        self.database.save_progress(&self.clock, self.payments.random());
        self.events.publish("payment", || view::payment(payment));
    }
}
