//! An entry as one text, which another process reads again: a pickle, the message of a task queue.

use crate::api::entry::Entry;
use crate::api::transfer;
use crate::model::json::{self, Fields};
use crate::model::record::Record;

impl Entry {
    /// The entry with the attempts before it as one line of JSON, which [`carried`](Entry::carried) reads
    /// again. Neither the end of its webhook's URL nor anything that the journal keeps of the request is in
    /// it.
    pub fn to_carried(&self) -> String {
        let attempts = std::iter::once(self).chain(self.earlier()).map(|entry| {
            let record = Record {
                // As it was read: an attempt whose call has ended stays unknown.
                standing: entry.standing(),
                token: String::new(),
                writer: String::new(),
                request_hash: String::new(),
                ..entry.record().clone()
            };
            transfer::write(&record)
        });
        let attempts = format!("[{}]", attempts.collect::<Vec<_>>().join(","));
        json::write(&Fields::from([("attempts".to_owned(), attempts)]))
    }

    /// Reads what [`to_carried`](Entry::to_carried) has written, without checking where it comes from. `None`
    /// if it was written by a newer version, or is something else.
    pub fn carried(text: &str) -> Option<Entry> {
        let attempts = json::objects(&json::read(text)?.remove("attempts")?)?;
        let records = attempts.into_iter().map(|fields| Some((0, transfer::read(fields)?)));
        Entry::of_attempts(records.collect::<Option<Vec<_>>>()?)
    }
}
