//! A breadth-first search through all states of a scenario.

use std::collections::{HashMap, HashSet};
use std::hash::{BuildHasher, BuildHasherDefault, Hash, Hasher};
use std::time::Instant;

use crate::checks::Drained;
use crate::scenario::Scenario;
use crate::transitions::Transitions;
use crate::world::{Model, Process, World};

/// The states that follow from one. Labels are only made for the trace of a violation.
#[derive(Default)]
pub struct Next {
    pub worlds: Vec<World>,
    labels: Option<Vec<String>>,
}

impl Next {
    pub fn push(&mut self, label: impl FnOnce() -> String, world: World) {
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

/// A quick hash of many small fields: folded multiplication. The search trusts 64 bits of it.
#[derive(Clone, Copy)]
pub struct Fold(u64);

pub type FoldMap<K, V> = HashMap<K, V, BuildHasherDefault<Fold>>;

impl Default for Fold {
    fn default() -> Fold {
        Fold(0x243f_6a88_85a3_08d3)
    }
}

impl Hasher for Fold {
    fn finish(&self) -> u64 {
        self.0 ^ (self.0 >> 32)
    }

    fn write(&mut self, bytes: &[u8]) {
        for part in bytes.chunks(8) {
            let mut word = [0; 8];
            word[..part.len()].copy_from_slice(part);
            self.write_u64(u64::from_le_bytes(word));
        }
    }

    fn write_u8(&mut self, number: u8) {
        self.write_u64(number.into());
    }

    fn write_u64(&mut self, number: u64) {
        let product = u128::from(self.0 ^ number) * 0x9e37_79b9_7f4a_7c15;
        self.0 = (product as u64) ^ ((product >> 64) as u64);
    }
}

pub fn fingerprint(state: &impl Hash) -> u64 {
    BuildHasherDefault::<Fold>::default().hash_one(state)
}

impl Model {
    fn next(&self, world: &World, next: &mut Next) {
        next.worlds.clear();
        for n in 0..2 {
            if n < 2 - self.scenario.processes && world.processes[n] == Process::IDLE {
                continue;
            }
            self.process_steps(world, n, next);
        }
        self.outside_steps(world, next);
    }

    /// Searches up to `limit` states. Parents are kept as numbers, and states only while they wait for their
    /// turn.
    pub fn search(&self, limit: usize) -> Found {
        let mut seen: HashSet<u64, BuildHasherDefault<Fold>> = HashSet::default();
        let mut parents: Vec<(u32, u16)> = vec![(0, 0)];
        let mut level = vec![World::new()];
        seen.insert(fingerprint(&level[0]));
        let (mut begin, mut depth) = (0, 0);
        let (mut next, mut drained) = (Next::default(), Drained::default());
        while !level.is_empty() {
            let mut following = Vec::new();
            for (place, world) in level.iter().enumerate() {
                let number = begin + place;
                if let Some(why) = self.violation(world, &mut drained) {
                    let violation = Some((why, self.trace(&parents, number)));
                    return Found { states: parents.len(), depth, is_exhausted: false, violation };
                }
                self.next(world, &mut next);
                for (choice, mut world) in next.worlds.drain(..).enumerate() {
                    // The processes are alike.
                    world.processes.sort_unstable();
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

    fn trace(&self, parents: &[(u32, u16)], mut number: usize) -> Vec<String> {
        let mut choices = Vec::new();
        while number != 0 {
            let (parent, choice) = parents[number];
            choices.push(usize::from(choice));
            number = parent as usize;
        }
        let mut world = World::new();
        let step = |choice: usize| {
            let mut next = Next { labels: Some(Vec::new()), ..Next::default() };
            self.next(&world, &mut next);
            world = next.worlds.swap_remove(choice);
            world.processes.sort_unstable();
            next.labels.map(|mut labels| labels.swap_remove(choice)).unwrap_or_default()
        };
        choices.into_iter().rev().map(step).collect()
    }
}

/// The most states that are kept for one scenario: 32 bytes each, and the waiting ones.
pub fn search(scenario: Scenario, limit: usize) -> Found {
    let begun = Instant::now();
    let name = scenario.name;
    let found = Model { scenario, transitions: Transitions::default() }.search(limit);
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
