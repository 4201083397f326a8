//! Planned faults for future webhooks.

use std::collections::{HashMap, VecDeque};
use std::sync::Mutex;

use crate::base::assumptions;
use crate::base::lock::lock;
use crate::model::webhook_fault::{WebhookFault, WebhookPlan};

/// The plans of each payment, in the order in which they were added.
#[derive(Default)]
pub(crate) struct WebhookPlans(Mutex<(u64, HashMap<String, VecDeque<WebhookPlan>>)>);

impl WebhookPlans {
    /// Adds a plan; `false` if the payment has too many plans.
    pub(crate) fn add(&self, order_id: &str, fault: WebhookFault, times: u32) -> bool {
        let mut plans = lock(&self.0);
        plans.0 += 1;
        let id = plans.0;
        let of_payment = plans.1.entry(order_id.to_owned()).or_default();
        if of_payment.len() == assumptions::MOST_PLANS {
            return false;
        }
        of_payment.push_back(WebhookPlan { id, fault, times });
        true
    }

    pub(crate) fn take(&self, order_id: &str) -> Option<WebhookFault> {
        let mut plans = lock(&self.0);
        let of_payment = plans.1.get_mut(order_id)?;
        let first = of_payment.front_mut()?;
        first.times -= 1;
        let (fault, used_up) = (first.fault, first.times == 0);
        if used_up {
            of_payment.pop_front();
        }
        if of_payment.is_empty() {
            plans.1.remove(order_id);
        }
        Some(fault)
    }

    pub(crate) fn of(&self, order_id: &str) -> Vec<WebhookPlan> {
        lock(&self.0).1.get(order_id).map(|plans| plans.iter().cloned().collect()).unwrap_or_default()
    }

    pub(crate) fn forget(&self, order_id: &str) {
        lock(&self.0).1.remove(order_id);
    }
}
