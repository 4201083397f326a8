//! The model of the journal. It tries the steps of processes and persons, crashes, lost replies, unclear
//! writes and webhooks in every possible order. The model uses the library's own transitions.
//!
//! The model makes the following assumptions. The brackets name who guarantees each assumption. If neither
//! the contract nor the database guarantees an assumption, docs/journal.md lists the assumption under "What
//! the journal relies on".
//!
//! - One reference, two processes, three attempts and three payments are enough to show every fault (no
//!   guarantee: these are the limits of the search).
//! - Statements are atomic, and a successful write stays, unless the scenario has a failover or a restore
//!   (the database; opening a journal checks its settings).
//! - Reads see the latest successful write (the database; the journal reads a row again before it sends the
//!   request, and stale reads end with `storage`).
//! - No two tokens are equal, and no two writers are equal (128 random bits).
//! - A restored row is marked as restored (`import`; docs/journal.md for a restore by the database's own
//!   tools).
//! - `getStatus` reports the order's state at the time of the call (docs/journal.md).
//! - The service never uses an order id twice (docs/journal.md).
//! - Nobody pays an order whose credentials the journal has not returned (docs/journal.md).
//! - A second confirm of the same order has no further effect (docs/journal.md).
//! - Every webhook arrives at least once, in any order, any number of times. If a webhook never arrives, an
//!   attempt with a lost response stays `unknown`, and `attention` shows it (docs/journal.md).
//! - An attacker with a token from a log sends webhooks of another program's orders: failed orders of the
//!   same sum, and successful orders of a different sum. If an order of the same sum succeeded or can be
//!   paid, the journal cannot distinguish it from the attempt's own order (docs/journal.md).
//! - All processes of the merchant run these transitions (docs/journal.md).

mod checks;
mod happenings;
mod scenarios;
mod service;
mod steps;
mod tasks;
mod world;

use std::sync::Arc;
use std::time::Instant;

use stateright::{Checker, Model, Property};

use crate::checks::Drained;
use crate::scenarios::{LARGE, Scenario};
use crate::steps::Rules;
use crate::world::World;

/// The search through a scenario.
#[derive(Debug, Clone)]
struct Walk {
    scenario: Scenario,
    drained: Arc<Drained>,
}

/// One event, and the world after it.
#[derive(Debug, Clone, PartialEq)]
struct Happening {
    label: String,
    world: Box<World>,
}

impl Walk {
    fn rules(&self) -> Rules {
        let (synchronous, asynchronous) = self.scenario.kinds;
        Rules { synchronous, asynchronous, mute_cancel: self.scenario.mute_cancel }
    }

    fn violation(&self, world: &World) -> Option<&'static str> {
        checks::violation(world, self.rules(), self.scenario.checks, &self.drained)
    }
}

impl Model for Walk {
    type State = World;
    type Action = Happening;

    fn init_states(&self) -> Vec<World> {
        vec![World::new(self.scenario.budget)]
    }

    fn actions(&self, world: &World, actions: &mut Vec<Happening>) {
        let found = steps::steps(world, self.rules()).into_iter();
        actions.extend(found.map(|(label, world)| Happening { label, world: Box::new(world) }));
    }

    fn next_state(&self, _: &World, action: Happening) -> Option<World> {
        Some(*action.world)
    }

    fn properties(&self) -> Vec<Property<Walk>> {
        vec![Property::always("holds", |walk: &Walk, world: &World| walk.violation(world).is_none())]
    }
}

/// The largest number of states for one scenario. The search through more states takes too long.
const MOST_STATES: usize = 3_000_000;

/// The result of a search.
struct Found {
    states: usize,
    /// The violated condition, and the events before it.
    violation: Option<(&'static str, Vec<String>)>,
}

fn walk(scenario: Scenario) -> Found {
    let walk = Walk { scenario, drained: Arc::default() };
    let checker = walk.clone().checker().threads(2).target_state_count(MOST_STATES).spawn_bfs().join();
    let violation = checker.discovery("holds").map(|path| {
        let why = walk.violation(path.last_state()).unwrap_or("a violation that is gone");
        (why, path.into_actions().into_iter().map(|happening| happening.label).collect())
    });
    assert!(violation.is_some() || checker.is_done(), "{}: more than {MOST_STATES} states", scenario.name);
    Found { states: checker.unique_state_count(), violation }
}

fn assert_holds(scenario: Scenario) {
    let begun = Instant::now();
    let found = walk(scenario);
    if let Some((why, labels)) = found.violation {
        panic!("{}: {why}:\n  {}", scenario.name, labels.join("\n  "));
    }
    println!("{:75} {:>9} states {:6.1} s", scenario.name, found.states, begun.elapsed().as_secs_f64());
}

#[test]
fn everything_at_once_holds() {
    // The search of all scenarios takes eight minutes. `make test-full` runs it.
    let is_full = std::env::var_os("MERCHANTPAY_FULL_MODEL").is_some();
    for scenario in LARGE.iter().filter(|scenario| is_full || scenario.is_quick) {
        assert_holds(*scenario);
    }
}
