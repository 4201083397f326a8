//! A person at a terminal gets tables, colours, advice and the progress of a long call. A program gets JSON lines.

use merchantpay_sandbox::{ClockMode, Fault, Options, Sandbox};

use crate::*;

/// The output of the command with colours, which `on_terminal` alone would turn off.
fn in_colour(mut command: Command) -> String {
    command.env_remove("NO_COLOR");
    on_terminal(&command)
}

#[test]
fn reply_is_fields_or_json() {
    let sandbox = Sandbox::start(Options { seed: Some(1), ..Options::default() }).unwrap();
    let shown = on_terminal(&at(&sandbox, &new(ACCOUNT)));
    let lines: Vec<&str> = shown.lines().collect();
    assert!(lines[0].starts_with("orderId           sb-"), "{shown}");
    assert!(lines.contains(&"sum               1500.50") && !shown.contains('{'), "{shown}");

    let order_id = lines[0].split_whitespace().last().unwrap();
    let status = |flags: &[&str]| at(&sandbox, &[&["status", order_id], flags].concat());
    let piped = run(status(&[]));
    assert!(
        piped.stdout.starts_with(&format!("{{\"success\":true,\"orderId\":\"{order_id}\",\"sum\":1500.50,"))
    );
    assert_eq!(on_terminal(&status(&["--json"])), piped.stdout);
    let coloured = in_colour(status(&[]));
    assert!(coloured.contains("status            \u{1b}[33mpending\u{1b}[0m\n"), "{coloured:?}");
    assert_eq!(on_terminal(&status(&[])), coloured.replace("\u{1b}[33m", "").replace("\u{1b}[0m", ""));
}

#[test]
fn error_ends_with_advice() {
    let sandbox = sandbox();
    for (command, error, advice) in [
        (at(&sandbox, &["status", "sb-none"]), "the service refused: order not found", "check the order id"),
        (program(&["status", "sb-none"]), "base url is missing", "merchantpay doctor"),
        (
            at(&sandbox, &["new", "--sum", "-1", "--payment-method", "sbp", "--customer-account", "1"]),
            "sum",
            "correct the value",
        ),
        (at(&sandbox, &["statsu", "sb-none"]), "unrecognized subcommand 'statsu'", "did you mean `status`?"),
        (
            at(&sandbox, &["status", "sb-none", "--wiat"]),
            "unexpected argument '--wiat' found",
            "did you mean `--wait`?",
        ),
    ] {
        let shown = on_terminal(&command);
        let lines: Vec<&str> = shown.lines().collect();
        assert_eq!(lines.len(), 2, "{shown}");
        assert!(lines[0].starts_with("error: ") && lines[0].contains(error), "{error}: {shown}");
        assert!(lines[1].starts_with("  → ") && lines[1].contains(advice), "{advice}: {shown}");
    }
    sandbox.misbehave(Fault::WrongKey, Some("getStatus"), 1);
    let read = on_terminal(&at(&sandbox, &["status", "sb-none"]));
    assert!(read.contains("\n  → the call changes nothing; `merchantpay doctor` checks the keys"), "{read}");
    let mut nobody = at(&sandbox, &["status", "sb-1"]);
    nobody.env("MERCHANTPAY_BASE_URL", "http://127.0.0.1:9").env("MERCHANTPAY_MAX_RETRIES", "0");
    assert!(on_terminal(&nobody).contains("\n  → nothing was sent: you can run the command again"));
    let secret = on_terminal(&at(&sandbox, &["status", "sb-none", "an-account"]));
    assert!(!secret.contains("an-account"), "a word that is no flag may be private: {secret}");
    let coloured = in_colour(program(&["statsu"]));
    assert!(coloured.starts_with("\u{1b}[1m\u{1b}[31merror:\u{1b}[0m "), "{coloured:?}");
    assert!(
        on_terminal(&program(&["statsu", "--json"]))
            .starts_with("{\"error\":{\"code\":\"invalid_argument\",")
    );
}

#[test]
fn help_has_colours_only_on_terminal() {
    assert!(in_colour(program(&["--help"])).contains("\u{1b}["));
    let (piped, plain) = (run(program(&["--help"])).stdout, on_terminal(&program(&["--help"])));
    assert!(!piped.contains('\u{1b}') && !plain.contains('\u{1b}'), "{piped:?}");
}

#[test]
fn doctor_marks_each_check_and_counts_the_faults() {
    let sandbox = sandbox();
    let shown = in_colour(at(&sandbox, &["doctor"]));
    assert!(
        shown.contains("\u{1b}[32mok      \u{1b}[0m service    the service accepts your signature"),
        "{shown:?}"
    );
    assert!(shown.ends_with("\nEverything is in order.\n"), "{shown}");
    let mut broken = at(&sandbox, &["doctor"]);
    broken.env("MERCHANTPAY_KEY_ID", "somebody-else");
    let shown = on_terminal(&broken);
    assert!(
        shown.contains("\nfault    service    ") && shown.contains(" → check MERCHANTPAY_KEY_ID"),
        "{shown}"
    );
    assert!(shown.ends_with("\n1 fault, 0 warnings.\n"), "{shown}");
}

#[test]
fn keygen_explains_each_key() {
    let shown = on_terminal(&program(&["keygen"]));
    assert!(shown.starts_with("private key  ") && shown.contains("\npublic key   "), "{shown}");
    assert!(run(program(&["keygen"])).stdout.starts_with("{\"privateKey\":\""));
}

