//! The examples in C and C++: built as their README says from an installed tree, and run against a sandbox.
//! `examples/README.md` says what they print.

mod support;

use std::collections::HashMap;
use std::io::{BufRead, BufReader, Read, Write};
use std::net::TcpStream;
use std::path::{Path, PathBuf};
use std::process::{Command, Output};
use std::sync::OnceLock;

use merchantpay::{Client, Config, PaymentMethod, PaymentRequest};
use merchantpay_journal::SqliteStore;
use merchantpay_sandbox::{Fault, Sandbox};
use support::programs::{PATIENCE, Running, at, clean, sandbox};
use support::{pkg_config, prefix, root, run, scratch};

const LANGUAGES: &[&str] = &["c", "cpp"];
const EXAMPLES: &[&str] = &["accept", "arbitrate", "outcomes", "recover", "webhook"];

/// What every run has to end without: memory that is used wrongly or lost.
const VALGRIND: &[&str] =
    &["--quiet", "--error-exitcode=9", "--leak-check=full", "--errors-for-leak-kinds=definite"];

fn read(path: &str) -> String {
    std::fs::read_to_string(root().join("examples").join(path)).expect("a file of the examples")
}

/// The lines of a page's code blocks in this language, block by block.
fn blocks(page: &str, language: &str) -> Vec<Vec<String>> {
    let open = format!("```{language}\n");
    page.split(&open)
        .skip(1)
        .map(|rest| rest.lines().take_while(|line| *line != "```").map(str::to_owned).collect())
        .collect()
}

/// The programs of one language, built once by the very lines of its README.
fn program(language: &str, name: &str) -> PathBuf {
    static BUILT: [OnceLock<PathBuf>; 2] = [const { OnceLock::new() }; 2];
    let index = LANGUAGES.iter().position(|known| *known == language).expect("a language");
    let folder = BUILT[index].get_or_init(|| {
        let folder = scratch(&format!("examples-{language}"));
        for file in std::fs::read_dir(root().join("examples").join(language)).expect("the examples") {
            let file = file.expect("a file").path();
            std::fs::copy(&file, folder.join(file.file_name().expect("a name"))).expect("a copy");
        }
        // For another platform there is no library but its own C library.
        let is_foreign = std::env::var_os("MERCHANTPAY_TEST_PREFIX").is_some();
        // The button of this till is a POSIX signal.
        let is_windows = std::env::var_os("MERCHANTPAY_TEST_WINDOWS").is_some();
        let can_be_built = |line: &String| {
            (!is_foreign || line.ends_with("--libs merchantpay)"))
                && (!is_windows || !line.contains("till.cpp"))
        };
        let lines = blocks(&read(&format!("{language}/README.md")), "sh").concat();
        for line in lines.into_iter().filter(can_be_built) {
            let mut shell = Command::new("sh");
            run(shell
                .current_dir(&folder)
                .args(["-c", &line])
                .env("PKG_CONFIG_PATH", prefix().join("lib/pkgconfig")));
        }
        folder
    });
    folder.join(name)
}

/// Settings and command line, with valgrind in front if it is asked for.
fn example(language: &str, name: &str, sandbox: &Sandbox, arguments: &[&str], valgrind: bool) -> Command {
    let program = program(language, name);
    let mut command = at(sandbox, if valgrind { Path::new("valgrind") } else { &program });
    if valgrind {
        command.args(VALGRIND).arg(program);
    }
    command.args(arguments);
    command
}

/// What `examples/README.md` says that a program prints.
fn promised(name: &str) -> Vec<String> {
    promises(name).swap_remove(0)
}

/// The same for each of its runs.
fn promises(name: &str) -> Vec<Vec<String>> {
    let page = read("README.md");
    let section = page.split(&format!("\n### {name}\n")).nth(1).expect("a section for every program");
    blocks(section.split("\n### ").next().unwrap_or_default(), "text")
}

