//! `sandbox -- COMMAND…`, which runs a program for development, in tests or in a container, and how a sandbox ends. The
//! settings that a sandbox prints, the sandbox that its verbs, `story` and `check-receiver` control, and the servers that
//! they leave alone.

use std::net::TcpListener;
use std::os::unix::fs::PermissionsExt as _;
use std::os::unix::process::ExitStatusExt as _;
use std::process::{Command, ExitStatus, Stdio};
use std::sync::{Arc, Mutex};

use merchantpay::PrivateKey;
use merchantpay_services::{head, serve};
use serde_json::{Value, json};

use crate::*;

const PROGRAM: &str = env!("CARGO_BIN_EXE_merchantpay");

/// `sandbox --port 0 -- sh -c SCRIPT`.
fn with_script(script: &str) -> Command {
    program(&["sandbox", "--port", "0", "--", "sh", "-c", script])
}

#[test]
fn command_gets_only_sandbox_settings() {
    let mut with =
        with_script("env | grep ^MERCHANTPAY_ | cut -d= -f1 | sort; exec \"$0\" status no-such-order");
    with.arg(PROGRAM);
    for leftover in [
        "BASE_URL",
        "SANDBOX_URL",
        "TIMEOUT_MS",
        "PROXY",
        "PRIVATE_KEY_FILE",
        "JOURNAL",
        "OF_A_LATER_VERSION",
    ] {
        with.env(format!("MERCHANTPAY_{leftover}"), "leftover");
    }
    // The path of the library is not a setting, so the command keeps it.
    with.env("MERCHANTPAY_LIBRARY", "/usr/lib/libmerchantpay.so");
    let ran = run(with);
    let names: Vec<&str> = ran.stdout.lines().collect();
    assert_eq!(
        names,
        [
            "MERCHANTPAY_BASE_URL",
            "MERCHANTPAY_KEY_ID",
            "MERCHANTPAY_LIBRARY",
            "MERCHANTPAY_PRIVATE_KEY",
            "MERCHANTPAY_SANDBOX_URL",
            "MERCHANTPAY_SERVER_KEY_ID",
            "MERCHANTPAY_SERVER_PUBLIC_KEY",
        ]
    );
    assert!(ran.stderr.contains("order_not_found"), "{}", ran.stderr);
    assert_eq!(ran.status, 1, "the command's own status");
}

#[test]
fn own_key_is_kept() {
    let pair = merchantpay::Keypair::generate().unwrap();
    let public_key = pair.public_key().to_base64();
    let own = ["--port", "0", "--key-id", "own", "--public-key", &public_key];
    let mut with = program(&[&["sandbox"], &own[..], &["--", PROGRAM, "status", "no-such-order"]].concat());
    with.env("MERCHANTPAY_PRIVATE_KEY", pair.private_key().to_base64().as_str());
    assert_eq!(run(with).error()["reason"], "order_not_found");
}

#[test]
fn exits_with_command_status() {
    for (script, status) in
        [("true", 0), ("exit 7", 7), ("kill -TERM $$", 128 + 15), ("kill -KILL $$", 128 + 9)]
    {
        let ran = run(with_script(script));
        assert_eq!((ran.status, ran.stdout.as_str(), ran.stderr.as_str()), (status, "", ""), "{script}");
    }
    for (command, status) in
        [("/no/such/command", 127), (concat!(env!("CARGO_MANIFEST_DIR"), "/Cargo.toml"), 126)]
    {
        let ran = run(program(&["sandbox", "--port", "0", "--", command]));
        assert_eq!(ran.status, status);
        assert!(ran.message().contains(command));
    }
}

#[test]
fn signals_reach_only_the_command() {
    for name in ["HUP", "INT", "QUIT", "TERM", "USR1", "USR2"] {
        let script = format!(
            "trap 'kill $waiting; echo {name}; exit 3' {name}; sleep 60 & waiting=$!; echo ready; wait"
        );
        let mut command = with_script(&script);
        // In a process group of its own, because a terminal sends INT and QUIT to the whole foreground group.
        std::os::unix::process::CommandExt::process_group(&mut command, 0);
        let mut running = Running::start(command);
        running.line();
        running.signal(name);
        assert_eq!((running.rest().trim(), running.status()), (name, Some(3)));
    }
}

