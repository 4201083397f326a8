//! `journal receive`, `news`, `acknowledge`, `attention` and `resolve`, and what an operator does with a journal: an
//! import, a restored copy, what a terminal shows, and the password of its database, which is never an argument. The
//! journal's crate and `tests/crash` test real servers.

use std::net::TcpListener;

use serde_json::{Value, json};

use crate::*;

fn answered(ran: &Ran, http_status: u16, exit: i32) {
    let status = format!("{{\"httpStatus\":{http_status}}}\n");
    assert_eq!((ran.status, ran.stdout.as_str()), (exit, status.as_str()), "{}", ran.stderr);
}

fn item(shop: &Shop, reference: &str) -> Option<Value> {
    shop.lines(&["attention"]).into_iter().find(|item| item["reference"] == reference)
}

/// Runs the printed command that has these words, with other words in place of the words in capitals.
fn decide(shop: &Shop, item: &Value, has: &str, order_id: &str) -> Ran {
    let commands: Vec<&str> = item["resolve"].as_array().unwrap().iter().filter_map(Value::as_str).collect();
    let command =
        commands.iter().find(|command| command.contains(has)).unwrap_or_else(|| panic!("{commands:?}"));
    let command = command.replace("ORDER_ID", order_id).replace("NOTE", "support");
    let words: Vec<&str> = command.strip_prefix("merchantpay journal ").unwrap().split(' ').collect();
    shop.run(&words)
}

#[test]
fn receive_answers_by_kind_of_webhook() {
    let shop = Shop::new();
    let [order_id, other] = ["order-2", "order-3"].map(|reference| shop.paid_for(reference, ACCOUNT));
    shop.approve(&order_id);
    shop.approve(&other);
    let (delivery, foreign) = (shop.webhook(&order_id, "status"), shop.webhook(&other, "status"));

    let tampered = [&delivery.body[..], b" "].concat();
    for (signature, body) in [(delivery.signature.as_str(), &tampered), ("", &delivery.body)] {
        let ran = shop.receive(&delivery.url, signature, body);
        answered(&ran, 400, 5);
        let error: Value = serde_json::from_str(&ran.stderr).unwrap();
        assert_eq!(error["error"]["code"], "unverified");
        assert!(error["error"]["cause"].is_string(), "{error}");
    }
    assert_eq!(shop.entry("order-2")["standing"], "open", "nothing of it was applied");
    let unknown = "/callback/00000000000000000000000000000000";
    answered(&shop.receive(unknown, &foreign.signature, &foreign.body), 404, 4);
    answered(&shop.receive(&delivery.url, &foreign.signature, &foreign.body), 409, 4);
    answered(&shop.deliver(&delivery), 200, 0);
    answered(&shop.deliver(&delivery), 200, 0);
    assert_eq!(shop.entry("order-2")["succeeded"], true, "the service was asked");

    as_cgi(&shop, &delivery);

    // The store cannot be used, so the service must send the webhook again.
    let mut broken = shop.command(&["receive", "--path", &delivery.url, "--signature", &delivery.signature]);
    broken.env("MERCHANTPAY_JOURNAL", "/no/such/folder/payments.db");
    let ran = run_with_stdin(broken, &delivery.body);
    answered(&ran, 503, 3);
    assert!(ran.stderr.contains("\"code\":\"storage\""), "{}", ran.stderr);
}

/// Runs lines of `docs/journal.md` in dash, with the program in its path.
fn dash(shop: &Shop, lines: &str) -> Command {
    let like = shop.command(&[]);
    let mut dash = Command::new("dash");
    dash.args(["-euc", lines]).envs(like.get_envs().filter_map(|(name, value)| Some((name, value?))));
    let folder = Path::new(env!("CARGO_BIN_EXE_merchantpay")).parent().unwrap();
    dash.env("PATH", format!("{}:{}", folder.display(), std::env::var("PATH").unwrap()));
    dash
}

/// The first block of the page that begins like this.
fn block(begin: &str) -> &'static str {
    let page = include_str!("../../../../docs/journal.md");
    page[page.find(begin).unwrap()..].split("```").next().unwrap()
}

