//! The steps of payments: each is saved, published, and reported by webhooks. The automatic ones are scheduled: a
//! payee is found, the customer pays or not, the payment is checked.

pub(crate) mod deliveries;

use std::sync::Arc;
use std::time::Duration;

use tokio::sync::oneshot;

use crate::base::EventBus;
use crate::base::clock::Clock;
use crate::base::hosts::WebhookHosts;
use crate::base::options::Options;
use crate::model::payment::{Cause, Pace, Payment};
use crate::model::state::{By, Check, CredentialsSearch, Pays, Scenario, State, Step};
use crate::model::webhook::WebhookKind;
use crate::service::deliveries::Deliveries;
use crate::store::PaymentStore;
use crate::store::database::{Database, PAYMENT};

/// What the merchant API, the control API and the scheduler act on. Knows nothing of signatures and connections.
pub(crate) struct Service {
    pub(crate) options: Options,
    pub(crate) base_url: String,
    /// For clients on this machine.
    pub(crate) control_url: String,
    pub(crate) webhook_hosts: Arc<WebhookHosts>,
    pub(crate) payments: PaymentStore,
    pub(crate) deliveries: Arc<Deliveries>,
    pub(crate) clock: Arc<Clock>,
    pub(crate) events: Arc<EventBus>,
    pub(crate) database: Arc<Database>,
}

impl Service {
    /// Of an automatic step, and of the wait of `/new` for credentials.
    pub(crate) fn timing(&self, pace: Pace) -> (Duration, Duration) {
        match pace {
            Pace::Configured => (self.options.pace, self.options.credentials_wait),
            Pace::Immediate => (Duration::ZERO, Duration::ZERO),
        }
    }

    /// Must be called on the Tokio runtime, without the store's lock.
    pub(crate) fn after(&self, pace: Pace, delay: Duration, step: impl FnOnce() + Send + 'static) {
        match pace {
            Pace::Configured => self.clock.after(delay, step),
            Pace::Immediate => step(),
        }
    }

    /// Takes a step and queues its webhooks (contract, section 6). `false` if the step is not possible, or
    /// if there is no such payment.
    pub(crate) fn step(self: &Arc<Service>, order_id: &str, step: Step, cause: Cause) -> bool {
        self.step_with(order_id, Some(step), cause, |_| true).unwrap_or(false)
    }

    /// Like [`step`](Service::step) after `before`; without a step it only saves what `before` changed. Does nothing
    /// more if `before` returns `false`. `None` if the payment does not exist.
    pub(crate) fn step_with(
        self: &Arc<Service>,
        order_id: &str,
        step: Option<Step>,
        cause: Cause,
        before: impl FnOnce(&mut Payment) -> bool,
    ) -> Option<bool> {
        self.payments.with(order_id, |payment| {
            let take = |payment: &mut Payment, step| payment.apply(step, &self.options, &self.base_url);
            if !before(payment) || !step.is_none_or(|step| take(payment, step)) {
                return false;
            }
            payment.record_change(self.clock.now(), cause);
            // Under the store's lock, so that webhooks have the order of the payment's steps.
            self.database.in_transaction(|| {
                self.queue_webhooks(payment, step);
                self.save_and_publish(payment);
            });
            true
        })
    }

    fn queue_webhooks(self: &Arc<Service>, payment: &mut Payment, step: Option<Step>) {
        let credentials = match step {
            Some(Step::CredentialsFound) => Some(WebhookKind::Credentials),
            Some(Step::CredentialsNotFound) => Some(WebhookKind::CredentialsFailed),
            _ => None,
        };
        let is_new = step.is_some_and(|step| step != Step::Pay);
        let is_reported = is_new && (payment.state.is_final() || payment.state == State::ReceiptRequired);
        let order = &payment.order;
        let webhooks = [
            order.credentials_webhook_url.clone().zip(credentials),
            order.status_webhook_url.clone().zip(is_reported.then_some(WebhookKind::Status)),
        ];
        for (url, kind) in webhooks.into_iter().flatten() {
            let plan = payment.take_plan();
            payment.webhooks += self.deliveries.queue(self.deliveries.sign(kind, payment, &url), plan);
        }
    }

    pub(crate) fn save_and_publish(&self, payment: &Payment) {
        self.database.save_record(PAYMENT, payment.number, payment);
        self.database.save_progress(&self.clock, self.payments.random());
        self.events.publish("payment", || payment.shown());
    }
}

/// The channel tells whether a payee was found; its sender is dropped if the search never ends.
pub(crate) fn search_credentials(
    service: &Arc<Service>,
    order_id: &str,
    scenario: Scenario,
    pace: Pace,
) -> oneshot::Receiver<bool> {
    let (sender, receiver) = oneshot::channel();
    let (step_time, wait) = service.timing(pace);
    let (delay, step) = match scenario.credentials {
        CredentialsSearch::Found | CredentialsSearch::FoundAccountOnly => {
            (step_time.min(wait / 2), Step::CredentialsFound)
        }
        CredentialsSearch::FoundLate => (wait / 2, Step::CredentialsFound),
        CredentialsSearch::NotFound => (wait, Step::CredentialsNotFound),
        CredentialsSearch::NeverEnds => return receiver,
    };
    let (scheduler, service, order_id) = (Arc::clone(service), Arc::clone(service), order_id.to_owned());
    scheduler.after(pace, delay, move || {
        let found = step == Step::CredentialsFound;
        let taken = service.step(
            &order_id,
            step,
            (By::Sandbox, if found { "credentialsFound" } else { "credentialsNotFound" }.into()),
        );
        let _ = sender.send(taken && found);
        schedule_next_step(&service, &order_id);
    });
    receiver
}

/// A step that is due after the payment has changed otherwise is skipped.
pub(crate) fn schedule_next_step(service: &Arc<Service>, order_id: &str) {
    let scheduled = service.payments.with(order_id, |payment| {
        let check = match payment.state {
            _ if payment.held => return None,
            State::AwaitingPayment | State::Checking
                if payment.scenario().paid == Pays::Nothing && !payment.paid_by_hand =>
            {
                Check::Rejected
            }
            State::Checking => payment.scenario().check,
            State::Arbitration => payment.scenario().receipt,
            _ => return None,
        };
        let step = match check {
            Check::Approved => Step::Approve,
            Check::Rejected => Step::Fail,
            Check::Disputed => Step::RequireReceipt,
            Check::NeverEnds => return None,
        };
        let cause = if payment.state == State::AwaitingPayment { "neverPaid" } else { "checked" };
        Some((step, (By::Sandbox, cause.into()), payment.generation, payment.order.pace))
    });
    let Some((step, cause, generation, pace)) = scheduled.flatten() else { return };
    let (step_time, _) = service.timing(pace);
    let (scheduler, service, order_id) = (Arc::clone(service), Arc::clone(service), order_id.to_owned());
    scheduler.after(pace, step_time, move || {
        let is_unchanged = |payment: &mut Payment| payment.generation == generation && !payment.held;
        let _ = service.step_with(&order_id, Some(step), cause, is_unchanged);
    });
}

/// For payments that an earlier run left unfinished.
pub(crate) fn resume(service: &Arc<Service>) {
    let unfinished = |payment: &Payment| {
        let found = || (payment.order_id.clone(), payment.scenario(), payment.state);
        (!payment.state.is_final()).then(found)
    };
    for (_, (order_id, scenario, state)) in service.payments.newest(None, usize::MAX, unfinished) {
        if state == State::Searching {
            drop(search_credentials(service, &order_id, scenario, Pace::Configured));
        } else {
            schedule_next_step(service, &order_id);
        }
    }
}
