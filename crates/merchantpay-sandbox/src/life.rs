//! What happens to a payment by itself: a payee is found, a customer pays or does not, somebody checks.

use std::sync::Arc;
use std::time::Duration;

use tokio::sync::oneshot;

use crate::service::Service;
use crate::state::Step;
use crate::steering::{Check, Course, Credentials, Paid};

/// Looks for a payee. Tells whether one was found, unless it is looked for without end.
pub(crate) fn look_for_credentials(service: &Arc<Service>, order_id: &str, course: Course) -> oneshot::Receiver<bool> {
    let (tell, told) = oneshot::channel();
    let wait = service.options.credentials_wait;
    let (delay, step) = match course.credentials {
        Credentials::Found | Credentials::FoundBare => (service.options.pace.min(wait / 2), Step::CredentialsFound),
        Credentials::FoundLate => (wait / 2, Step::CredentialsFound),
        Credentials::NotFound => (wait, Step::CredentialsNotFound),
        Credentials::LookedForEver => return told,
    };
    let (service, order_id) = (Arc::clone(service), order_id.to_owned());
    tokio::spawn(async move {
        tokio::time::sleep(delay).await;
        let taken = service.step(&order_id, step);
        let found = taken && step == Step::CredentialsFound;
        let _ = tell.send(found);
        if found && course.paid == Paid::Never {
            later(&service, &order_id, service.options.pace, Step::Fail);
        }
    });
    told
}

/// Checks a payment that was confirmed, or a receipt that was attached.
pub(crate) fn check(service: &Arc<Service>, order_id: &str, check: Check) {
    let step = match check {
        Check::Good => Step::Approve,
        Check::Bad => Step::Fail,
        Check::Disputed => Step::Dispute,
        Check::Endless => return,
    };
    later(service, order_id, service.options.pace, step);
}

fn later(service: &Arc<Service>, order_id: &str, delay: Duration, step: Step) {
    let (service, order_id) = (Arc::clone(service), order_id.to_owned());
    tokio::spawn(async move {
        tokio::time::sleep(delay).await;
        // A payment that was cancelled in the meantime stays as it is.
        service.step(&order_id, step);
    });
}
