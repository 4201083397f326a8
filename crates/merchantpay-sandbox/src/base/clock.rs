//! The sandbox's clock: the machine's time, or a manual time.

use std::collections::BTreeMap;
use std::sync::Mutex;
use std::time::{Duration, SystemTime, UNIX_EPOCH};

use serde::{Deserialize, Serialize};
use serde_json::{Value, json};
use tokio::sync::oneshot;

use crate::base::{lock, millis};

/// What moves the time of the sandbox.
#[derive(Debug, Clone, Copy, PartialEq, Eq, Default, Serialize, Deserialize)]
#[serde(rename_all = "camelCase")]
#[cfg_attr(feature = "clap", derive(clap::ValueEnum))]
#[non_exhaustive]
pub enum ClockMode {
    /// The machine's time.
    #[default]
    Real,
    /// Only the control API changes the time, which starts at the beginning of 2026.
    Manual,
}

pub(crate) type Millis = u64;

/// 2026-01-01T00:00:00Z.
const MANUAL_START: Millis = 1_767_225_600_000;

type Action = Box<dyn FnOnce() + Send>;

pub(crate) struct Clock {
    manual: Option<Mutex<Manual>>,
    /// Held while the clock advances, so that due actions run one after another.
    advancing: Mutex<()>,
}

struct Manual {
    now: Millis,
    /// Keeps the timers of one instant in the order in which they came.
    sequence: u64,
    timers: BTreeMap<(Millis, u64), Action>,
}

struct PendingSleep<'a> {
    manual: &'a Mutex<Manual>,
    timer: (Millis, u64),
}

impl Drop for PendingSleep<'_> {
    fn drop(&mut self) {
        lock(self.manual).timers.remove(&self.timer);
    }
}

impl Clock {
    /// `now` is the saved time of a manual clock.
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

    /// Must be called on the Tokio runtime. Without a delay a manual clock does not wait to be advanced.
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
            // Fails if the waiting future was dropped.
            let _ = wake.send(());
        };
        let timer = lock(manual).add(delay, Box::new(wake));
        let _timer = PendingSleep { manual, timer };
        let _ = woken.await;
    }

    /// Runs the due actions in order and returns their number; `None` for a real clock.
    pub(crate) fn advance(&self, by: Duration) -> Option<usize> {
        let manual = self.manual.as_ref()?;
        let _alone = lock(&self.advancing);
        let end = lock(manual).now.saturating_add(millis(by));
        let mut fired = 0;
        loop {
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
            // The action may use the clock.
            drop(state);
            action();
            fired += 1;
        }
    }

    pub(crate) fn to_json(&self) -> Value {
        let waiting = self.manual.as_ref().map(|manual| {
            let state = lock(manual);
            (state.timers.len(), state.timers.keys().next().map(|(at, _)| timestamp::format(*at)))
        });
        let (timers, next) = waiting.unwrap_or_default();
        let now = timestamp::format(self.now());
        json!({"mode": self.mode(), "now": now, "timers": timers, "nextTimerAt": next})
    }
}

impl Manual {
    fn add(&mut self, delay: Duration, action: Action) -> (Millis, u64) {
        self.sequence += 1;
        let key = (self.now.saturating_add(millis(delay)), self.sequence);
        self.timers.insert(key, action);
        key
    }
}

/// Times as text in UTC, such as `2026-01-01T00:00:00.000Z`.
pub(crate) mod timestamp {
    use std::time::{Duration, UNIX_EPOCH};

    use serde::de::Error as _;
    use serde::{Deserialize as _, Deserializer, Serializer};

    use super::Millis;
    use crate::base::millis;

    pub(crate) fn format(time: Millis) -> String {
        humantime::format_rfc3339_millis(UNIX_EPOCH + Duration::from_millis(time.min(LATEST))).to_string()
    }

    /// 9999-12-31T23:59:59.999Z: humantime writes no later time.
    const LATEST: Millis = 253_402_300_799_999;

    pub(crate) fn serialize<S: Serializer>(time: &Millis, serializer: S) -> Result<S::Ok, S::Error> {
        serializer.serialize_str(&format(*time))
    }

    pub(crate) fn deserialize<'de, D: Deserializer<'de>>(deserializer: D) -> Result<Millis, D::Error> {
        let time = humantime::parse_rfc3339(&String::deserialize(deserializer)?).map_err(D::Error::custom)?;
        Ok(time.duration_since(UNIX_EPOCH).map_or(0, millis))
    }
}
