//! `sandbox --db FILE`: the files that a sandbox takes, and the files that it leaves as they are.

use std::collections::BTreeMap;
use std::net::TcpListener;
use std::os::unix::fs::{FileTypeExt as _, MetadataExt as _, PermissionsExt};

use crate::*;

impl Folder {
    fn file(&self) -> PathBuf {
        self.join("shop.sqlite3")
    }

    /// Kind, mode, time of change and content of everything in the folder.
    fn state(&self) -> BTreeMap<PathBuf, (u32, i64, i64, Vec<u8>)> {
        let entries = std::fs::read_dir(&**self).unwrap().map(|entry| entry.unwrap().path());
        let state = |path: PathBuf| {
            let metadata = path.symlink_metadata().unwrap();
            let unread = metadata.file_type().is_fifo() || !path.is_file();
            let content = if unread { Vec::new() } else { std::fs::read(&path).unwrap() };
            (path, (metadata.mode(), metadata.ctime(), metadata.ctime_nsec(), content))
        };
        entries.map(state).collect()
    }
}

fn python(script: &str, file: &Path) {
    let script = format!("import os, sqlite3, sys\nf = sys.argv[1]\n{script}");
    assert!(Command::new("python3").args(["-c", &script]).arg(file).status().unwrap().success());
}

/// A sandbox with this database that shows the modes of the files beside it.
fn sandbox(file: &Path) -> Ran {
    let script = "stat -c '%a %n' \"$0\"*";
    let file = file.to_str().unwrap();
    run(program(&["sandbox", "--port", "0", "--db", file, "--", "sh", "-c", script, file]))
}

/// The layout of version 0.3, which this version does not take: after the first run the ids are in the WAL only.
const OF_0_3: &str = "
c = sqlite3.connect(f, isolation_level=None)
c.execute('PRAGMA journal_mode = WAL')
c.execute('BEGIN')
c.execute('CREATE TABLE settings (name TEXT PRIMARY KEY, value TEXT NOT NULL) WITHOUT ROWID')
c.execute('CREATE TABLE payments (order_id TEXT PRIMARY KEY, number INTEGER NOT NULL UNIQUE, record TEXT NOT NULL)')
c.execute('CREATE TABLE webhooks (id INTEGER PRIMARY KEY, order_id TEXT NOT NULL, record TEXT NOT NULL)')
c.execute('CREATE TABLE receipts (order_id TEXT NOT NULL, number INTEGER NOT NULL, name TEXT NOT NULL, content_type TEXT NOT NULL, bytes BLOB NOT NULL, PRIMARY KEY (order_id, number))')
c.execute('PRAGMA application_id = 1297113465')
c.execute('PRAGMA user_version = 1')
c.execute('COMMIT')
os._exit(0)";

#[test]
fn foreign_file_stays_as_it_is() {
    let tables = "c.execute('CREATE TABLE django_migrations (id INTEGER PRIMARY KEY)'); c.execute('CREATE TABLE payments (id INTEGER)'); c.commit()";
    let connect = "c = sqlite3.connect(f)";
    for (name, script) in [
        ("tables", format!("{connect}; {tables}; c.close()")),
        ("no-table", format!("{connect}; c.execute('VACUUM'); c.close()")),
        ("wal", format!("{connect}; c.execute('PRAGMA journal_mode = WAL'); {tables}; c.close()")),
        ("open-wal", format!("{connect}; c.execute('PRAGMA journal_mode = WAL'); {tables}; os._exit(0)")),
        (
            "newer",
            format!(
                "{connect}; c.execute('PRAGMA application_id = 1297113465'); c.execute('PRAGMA user_version = 3'); {tables}; c.close()"
            ),
        ),
        (
            "other-id",
            format!(
                "{connect}; c.execute('PRAGMA application_id = 1297115759'); c.execute('PRAGMA user_version = 1'); {tables}; c.close()"
            ),
        ),
        ("of-0-3", OF_0_3.replace("os._exit(0)", "c.close()")),
        ("of-0-3-in-wal", OF_0_3.to_owned()),
        ("text", "open(f, 'w').write('a diary ' * 99)".to_owned()),
        ("short", "open(f, 'w').write('SQLite format 3')".to_owned()),
        ("header", "open(f, 'wb').write(b'SQLite format 3\\0' + b'\\0' * 84)".to_owned()),
        ("directory", "os.mkdir(f)".to_owned()),
        ("pipe", "os.mkfifo(f)".to_owned()),
        ("link", format!("g = f + '.real'; c = sqlite3.connect(g); {tables}; c.close(); os.symlink(g, f)")),
        ("dangling", "os.symlink(f + '.gone', f)".to_owned()),
        ("lost-wal", "open(f + '-wal', 'w').write('the last payments')".to_owned()),
        (
            "empty-with-journal",
            "open(f, 'w'); open(f + '-journal', 'w').write('the last payments')".to_owned(),
        ),
    ] {
        for mode in [0o644, 0o600] {
            let folder = Folder::new();
            python(&script, &folder.file());
            if folder.file().is_file() {
                std::fs::set_permissions(folder.file(), PermissionsExt::from_mode(mode)).unwrap();
            }
            let before = folder.state();
            let ran = sandbox(&folder.file());
            assert_eq!((ran.status, ran.error()["code"].as_str()), (2, Some("invalid_argument")), "{name}");
            assert!(folder.state() == before, "{name} has changed");
        }
    }
}