/// The web server keeps the input open behind the body, and has no header X-KeyId for the script.
fn as_cgi(shop: &Shop, delivery: &Delivery) {
    // The page's script names the settings of a machine; here they come from the environment.
    let script: Vec<_> = block("#!/bin/sh").lines().filter(|line| !line.contains("export ")).collect();
    let mut script = dash(shop, &script.join("\n"));
    script.env("CONTENT_LENGTH", delivery.body.len().to_string()).env("PATH_INFO", &delivery.url);
    script.env("HTTP_X_SIGNATURE", &delivery.signature).env("HTTP_X_KEYID", "");
    let mut child = script.stdin(Stdio::piped()).stdout(Stdio::piped()).spawn().unwrap();
    let mut input = child.stdin.take().unwrap();
    input.write_all(&[&delivery.body[..], b"\r\n"].concat()).unwrap();
    let mut answer = String::new();
    child.stdout.take().unwrap().read_to_string(&mut answer).unwrap();
    assert_eq!((child.wait().unwrap().code(), answer.as_str()), (Some(0), "Status: 200\n\n"));
    drop(input);
}

#[test]
fn docs_cgi_handler_runs_in_dash() {
    let shop = Shop::new();
    shop.succeed("order-a");
    shop.succeed("order b");
    let ran = run(dash(&shop, block("merchantpay journal news |")));
    assert_eq!((ran.status, ran.stdout.lines().count()), (0, 2), "{}", ran.stderr);
    assert!(shop.lines(&["list"]).iter().all(|entry| entry["acknowledged"] == true));
}

#[test]
fn news_repeat_until_acknowledged() {
    let shop = Shop::new();
    let order_id = shop.paid_for("order-4", ACCOUNT);
    let early = shop.lines(&["news"]);
    assert_eq!((early.len(), &early[0]["standing"]), (1, &json!("open")));
    assert_eq!(shop.lines(&["news"]), [Value::Null; 0], "they are the first caller's for a minute");
    shop.approve(&order_id);
    answered(&shop.deliver(&shop.webhook(&order_id, "status")), 200, 0);
    let news = shop.lines(&["news"]);
    assert_eq!((news.len(), &news[0]["succeeded"]), (1, &json!(true)));
    let acknowledge = |news: &Value| {
        shop.run(&["acknowledge", "order-4", "--attempt", "1", "--news", &news["news"].to_string()])
    };
    // Nobody who has read the early news has read the later ones.
    let stale = acknowledge(&early[0]);
    assert_eq!((stale.status, stale.stdout.as_str()), (1, "{\"acknowledged\":false}\n"));
    assert_eq!(acknowledge(&news[0]).reply(), json!({"acknowledged": true}));
    assert_eq!(acknowledge(&news[0]).status, 1, "once");
    assert_eq!(shop.entry("order-4")["acknowledged"], true);
    assert_eq!(shop.run(&["acknowledge", "order-4", "--attempt", "1"]).status, 2, "the number is needed");
}

#[test]
fn attention_prints_deciding_commands() {
    let shop = Shop::new();
    for reference in ["order-5", "-6"] {
        shop.lose(reference);
    }
    let found = item(&shop, "order-5").unwrap();
    assert_eq!((&found["attention"], found["details"].as_array().unwrap().len()), (&json!(["unknown"]), 1));
    let wrong = decide(&shop, &found, "--order-id", "no-such-order");
    assert_eq!((wrong.status, wrong.error()["code"].as_str()), (1, Some("rejected")), "the service is asked");
    let made = shop.sandbox_payment("order-5");
    let resolved = decide(&shop, &found, "--order-id", &made).reply();
    assert_eq!((&resolved["standing"], &resolved["orderId"]), (&json!("open"), &json!(made)));
    let resolved = decide(&shop, &item(&shop, "-6").unwrap(), "--no-payment", "").reply();
    assert_eq!(resolved["standing"], "refused");

    shop.paid_for("order-7", "pays-less");
    shop.run(&["confirm", "order-7"]).reply();
    assert_eq!(shop.run(&["wait", "order-7"]).status, 4);
    let found = item(&shop, "order-7").unwrap();
    assert_eq!(found["attention"], json!(["sum_differs"]));
    let shown = on_terminal(&shop.command(&["attention"]));
    let command = found["resolve"][0].as_str().unwrap();
    assert_eq!(command, "merchantpay journal resolve order-7 --attempt 1 --seen sum_differs --note NOTE");
    assert!(shown.contains(command) && shown.contains(found["details"][0].as_str().unwrap()), "{shown}");
    decide(&shop, &found, "--seen", "").reply();
    assert_eq!(shop.lines(&["attention"]), [Value::Null; 0]);
}