#[test]
fn ctrl_c_interrupts_command_once() {
    let script = "trap 'echo interrupted' INT; trap 'echo quit' QUIT; trap 'kill $waiting; echo end; exit 0' TERM; \
                  sleep 60 & waiting=$!; echo ready $PPID; while :; do wait; done";
    let command = format!("{PROGRAM} sandbox --port 0 -- sh -c \"$SCRIPT\"");
    let mut terminal = Command::new("script");
    terminal.args(["--quiet", "--flush", "--command", &command, "/dev/null"]).env("SCRIPT", script);
    terminal.stdin(Stdio::piped());
    let mut terminal = Running::start(terminal);
    let sandbox = terminal.line().trim().strip_prefix("ready ").unwrap().parse().unwrap();
    terminal.child.stdin.as_mut().unwrap().write_all(b"\x03").unwrap();
    while !terminal.line().contains("interrupted") {}
    // A signal that was sent to the sandbox alone is forwarded also at a terminal. Not INT again: two pending ones are one.
    signal("QUIT", sandbox);
    while !terminal.line().contains("quit") {}
    signal("TERM", sandbox);
    assert_eq!(terminal.rest().trim(), "end");
}

#[test]
fn ignored_hangup_stays_ignored() {
    let script =
        format!("trap '' HUP; exec {PROGRAM} sandbox --port 0 -- sh -c 'kill -HUP $$ $PPID; exit 4'");
    let mut shell = Command::new("sh");
    assert_eq!(shell.args(["-c", &script]).status().unwrap().code(), Some(4));
}

#[test]
fn sandbox_ends_with_stdin() {
    let mut command = program(&["sandbox", "--port", "0", "--format", "json", "--exit-with-stdin"]);
    command.stdin(Stdio::piped());
    let mut running = Running::start(command);
    let url = running.json()["baseUrl"].as_str().unwrap().to_owned();
    running.child.stdin.as_mut().unwrap().write_all(b"is not read as anything\n").unwrap();
    let info = run(program(&["sandbox", "api", "/", "--sandbox", &url]));
    assert_eq!(info.reply()["sandbox"], true);
    drop(running.child.stdin.take());
    assert_eq!(running.status(), Some(0));

    let both = run(program(&["sandbox", "--exit-with-stdin", "--", "true"]));
    assert_eq!(both.status, 2, "the command has the standard input");
}

#[test]
fn interrupted_sandbox_exits_with_0() {
    let ends = |name: &str, arguments: &[&str]| -> ExitStatus {
        let mut command = program(&[&["sandbox", "--port", "0", "--format", "json"], arguments].concat());
        command.stdin(Stdio::piped());
        let mut running = Running::start(command);
        running.line();
        running.signal(name);
        let (input, status) = (running.child.stdin.take(), running.child.wait().unwrap());
        drop(input);
        status
    };
    for arguments in [&[][..], &["--exit-with-stdin"]] {
        for name in ["INT", "TERM"] {
            assert_eq!(ends(name, arguments).code(), Some(0), "{name}");
        }
    }
    assert_eq!(ends("KILL", &[]).signal(), Some(9));
}

#[test]
fn words_after_dashes_belong_to_the_command() {
    for words in [
        &["--db=postgresql://u:p@localhost/t"][..],
        &["--db", "postgresql://u:p@localhost/t"],
        &["postgresql://u:p@localhost/t"],
        &["mysql://u@localhost/t?password=p", "--json"],
        &["--private-key=abc", "--host", "0.0.0.0"],
    ] {
        let ran = run(program(&[&["sandbox", "--port", "0", "--", "echo"], words].concat()));
        assert_eq!((ran.status, ran.stdout.trim(), ran.stderr.as_str()), (0, &*words.join(" "), ""));
    }
    let before = ["sandbox", "--db", "postgresql://u:p@localhost/t", "--", "true"];
    let ran = run(program(&before));
    assert_eq!(ran.status, 2);
    assert!(ran.message().contains("password"));
}

#[test]
fn a_port_in_use_is_named() {
    // If another program of this machine has the default port, it is just as busy.
    let _busy = TcpListener::bind("127.0.0.1:8700");
    let other = TcpListener::bind("127.0.0.1:0").unwrap();
    let port = other.local_addr().unwrap().port().to_string();
    for (args, port) in [
        (&["sandbox", "--exit-with-stdin"][..], "8700"),
        (&["sandbox", "--", "true"], "8700"),
        (&["sandbox", "--port", &port], &port),
    ] {
        let ran = run(program(args));
        let message = ran.message();
        assert_eq!(ran.status, 2);
        assert!(message.contains(&format!("port {port} of 127.0.0.1 is in use")), "{message}");
        assert!(message.contains("--port 0"), "{message}");
    }
}

