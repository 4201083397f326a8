//! Tests with a disk or a file that fails. The error has the code `storage`, and its outcome shows whether a
//! request was sent.

use std::fs::File;
#[cfg(unix)]
use std::path::{Path, PathBuf};
use std::process::Output;
#[cfg(unix)]
use std::process::{Command, Stdio};

#[cfg(unix)]
use merchantpay::{Code, Outcome};
#[cfg(unix)]
use merchantpay_journal_old::Attention;
use merchantpay_journal_old::{Journal, JournalConfig};

use crate::role::{command, value};
#[cfg(unix)]
use crate::role::{journal, with_environment};
#[cfg(unix)]
use crate::shop::Folder;
use crate::shop::{Shop, request};

/// Pays until a payment fails, and prints the error.
#[cfg(unix)]
pub fn filler() {
    let journal = journal();
    for number in 0..10_000 {
        if let Err(error) = journal.pay(&format!("order-{number}"), &request("10", "79001234567")) {
            return println!("{number} {} {}", error.code(), error.outcome());
        }
    }
}

#[cfg(unix)]
pub fn full() {
    let shop = Shop::new();
    drop(shop.journal());
    // The limit for the size of a file, in blocks of 512 bytes. The shell ignores the signal that would kill
    // the process at the limit.
    let mut shell = Command::new("sh");
    shell.args(["-c", "trap '' XFSZ; ulimit -f 400; exec \"$0\""]).arg(std::env::current_exe().unwrap());
    let output = with_environment(shell, "filler", &shop.sandbox, &shop.folder.file())
        .stderr(Stdio::inherit())
        .output()
        .unwrap();
    let output_text = String::from_utf8(output.stdout).unwrap();
    let words: Vec<&str> = output_text.split_whitespace().collect();
    let [count, code, outcome] = words[..] else { panic!("{output_text:?}") };
    let (count, sent): (u64, u64) = (count.parse().unwrap(), shop.sandbox.requests("newPayment"));
    assert_eq!(code, "storage");
    // The disk becomes full before the call or after the call. In the second case the attempt is already
    // stored, and the outcome of the error is `unknown`.
    match outcome {
        "not_sent" => assert_eq!(sent, count),
        _ => assert_eq!((outcome, sent), ("unknown", count + 1)),
    }
    // When there is free space again, payments work again.
    let journal = shop.journal();
    assert!(journal.pay("with room", &request("10", "79001234567")).unwrap().credentials().is_some());
    assert!(journal.list(None, 10_000, None).unwrap().len() as u64 > count);
    println!("  {count} payments, then {outcome}");
}

/// Opens the journal, pays once, and prints the error.
pub fn reader() {
    let file = JournalConfig::new(crate::role::value("FILE"));
    let config = crate::role::with_settings(file);
    let paid = merchantpay_journal_old::Journal::open(&crate::role::client(), config)
        .and_then(|journal| journal.pay("order-2", &request("10", "79001234567")));
    let error = paid.unwrap_err();
    println!("{} {}", error.code(), error.outcome());
}

/// Checks the output of the reader, and that the service got no request.
fn assert_nothing_was_sent(output: &Output, shop: &Shop) {
    let said = String::from_utf8_lossy(&output.stdout);
    assert_eq!(said.trim(), "storage not_sent", "{}", String::from_utf8_lossy(&output.stderr));
    assert_eq!(shop.sandbox.requests("newPayment"), 1);
}

/// Another program, for example a backup, has locked the file. This lock also stops an administrator.
#[cfg(windows)]
pub fn read_only() {
    use std::os::windows::fs::OpenOptionsExt;
    const FILE_SHARE_READ: u32 = 1;
    let shop = Shop::new();
    shop.journal().pay("order-1", &request("10", "79001234567")).unwrap();
    let backup = File::options().read(true).share_mode(FILE_SHARE_READ).open(shop.folder.file()).unwrap();
    let output = command("reader", &shop.sandbox, &shop.folder.file()).output().unwrap();
    drop(backup);
    assert_nothing_was_sent(&output, &shop);
    assert!(shop.journal().pay("order-2", &request("10", "79001234567")).unwrap().credentials().is_some());
}

