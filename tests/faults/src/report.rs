//! The results of many cases: a line of counts for each combination, and the name of each violation.

use std::collections::BTreeMap;
use std::fmt;

use merchantpay::Outcome;

use crate::case::Case;
use crate::fault::Fault;
use crate::operation::OPERATIONS;
use crate::trial::Observation;

#[derive(Default)]
pub(crate) struct Report {
    /// The counts by the operation's index, the transport and the fault.
    counts: BTreeMap<(usize, usize, usize), Counts>,
    violations: Vec<String>,
}

#[derive(Clone, Copy, Default)]
struct Counts {
    cases: usize,
    faulted: usize,
    effects: usize,
    successes: usize,
    not_sent: usize,
    unknown: usize,
}

impl Report {
    pub(crate) fn add(&mut self, case: &Case<'_>, seen: &Observation) {
        let place = OPERATIONS
            .iter()
            .position(|operation| operation.name == case.exchange.operation.name)
            .unwrap_or_default();
        let counts =
            self.counts.entry((place, case.exchange.transport as usize, case.fault as usize)).or_default();
        counts.cases += 1;
        counts.faulted += usize::from(seen.faulted > 0);
        counts.effects += seen.disturbed.effects.len();
        match &seen.disturbed.result {
            Ok(_) => counts.successes += 1,
            Err(failure) if failure.outcome == Outcome::NotSent => counts.not_sent += 1,
            Err(_) => counts.unknown += 1,
        }
    }

    pub(crate) fn violation(&mut self, case: &Case<'_>, rule: impl fmt::Display) {
        self.violations.push(format!("{case}: {rule}"));
    }

    pub(crate) fn merge(&mut self, other: Report) {
        for (combination, counts) in other.counts {
            self.counts.entry(combination).or_default().add(counts);
        }
        self.violations.extend(other.violations);
    }

    pub(crate) fn is_clean(&self) -> bool {
        self.violations.is_empty()
    }
}

impl Counts {
    fn add(&mut self, other: Counts) {
        self.cases += other.cases;
        self.faulted += other.faulted;
        self.effects += other.effects;
        self.successes += other.successes;
        self.not_sent += other.not_sent;
        self.unknown += other.unknown;
    }
}

impl fmt::Display for Counts {
    fn fmt(&self, f: &mut fmt::Formatter<'_>) -> fmt::Result {
        let Counts { cases, faulted, effects, successes, not_sent, unknown } = self;
        write!(f, "{cases:>7} {faulted:>8} {effects:>8} {successes:>9} {not_sent:>8} {unknown:>8}")
    }
}

impl fmt::Display for Report {
    fn fmt(&self, f: &mut fmt::Formatter<'_>) -> fmt::Result {
        let mut total = Counts::default();
        writeln!(
            f,
            "{:20} {:7} {:6}   cases  faulted  effects successes not_sent  unknown",
            "operation", "over", "fault"
        )?;
        for ((operation, transport, fault), counts) in &self.counts {
            let (operation, transport) =
                (OPERATIONS[*operation].name, crate::case::Transport::ALL[*transport]);
            writeln!(f, "{operation:20} {transport:7} {:6} {counts}", Fault::ALL[*fault])?;
            total.add(*counts);
        }
        writeln!(f, "{:35} {total}", "all")?;
        let mut violations: Vec<_> = self.violations.iter().collect();
        violations.sort_unstable();
        violations.iter().try_for_each(|violation| writeln!(f, "VIOLATION {violation}"))
    }
}
