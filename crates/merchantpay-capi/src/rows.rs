//! `mpay_rows` and `mpay_database_callback`: the merchant's own database, of which the journal knows a
//! function that runs a statement.

use std::ffi::{CString, c_char, c_void};
use std::sync::Arc;

use merchantpay::{Error, Result};
use merchantpay_journal::{Database, Dialect, Placeholders, Rows, StoreError};

use crate::boundary::{foreign_text, needed, set};
use crate::user_data::UserData;

/// What mpay_database_callback returns: the statement ran.
pub const MPAY_DATABASE_OK: i32 = 0;
/// Another row has the key (SQLSTATE 23505, MySQL 1062): nothing was written.
pub const MPAY_DATABASE_DUPLICATE: i32 = 1;
/// It is not known whether it took effect: the connection was lost.
pub const MPAY_DATABASE_UNCLEAR: i32 = 2;
/// It did not take effect.
pub const MPAY_DATABASE_FAILED: i32 = 3;

/// More columns than any statement of the journal has.
const MOST_COLUMNS: usize = 256;

/// Where mpay_database_callback puts what a statement gave. Only for as long as the callback runs.
#[derive(Default)]
pub struct mpay_rows {
    rows: Rows,
    message: Option<String>,
    /// Whether something was added that no row can be.
    is_broken: bool,
}

/// Runs one SQL statement with count text parameters, of which an absent one is NULL, on a connection that is
/// the journal's own and in autocommit, and waits until it is durable. Each row goes to mpay_rows_add, the
/// number of rows that were written to mpay_rows_set_affected, and what went wrong to mpay_rows_set_message.
/// Returns MPAY_DATABASE_OK, MPAY_DATABASE_DUPLICATE, MPAY_DATABASE_UNCLEAR or MPAY_DATABASE_FAILED; any
/// other number counts as unclear. It may be called by several threads at once, and may use the library. It
/// must return, not jump or throw.
pub type mpay_database_callback = Option<
    unsafe extern "C" fn(
        user_data: *mut c_void,
        sql: *const c_char,
        parameters: *const *const c_char,
        count: usize,
        out: *mut mpay_rows,
    ) -> i32,
>;

/// The callback and what it asked to be given.
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

    /// The database as the journal sees it.
    pub(crate) fn database(self, dialect: Dialect, placeholders: Placeholders) -> Database {
        Database::new(dialect, move |sql, parameters| self.run(sql, parameters)).placeholders(placeholders)
    }

    fn run(&self, sql: &str, parameters: &[Option<&str>]) -> std::result::Result<Rows, StoreError> {
        let text = |text: &str| {
            CString::new(text).map_err(|_| StoreError::Failed("a text has a NUL in it".to_owned()))
        };
        let sql = text(sql)?;
        let texts: Vec<Option<CString>> = parameters
            .iter()
            .map(|parameter| parameter.map(text).transpose())
            .collect::<std::result::Result<_, _>>()?;
        let pointers: Vec<*const c_char> =
            texts.iter().map(|text| text.as_ref().map_or(std::ptr::null(), |text| text.as_ptr())).collect();
        let mut out = mpay_rows::default();
        // SAFETY: the caller's function with the caller's data; all that it is given lives until it returns.
        let answer = unsafe {
            (self.callback)(
                self.user_data.pointer(),
                sql.as_ptr(),
                pointers.as_ptr(),
                pointers.len(),
                &raw mut out,
            )
        };
        let message = out.message.unwrap_or_else(|| format!("the database callback returned {answer}"));
        match answer {
            MPAY_DATABASE_OK if out.is_broken => {
                Err(StoreError::Unclear("the database callback added an invalid row".to_owned()))
            }
            MPAY_DATABASE_OK => Ok(out.rows),
            MPAY_DATABASE_DUPLICATE => Err(StoreError::Duplicate),
            MPAY_DATABASE_FAILED => Err(StoreError::Failed(message)),
            _ => Err(StoreError::Unclear(message)),
        }
    }
}

/// Adds a row of count values, each a text, or NULL where the database has NULL; they are copied. Numbers are
/// given as the database writes them. Returns MPAY_OK or MPAY_INVALID_ARGUMENT, after which the statement
/// counts as unclear. The callback's thread. Since 0.2.0.
#[unsafe(no_mangle)]
pub unsafe extern "C" fn mpay_rows_add(
    rows: Option<&mut mpay_rows>,
    values: *const *const c_char,
    count: usize,
) -> i32 {
    set(|| {
        let rows = needed(rows, "rows")?;
        // Unless it goes well.
        let was_broken = std::mem::replace(&mut rows.is_broken, true);
        if values.is_null() || count == 0 || count > MOST_COLUMNS {
            return Err(Error::invalid_argument("a row has from 1 to 256 values"));
        }
        // SAFETY: not NULL, and otherwise the caller's promise: count pointers, each NULL or to a text.
        let row =
            (0..count).map(|place| unsafe { foreign_text(*values.add(place)) }.map(|text| text.into_owned()));
        rows.rows.rows.push(row.collect());
        rows.is_broken = was_broken;
        Ok(())
    })
}

/// Sets how many rows an INSERT or UPDATE has written; 0 unless set. Returns MPAY_OK or
/// MPAY_INVALID_ARGUMENT. The callback's thread. Since 0.2.0.
#[unsafe(no_mangle)]
pub extern "C" fn mpay_rows_set_affected(rows: Option<&mut mpay_rows>, affected: u64) -> i32 {
    set(|| {
        needed(rows, "rows")?.rows.affected = affected;
        Ok(())
    })
}

/// Sets what went wrong, for the message of the error; the library does not read it. It is copied. Returns
/// MPAY_OK or MPAY_INVALID_ARGUMENT. The callback's thread. Since 0.2.0.
#[unsafe(no_mangle)]
pub unsafe extern "C" fn mpay_rows_set_message(rows: Option<&mut mpay_rows>, message: *const c_char) -> i32 {
    set(|| {
        // SAFETY: the header's rule for texts.
        needed(rows, "rows")?.message = unsafe { foreign_text(message) }.map(|text| text.into_owned());
        Ok(())
    })
}
