//! `receive`: the service's webhooks, which come in any order and any number of times.

use std::time::{Duration, Instant};

use merchantpay::{Error, Event, EventKind, Outcome, Result};

use crate::api::driver::{Applied, Case};
use crate::api::effort::{Effort, PATIENCE};
use crate::api::entry::Entry;
use crate::api::journal::Journal;
use crate::api::pay::Said;
use crate::api::read::Read;
use crate::model::hint::{self, Webhook};
use crate::model::plan::is_due;
use crate::model::report::MessageKind;
use crate::store::Found;

/// The result of a webhook.
#[derive(Debug, Clone)]
#[non_exhaustive]
pub struct Received {
    /// Answer the webhook with this HTTP status: 200 if it is stored; 400 if it does not verify; 404 for an
    /// unknown token, 409 if it is about another order than the attempt's (both are stored for
    /// [`attention`](Journal::attention)); 503 if the journal failed, so that the service tries again.
    pub http_status: u16,
    /// The attempt, after the service was asked about the webhook.
    pub entry: Option<Entry>,
    /// Why the webhook was not stored.
    pub error: Option<Error>,
}

/// The service is asked before the webhook is answered, but not for longer than this.
const QUESTION: Duration = Duration::from_secs(5);

impl Journal {
    /// Takes a webhook: its path or URL, its unchanged body, and the headers with the signature and the key
    /// id. A webhook is a hint: it is stored, and makes the journal ask the service.
    pub fn receive(&self, path_or_url: &str, body: &[u8], signature: &str, key_id: Option<&str>) -> Received {
        let answered = |http_status, entry, error| Received { http_status, entry, error };
        let event = match self.verifier.verify(body, signature, key_id) {
            Ok(event) => event,
            Err(error) => return answered(400, None, Some(error)),
        };
        match self.take_webhook(token(path_or_url), &event, body) {
            Ok((http_status, entry)) => answered(http_status, entry, None),
            Err(error) => answered(503, None, Some(error.with_outcome(Outcome::NotSent))),
        }
    }

    fn take_webhook(&self, token: &str, event: &Event, body: &[u8]) -> Result<(u16, Option<Entry>)> {
        let effort = Effort::patient(Instant::now() + PATIENCE);
        let payment = event.payment();
        let kind = match event.event_kind() {
            EventKind::Credentials => MessageKind::Credentials,
            EventKind::CredentialsFailed => MessageKind::NoCredentials,
            _ => MessageKind::Status,
        };
        let found = match token {
            "" => Found::default(),
            token => self.patiently(effort, || self.database.by_token(token))?,
        };
        // Of what was purged, no name and no account is stored again.
        let owner = match found.attempts.is_empty() {
            true => self.patiently(effort, || self.database.by_order(payment.order_id()))?.attempts.pop(),
            false => found.attempts.last().cloned(),
        };
        let status = payment.status().map(|status| status.as_str().to_owned());
        let said = Said {
            order_id: payment.order_id(),
            kind,
            status: status.as_deref(),
            body: &String::from_utf8_lossy(body),
            is_reduced: owner.is_some_and(|owner| owner.is_purged()),
        };
        let is_new = self.keep(token, &said, effort)?;
        let Some(row) = found.attempts.last().cloned() else { return Ok((404, None)) };
        let order_id = payment.order_id().to_owned();
        let webhook = Webhook { order_id, kind, status, sum: payment.sum(), is_new };
        let read = Read::of(found, &self.config);
        let decide = |case: &Case<'_>| hint::received(case.row, &webhook, case.moment);
        let Applied { mut row, mut time, .. } = self.apply(row, read, effort, decide)?;
        if hint::contradicts(&row, &webhook) {
            return Ok((409, self.entry_of(&row, time).ok()));
        }
        if is_due(&row, time.clock()) {
            let end = Instant::now() + QUESTION.min(self.config.timeout);
            // Whatever becomes of it, the webhook is stored, and `settle` asks again.
            if let Ok(Some(asked)) = self.claim_and_ask(&row, time, end) {
                (row, time) = (asked.row, asked.time);
            }
        }
        Ok((200, self.entry_of(&row, time).ok()))
    }
}

/// The token at the end of a path or URL, without query and fragment. A text that cannot be a token is left
/// out: a stranger chooses it.
fn token(path_or_url: &str) -> &str {
    let path = path_or_url.split(['?', '#']).next().unwrap_or_default();
    let last = path.trim_end_matches('/').rsplit('/').next().unwrap_or_default();
    if last.len() <= 64 && last.bytes().all(|byte| byte.is_ascii_alphanumeric()) { last } else { "" }
}

#[cfg(test)]
mod tests {
    use super::token;

    #[test]
    fn token_is_the_last_part_of_a_path_or_url() {
        let long = format!("/{}", "a".repeat(65));
        for (path, expected) in [
            ("/pay/callback/abc", "abc"),
            ("https://shop.example/pay/callback/abc?x=/y#z", "abc"),
            ("abc", "abc"),
            ("/abc/", "abc"),
            ("/", ""),
            ("", ""),
            ("/a%00b", ""),
            (&long, ""),
        ] {
            assert_eq!(token(path), expected, "{path}");
        }
    }
}