#[test]
fn unfit_decision_is_refused() {
    let shop = Shop::new();
    shop.lose("order-8");
    let long = "x".repeat(501);
    for args in [
        &["--no-payment"][..],
        &["--note", "support"],
        &["--no-payment", "--trusted", "--note", "both"],
        &["--no-payment", "--note", " "],
        &["--no-payment", "--note", &long],
        &["--attempt", "2", "--no-payment", "--note", "support"],
        &["--seen", "--note", "without the reasons that were seen"],
        &["--seen", "stuck", "--note", "it has another reason"],
        &["--seen", "dull", "--note", "there is no such reason"],
        &["--trusted", "--note", "it is no copy"],
        &["--order-id", "x", "--sum", "much", "--note", "no sum"],
        &["--sum", "10", "--no-payment", "--note", "no order"],
    ] {
        let ran = shop.run(&[&["resolve", "order-8"], args].concat());
        let code = ran.error()["code"].as_str().map(str::to_owned);
        assert_eq!((ran.status, code.as_deref()), (2, Some("invalid_argument")), "{args:?}: {}", ran.stderr);
    }
    assert!(item(&shop, "order-8").is_some());
}

#[test]
fn order_with_another_sum_needs_that_sum() {
    let shop = Shop::new();
    shop.lose("order-9");
    let mut other = new(ACCOUNT);
    other[2] = "1400";
    let other = run(at(&shop.sandbox, &other));
    let order_id = other.reply()["orderId"].as_str().unwrap().to_owned();
    let resolve = |more: &[&str]| {
        let args = ["resolve", "order-9", "--order-id", &order_id, "--note", "support"];
        shop.run(&[&args, more].concat())
    };
    assert_eq!(resolve(&[]).status, 2);
    let resolved = resolve(&["--sum", "1400.00"]).reply();
    assert_eq!(resolved["attention"], json!(["sum_differs"]));
}

#[test]
fn orphan_needs_the_status_that_was_read() {
    let shop = Shop::new();
    let order_id = shop.paid_for("order-10", ACCOUNT);
    shop.approve(&order_id);
    let delivery = shop.webhook(&order_id, "status");
    shop.sql("UPDATE merchantpay_attempts SET order_id = 'another'");
    answered(&shop.receive("/callback/none", &delivery.signature, &delivery.body), 404, 4);
    let found = shop.lines(&["attention"]).into_iter().find(|item| item["orphan"].is_object()).unwrap();
    assert_eq!(found["orphan"]["orderId"], *order_id);
    assert!(on_terminal(&shop.command(&["attention"])).contains("orphan"));
    for wrong in [&["no-such-order", "--seen", "doneSuccess"][..], &[&order_id, "--seen", "none"]] {
        let ran = shop.run(&[&["resolve", "--note", "x", "--orphan"], wrong].concat());
        assert_eq!(ran.status, 2, "{wrong:?}: {}", ran.stderr);
    }
    assert_eq!(decide(&shop, &found, "--seen doneSuccess", "").reply(), json!({"resolved": true}));
    assert!(!shop.run(&["attention"]).stdout.contains("orphan"));
}

/// The others are not held up by a row that a newer version has written.
#[test]
fn unreadable_row_is_named_and_skipped() {
    let shop = Shop::new();
    shop.paid_for("order-11", ACCOUNT);
    shop.paid_for("order-12", ACCOUNT);
    shop.sql("UPDATE merchantpay_attempts SET intent = 'hasten' WHERE reference = 'order-11'");
    let found = shop.lines(&["attention"]);
    assert_eq!(
        (found.len(), &found[0]["unreadable"], &found[0]["resolve"]),
        (1, &json!({"reference": "order-11", "attempt": 1, "column": "intent"}), &json!([]))
    );
    let shown = on_terminal(&shop.command(&["attention"]));
    assert!(shown.contains("unreadable") && shown.contains("cannot read its intent"), "{shown}");
    assert_eq!(shop.lines(&["news"]).len(), 1);
    let ran = shop.run(&["show", "order-11"]);
    assert!(ran.status != 0 && ran.stderr.contains("intent"), "{}", ran.stderr);
}

fn three() -> Shop {
    let shop = Shop::new();
    shop.succeed("order-1");
    assert_eq!(shop.pay("order-2", "no-credentials", &[]).status, 1);
    shop.lose("order,\"3\"");
    shop
}

