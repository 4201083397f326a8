//! One small scenario for each rule of the transitions. tests/mutants/rules.txt has the faults: without its
//! rule, a scenario fails.

use crate::row::Told;
use crate::scenario::{BASE, PLAIN, Scenario};
use crate::scenarios::assert_holds;

macro_rules! rules {
    ($($name:ident: $base:ident { $($field:ident: $value:expr),* })+) => {
        $(
            #[test]
            fn $name() {
                assert_holds(Scenario { name: stringify!($name), $($field: $value,)* ..$base });
            }
        )+
    };
}

/// One attempt, one order.
const ONE: Scenario = Scenario { attempts: 1, orders: 1, ..BASE };
const PLAIN_ONE: Scenario = Scenario { attempts: 1, orders: 1, ..PLAIN };

rules! {
    older_answer_is_dropped: ONE {}
    order_of_two_tokens_is_not_bound: ONE { references: 2, attacks: 1, news: 1, processes: 1 }
    paid_order_is_not_bound: ONE { attacks: 1, news: 1, foreign: Told::Success }
    restored_reference_is_not_paid: BASE { restores: 1, processes: 1, lost: false }
    restored_row_is_not_bound: ONE { restores: 1, processes: 1 }
    restored_row_takes_no_credentials: PLAIN { restores: 1, processes: 1, asynchronous: true, no_credentials: 1 }
    restored_row_is_not_replaced: PLAIN { restores: 1, replaces: 1, processes: 1 }
    only_what_is_over_is_trusted: PLAIN_ONE { restores: 1, persons: 1, flips: 1 }
    named_failure_stays_final: PLAIN_ONE { restores: 1, persons: 1, flips: 1 }
    shown_failure_is_final: ONE { flips: 1 }
    failure_is_watched: ONE { flips: 1 }
    changed_status_is_news: PLAIN_ONE { flips: 1, news: 2 }
    newest_news_are_acknowledged: PLAIN_ONE { flips: 2, news: 3, loses: 1 }
    lost_number_never_returns: PLAIN_ONE { flips: 2, news: 3, loses: 1 }
    one_success: PLAIN { flips: 1, replaces: 1 }
    success_guards_reuse: PLAIN { flips: 1, replaces: 1, unsent: true }
    success_guards_replace: PLAIN { attempts: 3, flips: 1, replaces: 2 }
    success_hides_credentials: PLAIN { flips: 1, replaces: 1, flip_unshown: true }
    beside_a_success_is_cancelled: PLAIN { flips: 1, replaces: 1, flip_unshown: true }
    replaced_attempt_is_cancelled: BASE { replaces: 1, processes: 1, unsent: false, refused: false }
    row_with_an_order_is_not_used_again: ONE { attacks: 1, foreign: Told::Fail }
    only_the_asked_sum_succeeds: ONE { other_sums: 1 }
    other_credentials_are_not_shown: ONE { other_sums: 1 }
    shown_payment_is_not_refused: ONE { asynchronous: true, no_credentials: 1 }
    pause_waits_for_calls: ONE { pauses: 1 }
    far_time_has_passed: ONE { setbacks: 1 }
    watched_failure_is_not_purged: PLAIN_ONE { flips: 1, news: 2, purges: 1 }
    longest_call_is_waited_for: ONE { pauses: 1 }
    strangers_order_is_not_taken: ONE { attacks: 1, foreign: Told::Pending, excuses_foreign: true }
    next_receipt_is_news: PLAIN_ONE { receipts: 2, news: 2 }
    receipt_required_again_is_news: PLAIN_ONE { receipts: 2, news: 2 }
    other_order_is_seen: PLAIN { attempts: 1, doubles: 1, flips: 1, flip_unshown: true }
}
