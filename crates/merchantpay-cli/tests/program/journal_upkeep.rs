//! What an operator does with a journal: an import, a restored copy, and what a terminal shows.

use serde_json::json;

use crate::common::{on_terminal, program, run_with_stdin};
use crate::journal_shop::{ACCOUNT, Shop};

/// A journal with three payments: one paid, one refused, and one with an unknown outcome.
fn three() -> Shop {
    let shop = Shop::new();
    shop.succeed("order-1");
    assert_eq!(shop.pay("order-2", "no-credentials", &[]).status, 1);
    shop.lose("order,\"3\"");
    shop
}

#[test]
fn export_of_0_3_0_is_imported_if_somebody_says_that_it_is_paused() {
    let shop = Shop::new();
    let record = json!({"requestHash": "h", "callEnded": true}).to_string();
    let line = json!({
        "reference": "order-1", "attempt": "1", "account": shop.sandbox.url(), "standing": "unknown", "sum_asked": "1500.50",
        "reported": "0", "acknowledged": "0", "created_at": "1760000000000", "updated_at": "1760000000001", "due_at": "1",
        "token": "0123456789abcdef0123456789abcdef", "record": record, "restored": "0"
    });
    let file = shop.file();
    let import = |args: &[&str]| {
        let import = ["journal", "import", "--from-0.3", "--journal", file.to_str().unwrap()];
        run_with_stdin(program(&[&import, args].concat()), format!("{line}\n\n").as_bytes())
    };
    assert_eq!(import(&[]).status, 2);
    let imported = import(&["--paused-for-ever"]).reply();
    assert_eq!(imported, json!({"imported": 1, "messages": 0, "present": 0}));
    assert_eq!(shop.lines(&["stats"])[0]["pause"], json!(null));
    assert_eq!(shop.entry("order-1")["standing"], "unknown");
}

#[test]
fn finished_payment_is_emptied_by_purge_or_forget_and_is_never_made_again() {
    let shop = three();
    let acknowledge = |reference: &str| {
        let entry = shop.entry(reference);
        let [attempt, news] = [entry["attempt"].to_string(), entry["news"].to_string()];
        shop.run(&["acknowledge", reference, "--attempt", &attempt, "--news", &news]).reply();
    };
    let purge = |args: &[&str]| shop.run(&[&["purge"], args].concat());
    assert_eq!(purge(&["--before", "2999-01-01"]).reply(), json!({"purged": 1}), "the refused one");
    assert_eq!(shop.run(&["forget", "order-1"]).status, 2);
    acknowledge("order-1");
    assert_eq!(purge(&["--older-than", "1d"]).reply(), json!({"purged": 0}));
    assert_eq!(purge(&["--older-than", "1ms"]).reply(), json!({"purged": 1}));
    assert_eq!(shop.entry("order-1")["succeeded"], true);
    assert_eq!(shop.pay("order-1", ACCOUNT, &[]).status, 4, "it is not paid twice");
    for args in [
        &[][..],
        &["--before", "soon"],
        &["--older-than", "99999999999d"],
        &["--older-than", "1d", "--before", "2001-01-01"],
    ] {
        assert_eq!(purge(args).status, 2, "{args:?}");
    }
    shop.succeed("order-4");
    acknowledge("order-4");
    assert_eq!(shop.run(&["forget", "order-4"]).reply(), json!({"forgotten": 1}));
    assert_eq!(shop.pay("order-4", ACCOUNT, &[]).status, 4);
}

#[test]
fn terminal_shows_aligned_text_and_json_where_it_is_asked_for() {
    let shop = three();
    let shown = on_terminal(&shop.command(&["show", "order-1"]));
    let first: Vec<&str> = shown.lines().take(3).collect();
    assert_eq!(
        first,
        [
            "reference  order-1",
            "attempt    1",
            "standing   final: The status is final: a success or a failure."
        ],
        "{shown}"
    );
    assert!(shown.contains("\npaid       1500.50\nsucceeded  yes\nconfirm    accepted: "), "{shown}");
    assert!(shown.contains("(now)\n") || shown.contains(" s ago)\n"), "{shown}");
    let listed = on_terminal(&shop.command(&["list"]));
    assert!(listed.starts_with("REFERENCE  ATTEMPT  STANDING  ORDER ID"), "{listed}");
    assert_eq!(listed.lines().count(), 4, "{listed}");
    assert!(on_terminal(&shop.command(&["stats"])).contains("\nneeds attention  1\n"));
    assert!(on_terminal(&shop.command(&["stats", "--json"])).starts_with("{\"standings\":"));
}

#[test]
fn restored_row_is_trusted_by_the_printed_command() {
    let shop = Shop::new();
    assert_eq!(shop.pay("order-1", "no-credentials", &[]).status, 1);
    let copy = shop.file().with_file_name("copy.db");
    let copy = copy.to_str().unwrap();
    assert_eq!(shop.run(&["backup", copy]).reply()["backup"], copy);
    assert_ne!(shop.run(&["backup", copy]).status, 0, "nothing is replaced");
    assert!(shop.lines(&["stats", "--journal", copy])[0]["pause"].is_string());
    let pay = || shop.pay("order-1", ACCOUNT, &["--journal", copy]);
    assert_eq!(pay().status, 1, "later attempts may be missing");
    let found = shop.lines(&["attention", "--journal", copy]).swap_remove(0);
    let command = found["resolve"][0].as_str().unwrap();
    assert_eq!(command, "merchantpay journal resolve order-1 --attempt 1 --trusted --note NOTE");
    let words: Vec<&str> = command.split(' ').skip(2).chain(["--journal", copy]).collect();
    shop.run(&words).reply();
    shop.run(&["resume", "--note", "compared", "--journal", copy]).reply();
    assert_eq!(pay().status, 0);
}