/// Compares lines with what was promised: a word in capitals stands for any value, the same one wherever it
/// stands again.
fn assert_prints(lines: &[String], promised: &[String], whose: &str) {
    let mut values: HashMap<&str, &str> = HashMap::new();
    assert_eq!(lines.len(), promised.len(), "{whose}: {lines:#?}");
    for (line, promise) in lines.iter().zip(promised) {
        let wanted: Vec<&str> = promise.split(' ').collect();
        // The last value of a line may have spaces in it.
        let words: Vec<&str> = line.splitn(wanted.len(), ' ').collect();
        assert_eq!(words.len(), wanted.len(), "{whose}: {line} in place of {promise}");
        for (word, wanted) in words.into_iter().zip(wanted) {
            let is_value = wanted.len() > 2
                && wanted != "RUB"
                && wanted.bytes().all(|letter| letter.is_ascii_uppercase());
            let expected = if is_value { values.entry(wanted).or_insert(word) } else { wanted };
            assert!(!word.is_empty() && word == expected, "{whose}: {line} in place of {promise}");
        }
    }
}

fn lines(output: &Output) -> Vec<String> {
    String::from_utf8_lossy(&output.stdout).lines().map(str::to_owned).collect()
}

fn receipt() -> PathBuf {
    let path = scratch("examples").join("receipt.pdf");
    std::fs::write(&path, b"%PDF-1.4\n%%EOF\n").expect("a receipt");
    path
}

/// A sale of the till in C++, whose journal is in that file.
fn sale(sandbox: &Sandbox, file: &Path, reference: &str) -> Command {
    example("cpp", "till", sandbox, &[file.to_str().expect("a path"), reference, "1500.50"], false)
}

/// An empty journal.
fn journal_file(name: &str) -> PathBuf {
    let file = scratch("examples").join(name);
    for end in ["", "-wal", "-shm"] {
        let _ = std::fs::remove_file(format!("{}{end}", file.display()));
    }
    SqliteStore::create(&file).expect("an empty journal");
    file
}

#[test]
fn a_till_that_loses_its_power_at_any_line_goes_on_with_the_same_payment() {
    let (sandbox, file) = (sandbox(), journal_file("till.db"));
    let whole = sale(&sandbox, &file, "whole").output().expect("it runs");
    assert!(whole.status.success(), "{whole:?}");
    assert_prints(&lines(&whole), &promised("till"), "till");
    let count = lines(&whole).len();
    for cut in 1..=count {
        let reference = format!("cut-{cut}");
        let running = Running::start(&mut sale(&sandbox, &file, &reference));
        let mut printed: Vec<String> = (0..cut).map(|_| running.line()).collect();
        printed.extend(running.kill());
        let again = sale(&sandbox, &file, &reference).output().expect("it runs");
        assert!(again.status.success(), "{cut}: {again:?}");
        printed.extend(lines(&again));
        assert!(printed.contains(&format!("sold {reference}")), "{cut}: {printed:?}");
        assert_eq!(sandbox.requests("newPayment"), 1 + cut as u64, "{cut}: {printed:?}");
    }
}

#[test]
fn the_button_of_a_till_ends_its_waiting_and_the_sale_goes_on_later() {
    let (sandbox, file) = (sandbox(), journal_file("button.db"));
    sandbox.misbehave(Fault::StallBeforeCommit, Some("getStatus"), 1);
    let mut till = sale(&sandbox, &file, "button");
    till.stdout(std::process::Stdio::piped()).stderr(std::process::Stdio::piped());
    let mut child = till.spawn().expect("it starts");
    let mut output = BufReader::new(child.stdout.take().expect("a pipe"));
    let mut line = String::new();
    while !line.starts_with("confirmed") {
        line.clear();
        assert!(output.read_line(&mut line).expect("a line") > 0, "it ended");
    }
    while sandbox.requests("getStatus") == 0 {
        std::thread::yield_now();
    }
    run(Command::new("kill").args(["-INT", &child.id().to_string()]));
    let ended = child.wait_with_output().expect("it ends");
    let said = String::from_utf8_lossy(&ended.stderr).into_owned();
    assert!(ended.status.code() == Some(1) && said.starts_with("error cancelled"), "{said}");
    let later = sale(&sandbox, &file, "button").output().expect("it runs");
    assert!(later.status.success(), "{later:?}");
    assert_eq!(sandbox.requests("newPayment"), 1);
}

