//! A host's own database, whose callback fails in every way.

use std::cell::Cell;
use std::ffi::{CString, c_char, c_void};
use std::ptr::{null, null_mut};
use std::sync::Mutex;
use std::sync::atomic::{AtomicU32, Ordering};

use merchantpay_capi::*;
use rusqlite::{Connection, params_from_iter};

use crate::texts::{shown, text};

/// The way in which the callback fails, from the chosen statement on.
#[derive(Clone, Copy, PartialEq, Debug)]
pub(crate) enum Fault {
    None,
    /// Runs the statement and returns an undefined number.
    UnknownNumber,
    /// Runs the statement and reports that its effect is unclear.
    Unclear,
    /// Runs nothing and reports that the statement failed.
    Failed,
    /// Runs nothing and reports success.
    DoesNothing,
    /// Returns a row that is NULL.
    NullRow,
    /// Returns a row without columns.
    EmptyRow,
    /// Returns a row with more columns than the statement has.
    LongRow,
    /// Returns rows with fewer columns than the statement has.
    ShortRows,
    /// Returns rows whose text is not UTF-8.
    NotUtf8,
    /// Reports this number of written rows, whatever the true number is.
    Counts(u64),
    /// Runs every INSERT, and reports that its key already exists.
    Duplicate,
    /// Calls the journal itself during the callback.
    CallsBack,
}

/// The host.
pub(crate) struct Host {
    file: std::path::PathBuf,
    database: Mutex<Connection>,
    fault: Fault,
    /// The first word of the statements that fail.
    of: &'static str,
    /// The number of these statements that fail before the database works again.
    pub(crate) left: AtomicU32,
    pub(crate) journal: Cell<*const mpay_journal>,
    is_inside: Cell<bool>,
}

/// Runs a statement correctly and returns its result.
fn run_well(host: &Host, sql: &str, parameters: &[Option<String>], out: *mut mpay_rows) -> i32 {
    let database = host.database.lock().unwrap();
    let mut statement = database.prepare(sql).unwrap();
    // SAFETY: a pointer of the library, valid while the callback runs.
    let rows = unsafe { &mut *out };
    if statement.column_count() == 0 {
        return match statement.execute(params_from_iter(parameters)) {
            Ok(count) => mpay_rows_set_affected(Some(rows), count as u64),
            Err(error) if error.to_string().contains("UNIQUE") => MPAY_DATABASE_DUPLICATE,
            Err(error) => panic!("{sql}: {error}"),
        };
    }
    let columns = statement.column_count();
    let mut found = statement.query(params_from_iter(parameters)).unwrap();
    while let Some(row) = found.next().unwrap() {
        let value = |place| match row.get_ref(place).unwrap() {
            rusqlite::types::ValueRef::Null => None,
            rusqlite::types::ValueRef::Integer(number) => Some(text(&number.to_string())),
            other => Some(text(other.as_str().unwrap())),
        };
        let values: Vec<Option<CString>> = (0..columns).map(value).collect();
        let mut pointers: Vec<*const c_char> =
            values.iter().map(|value| value.as_ref().map_or(null(), |value| value.as_ptr())).collect();
        if host.fault == Fault::ShortRows && spoils(host, sql) {
            pointers.truncate(1);
        }
        let not_utf8 = [b'\xff' as c_char, 0];
        if host.fault == Fault::NotUtf8 && spoils(host, sql) {
            pointers.fill(not_utf8.as_ptr());
        }
        // SAFETY: an array of as many texts as the count says.
        assert_eq!(unsafe { mpay_rows_add(Some(rows), pointers.as_ptr(), pointers.len()) }, MPAY_OK);
    }
    MPAY_DATABASE_OK
}

/// Returns true if this statement must fail, and counts the failure.
fn spoils(host: &Host, sql: &str) -> bool {
    sql.starts_with(host.of)
        && host.left.fetch_update(Ordering::SeqCst, Ordering::SeqCst, |left| left.checked_sub(1)).is_ok()
}

