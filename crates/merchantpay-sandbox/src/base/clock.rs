//! The sandbox's clock: the machine's time, or a manual time.

use std::collections::BTreeMap;
use std::sync::Mutex;
use std::time::{Duration, SystemTime, UNIX_EPOCH};

use tokio::sync::oneshot;

use crate::base::lock::lock;

/// The kind of clock.
#[derive(Debug, Clone, Copy, PartialEq, Eq, Default)]
#[non_exhaustive]
pub enum ClockMode {
    /// The machine's time.
    #[default]
    Real,
    /// Only the control API changes the time, which starts at the beginning of 2026.
    Manual,
}

/// Milliseconds since 1970, in UTC.
pub(crate) type Millis = u64;

/// 2026-01-01T00:00:00Z.
const MANUAL_START: Millis = 1_767_225_600_000;

type Action = Box<dyn FnOnce() + Send>;

pub(crate) struct Clock {
    manual: Option<Mutex<Manual>>,
    /// This lock is held while the clock advances, so that due actions run one after another.
    advancing: Mutex<()>,
}

struct Manual {
    now: Millis,
    sequence: u64,
    timers: BTreeMap<(Millis, u64), Action>,
}

/// A pending sleep. Dropping it removes its timer.
struct PendingSleep<'a> {
    manual: &'a Mutex<Manual>,
    timer: (Millis, u64),
}

impl Drop for PendingSleep<'_> {
    fn drop(&mut self) {
        lock(self.manual).timers.remove(&self.timer);
    }
}

/// The pending timers of a manual clock.
pub(crate) struct PendingTimers {
    pub(crate) timers: usize,
    pub(crate) next: Option<Millis>,
}

impl Clock {
    /// Makes a clock. `now` is the saved time of a manual clock.
    pub(crate) fn new(mode: ClockMode, now: Option<Millis>) -> Clock {
        let manual = Manual { now: now.unwrap_or(MANUAL_START), sequence: 0, timers: BTreeMap::new() };
        Clock { manual: (mode == ClockMode::Manual).then(|| Mutex::new(manual)), advancing: Mutex::default() }
    }

    pub(crate) fn mode(&self) -> ClockMode {
        if self.manual.is_some() { ClockMode::Manual } else { ClockMode::Real }
    }

    pub(crate) fn now(&self) -> Millis {
        match &self.manual {
            Some(manual) => lock(manual).now,
            None => SystemTime::now().duration_since(UNIX_EPOCH).map_or(0, millis),
        }
    }

    /// Runs an action after a delay. Must be called on the Tokio runtime.
    pub(crate) fn after(&self, delay: Duration, action: impl FnOnce() + Send + 'static) {
        match &self.manual {
            Some(manual) if !delay.is_zero() => {
                lock(manual).add(delay, Box::new(action));
            }
            Some(_) => drop(tokio::spawn(async move { action() })),
            None => drop(tokio::spawn(async move {
                tokio::time::sleep(delay).await;
                action();
            })),
        }
    }

    pub(crate) async fn sleep(&self, delay: Duration) {
        let Some(manual) = self.manual.as_ref().filter(|_| !delay.is_zero()) else {
            return tokio::time::sleep(delay).await;
        };
        let (wake, woken) = oneshot::channel();
        let wake = move || {
            // Sending fails if the waiting future was dropped.
            let _ = wake.send(());
        };
        let timer = lock(manual).add(delay, Box::new(wake));
        let _timer = PendingSleep { manual, timer };
        let _ = woken.await;
    }

    /// Advances a manual clock, and runs the due actions in order. Returns the number of actions; `None` for
    /// a real clock.
    pub(crate) fn advance(&self, by: Duration) -> Option<usize> {
        let manual = self.manual.as_ref()?;
        let _alone = lock(&self.advancing);
        let end = lock(manual).now.saturating_add(millis(by));
        let mut fired = 0;
        loop {
            // The lock is released while an action runs, because the action may use the clock.
            let mut state = lock(manual);
            let due = state
                .timers
                .first_entry()
                .filter(|timer| timer.key().0 <= end)
                .map(|timer| timer.remove_entry());
            let Some(((at, _), action)) = due else {
                state.now = end;
                return Some(fired);
            };
            state.now = at.max(state.now);
            drop(state);
            action();
            fired += 1;
        }
    }

