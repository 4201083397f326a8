//! Builds the programs of `programs` against the installed library and runs them with real services: plain,
//! under valgrind, and with sanitizers.

mod support;

use std::path::{Path, PathBuf};
use std::process::Command;
use std::sync::atomic::{AtomicU32, Ordering};

use support::c_programs::{
    MEMCHECK, build, build_for_thread_sanitizer, sanitized, sources, sources_of, valgrind,
};
use support::services::Services;
use support::{pkg_config, prefix, root, run, scratch, unstripped_folder};

/// The programs that run one function for each of their rules.
const SUITES: [&str; 2] = ["suite", "journal"];

/// An empty folder for a run.
fn empty() -> PathBuf {
    static RUNS: AtomicU32 = AtomicU32::new(0);
    let folder = scratch("c").join(format!("run-{}", RUNS.fetch_add(1, Ordering::Relaxed)));
    std::fs::remove_dir_all(&folder).unwrap_or_default();
    std::fs::create_dir_all(&folder).unwrap();
    folder
}

/// Runs a suite, which prints "ok" for each of its rules.
fn holds(suite: &str, services: &Services, command: &mut Command) {
    let printed = run(services.give(command).env("SCRATCH", empty()));
    let sources = sources_of(suite).into_iter().map(|file| std::fs::read_to_string(file).unwrap());
    assert!(printed.lines().all(|line| line.starts_with("ok ")), "{printed}");
    assert_eq!(
        printed.lines().count(),
        sources.collect::<String>().matches("\n    RUN(").count(),
        "{printed}"
    );
}

#[test]
fn every_function_keeps_its_word_for_right_and_wrong_arguments() {
    let program = build("suite", "plain", &[]);
    holds("suite", &Services::start(), &mut Command::new(&program));
    holds("suite", &Services::start_behind_tls(), &mut Command::new(&program));
}

#[test]
fn the_suites_call_every_function_there_is() {
    // The C crate's own tests make the calls by number.
    const WAIST: [&str; 6] = ["open", "call", "interrupt", "close", "free", "answer"];
    let called: String = SUITES
        .map(|suite| {
            run(Command::new("nm").args(["-Du", "--format=just-symbols"]).arg(build(suite, "called", &[])))
        })
        .concat();
    let called: Vec<_> = called.lines().map(|name| name.split('@').next().unwrap_or_default()).collect();
    let exported = std::fs::read_to_string(root().join("tests/c/abi/symbols.txt")).unwrap();
    for function in exported.lines() {
        let is_of_waist = WAIST.iter().any(|name| function == format!("mpay_{name}"));
        assert_ne!(called.contains(&function), is_of_waist, "{function}");
    }
}

#[test]
fn memcheck_finds_no_error_and_no_leak_in_any_of_it_over_tls() {
    let ghash = sources().join("ghash.c").display().to_string();
    for suite in SUITES {
        let program = build(suite, "memcheck", &[&ghash]);
        let mut command = valgrind(MEMCHECK);
        // Valgrind finds the wrapped function by its name, which a stripped library lacks.
        command.arg(program).env("LD_LIBRARY_PATH", unstripped_folder());
        holds(suite, &Services::start_behind_tls(), &mut command);
    }
}

#[test]
fn the_sanitizers_find_nothing_in_any_of_it() {
    for suite in SUITES {
        let program =
            build(suite, "sanitized", &["-fsanitize=address,undefined", "-fno-sanitize-recover=all"]);
        let mut command = Command::new(program);
        command.env("LD_LIBRARY_PATH", sanitized("address", &[])).env("ASAN_OPTIONS", "detect_leaks=1");
        holds(suite, &Services::start(), &mut command);
    }
}

/// Runs the threads with ThreadSanitizer, and returns their exit status: 66 for a race.
fn status_under_thread_sanitizer(library: &Path, flags: &[&str]) -> Option<i32> {
    let services = Services::start();
    let mut command = Command::new(build_for_thread_sanitizer(library, "threads", flags));
    services.give(&mut command).env("SCRATCH", empty()).env("LD_LIBRARY_PATH", library);
    let output = command.env("TSAN_OPTIONS", "exitcode=66").output().unwrap();
    println!("{}", String::from_utf8_lossy(&output.stderr));
    output.status.code()
}

#[test]
fn thread_sanitizer_finds_no_race_between_eight_threads() {
    // The standard library is also built with the sanitizer; otherwise its locks are invisible and cause
    // false reports.
    let library = sanitized("thread", &["-Zbuild-std=std,panic_unwind"]);
    assert_eq!(status_under_thread_sanitizer(&library, &[]), Some(0));
    // Checks that the sanitizer finds a race: the same program has a counter without a lock.
    assert_eq!(status_under_thread_sanitizer(&library, &["-DRACE"]), Some(66));
}

#[test]
fn eight_threads_share_a_client_a_verifier_and_a_journal() {
    let services = Services::start();
    let program = build("threads", "plain", &[]);
    run(services.give(&mut Command::new(&program)).env("SCRATCH", empty()));
    run(services.give(valgrind(MEMCHECK).arg(&program)).env("SCRATCH", empty()));
}

#[test]
fn after_a_fork_both_go_on_and_neither_gets_the_others_reply() {
    run(Services::start().give(&mut Command::new(build("fork", "plain", &[]))));
}

#[test]
fn calls_work_while_the_process_ends() {
    let program = build("atexit", "plain", &[]);
    for services in [Services::start(), Services::start_behind_tls()] {
        run(services.give(&mut Command::new(&program)));
    }
}

#[test]
fn a_broken_pipe_does_not_end_the_host() {
    // Rust's runtime ignores SIGPIPE in this process, and a child process would also ignore the signal.
    let mut command = Command::new("env");
    run(Services::start().give(command.arg("--default-signal=PIPE").arg(build("sigpipe", "plain", &[]))));
}

#[test]
fn only_making_a_client_reads_the_environment() {
    run(Services::start().give(&mut Command::new(build("environment", "plain", &["-rdynamic"]))));
}

#[test]
fn a_host_may_unload_the_library_while_a_thread_is_in_it() {
    let program = scratch("c").join("unload");
    let is_windows = std::env::var_os("MERCHANTPAY_TEST_WINDOWS").is_some();
    let library = prefix().join(if is_windows { "bin/merchantpay.dll" } else { "lib/libmerchantpay.so" });
    run(Command::new("gcc")
        .args(["-std=c99", "-g", "-Wall", "-Wextra", "-Werror", "-pthread"])
        .arg(sources().join("unload.c"))
        .args(pkg_config(&["--cflags"]))
        .args(["-ldl", "-o"])
        .arg(&program));
    run(Services::start().give(&mut Command::new(program)).env("LIBRARY", library));
}
