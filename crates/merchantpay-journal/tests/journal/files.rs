//! Wrong files.

use merchantpay::{Code, Outcome};
use merchantpay_journal::{Journal, JournalConfig};

use crate::shop::{Shop, request};

pub fn storage_error(result: merchantpay::Result<impl std::fmt::Debug>) {
    let error = result.unwrap_err();
    assert_eq!(
        (error.code(), error.outcome(), error.is_transient()),
        (Code::Storage, Outcome::NotSent, true),
        "{error}"
    );
}

#[test]
fn a_file_that_is_no_journal_is_refused() {
    let shop = Shop::new();
    let at = |name: &str| JournalConfig::new(shop.folder.path().join(name));
    std::fs::write(
        shop.folder.path().join("text.db"),
        "not a database at all, but long enough to be looked at",
    )
    .unwrap();
    storage_error(Journal::open(&shop.client, at("text.db")));
    let other = rusqlite::Connection::open(shop.folder.path().join("other.db")).unwrap();
    other.execute_batch("CREATE TABLE t (x)").unwrap();
    storage_error(Journal::open(&shop.client, at("other.db")));
    storage_error(Journal::open(&shop.client, at("no/folder.db")));
    std::fs::create_dir(shop.folder.path().join("folder.db")).unwrap();
    storage_error(Journal::open(&shop.client, at("folder.db")));
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

/// Windows' old limit is 260 characters. Elsewhere SQLite's is 512 bytes.
#[test]
fn a_file_may_lie_deep() {
    let shop = Shop::new();
    let (folders, least) = if cfg!(windows) { (6, 1040) } else { (1, 200) };
    let mut folder = shop.folder.path().to_owned();
    (0..folders).for_each(|_| folder.push("касса".repeat(20)));
    std::fs::create_dir_all(&folder).unwrap();
    let file = folder.join("журнал.db");
    assert!(file.as_os_str().len() > least);
    let open = || Journal::open(&shop.client, shop.with_settings(JournalConfig::new(&file))).unwrap();
    open().pay("order", &request("10", "79001234567")).unwrap();
    assert!(open().find("order").unwrap().unwrap().credentials().is_some());
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
