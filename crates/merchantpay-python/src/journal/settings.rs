//! The settings of a journal from Python.

use merchantpay_journal::JournalConfig;
use pyo3::prelude::*;
use pyo3::types::PyString;

use crate::argument::{
    Argument, optional_flag, optional_path, optional_seconds, optional_text, optional_texts, optional_whole,
    path, text,
};
use crate::client::Client;
use crate::error::invalid;
use crate::journal::Journal;

#[pymethods]
impl Journal {
    #[new]
    // generated: begin signature
    #[pyo3(signature = (
        client, place, *, callback_url=None, create=None, pay_wait=None, timeout=None, durability_vouched=None,
        password_file=None, connections=None,
    ), text_signature = "(\
        client, place, *, callback_url=None, create=False, pay_wait=5.0, timeout=30.0, durability_vouched=None, \
        password_file=None, connections=1,)")]
    // generated: end
    #[allow(clippy::too_many_arguments)]
    fn new(
        py: Python<'_>,
        client: Bound<'_, Client>,
        place: Argument<'_, '_>,
        // generated: begin arguments
        callback_url: Option<Argument<'_, '_>>,
        create: Option<Argument<'_, '_>>,
        pay_wait: Option<Argument<'_, '_>>,
        timeout: Option<Argument<'_, '_>>,
        durability_vouched: Option<Argument<'_, '_>>,
        password_file: Option<Argument<'_, '_>>,
        connections: Option<Argument<'_, '_>>,
        // generated: end
    ) -> PyResult<Journal> {
        // generated: begin read
        let callback_url = optional_text("callback_url", callback_url)?;
        let create = optional_flag("create", create)?;
        let pay_wait = optional_seconds("pay_wait", pay_wait)?;
        let timeout = optional_seconds("timeout", timeout)?;
        let durability_vouched = optional_texts("durability_vouched", durability_vouched)?;
        let password_file = optional_path("password_file", password_file)?;
        let connections = optional_whole("connections", connections)?;
        // generated: end
        let mut config = JournalConfig::new(place_text(place)?);
        // generated: begin apply
        if let Some(callback_url) = callback_url {
            config = config.callback_url(callback_url);
        }
        if let Some(create) = create {
            config = config.create(create);
        }
        if let Some(pay_wait) = pay_wait {
            config = config.pay_wait(pay_wait);
        }
        if let Some(timeout) = timeout {
            config = config.timeout(timeout);
        }
        let durability_vouched = durability_vouched.iter().flat_map(|texts| texts.split(',')).map(str::trim);
        config = config.durability_vouched(durability_vouched);
        if let Some(password_file) = password_file {
            config = config.password_file(password_file);
        }
        if let Some(connections) = connections {
            config = config.connections(connections);
        }
        // generated: end
        Journal::open(py, client, config)
    }
}

/// A path or a URL. The core takes both as text.
fn place_text(place: Argument<'_, '_>) -> PyResult<String> {
    if place.is_instance_of::<PyString>() {
        return text("place", place);
    }
    let path = path("place", place)?;
    path.into_os_string().into_string().map_err(|_| invalid(place.py(), "place is not valid Unicode text"))
}
