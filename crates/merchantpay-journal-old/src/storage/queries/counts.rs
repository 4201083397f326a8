//! Counts of attempts and orphans.

use super::{Queries, no_row};
use crate::model::standing::Standing;
use crate::storage::statements;
use crate::storage::store::StoreError;

/// Above this many attempts the number is estimated, so that the cost does not grow.
const COUNTED: u64 = 1000;

/// The counts of a journal's attempts and orphans.
pub(crate) struct Counts {
    /// The number of attempts by standing.
    pub(crate) standings: Vec<(String, u64)>,
    /// `true` if the number of final attempts is an estimate.
    pub(crate) is_estimated: bool,
    /// The number of items for an operator, by reason.
    pub(crate) reasons: Vec<(String, u64)>,
    /// The number of attempts that need an operator.
    pub(crate) attention: u64,
    /// The number of due attempts.
    pub(crate) due: u64,
    /// The number of orphans that nobody has seen.
    pub(crate) orphans: u64,
}

impl Queries {
    /// Counts attempts and orphans. The number of final attempts is the total minus all other attempts.
    pub(crate) fn counts(&self) -> Result<Counts, StoreError> {
        let [due, ended, orphans] = self.numbers(&statements::counts())?.try_into().map_err(|_| no_row())?;
        let mut standings = self.groups(statements::COUNT_BY_STANDING)?;
        move_ended(&mut standings, ended);
        let open: u64 = standings.iter().map(|(_, count)| count).sum();
        let (total, is_estimated) = self.total()?;
        let closed = total.saturating_sub(open);
        if closed > 0 {
            standings.push((Standing::Final.name().to_owned(), closed));
        }
        standings.sort();
        let groups = self.groups(statements::COUNT_REASONS)?;
        let attention = groups.iter().map(|(_, count)| count).sum::<u64>() + ended;
        let reasons = by_reason(groups, ended, orphans);
        Ok(Counts { standings, is_estimated, reasons, attention, due, orphans })
    }

    /// The number of attempts, and whether it is an estimate.
    fn total(&self) -> Result<(u64, bool), StoreError> {
        let counted = self.numbers(&statements::count_up_to(COUNTED + 1))?.into_iter().next();
        let counted = counted.ok_or_else(no_row)?;
        if counted <= COUNTED {
            return Ok((counted, false));
        }
        let estimate = self.value(statements::estimate(self.store.dialect()), &vec![])?;
        Ok((
            estimate.and_then(|text| text.parse().ok()).map_or(counted, |about: u64| about.max(counted)),
            true,
        ))
    }

    /// The numbers in the only row of a statement's result.
    fn numbers(&self, template: &str) -> Result<Vec<u64>, StoreError> {
        let row = self.run(template, &vec![])?.rows.into_iter().next().ok_or_else(no_row)?;
        row.into_iter().map(|value| value.and_then(|text| text.parse().ok()).ok_or_else(no_row)).collect()
    }

    fn groups(&self, template: &str) -> Result<Vec<(String, u64)>, StoreError> {
        let read = |row: Vec<Option<String>>| {
            let mut values = row.into_iter().flatten();
            Some((values.next()?, values.next()?.parse().ok()?))
        };
        Ok(self.run(template, &vec![])?.rows.into_iter().filter_map(read).collect())
    }
}

/// Moves the attempts with calls that ended without a response from `sending` to `unknown`.
fn move_ended(standings: &mut Vec<(String, u64)>, ended: u64) {
    if ended == 0 {
        return;
    }
    for (name, count) in standings.iter_mut() {
        if name == Standing::Sending.name() {
            *count = count.saturating_sub(ended);
        }
    }
    standings.retain(|(_, count)| *count > 0);
    match standings.iter_mut().find(|(name, _)| name == Standing::Unknown.name()) {
        Some((_, count)) => *count += ended,
        None => standings.push((Standing::Unknown.name().to_owned(), ended)),
    }
}

/// Counts the items by reason. An attempt is counted once for each of its reasons.
fn by_reason(groups: Vec<(String, u64)>, ended: u64, orphans: u64) -> Vec<(String, u64)> {
    let mut reasons = std::collections::BTreeMap::new();
    let mut add = |name: &str, count: u64| {
        if count > 0 {
            *reasons.entry(name.to_owned()).or_insert(0) += count;
        }
    };
    for (names, count) in groups {
        names.split(',').for_each(|name| add(name, count));
    }
    add(crate::model::standing::Reason::Unknown.name(), ended);
    add("orphan", orphans);
    reasons.into_iter().collect()
}