#[test]
fn no_example_has_a_warning_in_its_oldest_standard() {
    let cflags = pkg_config(&["--cflags"]);
    let warnings = ["-Wall", "-Wextra", "-Wpedantic", "-Werror", "-fsyntax-only"];
    for (language, compilers, standard) in
        [("c", ["gcc", "clang"], "-std=c99"), ("cpp", ["g++", "clang++"], "-std=c++11")]
    {
        let files = EXAMPLES
            .iter()
            .map(|name| root().join("examples").join(language).join(name).with_extension(language));
        let files: Vec<PathBuf> = files.collect();
        let till = root().join("examples").join(language).join("till").with_extension(language);
        let libpq = run(Command::new("pkg-config").args(["--cflags", "libpq"]));
        for compiler in compilers {
            let mut command = Command::new(compiler);
            command.arg(standard).args(warnings).args(&files).arg(&till).args(&cflags);
            run(command.args(libpq.split_whitespace()));
        }
    }
}

#[test]
fn every_example_prints_in_every_language_what_is_promised() {
    let receipt = receipt();
    let table: [(&str, &[&str]); 3] =
        [("accept", &[]), ("arbitrate", &[receipt.to_str().expect("a path is text")]), ("outcomes", &[])];
    for (name, arguments) in table {
        for language in LANGUAGES {
            let output =
                example(language, name, &sandbox(), arguments, false).output().expect("the program starts");
            let whose = format!("{name} in {language}");
            assert!(output.status.success(), "{whose}: {output:?}");
            assert!(output.stderr.is_empty(), "{whose}: {output:?}");
            assert_prints(&lines(&output), &promised(name), &whose);
        }
    }
}

#[test]
fn accept_tells_how_the_payment_ended() {
    let table: [(&str, &[&str]); 3] = [
        ("pays-less", &["status doneSuccess", "paid 1350.50"]),
        ("payment-fails", &["confirmed", "status doneFail"]),
        ("bare-credentials", &["status doneSuccess", "paid 1500.55"]),
    ];
    for (account, end) in table {
        for language in LANGUAGES {
            let output = example(language, "accept", &sandbox(), &[account], false)
                .output()
                .expect("the program starts");
            assert!(output.status.success(), "{account} in {language}: {output:?}");
            let lines = lines(&output);
            assert!(
                lines.ends_with(&end.iter().map(|line| (*line).to_owned()).collect::<Vec<_>>()),
                "{account} in {language}: {lines:?}"
            );
        }
    }
}

#[test]
fn an_example_that_fails_says_why_on_stderr() {
    let receipt = receipt();
    let receipt = receipt.to_str().expect("a path is text");
    for language in LANGUAGES {
        let sandbox = sandbox();
        let at = |name: &str, arguments: &[&str]| example(language, name, &sandbox, arguments, false);
        let unset = |name: &str, arguments: &[&str]| {
            let mut command = clean(program(language, name));
            command.args(arguments);
            command
        };
        let invalid = "error invalid_argument not_sent: ";
        for (mut command, status, begin) in [
            (unset("accept", &[]), 1, invalid),
            (unset("arbitrate", &[receipt]), 1, invalid),
            (unset("outcomes", &[]), 1, invalid),
            (unset("webhook", &[]), 1, invalid),
            (unset("recover", &["/nowhere/payments.db"]), 1, invalid),
            (unset("recover", &[]), 2, "usage: recover FILE [PORT]"),
            (unset("arbitrate", &[]), 2, "usage: arbitrate FILE"),
            (at("accept", &["no-credentials"]), 1, "error rejected rejected: "),
            (at("arbitrate", &["/nowhere/receipt.pdf"]), 1, invalid),
        ] {
            let output = command.output().expect("the program starts");
            let printed = String::from_utf8_lossy(&output.stderr);
            assert_eq!(
                (output.status.code(), printed.starts_with(begin)),
                (Some(status), true),
                "{language}: {command:?} {output:?}"
            );
        }
    }
}

#[test]
fn no_example_loses_memory() {
    let receipt = receipt();
    let table: [(&str, &[&str]); 3] =
        [("accept", &[]), ("arbitrate", &[receipt.to_str().expect("a path is text")]), ("outcomes", &[])];
    for language in LANGUAGES {
        for (name, arguments) in table {
            run(&mut example(language, name, &sandbox(), arguments, true));
        }
        let output = example(language, "accept", &sandbox(), &["no-credentials"], true)
            .output()
            .expect("valgrind starts");
        assert_eq!(output.status.code(), Some(1), "{output:?}");
    }
}

