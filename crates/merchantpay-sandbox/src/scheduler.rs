//! What happens to a payment by itself: a payee is found, a customer pays or does not, somebody checks.

use std::sync::Arc;

use tokio::sync::oneshot;

use crate::payment::Payment;
use crate::service::Service;
use crate::state::{State, Step};
use crate::test_accounts::{Check, CredentialsSearch, Paid, Scenario};
use crate::timeline::Cause;

/// Looks for a payee. Tells whether one was found, unless it is looked for without end.
pub(crate) fn search_credentials(service: &Arc<Service>, order_id: &str, scenario: Scenario) -> oneshot::Receiver<bool> {
    let (sender, found) = oneshot::channel();
    let wait = service.options.credentials_wait;
    let (delay, step) = match scenario.credentials {
        CredentialsSearch::Found | CredentialsSearch::FoundAccountOnly => (service.options.pace.min(wait / 2), Step::CredentialsFound),
        CredentialsSearch::FoundLate => (wait / 2, Step::CredentialsFound),
        CredentialsSearch::NotFound => (wait, Step::CredentialsNotFound),
        CredentialsSearch::NeverEnds => return found,
    };
    let (inside, order_id) = (Arc::clone(service), order_id.to_owned());
    service.clock.after(delay, move || {
        let found = step == Step::CredentialsFound;
        let taken = inside.step(&order_id, step, Cause::sandbox(if found { "credentialsFound" } else { "credentialsNotFound" }));
        let _ = sender.send(taken && found);
        schedule_next_step(&inside, &order_id);
    });
    found
}

/// WebhookPlans what comes next by itself, if anything does: nothing for a held payment. Whatever changes the payment in the
/// meantime also cancels the plan.
pub(crate) fn schedule_next_step(service: &Arc<Service>, order_id: &str) {
    let planned = service.payments.with(order_id, |payment| {
        let check = match payment.state {
            _ if payment.held => return None,
            State::AwaitingPayment | State::Checking if payment.scenario.paid == Paid::Never && !payment.paid => Check::Rejected,
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
        Some((step, Cause::sandbox(cause), payment.generation))
    });
    let Some((step, cause, generation)) = planned.flatten() else { return };
    let (inside, order_id) = (Arc::clone(service), order_id.to_owned());
    service.clock.after(service.options.pace, move || {
        let as_it_was = |payment: &mut Payment| payment.generation == generation && !payment.held;
        let _ = inside.step_with(&order_id, step, cause, as_it_was);
    });
}

/// Takes up what an earlier run of the sandbox left unfinished.
pub(crate) fn resume(service: &Arc<Service>) {
    for (_, (order_id, scenario, state)) in service.payments.newest(
        None,
        usize::MAX,
        |payment| !payment.state.is_final(),
        |payment| (payment.order_id.clone(), payment.scenario, payment.state),
    ) {
        if state == State::Searching {
            drop(search_credentials(service, &order_id, scenario));
        } else {
            schedule_next_step(service, &order_id);
        }
    }
}
