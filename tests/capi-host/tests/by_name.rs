//! Tests a program that reads its settings as names and texts, and acknowledges its news by the
//! reference and two numbers.

mod support;

use std::io::Write;
use std::path::{Path, PathBuf};
use std::process::{Command, Stdio};

use support::services::Services;
use support::{pkg_config, prefix, root, run, scratch};

fn sources() -> PathBuf {
    root().join("tests/capi-host/tests/by_name")
}

fn in_c() -> PathBuf {
    let program = scratch("by-name").join("by_name-c");
    let mut compiler = Command::new("cc");
    compiler.args(["-std=c99", "-Wall", "-Wextra", "-Werror", "-o"]).arg(&program);
    run(compiler.arg(sources().join("by_name.c")).args(pkg_config(&["--cflags", "--libs"])));
    program
}

/// Runs a program with an empty folder. `last` is the last line of the program's settings.
fn output(program: &Path, services: &Services, name: &str, last: &str) -> std::process::Output {
    let folder = scratch("by-name").join(format!("run-{name}"));
    let _ = std::fs::remove_dir_all(&folder);
    std::fs::create_dir_all(&folder).unwrap();
    let mut command = Command::new(program);
    services.give(&mut command).arg("order-1").env("LD_LIBRARY_PATH", prefix().join("lib"));
    let variable = |name: &str| {
        let found = command.get_envs().find(|(known, _)| *known == name).and_then(|(_, value)| value);
        found.unwrap().to_str().unwrap().to_owned()
    };
    let settings = [
        format!("client base_url {}", variable("MERCHANTPAY_BASE_URL")),
        format!("client key_id {}", variable("MERCHANTPAY_KEY_ID")),
        format!("client private_key {}", variable("MERCHANTPAY_PRIVATE_KEY")),
        format!("client server_public_key {}", variable("MERCHANTPAY_SERVER_PUBLIC_KEY")),
        format!("journal place {}", folder.join("payments.db").display()),
        "journal create 1".to_owned(),
        "request sum 1500.50".to_owned(),
        "request payment_method sbp".to_owned(),
        "request customer_account 79001234567".to_owned(),
        last.to_owned(),
    ];
    let streams = command.stdin(Stdio::piped()).stdout(Stdio::piped()).stderr(Stdio::piped());
    let mut running = streams.spawn().unwrap();
    running.stdin.take().unwrap().write_all((settings.join("\n") + "\n").as_bytes()).unwrap();
    running.wait_with_output().unwrap()
}

#[test]
fn settings_are_names_and_texts_and_news_are_acknowledged_by_value() {
    let (services, program) = (Services::start(), in_c());
    let done = output(&program, &services, "right", "client timeout_ms 30000");
    let said = String::from_utf8_lossy(&done.stderr);
    assert_eq!(
        String::from_utf8_lossy(&done.stdout),
        "order-1 1 open\nacknowledged order-1 1: 1\n",
        "{said}"
    );
    let wrong = output(&program, &services, "wrong", "client timeout_ms soon");
    let said = String::from_utf8_lossy(&wrong.stderr);
    assert_eq!(wrong.status.code(), Some(1), "{said}");
    assert!(said.contains("invalid_argument (not_sent): timeout_ms must be"), "{said}");
}
