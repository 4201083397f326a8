//! What an operator does with a journal: an import, a restored copy, what a terminal shows, and the password of its
//! database, which is never an argument. The journal's crate and `tests/crash` test real servers.

use std::io::{Read as _, Write as _};
use std::net::TcpListener;
use std::process::Command;

use serde_json::json;

use crate::common::{ACCOUNT, Shop, on_terminal, program, run, run_with_stdin};

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
fn server_that_is_absent_or_does_not_answer_is_named() {
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
fn password_comes_from_a_file_a_variable_or_a_command() {
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
    for command in ["exit 3", "true", "echo; echo secret", "no-such-command 2>/dev/null"] {
        let url = "postgresql://shop@127.0.0.1:1/payments";
        let ran =
            run(program(&["journal", "stats", "--journal", url, "--journal-password-command", command]));
        assert_eq!(ran.status, 2, "{command}: {}", ran.stderr);
        assert!(!ran.stderr.contains("secret"), "{}", ran.stderr);
    }
}
