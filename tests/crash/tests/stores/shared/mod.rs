//! The journal's own tests that do not depend on files.

#[path = "../../../../../crates/merchantpay-journal-old/tests/journal/costs.rs"]
mod costs;
#[path = "../../../../../crates/merchantpay-journal-old/tests/journal/export.rs"]
mod export;
#[path = "../../../../../crates/merchantpay-journal-old/tests/journal/limits.rs"]
mod limits;
#[path = "../../../../../crates/merchantpay-journal-old/tests/journal/old_webhooks.rs"]
mod old_webhooks;
#[path = "../../../../../crates/merchantpay-journal-old/tests/journal/payments.rs"]
mod payments;
#[path = "../../../../../crates/merchantpay-journal-old/tests/journal/persons.rs"]
mod persons;
mod plans;
#[path = "../../../../../crates/merchantpay-journal-old/tests/journal/upkeep.rs"]
mod upkeep;
#[path = "../../../../../crates/merchantpay-journal-old/tests/journal/workers.rs"]
mod workers;
