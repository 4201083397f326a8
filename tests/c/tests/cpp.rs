//! `merchantpay.hpp`: it compiles with every C++11 compiler, covers the whole C header, and its classes work
//! as documented.

mod support;

use std::path::{Path, PathBuf};
use std::process::Command;
use std::time::Duration;

use merchantpay::Keypair;
use merchantpay_sandbox::{Options, Sandbox};
use support::programs::{at, compile, sandbox};
use support::{pkg_config, root, run, scratch};

const WARNINGS: &[&str] = &["-Wall", "-Wextra", "-Wpedantic", "-Wshadow", "-Wconversion", "-Werror"];

/// The programs of `cpp`. Each program runs one function for each rule that it checks.
const PROGRAMS: &[&str] = &["values", "moves", "callbacks", "journal"];

/// The programs for builds with the features of C++17, and without exceptions.
const STANDARD: &str = "standard";
const WITHOUT_EXCEPTIONS: &str = "results";

fn source(name: &str) -> PathBuf {
    Path::new(env!("CARGO_MANIFEST_DIR")).join("cpp").join(name)
}

/// Builds a program so that wrong memory use ends it, and runs it.
fn holds(name: &str, flags: &[&str]) {
    let program = scratch("cpp").join(format!("{name}{}", flags.concat()));
    let sanitized = ["-g", "-fsanitize=address,undefined", "-fno-sanitize-recover=all", "-pthread"];
    let file = source(&format!("{name}.cpp"));
    compile("g++", &[flags, &sanitized, WARNINGS].concat(), &[&file], &program);
    let server = Keypair::generate().expect("a pair");
    let key = server.private_key();
    let options = Options {
        server_private_key: Some(key.clone()),
        pace: Duration::from_millis(5),
        ..Options::default()
    };
    let webhook = r#"{"success":true,"orderId":"o-1","status":"doneSuccess","sum":1500.50}"#;
    let sandbox = Sandbox::start(options).expect("a sandbox");
    let mut command = at(&sandbox, program);
    command
        .env("SCRATCH", scratch("cpp"))
        .env("WEBHOOK_BODY", webhook)
        .env("WEBHOOK_SIGNATURE", key.sign(webhook.as_bytes()).to_base64());
    let text = std::fs::read_to_string(file).expect("the program's source");
    let rules = text.split("int main()").nth(1).expect("a main").matches("{\"").count();
    assert_eq!(run(&mut command).trim(), format!("{rules} rules"));
}

#[test]
fn the_classes_own_their_handles_and_check_their_arguments() {
    for name in PROGRAMS {
        holds(name, &["-std=c++11"]);
    }
}

/// The compilers, with the standards that they support.
const COMPILERS: &[(&str, &[&str])] = &[
    ("g++", &["c++11", "c++14", "c++17", "c++20", "c++23"]),
    ("clang++", &["c++11", "c++14", "c++17", "c++20", "c++2b"]),
];

#[test]
fn the_header_compiles_in_every_standard_with_every_compiler_with_and_without_exceptions_and_rtti() {
    let cflags = pkg_config(&["--cflags"]);
    // Templates are only checked if they are used.
    let every_use: Vec<PathBuf> = PROGRAMS.iter().map(|name| source(&format!("{name}.cpp"))).collect();
    let results = [source(&format!("{WITHOUT_EXCEPTIONS}.cpp"))];
    let include = [source("twice.cpp")];
    let check = |compiler: &str, standards: &[&str]| {
        for standard in standards {
            let ends = [standards.first(), standards.last()].contains(&Some(standard));
            let with_exceptions = if ends { &every_use } else { &include[..] };
            let cells: [(&[&str], &[PathBuf]); 5] = [
                (&[], &include),
                (&["-fno-rtti"], with_exceptions),
                (&["-fno-exceptions"], &results),
                (&["-fno-exceptions", "-fno-rtti"], &results),
                (&["-DMERCHANTPAY_NO_EXCEPTIONS"], &results),
            ];
            for (extra, files) in cells {
                let mut command = Command::new(compiler);
                run(command
                    .arg(format!("-std={standard}"))
                    .args(WARNINGS)
                    .args(extra)
                    .arg("-fsyntax-only")
                    .args(files)
                    .args(&cflags));
            }
        }
    };
    // This is the longest test of this test program, so each compiler has a thread of its own.
    std::thread::scope(|scope| {
        for (compiler, standards) in COMPILERS {
            scope.spawn(|| check(compiler, standards));
        }
    });
}

#[test]
fn files_of_every_kind_that_include_it_link_to_one_program_also_behind_hostile_macros() {
    for (compiler, _) in COMPILERS {
        let object = scratch("cpp").join(format!("quiet-{compiler}.o"));
        let mut quiet = Command::new(compiler);
        quiet.args(["-std=c++17", "-fno-exceptions", "-fno-rtti", "-c", "-o"]).arg(&object).args(WARNINGS);
        run(quiet.arg(source("quiet.cpp")).args(pkg_config(&["--cflags"])));
        let program = scratch("cpp").join(format!("linked-{compiler}"));
        compile(
            compiler,
            &[&["-std=c++11"], WARNINGS].concat(),
            &[&source("macros.cpp"), &source("twice.cpp"), &object],
            &program,
        );
        run(Command::new(&program).env("LD_LIBRARY_PATH", support::prefix().join("lib")));
    }
}

