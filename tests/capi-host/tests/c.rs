//! Builds the programs of `tests/c` against the installed library and runs them with real services: plain,
//! under valgrind, and with sanitizers.

mod support;

use std::process::Command;

use support::c_programs::{
    MEMCHECK, build, build_for_thread_sanitizer, sanitized, sources, sources_of, valgrind,
};
use support::services::Services;
use support::{pkg_config, prefix, root, run, scratch, unstripped_folder};

/// The sources of the program with threads that share a client.
const THREADS: &[&str] = &["threads", "check"];

#[test]
fn every_function_keeps_its_word_for_right_and_wrong_arguments() {
    let program = build("suite", "plain", &[]);
    for services in [Services::start(), Services::start_behind_tls()] {
        let printed = run(services.give(&mut Command::new(&program)));
        assert!(
            printed.lines().count() >= 22 && printed.lines().all(|line| line.starts_with("ok ")),
            "{printed}"
        );
    }
}

/// The calls by number, which the C crate's own tests make.
const WAIST: [&str; 6] = ["open", "call", "interrupt", "close", "free", "answer"];

#[test]
fn the_suite_calls_every_function_there_is() {
    let header = std::fs::read_to_string(root().join("include/merchantpay.ffi.h")).unwrap();
    let programs = ["suite", "journal"].into_iter().flat_map(sources_of);
    let files = programs.chain([sources().join("../../../contract/adapters/c/fields.h")]);
    let suite: String = files.map(|file| std::fs::read_to_string(file).unwrap()).collect();
    let is_name = |name: &&str| name.chars().all(|letter| letter.is_ascii_lowercase() || letter == '_');
    let declared = header.split("mpay_").filter_map(|rest| rest.split_once('(')).map(|(name, _)| name);
    let functions: Vec<_> = declared.filter(|name| is_name(name) && !WAIST.contains(name)).collect();
    assert!(functions.len() > 100, "{}", functions.len());
    for function in functions {
        assert!(
            suite.contains(&format!("mpay_{function}(")) || suite.contains(&format!("mpay_{function},")),
            "mpay_{function}"
        );
    }
}

#[test]
fn memcheck_finds_no_error_and_no_leak_in_any_of_it() {
    memcheck("memcheck", &Services::start());
}

#[test]
fn memcheck_finds_no_error_and_no_leak_in_any_of_it_over_tls() {
    memcheck("memcheck-tls", &Services::start_behind_tls());
}

fn memcheck(variant: &str, services: &Services) {
    let ghash = sources().join("ghash.c").display().to_string();
    let program = build("suite", variant, &[&ghash]);
    // Valgrind finds the wrapped function by its name, which a stripped library lacks.
    run(services.give(valgrind(MEMCHECK).arg(program)).env("LD_LIBRARY_PATH", unstripped_folder()));
}

#[test]
fn the_sanitizers_find_nothing_in_any_of_it() {
    let services = Services::start();
    let program = build("suite", "sanitized", &["-fsanitize=address,undefined", "-fno-sanitize-recover=all"]);
    let library = sanitized("address", &[]);
    run(services
        .give(&mut Command::new(program))
        .env("LD_LIBRARY_PATH", library)
        .env("ASAN_OPTIONS", "detect_leaks=1"));
}

#[test]
fn thread_sanitizer_finds_no_race_between_eight_threads() {
    let services = Services::start();
    // The standard library is also built with the sanitizer; otherwise its locks are invisible and cause
    // false reports.
    let library = sanitized("thread", &["-Zbuild-std=std,panic_unwind"]);
    let mut command = Command::new(build_for_thread_sanitizer(&library, "threads-tsan", THREADS, &[]));
    run(services.give(&mut command).env("LD_LIBRARY_PATH", &library).env("TSAN_OPTIONS", "exitcode=66"));

    // Checks that the sanitizer finds a race: the same program has a counter without a lock.
    let mut command =
        Command::new(build_for_thread_sanitizer(&library, "threads-race", THREADS, &["-DRACE"]));
    let raced = services
        .give(&mut command)
        .env("LD_LIBRARY_PATH", &library)
        .env("TSAN_OPTIONS", "exitcode=66")
        .output()
        .unwrap();
    assert_eq!(raced.status.code(), Some(66), "{}", String::from_utf8_lossy(&raced.stderr));
}

#[test]
fn eight_threads_share_a_client_and_a_verifier() {
    let services = Services::start();
    let program = build("threads", "plain", &[]);
    run(services.give(&mut Command::new(&program)));
    run(services.give(valgrind(MEMCHECK).arg(&program)));
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
