//! `attention` and `resolve`: the items about which an operator must decide, and the decision.

use merchantpay::{Amount, Error, Payment, Result};

use crate::api::confirm::no_entry;
use crate::api::entry::Entry;
use crate::api::journal::Journal;
use crate::api::note::check_note;
use crate::api::stats::{Server, ServerChange};
use crate::model::event::{Event, Report};
use crate::model::orphan::Orphan;
use crate::storage::queries::not_sent;

/// An item about which an operator must decide.
#[derive(Debug, Clone, PartialEq, Eq)]
#[non_exhaustive]
pub enum Attention {
    /// An attempt; [`Entry::attention`] has the reasons.
    Entry(Box<Entry>),
    /// An orphan: a verified message that matches no attempt.
    Orphan(Orphan),
    /// The database now runs on a different server than the one that an operator has accepted.
    ServerChange(ServerChange),
}

/// An operator's decision about an attempt.
#[derive(Debug, Clone, PartialEq, Eq)]
#[non_exhaustive]
pub enum Resolution {
    /// The attempt has this order id at the service. The journal first asks the service for the order's
    /// status, and requires that the order has the requested sum.
    OrderId(String),
    /// The service made no payment for the attempt. If the service later reports a payment that has not
    /// failed, `attention` lists the attempt again.
    NoPayment,
    /// The operator has seen the reasons that the given entry shows. The journal removes these reasons from
    /// the list. Reasons that were added after the entry was read stay on the list.
    Seen,
}

impl Journal {
    /// Lists what an operator must decide: a changed server, at most `limit` attempts of all references, and
    /// at most `limit` orphans.
    ///
    /// # Errors
    ///
    /// `storage` if the journal failed.
    pub fn attention(&self, limit: u32) -> Result<Vec<Attention>> {
        self.check()?;
        // If the call of an attempt ended without a response, this makes the attempt unknown.
        for (_, record) in self.queries.ended(limit).map_err(not_sent)? {
            self.apply(&record, Event::Due)?;
        }
        let server = match self.server()? {
            Server::Changed(change) => Some(Attention::ServerChange(change)),
            Server::Known(_) => None,
        };
        let entries = self.queries.attention(limit).map_err(not_sent)?.into_iter();
        let orphans = self.queries.orphans(limit).map_err(not_sent)?.into_iter();
        let entries = entries.map(|(now, record)| Attention::Entry(Box::new(Entry::new(record, now))));
        Ok(server.into_iter().chain(entries).chain(orphans.map(Attention::Orphan)).collect())
    }

    /// Stores an operator's decision about an attempt, with the operator's note.
    ///
    /// # Errors
    ///
    /// `invalid_argument` if the decision does not fit this attempt, if the order has a different sum, or if
    /// the note is empty or longer than 500 characters. Every error of `getStatus` for the order. `storage`
    /// if the journal failed.
    pub fn resolve(&self, entry: &Entry, resolution: &Resolution, note: &str) -> Result<Entry> {
        check_note(note)?;
        let event = match resolution {
            Resolution::OrderId(order_id) => Event::Found(self.ask(entry, order_id)?, note.to_owned()),
            Resolution::NoPayment => Event::NoPayment(note.to_owned()),
            Resolution::Seen => Event::Seen(entry.shown_reasons(), note.to_owned()),
        };
        let finished = self.apply(entry.record(), event)?;
        if finished.done.conflict {
            return Err(Error::invalid_argument("the order belongs to another attempt"));
        }
        let changed = finished.done.changed;
        let entry = finished.entry().ok_or_else(no_entry)?;
        match changed {
            true => Ok(entry),
            false => Err(Error::invalid_argument(format!(
                "an attempt with standing {} cannot be resolved this way",
                entry.standing()
            ))),
        }
    }

    /// Removes an orphan from the attention list. Returns `true` if there is an orphan with this order id.
    ///
    /// # Errors
    ///
    /// The errors of [`resolve`](Journal::resolve).
    pub fn resolve_orphan(&self, order_id: &str, note: &str) -> Result<bool> {
        check_note(note)?;
        self.queries.see_orphan(order_id, note).map_err(not_sent)
    }

    /// Like [`resolve_orphan`](Journal::resolve_orphan), but only if the orphan still has the status that the
    /// operator has read. If the status has changed, the orphan stays on the list.
    ///
    /// # Errors
    ///
    /// The errors of [`resolve`](Journal::resolve), and `invalid_argument` if there is no orphan with this
    /// order id and status.
    pub fn resolve_read_orphan(&self, order_id: &str, status: Option<&str>, note: &str) -> Result<()> {
        check_note(note)?;
        match self.queries.see_read_orphan(order_id, status, note).map_err(not_sent)? {
            true => Ok(()),
            false => Err(Error::invalid_argument(
                "no orphan with this order id has this status: read the attention list again",
            )
            .with_order_id(Some(order_id))),
        }
    }

    /// Asks the service for the status of an order that an operator named.
    fn ask(&self, entry: &Entry, order_id: &str) -> Result<Report> {
        let payment = self.client.get_status(order_id)?;
        let agrees = check_sum(&payment, entry.sum_asked());
        agrees.map_err(|error| error.with_order_id(Some(order_id)))?;
        Ok(Report::from(&payment))
    }
}

/// Checks that an order can belong to an attempt with this requested sum.
fn check_sum(payment: &Payment, sum_asked: Amount) -> Result<()> {
    match payment.sum() {
        Some(sum) if sum != sum_asked => {
            Err(Error::invalid_argument("the order's sum differs from the requested sum"))
        }
        // The order may belong to another payment. Then the end of that payment would end this attempt.
        None if payment.is_final() => {
            Err(Error::invalid_argument("the order is final, and the service reports no sum for it"))
        }
        _ => Ok(()),
    }
}

#[cfg(test)]
mod tests {
    use super::*;

    #[test]
    fn a_final_order_without_a_sum_belongs_to_no_attempt() {
        let agrees = |rest: &str| {
            let payment =
                Payment::carried(&format!("{{\"success\":true,\"orderId\":\"o-1\"{rest}}}")).unwrap();
            check_sum(&payment, Amount::from(10)).is_ok()
        };
        assert!(agrees("") && agrees(",\"status\":\"pending\",\"sum\":10"));
        assert!(agrees(",\"status\":\"doneFail\",\"sum\":10.0"));
        assert!(!agrees(",\"status\":\"doneFail\"") && !agrees(",\"status\":\"doneFail\",\"sum\":11"));
    }
}
