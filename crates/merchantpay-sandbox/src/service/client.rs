//! Sends webhooks over HTTP, with a limited number of concurrent requests.

use std::io::Read as _;
use std::sync::Arc;
use std::time::{Duration, Instant};

use tokio::sync::Semaphore;

use crate::base::assumptions;
use crate::base::clock::Clock;
use crate::base::webhook_hosts::WebhookHosts;
use crate::model::exchange::{Captured, header_list};
use crate::model::webhook::{Attempt, LONGEST_REPLY, Webhook};

pub(crate) struct WebhookClient {
    agent: ureq::Agent,
    clock: Arc<Clock>,
    hosts: Arc<WebhookHosts>,
    permits: Semaphore,
}

impl WebhookClient {
    pub(crate) fn new(timeout: Duration, clock: Arc<Clock>, hosts: Arc<WebhookHosts>) -> WebhookClient {
        let agent = ureq::Agent::config_builder()
            .http_status_as_error(false)
            .max_redirects(0)
            .proxy(None)
            // The buffer of each open connection. A webhook is far smaller, and at most LONGEST_REPLY bytes
            // of its answer are kept.
            .input_buffer_size(LONGEST_REPLY)
            .output_buffer_size(LONGEST_REPLY)
            .timeout_global(Some(timeout))
            .build()
            .new_agent();
        WebhookClient { agent, clock, hosts, permits: Semaphore::new(assumptions::WEBHOOKS_AT_ONCE) }
    }

    /// Sends a webhook once.
    pub(crate) async fn post(&self, webhook: &Webhook) -> Attempt {
        let without_reply = |at, started: Instant, error: String| Attempt {
            at,
            duration_ms: millis(started),
            error: Some(error),
            ..Attempt::default()
        };
        // The URL may come from the file of an earlier run, which had other flags.
        if !self.hosts.allows(&webhook.summary.url) {
            let error = "not sent: --webhook-host does not name this host".to_owned();
            return without_reply(self.clock.now(), Instant::now(), error);
        }
        // The semaphore is never closed.
        let _permit = self.permits.acquire().await;
        let mut request = self.agent.post(&webhook.summary.url);
        for (name, value) in &webhook.request.headers {
            request = request.header(name, value);
        }
        let (at, started, body) = (self.clock.now(), Instant::now(), webhook.request.body.bytes.clone());
        let reply = tokio::task::spawn_blocking(move || request.send(&body[..]).map(read_reply)).await;
        match reply {
            Ok(Ok(reply)) => Attempt { at, duration_ms: millis(started), ..reply },
            Ok(Err(error)) => without_reply(at, started, error.to_string()),
            Err(error) => without_reply(at, started, error.to_string()),
        }
    }
}

fn millis(since: Instant) -> u64 {
    u64::try_from(since.elapsed().as_millis()).unwrap_or(u64::MAX)
}

/// Reads status, headers, and the beginning of the body.
fn read_reply(reply: ureq::http::Response<ureq::Body>) -> Attempt {
    let (head, mut body) = reply.into_parts();
    let announced = body.content_length().and_then(|length| usize::try_from(length).ok()).unwrap_or(0);
    let (mut bytes, limit) = (Vec::new(), LONGEST_REPLY as u64 + 1);
    // An incomplete answer still has a status.
    let _ = body.as_reader().take(limit).read_to_end(&mut bytes);
    let size = announced.max(bytes.len());
    bytes.truncate(LONGEST_REPLY);
    Attempt {
        http_status: Some(head.status.as_u16()),
        headers: header_list(&head.headers),
        body: Captured { bytes: bytes.into(), size },
        ..Attempt::default()
    }
}
