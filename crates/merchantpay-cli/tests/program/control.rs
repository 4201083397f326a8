//! The events of a sandbox, and the commands and tables of docs/sandbox.md.

use std::io::{BufRead as _, BufReader};
use std::process::Stdio;

use merchantpay_sandbox::{Options, Sandbox};
use serde_json::{Value, json};

use crate::common::{at, program, run};

#[test]
fn events_are_lines_until_the_sandbox_ends() {
    let sandbox = Sandbox::start(Options::default()).unwrap();
    let mut command = at(&sandbox, &["sandbox", "events"]);
    let mut child = command.stdout(Stdio::piped()).stderr(Stdio::null()).spawn().unwrap();
    let mut lines = BufReader::new(child.stdout.take().unwrap()).lines();
    let mut next = || -> Value { serde_json::from_str(&lines.next().unwrap().unwrap()).unwrap() };
    assert_eq!(next()["event"], "hello");
    run(at(&sandbox, &["sandbox", "faults", "add", "unsigned", "--operation", "cancel"])).reply();
    let faults = next();
    assert_eq!(
        (&faults["event"], &faults["data"]["faults"][0]["kind"]),
        (&json!("faults"), &json!("unsigned"))
    );
    sandbox.stop();
    assert_eq!(child.wait().unwrap().code(), Some(4));
}

#[test]
fn the_page_and_the_help_have_every_story() {
    let page = include_str!("../../../../docs/sandbox.md");
    let help = run(program(&["story", "--help"])).stdout;
    for story in merchantpay_sandbox::STORIES {
        assert!(
            page.contains(&format!("| `{}` |", story.name)) && help.contains(story.name),
            "{}",
            story.name
        );
    }
}

#[test]
fn the_page_has_every_test_account() {
    let page = include_str!("../../../../docs/sandbox.md");
    for test_account in merchantpay_sandbox::TEST_ACCOUNTS {
        let row = format!("| `{}` | {} |", test_account.account, test_account.effect);
        assert!(page.contains(&row), "{row}");
    }
}

#[test]
fn the_pages_commands_run_as_they_are_written() {
    let sandbox = Sandbox::start(Options::default()).unwrap();
    let new = ["new", "--sum", "1500.50", "--payment-method", "sbp", "--customer-account", "stays-pending"];
    let id = run(at(&sandbox, &new)).reply()["orderId"].as_str().unwrap().to_owned();
    let page = include_str!("../../../../docs/sandbox.md");
    let commands = page.lines().filter_map(|line| line.strip_prefix("$ merchantpay "));
    let commands: Vec<&str> = commands.filter(|command| !command.starts_with("sandbox -- ")).collect();
    assert!(commands.len() >= 10, "{commands:?}");
    for command in commands {
        let command = command.split("  #").next().unwrap().replace("ORDER_ID", &id).replace('\'', "");
        let ran = run(at(&sandbox, &command.split_whitespace().collect::<Vec<_>>()));
        assert!(ran.reply().is_object(), "{command}");
    }
}