#[test]
fn the_receiver_takes_what_the_service_sends_and_refuses_the_rest() {
    for (language, valgrind) in LANGUAGES.iter().flat_map(|language| [(language, false), (language, true)]) {
        let sandbox = sandbox();
        let webhook = Running::start(&mut example(language, "webhook", &sandbox, &["2"], valgrind));
        let mut printed = vec![webhook.line()];
        let address =
            format!("127.0.0.1:{}", printed[0].strip_prefix("listening ").expect("the port comes first"));

        // Signed by nobody, and larger than any webhook.
        for body in [br#"{"success":false,"orderId":"o-1"}"#.to_vec(), vec![b' '; 70_000]] {
            assert_eq!(send("POST", &address, &body), 400, "{language}");
            printed.push(webhook.line());
        }

        assert_eq!(send("PUT", &address, b"{}"), 405, "{language}");

        let order_id = pay(&sandbox, &format!("http://{address}/hook"));
        for kind in ["credentials", "status"] {
            let delivery = sandbox.wait_for_delivery(&order_id, kind, PATIENCE).expect("a delivery");
            assert_eq!((delivery.http_status, delivery.attempts), (Some(200), 1), "{language}: {kind}");
            printed.push(webhook.line());
        }
        assert!(printed[3].contains(&order_id), "{printed:?}");
        assert_prints(&printed, &promised("webhook"), &format!("webhook in {language}"));
        webhook.end();
    }
}

#[test]
fn a_payment_whose_reply_was_lost_is_found_by_its_webhook_also_after_a_crash() {
    for (language, valgrind) in LANGUAGES.iter().flat_map(|language| [(language, false), (language, true)]) {
        let (sandbox, whose) = (sandbox(), format!("recover in {language}"));
        let file = journal_file(&format!("recover-{language}-{valgrind}.db"));
        let file_name = file.to_str().expect("a path is text");
        let promises = promises("recover");
        sandbox.misbehave(Fault::DropAfterCommit, Some("newPayment"), 1);

        let first = Running::start(&mut example(language, "recover", &sandbox, &[file_name], valgrind));
        let printed: Vec<String> = (0..2).map(|_| first.line()).collect();
        assert_prints(&printed, &promises[0], &whose);
        let port = printed[0].strip_prefix("listening ").expect("the port comes first").to_owned();
        let address = format!("127.0.0.1:{port}");
        // Signed by nobody, and larger than any webhook.
        for body in [b"{}".to_vec(), vec![b' '; 70_000]] {
            assert_eq!(send_to("POST", &address, "/hooks/token", &body), 400, "{whose}");
        }
        assert_eq!(send_to("PUT", &address, "/hooks/token", b"{}"), 405, "{whose}");
        // The program is killed while it waits.
        drop(first);

        let second =
            Running::start(&mut example(language, "recover", &sandbox, &[file_name, &port], valgrind));
        let mut printed = vec![second.line(), second.line()];
        let order_id = only_payment(&sandbox);
        approve(&sandbox, &order_id);
        printed.push(second.line());
        assert_prints(&printed, &promises[1], &whose);
        second.end();
        let delivery = sandbox.wait_for_delivery(&order_id, "status", PATIENCE).expect("a delivery");
        assert_eq!((delivery.http_status, delivery.attempts), (Some(200), 1), "{whose}: it was answered");
        assert_eq!(sandbox.requests("newPayment"), 1, "{whose}: nothing was asked for twice");
    }
}

#[test]
fn recover_goes_on_with_the_same_payment_wherever_it_was_killed() {
    // Killed in its call, and behind each of its lines.
    for (language, lines) in LANGUAGES.iter().flat_map(|language| (1..=3).map(move |lines| (language, lines)))
    {
        let (sandbox, whose) = (sandbox(), format!("recover in {language}, killed behind {lines}"));
        let file = journal_file(&format!("killed-{language}-{lines}.db"));
        let file_name = file.to_str().expect("a path is text");
        if lines == 1 {
            sandbox.misbehave(Fault::StallAfterCommit, Some("newPayment"), 1);
        }
        let first = Running::start(&mut example(language, "recover", &sandbox, &[file_name], false));
        let printed: Vec<String> = (0..lines).map(|_| first.line()).collect();
        let port = printed[0].strip_prefix("listening ").expect("the port comes first").to_owned();
        while !payments(&sandbox).contains("orderId") {
            std::thread::yield_now();
        }
        drop(first);
        let second = Running::start(&mut example(language, "recover", &sandbox, &[file_name, &port], false));
        let mut printed = vec![second.line(), second.line()];
        assert!(
            printed[1].starts_with(if lines == 1 { "order-1017 sending" } else { "order-1017 open" }),
            "{whose}: {printed:?}"
        );
        approve(&sandbox, &only_payment(&sandbox));
        // Its credentials are news too, unless they were acknowledged.
        while !printed.last().expect("a line").ends_with(" final: ship it") {
            printed.push(second.line());
        }
        assert!(printed.len() <= 4, "{whose}: {printed:?}");
        second.end();
        assert_eq!(sandbox.requests("newPayment"), 1, "{whose}: nothing was asked for twice");
    }
}

