//! Every interleaving of processes, crashes, lost replies, unclear writes, webhooks and persons, over the library's own transitions.

mod checks;
mod scenarios;
mod service;
mod steps;
mod world;

use std::sync::Arc;
use std::time::Instant;

use merchantpay_journal::internals::Guards;
use stateright::{Checker, Model, Property};

use crate::checks::Drained;
use crate::scenarios::{LARGE, SMALL, Scenario};
use crate::steps::Rules;
use crate::world::World;

/// A scenario under the rules that hold.
#[derive(Debug, Clone)]
struct Walk {
    scenario: Scenario,
    guards: Guards,
    drained: Arc<Drained>,
}

/// One thing that happens, and the world after it.
#[derive(Debug, Clone, PartialEq)]
struct Happening {
    label: String,
    world: Box<World>,
}

impl Walk {
    fn rules(&self) -> Rules {
        let (synchronous, asynchronous) = self.scenario.kinds;
        Rules { guards: self.guards, synchronous, asynchronous, mute_cancel: self.scenario.mute_cancel }
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

/// A scenario with more states than this is no scenario.
const MOST_STATES: usize = 3_000_000;

/// What a walk found.
struct Found {
    states: usize,
    /// Why it does not hold, and what happened before.
    violation: Option<(&'static str, Vec<String>)>,
}

fn walk(scenario: Scenario, guards: Guards) -> Found {
    let walk = Walk { scenario, guards, drained: Arc::default() };
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
    let found = walk(scenario, Guards::ALL);
    if let Some((why, labels)) = found.violation {
        panic!("{}: {why}:\n  {}", scenario.name, labels.join("\n  "));
    }
    println!("{:75} {:>9} states {:6.1} s", scenario.name, found.states, begun.elapsed().as_secs_f64());
}

#[test]
fn every_scenario_that_broke_the_first_draft_holds() {
    for scenario in SMALL {
        assert_holds(*scenario);
    }
}

#[test]
fn everything_at_once_holds() {
    // All of them take eight minutes: `make test-full`.
    let is_full = std::env::var_os("MERCHANTPAY_FULL_MODEL").is_some();
    for scenario in LARGE.iter().filter(|scenario| is_full || scenario.is_quick) {
        assert_holds(*scenario);
    }
}

/// Each rule is needed: without it, a scenario that holds otherwise does not.
#[test]
fn the_model_finds_a_violation_without_each_rule() {
    let mut missed = Vec::new();
    for (name, doc) in Guards::TABLE {
        let guards = Guards::without(name);
        let own = SMALL.iter().filter(|scenario| scenario.guards.contains(name));
        let caught = own.clone().find_map(|scenario| Some((scenario, walk(*scenario, guards).violation?)));
        match caught {
            Some((scenario, (why, labels))) => println!("without {name:28} {:36} {why} ({} steps)", scenario.name, labels.len()),
            None => missed.push((name, doc)),
        }
    }
    assert!(missed.is_empty(), "not caught: {missed:#?}");
}
