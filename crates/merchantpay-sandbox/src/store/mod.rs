//! The sandbox's data in memory and in its database.

pub(crate) mod database;
mod database_file;
pub(crate) mod exchanges;
pub(crate) mod payments;
pub(crate) mod webhooks;

use std::collections::BTreeMap;

/// Values by their numbers, of which the newest has the highest.
struct Numbered<T> {
    last: u64,
    values: BTreeMap<u64, T>,
}

impl<T> Default for Numbered<T> {
    fn default() -> Numbered<T> {
        Numbered { last: 0, values: BTreeMap::new() }
    }
}

impl<T> Numbered<T> {
    fn of(values: impl IntoIterator<Item = (u64, T)>) -> Numbered<T> {
        let values: BTreeMap<u64, T> = values.into_iter().collect();
        Numbered { last: values.keys().next_back().copied().unwrap_or(0), values }
    }

    fn next(&mut self) -> u64 {
        self.last += 1;
        self.last
    }

    /// The newest values for which `show` returns something, with numbers below `before` if that is set.
    fn newest<S>(&self, before: Option<u64>, limit: usize, show: impl Fn(&T) -> Option<S>) -> Vec<(u64, S)> {
        let older = self.values.range(..before.unwrap_or(u64::MAX)).rev();
        older.filter_map(|(number, value)| Some((*number, show(value)?))).take(limit).collect()
    }
}
