//! The tables, from which the code of the languages is generated.

use merchantpay::{Status, Word};

use crate::calls::{self, Call};
#[cfg(feature = "journal")]
use crate::journal;
use crate::lists::LISTS;
use crate::records::{self, PAYMENT, REQUEST, Record};

/// Every call.
pub fn calls() -> impl Iterator<Item = &'static Call> {
    let all = calls::OF_OPERATIONS.iter().chain(calls::OWN);
    #[cfg(feature = "journal")]
    let all = all.chain(journal::CALLS);
    all
}

/// Every record.
pub fn records() -> impl Iterator<Item = &'static Record> {
    let all = [&REQUEST, &PAYMENT].into_iter().chain(records::OWN);
    #[cfg(feature = "journal")]
    let all = all.chain(journal::records());
    all
}

/// Every list of words, by its name.
pub fn lists() -> impl Iterator<Item = (&'static str, &'static [Word])> {
    let all = std::iter::once(&("Status", Status::TABLE)).chain(LISTS);
    #[cfg(feature = "journal")]
    let all = all.chain(journal::LISTS);
    all.copied()
}

#[cfg(test)]
mod tests {
    use std::collections::HashSet;

    use merchantpay::OPERATIONS;

    use super::*;
    use crate::names::snake;
    use crate::object::ObjectKind;

    #[test]
    fn numbers_are_unique_and_so_are_names_on_an_object() {
        let mut numbers = HashSet::new();
        let mut names = HashSet::new();
        for call in calls() {
            assert!(numbers.insert(call.number), "{}", call.number);
            assert!(names.insert((call.on, call.name)), "{}", call.name);
            assert!(call.doc().ends_with('.'), "{}", call.name);
        }
    }

    #[test]
    fn every_operation_is_called_and_prepared_by_its_name() {
        for operation in OPERATIONS {
            let name = snake(operation.name);
            let has = |on, name: &str| calls().any(|call| call.on == on && call.name == name);
            assert!(has(ObjectKind::Client, &name), "{name}");
            assert!(has(ObjectKind::Protocol, &format!("prepare_{name}")), "{name}");
        }
    }
}
