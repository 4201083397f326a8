//! Remembers what `settle` has done as a service, decides whether the service is healthy, and writes its numbers and
//! the journal's for Prometheus. Anybody on the network may read `/healthz`, so it names the check that fails, and never
//! the error: the text of a database's error can contain its host, its user and its path.

use std::fmt::Write as _;
use std::sync::{Arc, Mutex, MutexGuard, PoisonError};
use std::time::{Duration, Instant};

use axum::extract::State;
use axum::http::StatusCode;
use axum::http::header::CONTENT_TYPE;
use axum::response::{IntoResponse as _, Response};
use merchantpay::{Code, Error, Result};
use merchantpay_journal::{Settled, Stats};
use serde_json::json;

use super::Site;
use crate::dates;

/// Longer without a successful run, and the service is not healthy. One run may take a minute.
const LONGEST_SILENCE: Duration = Duration::from_secs(300);

#[derive(Debug, Default)]
pub(crate) struct Health(Mutex<Runs>);

#[derive(Debug, Default, Clone)]
struct Runs {
    done: u64,
    failed: u64,
    last_success: Option<Instant>,
    /// In milliseconds since 1970.
    last_success_at: Option<i64>,
    next_due: Option<Duration>,
    /// The check that failed in the last run, and its error, which is only for the pages of this machine.
    failure: Option<(&'static str, String)>,
}

fn failing_check(error: &Error) -> &'static str {
    if error.code() == Code::Storage { "journal" } else { "settle" }
}

impl Health {
    pub(crate) fn report(&self, result: &Result<Settled>) {
        let mut runs = self.runs();
        match result {
            Ok(settled) => {
                runs.done += u64::from(settled.done);
                runs.last_success = Some(Instant::now());
                runs.last_success_at = Some(dates::now());
                runs.next_due = settled.next_due;
                runs.failure = None;
            }
            Err(error) => {
                runs.failed += 1;
                runs.failure = Some((failing_check(error), error.message().to_owned()));
            }
        }
    }

    fn current(&self) -> Runs {
        self.runs().clone()
    }

    fn runs(&self) -> MutexGuard<'_, Runs> {
        self.0.lock().unwrap_or_else(PoisonError::into_inner)
    }

    /// The answer of `/healthz`. A failure shorter than [`LONGEST_SILENCE`] is named, but the service is still
    /// healthy: a restart while the database restarts would only delay the next run.
    pub(super) fn answer(&self) -> Response {
        let runs = self.current();
        match runs.failure.as_ref().map(|(check, _)| *check) {
            failing if !runs.is_well() => failed(failing.unwrap_or("settle")),
            Some(check) => format!("ok, but {check} fails\n").into_response(),
            None => "ok\n".into_response(),
        }
    }

    pub(super) fn to_json(&self) -> String {
        let runs = self.current();
        let next = runs.next_due.map(|next| next.as_millis());
        json!({
            "well": runs.is_well(),
            "done": runs.done,
            "failed": runs.failed,
            "lastSuccessAt": runs.last_success_at,
            "nextDueMs": next.and_then(|next| u64::try_from(next).ok()),
            "failure": runs.failure.map(|(_, error)| error),
        })
        .to_string()
    }
}

fn failed(check: &str) -> Response {
    (StatusCode::SERVICE_UNAVAILABLE, format!("failed: {check}\n")).into_response()
}

impl Runs {
    fn is_well(&self) -> bool {
        self.last_success.is_some_and(|at| at.elapsed() < LONGEST_SILENCE)
    }
}

pub(super) async fn metrics(State(site): State<Arc<Site>>) -> Response {
    let read = tokio::task::spawn_blocking(move || match site.journal.stats() {
        Ok(stats) => {
            let content_type = "text/plain; version=0.0.4; charset=utf-8";
            ([(CONTENT_TYPE, content_type)], prometheus(&stats, Some(&site.health))).into_response()
        }
        Err(error) => failed(failing_check(&error)),
    });
    read.await.unwrap_or_else(|_| StatusCode::INTERNAL_SERVER_ERROR.into_response())
}

/// `service`: if `settle` runs as a service, its runs are counted too.
pub(crate) fn prometheus(stats: &Stats, service: Option<&Health>) -> String {
    let mut text = String::new();
    let mut add = |name: &str, kind: &str, help: &str, samples: &[(&str, String)]| {
        let name = format!("merchantpay_journal_{name}");
        let _ = writeln!(text, "# HELP {name} {help}\n# TYPE {name} {kind}");
        for (labels, value) in samples {
            let _ = writeln!(text, "{name}{labels} {value}");
        }
    };
    let attempts = [
        ("{standing=\"sending\"}", stats.standings.sending.to_string()),
        ("{standing=\"unknown\"}", stats.standings.unknown.to_string()),
        ("{standing=\"open\"}", stats.standings.open.to_string()),
    ];
    add("attempts", "gauge", "Attempts that are not over, by standing.", &attempts);
    let overdue = seconds(stats.overdue_ms.unwrap_or_default());
    for (name, help, value) in [
        ("due", "Attempts that are due.", stats.due.to_string()),
        ("overdue_seconds", "The time for which the oldest due attempt has been due.", overdue),
        ("attention", "Attempts and messages that an operator must look at.", stats.attention.to_string()),
        ("orphans", "Of these, orders that no attempt has.", stats.orphans.to_string()),
        ("news", "Entries that nobody has acknowledged.", stats.news.to_string()),
        ("paused", "1 if the journal is paused.", u8::from(stats.pause.is_some()).to_string()),
    ] {
        add(name, "gauge", help, &[("", value)]);
    }
    let Some(runs) = service.map(Health::current) else { return text };
    add("settled_total", "counter", "Attempts that settle looked at.", &[("", runs.done.to_string())]);
    add("settle_failures_total", "counter", "Runs of settle that failed.", &[("", runs.failed.to_string())]);
    if let Some(at) = runs.last_success_at {
        let help = "The time of the last successful run of settle.";
        add("settle_last_success_timestamp_seconds", "gauge", help, &[("", seconds(at))]);
    }
    text
}

fn seconds(ms: i64) -> String {
    format!("{}.{:03}", ms / 1000, ms.rem_euclid(1000))
}
