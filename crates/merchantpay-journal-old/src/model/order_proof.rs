//! Decides about orders that only webhooks named. An attacker who read a token in an access log can send an
//! old genuine webhook of another order. `getStatus` then reports the true status of the other order. Only an
//! equal sum connects that order with our request.
//!
//! If such an order has failed, the attempt still becomes `refused`. After a lost response there is no other
//! sign of the attempt's end, and its payment can only expire. If the failed order was not the attempt's own,
//! `pay` then makes a second payment. Nobody can pay both payments: the refused attempt never shows its
//! credentials. The attempt becomes `refused` only under the conditions in the table. Each condition prevents
//! a fault:
//!
//! | condition | fault without the condition |
//! |---|---|
//! | no credentials are stored | a customer pays with the credentials that were shown, and also pays the next
//! attempt |
//! | the row was neither restored nor imported, and its reference was not forgotten | the same fault: the row
//! may lack credentials that were shown |
//! | the call is over | the journal refuses the call's own response, which has credentials for a waiting
//! customer |
//! | the reported sum is present and is the requested sum | an order with a different sum counts as this
//! attempt's order |
//! | no other attempt has the order (the unique index) | one payment counts for two attempts |

use crate::model::event::Report;
use crate::model::record::{Intent, Record};
use crate::model::record_changes::{become_unknown, clear_reported_payment, raise};
use crate::model::standing::{Reason, Standing};

/// The result of comparing a `getStatus` report with an attempt.
#[derive(Debug, Clone, Copy, PartialEq, Eq)]
pub(crate) enum Proof {
    /// The reported order belongs to the attempt.
    Enough,
    /// The proof is insufficient: the order is removed from the attempt, and an operator decides.
    TooLittle,
    /// The attempt's call may still run until this time, so the proof is insufficient before it. The status
    /// is queried again at this time.
    Early(i64),
}

/// Compares a `getStatus` report with an attempt.
pub(crate) fn proof(record: &Record, report: &Report, now: i64) -> Proof {
    let is_named_by_webhooks_alone =
        !record.order_id_confirmed && record.order_id.as_ref() == Some(&report.order_id);
    // If credentials are stored, they were for the requested sum. A failure then makes the attempt final, and
    // `pay` creates no second payment.
    if !is_named_by_webhooks_alone || record.has_credentials {
        return Proof::Enough;
    }
    // A final status without a sum proves as little as a final status with a different sum.
    let has_other_sum = report.sum.map_or(report.is_final(), |sum| sum != record.sum_asked);
    if has_other_sum {
        return Proof::TooLittle;
    }
    let has_failed = report.is_final() && !report.is_success();
    if !has_failed || !is_current(record) {
        return Proof::Enough;
    }
    let may_lack_credentials = record.restored || record.forgotten || record.purged;
    if may_lack_credentials {
        return Proof::TooLittle;
    }
    let is_over = record.call_ended || record.call_until.is_some_and(|until| until <= now);
    match record.call_until {
        _ if is_over => Proof::Enough,
        Some(until) => Proof::Early(until),
        None => Proof::TooLittle,
    }
}

/// Removes the order and everything reported about it from the attempt. The next webhook or an operator may
/// name another order.
pub(crate) fn forget_order(record: &mut Record) {
    let Some(order_id) = record.order_id.take() else { return };
    let note = format!("only a webhook named the order {order_id}");
    // The same webhook may arrive several times. The note is stored only once.
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
