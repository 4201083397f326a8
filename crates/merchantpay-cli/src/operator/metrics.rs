//! Writes the journal's numbers in the text format of Prometheus.

use std::fmt::Write as _;
use std::sync::Arc;

use axum::extract::State;
use axum::http::StatusCode;
use axum::http::header::CONTENT_TYPE;
use axum::response::{IntoResponse as _, Response};
use merchantpay_journal::Stats;

use super::Site;
use super::health::{Check, Health, failed};

/// The answer of `/metrics`.
pub(super) async fn metrics(State(site): State<Arc<Site>>) -> Response {
    let read = tokio::task::spawn_blocking(move || match site.journal.stats() {
        Ok(stats) => {
            let content_type = "text/plain; version=0.0.4; charset=utf-8";
            ([(CONTENT_TYPE, content_type)], prometheus(&stats, Some(&site.health))).into_response()
        }
        Err(error) => failed(Check::of(&error)),
    });
    read.await.unwrap_or_else(|_| StatusCode::INTERNAL_SERVER_ERROR.into_response())
}

/// The numbers of the journal. If `settle` runs as a service, the text also has the numbers of its runs.
pub(crate) fn prometheus(stats: &Stats, service: Option<&Health>) -> String {
    let mut text = Text(String::new());
    text.begin("attempts", "gauge", "Attempts that are not over, by standing.");
    let standings = &stats.standings;
    for (standing, count) in
        [("sending", standings.sending), ("unknown", standings.unknown), ("open", standings.open)]
    {
        text.sample("attempts", &[("standing", standing)], count);
    }
    text.one("due", "gauge", "Attempts that are due.", stats.due);
    let overdue = seconds(stats.overdue_ms.unwrap_or_default());
    text.one("overdue_seconds", "gauge", "The time for which the oldest due attempt has been due.", overdue);
    let help = "Attempts and messages that an operator must look at.";
    text.one("attention", "gauge", help, stats.attention);
    text.one("orphans", "gauge", "Of these, orders that no attempt has.", stats.orphans);
    text.one("news", "gauge", "Entries that nobody has acknowledged.", stats.news);
    text.one("paused", "gauge", "1 if the journal is paused.", u8::from(stats.pause.is_some()));
    if let Some(health) = service {
        of_service(&mut text, health);
    }
    text.0
}

fn of_service(text: &mut Text, health: &Health) {
    let runs = health.current();
    text.one("settled_total", "counter", "Attempts that settle looked at.", runs.done);
    text.one("settle_failures_total", "counter", "Runs of settle that failed.", runs.failed);
    if let Some(at) = runs.last_success_at {
        let help = "The time of the last successful run of settle.";
        text.one("settle_last_success_timestamp_seconds", "gauge", help, seconds(at));
    }
}

fn seconds(ms: i64) -> String {
    format!("{}.{:03}", ms / 1000, ms.rem_euclid(1000))
}

/// A text that consists of whole lines.
struct Text(String);

impl Text {
    fn begin(&mut self, name: &str, kind: &str, help: &str) {
        let _ = writeln!(self.0, "# HELP merchantpay_journal_{name} {help}");
        let _ = writeln!(self.0, "# TYPE merchantpay_journal_{name} {kind}");
    }

    fn sample(&mut self, name: &str, labels: &[(&str, &str)], value: impl std::fmt::Display) {
        let labels: Vec<String> = labels.iter().map(|(name, value)| format!("{name}={value:?}")).collect();
        let labels = if labels.is_empty() { String::new() } else { format!("{{{}}}", labels.join(",")) };
        let _ = writeln!(self.0, "merchantpay_journal_{name}{labels} {value}");
    }

    fn one(&mut self, name: &str, kind: &str, help: &str, value: impl std::fmt::Display) {
        self.begin(name, kind, help);
        self.sample(name, &[], value);
    }
}
