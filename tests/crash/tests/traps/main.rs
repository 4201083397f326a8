//! Faults of a real database against which the journal must protect, one test each.

#[allow(dead_code, reason = "shared with the stores' tests")]
#[path = "../stores/place.rs"]
mod place;
#[allow(dead_code, reason = "shared with the journal's tests")]
#[path = "../../../../crates/merchantpay-journal-old/tests/journal/progress.rs"]
mod progress;
#[allow(dead_code, reason = "shared with the journal's tests")]
#[path = "../../../../crates/merchantpay-journal-old/tests/journal/shop.rs"]
mod shop;

mod counts;
mod databases;
mod mariadb;
mod pgbouncer;
mod postgresql;

use std::panic::catch_unwind;
use std::time::Instant;

use databases::Databases;

type Test = (&'static str, fn(&Databases));

const TESTS: &[Test] = &[
    ("postgresql: an INSERT within a transaction sends nothing", postgresql::insert_within_a_transaction),
    ("postgresql: a row that others do not see sends nothing", postgresql::row_that_others_do_not_see),
    (
        "postgresql: a long acknowledging transaction delays a webhook and loses nothing",
        postgresql::long_acknowledge,
    ),
    (
        "postgresql: acknowledging in REPEATABLE READ after a webhook fails and is reported again",
        postgresql::repeatable_read,
    ),
    ("postgresql: many attempts without an order id, and no order twice", postgresql::order_ids),
    ("postgresql: a write of a client that is gone commits late and is found", postgresql::late_commit),
    ("postgresql: eight at a time make the tables", postgresql::eight_make_the_tables),
    ("postgresql: texts reach number columns by explicit casts", postgresql::explicit_casts),
    ("postgresql: a database that may lose or refuse writes is refused", postgresql::what_is_refused),
    ("postgresql: a hot standby sends nothing", postgresql::hot_standby),
    ("postgresql: settle, news and attention read by their indexes", postgresql::due_by_index),
    ("pgbouncer: an INSERT within a transaction sends nothing", pgbouncer::insert_within_a_transaction),
    ("pgbouncer: named prepared statements break, and none is used", pgbouncer::named_statements),
    ("pgbouncer: two workers that acknowledge first ship once", pgbouncer::ship_once),
    ("mariadb: keys that differ in case or in a space at the end are two", mariadb::keys),
    ("mariadb: counts of found or of changed rows change nothing", mariadb::found_rows),
    ("mariadb: a database that cuts texts, loses or refuses writes is refused", mariadb::what_is_refused),
    ("mariadb: its clock ignores the session's time zone", mariadb::summer_time),
    ("mariadb: an INSERT within a transaction sends nothing", mariadb::insert_within_a_transaction),
    ("mariadb: a row in another's transaction fails and goes on later", mariadb::locked_row),
    ("mariadb: acknowledging in REPEATABLE READ sees the newest row", mariadb::repeatable_read),
    ("mariadb: two workers that acknowledge first ship once", mariadb::ship_once),
    ("counts that are wrong send nothing twice", counts::wrong),
];

fn main() {
    let filter: Vec<String> =
        std::env::args().skip(1).filter(|argument| !argument.starts_with('-')).collect();
    let is_wanted = |name: &str| filter.is_empty() || filter.iter().any(|part| name.contains(part.as_str()));
    if std::env::args().any(|argument| argument == "--list") {
        TESTS.iter().for_each(|(name, _)| println!("{name}: test"));
        return;
    }
    let databases = Databases::default();
    let mut failed = Vec::new();
    for (name, test) in TESTS.iter().filter(|(name, _)| is_wanted(name)) {
        let begun = Instant::now();
        let passed = catch_unwind(|| test(&databases)).is_ok();
        let result = if passed { "ok" } else { "FAILED" };
        println!("test {name} ... {result} ({:.1} s)", begun.elapsed().as_secs_f64());
        if !passed {
            failed.push(*name);
        }
    }
    drop(databases);
    if !failed.is_empty() {
        println!("failed: {failed:#?}");
        std::process::exit(1);
    }
}
