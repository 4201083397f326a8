//! The settings of a journal from Python.

use merchantpay_journal::JournalConfig;
use pyo3::prelude::*;

use crate::argument::{Argument, optional_flag, optional_seconds, optional_text, optional_whole};
use crate::client::Client;
use crate::journal::Journal;
use crate::journal::place::Place;

#[pymethods]
impl Journal {
    #[new]
    // generated: begin signature
    #[pyo3(signature = (
        client, path_or_connect, *, callback_url=None, account=None, timeout=None, calls_per_second=None,
        calls_at_once=None, create=None, pay_wait=None, durability_vouched=None, dialect=None, max_connections=None
    ), text_signature = "(\
        client, path_or_connect, *, callback_url=None, account=None, timeout=30.0, calls_per_second=10, \
        calls_at_once=4, create=False, pay_wait=5.0, durability_vouched=None, dialect=None, max_connections=20)")]
    // generated: end
    #[allow(clippy::too_many_arguments)]
    fn new(
        py: Python<'_>,
        client: Bound<'_, Client>,
        path_or_connect: Argument<'_, '_>,
        // generated: begin arguments
        callback_url: Option<Argument<'_, '_>>,
        account: Option<Argument<'_, '_>>,
        timeout: Option<Argument<'_, '_>>,
        calls_per_second: Option<Argument<'_, '_>>,
        calls_at_once: Option<Argument<'_, '_>>,
        create: Option<Argument<'_, '_>>,
        pay_wait: Option<Argument<'_, '_>>,
        durability_vouched: Option<Argument<'_, '_>>,
        // generated: end
        dialect: Option<Argument<'_, '_>>,
        max_connections: Option<Argument<'_, '_>>,
    ) -> PyResult<Journal> {
        // generated: begin read
        let callback_url = optional_text("callback_url", callback_url)?;
        let account = optional_text("account", account)?;
        let timeout = optional_seconds("timeout", timeout)?;
        let calls_per_second = optional_whole("calls_per_second", calls_per_second)?;
        let calls_at_once = optional_whole("calls_at_once", calls_at_once)?;
        let create = optional_flag("create", create)?;
        let pay_wait = optional_seconds("pay_wait", pay_wait)?;
        let durability_vouched = optional_text("durability_vouched", durability_vouched)?;
        // generated: end
        let max_connections = optional_whole("max_connections", max_connections)?;
        let place = Place::read(path_or_connect, dialect, max_connections, timeout)?;
        Journal::open(py, client, place, |mut config: JournalConfig| {
            // generated: begin apply
            if let Some(callback_url) = callback_url {
                config = config.callback_url(callback_url);
            }
            if let Some(account) = account {
                config = config.account(account);
            }
            if let Some(timeout) = timeout {
                config = config.timeout(timeout);
            }
            if let Some(calls_per_second) = calls_per_second {
                config = config.calls_per_second(calls_per_second);
            }
            if let Some(calls_at_once) = calls_at_once {
                config = config.calls_at_once(calls_at_once);
            }
            if let Some(create) = create {
                config = config.create(create);
            }
            if let Some(pay_wait) = pay_wait {
                config = config.pay_wait(pay_wait);
            }
            if let Some(durability_vouched) = durability_vouched {
                config = config.durability_vouched(durability_vouched);
            }
            // generated: end
            config
        })
    }
}
