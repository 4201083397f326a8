//! Orders that only webhooks named. A token from an access log and an old genuine webhook of another order
//! may have brought one, and `getStatus` then says that order's truth: neither its reply nor a webhook
//! carries anything of our request but the sum.

use crate::change::{become_unknown, clear_reported_payment, raise};
use crate::event::Report;
use crate::guards::Guards;
use crate::record::{Intent, Record};
use crate::standing::{Reason, Standing};

/// Whether `getStatus` reported an order that only webhooks named and that cannot be taken for this attempt's:
/// its sum is another one, or it failed, which would let `pay` take a second payment.
///
/// Where credentials are stored, their sum was the one asked for, and a failure is final: `pay` takes no
/// second payment.
pub(crate) fn is_unproven(record: &Record, report: &Report, guards: Guards) -> bool {
    let is_named_by_webhooks_alone =
        !record.order_id_confirmed && record.order_id.as_ref() == Some(&report.order_id);
    if !is_named_by_webhooks_alone || record.has_credentials {
        return false;
    }
    // A final status without a sum proves as little as another sum.
    let has_other_sum = report.sum.map_or(report.is_final(), |sum| sum != record.sum_asked);
    let has_failed = report.is_final() && !report.is_success();
    has_other_sum && guards.webhook_sum_fits
        || has_failed && is_current(record) && guards.webhook_failure_waits
}

/// Takes the order off the attempt again, with all that was reported of it. The next webhook, or a person, may
/// name another.
pub(crate) fn forget_order(record: &mut Record) {
    let Some(order_id) = record.order_id.take() else { return };
    let note = format!("a webhook alone had named the order {order_id}");
    // The webhook may come again, any number of times.
    if !record.notes.contains(&note) {
        record.notes.push(note);
    }
    clear_reported_payment(record);
    (record.confirm, record.cancel) = (Intent::default(), Intent::default());
    if is_current(record) {
        become_unknown(record);
    }
    record.due_at = None;
    raise(record, Reason::OrderUnproven);
}

fn is_current(record: &Record) -> bool {
    matches!(record.standing, Standing::Sending | Standing::Unknown | Standing::Open)
}
