//! An entry as text, for example for Python's `pickle` or for a task queue.

use crate::api::entry::Entry;
use crate::api::transfer;
use crate::model::json::{self, Fields};
use crate::model::record::Record;

impl Entry {
    /// Writes the entry and its earlier attempts as one line of JSON, which [`carried`](Entry::carried)
    /// reads. The line contains neither the webhook's token nor anything about the request.
    pub fn to_carried(&self) -> String {
        let attempts = std::iter::once(self).chain(self.earlier()).map(|entry| {
            let record = Record {
                // The standing when the entry was read. So an attempt that was read as unknown stays unknown.
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

    /// Reads the output of [`to_carried`](Entry::to_carried). This function does not check who wrote the
    /// text. It returns `None` if a newer version wrote the text, or if the text is not such an output.
    pub fn carried(text: &str) -> Option<Entry> {
        let attempts = json::objects(&json::read(text)?.remove("attempts")?)?;
        let records = attempts.into_iter().map(|fields| Some((0, transfer::read(fields)?)));
        Entry::of_attempts(records.collect::<Option<Vec<_>>>()?)
    }
}
