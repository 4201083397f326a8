//! The automatic steps of a payment: a payee is found, the customer pays or not, the payment is checked.

use std::sync::Arc;

use tokio::sync::oneshot;

use crate::model::payment::{Pace, Payment};
use crate::model::state::{State, Step};
use crate::model::test_accounts::{Check, CredentialsSearch, Paid, Scenario};
use crate::model::timeline::Cause;
use crate::payments::service::Service;

/// Starts the search for a payee. The returned channel receives the result. If the search never ends, the
/// channel's sender is dropped.
pub(crate) fn search_credentials(
    service: &Arc<Service>,
    order_id: &str,
    scenario: Scenario,
    pace: Pace,
) -> oneshot::Receiver<bool> {
    let (sender, found) = oneshot::channel();
    let (step_time, wait) = service.timing(pace);
    let (delay, step) = match scenario.credentials {
        CredentialsSearch::Found | CredentialsSearch::FoundAccountOnly => {
            (step_time.min(wait / 2), Step::CredentialsFound)
        }
        CredentialsSearch::FoundLate => (wait / 2, Step::CredentialsFound),
        CredentialsSearch::NotFound => (wait, Step::CredentialsNotFound),
        CredentialsSearch::NeverEnds => return found,
    };
    let (scheduler, service, order_id) = (Arc::clone(service), Arc::clone(service), order_id.to_owned());
    scheduler.after(pace, delay, move || {
        let found = step == Step::CredentialsFound;
        let taken = service.step(
            &order_id,
            step,
            Cause::sandbox(if found { "credentialsFound" } else { "credentialsNotFound" }),
        );
        let _ = sender.send(taken && found);
        schedule_next_step(&service, &order_id);
    });
    found
}

/// Schedules the payment's next automatic step, unless no step is left or the payment is held. If the payment
/// changes before the step is due, the step is cancelled.
pub(crate) fn schedule_next_step(service: &Arc<Service>, order_id: &str) {
    let scheduled = service.payments.with(order_id, |payment| {
        let check = match payment.state {
            _ if payment.held => return None,
            State::AwaitingPayment | State::Checking
                if payment.scenario.paid == Paid::Never && !payment.paid_manually =>
            {
                Check::Rejected
            }
            State::Checking => payment.scenario.check,
            State::Arbitration => payment.scenario.receipt,
            _ => return None,
        };
        let step = match check {
            Check::Approved => Step::Approve,
            Check::Rejected => Step::Fail,
            Check::Disputed => Step::RequireReceipt,
            Check::NeverEnds => return None,
        };
        let cause = if payment.state == State::AwaitingPayment { "neverPaid" } else { "checked" };
        Some((step, Cause::sandbox(cause), payment.generation, payment.order.pace))
    });
    let Some((step, cause, generation, pace)) = scheduled.flatten() else { return };
    let (step_time, _) = service.timing(pace);
    let (scheduler, service, order_id) = (Arc::clone(service), Arc::clone(service), order_id.to_owned());
    scheduler.after(pace, step_time, move || {
        let is_unchanged = |payment: &mut Payment| payment.generation == generation && !payment.held;
        let _ = service.step_with(&order_id, step, cause, is_unchanged);
    });
}

/// Schedules the next steps of the payments that an earlier run of the sandbox left unfinished.
pub(crate) fn resume(service: &Arc<Service>) {
    for (_, (order_id, scenario, state)) in service.payments.newest(
        None,
        usize::MAX,
        |payment| !payment.state.is_final(),
        |payment| (payment.order_id.clone(), payment.scenario, payment.state),
    ) {
        if state == State::Searching {
            drop(search_credentials(service, &order_id, scenario, Pace::Configured));
        } else {
            schedule_next_step(service, &order_id);
        }
    }
}
