//! `receive`: handles the service's webhooks, which can come in any order and any number of times.

use std::time::Instant;

use merchantpay::Error;

use crate::api::entry::Entry;
use crate::api::journal::Journal;
use crate::api::progress::Finished;
use crate::api::run::{PATIENCE, while_passing};
use crate::model::driver::{Key, Task};
use crate::model::event::Event;

/// The result of a webhook.
#[derive(Debug, Clone)]
#[non_exhaustive]
pub struct Received {
    /// The HTTP status with which to answer the webhook: 200 if the webhook was applied, now or earlier; 400
    /// if the webhook does not verify; 404 for an unknown token; 409 if the order does not belong to the
    /// token's attempt; 503 if the journal failed, so that the service retries.
    pub http_status: u16,
    /// The attempt after the webhook was applied; `None` if the webhook belongs to no attempt.
    pub entry: Option<Entry>,
    /// The reason why the webhook was not applied.
    pub error: Option<Error>,
}

impl Journal {
    /// Handles a webhook. The arguments are the webhook's path or URL, its unchanged body, and the values of
    /// the signature and key id headers. A verified message that matches no attempt is stored as an orphan
    /// for [`attention`](Journal::attention).
    pub fn receive(&self, path_or_url: &str, body: &[u8], signature: &str, key_id: Option<&str>) -> Received {
        let received = self.apply_webhook(path_or_url, body, signature, key_id);
        self.counters.count_received(received.http_status);
        received
    }

    fn apply_webhook(
        &self,
        path_or_url: &str,
        body: &[u8],
        signature: &str,
        key_id: Option<&str>,
    ) -> Received {
        let webhook = match self.verifier.verify(body, signature, key_id) {
            Ok(webhook) => webhook,
            Err(error) => return Received { http_status: 400, entry: None, error: Some(error) },
        };
        let event = Event::of_webhook(&webhook);
        let task = Task::Apply(Key::Token(token(path_or_url).to_owned()), Box::new(event));
        match self.run_patiently(&task) {
            Ok(finished) => {
                let http_status = match (&finished.done.record, finished.done.conflict) {
                    (None, _) => 404,
                    (Some(_), true) => 409,
                    (Some(_), false) => 200,
                };
                Received { http_status, entry: finished.entry(), error: None }
            }
            Err(error) => Received { http_status: 503, entry: None, error: Some(error) },
        }
    }
}

impl Journal {
    /// If the store failed without an effect, retries a webhook's task for a short time. A deadlock or a
    /// failover often ends soon, and the contract does not promise a second delivery of the webhook.
    fn run_patiently(&self, task: &Task) -> merchantpay::Result<Finished> {
        let deadline = self.deadline();
        while_passing(deadline.min(Instant::now() + PATIENCE), || self.run(task.clone(), None, deadline))
    }
}

/// The part after the last `/` of a path or URL, without query and fragment.
fn token(path_or_url: &str) -> &str {
    let path = path_or_url.split(['?', '#']).next().unwrap_or_default();
    path.trim_end_matches('/').rsplit('/').next().unwrap_or_default()
}

#[cfg(test)]
mod tests {
    use super::token;

    #[test]
    fn the_token_is_the_last_part_of_a_path_or_url() {
        for (path, expected) in [
            ("/pay/callback/abc", "abc"),
            ("https://shop.example/pay/callback/abc?x=/y#z", "abc"),
            ("abc", "abc"),
            ("/abc/", "abc"),
            ("/", ""),
            ("", ""),
        ] {
            assert_eq!(token(path), expected, "{path}");
        }
    }
}
