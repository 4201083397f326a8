//! Another Rust static library in the same program, with its own SQLite.
use std::ffi::{CStr, c_char, c_int, c_void};

unsafe extern "C" {
    fn sqlite3_libversion() -> *const c_char;
    fn sqlite3_open(file: *const c_char, database: *mut *mut c_void) -> c_int;
    fn sqlite3_exec(database: *mut c_void, sql: *const c_char, row: *const c_void, data: *mut c_void, error: *mut c_void) -> c_int;
    fn sqlite3_changes(database: *mut c_void) -> c_int;
    fn sqlite3_close(database: *mut c_void) -> c_int;
}

/// How many rows were written to a table in memory; negative after a failure.
#[unsafe(no_mangle)]
pub extern "C" fn third_rows() -> i32 {
    let mut database = std::ptr::null_mut();
    let sql = c"CREATE TABLE t (x); INSERT INTO t VALUES (1), (2), (3)";
    unsafe {
        if sqlite3_open(c":memory:".as_ptr(), &raw mut database) != 0 {
            return -1;
        }
        let failed = sqlite3_exec(database, sql.as_ptr(), std::ptr::null(), std::ptr::null_mut(), std::ptr::null_mut());
        let rows = if failed == 0 { sqlite3_changes(database) } else { -2 };
        sqlite3_close(database);
        rows
    }
}

/// Not that of the journal's SQLite.
#[unsafe(no_mangle)]
pub extern "C" fn third_version() -> *const c_char {
    let version = unsafe { CStr::from_ptr(sqlite3_libversion()) };
    version.as_ptr()
}
