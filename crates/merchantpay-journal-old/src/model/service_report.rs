//! Applies a report of the service to a record.

use merchantpay::{Currency, Paid, Status};

use crate::model::event::{Report, Source};
use crate::model::record::{Intent, NotFound, Record};
use crate::model::record_changes::{
    ask_at, clear_reported_payment, drop_reason, drop_unknown, open, raise, raise_level, refuse,
};
use crate::model::schedule::{self, SOON, awaits_webhook};
use crate::model::standing::{IntentState, Level, Reason, Standing};

/// Fields that a `/status` response never replaces: that response has the payee's name in Latin letters, and
/// no currency.
const NOT_FROM_STATUS: &[&str] = &["payeeName", "currency", "dealCurrency"];

/// Applies a report of the service. Returns `false` if the report's order cannot belong to this attempt.
pub(crate) fn apply_report(record: &mut Record, report: &Report, source: Source, now: i64) -> bool {
    // `bind` can change the due time, on which the standing depends. So the standing is read first.
    let caller_knows = source == Source::Creation && record.standing_at(now) != Standing::Unknown;
    if !bind(record, report, source, now) {
        return false;
    }
    // Only a confirmed order gives an attempt a final status. A purged attempt no longer stores the
    // confirmation, but it still has its status.
    let is_confirmed = record.order_id_confirmed || record.has_final_status();
    let by_webhook_alone = source == Source::Webhook && !is_confirmed;
    // An attacker with a token from an access log and an old genuine webhook must not be able to end an
    // attempt. So `getStatus` decides.
    let names_order_alone = report.is_final() && by_webhook_alone;
    if names_order_alone || lacks_paid_sum(record, report, source) {
        open(record);
        record.due_at = (record.standing != Standing::Final).then_some(now).or(record.due_at);
        return true;
    }
    match record.standing {
        Standing::Final if report.is_final() => contradict(record, report),
        Standing::Final => {}
        Standing::Superseded => report_on_superseded(record, report, source, now),
        Standing::Refused => report_on_refused(record, report, source, now),
        Standing::Sending | Standing::Unknown | Standing::Open => {
            report_on_current(record, report, source, caller_knows, now)
        }
    }
    if record.has_final_status() {
        status_decides(record);
    }
    true
}

/// Returns `true` if a success lacks the paid sum. Then the journal asks `getStatus`, which has the sum. The
/// contract leaves out zero values, and the stored sum may be the requested sum from the response to `/new`.
fn lacks_paid_sum(record: &Record, report: &Report, source: Source) -> bool {
    let is_asked_again = !record.has_final_status() && source != Source::Status;
    report.is_success() && report.sum.is_none() && is_asked_again
}

/// Binds the order to this attempt. Returns `false` if the order cannot belong to this attempt.
fn bind(record: &mut Record, report: &Report, source: Source, now: i64) -> bool {
    match &record.order_id {
        Some(order_id) if *order_id != report.order_id => {
            // If only a webhook named the stored order, that order has ended no attempt, and none of its
            // credentials were shown. So the order of the reply replaces the stored order.
            if source != Source::Creation || record.order_id_confirmed || record.has_credentials {
                return false;
            }
            record.notes.push(format!("before the reply, a webhook named a different order: {order_id}"));
            record.order_id = Some(report.order_id.clone());
            clear_reported_payment(record);
            // The confirm and the cancel were about the order of the webhook.
            (record.confirm, record.cancel) = (Intent::default(), Intent::default());
            raise(record, Reason::OrderDiffers);
        }
        Some(_) => {}
        None => {
            record.order_id = Some(report.order_id.clone());
            record.asking_since = now;
            if record.standing != Standing::Final {
                record.due_at = Some(if source == Source::Webhook { now } else { now + SOON });
            }
        }
    }
    record.order_id_confirmed |= source != Source::Webhook;
    record.not_found = NotFound::default();
    true
}

fn report_on_current(record: &mut Record, report: &Report, source: Source, caller_knows: bool, now: i64) {
    let had_credentials = record.has_credentials;
    let (had_webhook, had_status) = (record.has_webhook, record.status.clone());
    merge(record, report, source);
    if !report.is_final() {
        open(record);
        note_credentials(record, report);
        if record.has_credentials {
            raise_level(record, Level::Credentials);
        }
        if report.status() == Some(Status::ReceiptRequired) {
            raise_level(record, Level::ReceiptRequired);
        }
        record.has_webhook |= source == Source::Webhook;
        match schedule::next(record, now).filter(|_| source == Source::Webhook && awaits_webhook(record)) {
            // Only a change postpones the query; a repeated webhook does not.
            Some(due_at) if !had_webhook || record.status != had_status => record.due_at = Some(due_at),
            Some(_) => {}
            None => ask_at(record, now + SOON),
        }
    } else if !report.is_success() && !had_credentials && !record.restored {
        // A restored row may lack credentials that a customer has seen, so it becomes final.
        refuse(record, !caller_knows);
    } else {
        finish(record);
    }
}