#[cfg(unix)]
pub fn read_only() {
    let shop = Shop::new();
    shop.journal().pay("order-1", &request("10", "79001234567")).unwrap();
    for path in [shop.folder.path().to_owned(), shop.folder.file()] {
        let mut permissions = std::fs::metadata(&path).unwrap().permissions();
        std::os::unix::fs::PermissionsExt::set_mode(
            &mut permissions,
            if path.is_dir() { 0o555 } else { 0o444 },
        );
        std::fs::set_permissions(&path, permissions).unwrap();
    }
    // The program runs as another user, because root can write read-only files.
    let program = ReachableProgram::new();
    let is_root = std::os::unix::fs::MetadataExt::uid(&std::fs::metadata("/proc/self").unwrap()) == 0;
    let command = match is_root {
        true => {
            let mut command = Command::new("setpriv");
            command.args(["--reuid", "65534", "--regid", "65534", "--clear-groups"]).arg(program.path());
            command
        }
        false => Command::new(program.path()),
    };
    let output = with_environment(command, "reader", &shop.sandbox, &shop.folder.file()).output().unwrap();
    assert_nothing_was_sent(&output, &shop);
    let mut permissions = std::fs::metadata(shop.folder.path()).unwrap().permissions();
    std::os::unix::fs::PermissionsExt::set_mode(&mut permissions, 0o755);
    std::fs::set_permissions(shop.folder.path(), permissions).unwrap();
}

/// A copy of this program in the test's folder: another user may not be able to reach the build folder.
#[cfg(unix)]
struct ReachableProgram(Folder);

#[cfg(unix)]
impl ReachableProgram {
    fn new() -> ReachableProgram {
        let program = ReachableProgram(Folder::new());
        std::fs::copy(std::env::current_exe().unwrap(), program.path()).unwrap();
        program
    }

    fn path(&self) -> PathBuf {
        self.0.path().join("program")
    }
}

/// Another process, which opens the file with SQLite, writes to the file and closes it. If SQLite finds no
/// lock of another process, SQLite removes the -wal file.
pub fn other_process() {
    let connection = rusqlite::Connection::open(value("FILE")).unwrap();
    connection.busy_timeout(std::time::Duration::from_secs(5)).unwrap();
    let insert = "INSERT INTO merchantpay_orphans (order_id, received_at, updated_at, version, seen, record) \
        VALUES ('of another process', 0, 0, 1, 0, '{}')";
    connection.execute(insert, []).unwrap();
}

fn let_another_process_write(shop: &Shop) {
    assert!(command("other", &shop.sandbox, &shop.folder.file()).status().unwrap().success());
}

pub fn wal_stays() {
    let shop = Shop::new();
    let journal = shop.journal();
    journal.pay("order-1", &request("10", "79001234567")).unwrap();
    let_another_process_write(&shop);
    assert!(journal.pay("order-2", &request("10", "79001234567")).unwrap().credentials().is_some());
    assert_eq!(shop.journal().list(None, 10, None).unwrap().len(), 2);
}

/// Has the same effect as a second SQLite in this process that closes the file: the system drops all locks of
/// the process on the file.
#[cfg(unix)]
fn close_as_another_sqlite_does(file: &Path) {
    for end in ["", "-shm"] {
        let mut path = file.as_os_str().to_owned();
        path.push(end);
        drop(File::open(PathBuf::from(path)).unwrap());
    }
}

#[cfg(unix)]
pub fn second_sqlite() {
    second_sqlite_at(|file| file.to_owned());
}

#[cfg(unix)]
pub fn second_sqlite_behind_a_link() {
    second_sqlite_at(|file| {
        let link = file.with_file_name("link.db");
        std::os::unix::fs::symlink(file, &link).unwrap();
        link
    });
}

/// Opens the journal by a path that `name` makes from the file's path: the same path, or a link to the file.
#[cfg(unix)]
fn second_sqlite_at(name: impl Fn(&Path) -> PathBuf) {
    let shop = Shop::new();
    drop(shop.journal());
    let name = name(&shop.folder.file());
    let open = || Journal::open(&shop.client, shop.with_settings(JournalConfig::new(&name))).unwrap();
    let journal = open();
    journal.pay("order-1", &request("10", "79001234567")).unwrap();
    close_as_another_sqlite_does(&shop.folder.file());
    let_another_process_write(&shop);
    let sent = shop.sandbox.requests("newPayment");
    let error = journal.pay("order-2", &request("10", "79001234567")).unwrap_err();
    assert_eq!((error.code(), error.outcome()), (Code::Storage, Outcome::NotSent), "{error}");
    assert_eq!(shop.sandbox.requests("newPayment"), sent);
    // After the journal is opened again, it works. No acknowledged payment is lost. Closing the old
    // connection overwrote nothing.
    drop(journal);
    let journal = open();
    assert!(
        matches!(&journal.attention(10).unwrap()[..], [Attention::Orphan(orphan)] if orphan.order_id == "of another process")
    );
    assert!(journal.find("order-1").unwrap().unwrap().credentials().is_some());
    assert!(journal.pay("order-2", &request("10", "79001234567")).unwrap().credentials().is_some());
    drop(journal);
    let database = rusqlite::Connection::open(shop.folder.file()).unwrap();
    let verdict: String = database.query_row("PRAGMA integrity_check", [], |row| row.get(0)).unwrap();
    assert_eq!(verdict, "ok");
}
