//! Compiles the headers with every compiler that must accept them, and checks that the versions in the
//! headers are the library's version.

mod support;

use std::fs;
use std::path::{Path, PathBuf};
use std::process::Command;

use support::{pkg_config, prefix, run, scratch};

const VERSION: &str = env!("CARGO_PKG_VERSION");
const ABI: &str = env!("CARGO_PKG_VERSION_MAJOR");

fn source(name: &str) -> PathBuf {
    Path::new(env!("CARGO_MANIFEST_DIR")).join("consumer").join(name)
}

/// A file to compile.
fn file(name: &str, text: &str) -> PathBuf {
    let path = scratch("compilers").join(name);
    fs::write(&path, text).expect("it can be written");
    path
}

/// Each compiler, its language and the standards to test.
const COMPILERS: [(&str, &str, &[&str]); 5] = [
    ("gcc", "c", &["c89", "c99", "c11", "c17", "c2x", "gnu89", "gnu17"]),
    ("clang", "c", &["c89", "c99", "c11", "c17", "c2x", "gnu89", "gnu17"]),
    ("tcc", "c", &["c89", "c99", "c11", "c2x"]),
    ("g++", "c++", &["c++98", "c++11", "c++14", "c++17", "c++20", "c++23"]),
    ("clang++", "c++", &["c++98", "c++11", "c++14", "c++17", "c++20", "c++2b"]),
];

fn warnings(compiler: &str, language: &str) -> Vec<&'static str> {
    let mut warnings = vec!["-Wall", "-Wextra", "-Wpedantic", "-Werror"];
    match (compiler, language) {
        // This compiler has no pedantic mode.
        ("tcc", _) => return vec!["-Wall", "-Werror"],
        (_, "c") => warnings.extend([
            "-Wstrict-prototypes",
            "-Wmissing-prototypes",
            "-Wold-style-definition",
            "-Wc++-compat",
        ]),
        _ => warnings.extend(["-Wold-style-cast", "-Wshadow"]),
    }
    if compiler.starts_with("clang") {
        // All documentation comments have doxygen's syntax, which this warning checks.
        warnings.push("-Wdocumentation");
    }
    warnings
}

#[test]
fn the_header_compiles_alone_and_twice_in_every_c_and_cxx() {
    for (compiler, language, standards) in COMPILERS {
        let extension = if language == "c" { "c" } else { "cpp" };
        // The file includes no other header first, and has a declaration, because C requires at least one.
        let alone = file(&format!("alone.{extension}"), "#include <merchantpay.h>\nextern int nothing;\n");
        let twice = file(
            &format!("twice.{extension}"),
            "#include <merchantpay.h>\n#include <merchantpay.h>\nextern int nothing;\n",
        );
        let bindings =
            "#include <merchantpay_bindings.h>\n#include <merchantpay_bindings.h>\nextern int nothing;\n";
        let bindings = file(&format!("bindings.{extension}"), bindings);
        for standard in standards {
            for path in [&alone, &twice, &bindings] {
                run(Command::new(compiler)
                    .arg(format!("-std={standard}"))
                    .args(warnings(compiler, language))
                    .arg("-I")
                    // The option is not -isystem, which would hide the header's warnings.
                    .arg(prefix().join("include"))
                    // The output is never /dev/null, because tcc replaces its output file.
                    .args(["-c", "-o"])
                    .arg(scratch("compilers").join("header.o"))
                    .arg(path));
            }
        }
    }
}

