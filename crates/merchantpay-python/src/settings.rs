//! The settings of a client from Python.

use merchantpay::{Config, Outcome};
use pyo3::prelude::*;
use pyo3::types::{PyDict, PyType};

use crate::argument::{
    Argument, optional_flag, optional_path, optional_seconds, optional_text, optional_texts, optional_whole,
};
use crate::call::call;
use crate::client::Client;
use crate::config::{Base, client_certificate, pem};
use crate::environment;
use crate::protocol::Protocol;

// generated: begin of_protocol
/// The settings of the definition that a protocol takes.
const OF_PROTOCOL: &[&str] =
    &["base_url", "key_id", "private_key", "server_public_key", "public_key", "server_key_id", "allow_http"];
// generated: end

/// The optional settings; those that need several arguments are in `Base`.
#[derive(Default)]
struct Options<'a, 'py> {
    // generated: begin options
    ca_file: Option<Argument<'a, 'py>>,
    ca_pem: Option<Argument<'a, 'py>>,
    exclusive_ca: Option<Argument<'a, 'py>>,
    pin_spki: Option<Argument<'a, 'py>>,
    client_certificate: Option<Argument<'a, 'py>>,
    proxy: Option<Argument<'a, 'py>>,
    allow_http: Option<Argument<'a, 'py>>,
    user_agent: Option<Argument<'a, 'py>>,
    timeout: Option<Argument<'a, 'py>>,
    connect_timeout: Option<Argument<'a, 'py>>,
    reuse_idle: Option<Argument<'a, 'py>>,
    connect_idle: Option<Argument<'a, 'py>>,
    max_retries: Option<Argument<'a, 'py>>,
    max_reply_bytes: Option<Argument<'a, 'py>>,
    // generated: end
}

impl Options<'_, '_> {
    fn apply(&self, py: Python<'_>, mut config: Config) -> PyResult<Config> {
        // generated: begin apply
        if let Some(ca_file) = optional_path("ca_file", self.ca_file)? {
            config = call(py, Outcome::NotSent, || config.ca_file(ca_file))?;
        }
        if let Some(ca_pem) = pem("ca_pem", self.ca_pem)? {
            config = config.ca_pem(ca_pem);
        }
        if let Some(exclusive_ca) = optional_flag("exclusive_ca", self.exclusive_ca)? {
            config = config.exclusive_ca(exclusive_ca);
        }
        for pin_spki in optional_texts("pin_spki", self.pin_spki)? {
            config = call(py, Outcome::NotSent, || config.pin_spki(pin_spki))?;
        }
        if let Some((certificate, key)) = client_certificate(self.client_certificate)? {
            config = call(py, Outcome::NotSent, || config.client_certificate_files(certificate, key))?;
        }
        if let Some(proxy) = optional_text("proxy", self.proxy)? {
            config = config.proxy(proxy);
        }
        if let Some(allow_http) = optional_flag("allow_http", self.allow_http)? {
            config = config.allow_http(allow_http);
        }
        if let Some(user_agent) = optional_text("user_agent", self.user_agent)? {
            config = config.user_agent(user_agent);
        }
        if let Some(timeout) = optional_seconds("timeout", self.timeout)? {
            config = config.timeout(timeout);
        }
        if let Some(connect_timeout) = optional_seconds("connect_timeout", self.connect_timeout)? {
            config = config.connect_timeout(connect_timeout);
        }
        if let Some(reuse_idle) = optional_seconds("reuse_idle", self.reuse_idle)? {
            config = config.reuse_idle(reuse_idle);
        }
        if let Some(connect_idle) = optional_seconds("connect_idle", self.connect_idle)? {
            config = config.connect_idle(connect_idle);
        }
        if let Some(max_retries) = optional_whole("max_retries", self.max_retries)? {
            config = config.max_retries(max_retries);
        }
        if let Some(max_reply_bytes) = optional_whole("max_reply_bytes", self.max_reply_bytes)? {
            config = config.max_reply_bytes(max_reply_bytes);
        }
        // generated: end
        Ok(config)
    }
}

