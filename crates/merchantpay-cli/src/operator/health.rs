//! Remembers what `settle` has done as a service, and decides whether the service is healthy. Anybody on the
//! network may read `/healthz`, so it names the check that fails, and never the error: the text of a database's
//! error can contain its host, its user and its path.

use std::sync::{Mutex, MutexGuard, PoisonError};
use std::time::{Duration, Instant, SystemTime, UNIX_EPOCH};

use axum::http::StatusCode;
use axum::response::{IntoResponse as _, Response};
use merchantpay::{Code, Error, Result};
use merchantpay_journal::Settled;
use serde_json::json;

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
    pub(super) failure: Option<Failure>,
}

/// The failure of the last run.
#[derive(Debug, Clone)]
pub(super) struct Failure {
    pub(super) check: Check,
    /// Only for the pages of this machine.
    pub(super) error: String,
}

#[derive(Debug, Clone, Copy)]
pub(super) enum Check {
    Journal,
    Settle,
}

impl Check {
    pub(super) fn of(error: &Error) -> Check {
        if error.code() == Code::Storage { Check::Journal } else { Check::Settle }
    }

    pub(super) fn name(self) -> &'static str {
        match self {
            Check::Journal => "journal",
            Check::Settle => "settle",
        }
    }
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
                runs.failure = None;
            }
            Err(error) => {
                runs.failed += 1;
                let (check, error) = (Check::of(error), error.message().to_owned());
                runs.failure = Some(Failure { check, error });
            }
        }
    }

    pub(super) fn current(&self) -> Runs {
        self.runs().clone()
    }

    fn runs(&self) -> MutexGuard<'_, Runs> {
        self.0.lock().unwrap_or_else(PoisonError::into_inner)
    }

    /// The answer of `/healthz`. A failure shorter than [`LONGEST_SILENCE`] is named, but the service is still
    /// healthy: a restart while the database restarts would only delay the next run.
    pub(super) fn answer(&self) -> Response {
        let runs = self.current();
        match runs.failure.as_ref().map(|failure| failure.check) {
            failing if !runs.is_well() => failed(failing.unwrap_or(Check::Settle)),
            Some(check) => format!("ok, but {} fails\n", check.name()).into_response(),
            None => "ok\n".into_response(),
        }
    }

    /// The runs for the operator's page.
    pub(super) fn to_json(&self) -> String {
        let runs = self.current();
        let next = runs.next_due.map(|next| next.as_millis());
        json!({
            "well": runs.is_well(),
            "done": runs.done,
            "failed": runs.failed,
            "lastSuccessAt": runs.last_success_at,
            "nextDueMs": next.and_then(|next| u64::try_from(next).ok()),
            "failure": runs.failure.map(|failure| failure.error),
        })
        .to_string()
    }
}

/// The answer to a request that this check cannot answer.
pub(super) fn failed(check: Check) -> Response {
    (StatusCode::SERVICE_UNAVAILABLE, format!("failed: {}\n", check.name())).into_response()
}

impl Runs {
    pub(super) fn is_well(&self) -> bool {
        self.last_success.is_some_and(|at| at.elapsed() < LONGEST_SILENCE)
    }
}
