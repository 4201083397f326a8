//! `merchantpay.hpp`: it compiles with every C++11 compiler, covers the whole C header, and its classes work
//! as documented.

mod support;

use std::path::{Path, PathBuf};
use std::process::Command;

use merchantpay::{Keypair, PrivateKey};
use merchantpay_sandbox::{Fault, Options, Sandbox};
use support::programs::{at, compile, sandbox};
use support::{pkg_config, root, run, scratch};

const WARNINGS: &[&str] = &["-Wall", "-Wextra", "-Wpedantic", "-Wshadow", "-Wconversion", "-Werror"];

/// The programs of `tests/cpp`. Each program runs one function for each rule that it checks.
const PROGRAMS: &[&str] =
    &["payments", "errors", "moves", "callbacks", "webhooks", "protocol", "standard", "journal"];

/// The program for builds without exceptions.
const WITHOUT_EXCEPTIONS: &str = "results";

fn source(name: &str) -> PathBuf {
    Path::new(env!("CARGO_MANIFEST_DIR")).join("tests/cpp").join(name)
}

/// Builds a program so that wrong memory use ends it, and runs it.
fn holds(name: &str, sandbox: &Sandbox, settings: &[(String, String)]) {
    holds_with(name, &["-std=c++11"], sandbox, settings);
}

fn holds_with(name: &str, flags: &[&str], sandbox: &Sandbox, settings: &[(String, String)]) {
    let program = scratch("cpp").join(format!("{name}{}", flags.concat()));
    let flags =
        [flags, &["-g", "-fsanitize=address,undefined", "-fno-sanitize-recover=all", "-pthread"], WARNINGS]
            .concat();
    compile("g++", &flags, &[&source(&format!("{name}.cpp"))], &program);
    let own = sandbox
        .merchant_private_key()
        .map(|key| key.public_key().to_base64())
        .expect("the sandbox has made the merchant's keys");
    let mut command = at(sandbox, program);
    command.env("SCRATCH", scratch("cpp")).env("MERCHANT_PUBLIC_KEY", own).envs(settings.iter().cloned());
    let text = std::fs::read_to_string(source(&format!("{name}.cpp"))).expect("the program's source");
    let rules = text.split("int main()").nth(1).expect("a main").matches("{\"").count();
    assert_eq!(run(&mut command).trim(), format!("{rules} rules"));
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
    let functions = Path::new(env!("CARGO_MANIFEST_DIR")).join("tests/c/without_error.c");
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
    for (compiler, _) in COMPILERS {
        for (statement, flags) in cases {
            for (used, is_warned) in [
                (statement.to_owned(), true),
                (format!("auto used = {statement} static_cast<void>(used);"), false),
            ] {
                let path = scratch("cpp").join("ignored.cpp");
                let function = "void use(const merchantpay::Client &c, const merchantpay::PaymentRequest &r)";
                let text = format!(
                    "#include <merchantpay.hpp>\n{function};\n{function} {{ static_cast<void>(c), static_cast<void>(r); {used} }}\n"
                );
                std::fs::write(&path, text).expect("it can be written");
                let mut command = Command::new(compiler);
                command
                    .args(flags)
                    .args(["-Werror", "-c", "-o"])
                    .arg(scratch("cpp").join("ignored.o"))
                    .arg(&path)
                    .args(pkg_config(&["--cflags"]));
                let output = command.output().expect("a compiler");
                let said = String::from_utf8_lossy(&output.stderr);
                assert_eq!(output.status.success(), !is_warned, "{compiler} {flags:?} {used}: {said}");
                assert!(!is_warned || said.contains("unused-result"), "{compiler} {flags:?} {used}: {said}");
            }
        }
    }
}