#[test]
fn json_settings_suffice_for_client() {
    let (_running, values) = sandbox_with_json(&[]);
    let mut status = program(&["status", "no-such-order"]);
    for (variable, name) in [
        ("BASE_URL", "baseUrl"),
        ("KEY_ID", "keyId"),
        ("PRIVATE_KEY", "privateKey"),
        ("SERVER_PUBLIC_KEY", "serverPublicKey"),
        ("SERVER_KEY_ID", "serverKeyId"),
    ] {
        status.env(format!("MERCHANTPAY_{variable}"), values[name].as_str().unwrap());
    }
    for status in [status, with_settings(&values, &["status", "no-such-order"])] {
        assert_eq!(run(status).error()["reason"], "order_not_found");
    }
}

#[test]
fn server_key_file_is_private() {
    let folder = Folder::new();
    let path = folder.join("key");
    let args = ["--server-private-key-file", path.to_str().unwrap()];
    let public_key = || sandbox_with_json(&args).1["serverPublicKey"].clone();
    let first = public_key();
    assert_eq!(std::fs::metadata(&path).unwrap().permissions().mode() & 0o777, 0o600);
    let kept = std::fs::read_to_string(&path).unwrap();
    assert_eq!(PrivateKey::from_base64(kept.trim()).unwrap().public_key().to_base64(), first);
    assert_eq!(public_key(), first, "the same key when it starts again");

    std::fs::write(&path, "no key").unwrap();
    let ran = run(program(&[&["sandbox"][..], &args].concat()));
    assert_eq!((ran.status, ran.error()["code"].as_str()), (2, Some("invalid_key")));
    let nowhere = run(program(&["sandbox", "--server-private-key-file", "/no/such/folder/key"]));
    assert_eq!(nowhere.status, 2);
}

#[test]
fn settings_in_each_format() {
    for args in [&[][..], &["--format", "shell"], &["--format", "env"]] {
        let (_running, text) = sandbox_with_settings(args, "# Stop it");
        assert_eq!(text.lines().filter(|line| line.starts_with("export MERCHANTPAY_")).count(), 7, "{text}");
    }
    let (_running, values) = sandbox_with_json(&[]);
    let settings = |args: &[&str]| run(with_settings(&values, &[&["sandbox", "settings"], args].concat()));
    assert!(settings(&[]).stdout.starts_with("# merchantpay sandbox at "));
    assert_eq!(settings(&["--format", "json"]).reply(), values);
    assert_eq!(settings(&["--format", "env"]).stdout, settings(&[]).stdout);
}

#[test]
fn keygen_file_is_private() {
    let folder = Folder::new();
    let path = folder.join("key.json");
    let out = ["keygen", "--out", path.to_str().unwrap()];
    let printed = run(program(&out)).reply();
    assert_eq!(std::fs::metadata(&path).unwrap().permissions().mode() & 0o777, 0o600);
    let pair: Value = serde_json::from_str(&std::fs::read_to_string(&path).unwrap()).unwrap();
    let key = PrivateKey::from_base64(pair["privateKey"].as_str().unwrap()).unwrap();
    assert_eq!(printed["publicKey"], key.public_key().to_base64());
    assert!(!printed.to_string().contains(pair["privateKey"].as_str().unwrap()));
    assert_eq!(run(program(&out)).status, 2, "an existing key stays");
    assert_eq!(std::fs::read_to_string(&path).unwrap(), format!("{pair}\n"));
}

