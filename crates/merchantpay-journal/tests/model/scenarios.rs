//! Scenarios that combine events, and those that break a promise without an assumption. The large ones are
//! searched if `MERCHANTPAY_FULL_MODEL` is set, each up to two million states or up to its value.

use crate::row::Told;
use crate::scenario::{BASE, PLAIN, Scenario};
use crate::search::{Found, search};
use crate::transitions::Transitions;
use crate::world::Model;

/// The states after which a quick search ends. Without its rule, each scenario of a rule fails within four
/// fifths of them.
const QUICK: usize = 150_000;

/// The most states of one scenario; `None` unless everything is searched.
fn limit() -> Option<usize> {
    let number: usize = std::env::var("MERCHANTPAY_FULL_MODEL").ok()?.parse().unwrap_or_default();
    Some(if number > 1 { number } else { 2_000_000 })
}

fn searched(scenario: Scenario, limit: usize) -> Found {
    let model = Model { scenario, transitions: Transitions::default(), drained: Default::default() };
    search(&model, scenario.name, limit)
}

pub fn assert_holds(scenario: Scenario) {
    searched(scenario, limit().unwrap_or(QUICK)).assert_holds(scenario.name);
}

#[rustfmt::skip]
const LARGE: &[Scenario] = &[
    Scenario { name: "spec/crash", crashes: 3, attempts: 3, orders: 3, ..BASE },
    Scenario { name: "spec/news+flips", crashes: 2, flips: 2, news: 3, hides: 1, ..BASE },
    Scenario { name: "spec/person", crashes: 1, persons: 1, replaces: 1, flips: 1, hides: 1, ..BASE },
    Scenario { name: "spec/restore", restores: 1, persons: 1, flips: 1, ..BASE },
    Scenario { name: "spec/restore-small", restores: 1, persons: 1, ..BASE },
    Scenario { name: "spec/restore+two-persons", restores: 1, persons: 2, processes: 1, ..BASE },
    Scenario { name: "spec/restore+acks", restores: 1, news: 2, attempts: 1, flips: 1, ..BASE },
    Scenario { name: "spec/restore+replace", restores: 1, replaces: 1, ..BASE },
    Scenario { name: "spec/leak", references: 2, attempts: 1, crashes: 1, attacks: 2, news: 1, ..BASE },
    Scenario { name: "spec/leak2", references: 2, orders: 3, crashes: 1, attacks: 1, ..BASE },
    Scenario { name: "spec/failover-lost", loses: 1, ..BASE },
    Scenario { name: "spec/failover-lost+news", loses: 1, flips: 2, news: 3, attempts: 1, orders: 1, ..BASE },
    Scenario { name: "spec/foreign-final", attempts: 1, orders: 1, crashes: 1, attacks: 1, news: 1, foreign: Told::Success, ..BASE },
    Scenario { name: "one/flip", flips: 1, replaces: 1, flip_unshown: true, ..BASE },
    Scenario { name: "one/flips2", flips: 2, replaces: 1, flip_unshown: true, ..BASE },
    Scenario { name: "one/crash", crashes: 1, flips: 1, replaces: 1, flip_unshown: true, ..BASE },
    Scenario { name: "one/open", cancels: 1, refusals: 1, replaces: 1, excuses_open: true, ..BASE },
    Scenario { name: "one/open+crash", crashes: 1, cancels: 1, refusals: 1, replaces: 1, excuses_open: true, ..BASE },
    Scenario { name: "one/open+flip", cancels: 1, flips: 1, replaces: 1, flip_unshown: true, excuses_open: true, ..BASE },
    Scenario { name: "one/noflip", crashes: 2, replaces: 1, persons: 1, excuses_flipped: false, ..BASE },
    Scenario { name: "one/nopay", persons: 1, flips: 1, replaces: 1, flip_unshown: true, ..BASE },
    Scenario { name: "one/three", attempts: 3, orders: 3, flips: 1, replaces: 2, flip_unshown: true, ..BASE },
    Scenario { name: "one/three-open", attempts: 3, orders: 3, cancels: 2, replaces: 2, excuses_open: true, ..BASE },
    Scenario { name: "one/three-plain", attempts: 3, orders: 3, flips: 1, replaces: 2, flip_unshown: true, ..PLAIN },
    Scenario { name: "one/three-plain-flips2", attempts: 3, orders: 3, flips: 2, replaces: 2, flip_unshown: true, ..PLAIN },
    Scenario { name: "one/three-plain-open", attempts: 3, orders: 3, cancels: 2, replaces: 2, excuses_open: true, ..PLAIN },
    Scenario { name: "one/plain-news", crashes: 1, flips: 1, replaces: 1, news: 3, lease: true, ..PLAIN },
    Scenario { name: "one/plain-news-file", crashes: 1, flips: 1, replaces: 1, news: 3, lease: true, file: true, workers: 1, ..PLAIN },
    Scenario { name: "one/reflip", flips: 3, replaces: 1, flip_unshown: true, reflip: true, ..BASE },
    Scenario { name: "one/acks", flips: 1, replaces: 1, news: 2, lease: true, ..BASE },
    Scenario { name: "news/db", crashes: 1, attempts: 1, orders: 1, flips: 1, news: 4, lease: true, ..BASE },
    Scenario { name: "news/db-reask", crashes: 1, attempts: 1, orders: 1, flips: 1, news: 4, lease: true, reask: true, ..BASE },
    Scenario { name: "news/db2", crashes: 1, attempts: 1, orders: 1, flips: 2, news: 4, lease: true, hides: 1, ..BASE },
    Scenario { name: "news/db-two-attempts", crashes: 1, flips: 1, replaces: 1, news: 3, lease: true, ..BASE },
    Scenario { name: "news/file", crashes: 2, attempts: 1, orders: 1, flips: 1, news: 4, lease: true, file: true, workers: 1, ..BASE },
    Scenario { name: "news/reflip", crashes: 1, attempts: 1, orders: 1, flips: 3, news: 5, lease: true, reflip: true, ..BASE },
    Scenario { name: "news/reflip-file", crashes: 1, attempts: 1, orders: 1, flips: 3, news: 5, lease: true, reflip: true, file: true, workers: 1, ..BASE },
    Scenario { name: "sums", other_sums: 2, flips: 1, replaces: 1, news: 2, ..PLAIN },
    Scenario { name: "sums+crash", crashes: 1, attempts: 1, orders: 1, other_sums: 2, flips: 2, news: 3, reflip: true, ..BASE },
    Scenario { name: "no_credentials", asynchronous: true, no_credentials: 2, crashes: 1, ..BASE },
    Scenario { name: "no_credentials+replace", asynchronous: true, no_credentials: 1, replaces: 1, flips: 1, ..PLAIN },
    Scenario { name: "no_credentials+restore", asynchronous: true, no_credentials: 1, restores: 1, persons: 1, ..PLAIN },
    Scenario { name: "purge", purges: 2, replaces: 1, flips: 1, news: 3, ..PLAIN },
    Scenario { name: "purge+lost", purges: 1, replaces: 1, flips: 1, flip_unshown: true, news: 2, unsent: false, refused: false, ..BASE },
    Scenario { name: "purge+restore", purges: 1, restores: 1, news: 2, flips: 1, ..PLAIN },
    Scenario { name: "pause", pauses: 1, crashes: 1, replaces: 1, ..BASE },
    Scenario { name: "clock", setbacks: 1, crashes: 1, flips: 1, attempts: 1, news: 3, lease: true, ..BASE },
    Scenario { name: "clock+replace", setbacks: 2, replaces: 1, flips: 1, ..PLAIN },
    Scenario { name: "doubles", doubles: 1, orders: 3, crashes: 1, replaces: 1, unsent: false, refused: false, ..BASE },
    Scenario { name: "doubles+persons", doubles: 1, orders: 3, persons: 1, flips: 1, flip_unshown: true, unsent: false, refused: false, ..BASE },
    Scenario { name: "receipts", receipts: 3, news: 4, crashes: 1, attempts: 1, orders: 1, lease: true, ..PLAIN },
    Scenario { name: "receipts+replace", receipts: 2, news: 3, replaces: 1, flips: 1, ..PLAIN },
    Scenario { name: "receipts+lost", receipts: 2, news: 3, attempts: 1, orders: 1, ..BASE },
    Scenario { name: "trusted", restores: 1, persons: 2, replaces: 1, ..PLAIN },
];

