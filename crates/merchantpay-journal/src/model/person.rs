//! What a person decides about an attempt.

use merchantpay::Amount;

use crate::model::attempt::{Attempt, Reason, State};
use crate::model::clock::Moment;
use crate::model::decision::{Decision, Edit, IfChanged};
use crate::model::order::{Beside, reported, store_details};
use crate::model::plan;
use crate::model::report::Report;

#[derive(Debug, Clone, Copy, PartialEq, Eq)]
pub enum Refusal {
    /// The attempt is not unknown: it has an order, its call runs, or it is over.
    NotUnknown,
    /// The attempt is neither refused nor final.
    NotOver,
    Taken,
    /// `getStatus` reports another sum than the person named.
    OtherSum,
}

/// The attempt's payment is this order, with this sum. `report` is what `getStatus` says about the order.
pub fn has_order(
    row: &Attempt,
    report: &Report,
    sum: Amount,
    is_taken: bool,
    beside: Beside<'_>,
    moment: &Moment,
) -> Result<Decision, Refusal> {
    if !row.is_unknown(moment.clock) {
        return Err(Refusal::NotUnknown);
    }
    if is_taken {
        return Err(Refusal::Taken);
    }
    if report.sum != Some(sum) {
        return Err(Refusal::OtherSum);
    }
    let mut edit = Edit::new(row, moment);
    edit.row.order_id = Some(report.order_id.clone());
    edit.row.state = State::Open;
    edit.row.call_until = None;
    edit.row.attention &= !Reason::OrderUnproven.bit();
    plan::restart(&mut edit);
    // The status is applied while the row still counts as restored: its customer may have seen credentials
    // that the row lacks.
    reported(&mut edit, report, beside);
    if edit.row.state == State::Open && report.has_credentials_for(row.sum_asked) {
        store_details(&mut edit, report);
    }
    edit.row.restored = false;
    edit.row.attention &= !Reason::Unknown.bit();
    if sum != row.sum_asked {
        edit.raise(Reason::SumDiffers);
    }
    if edit.row.news == row.news {
        edit.news();
    }
    Ok(edit.finish(IfChanged::Drop))
}

pub fn no_payment(row: &Attempt, moment: &Moment) -> Result<Decision, Refusal> {
    if !row.is_unknown(moment.clock) {
        return Err(Refusal::NotUnknown);
    }
    let mut edit = Edit::new(row, moment);
    edit.row.state = State::Refused;
    edit.row.call_until = None;
    edit.row.attention &= !Reason::Unknown.bit();
    edit.news();
    Ok(edit.finish(IfChanged::DecideAgain))
}

/// A person has seen these reasons, and no others: one that came meanwhile stays.
pub fn seen(row: &Attempt, reasons: u32, moment: &Moment) -> Decision {
    let mut edit = Edit::new(row, moment);
    let shown = row.attention(moment.clock) & reasons;
    edit.row.attention &= !shown;
    edit.row.seen |= shown;
    edit.finish(IfChanged::DecideAgain)
}

/// Support was asked about every `merchantId` of the reference, and no payment is missing here. That does not
/// make the row as new as the truth: its customer may have seen credentials that it lacks. So only an attempt
/// that is over is trusted; an unknown one is decided first, and an open one waits for its status.
pub fn trusted(row: &Attempt, moment: &Moment) -> Result<Decision, Refusal> {
    if !matches!(row.state, State::Refused | State::Final) {
        return Err(Refusal::NotOver);
    }
    let mut edit = Edit::new(row, moment);
    edit.row.restored = false;
    edit.row.attention &= !Reason::Unknown.bit();
    Ok(edit.finish(IfChanged::DecideAgain))
}
