//! `journal pause`, `resume`, `backup` and `forget`.

use crate::journal_shop::{ACCOUNT, Shop};

#[test]
fn a_paused_journal_takes_no_payment_until_it_is_resumed() {
    let shop = Shop::new();
    assert_eq!(shop.run(&["pause", "--note", "restore of today"]).reply()["paused"], true);
    let refused = shop.pay("order-1", ACCOUNT, &[]);
    assert_eq!(refused.status, 3);
    assert!(refused.stderr.contains("restore of today"), "{}", refused.stderr);
    assert_eq!(shop.lines(&["stats"])[0]["pause"]["note"], "restore of today");
    assert_eq!(shop.sandbox.requests("newPayment"), 0);
    assert_eq!(shop.run(&["resume", "--note", "checked"]).reply()["paused"], false);
    shop.paid_for("order-1", ACCOUNT);
    assert_eq!(shop.run(&["pause"]).status, 2, "a note says who and why");
}

#[test]
fn a_copy_of_the_journal_is_paused_and_has_its_rows() {
    let shop = Shop::new();
    shop.paid_for("order-1", ACCOUNT);
    let copy = shop.file().with_file_name("copy.db");
    let copy = copy.to_str().unwrap();
    assert_eq!(shop.run(&["backup", copy]).reply()["backup"], copy);
    assert_eq!(shop.run(&["list", "--journal", copy]).stdout.lines().count(), 1);
    assert!(shop.lines(&["stats", "--journal", copy])[0]["pause"]["note"].is_string());
    assert_ne!(shop.run(&["backup", copy]).status, 0, "nothing is replaced");
    assert_eq!(shop.run(&["backup", "relative.db"]).status, 2);
}

#[test]
fn a_reference_is_forgotten_when_nothing_more_is_expected_of_it() {
    let shop = Shop::new();
    shop.paid_for("order-1", ACCOUNT);
    assert_eq!(shop.run(&["forget", "order-1"]).status, 2, "it is open");
    shop.run(&["confirm", "order-1"]).reply();
    shop.run(&["wait", "order-1"]).reply();
    shop.run(&["acknowledge", "order-1"]).reply();
    assert_eq!(shop.run(&["forget", "order-1"]).reply()["forgotten"], 1);
    assert!(shop.entry("order-1")["payment"].is_null());
    assert_eq!(shop.pay("order-1", ACCOUNT, &[]).status, 4, "it is not paid twice");
}
