//! Tests of the journal in several processes. Some of the processes die or have limits. A test can start this
//! program again in another role.

#[allow(dead_code, reason = "shared with the tests of one process")]
#[path = "../journal/place.rs"]
mod place;
#[path = "../journal/shop.rs"]
mod shop;

// libfaketime does not run on Windows. The results of these tests do not depend on the system.
#[cfg(unix)]
mod clocks;
mod crash;
mod disk;
// Windows has no fork.
#[cfg(unix)]
mod forks;
mod many;
mod role;

use std::panic::catch_unwind;
use std::time::Instant;

const TESTS: &[(&str, fn())] = &[
    ("a_process_that_dies_at_any_step_of_pay_leaves_one_payment_at_most", crash::at_any_step_of_pay),
    (
        "a_process_that_dies_at_any_step_of_pay_async_is_healed_by_the_callbacks",
        crash::at_any_step_of_pay_async,
    ),
    ("a_process_that_dies_at_any_step_of_wait_or_news_loses_nothing", crash::at_any_step_afterwards),
    ("a_worker_that_dies_at_any_step_of_settle_leaves_its_claim_to_others", crash::at_any_step_of_settle),
    ("a_worker_that_dies_while_its_call_is_under_way_pays_nothing_twice", crash::during_a_call_of_settle),
    ("a_process_that_dies_while_its_call_is_under_way_leaves_it_unknown", crash::during_the_call),
    (
        "sixty_lost_responses_whose_payments_expire_are_closed_without_an_operator",
        crash::sixty_lost_responses,
    ),
    ("eight_processes_on_one_file_take_each_payment_once", many::eight_processes),
    #[cfg(unix)]
    ("parent_and_children_of_a_fork_in_the_middle_both_go_on", forks::in_the_middle),
    #[cfg(unix)]
    ("the_child_of_a_fork_goes_on_when_its_parent_has_closed_the_journal", forks::outlives_its_parent),
    #[cfg(unix)]
    ("a_clock_that_jumps_at_any_step_pays_nothing_twice_and_loses_nothing", clocks::at_any_step),
    #[cfg(unix)]
    ("a_clock_that_jumps_during_the_call_sends_nothing_again", clocks::during_the_call),
    // Windows cannot limit the size of a process's files.
    #[cfg(unix)]
    ("on_a_full_disk_the_error_says_whether_anything_was_sent", disk::full),
    ("a_file_that_cannot_be_written_sends_nothing", disk::read_only),
    ("while_the_journal_alone_uses_its_file_its_wal_stays", disk::wal_stays),
    // On Windows a lock belongs to the file handle. So the lock stays if another handle is closed.
    #[cfg(unix)]
    ("after_another_sqlite_in_this_process_closed_the_file_a_write_is_a_storage_error", disk::second_sqlite),
    #[cfg(unix)]
    ("a_link_hides_no_file_that_another_sqlite_replaced", disk::second_sqlite_behind_a_link),
];

fn main() {
    if role::play() {
        return;
    }
    let filter: Vec<String> =
        std::env::args().skip(1).filter(|argument| !argument.starts_with('-')).collect();
    let is_wanted = |name: &str| filter.is_empty() || filter.iter().any(|part| name.contains(part.as_str()));
    if std::env::args().any(|argument| argument == "--list") {
        TESTS.iter().for_each(|(name, _)| println!("{name}: test"));
        return;
    }
    let mut failed = Vec::new();
    for (name, test) in TESTS.iter().filter(|(name, _)| is_wanted(name)) {
        let begun = Instant::now();
        let passed = catch_unwind(test).is_ok();
        println!(
            "test {name} ... {} ({:.1} s)",
            if passed { "ok" } else { "FAILED" },
            begun.elapsed().as_secs_f64()
        );
        if !passed {
            failed.push(*name);
        }
    }
    if !failed.is_empty() {
        println!("failed: {failed:?}");
        std::process::exit(1);
    }
}
