//! `mpay_rows` and `mpay_database_callback`: the merchant's own database, which the journal reaches through a
//! function that runs a statement.

use std::ffi::{c_char, c_void};
use std::sync::Arc;

use merchantpay::{Error, Result};
use merchantpay_journal::{Database, Dialect, Placeholders, Rows, StoreError};

use crate::boundary::{foreign_text, needed, set};
use crate::handle::read;
use crate::user_data::UserData;

/// mpay_database_callback returns this if the statement succeeded.
pub const MPAY_DATABASE_OK: i32 = 0;
/// mpay_database_callback returns this if another row already has the key (SQLSTATE 23505, MySQL 1062):
/// nothing was written.
pub const MPAY_DATABASE_DUPLICATE: i32 = 1;
/// mpay_database_callback returns this if the connection was lost: the statement may have taken effect.
pub const MPAY_DATABASE_UNCLEAR: i32 = 2;
/// mpay_database_callback returns this if the statement failed and was certainly not carried out.
pub const MPAY_DATABASE_FAILED: i32 = 3;

/// The largest number of columns that is accepted. No statement of the journal returns as many.
const MOST_COLUMNS: usize = 256;

/// Receives the result of a statement from mpay_database_callback. This object is valid until the callback
/// returns.
#[derive(Default)]
pub struct mpay_rows {
    rows: Rows,
    message: Option<String>,
    /// True after the callback has added an invalid row.
    is_broken: bool,
}

/// A callback that runs one SQL statement in autocommit, on a connection that only the journal uses, and
/// waits until its effect is durable. The statement has `count` parameters, each a text, or NULL for SQL's
/// NULL. The callback passes each row to mpay_rows_add, the number of written rows to mpay_rows_set_affected,
/// and an error's text to mpay_rows_set_message. Returns MPAY_DATABASE_OK, or the result of
/// mpay_database_failure for the server's error code; any other number is treated as MPAY_DATABASE_UNCLEAR.
/// Several threads can call the callback at once, and the callback may use the library. It must return
/// normally: it must not throw or call longjmp.
pub type mpay_database_callback = Option<
    unsafe extern "C" fn(
        user_data: *mut c_void,
        sql: *const c_char,
        parameters: *const *const c_char,
        count: usize,
        out: *mut mpay_rows,
    ) -> i32,
>;

/// The callback and its user data.
#[derive(Clone)]
pub(crate) struct DatabaseCallback {
    callback:
        unsafe extern "C" fn(*mut c_void, *const c_char, *const *const c_char, usize, *mut mpay_rows) -> i32,
    user_data: Arc<UserData>,
}

impl DatabaseCallback {
    pub(crate) fn new(callback: mpay_database_callback, user_data: UserData) -> Result<DatabaseCallback> {
        Ok(DatabaseCallback { callback: needed(callback, "callback")?, user_data: Arc::new(user_data) })
    }

    /// The database for the journal.
    pub(crate) fn database(self, dialect: Dialect, placeholders: Placeholders) -> Database {
        Database::new(dialect, move |sql, parameters| self.run(sql, parameters)).placeholders(placeholders)
    }

    fn run(&self, sql: &str, parameters: &[Option<&str>]) -> std::result::Result<Rows, StoreError> {
        let given = || parameters.iter().flatten().copied().chain([sql]);
        if given().any(|text| text.contains('\0')) {
            return Err(StoreError::Failed("a text has a NUL in it".to_owned()));
        }
        // All texts in one allocation, because each statement has many.
        let mut texts = Vec::with_capacity(given().map(|text| text.len() + 1).sum());
        for text in given() {
            texts.extend_from_slice(text.as_bytes());
            texts.push(0);
        }
        let mut start = 0;
        let mut pointer = |text: &str| {
            let pointer: *const c_char = texts[start..].as_ptr().cast();
            start += text.len() + 1;
            pointer
        };
        let pointers: Vec<*const c_char> =
            parameters.iter().map(|parameter| parameter.map_or(std::ptr::null(), &mut pointer)).collect();
        let sql = pointer(sql);
        let mut out = mpay_rows::default();
        // SAFETY: the caller's function with the caller's data; all that it is given lives until it returns.
        let answer = unsafe {
            (self.callback)(self.user_data.pointer(), sql, pointers.as_ptr(), pointers.len(), &raw mut out)
        };
        let message = out.message;
        let message = || message.unwrap_or_else(|| format!("the database callback failed with {answer}"));
        match answer {
            MPAY_DATABASE_OK if out.is_broken => Err(StoreError::Unclear(
                "the database callback returned success, but mpay_rows_add had refused a row".to_owned(),
            )),
            MPAY_DATABASE_OK => Ok(out.rows),
            MPAY_DATABASE_DUPLICATE => Err(StoreError::Duplicate),
            MPAY_DATABASE_FAILED => Err(StoreError::Failed(message())),
            _ => Err(StoreError::Unclear(message())),
        }
    }
}

