//! How long a statement is tried.

use std::thread::sleep;
use std::time::{Duration, Instant};

use merchantpay::{Outcome, Result};

use crate::api::journal::Journal;
use crate::store::Failure;

/// After its deadline a call's answer is still stored for this long.
pub(crate) const AFTERWARDS: Duration = Duration::from_secs(5);
/// A webhook's statements are repeated for this long: the contract promises no second delivery.
pub(crate) const PATIENCE: Duration = Duration::from_secs(3);
/// Between two tries.
pub(crate) const PAUSE: Duration = Duration::from_millis(50);

/// How long a write is tried, and what its failure means for the request.
#[derive(Debug, Clone, Copy)]
pub(crate) struct Effort {
    pub(crate) until: Instant,
    pub(crate) outcome: Outcome,
    /// A failure that may pass is retried, and not only one whose effect is unclear.
    pub(crate) is_patient: bool,
}

impl Effort {
    /// Before a call the caller may as well try again.
    pub(crate) fn before_call(deadline: Instant) -> Effort {
        Effort { until: deadline, outcome: Outcome::NotSent, is_patient: false }
    }

    /// For what must be stored although nothing was sent.
    pub(crate) fn patient(until: Instant) -> Effort {
        Effort { until, outcome: Outcome::NotSent, is_patient: true }
    }

    /// After a call, whose answer must not be lost.
    pub(crate) fn after_call(deadline: Instant) -> Effort {
        Effort { until: deadline + AFTERWARDS, outcome: Outcome::Unknown, is_patient: true }
    }

    pub(crate) fn retries(self, failure: &Failure) -> bool {
        let is_worth = self.is_patient || matches!(failure, Failure::Unclear(_));
        is_worth && !failure.is_lasting() && Instant::now() < self.until
    }
}

impl Journal {
    /// Repeats a statement while its failure may pass.
    pub(crate) fn patiently<T>(
        &self,
        effort: Effort,
        mut statement: impl FnMut() -> std::result::Result<T, Failure>,
    ) -> Result<T> {
        loop {
            match statement() {
                Err(failure) if effort.retries(&failure) => sleep(PAUSE),
                result => return result.map_err(|failure| self.database.error(&failure, effort.outcome)),
            }
        }
    }
}
