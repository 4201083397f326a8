//! Forwards a webhook with the same bytes and headers, and returns the answer.

use std::time::Duration;

use axum::http::StatusCode;
use axum::http::header::{CONTENT_LENGTH, CONTENT_TYPE, HOST, HeaderName};
use merchantpay::Error;
use merchantpay_sandbox::webhook_agent;
use ureq::http::{self, Uri};

use super::send::receiver_url;
use crate::server::{Answer, LARGEST, Webhook};
use crate::settings::TrustSettings;

/// The time limit of the whole exchange with the local program.
const TIMEOUT: Duration = Duration::from_secs(30);

/// Headers that belong to one connection, and headers that the new request sets itself.
const NOT_FORWARDED: [HeaderName; 12] = [
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
    HeaderName::from_static("proxy-connection"),
];

/// The local program that receives the webhooks.
pub(super) struct Forward {
    to: Uri,
    agent: ureq::Agent,
}

impl Forward {
    /// # Errors
    ///
    /// `invalid_argument` if the text is not a URL, or if a CA cannot be read.
    pub(super) fn new(url: &str, trust: &TrustSettings) -> Result<Forward, Error> {
        let to = receiver_url(url)?;
        let trusted = (to.scheme_str() == Some("https")).then(|| trust.certificates()).transpose()?;
        Ok(Forward { to, agent: webhook_agent(TIMEOUT, trusted) })
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
