//! `mpay_journal_config`: the settings of a journal, in addition to its client's.

use std::collections::BTreeMap;
use std::ffi::c_char;

use merchantpay::{Error, Result, Setting as Row, SettingKind};
use merchantpay_journal::{JournalConfig, SETTINGS};

use crate::boundary::{self, CallPhase, needed, needed_text, run};
use crate::error::mpay_error;
use crate::handle::{free, make};
use crate::setting::text_of;

/// The settings of a journal. They can be set in any order. A journal checks and copies the settings when it
/// is opened. One thread at a time may use them.
#[derive(Default)]
pub struct mpay_journal_config {
    /// By their names with units.
    texts: BTreeMap<String, String>,
    /// The error of the first failed setter: an invalid setting must not be silently left out.
    fault: Option<Error>,
}

impl mpay_journal_config {
    pub(crate) fn get(&self) -> Result<JournalConfig> {
        if let Some(fault) = &self.fault {
            return Err(fault.clone());
        }
        if !self.texts.contains_key("place") {
            return Err(Error::invalid_argument("place is missing"));
        }
        self.texts.iter().try_fold(JournalConfig::new(""), |config, (name, text)| config.set(name, text))
    }

    /// Sets a setting by its text, or unsets it. An error is returned now, and again by mpay_journal_open.
    pub(crate) fn set(&mut self, name: &str, text: Result<Option<&str>>) -> Result<()> {
        let changed = self.change(name, text);
        if let Err(fault) = &changed {
            self.fault.get_or_insert_with(|| fault.clone());
        }
        changed
    }

    fn change(&mut self, name: &str, text: Result<Option<&str>>) -> Result<()> {
        let row = Row::among(SETTINGS, name)?;
        let Some(text) = text_of(text, name)? else {
            if row.kind != SettingKind::Texts {
                self.texts.remove(name);
            }
            return Ok(());
        };
        JournalConfig::new("").set(name, &text)?;
        match self.texts.get_mut(name) {
            Some(texts) if row.kind == SettingKind::Texts => *texts = format!("{texts},{text}"),
            _ => drop(self.texts.insert(name.to_owned(), text)),
        }
        Ok(())
    }
}

/// Makes settings. To be freed by mpay_journal_config_free. Any thread. Since 0.2.0.
#[unsafe(no_mangle)]
pub extern "C" fn mpay_journal_config_new() -> *mut mpay_journal_config {
    make(mpay_journal_config::default)
}

/// Sets a setting by its name, such as "callback_url" or "pay_wait_ms", and its text, as mpay_config_set
/// does. NULL unsets the setting, and adds nothing to a list. Returns MPAY_OK, or MPAY_INVALID_ARGUMENT for
/// an unknown name or a text that cannot be read; the error names the setting. One thread at a time. Since
/// 0.3.0.
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
