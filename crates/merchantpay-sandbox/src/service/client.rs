//! The HTTP client of webhooks.

use std::sync::OnceLock;
use std::time::Duration;

use ureq::tls::{Certificate, RootCerts, TlsConfig};

use crate::model::webhook::LONGEST_REPLY;

/// The agents for http and https. The system's CAs are read only for the first webhook to https.
pub(crate) struct Agents {
    http: ureq::Agent,
    https: OnceLock<Result<ureq::Agent, String>>,
    timeout: Duration,
    ca_pem: Vec<u8>,
}

impl Agents {
    pub(crate) fn new(timeout: Duration, ca_pem: Vec<u8>) -> Agents {
        Agents { http: agent(timeout, None), https: OnceLock::new(), timeout, ca_pem }
    }

    pub(crate) fn of(&self, url: &str) -> Result<&ureq::Agent, String> {
        if !url.get(..6).is_some_and(|scheme| scheme.eq_ignore_ascii_case("https:")) {
            return Ok(&self.http);
        }
        let trusting = || {
            let trusted = merchantpay::trusted_certificates(&self.ca_pem, false);
            Ok(agent(self.timeout, Some(trusted.map_err(|error| error.message().to_owned())?)))
        };
        self.https.get_or_init(trusting).as_ref().map_err(Clone::clone)
    }
}

/// A client that sends exactly the given request: it uses no proxy of the environment, follows no redirect, and
/// returns every status as an answer. It can call https if it gets the certificates of the trusted CAs, as DER.
pub fn agent(timeout: Duration, trusted: Option<Vec<Vec<u8>>>) -> ureq::Agent {
    let certificates = trusted.unwrap_or_default();
    let certificates = certificates.iter().map(|der| Certificate::from_der(der).to_owned());
    let tls = TlsConfig::builder().root_certs(RootCerts::from(certificates));
    ureq::Agent::config_builder()
        .http_status_as_error(false)
        .max_redirects(0)
        .proxy(None)
        .tls_config(tls.build())
        // The buffer of each open connection. A webhook is far smaller, and at most LONGEST_REPLY bytes of its
        // answer are kept.
        .input_buffer_size(LONGEST_REPLY)
        .output_buffer_size(LONGEST_REPLY)
        .timeout_global(Some(timeout))
        .build()
        .new_agent()
}