#[test]
fn every_function_and_constant_of_c_is_reached() {
    /// Functions that C++ does not need, with the reason.
    const EXCEPTIONS: &[(&str, &str)] = &[
        ("mpay_error_code", "the function that failed has returned it"),
        ("mpay_open", "for bindings of other languages"),
        ("mpay_call", "as above"),
        ("mpay_interrupt", "as above"),
        ("mpay_close", "as above"),
        ("mpay_free", "as above"),
        ("mpay_answer", "as above"),
        ("MPAY_API", "for the C header's own declarations"),
        ("MPAY_DEPRECATED", "as above"),
        ("MPAY_HEADER_VERSION", "a macro is one in C++ too"),
        ("MPAY_HEADER_VERSION_NUMBER", "as above"),
        ("MPAY_HEADER_ABI", "as above"),
    ];
    let read = |name: &str| std::fs::read_to_string(root().join("include").join(name)).expect("a header");
    let (c, cpp) = (read("merchantpay.h"), read("merchantpay.hpp"));
    let code: String = cpp
        .lines()
        .filter(|line| !matches!(line.trim_start().get(..2), Some("//" | "/*" | "* ")))
        .collect::<Vec<_>>()
        .join("\n");
    let words: Vec<&str> =
        code.split(|letter: char| !letter.is_ascii_alphanumeric() && letter != '_').collect();

    let functions = c.match_indices("mpay_").filter_map(|(at, _)| {
        let end = c[at..].find(|letter: char| !letter.is_ascii_alphanumeric() && letter != '_')?;
        // Only a declaration counts, not a mention in a comment.
        let line = &c[c[..at].rfind('\n').map_or(0, |line| line + 1)..at];
        (c[at + end..].starts_with('(') && !line.starts_with(" *")).then_some(&c[at..at + end])
    });
    let constants = c
        .lines()
        .filter_map(|line| line.strip_prefix("#define MPAY_")?.split([' ', '(']).next())
        .map(|name| format!("MPAY_{name}"));
    let names: Vec<String> = functions.map(str::to_owned).chain(constants).collect();
    assert!(names.len() > 130, "{names:?}");
    // The classes of C++ set settings by their names.
    let is_set_by_name = |name: &str| {
        let setting = ["mpay_config_", "mpay_journal_config_"].iter().find_map(|of| name.strip_prefix(of));
        let setting =
            setting.and_then(|name| name.strip_prefix("set_").or_else(|| name.strip_prefix("add_")));
        setting.is_some_and(|name| {
            code.contains(&format!("set(\"{name}\"")) || code.contains(&format!("set_key(\"{name}\""))
        })
    };
    for name in &names {
        let excepted = EXCEPTIONS.iter().any(|(exception, _)| exception == name);
        assert_eq!(words.contains(&name.as_str()) || is_set_by_name(name), !excepted, "{name}");
    }
    for (exception, _) in EXCEPTIONS {
        assert!(names.iter().any(|name| name == exception), "{exception} is no exception any more");
    }
}

#[test]
fn what_the_standard_library_has_from_17_on_is_taken_and_given() {
    for standard in ["-std=c++17", "-std=c++23"] {
        holds_with("standard", &[standard], &sandbox(), &[]);
    }
}

#[test]
fn without_exceptions_a_call_gives_a_result() {
    for flags in [&["-std=c++11", "-fno-exceptions", "-fno-rtti"][..], &["-std=c++23", "-fno-exceptions"]] {
        holds_with(WITHOUT_EXCEPTIONS, flags, &sandbox(), &[]);
    }
}

#[test]
fn payments_go_as_the_contract_says() {
    holds("payments", &sandbox(), &[]);
}

#[test]
fn errors_report_the_outcome_of_the_request() {
    let sandbox = sandbox();
    // Each of these faults is expected by one rule of the program.
    sandbox.misbehave(Fault::HtmlBadGateway, Some("confirm"), 1);
    sandbox.misbehave(Fault::WrongOrder, Some("attachReceipt"), 1);
    holds("errors", &sandbox, &[]);
}

#[test]
fn objects_are_moved_and_what_is_left_of_them_is_defined() {
    holds("moves", &sandbox(), &[]);
}

#[test]
fn callbacks_never_throw_into_c_and_live_as_long_as_they_are_needed() {
    holds("callbacks", &sandbox(), &[]);
}

#[test]
fn a_webhook_is_an_event_that_lives_by_itself() {
    let server = Keypair::generate().expect("a pair");
    let key = server.private_key();
    let options = Options { server_private_key: Some(key.clone()), ..Options::default() };
    let body = r#"{"success":true,"orderId":"o-1","status":"doneSuccess","sum":1500.50}"#;
    let settings = signed(key, "STATUS", body);
    holds("webhooks", &Sandbox::start(options).expect("a sandbox"), &settings);
}

fn signed(key: &PrivateKey, name: &str, body: &str) -> [(String, String); 2] {
    [
        (format!("WEBHOOK_{name}"), body.to_owned()),
        (format!("SIGNATURE_{name}"), key.sign(body.as_bytes()).to_base64()),
    ]
}

#[test]
fn what_is_prepared_lives_by_itself() {
    holds("protocol", &sandbox(), &[]);
}

#[test]
fn entries_are_values_and_a_journal_is_moved() {
    holds("journal", &sandbox(), &[]);
}
