//! `mpay_journal_config`: the settings of a journal, in addition to its client's.

use std::ffi::{c_char, c_void};
use std::time::Duration;

use merchantpay::{Error, Result, Setting as Row};
use merchantpay_journal::{Dialect, JournalConfig, Placeholders};

use crate::boundary::{self, CallPhase, known, needed, needed_text, run, set, text};
use crate::error::mpay_error;
use crate::handle::{free, make};
use crate::rows::{DatabaseCallback, mpay_database_callback};
use crate::setting::{flag, text_of};
use crate::user_data::{UserData, mpay_release_callback};

/// The settings of a journal. They can be set in any order. A journal checks and copies the settings when it
/// is opened. One thread at a time may use them.
#[derive(Default)]
pub struct mpay_journal_config {
    place: Option<Place>,
    callback_url: Option<String>,
    account: Option<String>,
    timeout_ms: Option<u32>,
    calls_per_second: Option<u32>,
    calls_at_once: Option<u32>,
    pay_wait_ms: Option<u32>,
    durability_vouched: Vec<String>,
    create: bool,
    check_later: bool,
    /// The error of the first failed setter: an invalid setting must not be silently left out.
    fault: Option<Error>,
}

#[derive(Clone)]
enum Place {
    File(String),
    Database(DatabaseCallback, Dialect, Placeholders),
}

impl mpay_journal_config {
    pub(crate) fn get(&self) -> Result<JournalConfig> {
        if let Some(fault) = &self.fault {
            return Err(fault.clone());
        }
        let mut config = match needed(self.place.clone(), "file or database")? {
            Place::File(file) => JournalConfig::new(file).create(self.create),
            Place::Database(callback, dialect, placeholders) => {
                JournalConfig::over(callback.database(dialect, placeholders))
                    .create(self.create)
                    .check_later(self.check_later)
            }
        };
        if let Some(url) = &self.callback_url {
            config = config.callback_url(url);
        }
        if let Some(account) = &self.account {
            config = config.account(account);
        }
        if let Some(timeout) = self.timeout_ms {
            config = config.timeout(Duration::from_millis(timeout.into()));
        }
        if let Some(calls) = self.calls_per_second {
            config = config.calls_per_second(calls);
        }
        if let Some(calls) = self.calls_at_once {
            config = config.calls_at_once(calls);
        }
        if let Some(wait) = self.pay_wait_ms {
            config = config.pay_wait(Duration::from_millis(wait.into()));
        }
        for names in &self.durability_vouched {
            config = config.durability_vouched(names);
        }
        Ok(config)
    }
}

impl mpay_journal_config {
    /// Sets a setting by its text, or unsets the setting.
    fn set_text(&mut self, row: &Row, text: Option<String>) -> Result<()> {
        let number = || text.as_deref().map(|text| row.number::<u32>(text)).transpose();
        match row.name {
            "file" if text.is_none() && matches!(self.place, Some(Place::Database(..))) => {}
            "file" => self.place = text.map(Place::File),
            "callback_url" => self.callback_url = text,
            "account" => self.account = text,
            "timeout" => self.timeout_ms = number()?,
            "calls_per_second" => self.calls_per_second = number()?,
            "calls_at_once" => self.calls_at_once = number()?,
            "create" => self.create = text.map_or(Ok(false), |text| row.flag(&text))?,
            "pay_wait" => self.pay_wait_ms = number()?,
            "durability_vouched" => self.durability_vouched.extend(text),
            name => {
                return Err(Error::invalid_argument(format!("the setting {name} cannot be set as a text")));
            }
        }
        Ok(())
    }
}

/// Sets whether the database is checked together with the first attempt that is read.
pub(crate) fn change_check_later(config: Option<&mut mpay_journal_config>, later: i32) -> Result<()> {
    change(config, |config| {
        config.check_later = flag(later, "later")? == Some(true);
        Ok(())
    })
}

/// Changes settings. An error is returned now, and again by mpay_journal_open.
fn change(
    config: Option<&mut mpay_journal_config>,
    body: impl FnOnce(&mut mpay_journal_config) -> Result<()>,
) -> Result<()> {
    let config = needed(config, "config")?;
    let changed = body(config);
    if let Err(fault) = &changed {
        config.fault.get_or_insert_with(|| fault.clone());
    }
    changed
}