#[test]
fn import_from_0_3_needs_paused_journal() {
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
fn purged_payment_is_never_made_again() {
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
    assert_eq!(purge(&["--older-than", "1d", "--before", "2001-01-01"]).status, 2);
    shop.succeed("order-4");
    acknowledge("order-4");
    assert_eq!(shop.run(&["forget", "order-4"]).reply(), json!({"forgotten": 1}));
    assert_eq!(shop.pay("order-4", ACCOUNT, &[]).status, 4);
}

#[test]
fn terminal_shows_text_unless_json() {
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

/// The error's message of a command with this URL.
fn refused(url: &str, status: i32) -> String {
    let mut command = program(&["journal", "stats"]);
    command.env("MERCHANTPAY_JOURNAL", url).env("MERCHANTPAY_JOURNAL_PASSWORD", "secret-1");
    let ran = run(command);
    assert_eq!(ran.status, status, "{url}: {}", ran.stderr);
    assert!(!ran.stderr.contains("secret"), "{}", ran.stderr);
    ran.message()
}

#[test]
fn dead_database_server_is_named() {
    // The system completes connections even if no program accepts them.
    let silent = TcpListener::bind(("127.0.0.1", 0)).unwrap();
    let silent = silent.local_addr().unwrap();
    for scheme in ["postgresql", "mysql"] {
        let message = refused(&format!("{scheme}://shop@127.0.0.1:1/payments"), 3);
        assert!(message.contains("127.0.0.1:1 cannot be reached"), "{message}");
    }
    let message = refused(&format!("postgresql://shop@{silent}/payments?connect_timeout=1"), 3);
    assert!(message.contains("does not answer within 1 s"), "{message}");
}

/// The password that the program sends to a PostgreSQL server which asks for it as text.
fn sent(mut command: Command, listener: &TcpListener) -> String {
    let port = listener.local_addr().unwrap().port();
    command.env("MERCHANTPAY_JOURNAL", format!("postgresql://shop:of-url@127.0.0.1:{port}/payments"));
    let program = std::thread::spawn(move || run(command));
    let (mut stream, _) = listener.accept().unwrap();
    let mut message = |kind: usize| {
        let mut head = vec![0; kind + 4];
        stream.read_exact(&mut head).unwrap();
        let length = u32::from_be_bytes(head[kind..].try_into().unwrap()) as usize;
        let mut body = vec![0; length - 4];
        stream.read_exact(&mut body).unwrap();
        stream.write_all(b"R\0\0\0\x08\0\0\0\x03").unwrap();
        body
    };
    message(0);
    let password = message(1);
    drop(stream);
    assert_ne!(program.join().unwrap().status, 0);
    String::from_utf8(password).unwrap().trim_end_matches('\0').to_owned()
}

#[test]
fn password_from_file_variable_or_command() {
    let shop = Shop::new();
    let file = shop.file().with_file_name("password");
    std::fs::write(&file, "of file\nand no more\n").unwrap();
    let listener = TcpListener::bind(("127.0.0.1", 0)).unwrap();
    let expect = |args: &[&str], environment: &[(&str, &str)], password: &str| {
        let mut command = program(&[&["journal", "stats"], args].concat());
        for (name, value) in environment {
            command.env(format!("MERCHANTPAY_JOURNAL_PASSWORD{name}"), value);
        }
        assert_eq!(sent(command, &listener), password, "{args:?} {environment:?}");
    };
    let named = file.to_str().unwrap();
    let text = ("", "of &variable");
    expect(&[], &[], "of-url");
    expect(&[], &[("_FILE", named)], "of file");
    expect(&[], &[text, ("_FILE", "/missing"), ("_COMMAND", "exit 3")], "of &variable");
    expect(&["--journal-password-file", named], &[text], "of file");
    expect(&["--journal-password-command", "printf 'of %s\\nx' command"], &[text], "of command");
    expect(&[], &[("_COMMAND", "echo of command")], "of command");
    for password in ["secret\r", "secret\n", "sec\tret"] {
        let mut command =
            program(&["journal", "stats", "--journal", "postgresql://shop@127.0.0.1:1/payments"]);
        command.env("MERCHANTPAY_JOURNAL_PASSWORD", password);
        let ran = run(command);
        assert_eq!(ran.status, 2, "{password:?}: {}", ran.stderr);
        assert!(ran.message().starts_with("MERCHANTPAY_JOURNAL_PASSWORD contains a control character"));
        assert!(!ran.stderr.contains("secret"), "{}", ran.stderr);
    }
    for command in ["exit 3", "true", "echo; echo secret", "no-such-command 2>/dev/null"] {
        let url = "postgresql://shop@127.0.0.1:1/payments";
        let ran =
            run(program(&["journal", "stats", "--journal", url, "--journal-password-command", command]));
        assert_eq!(ran.status, 2, "{command}: {}", ran.stderr);
        assert!(!ran.stderr.contains("secret"), "{}", ran.stderr);
    }
}
