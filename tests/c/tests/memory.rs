//! Memory, threads and signals of a host: builds the programs of `programs` against the installed library and
//! runs them with real services: plain, under valgrind, and with sanitizers.

mod support;

use std::path::{Path, PathBuf};
use std::process::Command;
use std::sync::{Mutex, PoisonError};

use support::services::Services;
use support::{ABI, fresh, prefix, root, run, scratch, sh, shell, unstripped_folder};

/// What the contract's cases cannot see of the functions in C.
const SUITE: &str = "suite/*";
const SUITES: [&str; 2] = [SUITE, "journal"];

/// Accepts no memory error and no lost memory, and exits with 99 after a finding.
const MEMCHECK: &str = "valgrind --quiet --error-exitcode=99 --num-callers=30 --leak-check=full \
    --errors-for-leak-kinds=definite,indirect --show-leak-kinds=definite,indirect";

/// As words of the shell: its own, and what all programs share.
fn sources(name: &str) -> String {
    ["check", "fields", name].map(|file| format!("$C/programs/{file}.c")).join(" ")
}

fn build(name: &str, variant: &str, flags: &str) -> String {
    let program = scratch("c").join(format!("{}-{variant}", name.trim_end_matches("/*")));
    let program = program.display().to_string();
    let line = format!(
        "gcc -std=c99 -g -O1 -Wall -Wextra -Wpedantic -Wstrict-prototypes -Werror -pthread {flags} {} \
         $(pkg-config --cflags --libs merchantpay) -Wl,-rpath,$PREFIX/lib -o {program}",
        sources(name)
    );
    sh(&scratch("c"), &line);
    program
}

/// The program must print "ok" for each of its rules.
fn holds(name: &str, services: &Services, line: &str) {
    let folder = fresh("run");
    let rules = sh(&folder, &format!("cat {} | grep -c '^RULE('", sources(name)));
    let printed = run(services.give(&mut shell(&folder, line)).env("SCRATCH", folder));
    assert!(printed.lines().all(|line| line.starts_with("ok ")), "{printed}");
    assert_eq!(printed.lines().count().to_string(), rules.trim(), "{printed}");
}

#[test]
fn suite_passes() {
    let program = build(SUITE, "plain", "");
    holds(SUITE, &Services::start(false), &program);
    holds(SUITE, &Services::start(true), &program);
}

#[test]
fn suites_call_every_function() {
    // The C crate's own tests make the calls by number.
    const WAIST: [&str; 6] = ["open", "call", "interrupt", "close", "free", "answer"];
    let programs = SUITES.map(|suite| build(suite, "called", "")).join(" ");
    let called = sh(&scratch("c"), &format!("nm -Du --format=just-symbols {programs}"));
    let called: Vec<_> = called.lines().map(|name| name.split('@').next().unwrap_or_default()).collect();
    let exported = std::fs::read_to_string(root().join("tests/c/abi/symbols.txt")).unwrap();
    for function in exported.lines() {
        let is_of_waist = WAIST.iter().any(|name| function == format!("mpay_{name}"));
        assert_ne!(called.contains(&function), is_of_waist, "{function}");
    }
}

#[test]
fn memcheck_finds_no_error_and_no_leak() {
    for suite in SUITES {
        let program = build(suite, "memcheck", "$C/programs/ghash.c");
        // Valgrind finds the wrapped function by its name, which a stripped library lacks.
        let line = format!("LD_LIBRARY_PATH={} {MEMCHECK} {program}", unstripped_folder().display());
        holds(suite, &Services::start(true), &line);
    }
}

const TRIPLE: &str = "x86_64-unknown-linux-gnu";

/// The folder of the library under its usual name. Has a target folder of its own, because cargo locks one during a build
/// and other tests build at the same time.
fn sanitized(sanitizer: &str, arguments: &str) -> PathBuf {
    static ONE_AT_A_TIME: Mutex<()> = Mutex::new(());
    let target = scratch("sanitized");
    let folder = target.join(sanitizer);
    std::fs::create_dir_all(&folder).unwrap();
    // All builds put their library under the same name, so only one build runs at a time.
    let _guard = ONE_AT_A_TIME.lock().unwrap_or_else(PoisonError::into_inner);
    let target = target.display();
    let line = format!(
        "${{CARGO:-cargo}} rustc --locked --quiet --package merchantpay-capi --lib --crate-type cdylib \
         --target {TRIPLE} --target-dir {target} {arguments}; \
         cp {target}/{TRIPLE}/debug/libmerchantpay_capi.so {target}/{sanitizer}/libmerchantpay.so.{ABI}"
    );
    run(shell(root(), &line)
        .env("CARGO_INCREMENTAL", "0")
        .env("RUSTC_BOOTSTRAP", "1")
        .env("RUSTFLAGS", format!("-Zsanitizer={sanitizer} -Zexternal-clangrt")));
    folder
}

