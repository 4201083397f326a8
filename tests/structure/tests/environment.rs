//! `tools/help/environment`, which concurrent stages of `make test` call.

use std::fs;
use std::path::Path;
use std::process::{Child, Command, Stdio};

/// A script that replaces Python: it makes the folder of an environment, and records that it made one.
const PYTHON: &str = r#"#!/bin/sh
case $1 in
-c) echo one version ;;
-m)
    echo made >>"$NOTES/made"
    mkdir "$3" || exit 1
    ;;
esac
"#;

#[test]
fn four_stages_that_need_one_environment_make_it_once() {
    let notes = std::env::temp_dir().join(format!("merchantpay-environment-{}", std::process::id()));
    let _ = fs::remove_dir_all(&notes);
    fs::create_dir_all(&notes).unwrap();
    let python = notes.join("python");
    fs::write(&python, PYTHON).unwrap();
    assert!(Command::new("chmod").arg("+x").arg(&python).status().unwrap().success());
    let script = Path::new(env!("CARGO_MANIFEST_DIR")).join("../../tools/help/environment");
    let start = || -> Child {
        let mut command = Command::new(&script);
        command.arg(notes.join("deep/folder")).arg(&python).env("NOTES", &notes).stderr(Stdio::inherit());
        command.spawn().unwrap()
    };
    let calls = [start(), start(), start(), start()];
    for mut child in calls {
        assert!(child.wait().unwrap().success());
    }
    assert_eq!(fs::read_to_string(notes.join("made")).unwrap().lines().count(), 1);
    fs::remove_dir_all(&notes).unwrap();
}
