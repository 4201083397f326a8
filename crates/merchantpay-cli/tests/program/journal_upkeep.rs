//! `journal init`, `show`, `list`, `schema`, `stats`, `export`, `import`, `purge`, `pause`, `resume`, `backup` and
//! `forget`, and their output on a terminal.

use merchantpay_sandbox::Fault;
use serde_json::{Value, json};

use crate::common::{on_terminal, program, run, run_with_stdin};
use crate::journal_shop::{ACCOUNT, Shop, lines};

fn references(lines: &[Value]) -> Vec<&str> {
    lines.iter().map(|line| line["reference"].as_str().unwrap()).collect()
}

/// A journal with three payments: one paid, one refused, and one with an unknown outcome.
fn three() -> Shop {
    let shop = Shop::new();
    shop.paid_for("order-1", ACCOUNT);
    shop.run(&["confirm", "order-1"]).reply();
    shop.run(&["wait", "order-1"]).reply();
    assert_eq!(shop.pay("order-2", "no-credentials", &[]).status, 1);
    shop.sandbox.misbehave(Fault::DropAfterCommit, Some("newPayment"), 1);
    assert_eq!(shop.pay("order,\"3\"", ACCOUNT, &[]).status, 4);
    shop
}

#[test]
fn a_list_is_narrowed_by_standing_date_and_number() {
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

    let csv = shop.run(&["list", "--csv"]);
    let rows: Vec<&str> = csv.stdout.lines().collect();
    assert!(
        rows[0].starts_with("reference,attempt,standing,orderId,status,sumAsked,sumPaid,paid,succeeded,"),
        "{}",
        csv.stdout
    );
    assert!(rows[1].starts_with("\"order,\"\"3\"\"\",1,unknown,,,1500.50,,,false,"), "{}", rows[1]);
    assert!(
        rows[3].contains(",doneSuccess,1500.50,1500.50,exactly,true,accepted,,final,none,"),
        "{}",
        rows[3]
    );

    for args in
        [&["--standing", "lost"][..], &["--since", "yesterday"], &["--until", "1"], &["--limit", "-1"]]
    {
        let ran = shop.run(&[&["list"], args].concat());
        assert_eq!((ran.status, ran.error()["code"].as_str()), (2, Some("invalid_argument")), "{args:?}");
    }
    assert_eq!(shop.run(&["show", "no-such-order"]).status, 2);
}

#[test]
fn init_creates_a_journal_once_and_can_be_repeated() {
    let shop = three();
    assert_eq!(shop.run(&["init"]).status, 0);
    assert_eq!(shop.lines(&["list"]).len(), 3);
    // `init` needs neither a key nor the service.
    let file = shop.file().with_file_name("new.db");
    let init = || run(program(&["journal", "init", "--journal", file.to_str().unwrap()]));
    assert_eq!((init().status, init().status), (0, 0));
    assert!(file.exists());
}

#[test]
fn a_wrong_path_is_refused_by_every_command_and_nothing_is_sent() {
    let shop = Shop::new();
    let missing = shop.file().with_file_name("missing.db");
    let pay = [
        "pay",
        "--reference",
        "order",
        "--sum",
        "10",
        "--payment-method",
        "sbp",
        "--customer-account",
        ACCOUNT,
    ];
    let commands = [&pay[..], &["settle"], &["stats"], &["list"], &["news"], &["import"], &["show", "order"]];
    for command in commands {
        let ran = |file: &str| {
            let ran = run_with_stdin(shop.command(&[command, &["--journal", file]].concat()), b"");
            (ran.status, ran.error()["message"].as_str().unwrap_or_default().to_owned())
        };
        let (status, message) = ran(missing.to_str().unwrap());
        let init = format!("merchantpay journal init --journal {}`", missing.display());
        assert!(status == 3 && message.contains(&init), "{command:?}: {status} {message}");
        let (status, message) = ran("payments.db");
        assert!(status == 2 && message.contains("absolute"), "{command:?}: {status} {message}");
    }
    let mut variable = shop.command(&["stats"]);
    variable.env("MERCHANTPAY_JOURNAL", "payments.db");
    assert_eq!(run(variable).status, 2);
    assert_eq!(run(program(&["journal", "init", "--journal", "payments.db"])).status, 2);
    assert_eq!(shop.sandbox.requests("newPayment"), 0);
    assert!(!missing.exists());
}

#[test]
fn the_schema_of_each_dialect_is_statements() {
    for dialect in ["sqlite", "postgresql", "mysql"] {
        let ran = run(program(&["journal", "schema", dialect]));
        assert_eq!(ran.status, 0, "no setting is needed: {}", ran.stderr);
        assert!(
            ran.stdout.starts_with("CREATE TABLE IF NOT EXISTS merchantpay_journal (")
                && ran.stdout.ends_with(";\n"),
            "{}",
            ran.stdout
        );
    }
    assert_eq!(run(program(&["journal", "schema", "oracle"])).status, 2);
}

#[test]
fn statistics_exit_with_1_where_too_much_needs_attention() {
    let shop = three();
    for (most, status) in [(None, 0), (Some("1"), 0), (Some("0"), 1)] {
        let args: Vec<&str> = ["stats"]
            .into_iter()
            .chain(most.into_iter().flat_map(|most| ["--max-attention", most]))
            .collect();
        let ran = shop.run(&args);
        assert_eq!(ran.status, status, "{most:?}: {}", ran.stdout);
        let stats = &lines(&ran)[0];
        assert_eq!(stats["standings"], json!({"final": 1, "refused": 1, "unknown": 1}));
        assert_eq!(stats["attention"], 1);
        assert!(stats.get("overdueMs").is_some(), "{stats}");
    }
}