#[test]
fn everything_at_once_holds() {
    if limit().is_none() {
        return;
    }
    let only = std::env::var("MERCHANTPAY_MODEL_ONLY").unwrap_or_default();
    for scenario in LARGE.iter().filter(|scenario| only.is_empty() || scenario.name == only) {
        assert_holds(*scenario);
    }
}

/// No rule of the journal can keep these promises: the assumption is needed, and the search can break each of
/// them.
#[rustfmt::skip]
const ASSUMED: &[(&str, Scenario)] = &[
    ("I1 ", Scenario { name: "two payments by arbitration", flips: 1, replaces: 1, excuses_flipped: false, ..PLAIN }),
    ("I1 ", Scenario { name: "an open one was replaced", cancels: 1, replaces: 1, ..PLAIN }),
    ("I15", Scenario { name: "shipped once a reference", attempts: 1, orders: 1, flips: 2, news: 4, reflip: true, ships_once: true, ..PLAIN }),
    ("I13", Scenario { name: "two workers over a file", attempts: 1, orders: 1, news: 4, lease: true, file: true, ..PLAIN }),
    ("I1b", Scenario { name: "another journal's open order", attempts: 1, orders: 1, attacks: 1, news: 1, foreign: Told::Pending, ..BASE }),
];

#[test]
fn assumptions_are_needed() {
    for (promise, scenario) in ASSUMED {
        let (why, _) = searched(*scenario, QUICK).violation.expect(scenario.name);
        assert!(why.starts_with(promise), "{}: {why}", scenario.name);
    }
}