#[test]
fn sandbox_file_is_its_owners_alone() {
    for (name, script) in [
        ("new", ""),
        ("empty", "open(f, 'w'); os.chmod(f, 0o644)"),
        ("linked", "open(f + '.real', 'w'); os.chmod(f + '.real', 0o644); os.symlink(f + '.real', f)"),
    ] {
        let folder = Folder::new();
        python(&format!("os.umask(0)\n{script}"), &folder.file());
        for _ in 0..2 {
            let script =
                format!("umask 0; exec {}", shell_words(&program(&["sandbox", "--port", "0", "--db"])));
            let file = folder.file();
            let mut shell = Command::new("sh");
            shell
                .args(["-c", &format!("{script} \"$0\" -- sh -c 'stat -L -c \"%a %n\" \"$0\"*' \"$0\"")])
                .arg(&file);
            let ran = run(shell);
            assert_eq!((ran.status, ran.stderr.as_str()), (0, ""), "{name}");
            assert!(
                ran.stdout.lines().count() >= 1 && ran.stdout.lines().all(|line| line.starts_with("600 ")),
                "{name}: {}",
                ran.stdout
            );
            for path in folder.state().keys().filter(|path| path.is_file()) {
                std::fs::set_permissions(path, PermissionsExt::from_mode(0o666)).unwrap();
            }
        }
    }
}

fn serving(file: &Path, port: &str) -> (Running, Value) {
    sandbox_with_json(&["--pace", "0", "--port", port, "--db", file.to_str().unwrap()])
}

#[test]
fn killed_sandbox_keeps_what_it_committed() {
    for (point, made) in [("stall-before-commit", 0), ("stall-after-commit", 1)] {
        let (folder, receiver) = (Folder::new(), TcpListener::bind("127.0.0.1:0").unwrap());
        receiver.set_nonblocking(true).unwrap();
        let (sandbox, settings) = serving(&folder.file(), "0");
        let url = settings["baseUrl"].as_str().unwrap();
        let command = |arguments: &[&str]| with_settings(&settings, arguments);
        run(command(&["sandbox", "faults", "add", point, "--operation", "newPayment"])).reply();
        let hook = format!("http://{}/hooks/4f1c", receiver.local_addr().unwrap());
        let paying = command(&[&new("79001234567")[..], &["--status-webhook-url", &hook]].concat());
        let call = std::thread::spawn(move || run(paying));
        let stalled = || run(command(&["sandbox", "faults"])).reply()["stalled"].as_array().unwrap().len();
        until(|| (stalled() == 1).then_some(()));
        // By SIGKILL, so that nothing can be written at the end.
        drop(sandbox);
        let lost = call.join().unwrap();
        assert_eq!((lost.status, lost.error()["outcome"].as_str()), (4, Some("unknown")), "{point}");

        let port = url.rsplit(':').next().unwrap();
        let (sandbox, again) = serving(&folder.file(), port);
        assert_eq!(again, settings, "it is the same service");
        let payments = run(command(&["sandbox", "api", "payments"])).reply()["payments"].clone();
        assert_eq!(payments.as_array().unwrap().len(), made, "{point}");
        let Some(order_id) = payments[0]["orderId"].as_str() else { continue };
        run(command(&["sandbox", "operate", order_id, "approve"])).reply();
        let webhook = || {
            let (mut request, stream) = (String::new(), until(|| receiver.accept().ok()).0);
            stream.set_nonblocking(false).unwrap();
            BufReader::new(&stream).read_line(&mut request).unwrap();
            assert_eq!(request, "POST /hooks/4f1c HTTP/1.1\r\n");
            stream
        };
        let unanswered = webhook();
        drop(sandbox);
        let _sandbox = serving(&folder.file(), port);
        webhook();
        drop(unanswered);
    }
}
