//! `merchantpay.hpp`: it compiles with every C++11 compiler, covers the whole C header, and its classes work
//! as documented.

mod support;

use std::fs;
use std::path::Path;

use support::services::Services;
use support::{fresh, root, run, scratch, sh, shell};

const WARNINGS: &str = "-Wall -Wextra -Wpedantic -Wshadow -Wconversion -Werror";

const PROGRAMS: [&str; 4] = ["values", "moves", "callbacks", "journal"];

/// The program for builds with the features of C++17, and the one without exceptions.
const STANDARD: &str = "standard";
const RESULTS: &str = "results";

/// Wrong memory use ends the program.
fn holds(name: &str, flags: &str) {
    let folder = fresh("cpp");
    let sanitized = "-g -fsanitize=address,undefined -fno-sanitize-recover=all -pthread";
    let libraries = "$(pkg-config --cflags --libs merchantpay)";
    sh(&folder, &format!("g++ {flags} {sanitized} {WARNINGS} $C/cpp/{name}.cpp -o program {libraries}"));
    let printed = run(Services::start(false).give(&mut shell(&folder, "./program")).env("SCRATCH", &folder));
    let source = Path::new(env!("CARGO_MANIFEST_DIR")).join("cpp").join(name).with_extension("cpp");
    let text = fs::read_to_string(source).unwrap();
    let rules = text.matches("\nRULE(").count();
    assert_eq!(printed.trim(), format!("{rules} rules"), "{name} {flags}");
}

#[test]
fn classes_own_handles_and_check_arguments() {
    for name in PROGRAMS {
        holds(name, "-std=c++11");
    }
}

#[test]
fn optional_and_string_view_are_those_of_the_standard() {
    for standard in ["-std=c++17", "-std=c++23"] {
        holds(STANDARD, standard);
    }
}

#[test]
fn calls_return_results_without_exceptions() {
    for flags in ["-std=c++11 -fno-exceptions -fno-rtti", "-std=c++23 -fno-exceptions"] {
        holds(RESULTS, flags);
    }
}

const COMPILERS: [(&str, &[&str]); 2] = [
    ("g++", &["c++11", "c++14", "c++17", "c++20", "c++23"]),
    ("clang++", &["c++11", "c++14", "c++17", "c++20", "c++2b"]),
];

#[test]
fn header_compiles_in_every_standard_with_and_without_exceptions() {
    let check = |compiler: &str, standards: &[&str]| {
        for standard in standards {
            let is_end = [standards.first(), standards.last()].contains(&Some(standard));
            // Templates are only checked if they are used.
            let every_use = if is_end {
                "$C/cpp/values.cpp $C/cpp/moves.cpp $C/cpp/callbacks.cpp $C/cpp/journal.cpp"
            } else {
                ""
            };
            for (flags, files, more) in [
                ("", "twice", ""),
                ("-fno-rtti", "twice", every_use),
                ("-fno-exceptions", "results", ""),
                ("-fno-exceptions -fno-rtti", "results", ""),
                ("-DMERCHANTPAY_NO_EXCEPTIONS", "results", ""),
            ] {
                let cflags = "$(pkg-config --cflags merchantpay)";
                let line = format!(
                    "{compiler} -std={standard} {WARNINGS} {flags} -fsyntax-only $C/cpp/{files}.cpp {more} {cflags}"
                );
                sh(&scratch("cpp"), &line);
            }
        }
    };
    // The longest test here, so each compiler has a thread of its own.
    let check = &check;
    std::thread::scope(|scope| {
        for (compiler, standards) in COMPILERS {
            scope.spawn(move || check(compiler, standards));
        }
    });
}

#[test]
fn files_of_every_kind_link_to_one_program() {
    for (compiler, _) in COMPILERS {
        let libraries = "$(pkg-config --cflags --libs merchantpay)";
        let line = format!(
            "{compiler} -std=c++17 -fno-exceptions -fno-rtti {WARNINGS} -c $C/cpp/quiet.cpp $(pkg-config --cflags merchantpay); \
             {compiler} -std=c++11 {WARNINGS} $C/cpp/macros.cpp $C/cpp/twice.cpp quiet.o {libraries} -o linked; ./linked"
        );
        sh(&fresh("cpp"), &line);
    }
}

#[test]
fn failure_without_error_is_no_success() {
    // Ignored results are allowed, because this program checks only errors.
    let folder = fresh("cpp");
    let line = "gcc -std=c99 -c $C/programs/without_error.c; \
        g++ -std=c++11 -Wno-unused-result $C/cpp/without_error.cpp without_error.o -o program $(pkg-config --cflags --libs merchantpay)";
    sh(&folder, line);
    let printed = run(Services::start(false).give(&mut shell(&folder, "./program")));
    assert_eq!(printed, "1 rules\n");
}

#[test]
fn compilers_warn_of_ignored_results() {
    let cases = [
        ("c.new_payment(r);", "-std=c++17"),
        ("c.derive(1);", "-std=c++17"),
        ("c.confirm(\"o-1\");", "-std=c++17 -fno-exceptions"),
        ("c.confirm(\"o-1\");", "-std=c++11 -fno-exceptions"),
        ("merchantpay::Receipt(\"o-1\").add_file(\"a.pdf\");", "-std=c++11 -fno-exceptions"),
    ];
    let parameters = "(const merchantpay::Client &c, const merchantpay::PaymentRequest &r)";
    for ((compiler, _), (statement, flags)) in
        COMPILERS.iter().flat_map(|compiler| cases.map(|case| (compiler, case)))
    {
        let used = format!("auto used = {statement} static_cast<void>(used);");
        for (code, is_warned) in [(statement, true), (used.as_str(), false)] {
            let text = format!(
                "#include <merchantpay.hpp>\nvoid use{parameters};\nvoid use{parameters} {{ (void)c, (void)r; {code} }}\n"
            );
            let folder = fresh("cpp");
            fs::write(folder.join("ignored.cpp"), text).unwrap();
            let line =
                format!("{compiler} {flags} -Werror -c ignored.cpp $(pkg-config --cflags merchantpay)");
            let output = shell(&folder, &line).output().unwrap();
            let said = String::from_utf8_lossy(&output.stderr);
            assert_eq!(said.contains("unused-result"), is_warned, "{line} {code}: {said}");
            assert_eq!(output.status.success(), !is_warned, "{line} {code}: {said}");
        }
    }
}

#[test]
fn every_function_and_constant_of_c_is_reached() {
    // The function that failed has returned its code; the others are for bindings of other languages.
    const UNUSED: &str = "mpay_error_code mpay_open mpay_call mpay_interrupt mpay_close mpay_free mpay_answer \
        mpay_attempt_fields mpay_entry_fields mpay_error_fields mpay_event_fields mpay_payment_fields \
        mpay_http_request_head";
    let read = |path: &str| fs::read_to_string(root().join(path)).expect("a file of the project");
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
