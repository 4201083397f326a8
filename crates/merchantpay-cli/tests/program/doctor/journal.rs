//! Files that cannot be a journal, and the quotes and line ends that an environment file leaves in a setting: every
//! command refuses them before it sends anything, and `doctor` names the fault in the same words.

use super::{CALLBACK, Line, examined};
use crate::*;

const ONLY_NEW: &str = "if this journal existed before, check the mount and the path; only for a new shop: `merchantpay journal init";

fn command(shop: &Shop, args: &[&str], file: &Path) -> Command {
    let mut command = at(&shop.sandbox, args);
    command.env("MERCHANTPAY_JOURNAL", file);
    command
}

/// Expects a refusal that sends nothing and says `fault`, also by `doctor`. Only a missing file may be created.
#[track_caller]
fn assert_refused(shop: &Shop, file: &Path, fault: &str) {
    let ran = run(command(shop, &["journal", "stats"], file));
    let error = ran.error();
    assert_eq!(
        (error["code"].as_str(), error["outcome"].as_str()),
        (Some("storage"), Some("not_sent")),
        "{error}"
    );
    assert!(error["message"].as_str().unwrap().contains(fault), "{fault}: {error}");
    let lines = examined(command(shop, &[], file));
    let found = lines.iter().find(|line| line.check == "journal").unwrap();
    assert!(found.result == "fault" && found.message.contains(fault), "{lines:#?}");
    let is_told = found.message.contains("journal init") || found.advises("journal init");
    assert_eq!(is_told, fault == ONLY_NEW, "{lines:#?}");
}

#[test]
fn missing_file_may_be_an_unmounted_disk() {
    let shop = Shop::new();
    for name in ["none.db", "no/folder/none.db"] {
        assert_refused(&shop, &shop.file().with_file_name(name), ONLY_NEW);
    }
    let empty = shop.file().with_file_name("empty.db");
    std::fs::write(&empty, "").unwrap();
    assert_refused(&shop, &empty, ONLY_NEW);
}

#[test]
fn layout_of_a_newer_version_is_refused() {
    let shop = Shop::new();
    shop.sql("UPDATE merchantpay_settings SET value = '99' WHERE name = 'layout'");
    assert_refused(&shop, &shop.file(), "knows only 3: update the library");
}

/// Says why a part is not tested on this machine; the test's harness hides what `eprintln` prints.
#[cfg(target_os = "linux")]
fn skipped(why: &str) {
    use std::io::Write as _;

    let _ = writeln!(std::io::stderr(), "not tested: {why}");
}

/// Runs the program where `mounted` is the file `source`, mounted alone. `None` if this user cannot mount.
#[cfg(target_os = "linux")]
fn with_mount(source: &Path, mounted: &Path, other: &Command) -> Option<String> {
    let mut unshare = Command::new("unshare");
    let line = "mount --bind \"$1\" \"$2\" || exit 99; shift 2; exec \"$@\"";
    unshare.args(["--map-root-user", "--mount", "sh", "-c", line, "sh"]).args([source, mounted]);
    unshare.arg(other.get_program()).args(other.get_args());
    like(&mut unshare, other);
    let ran = unshare.output().ok()?;
    let text = String::from_utf8(ran.stderr).unwrap();
    (ran.status.code() != Some(99) && !text.contains("unshare"))
        .then(|| text + &String::from_utf8(ran.stdout).unwrap())
}

#[cfg(target_os = "linux")]
#[test]
fn refuses_a_file_that_is_mounted_alone() {
    let shop = Shop::new();
    let home = Folder::new();
    let mounted: PathBuf = home.join("my payments.db");
    std::fs::write(&mounted, "").unwrap();
    let link = home.join("link.db");
    std::os::unix::fs::symlink(&mounted, &link).unwrap();
    for args in [["journal", "stats"], ["journal", "init"]] {
        for path in [&mounted, &link] {
            let Some(text) = with_mount(&shop.file(), &mounted, &command(&shop, &args, path)) else {
                return skipped("this user cannot mount a file");
            };
            assert!(text.contains("is itself a mount point") && text.contains("mount the folder"), "{text}");
        }
    }
    // The -wal file alone would be another log of the same database.
    let wal = shop.file().with_file_name("payments.db-wal");
    std::fs::write(&wal, "").unwrap();
    let text = with_mount(&mounted, &wal, &command(&shop, &["journal", "stats"], &shop.file())).unwrap();
    assert!(text.contains("payments.db-wal is itself a mount point"), "{text}");
    // A folder that is mounted is the supported way.
    let parent = shop.file().parent().unwrap().to_owned();
    let inner = home.join("payments.db");
    let text = with_mount(&parent, &home, &command(&shop, &["journal", "stats"], &inner)).unwrap();
    assert!(text.contains("attention"), "{text}");
}

