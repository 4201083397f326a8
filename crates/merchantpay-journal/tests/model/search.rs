//! A breadth-first search through all states of a system.

use std::collections::{HashMap, HashSet};
use std::hash::{BuildHasher as _, Hash};
use std::time::Instant;

use foldhash::quality::FixedState;

/// What is searched: a start, the states that follow from one, and the promise that one breaks.
pub trait System {
    type World: Hash;

    fn start(&self) -> Self::World;

    fn next(&self, world: &Self::World, next: &mut Next<Self::World>);

    fn violation(&self, world: &Self::World) -> Option<String>;
}

/// The states that follow from one. Labels are only made for the trace of a violation.
pub struct Next<W> {
    pub worlds: Vec<W>,
    labels: Option<Vec<String>>,
}

impl<W> Next<W> {
    pub fn push(&mut self, label: impl FnOnce() -> String, world: W) {
        self.worlds.push(world);
        if let Some(labels) = &mut self.labels {
            labels.push(label());
        }
    }
}

pub struct Found {
    pub states: usize,
    pub depth: usize,
    pub is_exhausted: bool,
    /// The broken promise, and what led to it.
    pub violation: Option<(String, Vec<String>)>,
}

impl Found {
    pub fn assert_holds(self, name: &str) {
        if let Some((why, trace)) = self.violation {
            panic!("{name}: {why}\n  {}", trace.join("\n  "));
        }
    }
}

pub type FoldMap<K, V> = HashMap<K, V, FixedState>;

/// The search trusts these 64 bits.
pub fn fingerprint(state: &impl Hash) -> u64 {
    FixedState::default().hash_one(state)
}

/// Searches up to `limit` states. Parents are kept as numbers, and states only while they wait for their turn: 32 bytes
/// each, and the waiting ones.
pub fn search<S: System>(system: &S, name: &str, limit: usize) -> Found {
    let begun = Instant::now();
    let found = explore(system, limit);
    let Found { states, depth, is_exhausted, violation } = &found;
    let end = match (violation, is_exhausted) {
        (Some((why, _)), _) => why.as_str(),
        (None, true) => "exhausted",
        (None, false) => "limit",
    };
    println!(
        "{name:28} {states:>9} states, depth {depth:>2}, {:6.1} s: {end}",
        begun.elapsed().as_secs_f64()
    );
    found
}

fn explore<S: System>(system: &S, limit: usize) -> Found {
    let mut seen: HashSet<u64, FixedState> = HashSet::default();
    let mut parents: Vec<(u32, u16)> = vec![(0, 0)];
    let mut level = vec![system.start()];
    seen.insert(fingerprint(&level[0]));
    let (mut begin, mut depth) = (0, 0);
    let mut next = Next { worlds: Vec::new(), labels: None };
    while !level.is_empty() {
        let mut following = Vec::new();
        for (place, world) in level.iter().enumerate() {
            let number = begin + place;
            if let Some(why) = system.violation(world) {
                let violation = Some((why, trace(system, &parents, number)));
                return Found { states: parents.len(), depth, is_exhausted: false, violation };
            }
            system.next(world, &mut next);
            for (choice, world) in next.worlds.drain(..).enumerate() {
                if seen.insert(fingerprint(&world)) {
                    parents.push((number as u32, choice as u16));
                    following.push(world);
                }
            }
        }
        if parents.len() > limit {
            return Found { states: parents.len(), depth, is_exhausted: false, violation: None };
        }
        begin += level.len();
        depth += 1;
        level = following;
    }
    Found { states: parents.len(), depth, is_exhausted: true, violation: None }
}

fn trace<S: System>(system: &S, parents: &[(u32, u16)], mut number: usize) -> Vec<String> {
    let mut choices = Vec::new();
    while number != 0 {
        let (parent, choice) = parents[number];
        choices.push(usize::from(choice));
        number = parent as usize;
    }
    let mut world = system.start();
    let step = |choice: usize| {
        let mut next = Next { worlds: Vec::new(), labels: Some(Vec::new()) };
        system.next(&world, &mut next);
        world = next.worlds.swap_remove(choice);
        next.labels.map(|mut labels| labels.swap_remove(choice)).unwrap_or_default()
    };
    choices.into_iter().rev().map(step).collect()
}
