//! The journal's functions in C: plain, behind TLS, under valgrind and with sanitizers; and a journal that
//! threads share.

mod support;

use std::process::Command;

use support::c_programs::{
    MEMCHECK, build, build_for_thread_sanitizer, sanitized, sources, sources_of, valgrind,
};
use support::services::Services;
use support::{run, scratch, unstripped_folder};

/// Runs a program in its own empty folder. The program prints "ok" for each of its rules.
fn holds(name: &str, services: &Services, command: &mut Command) {
    let folder = scratch("journal").join(name);
    let _ = std::fs::remove_dir_all(&folder);
    std::fs::create_dir_all(&folder).unwrap();
    let printed = run(services.give(command).env("SCRATCH", &folder));
    let rules = printed.lines();
    assert!(rules.clone().all(|line| line.starts_with("ok ")), "{printed}");
    let text: String =
        sources_of("journal").iter().map(|file| std::fs::read_to_string(file).unwrap()).collect();
    assert_eq!(rules.count(), text.matches("\n    RUN(").count(), "{printed}");
}

#[test]
fn every_function_keeps_its_word_for_right_and_wrong_arguments() {
    let program = build("journal", "plain", &[]);
    holds("plain", &Services::start(), &mut Command::new(&program));
    holds("tls", &Services::start_behind_tls(), &mut Command::new(&program));
}

#[test]
fn memcheck_finds_no_error_and_no_leak_in_any_of_it_over_tls() {
    let ghash = sources().join("ghash.c").display().to_string();
    let program = build("journal", "memcheck", &[&ghash]);
    let mut command = valgrind(MEMCHECK);
    // Valgrind finds the wrapped function by its name, which a stripped library lacks.
    command.arg(program).env("LD_LIBRARY_PATH", unstripped_folder());
    holds("memcheck", &Services::start_behind_tls(), &mut command);
}

#[test]
fn the_sanitizers_find_nothing_in_any_of_it() {
    let program =
        build("journal", "sanitized", &["-fsanitize=address,undefined", "-fno-sanitize-recover=all"]);
    let mut command = Command::new(program);
    command.env("LD_LIBRARY_PATH", sanitized("address", &[])).env("ASAN_OPTIONS", "detect_leaks=1");
    holds("sanitized", &Services::start(), &mut command);
}

/// The sources of the program with threads that share a journal.
const THREADS: &[&str] = &["journal_threads", "check"];

/// Runs the program with an empty file in its own folder.
fn threads(name: &str, services: &Services, command: &mut Command) {
    let folder = scratch("journal").join(name);
    let _ = std::fs::remove_dir_all(&folder);
    std::fs::create_dir_all(&folder).unwrap();
    run(services.give(command).env("SCRATCH", &folder));
}

#[test]
fn threads_share_a_journal_and_take_each_payment_once() {
    let services = Services::start();
    threads("threads-plain", &services, &mut Command::new(build("journal_threads", "plain", &[])));
    threads("threads-memcheck", &services, valgrind(MEMCHECK).arg(build("journal_threads", "memcheck", &[])));
}

#[test]
fn thread_sanitizer_finds_no_race_between_threads_that_share_a_journal() {
    let services = Services::start();
    // The standard library is also built with the sanitizer; otherwise its locks are invisible and cause
    // false reports. Another test (c.rs) shows that the sanitizer finds races.
    let library = sanitized("thread", &["-Zbuild-std=std,panic_unwind"]);
    let mut command =
        Command::new(build_for_thread_sanitizer(&library, "journal-threads-tsan", THREADS, &[]));
    threads(
        "threads-tsan",
        &services,
        command.env("LD_LIBRARY_PATH", &library).env("TSAN_OPTIONS", "exitcode=66"),
    );
}