#[test]
fn sanitizers_find_nothing() {
    let library = sanitized("address", "").display().to_string();
    for suite in SUITES {
        let program = build(suite, "sanitized", "-fsanitize=address,undefined -fno-sanitize-recover=all");
        let line = format!("LD_LIBRARY_PATH={library} ASAN_OPTIONS=detect_leaks=1 {program}");
        holds(suite, &Services::start(false), &line);
    }
}

/// 66 for a race. The program has the runtime of this Rust version, which no C compiler includes.
fn status_under_thread_sanitizer(library: &Path, flags: &str) -> Option<i32> {
    let (folder, library) = (fresh("tsan"), library.display());
    let line = format!(
        "gcc -std=c99 -g -fsanitize=thread -pthread {flags} $(pkg-config --cflags merchantpay) -c {}; \
         runtime=$(echo $(rustc --print sysroot)/lib/rustlib/{TRIPLE}/lib/*_rt.tsan.a); \
         g++ -rdynamic *.o {library}/libmerchantpay.so.{ABI} -Wl,--whole-archive $runtime -Wl,--no-whole-archive \
             -lpthread -ldl -lm -lrt -o threads",
        sources("threads")
    );
    sh(&folder, &line);
    let line = format!("LD_LIBRARY_PATH={library} TSAN_OPTIONS=exitcode=66 exec ./threads");
    let output = Services::start(false).give(&mut shell(&folder, &line)).env("SCRATCH", &folder).output();
    let output = output.unwrap();
    println!("{}", String::from_utf8_lossy(&output.stderr));
    output.status.code()
}

#[test]
fn thread_sanitizer_finds_no_race() {
    // With the standard library, whose locks would otherwise be invisible and cause false reports.
    let library = sanitized("thread", "-Zbuild-std=std,panic_unwind");
    assert_eq!(status_under_thread_sanitizer(&library, ""), Some(0));
    // The sanitizer can find a race: the same program with a counter without a lock.
    assert_eq!(status_under_thread_sanitizer(&library, "-DRACE"), Some(66));
}

#[test]
fn threads_share_client_verifier_and_journal() {
    let (services, program) = (Services::start(false), build("threads", "plain", ""));
    holds("threads", &services, &program);
    holds("threads", &services, &format!("{MEMCHECK} {program}"));
}

#[test]
fn fork_keeps_replies_apart() {
    holds("fork", &Services::start(false), &build("fork", "plain", ""));
}

#[test]
fn calls_work_while_process_ends() {
    let program = build("atexit", "plain", "");
    holds("atexit", &Services::start(false), &program);
    holds("atexit", &Services::start(true), &program);
}

#[test]
fn broken_pipe_does_not_end_host() {
    // Rust's runtime ignores SIGPIPE in this process, which a child would inherit.
    let program = build("sigpipe", "plain", "");
    holds("sigpipe", &Services::start(false), &format!("exec env --default-signal=PIPE {program}"));
}

#[test]
fn only_new_client_reads_environment() {
    holds("environment", &Services::start(false), &build("environment", "plain", "-rdynamic"));
}

#[test]
fn library_stays_while_a_thread_is_in_it() {
    let is_windows = std::env::var_os("MERCHANTPAY_TEST_WINDOWS").is_some();
    let library = prefix().join(if is_windows { "bin/merchantpay.dll" } else { "lib/libmerchantpay.so" });
    let folder = fresh("unload");
    let flags = "-std=c99 -g -Wall -Wextra -Werror -pthread $(pkg-config --cflags merchantpay)";
    sh(&folder, &format!("gcc {flags} $C/programs/unload.c -ldl -o unload"));
    run(Services::start(false).give(&mut Command::new(folder.join("unload"))).env("LIBRARY", library));
}
