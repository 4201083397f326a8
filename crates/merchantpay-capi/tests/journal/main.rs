//! The journal over a host's own database, whose callback fails in every way: nothing is sent twice, and the
//! journal goes on.

use std::cell::Cell;
use std::ffi::{CStr, CString, c_char, c_void};
use std::ptr::{null, null_mut};
use std::sync::Mutex;
use std::sync::atomic::{AtomicU32, Ordering};

use merchantpay_capi::*;
use merchantpay_sandbox::{Options, Sandbox};
use rusqlite::{Connection, params_from_iter};

/// How the callback fails, from the statement on that it is asked to spoil.
#[derive(Clone, Copy, PartialEq, Debug)]
enum Fault {
    None,
    /// Runs the statement and returns a number that means nothing.
    UnknownNumber,
    /// Runs the statement and says that its effect is unclear.
    Unclear,
    /// Runs nothing and says that the statement failed.
    Failed,
    /// Runs nothing and says that it went well.
    DoesNothing,
    /// Gives a row that is NULL.
    NullRow,
    /// Gives a row without columns.
    EmptyRow,
    /// Gives a row of more columns than there are.
    LongRow,
    /// Gives rows with fewer columns than were asked for.
    ShortRows,
    /// Gives rows of text that is not UTF-8.
    NotUtf8,
    /// Counts this many rows as written, whatever happened.
    Counts(u64),
    /// Says that every INSERT met a key that is there, although it ran.
    Duplicate,
    /// Asks the journal itself meanwhile.
    CallsBack,
}

/// The host.
struct Host {
    file: std::path::PathBuf,
    database: Mutex<Connection>,
    fault: Fault,
    /// The first word of the statements that are spoiled.
    of: &'static str,
    /// How many of them are spoiled before all goes well again.
    left: AtomicU32,
    journal: Cell<*const mpay_journal>,
    is_inside: Cell<bool>,
}

fn text(text: &str) -> CString {
    CString::new(text).unwrap()
}

fn shown<'a>(pointer: *const c_char) -> &'a str {
    if pointer.is_null() {
        return "";
    }
    // SAFETY: a text of the library, borrowed from what the test holds.
    unsafe { CStr::from_ptr(pointer) }.to_str().unwrap()
}

/// Runs a statement and gives what it gave.
fn run_well(host: &Host, sql: &str, parameters: &[Option<String>], out: *mut mpay_rows) -> i32 {
    let database = host.database.lock().unwrap();
    let mut statement = database.prepare(sql).unwrap();
    // SAFETY: the library's own, for as long as the callback runs.
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
        // SAFETY: as many texts as are counted.
        assert_eq!(unsafe { mpay_rows_add(Some(rows), pointers.as_ptr(), pointers.len()) }, MPAY_OK);
    }
    MPAY_DATABASE_OK
}

/// Whether this statement is spoiled.
fn spoils(host: &Host, sql: &str) -> bool {
    sql.starts_with(host.of)
        && host.left.fetch_update(Ordering::SeqCst, Ordering::SeqCst, |left| left.checked_sub(1)).is_ok()
}

unsafe extern "C" fn callback(
    user_data: *mut c_void,
    sql: *const c_char,
    parameters: *const *const c_char,
    count: usize,
    out: *mut mpay_rows,
) -> i32 {
    // SAFETY: the test's host, which outlives the journal.
    let host = unsafe { &*user_data.cast::<Host>() };
    let sql = shown(sql);
    let parameter = |place| {
        // SAFETY: `count` pointers.
        let pointer = unsafe { *parameters.add(place) };
        (!pointer.is_null()).then(|| shown(pointer).to_owned())
    };
    let parameters: Vec<Option<String>> = (0..count).map(parameter).collect();
    let well = || run_well(host, sql, &parameters, out);
    if matches!(host.fault, Fault::None | Fault::ShortRows | Fault::NotUtf8) || !spoils(host, sql) {
        return well();
    }
    // SAFETY: the library's own, for as long as the callback runs.
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
            // SAFETY: a text.
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
            // SAFETY: it is refused before it is read.
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
            // SAFETY: given by the call.
            mpay_entry_free((!found.is_null()).then(|| unsafe { Box::from_raw(found) }));
            host.is_inside.set(false);
            well()
        }
        _ => well(),
    }
}

