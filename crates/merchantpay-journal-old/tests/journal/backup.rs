//! Tests of copies of a journal's file, and of a `pause` that comes between two statements of `pay`.

use merchantpay::{Code, Outcome};
use merchantpay_journal_old::{Journal, JournalConfig, Standing};

use crate::shop::{Shop, request};

#[test]
fn a_backup_is_complete_paused_and_marked_as_restored() {
    let shop = Shop::new();
    let journal = Journal::open(&shop.client, shop.config()).unwrap();
    for reference in ["a", "b"] {
        journal.pay(reference, &request("10", "79001234567")).unwrap();
    }
    let copied = shop.folder.path().join("copy.db");
    journal.backup(&copied).unwrap();
    journal.pay("later", &request("10", "79001234567")).unwrap();
    let error = journal.backup(&copied).unwrap_err();
    assert!(error.message().contains("a file with this name already exists"), "{error}");
    let error = journal.backup("copy.db").unwrap_err();
    assert_eq!(error.code(), Code::InvalidArgument, "{error}");
    let error = journal.backup(shop.folder.path().join("missing/copy.db")).unwrap_err();
    assert_eq!((error.code(), error.outcome()), (Code::Storage, Outcome::NotSent), "{error}");

    let names = std::fs::read_dir(shop.folder.path()).unwrap().map(|file| file.unwrap().file_name());
    let mut names: Vec<String> = names.map(|name| name.into_string().unwrap()).collect();
    names.retain(|name| !name.starts_with("payments.db"));
    assert_eq!(names, ["copy.db"], "nothing else is left");
    #[cfg(unix)]
    {
        use std::os::unix::fs::PermissionsExt;
        assert_eq!(std::fs::metadata(&copied).unwrap().permissions().mode() & 0o777, 0o600);
    }

    let copy = Journal::open(&shop.client, shop.with_settings(JournalConfig::new(&copied))).unwrap();
    let error = copy.pay("a", &request("10", "79001234567")).unwrap_err();
    assert_eq!(
        (error.code(), error.outcome(), error.is_transient()),
        (Code::Storage, Outcome::NotSent, true)
    );
    let lines: Vec<String> = copy.export_lines().map(Result::unwrap).collect();
    assert_eq!(lines.len(), 2);
    assert!(lines.iter().all(|line| line.contains("\"restored\":\"1\"")), "{lines:?}");
    assert!(journal.export_lines().all(|line| line.unwrap().contains("\"restored\":\"0\"")));
    copy.resume("nothing was paid since").unwrap();
    let found = copy.pay("a", &request("10", "79001234567")).unwrap();
    assert_eq!(
        (found.standing(), found.order_id()),
        (Standing::Open, journal.find("a").unwrap().unwrap().order_id())
    );
}

#[test]
fn a_database_is_copied_by_its_own_tools() {
    let shop = Shop::new();
    drop(shop.journal());
    let journal = shop.interrupted(|| {});
    let error = journal.backup(shop.folder.path().join("copy.db")).unwrap_err();
    assert_eq!((error.code(), error.outcome()), (Code::InvalidArgument, Outcome::NotSent), "{error}");
}

#[test]
fn a_payment_that_was_stored_before_the_pause_is_refused_and_not_sent() {
    // The journal is paused after `pay` has read that it is not paused: once before the row is written, and
    // once after that.
    for before in ["INSERT", "SELECT (SELECT writer"] {
        let shop = Shop::new();
        let other = shop.journal();
        let pausing = shop.journal();
        let journal = shop.interrupted_before(before, move || {
            // If the row exists already, `pause` waits until its attempt is refused.
            std::thread::spawn(move || pausing.pause("now"));
            while other.stats().unwrap().pause.is_none() {
                std::thread::yield_now();
            }
        });
        let error = journal.pay("order", &request("10", "79001234567")).unwrap_err();
        assert_eq!(
            (error.code(), error.outcome(), error.is_transient()),
            (Code::Storage, Outcome::NotSent, true)
        );
        assert!(error.message().contains("now"), "{error}");
        let entry = journal.find("order").unwrap().unwrap();
        assert_eq!((entry.standing(), entry.attempt()), (Standing::Refused, 1), "{before}");
        assert_eq!(entry.error().map(|error| error.outcome.as_str()), Some("not_sent"));
        assert_eq!(shop.sandbox.requests("newPayment"), 0);
        let resumed = shop.journal();
        resumed.pause("still").unwrap();
        resumed.resume("done").unwrap();
        let entry = journal.pay("order", &request("10", "79001234567")).unwrap();
        assert_eq!((entry.attempt(), entry.credentials().is_some()), (2, true));
        assert!(journal.attention(10).unwrap().is_empty());
    }
}
