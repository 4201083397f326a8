//! The journal's file: what is refused, and what is left as it is.

use std::io::{BufRead as _, BufReader};
use std::path::{Path, PathBuf};
use std::process::{Command, Stdio};

use merchantpay::Error;
use merchantpay_databases::Servers;
use merchantpay_journal::store::{Database, Failure, Options, Written};

use crate::rows::{attempt, change, create, edited, insert, journal, open, opened};

fn refusal(place: &str, create: bool) -> Error {
    let error = Database::open(place, &Options { create, ..Options::default() }).unwrap_err();
    assert!(!error.is_transient() && error.outcome() == merchantpay::Outcome::NotSent, "{error}");
    error
}

fn text(path: &Path) -> &str {
    path.to_str().unwrap()
}

fn contents(folder: &Path) -> Vec<(PathBuf, Option<Vec<u8>>)> {
    let paths = std::fs::read_dir(folder).unwrap().map(|entry| entry.unwrap().path());
    let mut all: Vec<_> = paths.map(|path| (path.clone(), std::fs::read(path).ok())).collect();
    all.sort();
    all
}

pub fn missing(servers: &Servers) {
    let place = servers.place();
    let message = refusal(&place.url(), false).message().to_owned();
    let advice = ["existed before", "check the mount", "only for a new shop", "journal init"];
    assert!(advice.iter().all(|word| message.contains(word)), "{message}");
    assert_eq!(contents(place.folder()), []);
    std::fs::write(place.url(), "").unwrap();
    assert!(refusal(&place.url(), false).message().contains("it is empty"));
    insert(&create(&place), "order");
    insert(&create(&place), "another");
    assert_eq!(open(&place).list(None, None, 10).unwrap().attempts.len(), 2);
    // A log without its file: SQLite would delete it, with the payments in it.
    let lone = place.folder().join("lone.db");
    std::fs::write(place.folder().join("lone.db-wal"), "payments").unwrap();
    assert!(refusal(text(&lone), true).message().contains("lone.db-wal is left over"));
    // A link to a volume that is not mounted.
    let link = place.folder().join("link.db");
    std::os::unix::fs::symlink(place.folder().join("volume/payments.db"), &link).unwrap();
    assert!(refusal(text(&link), true).message().contains("a link to"));
}

pub fn foreign(servers: &Servers) {
    let place = servers.place();
    let at = |name: &str| place.folder().join(name);
    std::fs::write(at("text.db"), "not a database at all, but long enough to be looked at").unwrap();
    for (name, sql) in [
        ("other.db", "CREATE TABLE t (x)"),
        ("old.db", "CREATE TABLE merchantpay_journal (x); PRAGMA application_id = 1297115759"),
    ] {
        rusqlite::Connection::open(at(name)).unwrap().execute_batch(sql).unwrap();
    }
    std::fs::create_dir(at("folder.db")).unwrap();
    let before = contents(place.folder());
    for (name, why) in [
        ("text.db", "not a database"),
        ("other.db", "another program"),
        ("old.db", "version 0.3.0"),
        ("folder.db", "not a regular file"),
        ("no/folder.db", ""),
        ("text.db/payments.db", ""),
    ] {
        for create in [false, true] {
            let error = refusal(text(&at(name)), create);
            assert!(error.message().contains(why) && error.message().contains(name), "{error}");
        }
    }
    assert_eq!(contents(place.folder()), before);
}

pub fn links(servers: &Servers) {
    let (place, database) = journal(servers);
    insert(&database, "order");
    drop(database);
    let other = place.folder().join("other.db");
    std::fs::hard_link(place.url(), &other).unwrap();
    for name in [Path::new(&place.url()), &other] {
        assert!(refusal(text(name), false).message().contains("hard link"));
    }
    std::fs::remove_file(&other).unwrap();
    // A symbolic link resolves to the one name.
    std::os::unix::fs::symlink(place.url(), &other).unwrap();
    let (one, two) = (open(&place), Database::open(text(&other), &Options::default()).unwrap());
    insert(&two, "through the link");
    assert_eq!(one.list(None, None, 10).unwrap().attempts.len(), 2);
}

pub fn mode(servers: &Servers) {
    use std::os::unix::fs::PermissionsExt as _;
    let (place, database) = journal(servers);
    insert(&database, "order");
    for (path, _) in contents(place.folder()) {
        assert_eq!(std::fs::metadata(&path).unwrap().permissions().mode() & 0o777, 0o600, "{path:?}");
    }
    assert_eq!(contents(place.folder()).len(), 3);
    drop(database);
    assert_eq!(contents(place.folder()).len(), 1, "the last one that closes the file writes its -wal back");
}

pub fn replaced(servers: &Servers) {
    let (place, database) = journal(servers);
    let row = insert(&database, "order");
    let wal = format!("{}-wal", place.url());
    let aside = format!("{wal}.aside");
    std::fs::rename(&wal, &aside).unwrap();
    let next = edited(&row, opened);
    let Err(Failure::Failed { why, .. }) = database.store(&next, &row.stamp) else { panic!("it was stored") };
    assert!(why.contains("replaced"), "{why}");
    std::fs::rename(&aside, &wal).unwrap();
    assert!(database.look("order").is_err(), "what was written meanwhile is not known");
    drop(database);
    assert_eq!(open(&place).look("order").unwrap().attempt, Some(row));
}