/// Sets something that cannot be right.
type Setter = fn(Option<&mut mpay_journal_config>) -> i32;

/// A client of a sandbox.
struct Shop {
    sandbox: Sandbox,
    client: *mut mpay_client,
}

impl Shop {
    fn new() -> Shop {
        let sandbox =
            Sandbox::start(Options { pace: std::time::Duration::ZERO, ..Options::default() }).unwrap();
        let config = mpay_config_new();
        let mut client = null_mut();
        let set = |setter: unsafe extern "C" fn(Option<&mut mpay_config>, *const c_char) -> i32,
                   value: &str| {
            // SAFETY: a handle of the library, and a text.
            assert_eq!(unsafe { setter(config.as_mut(), text(value).as_ptr()) }, MPAY_OK);
        };
        set(mpay_config_set_base_url, sandbox.url());
        set(mpay_config_set_key_id, sandbox.merchant_key_id());
        set(mpay_config_set_private_key, &sandbox.merchant_private_key().unwrap().to_base64());
        set(mpay_config_add_server_public_key, &sandbox.server_public_key().to_base64());
        // SAFETY: handles of the library.
        unsafe {
            assert_eq!(mpay_client_new(config.as_ref(), &raw mut client, null_mut()), MPAY_OK);
            mpay_config_free(Some(Box::from_raw(config)));
        }
        Shop { sandbox, client }
    }

    fn open(&self, host: &Host) -> Result<*mut mpay_journal, (i32, String)> {
        let config = mpay_journal_config_new();
        let user_data = (&raw const *host).cast_mut().cast();
        // SAFETY: handles of the library; the host outlives the journal.
        unsafe {
            let placeholders = MPAY_PLACEHOLDERS_QUESTION;
            let set = mpay_journal_config_set_database(
                config.as_mut(),
                MPAY_DIALECT_SQLITE,
                placeholders,
                Some(callback),
                user_data,
                None,
            );
            assert_eq!(set, MPAY_OK);
            assert_eq!(mpay_journal_config_set_create(config.as_mut(), 1), MPAY_OK);
            assert_eq!(mpay_journal_config_set_timeout_ms(config.as_mut(), 15_000), MPAY_OK);
            let (mut journal, mut error) = (null_mut(), null_mut());
            let code =
                mpay_journal_open(self.client.as_ref(), config.as_ref(), &raw mut journal, &raw mut error);
            mpay_journal_config_free(Some(Box::from_raw(config)));
            host.journal.set(journal);
            reported(code, error).map(|()| journal)
        }
    }

    /// Pays, and gives standing, attempt and whether there are credentials.
    fn pay(&self, journal: *mut mpay_journal) -> Result<(i32, u32, bool), (i32, String)> {
        let request = mpay_payment_request_new();
        let (mut entry, mut error) = (null_mut(), null_mut());
        // SAFETY: handles of the library, and texts.
        unsafe {
            mpay_payment_request_set_sum(request.as_mut(), c"10".as_ptr());
            mpay_payment_request_set_payment_method(request.as_mut(), c"sbp".as_ptr());
            mpay_payment_request_set_customer_account(request.as_mut(), c"79001234567".as_ptr());
            let (request_read, reference) = (request.as_ref(), c"order".as_ptr());
            let code = mpay_journal_pay(
                journal.as_ref(),
                reference,
                request_read,
                0,
                &raw mut entry,
                &raw mut error,
            );
            mpay_payment_request_free(Some(Box::from_raw(request)));
            let paid = (
                mpay_entry_standing(entry.as_ref()),
                mpay_entry_attempt(entry.as_ref()),
                !mpay_entry_credentials(entry.as_ref()).is_null(),
            );
            mpay_entry_free((!entry.is_null()).then(|| Box::from_raw(entry)));
            reported(code, error).map(|()| paid)
        }
    }
}

impl Drop for Shop {
    fn drop(&mut self) {
        // SAFETY: made by `mpay_client_new`.
        mpay_client_free(Some(unsafe { Box::from_raw(self.client) }));
    }
}

