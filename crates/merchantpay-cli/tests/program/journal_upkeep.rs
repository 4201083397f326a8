//! `journal init`, `show`, `list` and the commands of an operator, which need no key, and their output on a terminal.

use serde_json::{Value, json};

use crate::common::{Ran, on_terminal, program, run, run_with_stdin};
use crate::journal_shop::{ACCOUNT, Shop, lines};

fn references(lines: &[Value]) -> Vec<&str> {
    lines.iter().map(|line| line["reference"].as_str().unwrap()).collect()
}

/// A journal with three payments: one paid, one refused, and one with an unknown outcome.
fn three() -> Shop {
    let shop = Shop::new();
    shop.succeed("order-1");
    assert_eq!(shop.pay("order-2", "no-credentials", &[]).status, 1);
    shop.lose("order,\"3\"");
    shop
}

/// Runs a command with the journal's place as its only setting.
fn without_keys(file: &str, args: &[&str], stdin: &str) -> Ran {
    run_with_stdin(program(&[&["journal"], args, &["--journal", file]].concat()), stdin.as_bytes())
}

fn refused_argument(ran: &Ran) {
    assert_eq!((ran.status, ran.error()["code"].as_str()), (2, Some("invalid_argument")), "{}", ran.stderr);
}

#[test]
fn list_is_narrowed_by_standing_date_and_number() {
    let shop = three();
    let list = |args: &[&str]| shop.lines(&[&["list"], args].concat());
    let three = ["order,\"3\"", "order-2", "order-1"];
    assert_eq!(references(&list(&[])), three, "newest first");
    assert_eq!(references(&list(&["--limit", "2"])), three[..2]);
    assert_eq!(references(&list(&["--standing", "final"])), ["order-1"]);
    assert_eq!(references(&list(&["--standing", "superseded"])), [""; 0]);
    assert_eq!(references(&list(&["--since", "2001-01-01"])), three);
    assert_eq!(references(&list(&["--until", "2001-01-01T00:00:00Z"])), [""; 0]);
    assert_eq!(references(&list(&["--since", "2999-01-01"])), [""; 0]);

    for args in
        [&["--standing", "lost"][..], &["--since", "yesterday"], &["--until", "1"], &["--limit", "-1"]]
    {
        refused_argument(&shop.run(&[&["list"], args].concat()));
    }
    assert_eq!(shop.run(&["show", "no-such-order"]).status, 2);
}

#[test]
fn operators_commands_need_no_key() {
    let shop = three();
    let file = shop.file();
    let run = |args: &[&str]| without_keys(file.to_str().unwrap(), args, "");
    for args in [
        &["init"][..],
        &["show", "order-1"],
        &["stats"],
        &["export"],
        &["purge", "--older-than", "90d"],
        &["allow-key", "next"],
        &["restored"],
        &["pause", "--note", "x"],
        &["resume", "--note", "x"],
    ] {
        let ran = run(args);
        assert_eq!((ran.status, ran.stderr.as_str()), (0, ""), "{args:?}");
    }
    assert_eq!(shop.lines(&["list"]).len(), 3, "init changes nothing");
    assert!(run(&["list"]).error()["message"].as_str().unwrap().contains("MERCHANTPAY_BASE_URL"));
}

#[test]
fn wrong_path_is_refused_by_every_command_and_nothing_is_sent() {
    let shop = Shop::new();
    let missing = shop.file().with_file_name("missing.db");
    let pay =
        ["pay", "--reference", "o", "--sum", "10", "--payment-method", "sbp", "--customer-account", ACCOUNT];
    for command in [&pay[..], &["settle"], &["stats"], &["news"], &["import"], &["show", "order"]] {
        let ran = |file: &str| {
            let ran = run_with_stdin(shop.command(&[command, &["--journal", file]].concat()), b"");
            (ran.status, ran.error()["message"].as_str().unwrap_or_default().to_owned())
        };
        let (status, message) = ran(missing.to_str().unwrap());
        let init = format!("merchantpay journal init --journal {}`", missing.display());
        assert!(status == 3 && message.contains(&init), "{command:?}: {status} {message}");
        let (status, message) = ran("payments.db");
        assert!(status == 2 && message.contains("absolute"), "{command:?}: {status} {message}");
        assert!(!message.contains("place:"), "the program has no setting with this name: {message}");
    }
    refused_argument(&run(program(&["journal", "init", "--journal", "payments.db"])));
    assert_eq!(shop.sandbox.requests("newPayment"), 0);
    assert!(!missing.exists());
}