pub(crate) unsafe extern "C" fn callback(
    user_data: *mut c_void,
    sql: *const c_char,
    parameters: *const *const c_char,
    count: usize,
    out: *mut mpay_rows,
) -> i32 {
    // SAFETY: the test's host, which lives longer than the journal.
    let host = unsafe { &*user_data.cast::<Host>() };
    let sql = shown(sql);
    let parameter = |place| {
        // SAFETY: an array of `count` pointers.
        let pointer = unsafe { *parameters.add(place) };
        (!pointer.is_null()).then(|| shown(pointer).to_owned())
    };
    let parameters: Vec<Option<String>> = (0..count).map(parameter).collect();
    let well = || run_well(host, sql, &parameters, out);
    if matches!(host.fault, Fault::None | Fault::ShortRows | Fault::NotUtf8) || !spoils(host, sql) {
        return well();
    }
    // SAFETY: a pointer of the library, valid while the callback runs.
    let rows = || Some(unsafe { &mut *out });
    match host.fault {
        Fault::UnknownNumber => {
            well();
            -77
        }
        Fault::Unclear => {
            well();
            MPAY_DATABASE_UNCLEAR
        }
        Fault::Failed => {
            let why = text("no such connection");
            // SAFETY: a text that ends with NUL.
            assert_eq!(unsafe { mpay_rows_set_message(rows(), why.as_ptr()) }, MPAY_OK);
            MPAY_DATABASE_FAILED
        }
        Fault::DoesNothing => MPAY_DATABASE_OK,
        Fault::NullRow | Fault::EmptyRow | Fault::LongRow => {
            let one: [*const c_char; 1] = [null()];
            let (values, count) = match host.fault {
                Fault::NullRow => (null(), 3),
                Fault::EmptyRow => (one.as_ptr(), 0),
                _ => (one.as_ptr(), usize::MAX),
            };
            // SAFETY: the function refuses the values before it reads them.
            assert_eq!(unsafe { mpay_rows_add(rows(), values, count) }, MPAY_INVALID_ARGUMENT);
            well()
        }
        Fault::Counts(count) => {
            let result = well();
            mpay_rows_set_affected(rows(), count);
            result
        }
        Fault::Duplicate => {
            well();
            MPAY_DATABASE_DUPLICATE
        }
        Fault::CallsBack if !host.is_inside.get() && !host.journal.get().is_null() => {
            host.is_inside.set(true);
            let (mut found, reference) = (null_mut(), text("order"));
            // SAFETY: the journal exists while its callback runs.
            let code = unsafe {
                mpay_journal_find(host.journal.get().as_ref(), reference.as_ptr(), &raw mut found, null_mut())
            };
            assert_eq!(code, MPAY_OK);
            // SAFETY: a handle that the call returned.
            mpay_entry_free((!found.is_null()).then(|| unsafe { Box::from_raw(found) }));
            host.is_inside.set(false);
            well()
        }
        _ => well(),
    }
}

/// The number of databases so far.
static HOSTS: AtomicU32 = AtomicU32::new(0);

impl Drop for Host {
    fn drop(&mut self) {
        for ending in ["", "-wal", "-shm"] {
            let _ = std::fs::remove_file(format!("{}{ending}", self.file.display()));
        }
    }
}

pub(crate) fn host(fault: Fault, of: &'static str, left: u32) -> Host {
    let file = std::env::temp_dir().join(format!(
        "merchantpay-capi-{}-{}.db",
        std::process::id(),
        HOSTS.fetch_add(1, Ordering::SeqCst)
    ));
    let database = Connection::open(&file).unwrap();
    // The settings with which the journal is durable.
    let mode: String = database.query_row("PRAGMA journal_mode = WAL", [], |row| row.get(0)).unwrap();
    assert_eq!(mode, "wal");
    Host {
        file,
        database: Mutex::new(database),
        fault,
        of,
        left: AtomicU32::new(left),
        journal: Cell::new(null()),
        is_inside: Cell::new(false),
    }
}