/// Runs this program again: it stores attempts in a file, and is killed.
fn killed_shop(place: &str, name: &str, count: u32) {
    let mut command = Command::new(std::env::current_exe().unwrap());
    command.env("STORE_ROLE", "shop").env("PLACE", place).env("NAME", name).env("COUNT", count.to_string());
    let mut shop = command.stdout(Stdio::piped()).spawn().unwrap();
    let mut line = String::new();
    BufReader::new(shop.stdout.take().unwrap()).read_line(&mut line).unwrap();
    assert_eq!(line, "stored\n");
    shop.kill().unwrap();
    shop.wait().unwrap();
}

pub fn play_shop() {
    let variable = |name: &str| std::env::var(name).unwrap();
    let database = Database::open(&variable("PLACE"), &Options::default()).unwrap();
    for number in 0..variable("COUNT").parse().unwrap() {
        let row = insert(&database, &format!("{}-{number}", variable("NAME")));
        change(&database, &row, opened);
    }
    println!("stored");
    std::thread::sleep(std::time::Duration::from_secs(600));
}

pub fn foreign_wal(servers: &Servers) {
    for (before, between, after) in [(30, 0, 3), (10, 100, 60), (0, 0, 1)] {
        for is_plain_copy in [false, true] {
            let (place, database) = journal(servers);
            let fill = |database: &Database, name: &str, count: u32| {
                (0..count).for_each(|number| {
                    let row = insert(database, &format!("{name}-{number}"));
                    change(database, &row, opened);
                });
            };
            fill(&database, "before", before);
            let backup = place.folder().join("backup.db");
            if !is_plain_copy {
                database.backup(&backup, "backup", "s").unwrap();
            }
            drop(database);
            if is_plain_copy {
                std::fs::copy(place.url(), &backup).unwrap();
            }
            fill(&open(&place), "between", between);
            killed_shop(&place.url(), "after", after);
            std::thread::sleep(std::time::Duration::from_millis(20));
            std::fs::copy(&backup, place.url()).unwrap();
            let refused = refusal(&place.url(), false);
            assert!(refused.message().contains("does not belong to it"), "{refused}");
            for ending in ["-wal", "-shm"] {
                std::fs::remove_file(format!("{}{ending}", place.url())).unwrap();
            }
            let found = open(&place).list(None, None, 1000).unwrap().attempts;
            assert_eq!(
                (found.len() as u32, found.iter().all(|row| row.restored)),
                (before, before == 0 || !is_plain_copy)
            );
        }
    }
}

pub fn wal_beside_backup(servers: &Servers) {
    let (place, database) = journal(servers);
    let row = insert(&database, "order");
    let backup = place.folder().join("backup.db");
    database.backup(&backup, "backup", "s").unwrap();
    drop(database);
    let (database, wal) = (open(&place), format!("{}-wal", place.url()));
    change(&database, &row, opened);
    let left = std::fs::read(&wal).unwrap();
    drop(database);
    // A move keeps the backup's time, so that the -wal is the newer one.
    std::fs::rename(&backup, place.url()).unwrap();
    std::fs::write(&wal, left).unwrap();
    let refused = refusal(&place.url(), false);
    assert!(refused.message().contains("does not belong to it"), "{refused}");
    std::fs::remove_file(wal).unwrap();
    assert!(open(&place).look("order").unwrap().attempt.unwrap().restored);
}

pub fn own_wal(servers: &Servers) {
    // Beyond 1000 pages SQLite writes the -wal back and begins it again.
    for count in [1, 30, 300] {
        let (place, database) = journal(servers);
        drop(database);
        for round in 0..3 {
            killed_shop(&place.url(), &format!("round-{round}"), count);
            let database = open(&place);
            let found = database.list(None, None, 10_000).unwrap().attempts.len();
            assert_eq!(found as u32, count * (round + 1));
            if round == 1 {
                // A checkpoint that leaves the -wal: the file is the newer one, and has its pages.
                place.sql("PRAGMA wal_checkpoint(PASSIVE)");
                assert_eq!(open(&place).list(None, None, 10_000).unwrap().attempts.len(), found);
            }
        }
    }
    let (place, database) = journal(servers);
    let row = attempt(&database, "order", 1);
    assert_eq!(database.insert(&row), Ok(Written::Reported));
    assert_eq!(open(&place).look("order").unwrap().attempt, Some(row), "beside the one that uses it");
}

/// SQLite's lock on the file tells other processes that the -wal file is in use.
pub fn locks(servers: &Servers) {
    use std::os::unix::fs::MetadataExt as _;
    let (place, one) = journal(servers);
    insert(&one, "order");
    let inode = format!(":{}", std::fs::metadata(place.url()).unwrap().ino());
    let locks = || {
        let all = std::fs::read_to_string("/proc/locks").unwrap();
        all.lines().filter(|lock| lock.split(' ').any(|word| word.ends_with(&inode))).count()
    };
    let before = locks();
    assert!(before > 0);
    let second = open(&place);
    insert(&second, "other");
    assert_eq!(locks(), before, "opening the file a second time keeps the first one's lock");
    one.backup(&place.folder().join("copy.db"), "backup", "s").unwrap();
    drop(second);
    assert_eq!(locks(), before, "a copy and the end of the second one keep it");
}