/// Two mounts of one folder, as bindfs, sshfs and Docker Desktop make them.
#[cfg(target_os = "linux")]
#[test]
fn refuses_fuse_unless_it_is_vouched_for() {
    let shop = Shop::new();
    let mounted = Folder::new();
    match Command::new("bindfs").arg(shop.file().parent().unwrap()).arg(&*mounted).output() {
        Ok(ran) if ran.status.success() => {}
        Ok(ran) => return skipped(&format!("bindfs cannot mount: {}", String::from_utf8_lossy(&ran.stderr))),
        Err(error) => panic!("bindfs cannot be run: {error}; tools/dev/setup rust installs it"),
    }
    let file = mounted.join("payments.db");
    assert_refused(&shop, &file, "it is on a FUSE file system");
    let new = mounted.join("new.db");
    let refused = run(command(&shop, &["journal", "init"], &new));
    assert!(refused.status != 0 && !new.exists(), "{}", refused.stderr);
    for (args, file) in [(["journal", "stats"], &file), (["journal", "init"], &new)] {
        let mut vouched = command(&shop, &args, file);
        vouched.env("MERCHANTPAY_DURABILITY_VOUCHED", "fuse");
        let ran = run(vouched);
        assert_eq!(ran.status, 0, "{}", ran.stderr);
    }
    assert!(Command::new("fusermount").arg("-u").arg(&*mounted).status().unwrap().success());
}

const CR: &str = "ends with CR; save the file with Unix line ends";
const QUOTES: &str = "is wrapped in quotes; remove them";

/// The settings of the program and of a journal. The core's tests have the others.
fn settings(shop: &Shop) -> [(&'static str, String); 5] {
    [
        ("JOURNAL", shop.file().to_str().unwrap().to_owned()),
        ("PRIVATE_KEY_FILE", "/etc/key".to_owned()),
        ("TIMEOUT_MS", "30000".to_owned()),
        ("PAY_WAIT_MS", "5000".to_owned()),
        ("CALLBACK_URL", CALLBACK.to_owned()),
    ]
}

/// Sets one variable in a set-up that otherwise works, and expects the same refusal from `journal news` and
/// from `doctor`.
fn assert_unclean(shop: &Shop, variable: &str, value: &str, fault: &str) {
    let command = |args: &[&str]| {
        let mut command = at(&shop.sandbox, args);
        command.env("MERCHANTPAY_JOURNAL", shop.file()).env("MERCHANTPAY_CALLBACK_URL", CALLBACK);
        if variable == "PRIVATE_KEY_FILE" {
            command.env_remove("MERCHANTPAY_PRIVATE_KEY");
        }
        command.env(format!("MERCHANTPAY_{variable}"), value);
        command
    };
    let ran = run(command(&["journal", "news"]));
    assert_eq!(ran.status, 2, "{variable}={value:?}: {}", ran.stderr);
    let message = ran.message();
    assert!(message.ends_with(fault), "{variable}={value:?}: {message}");
    let name = variable.to_lowercase();
    assert!(message.starts_with(&name), "{variable}={value:?}: {message}");
    let lines = examined(command(&[]));
    let named = |line: &&Line| line.result == "fault" && line.message.contains(&message);
    let named = lines.iter().find(named).unwrap_or_else(|| panic!("{variable}={value:?}: {lines:#?}"));
    assert!(!named.advises("journal init"), "{variable}={value:?}: {named:#?}");
}

#[test]
fn refuses_quotes_around_settings_and_line_ends_that_mean_something() {
    let shop = Shop::new();
    for (variable, value) in settings(&shop) {
        for quote in ['"', '\''] {
            assert_unclean(&shop, variable, &format!("{quote}{value}{quote}"), QUOTES);
        }
        if variable != "CALLBACK_URL" {
            assert_unclean(&shop, variable, &format!("{value}\r"), CR);
        }
    }
    let mut trimmed = at(&shop.sandbox, &["journal", "news"]);
    trimmed
        .env("MERCHANTPAY_JOURNAL", shop.file())
        .env("MERCHANTPAY_CALLBACK_URL", format!(" {CALLBACK}\r\n"));
    assert_eq!(run(trimmed).status, 0);
}

#[test]
fn init_makes_no_file_for_a_path_with_leftovers() {
    let folder = Folder::new();
    for path in ["/payments.db\r", "/payments.db\n", "/pay\u{1b}ments.db", "/payments.db "] {
        let mut init = program(&["journal", "init"]);
        init.env("MERCHANTPAY_JOURNAL", format!("{}{path}", folder.display()));
        let ran = run(init);
        assert_eq!((ran.status, ran.error()["code"].as_str()), (2, Some("invalid_argument")), "{path:?}");
    }
    let quoted = format!("\"{}/payments.db\"", folder.display());
    let mut init = program(&["journal", "init", "--journal", &quoted]);
    init.current_dir(&*folder);
    assert!(run(init).message().ends_with(QUOTES));
    assert_eq!(std::fs::read_dir(&*folder).unwrap().count(), 0);
}