#[test]
fn schema_of_each_dialect_is_statements() {
    for dialect in ["sqlite", "postgresql", "mysql"] {
        let ran = run(program(&["journal", "schema", dialect]));
        let is_sql = ran.stdout.contains("CREATE TABLE IF NOT EXISTS merchantpay_attempts (");
        assert!(ran.status == 0 && is_sql && ran.stdout.ends_with(";\n"), "{}{}", ran.stdout, ran.stderr);
    }
    assert_eq!(run(program(&["journal", "schema", "oracle"])).status, 2);
}

/// cron mails what a command prints, and ignores its exit status.
#[test]
fn statistics_exit_with_1_where_too_much_needs_attention() {
    let shop = three();
    for (most, status) in [("1", 0), ("0", 1)] {
        let ran = shop.run(&["stats", "--max-attention", most]);
        assert_eq!(ran.status, status, "{most}: {}", ran.stdout);
        let stats = &lines(&ran)[0];
        assert_eq!(stats["standings"], json!({"sending": 0, "unknown": 1, "open": 0}));
        assert_eq!((&stats["attention"], &stats["news"]), (&json!(1), &json!(1)), "{stats}");
        let quiet = shop.run(&["stats", "--quiet", "--max-attention", most]);
        assert_eq!((quiet.status, quiet.stdout.is_empty()), (status, status == 0), "{}", quiet.stdout);
    }
    std::fs::rename(shop.file(), shop.file().with_extension("gone")).unwrap();
    let broken = shop.run(&["stats", "--quiet", "--max-attention", "1"]);
    assert_eq!((broken.status, broken.error()["code"].as_str()), (3, Some("storage")));
    assert_eq!(shop.run(&["stats", "--quiet"]).status, 2, "without a limit nothing would ever be printed");
}

#[test]
fn export_is_imported_once_into_a_paused_journal() {
    let shop = three();
    let exported = shop.run(&["export"]).stdout;
    let other = shop.file().with_file_name("other.db");
    let other = other.to_str().unwrap();
    let import = |stdin: &str| without_keys(other, &["import"], stdin);
    assert_eq!(import(&exported).status, 3, "init creates a journal, and import does not");
    assert_eq!(without_keys(other, &["init"], "").reply(), json!({"journal": other}));
    assert_eq!(import(&exported).reply(), json!({"imported": 3, "messages": 0, "present": 0}));
    assert_eq!(import(&exported).reply(), json!({"imported": 0, "messages": 0, "present": 3}));
    assert!(shop.lines(&["stats", "--journal", other])[0]["pause"].is_string());
    assert_eq!(references(&shop.lines(&["list", "--journal", other])).len(), 3);
    let cut = format!("{}\n{{\"reference\":", exported.lines().next().unwrap());
    assert!(import(&cut).error()["message"].as_str().unwrap().starts_with("line 2 "));
    for vouched in [&["--from-0.3"][..], &["--from-0.3", "--paused-for-ever"]] {
        refused_argument(&without_keys(other, &[&["import"], vouched].concat(), &exported));
    }
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
        without_keys(
            file.to_str().unwrap(),
            &[&["import", "--from-0.3"], args].concat(),
            &format!("{line}\n\n"),
        )
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
    let purge = |args: &[&str]| shop.run(&[&["purge"], args].concat());
    assert_eq!(purge(&["--before", "2999-01-01"]).reply(), json!({"purged": 1}), "the refused one");
    assert_eq!(shop.run(&["forget", "order-1"]).status, 2);
    shop.acknowledge("order-1");
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
    shop.acknowledge("order-4");
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
fn paused_journal_takes_no_payment_until_it_is_resumed() {
    let shop = Shop::new();
    assert_eq!(shop.run(&["pause", "--note", "restore of today"]).reply()["paused"], true);
    let refused = shop.pay("order-1", ACCOUNT, &[]);
    assert!(refused.status == 3 && refused.stderr.contains("restore of today"), "{}", refused.stderr);
    assert_eq!(shop.lines(&["stats"])[0]["pause"], "restore of today");
    assert_eq!(shop.sandbox.requests("newPayment"), 0);
    assert_eq!(shop.run(&["resume", "--note", "checked"]).reply()["paused"], false);
    shop.paid_for("order-1", ACCOUNT);
    assert_eq!(shop.run(&["pause"]).status, 2, "a note says who and why");
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
