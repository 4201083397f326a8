//! Tests of files that do not contain a journal, and of the creation of a journal.

use std::path::{Path, PathBuf};

use merchantpay::{Code, Outcome};
use merchantpay_journal_old::{Journal, JournalConfig, SqliteStore};

use crate::shop::{Shop, request};

pub fn storage_error(result: merchantpay::Result<impl std::fmt::Debug>) {
    let error = result.unwrap_err();
    assert_eq!((error.code(), error.outcome()), (Code::Storage, Outcome::NotSent), "{error}");
}

/// The error of opening a journal in this file.
fn refusal(shop: &Shop, file: &Path, create: bool) -> (Code, String) {
    let error = Journal::open(&shop.client, JournalConfig::new(file).create(create)).unwrap_err();
    assert_eq!((error.outcome(), error.is_transient()), (Outcome::NotSent, false), "{error}");
    (error.code(), error.message().to_owned())
}

/// All files of a folder, with their content.
fn contents(folder: &Path) -> Vec<(PathBuf, Option<Vec<u8>>)> {
    let read = std::fs::read_dir(folder).unwrap().map(|entry| entry.unwrap().path());
    let mut all: Vec<_> = read.map(|path| (path.clone(), std::fs::read(path).ok())).collect();
    all.sort();
    all
}

#[test]
fn a_missing_file_is_not_created_unless_the_configuration_says_so() {
    let shop = Shop::new();
    let file = shop.folder.file();
    let (code, message) = refusal(&shop, &file, false);
    assert_eq!(code, Code::Storage);
    let command = format!("`merchantpay journal init --journal {}`", file.display());
    assert!(message.contains(&command) && message.contains("the setting `create`"), "{message}");
    assert_eq!(contents(shop.folder.path()), []);

    shop.journal().pay("order", &request("10", "79001234567")).unwrap();
    let open = || Journal::open(&shop.client, shop.with_settings(JournalConfig::new(&file))).unwrap();
    assert!(open().find("order").unwrap().is_some());
    // Creating the journal again keeps its payments.
    drop(SqliteStore::create(&file).unwrap());
    assert!(open().find("order").unwrap().is_some());
}

#[test]
fn a_relative_path_is_a_wrong_argument() {
    let shop = Shop::new();
    for name in ["payments.db", "./payments.db", "../payments.db", ""] {
        for create in [false, true] {
            let (code, message) = refusal(&shop, Path::new(name), create);
            assert_eq!(code, Code::InvalidArgument, "{name}");
            assert!(message.contains("absolute"), "{message}");
            assert!(!Path::new("payments.db").exists());
        }
    }
    for name in [":memory:", "sqlite::memory:", "sqlite:", "file::memory:", "file:/a.db?mode=memory"] {
        let (code, message) = refusal(&shop, Path::new(name), true);
        assert!(code == Code::InvalidArgument && message.contains("in memory"), "{message}");
    }
}

#[test]
fn a_file_that_is_not_a_journal_is_refused_and_left_as_it_is() {
    let shop = Shop::new();
    let at = |name: &str| shop.folder.path().join(name);
    std::fs::write(at("text.db"), "not a database at all, but long enough to be looked at").unwrap();
    let other = rusqlite::Connection::open(at("other.db")).unwrap();
    other.execute_batch("CREATE TABLE t (x)").unwrap();
    drop(other);
    std::fs::create_dir(at("folder.db")).unwrap();
    let before = contents(shop.folder.path());
    for (name, why) in [
        ("text.db", "not a database"),
        ("other.db", "another program"),
        ("folder.db", "not a regular file"),
        ("no/folder.db", ""),
        ("text.db/payments.db", ""),
    ] {
        for create in [false, true] {
            let (code, message) = refusal(&shop, &at(name), create);
            assert_eq!(code, Code::Storage, "{name}");
            assert!(message.contains(why) && message.contains(name), "{message}");
        }
    }
    assert_eq!(contents(shop.folder.path()), before);
}

#[test]
fn an_empty_file_becomes_a_journal_only_by_creating_it() {
    let shop = Shop::new();
    let file = shop.folder.file();
    std::fs::write(&file, "").unwrap();
    let (code, message) = refusal(&shop, &file, false);
    assert!(code == Code::Storage && message.contains("journal init"), "{message}");
    assert_eq!(contents(shop.folder.path()), [(file, Some(Vec::new()))]);
    shop.journal().pay("order", &request("10", "79001234567")).unwrap();
}

