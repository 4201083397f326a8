//! Finds the event of the simulated day that put each item on the operator's list.

use std::collections::{BTreeMap, HashSet};
use std::fmt;

use merchantpay_journal::{Attention, Entry, Reason};

use super::ledger::Restore;
use crate::AnyResult;
use crate::journal::audit::Made;
use crate::journal::operator::Listed;
use crate::journal::shop::number_of;
use crate::journal::worker::Kill;

/// The longest time from the storing of a payment to the end of its call, in milliseconds.
const CALL_MS: i64 = 15_000;
/// A statement that a process sent before it was killed may be executed up to this long after the kill, in
/// milliseconds.
const LATE_MS: i64 = 1000;

#[derive(Default)]
pub(super) struct Explanations {
    /// The number of items with each reason and cause.
    counts: BTreeMap<(&'static str, &'static str), u32>,
    /// The attempts with a lost response: the reference, the number of the attempt, and the time when it was
    /// stored.
    lost_responses: HashSet<(String, u32, i64)>,
}

/// The events that can be the cause of an item.
pub(super) struct Events<'a> {
    pub(super) kills: &'a [Kill],
    pub(super) restore: &'a Restore,
}

impl Explanations {
    /// Notes the cause of an item. An item without a cause is an error.
    pub(super) fn explain(
        &mut self,
        item: &Attention,
        listed: &Listed<'_>,
        events: &Events<'_>,
    ) -> AnyResult<()> {
        match item {
            Attention::Entry(entry) => {
                for reason in entry.attention() {
                    let cause = self.cause(entry, *reason, listed, events)?;
                    let cause = cause.ok_or_else(|| format!("no event explains {reason} of {entry:?}"))?;
                    self.count(reason.name(), cause);
                }
                Ok(())
            }
            Attention::Orphan(orphan) if events.restore.forgot(&orphan.order_id) => {
                self.count("orphan", "the restore took the row of its order");
                Ok(())
            }
            item => Err(format!("no event explains {item:?}").into()),
        }
    }

    fn count(&mut self, reason: &'static str, cause: &'static str) {
        *self.counts.entry((reason, cause)).or_default() += 1;
    }

    fn cause(
        &mut self,
        entry: &Entry,
        reason: Reason,
        listed: &Listed<'_>,
        events: &Events<'_>,
    ) -> AnyResult<Option<&'static str>> {
        let number = number_of(entry.reference())?;
        let made = entry.order_id().and_then(|order_id| listed.get(order_id));
        let made = made.map(|payment| Made::read(payment)).transpose()?;
        let is_before_the_restore = entry.created_at() < events.restore.at;
        Ok(match reason {
            Reason::Unknown if entry.error().is_some_and(|error| error.outcome == "unknown") => {
                let attempt = (entry.reference().to_owned(), entry.attempt(), entry.created_at());
                self.lost_responses.insert(attempt);
                Some("the response to its call was lost")
            }
            Reason::Unknown if was_killed(entry, number, events.kills) => {
                Some("its process was killed in the call")
            }
            Reason::PaidDiffers
                if number % 40 == 5 && made.is_some_and(|made| made.sum < entry.sum_asked()) =>
            {
                Some("the customer paid less")
            }
            Reason::SupersededPaid if is_before_the_restore => {
                Some("the restored row was older than its order")
            }
            Reason::OrderUnproven if is_before_the_restore => {
                Some("its order failed, and the row was restored")
            }
            _ => None,
        })
    }

    /// Checks that no more responses are explained as lost than the service has really lost.
    pub(super) fn check_lost_responses(&self, lost: u64) -> AnyResult<()> {
        let explained = self.lost_responses.len() as u64;
        if explained > lost {
            return Err(format!("{explained} attempts lack their response, and {lost} were lost").into());
        }
        Ok(())
    }
}

/// Returns `true` if a process was killed while it created this attempt. For one payment in fifty, a process
/// creates the second attempt when it handles the first attempt's news. Then the kill has the number of
/// another payment.
fn was_killed(entry: &Entry, number: usize, kills: &[Kill]) -> bool {
    let time = entry.created_at() - LATE_MS..entry.created_at() + CALL_MS;
    let is_replaced_by_news = number % 50 == 7 && entry.attempt() > 1;
    kills.iter().any(|kill| time.contains(&kill.at) && (kill.number == number || is_replaced_by_news))
}

impl fmt::Display for Explanations {
    fn fmt(&self, f: &mut fmt::Formatter<'_>) -> fmt::Result {
        let one = |((reason, cause), count): (&(&str, &str), &u32)| format!("  {count} {reason}: {cause}");
        write!(f, "attention:\n{}", self.counts.iter().map(one).collect::<Vec<_>>().join("\n"))
    }
}