/// Adds a row. `values` has `count` texts, and NULL in place of a database's NULL; the texts are copied.
/// Numbers are texts, as the database writes them. Returns MPAY_OK or MPAY_INVALID_ARGUMENT; after
/// MPAY_INVALID_ARGUMENT the journal assumes that the statement may have taken effect. The callback's thread
/// only. Since 0.2.0.
#[unsafe(no_mangle)]
pub unsafe extern "C" fn mpay_rows_add(
    rows: Option<&mut mpay_rows>,
    values: *const *const c_char,
    count: usize,
) -> i32 {
    set(|| {
        let rows = needed(rows, "rows")?;
        // The rows are marked as broken until this row is added.
        let was_broken = std::mem::replace(&mut rows.is_broken, true);
        if values.is_null() || count == 0 || count > MOST_COLUMNS {
            return Err(Error::invalid_argument("a row must have 1 to 256 values"));
        }
        // SAFETY: not NULL, and otherwise the caller's promise: count pointers, each NULL or to a text.
        let row =
            (0..count).map(|place| unsafe { foreign_text(*values.add(place)) }.map(|text| text.into_owned()));
        rows.rows.rows.push(row.collect());
        rows.is_broken = was_broken;
        Ok(())
    })
}

/// Sets the number of rows that an INSERT or UPDATE has written; 0 unless set. Returns MPAY_OK or
/// MPAY_INVALID_ARGUMENT. The callback's thread only. Since 0.2.0.
#[unsafe(no_mangle)]
pub extern "C" fn mpay_rows_set_affected(rows: Option<&mut mpay_rows>, affected: u64) -> i32 {
    set(|| {
        needed(rows, "rows")?.rows.affected = affected;
        Ok(())
    })
}

/// Sets the database's error text, for the message of the error; the library does not interpret the text. It
/// is copied. Returns MPAY_OK or MPAY_INVALID_ARGUMENT. The callback's thread only. Since 0.2.0.
#[unsafe(no_mangle)]
pub unsafe extern "C" fn mpay_rows_set_message(rows: Option<&mut mpay_rows>, message: *const c_char) -> i32 {
    set(|| {
        // SAFETY: the header's rule for texts.
        needed(rows, "rows")?.message = unsafe { foreign_text(message) }.map(|text| text.into_owned());
        Ok(())
    })
}

/// Returns what an error code of the database says about the failed statement: MPAY_DATABASE_DUPLICATE,
/// MPAY_DATABASE_UNCLEAR or MPAY_DATABASE_FAILED. The code is the SQLSTATE of PostgreSQL, the error number of
/// MySQL and MariaDB, or the extended result code of SQLite, as a text. NULL, an unknown dialect, or a code that
/// does not come from the server means MPAY_DATABASE_UNCLEAR. Any thread. Since 0.3.0.
#[unsafe(no_mangle)]
pub unsafe extern "C" fn mpay_database_failure(dialect: i32, code: *const c_char) -> i32 {
    let failure = read(Some(&dialect), |dialect| {
        // SAFETY: the header's rule for texts.
        let code = unsafe { foreign_text(code) }.unwrap_or_default();
        match Dialect::from_number(*dialect).map(|dialect| StoreError::of_code(dialect, &code, "")) {
            Some(StoreError::Duplicate) => MPAY_DATABASE_DUPLICATE,
            Some(StoreError::Failed(_)) => MPAY_DATABASE_FAILED,
            Some(StoreError::Unclear(_)) | None => MPAY_DATABASE_UNCLEAR,
        }
    });
    if failure == MPAY_DATABASE_OK { MPAY_DATABASE_UNCLEAR } else { failure }
}