#[test]
fn webhook_verify_is_fields_or_error() {
    let service = merchantpay::Keypair::generate().unwrap();
    let body = r#"{"success":true,"orderId":"o-1","status":"doneSuccess","sum":1500.50}"#;
    let signature = service.private_key().sign(body.as_bytes()).to_base64();
    let key = service.public_key().to_base64();
    let verify = |body: &str, flags: &str| {
        let mut command = program(&["webhook", "verify"]);
        command.env("MERCHANTPAY_SERVER_PUBLIC_KEY", &key);
        command.args(["--signature", &signature]).args(flags.split_whitespace());
        let line = format!("printf %s '{body}' | {}", shell_words(&command));
        run(script(&line, &command)).stdout.replace("\r\n", "\n")
    };
    assert_eq!(verify(body, ""), "kind     status\norderId  o-1\nstatus   doneSuccess\nsum      1500.50\n");
    assert!(verify(body, "--json").starts_with(r#"{"kind":"status","success":true,"orderId":"o-1""#));
    let shown = verify(&body.replace(':', ": "), "");
    let lines: Vec<&str> = shown.lines().collect();
    assert_eq!(lines.len(), 2, "{shown}");
    assert!(lines[0].starts_with("error: ") && lines[0].ends_with(": body_changed"), "{shown}");
    assert!(lines[1].starts_with("  → The signed JSON was written again"), "{shown}");
}

#[test]
fn sandbox_state_is_tables_or_json() {
    let sandbox = sandbox();
    let control = |arguments: &[&str]| at(&sandbox, &[&["sandbox"], arguments].concat());
    assert_eq!(on_terminal(&control(&["api", "payments"])), "payments: none\n");
    let story = on_terminal(&at(&sandbox, &["story", "paid"]));
    assert!(
        story.starts_with("Paid: The customer pays the whole sum, and the merchant confirms."),
        "{story}"
    );
    assert!(story.lines().any(|line| line.starts_with("orderId ")) && !story.contains('{'), "{story}");
    assert!(story.contains("\nat ") && !story.contains("createdAt"), "a table of what happened: {story}");
    assert!(story.trim_end().ends_with("doneSuccess and the whole sum."), "the advice: {story}");
    let payments = on_terminal(&control(&["api", "payments"]));
    let head: Vec<&str> = payments.lines().next().unwrap().split_whitespace().collect();
    assert_eq!(head[..4], ["orderId", "status", "state", "sum"], "{payments}");
    assert!(payments.lines().nth(1).unwrap().contains("doneSuccess"), "{payments}");
    let piped = run(control(&["api", "payments"])).stdout;
    assert_eq!(on_terminal(&control(&["api", "payments", "--json"])), piped);
    assert!(piped.starts_with('{'), "{piped}");

    let refused = on_terminal(&control(&["api", "payments/sb-none"]));
    assert!(refused.starts_with("error: the sandbox refused: there is no such payment\n  → "), "{refused}");
    let piped = run(control(&["api", "payments/sb-none"]));
    assert!(piped.stderr.starts_with(r#"{"error":{"code":"rejected","#), "{}", piped.stderr);
}

#[test]
fn wait_shows_progress_only_on_terminal() {
    let sandbox = sandbox();
    let pending = || run(at(&sandbox, &new("stays-pending"))).reply()["orderId"].as_str().unwrap().to_owned();
    let order_id = pending();
    run(at(&sandbox, &["confirm", &order_id])).reply();
    let command = ["status", &order_id, "--wait", "--timeout", "60s"];
    let line = format!("{} >/dev/null", shell_words(&at(&sandbox, &command)));
    let mut waiting = Running::start(script(&line, &at(&sandbox, &[])));
    let first = shown_until(&mut waiting, "pending ...");
    run(at(&sandbox, &["sandbox", "operate", &order_id, "approve"])).reply();
    let shown = first + &waiting.rest();
    assert!(shown.contains("  pending\r\n"), "{shown:?}");
    assert!(shown.contains("  pending -> doneSuccess\r\n") && shown.ends_with("\r\x1b[K"), "{shown:?}");
    assert!(!shown.contains('{'), "the reply is stdout's: {shown:?}");

    // The reply and the progress share one terminal: the reply begins on its own line.
    let other = pending();
    let shown = on_terminal(&at(&sandbox, &["status", &other, "--wait", "--timeout", "300ms"]));
    let (_, reply) = shown.rsplit_once("\x1b[K").unwrap();
    assert!(reply.starts_with("orderId") && reply.contains("pending"), "{shown:?}");

    let waited = run(at(&sandbox, &["status", &order_id, "--wait"]));
    assert_eq!(waited.reply()["status"], "doneSuccess");
}

fn shown_until(running: &mut Running, text: &str) -> String {
    let mut shown = Vec::new();
    while !String::from_utf8_lossy(&shown).contains(text) {
        let mut byte = [0];
        running.out.read_exact(&mut byte).unwrap();
        shown.push(byte[0]);
    }
    String::from_utf8(shown).unwrap()
}

#[test]
fn long_call_shows_elapsed_time() {
    let sandbox = Sandbox::start(Options { clock: ClockMode::Manual, ..Options::default() }).unwrap();
    let command = at(&sandbox, &new("slow-credentials"));
    let mut waiting = Running::start(script(&shell_words(&command), &command));
    // The service's clock stands still until the program has shown the elapsed time.
    shown_until(&mut waiting, "waiting for the credentials ...");
    run(at(&sandbox, &["sandbox", "clock", "9s"])).reply();
    let rest = waiting.rest();
    assert_eq!(waiting.status(), Some(0));
    let (_, reply) = rest.rsplit_once("\x1b[K").unwrap();
    assert!(reply.starts_with("orderId"), "{rest:?}");
}