fn payments(sandbox: &Sandbox) -> String {
    control(sandbox, "GET", "/sandbox/payments", "")
}

/// The order id of the only payment there is.
fn only_payment(sandbox: &Sandbox) -> String {
    let listed = payments(sandbox);
    let mut orders = listed.split("\"orderId\":\"").skip(1).filter_map(|rest| rest.split('"').next());
    let order_id = orders.next().expect("a payment").to_owned();
    assert_eq!(orders.next(), None, "{listed}");
    order_id
}

/// The service's operator has seen the money come, once the service has found a payee.
fn approve(sandbox: &Sandbox, order_id: &str) {
    while payments(sandbox).contains("\"searching\"") {
        std::thread::yield_now();
    }
    let path = format!("/sandbox/payments/{order_id}/operator");
    control(sandbox, "POST", &path, r#"{"action":"approve"}"#);
}

/// One request to the sandbox's control API, and its reply.
fn control(sandbox: &Sandbox, method: &str, path: &str, body: &str) -> String {
    let address = sandbox.url().strip_prefix("http://").expect("a URL");
    let mut stream = TcpStream::connect(address).expect("the sandbox listens");
    let head = format!(
        "{method} {path} HTTP/1.1\r\nHost: {address}\r\nContent-Type: application/json\r\nContent-Length: {}\r\nConnection: close\r\n\r\n",
        body.len()
    );
    stream.write_all(&[head.as_bytes(), body.as_bytes()].concat()).expect("the sandbox reads");
    let mut reply = String::new();
    stream.read_to_string(&mut reply).expect("a reply");
    assert!(reply.starts_with("HTTP/1.1 200"), "{reply}");
    reply
}

/// A payment whose webhooks go to this address, from its registration to its confirmation.
fn pay(sandbox: &Sandbox, url: &str) -> String {
    let key = sandbox.merchant_private_key().expect("the sandbox has made the merchant's keys").clone();
    let config = Config::new(sandbox.url(), sandbox.merchant_key_id(), key, sandbox.server_public_key());
    let client = Client::new(config).expect("a client");
    let sum: merchantpay::Amount = "1500.55".parse().expect("a sum");
    let request = PaymentRequest::new(sum, PaymentMethod::Sbp, "79001234567")
        .credentials_webhook_url(url)
        .status_webhook_url(url);
    let order_id = client.new_payment_async(&request).expect("a payment").order_id().to_owned();
    sandbox.wait_for_delivery(&order_id, "credentials", PATIENCE).expect("credentials");
    client.confirm(&order_id).expect("a confirmation");
    order_id
}

/// Sends a body with a signature of nobody, and gives the status of the answer.
fn send(method: &str, address: &str, body: &[u8]) -> u16 {
    send_to(method, address, "/hook", body)
}

fn send_to(method: &str, address: &str, path: &str, body: &[u8]) -> u16 {
    let mut stream = TcpStream::connect(address).expect("the receiver listens");
    stream.set_read_timeout(Some(PATIENCE)).expect("a timeout");
    let head = format!(
        "{method} {path} HTTP/1.1\r\nHost: {address}\r\nX-Signature: AAAA\r\nContent-Length: {}\r\nConnection: close\r\n\r\n",
        body.len()
    );
    stream.write_all(&[head.as_bytes(), body].concat()).expect("the receiver reads");
    let mut line = String::new();
    BufReader::new(stream).read_line(&mut line).expect("an answer");
    line.split(' ')
        .nth(1)
        .and_then(|status| status.parse().ok())
        .unwrap_or_else(|| panic!("no status in {line:?}"))
}
