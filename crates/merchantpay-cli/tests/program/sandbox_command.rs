//! `sandbox -- COMMAND…`: runs a program for development, in tests or in a container. Also tests how a
//! sandbox ends.

use std::io::Write as _;
use std::net::TcpListener;
use std::os::unix::process::ExitStatusExt as _;
use std::process::{Command, ExitStatus, Stdio};

use crate::common::{Running, program, run, signal};

const PROGRAM: &str = env!("CARGO_BIN_EXE_merchantpay");

/// `sandbox --port 0 -- sh -c SCRIPT`.
fn with_script(script: &str) -> Command {
    program(&["sandbox", "--port", "0", "--", "sh", "-c", script])
}

#[test]
fn the_command_finds_the_sandbox_and_no_other_setting() {
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
fn a_merchant_with_a_key_of_its_own_keeps_it() {
    let pair = merchantpay::Keypair::generate().unwrap();
    let public_key = pair.public_key().to_base64();
    let own = ["--port", "0", "--key-id", "own", "--public-key", &public_key];
    let mut with = program(&[&["sandbox"], &own[..], &["--", PROGRAM, "status", "no-such-order"]].concat());
    with.env("MERCHANTPAY_PRIVATE_KEY", pair.private_key().to_base64().as_str());
    assert_eq!(run(with).error()["reason"], "order_not_found");
}

#[test]
fn the_program_exits_with_the_commands_status() {
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
fn signals_reach_the_command_and_end_nothing_else() {
    for name in ["HUP", "INT", "QUIT", "TERM", "USR1", "USR2"] {
        let script = format!(
            "trap 'kill $waiting; echo {name}; exit 3' {name}; sleep 60 & waiting=$!; echo ready; wait"
        );
        let mut command = with_script(&script);
        // The command gets its own process group, because a terminal sends INT and QUIT to the whole
        // foreground group.
        std::os::unix::process::CommandExt::process_group(&mut command, 0);
        let mut running = Running::start(command);
        running.line();
        running.signal(name);
        assert_eq!((running.rest().trim(), running.status()), (name, Some(3)));
    }
}

#[test]
fn a_key_of_the_terminal_interrupts_the_command_once() {
    let script = "trap 'echo interrupted' INT; trap 'kill $waiting; echo end; exit 0' TERM; \
                  sleep 60 & waiting=$!; echo ready $PPID; while :; do wait; done";
    let command = format!("{PROGRAM} sandbox --port 0 -- sh -c \"$SCRIPT\"");
    let mut terminal = Command::new("script");
    terminal.args(["--quiet", "--flush", "--command", &command, "/dev/null"]).env("SCRIPT", script);
    terminal.stdin(Stdio::piped());
    let mut terminal = Running::start(terminal);
    let sandbox = terminal.line().trim().strip_prefix("ready ").unwrap().parse().unwrap();
    terminal.child.stdin.as_mut().unwrap().write_all(b"\x03").unwrap();
    let until_interrupted = |terminal: &mut Running| while !terminal.line().contains("interrupted") {};
    until_interrupted(&mut terminal);
    // A signal that was sent to the sandbox alone is forwarded also at a terminal.
    signal("INT", sandbox);
    until_interrupted(&mut terminal);
    signal("TERM", sandbox);
    assert_eq!(terminal.rest().trim(), "end");
}

#[test]
fn a_hang_up_that_nohup_ignores_stays_ignored() {
    let script =
        format!("trap '' HUP; exec {PROGRAM} sandbox --port 0 -- sh -c 'kill -HUP $$ $PPID; exit 4'");
    let mut shell = Command::new("sh");
    assert_eq!(shell.args(["-c", &script]).status().unwrap().code(), Some(4));
}

#[test]
fn a_sandbox_ends_with_its_standard_input() {
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
fn an_interrupted_sandbox_is_done() {
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