#[pymethods]
impl Client {
    #[new]
    // generated: begin client_signature
    #[pyo3(signature = (
        base_url, key_id, private_key, server_public_key, *, server_key_id=None, ca_file=None, ca_pem=None,
        exclusive_ca=None, pin_spki=None, client_certificate=None, proxy=None, allow_http=None, user_agent=None,
        timeout=None, connect_timeout=None, reuse_idle=None, connect_idle=None, max_retries=None,
        max_reply_bytes=None, signer=None, public_key=None
    ), text_signature = "(\
        base_url, key_id, private_key, server_public_key, *, server_key_id=None, ca_file=None, ca_pem=None, \
        exclusive_ca=False, pin_spki=None, client_certificate=None, proxy=None, allow_http=False, user_agent=None, \
        timeout=30.0, connect_timeout=10.0, reuse_idle=1.0, connect_idle=10.0, max_retries=2, \
        max_reply_bytes=1048576, signer=None, public_key=None)")]
    // generated: end
    #[allow(clippy::too_many_arguments)]
    fn new(
        py: Python<'_>,
        // generated: begin client_parameters
        base_url: Argument<'_, '_>,
        key_id: Argument<'_, '_>,
        private_key: Option<Argument<'_, '_>>,
        server_public_key: Argument<'_, '_>,
        server_key_id: Option<Argument<'_, '_>>,
        ca_file: Option<Argument<'_, '_>>,
        ca_pem: Option<Argument<'_, '_>>,
        exclusive_ca: Option<Argument<'_, '_>>,
        pin_spki: Option<Argument<'_, '_>>,
        client_certificate: Option<Argument<'_, '_>>,
        proxy: Option<Argument<'_, '_>>,
        allow_http: Option<Argument<'_, '_>>,
        user_agent: Option<Argument<'_, '_>>,
        timeout: Option<Argument<'_, '_>>,
        connect_timeout: Option<Argument<'_, '_>>,
        reuse_idle: Option<Argument<'_, '_>>,
        connect_idle: Option<Argument<'_, '_>>,
        max_retries: Option<Argument<'_, '_>>,
        max_reply_bytes: Option<Argument<'_, '_>>,
        signer: Option<Argument<'_, '_>>,
        public_key: Option<Argument<'_, '_>>,
        // generated: end
    ) -> PyResult<Client> {
        let (base_url, config, signer) =
            Base { base_url, key_id, private_key, server_public_key, server_key_id, signer, public_key }
                .read(py)?;
        let options = Options {
            // generated: begin client_options
            ca_file,
            ca_pem,
            exclusive_ca,
            pin_spki,
            client_certificate,
            proxy,
            allow_http,
            user_agent,
            timeout,
            connect_timeout,
            reuse_idle,
            connect_idle,
            max_retries,
            max_reply_bytes,
            // generated: end
        };
        Client::with_config(py, base_url, options.apply(py, config)?, signer)
    }
}

#[pymethods]
impl Protocol {
    /// Makes a protocol from the settings in the environment, as `Client.from_env` reads them. An argument
    /// takes precedence over its variable.
    ///
    /// Raises InvalidArgumentError for a variable that is missing or cannot be read. The error names the
    /// variable.
    #[classmethod]
    #[pyo3(signature = (**overrides))]
    fn from_env<'py>(
        class: &Bound<'py, PyType>,
        overrides: Option<&Bound<'py, PyDict>>,
    ) -> PyResult<Bound<'py, PyAny>> {
        class.call((), Some(&environment::arguments(class.py(), overrides, Some(OF_PROTOCOL))?))
    }

    #[new]
    // generated: begin protocol_signature
    #[pyo3(signature = (
        base_url, key_id, private_key, server_public_key, *, server_key_id=None, allow_http=None, signer=None,
        public_key=None
    ), text_signature = "(\
        base_url, key_id, private_key, server_public_key, *, server_key_id=None, allow_http=False, signer=None, \
        public_key=None)")]
    // generated: end
    #[allow(clippy::too_many_arguments)]
    fn new(
        py: Python<'_>,
        // generated: begin protocol_parameters
        base_url: Argument<'_, '_>,
        key_id: Argument<'_, '_>,
        private_key: Option<Argument<'_, '_>>,
        server_public_key: Argument<'_, '_>,
        server_key_id: Option<Argument<'_, '_>>,
        allow_http: Option<Argument<'_, '_>>,
        signer: Option<Argument<'_, '_>>,
        public_key: Option<Argument<'_, '_>>,
        // generated: end
    ) -> PyResult<Protocol> {
        let (base_url, config, signer) =
            Base { base_url, key_id, private_key, server_public_key, server_key_id, signer, public_key }
                .read(py)?;
        let options = Options { allow_http, ..Options::default() };
        Protocol::with_config(py, base_url, &options.apply(py, config)?, signer)
    }
}