/// Makes settings. To be freed by mpay_journal_config_free. Any thread. Since 0.2.0.
#[unsafe(no_mangle)]
pub extern "C" fn mpay_journal_config_new() -> *mut mpay_journal_config {
    make(mpay_journal_config::default)
}

/// Keeps the journal in this SQLite file, which belongs to the journal alone: no other copy of SQLite in this
/// process may open it. The path must be absolute, and the file must exist unless
/// mpay_journal_config_set_create is called. Returns MPAY_OK or MPAY_INVALID_ARGUMENT. One thread at a time.
/// Since 0.2.0.
#[unsafe(no_mangle)]
pub unsafe extern "C" fn mpay_journal_config_set_file(
    config: Option<&mut mpay_journal_config>,
    path: *const c_char,
) -> i32 {
    set(|| {
        change(config, |config| {
            // SAFETY: the header's rule for texts.
            let file = text_of(unsafe { text(path, "file") }, "file")?;
            config.place = Some(Place::File(needed(file, "file")?));
            Ok(())
        })
    })
}

/// Keeps the journal in the merchant's own database. dialect is its SQL dialect (MPAY_DIALECT_POSTGRESQL and
/// so on). placeholders is the way in which the database's driver writes parameters
/// (MPAY_PLACEHOLDERS_NUMBERED and so on). user_data is passed to the callback unchanged. callback and
/// user_data must stay usable by every calling thread until release is called with user_data. That happens
/// after these settings and the journals opened with them are freed. `release` may be NULL. The command
/// `merchantpay journal schema` prints the statements that create the tables. Returns MPAY_OK or
/// MPAY_INVALID_ARGUMENT. One thread at a time. Since 0.2.0.
#[unsafe(no_mangle)]
pub extern "C" fn mpay_journal_config_set_database(
    config: Option<&mut mpay_journal_config>,
    dialect: i32,
    placeholders: i32,
    callback: mpay_database_callback,
    user_data: *mut c_void,
    release: mpay_release_callback,
) -> i32 {
    let user_data = UserData::new(user_data, release);
    set(|| {
        change(config, |config| {
            let dialect = known(Dialect::from_number(dialect), "dialect", "MPAY_DIALECT_")?;
            let placeholders =
                known(Placeholders::from_number(placeholders), "placeholders", "MPAY_PLACEHOLDERS_")?;
            let callback = DatabaseCallback::new(callback, user_data)?;
            config.place = Some(Place::Database(callback, dialect, placeholders));
            Ok(())
        })
    })
}

/// Sets the URL to which the service sends webhooks: an absolute URL, to which `/` and a token are added for
/// each attempt. NULL unsets it. Returns MPAY_OK or MPAY_INVALID_ARGUMENT. One thread at a time. Since 0.2.0.
#[unsafe(no_mangle)]
pub unsafe extern "C" fn mpay_journal_config_set_callback_url(
    config: Option<&mut mpay_journal_config>,
    url: *const c_char,
) -> i32 {
    set(|| {
        change(config, |config| {
            // SAFETY: the header's rule for texts.
            config.callback_url = text_of(unsafe { text(url, "url") }, "url")?;
            Ok(())
        })
    })
}

/// Sets the name of the merchant's account; unless set, the name is the base URL. A journal refuses a client
/// of a different account. NULL unsets it. Returns MPAY_OK or MPAY_INVALID_ARGUMENT. One thread at a time.
/// Since 0.2.0.
#[unsafe(no_mangle)]
pub unsafe extern "C" fn mpay_journal_config_set_account(
    config: Option<&mut mpay_journal_config>,
    account: *const c_char,
) -> i32 {
    set(|| {
        change(config, |config| {
            // SAFETY: the header's rule for texts.
            config.account = text_of(unsafe { text(account, "account") }, "account")?;
            Ok(())
        })
    })
}

/// Sets the deadline of a payment in milliseconds, including the time to store it: 30000 unless set, at least
/// 15000. Returns MPAY_OK or MPAY_INVALID_ARGUMENT. One thread at a time. Since 0.2.0.
#[unsafe(no_mangle)]
pub extern "C" fn mpay_journal_config_set_timeout_ms(
    config: Option<&mut mpay_journal_config>,
    timeout_ms: u32,
) -> i32 {
    set(|| {
        change(config, |config| {
            config.timeout_ms = Some(timeout_ms);
            Ok(())
        })
    })
}

