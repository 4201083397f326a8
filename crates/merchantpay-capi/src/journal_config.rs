//! `mpay_journal_config`: the settings of a journal, in addition to its client's.

use std::ffi::c_char;

use merchantpay::Result;
use merchantpay_journal::JournalConfig;

use crate::boundary::{self, CallPhase, needed, needed_text, run};
use crate::error::mpay_error;
use crate::handle::{free, make};

/// The settings of a journal. They can be set in any order. A journal checks and copies the settings when it
/// is opened. One thread at a time may use them.
pub struct mpay_journal_config(JournalConfig);

impl mpay_journal_config {
    pub(crate) fn get(&self) -> JournalConfig {
        self.0.clone()
    }

    /// Sets a setting by its text, or unsets it. Every error is remembered until the setting gets a usable value.
    pub(crate) fn set(&mut self, name: &str, text: Result<Option<&str>>) -> Result<()> {
        match text {
            Ok(text) => self.0.set(name, text),
            Err(error) => self.0.refuse(name, error),
        }
    }

    /// Adds to a list; an absent text adds nothing.
    pub(crate) fn add(&mut self, name: &str, text: Result<Option<&str>>) -> Result<()> {
        if matches!(text, Ok(None)) { Ok(()) } else { self.set(name, text) }
    }
}

/// Makes settings. To be freed by mpay_journal_config_free. Any thread. Since 0.2.0.
#[unsafe(no_mangle)]
pub extern "C" fn mpay_journal_config_new() -> *mut mpay_journal_config {
    make(|| mpay_journal_config(JournalConfig::new("")))
}

/// Sets a setting by its name, such as "callback_url" or "pay_wait_ms", and its text, as mpay_config_set
/// does. NULL unsets the setting. Returns MPAY_OK, or MPAY_INVALID_ARGUMENT for an unknown name or a text
/// that cannot be read; the error names the setting. One thread at a time. Since 0.3.0.
#[unsafe(no_mangle)]
pub unsafe extern "C" fn mpay_journal_config_set(
    config: Option<&mut mpay_journal_config>,
    name: *const c_char,
    text: *const c_char,
    error: *mut *mut mpay_error,
) -> i32 {
    // SAFETY: the header's rules for texts and out-pointers.
    unsafe {
        run(CallPhase::Setup, error, || {
            let name = needed_text(name, "name")?;
            needed(config, "config")?.set(name, boundary::text(text, name))
        })
    }
}

/// Frees settings; NULL is allowed. Journals that were opened with them stay valid. Any thread, once. Since
/// 0.2.0.
#[unsafe(no_mangle)]
pub extern "C" fn mpay_journal_config_free(config: Option<Box<mpay_journal_config>>) {
    free(config);
}