/// If SQLite opened the missing file, it would delete the -wal file and the payments in the -wal file.
#[test]
fn a_write_ahead_log_without_its_file_is_not_overwritten() {
    let shop = Shop::new();
    let log = shop.folder.path().join("payments.db-wal");
    std::fs::write(&log, "payments that were not written into the file").unwrap();
    let (code, message) = refusal(&shop, &shop.folder.file(), true);
    assert!(code == Code::Storage && message.contains("payments.db-wal"), "{message}");
    assert_eq!(contents(shop.folder.path()).len(), 1);
}

#[cfg(unix)]
#[test]
fn a_link_leads_to_its_file_and_a_dangling_one_is_refused() {
    let shop = Shop::new();
    let (volume, link) = (shop.folder.path().join("volume"), shop.folder.path().join("link.db"));
    std::fs::create_dir(&volume).unwrap();
    let real = volume.join("payments.db");
    std::os::unix::fs::symlink(&real, &link).unwrap();
    for create in [false, true] {
        let (code, message) = refusal(&shop, &link, create);
        assert!(code == Code::Storage && message.contains("a link to"), "{message}");
        assert!(!real.exists());
    }
    let open = |file| Journal::open(&shop.client, shop.with_settings(JournalConfig::new(file))).unwrap();
    drop(SqliteStore::create(&real).unwrap());
    open(&link).pay("order", &request("10", "79001234567")).unwrap();
    assert!(open(&real).find("order").unwrap().is_some());
}

#[test]
fn a_damaged_file_sends_nothing() {
    let shop = Shop::new();
    let journal = shop.journal();
    for number in 0..5 {
        journal.pay(&format!("order-{number}"), &request("10", "79001234567")).unwrap();
    }
    drop(journal);
    let mut bytes = std::fs::read(shop.folder.file()).unwrap();
    let end = bytes.len();
    bytes[4096..end].fill(0x5a);
    std::fs::write(shop.folder.file(), bytes).unwrap();
    let sent = shop.sandbox.requests("newPayment");
    storage_error(
        Journal::open(&shop.client, shop.config())
            .and_then(|journal| journal.pay("order-9", &request("10", "79001234567"))),
    );
    assert_eq!(shop.sandbox.requests("newPayment"), sent);
}

/// A long path works. Windows' old limit is 260 characters; on other systems SQLite's limit is 512 bytes.
#[test]
fn a_file_may_lie_deep() {
    let shop = Shop::new();
    let (folders, least) = if cfg!(windows) { (6, 1040) } else { (1, 200) };
    let mut folder = shop.folder.path().to_owned();
    (0..folders).for_each(|_| folder.push("касса".repeat(20)));
    std::fs::create_dir_all(&folder).unwrap();
    let file = folder.join("журнал.db");
    assert!(file.as_os_str().len() > least);
    let open =
        || Journal::open(&shop.client, shop.with_settings(JournalConfig::new(&file).create(true))).unwrap();
    open().pay("order", &request("10", "79001234567")).unwrap();
    assert!(open().find("order").unwrap().unwrap().credentials().is_some());
}

/// If SQLite itself has made a copy of a journal's file, the copy has no -wal file.
#[test]
fn a_journal_without_a_write_ahead_log_gets_one_and_goes_on() {
    let shop = Shop::new();
    shop.journal().pay("order-1", &request("10", "79001234567")).unwrap();
    let mode = |statement: &str| -> String {
        let connection = rusqlite::Connection::open(shop.folder.file()).unwrap();
        connection.query_row(statement, [], |row| row.get(0)).unwrap()
    };
    assert_eq!(mode("PRAGMA journal_mode = DELETE"), "delete");
    let journal = shop.journal();
    let entry = journal.find("order-1").unwrap().unwrap();
    assert_eq!(journal.pay("order-1", &request("10", "79001234567")).unwrap().order_id(), entry.order_id());
    assert!(journal.pay("order-2", &request("10", "79001234567")).unwrap().credentials().is_some());
    drop(journal);
    assert_eq!(mode("PRAGMA journal_mode"), "wal");
}

#[cfg(unix)]
#[test]
fn the_file_is_its_owners_alone() {
    use std::os::unix::fs::PermissionsExt;
    let shop = Shop::new();
    let journal = shop.journal();
    journal.pay("order", &request("10", "79001234567")).unwrap();
    for end in ["", "-wal", "-shm"] {
        let mut path = shop.folder.file().into_os_string();
        path.push(end);
        assert_eq!(std::fs::metadata(&path).unwrap().permissions().mode() & 0o777, 0o600, "{path:?}");
    }
}
