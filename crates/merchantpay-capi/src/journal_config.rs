//! `mpay_journal_config`: the settings of a journal, in addition to its client's.

use std::ffi::c_char;

use merchantpay_calls::Phase;

use crate::arguments::{needed, needed_text};
use crate::boundary::run;
use crate::settings::Settings;
use crate::typed::mpay_error;

/// The settings of a journal. They can be set in any order. A journal checks and copies the settings when it
/// is opened. One thread at a time may use them.
pub struct mpay_journal_config {
    pub(crate) settings: Settings,
}

impl Default for mpay_journal_config {
    fn default() -> mpay_journal_config {
        mpay_journal_config { settings: Settings::of_journal() }
    }
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
        run(Phase::Setup, error, || {
            let (name, text) = (needed_text(name, "name")?, crate::arguments::text(text));
            needed(config, "config")?.settings.put(name, &text)
        })
    }
}
