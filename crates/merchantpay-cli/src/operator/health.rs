//! Remembers what `settle` has done as a service, and decides whether the service is healthy.

use std::sync::{Mutex, MutexGuard, PoisonError};
use std::time::{Duration, Instant, SystemTime, UNIX_EPOCH};

use hyper::StatusCode;
use merchantpay::Result;
use merchantpay_journal::Settled;

use super::file;
use crate::server::Answer;

/// A service without a successful run for this time is not healthy. One run may take a minute.
const LONGEST_SILENCE: Duration = Duration::from_secs(300);

/// The runs of `settle` since its start.
#[derive(Debug, Default)]
pub(crate) struct Health(Mutex<Runs>);

#[derive(Debug, Default, Clone)]
pub(super) struct Runs {
    pub(super) done: u64,
    pub(super) failed: u64,
    pub(super) last_success: Option<Instant>,
    /// In milliseconds since 1970.
    pub(super) last_success_at: Option<i64>,
    pub(super) next_due: Option<Duration>,
    /// The error of the last run, if it failed.
    pub(super) error: Option<String>,
}

impl Health {
    /// Stores the result of a run of `settle`.
    pub(crate) fn report(&self, result: &Result<Settled>) {
        let mut runs = self.runs();
        match result {
            Ok(settled) => {
                runs.done += u64::from(settled.done);
                runs.last_success = Some(Instant::now());
                let now = SystemTime::now().duration_since(UNIX_EPOCH).unwrap_or_default();
                runs.last_success_at = i64::try_from(now.as_millis()).ok();
                runs.next_due = settled.next_due;
                runs.error = None;
            }
            Err(error) => {
                runs.failed += 1;
                runs.error = Some(error.message().to_owned());
            }
        }
    }

    pub(super) fn current(&self) -> Runs {
        self.runs().clone()
    }

    fn runs(&self) -> MutexGuard<'_, Runs> {
        self.0.lock().unwrap_or_else(PoisonError::into_inner)
    }

    /// The answer of `/healthz`.
    pub(super) fn answer(&self) -> Answer {
        let runs = self.current();
        let text = match (runs.is_well(), &runs.error) {
            (true, _) => "ok".to_owned(),
            (false, Some(error)) => format!("settle fails: {error}"),
            (false, None) => "settle has not succeeded yet, or not for minutes".to_owned(),
        };
        let mut answer = file("text/plain; charset=utf-8", &format!("{text}\n"));
        if !runs.is_well() {
            answer.status = StatusCode::SERVICE_UNAVAILABLE;
        }
        answer
    }
}

impl Runs {
    pub(super) fn is_well(&self) -> bool {
        self.last_success.is_some_and(|at| at.elapsed() < LONGEST_SILENCE)
    }
}

#[cfg(test)]
mod tests {
    use merchantpay::{Error, Outcome};

    use super::*;

    #[test]
    fn a_service_is_well_only_after_a_success() {
        let health = Health::default();
        assert_eq!(health.answer().status, StatusCode::SERVICE_UNAVAILABLE);
        health.report(&Err(Error::storage(Outcome::NotSent, "the database is gone")));
        assert_eq!(health.answer().body, b"settle fails: the database is gone\n");
    }
}