#[test]
fn a_program_in_every_c_and_cxx_runs() {
    for (compiler, language, standards) in COMPILERS {
        for standard in [standards[0], standards[standards.len() - 1]] {
            let program = scratch("compilers").join(format!("{compiler}-{standard}"));
            let mut command = Command::new(compiler);
            command.arg(format!("-std={standard}"));
            // C++ compilers compile the same file, so they must accept C's casts.
            command.args(
                warnings(compiler, language).into_iter().filter(|warning| *warning != "-Wold-style-cast"),
            );
            if language == "c++" {
                command.args(["-x", "c++"]);
            }
            run(command
                .arg(source("main.c"))
                .arg("-o")
                .arg(&program)
                .args(pkg_config(&["--cflags", "--libs"])));
            let said = run(Command::new(&program).env("LD_LIBRARY_PATH", prefix().join("lib")));
            assert_eq!(said, format!("{VERSION} 31 30 10 20 not_sent\n"), "{compiler} {standard}");
        }
    }
}

/// Clang imitates the compilers of Windows, and has its own copies of the two headers that are needed. On 32
/// bits a program can use another calling convention for its own functions.
#[test]
fn the_header_compiles_for_windows_and_says_how_the_functions_are_called() {
    let used = "#include <merchantpay_bindings.h>\nconst char *version(void);\nconst char *version(void) { return mpay_version(); }\n";
    let callback = "static void MPAY_CALL log_it(void *data, const mpay_attempt *attempt) { (void)data; (void)attempt; }\n\
                    int32_t set(mpay_config *config);\n\
                    int32_t set(mpay_config *config) { return mpay_config_set_log_callback(config, log_it, NULL, NULL); }\n";
    let targets: [(&str, &[&str], &str); 4] = [
        ("x86_64-pc-windows-msvc", &[], "mpay_version"),
        ("x86_64-pc-windows-msvc", &["-DMPAY_DLL"], "__imp_mpay_version"),
        ("i686-pc-windows-msvc", &["-Xclang", "-fdefault-calling-conv=stdcall"], "_mpay_version"),
        (
            "i686-pc-windows-msvc",
            &["-DMPAY_DLL", "-Xclang", "-fdefault-calling-conv=stdcall"],
            "__imp__mpay_version",
        ),
    ];
    for (compiler, language, standards) in
        COMPILERS.iter().filter(|(compiler, ..)| compiler.starts_with("clang"))
    {
        let extension = if *language == "c" { "c" } else { "cpp" };
        let path = file(&format!("windows.{extension}"), &format!("{used}{callback}"));
        for standard in *standards {
            for (target, arguments, symbol) in targets {
                let object = scratch("compilers").join("windows.obj");
                run(Command::new(compiler)
                    .arg(format!("--target={target}"))
                    .arg(format!("-std={standard}"))
                    // Here there is no C library for Windows.
                    .args(["-ffreestanding", "-nostdlibinc"])
                    .args(warnings(compiler, language))
                    .args(arguments)
                    .arg("-I")
                    .arg(prefix().join("include"))
                    .args(["-c", "-o"])
                    .arg(&object)
                    .arg(&path));
                let bytes = fs::read(&object).expect("an object");
                let text = String::from_utf8_lossy(&bytes);
                assert!(
                    text.contains(&format!("{symbol}\0")) && !text.contains("mpay_version@"),
                    "{target} {standard} {arguments:?}"
                );
            }
        }
    }
}

#[test]
fn whoever_ignores_a_failure_is_warned() {
    let cases = [
        ("mpay_confirm(0, 0, 0);", true),
        ("mpay_client_new(0, 0, 0);", true),
        ("mpay_config_set_base_url(0, 0);", false),
        ("mpay_client_connect(0, 0);", false),
        ("if (mpay_confirm(0, 0, 0)) return;", false),
    ];
    for (compiler, language, standards) in COMPILERS.iter().filter(|(compiler, ..)| *compiler != "tcc") {
        for standard in [standards[0], standards[standards.len() - 1]] {
            for (statement, is_warned) in cases {
                let text =
                    format!("#include <merchantpay.h>\nvoid use(void);\nvoid use(void) {{ {statement} }}\n");
                let path = file(if *language == "c" { "ignored.c" } else { "ignored.cpp" }, &text);
                for (defined, is_warned) in [("-UMPAY_NODISCARD", is_warned), ("-DMPAY_NODISCARD=", false)] {
                    let mut command = Command::new(compiler);
                    // gcc reports an ignored result only when it makes code.
                    command.args([&format!("-std={standard}"), "-Werror", defined, "-c", "-o"]);
                    command.arg(scratch("compilers").join("ignored.o")).arg(&path);
                    let output = command.args(pkg_config(&["--cflags"])).output().expect("a compiler");
                    let said = String::from_utf8_lossy(&output.stderr);
                    assert_eq!(
                        said.contains("unused-result"),
                        is_warned,
                        "{compiler} {standard} {statement}: {said}"
                    );
                    assert_eq!(
                        output.status.success(),
                        !is_warned,
                        "{compiler} {standard} {statement}: {said}"
                    );
                }
            }
        }
    }
}