    pub(crate) fn pending(&self) -> PendingTimers {
        match &self.manual {
            Some(manual) => {
                let state = lock(manual);
                PendingTimers {
                    timers: state.timers.len(),
                    next: state.timers.keys().next().map(|(at, _)| *at),
                }
            }
            None => PendingTimers { timers: 0, next: None },
        }
    }
}

impl Manual {
    /// Adds a timer. Returns its key.
    fn add(&mut self, delay: Duration, action: Action) -> (Millis, u64) {
        self.sequence += 1;
        let key = (self.now.saturating_add(millis(delay)), self.sequence);
        self.timers.insert(key, action);
        key
    }
}

fn millis(duration: Duration) -> Millis {
    u64::try_from(duration.as_millis()).unwrap_or(u64::MAX)
}

/// Writes a time in the form `2026-01-01T00:00:00.000Z`.
pub(crate) fn timestamp(time: Millis) -> String {
    let (days, of_day) = (time / 86_400_000, time % 86_400_000);
    let (year, month, day) = date(days);
    let (hours, minutes, seconds) = (of_day / 3_600_000, of_day / 60_000 % 60, of_day / 1000 % 60);
    format!("{year:04}-{month:02}-{day:02}T{hours:02}:{minutes:02}:{seconds:02}.{:03}Z", time % 1000)
}

/// The date that is this many days after 1970-01-01. The calculation uses eras of 400 years that begin in
/// March.
fn date(days: u64) -> (u64, u64, u64) {
    let days = days + 719_468;
    let (era, of_era) = (days / 146_097, days % 146_097);
    let year_of_era = (of_era - of_era / 1460 + of_era / 36_524 - of_era / 146_096) / 365;
    let of_year = of_era - (365 * year_of_era + year_of_era / 4 - year_of_era / 100);
    let from_march = (5 * of_year + 2) / 153;
    let month = if from_march < 10 { from_march + 3 } else { from_march - 9 };
    (era * 400 + year_of_era + u64::from(month <= 2), month, of_year - (153 * from_march + 2) / 5 + 1)
}

#[cfg(test)]
mod tests {
    use std::sync::Arc;

    use super::*;

    #[test]
    fn times_are_written_in_utc() {
        let cases = [
            (0, "1970-01-01T00:00:00.000Z"),
            (MANUAL_START, "2026-01-01T00:00:00.000Z"),
            (951_782_399_999, "2000-02-28T23:59:59.999Z"),
            (951_782_400_000, "2000-02-29T00:00:00.000Z"),
            (4_107_542_400_000, "2100-03-01T00:00:00.000Z"),
        ];
        for (time, written) in cases {
            assert_eq!(timestamp(time), written);
        }
    }

    #[test]
    fn what_falls_due_happens_in_its_order_and_at_its_time() {
        let clock = Arc::new(Clock::new(ClockMode::Manual, None));
        let seen = Arc::new(Mutex::new(Vec::new()));
        let note = |name: &'static str| {
            let (clock, seen) = (Arc::clone(&clock), Arc::clone(&seen));
            move || lock(&seen).push((name, clock.now() - MANUAL_START))
        };
        let second = note("second");
        let inner = Arc::clone(&clock);
        clock.after(Duration::from_millis(10), move || inner.after(Duration::from_millis(5), second));
        clock.after(Duration::from_millis(12), note("first"));
        clock.after(Duration::from_millis(100), note("never"));
        assert_eq!(clock.advance(Duration::from_millis(50)), Some(3));
        assert_eq!(*lock(&seen), [("first", 12), ("second", 15)]);
        assert_eq!(
            (clock.now() - MANUAL_START, clock.pending().timers, clock.pending().next),
            (50, 1, Some(MANUAL_START + 100))
        );
        assert_eq!(Clock::new(ClockMode::Real, None).advance(Duration::ZERO), None);
    }
}