fn report_on_refused(record: &mut Record, report: &Report, source: Source, now: i64) {
    let was_final = record.has_final_status();
    match report.is_final() {
        true if report.is_success() => {
            merge(record, report, source);
            raise(record, Reason::FoundAfterRefused);
            finish(record);
        }
        true => {
            merge(record, report, source);
            record.due_at = None;
        }
        // An old message that arrives late does not change the sum of a final payment.
        false if was_final => {}
        false => {
            merge(record, report, source);
            note_credentials(record, report);
            raise(record, Reason::FoundAfterRefused);
            ask_at(record, now + SOON);
        }
    }
}

fn report_on_superseded(record: &mut Record, report: &Report, source: Source, now: i64) {
    let was_final = record.has_final_status();
    if report.is_final() && report.is_success() {
        raise(record, Reason::SupersededPaid);
    }
    match report.is_final() {
        true if was_final => contradict(record, report),
        true => {
            merge(record, report, source);
            record.due_at = None;
        }
        false if was_final => {}
        false => {
            merge(record, report, source);
            note_credentials(record, report);
            if report.status() == Some(Status::ReceiptRequired) {
                raise(record, Reason::SupersededAlive);
            }
            ask_at(record, now);
        }
    }
}

/// A final status stays. An operator decides about a status that contradicts it.
fn contradict(record: &mut Record, report: &Report) {
    let was_success = record.is_done();
    let other_sum = report.sum.is_some_and(|sum| record.sum_paid.is_some_and(|paid| paid != sum));
    if was_success != report.is_success() || was_success && other_sum {
        raise(record, Reason::FinalContradicted);
    }
}

fn finish(record: &mut Record) {
    record.standing = Standing::Final;
    record.error = None;
    record.due_at = None;
    drop_unknown(record);
    raise_level(record, Level::Final);
    match record.paid() {
        _ if !record.is_success() => {}
        Some(Paid::Exactly) => {}
        Some(_) => raise(record, Reason::PaidDiffers),
        None => raise(record, Reason::SumMissing),
    }
}

pub(crate) fn credentials_failed(record: &mut Record, report: &Report, now: i64) -> bool {
    if !bind(record, report, Source::Webhook, now) {
        return false;
    }
    let by_webhook_alone = !record.order_id_confirmed;
    match record.standing {
        Standing::Sending | Standing::Unknown | Standing::Open if by_webhook_alone => {
            open(record);
            record.due_at = Some(now);
        }
        Standing::Sending | Standing::Unknown | Standing::Open if !record.has_credentials => {
            refuse(record, true)
        }
        _ => {}
    }
    true
}

/// Merges the reported fields into the record. If a field is absent in the report, the record keeps its
/// value.
fn merge(record: &mut Record, report: &Report, source: Source) {
    for (name, value) in &report.fields {
        let is_kept = source != Source::Creation
            && NOT_FROM_STATUS.contains(&name.as_str())
            && record.payment.contains_key(name);
        if name != "success" && value != "null" && !is_kept {
            record.payment.insert(name.clone(), value.clone());
        }
    }
    if let Some(sum) = report.sum {
        record.sum_paid = Some(sum);
    } else if report.is_success() {
        // The stored sum is the requested sum from an earlier message, and not the paid sum.
        record.sum_paid = None;
        record.payment.remove("sum");
    }
    if let Some(status) = &report.status
        && record.status.as_ref() != Some(status)
    {
        record.status = Some(status.clone());
        record.tries = 0;
    }
}

/// Marks that the customer can pay, if the credentials match the request.
fn note_credentials(record: &mut Record, report: &Report) {
    if record.has_credentials
        || !report.has_credentials
        || !matches!(report.status(), None | Some(Status::Free | Status::Pending))
    {
        return;
    }
    let is_asked_sum = report.sum.is_none_or(|sum| sum == record.sum_asked);
    let is_asked_currency =
        report.currency.as_deref().is_none_or(|currency| currency == Currency::Rub.as_str());
    if is_asked_sum && is_asked_currency {
        record.has_credentials = true;
    } else {
        raise(record, Reason::CredentialsDiffer);
    }
}

/// Decides from a final status whether an unclear instruction took effect.
fn status_decides(record: &mut Record) {
    let is_success = record.is_done();
    let is_undecided =
        |intent: &Intent| matches!(intent.state, Some(IntentState::Stored | IntentState::Unclear));
    if is_undecided(&record.cancel) {
        record.cancel.state = Some(if is_success { IntentState::Refused } else { IntentState::Accepted });
    }
    if is_undecided(&record.confirm) {
        record.confirm.state = Some(if is_success { IntentState::Accepted } else { IntentState::Unclear });
    }
    for reason in [
        Reason::ConfirmUnclear,
        Reason::ConfirmRefused,
        Reason::OrderNotFound,
        Reason::StillOpen,
        Reason::SupersededAlive,
    ] {
        drop_reason(record, reason);
    }
}