#[test]
fn the_compiler_names_the_replacement_of_a_deprecated_function() {
    let text = "#include <merchantpay.h>\nMPAY_DEPRECATED(\"use mpay_new\") void old_one(void);\nvoid use(void);\nvoid use(void) { old_one(); }\n";
    for (compiler, language, standards) in COMPILERS.iter().filter(|(compiler, ..)| *compiler != "tcc") {
        let path = file(if *language == "c" { "deprecated.c" } else { "deprecated.cpp" }, text);
        for standard in *standards {
            let mut command = Command::new(compiler);
            command
                .arg(format!("-std={standard}"))
                .args(["-Wall", "-Werror", "-fsyntax-only", "-I"])
                .arg(prefix().join("include"));
            let output = command.arg(&path).output().expect("a compiler");
            let said = String::from_utf8_lossy(&output.stderr);
            assert!(
                !output.status.success() && said.contains("use mpay_new"),
                "{compiler} {standard}: {said}"
            );
        }
    }
}

#[test]
fn php_reads_the_declarations_and_calls_the_library() {
    let said = run(Command::new("php")
        .args(["-n", "-d", "extension=ffi", "-d", "ffi.enable=1"])
        .arg(source("ffi.php"))
        .arg(prefix().join("include/merchantpay.ffi.h"))
        .arg(prefix().join(format!("lib/libmerchantpay.so.{ABI}"))));
    assert_eq!(said, format!("{VERSION} {} 0 true\n", number()));
}

/// The version as a number: major * 10000 + minor * 100 + patch.
fn number() -> u32 {
    VERSION.split('.').fold(0, |number, part| number * 100 + part.parse::<u32>().expect("a number"))
}

#[test]
fn every_version_is_the_same() {
    let text = |path: &str| {
        fs::read_to_string(prefix().join(path)).unwrap_or_else(|error| panic!("{path}: {error}"))
    };
    let has = |path: &str, line: &str| {
        let text = text(path);
        assert!(text.lines().any(|found| found.trim() == line), "{path} does not say {line:?}");
    };
    has("include/merchantpay.h", &format!("#define MPAY_HEADER_VERSION \"{VERSION}\""));
    has("include/merchantpay.h", &format!("#define MPAY_HEADER_VERSION_NUMBER {}", number()));
    has("include/merchantpay.h", &format!("#define MPAY_HEADER_ABI {ABI}"));
    has("include/merchantpay.ffi.h", &format!("enum {{ MPAY_HEADER_VERSION_NUMBER = {} }};", number()));
    has("include/merchantpay.ffi.h", &format!("enum {{ MPAY_HEADER_ABI = {ABI} }};"));
    has("lib/pkgconfig/merchantpay.pc", &format!("Version: {VERSION}"));
    has(
        "lib/cmake/merchantpay/merchantpayConfigVersion.cmake",
        &format!("set(PACKAGE_VERSION \"{VERSION}\")"),
    );
    has(
        "lib/cmake/merchantpay/merchantpayConfig.cmake",
        &format!("IMPORTED_SONAME \"libmerchantpay.so.{ABI}\""),
    );
    assert_eq!(pkg_config(&["--modversion"]), [VERSION]);
}
