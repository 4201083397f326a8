//! Forwards a webhook with the same bytes and headers, and returns the answer.

use std::time::Duration;

use axum::http::StatusCode;
use axum::http::header::{CONTENT_LENGTH, CONTENT_TYPE, HOST, HeaderName};
use merchantpay::Error;
use ureq::http::{self, Uri};

use crate::server::{Answer, LARGEST, Webhook};

/// The time limit of the whole exchange with the local program.
const TIMEOUT: Duration = Duration::from_secs(30);

/// Headers that belong to one connection, and headers that the new request sets itself.
const NOT_FORWARDED: [HeaderName; 11] = [
    HOST,
    CONTENT_LENGTH,
    axum::http::header::CONNECTION,
    axum::http::header::EXPECT,
    axum::http::header::PROXY_AUTHENTICATE,
    axum::http::header::PROXY_AUTHORIZATION,
    axum::http::header::TE,
    axum::http::header::TRAILER,
    axum::http::header::TRANSFER_ENCODING,
    axum::http::header::UPGRADE,
    HeaderName::from_static("keep-alive"),
];

/// The local program that receives the webhooks.
pub(super) struct Forward {
    to: Uri,
    agent: ureq::Agent,
}

impl Forward {
    /// # Errors
    ///
    /// `invalid_argument` if the text is not an http URL.
    pub(super) fn new(url: &str) -> Result<Forward, Error> {
        let wrong =
            || Error::invalid_argument("--forward must be a URL, such as http://127.0.0.1:3000/webhook");
        let to: Uri = url.parse().map_err(|_| wrong())?;
        if to.scheme_str() != Some("http") || to.authority().is_none() {
            return Err(wrong());
        }
        Ok(Forward { to, agent: agent(TIMEOUT) })
    }

    /// The local program's answer, or the reason why there is none.
    pub(super) fn send(&self, webhook: &Webhook) -> Result<Answer, String> {
        let mut request = http::Request::post(self.url_for(&webhook.uri));
        for (name, value) in &webhook.headers {
            if !NOT_FORWARDED.contains(name) {
                request = request.header(name, value);
            }
        }
        let request = request.body(webhook.body.as_slice()).map_err(|error| error.to_string())?;
        let mut response = self.agent.run(request).map_err(|error| error.to_string())?;
        let body = response
            .body_mut()
            .with_config()
            .limit(LARGEST as u64)
            .read_to_vec()
            .map_err(|error| error.to_string())?;
        let content_type = response.headers().get(CONTENT_TYPE).cloned();
        let headers = content_type.map(|value| (CONTENT_TYPE, value)).into_iter().collect();
        let status = StatusCode::from_u16(response.status().as_u16()).unwrap_or(StatusCode::BAD_GATEWAY);
        Ok(Answer { status, headers, body })
    }

    /// The URL for one webhook. If the configured URL has no path, the path of the webhook's request is
    /// added.
    fn url_for(&self, came_to: &Uri) -> Uri {
        let Some(path) =
            came_to.path_and_query().filter(|_| self.to.path() == "/" && self.to.query().is_none())
        else {
            return self.to.clone();
        };
        let mut parts = self.to.clone().into_parts();
        parts.path_and_query = Some(path.clone());
        Uri::from_parts(parts).unwrap_or_else(|_| self.to.clone())
    }
}

/// Makes a client that sends exactly the given request: it uses no proxy from the environment, follows no
/// redirect, and returns every status as an answer.
pub(super) fn agent(timeout: Duration) -> ureq::Agent {
    ureq::Agent::config_builder()
        .http_status_as_error(false)
        .max_redirects(0)
        .proxy(None)
        .timeout_global(Some(timeout))
        .build()
        .new_agent()
}