#[test]
fn a_call_that_fails_without_an_error_is_no_success() {
    let (object, program) = (scratch("cpp").join("without_error.o"), scratch("cpp").join("without_error"));
    let functions = Path::new(env!("CARGO_MANIFEST_DIR")).join("programs/without_error.c");
    run(Command::new("gcc").args(["-std=c99", "-c", "-o"]).arg(&object).arg(functions));
    // Ignored results are allowed, because this program checks only errors.
    let flags = ["-std=c++11", "-Wno-unused-result"];
    compile("g++", &flags, &[&source("without_error.cpp"), &object], &program);
    assert_eq!(run(&mut at(&sandbox(), program)), "1 rules\n");
}

#[test]
fn whoever_ignores_what_a_call_gives_is_warned() {
    let cases = [
        ("c.new_payment(r);", &["-std=c++17"][..]),
        ("c.derive(1);", &["-std=c++17"]),
        ("c.confirm(\"o-1\");", &["-std=c++17", "-fno-exceptions"]),
        ("c.confirm(\"o-1\");", &["-std=c++11", "-fno-exceptions"]),
        ("merchantpay::Receipt(\"o-1\").add_file(\"a.pdf\");", &["-std=c++11", "-fno-exceptions"]),
    ];
    let (path, object) = (scratch("cpp").join("ignored.cpp"), scratch("cpp").join("ignored.o"));
    for (compiler, _) in COMPILERS {
        for (statement, flags) in cases {
            let used = format!("auto used = {statement} static_cast<void>(used);");
            for (code, is_warned) in [(statement, true), (used.as_str(), false)] {
                let text = format!(
                    "#include <merchantpay.hpp>\nvoid use(const merchantpay::Client &, const merchantpay::PaymentRequest &);\n\
                     void use(const merchantpay::Client &c, const merchantpay::PaymentRequest &r) {{ (void)c, (void)r; {code} }}\n"
                );
                std::fs::write(&path, text).expect("it can be written");
                let mut command = Command::new(compiler);
                command.args(flags).args(["-Werror", "-c", "-o"]).arg(&object).arg(&path);
                let output = command.args(pkg_config(&["--cflags"])).output().expect("a compiler");
                let said = String::from_utf8_lossy(&output.stderr);
                assert_eq!(said.contains("unused-result"), is_warned, "{compiler} {flags:?} {code}: {said}");
                assert_eq!(output.status.success(), !is_warned, "{compiler} {flags:?} {code}: {said}");
            }
        }
    }
}

#[test]
fn every_function_and_constant_of_c_is_reached() {
    // The function that failed has returned its code; the others are for bindings of other languages.
    const UNUSED: &str = "mpay_error_code mpay_open mpay_call mpay_interrupt mpay_close mpay_free mpay_answer \
        mpay_attempt_fields mpay_entry_fields mpay_error_fields mpay_event_fields mpay_payment_fields \
        mpay_http_request_head";
    let read = |path: &str| std::fs::read_to_string(root().join(path)).expect("a file of the project");
    let (symbols, constants) = (read("tests/c/abi/symbols.txt"), read("tests/c/abi/constants.txt"));
    let header = read("include/merchantpay.hpp");
    let code = header.lines().filter(|line| !matches!(line.trim_start().get(..2), Some("//" | "/*" | "* ")));
    let code: String = code.collect::<Vec<_>>().join("\n");
    let words: Vec<&str> =
        code.split(|letter: char| !letter.is_ascii_alphanumeric() && letter != '_').collect();
    // The classes of C++ set settings by their names.
    let is_set_by_name = |name: &str| {
        let name =
            name.trim_start_matches("mpay_").trim_start_matches("journal_").trim_start_matches("config_");
        let setting = name.trim_start_matches("set_").trim_start_matches("add_");
        setting != name && ["set", "set_key"].iter().any(|set| code.contains(&format!("{set}(\"{setting}\"")))
    };
    for name in symbols.lines().chain(constants.lines().filter_map(|line| line.split(' ').next())) {
        let is_reached = words.contains(&name) || is_set_by_name(name) || name.starts_with("MPAY_HEADER_");
        assert_ne!(is_reached, UNUSED.split(' ').any(|unused| unused == name), "{name}");
    }
}

#[test]
fn what_the_standard_library_has_from_17_on_is_taken_and_given() {
    for standard in ["-std=c++17", "-std=c++23"] {
        holds(STANDARD, &[standard]);
    }
}

#[test]
fn without_exceptions_a_call_gives_a_result() {
    for flags in [&["-std=c++11", "-fno-exceptions", "-fno-rtti"][..], &["-std=c++23", "-fno-exceptions"]] {
        holds(WITHOUT_EXCEPTIONS, flags);
    }
}