/// A code, and the message of an error, which is freed.
fn reported(code: i32, error: *mut mpay_error) -> Result<(), (i32, String)> {
    if code == MPAY_OK {
        assert!(error.is_null());
        return Ok(());
    }
    // SAFETY: given by the call.
    let error = unsafe { Box::from_raw(error) };
    let message = shown(mpay_error_message(Some(&error))).to_owned();
    mpay_error_free(Some(error));
    Err((code, message))
}

/// How many databases there were.
static HOSTS: AtomicU32 = AtomicU32::new(0);

impl Drop for Host {
    fn drop(&mut self) {
        for ending in ["", "-wal", "-shm"] {
            let _ = std::fs::remove_file(format!("{}{ending}", self.file.display()));
        }
    }
}

fn host(fault: Fault, of: &'static str, left: u32) -> Host {
    let file = std::env::temp_dir().join(format!(
        "merchantpay-capi-{}-{}.db",
        std::process::id(),
        HOSTS.fetch_add(1, Ordering::SeqCst)
    ));
    let database = Connection::open(&file).unwrap();
    // What the journal needs to be durable.
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

fn close(journal: *mut mpay_journal) {
    // SAFETY: made by `mpay_journal_open`.
    mpay_journal_free(Some(unsafe { Box::from_raw(journal) }));
}

/// What a payment becomes while a statement of that kind is spoiled, and what the same payment is afterwards.
#[test]
fn whatever_the_callback_does_to_a_payment_nothing_is_sent_twice() {
    let open = Ok((MPAY_STANDING_OPEN, 1, true));
    for (fault, of, times) in [
        (Fault::None, "", 0),
        (Fault::UnknownNumber, "INSERT", 2),
        (Fault::UnknownNumber, "UPDATE", 2),
        (Fault::Unclear, "INSERT", 1),
        (Fault::Unclear, "UPDATE", 1),
        (Fault::Unclear, "SELECT", 1),
        (Fault::Duplicate, "INSERT", 1),
        (Fault::Counts(0), "", u32::MAX),
        (Fault::Counts(1), "", u32::MAX),
        (Fault::Counts(u64::MAX), "", u32::MAX),
        (Fault::CallsBack, "", u32::MAX),
        (Fault::NullRow, "UPDATE", 1),
        (Fault::Failed, "UPDATE", 1),
    ] {
        let (shop, host) = (Shop::new(), host(fault, of, 0));
        let journal = shop.open(&host).unwrap();
        host.left.store(times, Ordering::SeqCst);
        assert_eq!(shop.pay(journal), open, "{fault:?} of {of}");
        assert_eq!(shop.pay(journal), open, "{fault:?} of {of}, again");
        assert_eq!(shop.sandbox.requests("newPayment"), 1, "{fault:?} of {of}");
        close(journal);
    }
}

#[test]
fn what_the_callback_cannot_store_or_read_is_not_sent() {
    for (fault, of) in [
        (Fault::Failed, "INSERT"),
        (Fault::Failed, "SELECT"),
        (Fault::DoesNothing, "INSERT"),
        (Fault::DoesNothing, "SELECT"),
        (Fault::ShortRows, "SELECT"),
        (Fault::NotUtf8, "SELECT"),
    ] {
        let (shop, host) = (Shop::new(), host(fault, of, 0));
        let journal = shop.open(&host).unwrap();
        host.left.store(u32::MAX, Ordering::SeqCst);
        let (code, message) = shop.pay(journal).unwrap_err();
        assert_eq!(code, MPAY_STORAGE, "{fault:?} of {of}: {message}");
        assert!(fault != Fault::Failed || message.contains("no such connection"), "{message}");
        assert_eq!(shop.sandbox.requests("newPayment"), 0, "{fault:?} of {of}");
        host.left.store(0, Ordering::SeqCst);
        assert_eq!(shop.pay(journal), Ok((MPAY_STANDING_OPEN, 1, true)), "{fault:?} of {of}");
        assert_eq!(shop.sandbox.requests("newPayment"), 1, "{fault:?} of {of}");
        close(journal);
    }
}

#[test]
fn a_database_that_gives_no_rows_is_refused_when_the_journal_is_opened() {
    for fault in [
        Fault::DoesNothing,
        Fault::NullRow,
        Fault::EmptyRow,
        Fault::LongRow,
        Fault::ShortRows,
        Fault::NotUtf8,
        Fault::UnknownNumber,
        Fault::Failed,
        Fault::Duplicate,
    ] {
        let (shop, host) = (Shop::new(), host(fault, "SELECT", u32::MAX));
        let (code, message) = shop.open(&host).unwrap_err();
        assert_eq!(code, MPAY_STORAGE, "{fault:?}: {message}");
    }
}

#[test]
fn settings_that_cannot_be_right_are_told_at_once_and_when_the_journal_is_opened() {
    let shop = Shop::new();
    let set: [(&str, Setter); 5] = [
        ("a dialect", |config| {
            mpay_journal_config_set_database(config, 9, 1, Some(callback), null_mut(), None)
        }),
        ("placeholders", |config| {
            mpay_journal_config_set_database(config, 1, 0, Some(callback), null_mut(), None)
        }),
        ("no callback", |config| mpay_journal_config_set_database(config, 1, 1, None, null_mut(), None)),
        // SAFETY: NULL is allowed.
        ("no file", |config| unsafe { mpay_journal_config_set_file(config, null()) }),
        // SAFETY: a text.
        ("an empty file", |config| unsafe { mpay_journal_config_set_file(config, c"".as_ptr()) }),
    ];
    for (what, set) in set {
        let config = mpay_journal_config_new();
        let (mut journal, mut error) = (null_mut(), null_mut());
        // SAFETY: handles of the library.
        unsafe {
            assert_eq!(set(config.as_mut()), MPAY_INVALID_ARGUMENT, "{what}");
            let code =
                mpay_journal_open(shop.client.as_ref(), config.as_ref(), &raw mut journal, &raw mut error);
            assert_eq!(reported(code, error).unwrap_err().0, MPAY_INVALID_ARGUMENT, "{what}");
            mpay_journal_config_free(Some(Box::from_raw(config)));
        }
        assert!(journal.is_null());
    }
}

#[test]
fn without_a_journal_every_function_fails_and_every_getter_has_nothing() {
    let (mut error, mut entry, mut entries) = (null_mut(), null_mut(), null_mut());
    let (mut number, mut changed, mut status, mut next) = (7_u32, 7_i32, 7_i32, 7_i64);
    // SAFETY: NULL, or the test's own places.
    unsafe {
        let codes = [
            mpay_journal_find(None, c"r".as_ptr(), &raw mut entry, &raw mut error),
            mpay_journal_pay(None, c"r".as_ptr(), None, 0, &raw mut entry, null_mut()),
            mpay_journal_pay_async(None, c"r".as_ptr(), None, 0, &raw mut entry, null_mut()),
            mpay_journal_confirm(None, None, &raw mut entry, null_mut()),
            mpay_journal_cancel(None, None, &raw mut entry, null_mut()),
            mpay_journal_wait(None, c"r".as_ptr(), 1, 1, &raw mut entry, null_mut()),
            mpay_journal_list(None, 0, 1, None, &raw mut entries, null_mut()),
            mpay_journal_news(None, 1, 0, &raw mut entries, null_mut()),
            mpay_journal_attention(None, 1, &raw mut entries, null_mut()),
            mpay_journal_settle(None, 1, &raw mut number, &raw mut next, null_mut()),
            mpay_journal_acknowledge(None, None, &raw mut changed, null_mut()),
            mpay_journal_acknowledge_with(None, None, None, null_mut(), &raw mut changed, null_mut()),
            mpay_journal_resolve(None, None, 3, null(), c"n".as_ptr(), null_mut()),
            mpay_journal_receive(
                None,
                null(),
                null(),
                0,
                null(),
                null(),
                &raw mut status,
                &raw mut entry,
                null_mut(),
            ),
        ];
        assert_eq!(codes, [MPAY_INVALID_ARGUMENT; 14]);
        mpay_error_free(Some(Box::from_raw(error)));
    }
    assert!(entry.is_null() && entries.is_null());
    assert_eq!((number, changed, status, next), (0, 0, 503, -1));
    assert_eq!((mpay_entry_standing(None), mpay_entry_attempt(None), mpay_entry_succeeded(None)), (0, 0, 0));
    assert!(mpay_entry_json(None).is_null() && mpay_entry_credentials(None).is_null());
    assert!(mpay_entries_get(None, 0).is_null() && mpay_entries_count(None) == 0);
}