/// Sets how many calls mpay_journal_settle makes per second at most: 10 unless set. Returns MPAY_OK or
/// MPAY_INVALID_ARGUMENT. One thread at a time. Since 0.2.0.
#[unsafe(no_mangle)]
pub extern "C" fn mpay_journal_config_set_calls_per_second(
    config: Option<&mut mpay_journal_config>,
    calls: u32,
) -> i32 {
    set(|| {
        change(config, |config| {
            config.calls_per_second = Some(calls);
            Ok(())
        })
    })
}

/// Sets how many calls mpay_journal_settle makes concurrently at most: 4 unless set, at most 64. The calls
/// run on threads that end before mpay_journal_settle returns; the database callback is always called on the
/// caller's thread. A client with a log or signer callback makes its calls one after another, on the caller's
/// thread. Returns MPAY_OK or MPAY_INVALID_ARGUMENT. One thread at a time. Since 0.3.0.
#[unsafe(no_mangle)]
pub extern "C" fn mpay_journal_config_set_calls_at_once(
    config: Option<&mut mpay_journal_config>,
    calls: u32,
) -> i32 {
    set(|| {
        change(config, |config| {
            config.calls_at_once = Some(calls);
            Ok(())
        })
    })
}

/// Sets whether mpay_journal_open creates the file or the tables if they are missing (1), or not (0, the
/// default). In production `merchantpay journal init` or a migration creates them once. Returns MPAY_OK or
/// MPAY_INVALID_ARGUMENT. One thread at a time. Since 0.3.0.
#[unsafe(no_mangle)]
pub extern "C" fn mpay_journal_config_set_create(
    config: Option<&mut mpay_journal_config>,
    create: i32,
) -> i32 {
    set(|| {
        change(config, |config| {
            config.create = flag(create, "create")? == Some(true);
            Ok(())
        })
    })
}

/// Sets how long mpay_journal_pay waits for a running call of the same payment, in milliseconds: 5000 unless
/// set; with 0 it does not wait. Returns MPAY_OK or MPAY_INVALID_ARGUMENT. One thread at a time. Since 0.3.0.
#[unsafe(no_mangle)]
pub extern "C" fn mpay_journal_config_set_pay_wait_ms(
    config: Option<&mut mpay_journal_config>,
    wait_ms: u32,
) -> i32 {
    set(|| {
        change(config, |config| {
            config.pay_wait_ms = Some(wait_ms);
            Ok(())
        })
    })
}

/// Accepts a setting of the database, such as "sync_binlog", with which the database could lose a stored
/// payment. Commas separate several settings. The merchant guarantees that no stored payment is lost in spite
/// of these settings. NULL adds nothing. Returns MPAY_OK or MPAY_INVALID_ARGUMENT. One thread at a time.
/// Since 0.3.0.
#[unsafe(no_mangle)]
pub unsafe extern "C" fn mpay_journal_config_add_durability_vouched(
    config: Option<&mut mpay_journal_config>,
    names: *const c_char,
) -> i32 {
    set(|| {
        change(config, |config| {
            // SAFETY: the header's rule for texts.
            let names = text_of(unsafe { text(names, "durability_vouched") }, "durability_vouched")?;
            config.durability_vouched.extend(names);
            Ok(())
        })
    })
}

/// Sets a setting of the definition by its name, such as "callback_url" or "pay_wait_ms", and its text, as
/// mpay_config_set does. The name of the journal's file is "file". NULL unsets the setting, and adds nothing
/// to a list. Returns MPAY_OK, or MPAY_INVALID_ARGUMENT for an unknown name or a text that cannot be read;
/// the error names the setting. One thread at a time. Since 0.3.0.
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
            let row = Row::among(JournalConfig::SETTINGS, needed_text(name, "name")?)?;
            let text = text_of(boundary::text(text, row.name), row.name);
            change(config, |config| config.set_text(row, text?))
        })
    }
}

/// Frees settings; NULL is allowed. Journals that were opened with them stay valid. Any thread, once. Since
/// 0.2.0.
#[unsafe(no_mangle)]
pub extern "C" fn mpay_journal_config_free(config: Option<Box<mpay_journal_config>>) {
    free(config);
}
