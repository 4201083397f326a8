//! URLs of a journal, and the password, which is never an argument. The journal's crate and `tests/crash` test real
//! servers.

use std::io::{Read as _, Write as _};
use std::net::TcpListener;
use std::process::Command;

use crate::common::{program, run};
use crate::journal_shop::Shop;

/// The error's message of a command with this URL.
fn refused(url: &str, status: i32) -> String {
    let mut command = program(&["journal", "stats"]);
    command.env("MERCHANTPAY_JOURNAL", url).env("MERCHANTPAY_JOURNAL_PASSWORD", "secret-1");
    let ran = run(command);
    assert_eq!(ran.status, status, "{url}: {}", ran.stderr);
    assert!(!ran.stderr.contains("secret"), "{}", ran.stderr);
    ran.error()["message"].as_str().unwrap().to_owned()
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