/// cron mails what a command prints, and ignores its exit status.
#[test]
fn quiet_statistics_print_only_what_somebody_must_read() {
    let shop = three();
    let quiet = |most: &str| shop.run(&["stats", "--max-attention", most, "--quiet"]);
    let well = quiet("1");
    assert_eq!((well.status, well.stdout.as_str(), well.stderr.as_str()), (0, "", ""));
    let alarm = quiet("0");
    assert_eq!((alarm.status, &lines(&alarm)[0]["attention"]), (1, &json!(1)));
    std::fs::rename(shop.file(), shop.file().with_extension("gone")).unwrap();
    let broken = quiet("1");
    assert_eq!((broken.status, broken.error()["code"].as_str()), (3, Some("storage")));
    assert_eq!(shop.run(&["stats", "--quiet"]).status, 2, "without a limit nothing would ever be printed");
}

#[test]
fn what_was_exported_is_imported_into_another_journal_once() {
    let shop = three();
    let exported = shop.run(&["export"]);
    assert_eq!((exported.status, exported.stdout.lines().count()), (0, 3), "{}", exported.stderr);
    let other = shop.file().with_file_name("other.db");
    let import = |stdin: &str| {
        run_with_stdin(shop.command(&["import", "--journal", other.to_str().unwrap()]), stdin.as_bytes())
    };
    let other_name = other.to_str().unwrap();
    assert_eq!(import(&exported.stdout).status, 3, "init creates a journal, and import does not");
    assert_eq!(shop.run(&["init", "--journal", other_name]).reply(), json!({"journal": other_name}));
    assert_eq!(import(&exported.stdout).reply(), json!({"imported": 3, "present": 0}));
    assert_eq!(import(&exported.stdout).reply(), json!({"imported": 0, "present": 3}));
    let listed = |file: &str| shop.run(&["list", "--journal", file]).stdout;
    assert_eq!(listed(other.to_str().unwrap()), listed(shop.file().to_str().unwrap()));

    let cut = format!("{}\n{{\"reference\":", exported.stdout.lines().next().unwrap());
    let ran = import(&cut);
    assert_eq!(ran.status, 2);
    assert!(ran.error()["message"].as_str().unwrap().starts_with("line 2: "), "{}", ran.stderr);
}

#[test]
fn an_export_for_a_database_is_one_transaction_of_statements() {
    let shop = three();
    for (dialect, begin) in [("postgresql", "BEGIN;"), ("mysql", "START TRANSACTION;")] {
        let exported = shop.run(&["export", "--sql", dialect]);
        assert_eq!(exported.status, 0, "{}", exported.stderr);
        let lines: Vec<&str> = exported.stdout.lines().collect();
        assert_eq!((lines[2], lines.last()), (begin, Some(&"COMMIT;")));
        let rows: Vec<&&str> =
            lines.iter().filter(|line| line.starts_with("INSERT INTO merchantpay_journal (")).collect();
        assert_eq!(rows.len(), lines.len() - 4);
        assert!(rows.iter().any(|row| row.contains("'order,\"3\"'")), "{}", exported.stdout);
    }
    assert_eq!(shop.run(&["export", "--sql", "sqlite"]).status, 2);
}

#[test]
fn a_purge_deletes_the_details_of_what_is_over() {
    let shop = three();
    assert_eq!(
        shop.run(&["purge", "--before", "2999-01-01"]).reply(),
        json!({"purged": 0}),
        "it is not acknowledged"
    );
    shop.run(&["acknowledge", "order-1"]).reply();
    assert_eq!(shop.run(&["purge", "--before", "2001-01-01"]).reply(), json!({"purged": 0}));
    assert_eq!(shop.run(&["purge", "--older-than", "1d"]).reply(), json!({"purged": 0}));
    assert_eq!(shop.run(&["purge", "--older-than", "1ms"]).reply(), json!({"purged": 1}));
    let entry = shop.entry("order-1");
    assert_eq!(
        (&entry["standing"], &entry["payment"], &entry["succeeded"]),
        (&json!("final"), &json!(null), &json!(true))
    );
    assert_eq!(shop.pay("order-1", ACCOUNT, &[]).status, 4, "it is not paid twice");
    assert_eq!(shop.sandbox.requests("newPayment"), 3);
    for args in [
        &["purge"][..],
        &["purge", "--before", "soon"],
        &["purge", "--older-than", "soon"],
        &["purge", "--older-than", "99999999999d"],
        &["purge", "--older-than", "1d", "--before", "2001-01-01"],
    ] {
        assert_eq!(shop.run(args).status, 2, "{args:?}");
    }
}

#[test]
fn a_terminal_shows_aligned_text_and_json_where_it_is_asked_for() {
    let shop = three();
    let shown = on_terminal(&shop.command(&["show", "order-1"]));
    let lines: Vec<&str> = shown.lines().collect();
    assert_eq!(
        lines[..3],
        [
            "reference  order-1",
            "attempt    1",
            "standing   final: The status is final: a success or a failure."
        ],
        "{shown}"
    );
    assert!(shown.contains("\npaid       exactly: 1500.50\nsucceeded  yes\n"), "{shown}");

    let listed = on_terminal(&shop.command(&["list"]));

    assert!(listed.starts_with("REFERENCE  ATTEMPT  STANDING  ORDER ID"), "{listed}");
    assert_eq!(listed.lines().count(), 4, "{listed}");
    let attention = on_terminal(&shop.command(&["attention"]));
    assert!(
        attention.lines().nth(1).unwrap().contains("It is not known whether the service made a payment."),
        "{attention}"
    );
    assert!(on_terminal(&shop.command(&["stats", "--json"])).starts_with("{\"standings\":"));
    assert!(shown.contains("(now)\n") || shown.contains(" s ago)\n"), "{shown}");
}

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