#[test]
fn verbose_shows_a_call_and_no_key() {
    let sandbox = sandbox();
    let ran = run(at(&sandbox, &["status", "no-such-order", "--verbose"]));
    let lines: Vec<Value> = ran.stderr.lines().map(|line| serde_json::from_str(line).unwrap()).collect();
    let (request, reply) = (&lines[0]["request"], &lines[0]["reply"]);
    assert_eq!(request["body"], r#"{"orderId":"no-such-order"}"#);
    assert_eq!(request["headers"].as_array().unwrap().len(), 3);
    assert!(reply["httpStatus"] == 404 && reply["body"].as_str().unwrap().starts_with('{'), "{reply}");
    assert_eq!(lines[1]["error"]["reason"], "order_not_found");
    let key = sandbox.merchant_private_key().unwrap().to_base64();
    assert!(!ran.stderr.contains(key.as_str()));
    let shown = on_terminal(&at(&sandbox, &["status", "x", "--verbose"]));
    assert!(
        shown.starts_with("> POST http://") && shown.contains("\n> {\"orderId\":\"x\"}\n< HTTP 404\n"),
        "{shown}"
    );
}

#[test]
fn events_until_sandbox_ends() {
    let sandbox = sandbox();
    let mut events = Running::start(at(&sandbox, &["sandbox", "events"]));
    assert_eq!(events.json()["event"], "hello");
    run(at(&sandbox, &["sandbox", "faults", "add", "unsigned", "--operation", "cancel"])).reply();
    let faults = events.json();
    let seen = (&faults["event"], &faults["data"]["faults"][0]["kind"]);
    assert_eq!(seen, (&json!("faults"), &json!("unsigned")));
    sandbox.stop();
    assert_eq!(events.status(), Some(4));
}

/// A server that is no sandbox, and what was asked of it.
struct Production {
    url: String,
    requests: Arc<Mutex<Vec<String>>>,
}

impl Production {
    fn start(answer: &'static str) -> Production {
        let requests = Arc::new(Mutex::new(Vec::new()));
        let recorded = Arc::clone(&requests);
        let address = serve(move |mut stream| {
            let head = String::from_utf8(head(&mut stream).unwrap()).unwrap();
            recorded.lock().unwrap().push(head.split(" HTTP/").next().unwrap().to_owned());
            let _ = stream.write_all(answer.as_bytes());
        });
        Production { url: format!("http://{address}"), requests }
    }

    fn requests(&self) -> Vec<String> {
        self.requests.lock().unwrap().clone()
    }
}

const COMMANDS: [&[&str]; 7] = [
    &["story", "paid"],
    &["check-receiver", "http://127.0.0.1:1/"],
    &["sandbox", "operate", "sb-1", "approve"],
    &["sandbox", "faults", "add", "unsigned"],
    &["sandbox", "faults", "clear"],
    &["sandbox", "api", "clock", "advanceMs=1"],
    &["sandbox", "resend", "1"],
];

#[test]
fn base_url_never_names_the_sandbox() {
    let (sandbox, production) = (sandbox(), Production::start("HTTP/1.1 404 Not Found\r\n\r\n"));
    for args in COMMANDS {
        let mut command = at(&sandbox, args);
        command.env("MERCHANTPAY_BASE_URL", &production.url);
        run(command);
    }
    assert!(production.requests().is_empty(), "{:?}", production.requests());
    let mut story = at(&sandbox, &["story", "paid"]);
    story.env("MERCHANTPAY_BASE_URL", &production.url);
    assert_eq!(run(story).reply()["status"], "doneSuccess");
    assert_eq!(production.requests(), [""; 0]);
}

#[test]
fn only_a_sandbox_gets_changes() {
    let json =
        "HTTP/1.1 200 OK\r\nContent-Type: application/json\r\nContent-Length: 16\r\n\r\n{\"success\":true}";
    let named_sandbox =
        "HTTP/1.1 200 OK\r\nContent-Type: application/json\r\nContent-Length: 16\r\n\r\n{\"sandbox\":null} ";
    let page = "HTTP/1.1 200 OK\r\nContent-Length: 4\r\n\r\n<p/>";
    let moved = "HTTP/1.1 307 Moved\r\nLocation: /sandbox/\r\nContent-Length: 0\r\n\r\n";
    let missing = "HTTP/1.1 404 Not Found\r\nContent-Length: 0\r\n\r\n";
    let own_error = "HTTP/1.1 404 Not Found\r\nContent-Length: 44\r\n\r\n{\"error\":{\"code\":\"notFound\",\"message\":\"no\"}}";
    for answer in [json, named_sandbox, page, moved, missing, own_error] {
        for args in COMMANDS {
            let production = Production::start(answer);
            let flag = program(&[args, &["--sandbox", &production.url]].concat());
            let mut variable = program(args);
            variable.env("MERCHANTPAY_SANDBOX_URL", &production.url);
            for command in [flag, variable] {
                let ran = run(command);
                let outcome = ran.error()["outcome"].clone();
                assert_eq!((ran.status, outcome), (3, json!("not_sent")), "{args:?}: {}", ran.stderr);
                assert!(ran.message().contains("MERCHANTPAY_SANDBOX_URL"), "{}", ran.stderr);
            }
            assert!(
                production.requests().iter().all(|request| request == "GET /sandbox"),
                "{args:?}: {:?}",
                production.requests()
            );
        }
    }
}

#[test]
fn quotes_around_the_url_are_named() {
    for url in ["\"http://127.0.0.1:1\"", "'http://127.0.0.1:1'\r"] {
        let mut command = program(&["story", "paid"]);
        command.env("MERCHANTPAY_SANDBOX_URL", url);
        let ran = run(command);
        assert_eq!(ran.status, 2);
        assert!(ran.message().contains("wrapped in quotes"), "{}", ran.stderr);
    }
}
