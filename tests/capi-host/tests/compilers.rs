//! Compiles the headers with every compiler that must accept them, and checks that the versions in the
//! headers are the library's version.

mod support;

use std::fs;
use std::path::{Path, PathBuf};
use std::process::Command;

use support::{pkg_config, prefix, root, run, scratch};

const VERSION: &str = env!("CARGO_PKG_VERSION");
const ABI: &str = env!("CARGO_PKG_VERSION_MAJOR");

fn include(name: &str) -> PathBuf {
    prefix().join("include").join(name)
}

fn source(name: &str) -> PathBuf {
    Path::new(env!("CARGO_MANIFEST_DIR")).join("tests/consumer").join(name)
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

#[test]
fn windows_is_static_unless_the_dll_is_asked_for() {
    let path = file("dll.c", "#include <merchantpay_bindings.h>\n");
    let cases = [
        (&["-D_WIN32", "-D_WIN64"][..], "const char * mpay_version(void);"),
        (&["-D_WIN32"], "const char *__cdecl mpay_version(void);"),
        (&["-D_WIN32", "-D_WIN64", "-DMPAY_DLL"], "__declspec(dllimport) const char * mpay_version(void);"),
        (&["-D_WIN32", "-DMPAY_DLL"], "__declspec(dllimport) const char *__cdecl mpay_version(void);"),
        (&["-DMPAY_DLL"], "const char * mpay_version(void);"),
    ];
    for (defined, expected) in cases {
        let text = run(Command::new("cc")
            .args(["-E", "-P", "-DMPAY_NODISCARD="])
            .args(defined)
            .arg("-I")
            .arg(prefix().join("include"))
            .arg(&path));
        let line =
            text.lines().map(str::trim).find(|line| line.contains("mpay_version(")).expect("a declaration");
        assert_eq!(line, expected, "{defined:?}");
        let declared = text.matches("__declspec(dllimport)").count();
        let functions = fs::read_to_string(root().join("tests/abi/symbols.txt"))
            .expect("the committed list")
            .lines()
            .count();
        assert_eq!(declared, if expected.starts_with("__declspec") { functions } else { 0 }, "{defined:?}");
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
                let compile = |arguments: &[&str]| {
                    let mut command = Command::new(compiler);
                    command.arg(format!("-std={standard}")).arg("-Werror").args(arguments);
                    // gcc reports an ignored result only when it makes code.
                    command.args(["-c", "-o"]).arg(scratch("compilers").join("ignored.o"));
                    command.arg("-I").arg(prefix().join("include")).arg(&path).output().expect("a compiler")
                };
                let output = compile(&[]);
                let said = String::from_utf8_lossy(&output.stderr);
                assert_eq!(output.status.success(), !is_warned, "{compiler} {standard} {statement}: {said}");
                assert!(
                    !is_warned || said.contains("unused-result"),
                    "{compiler} {standard} {statement}: {said}"
                );
                assert!(
                    compile(&["-DMPAY_NODISCARD="]).status.success(),
                    "{compiler} {standard} {statement}"
                );
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
fn cgo_parses_the_header_and_calls_the_library() {
    let folder = scratch("compilers/cgo");
    for name in ["go.mod", "main.go"] {
        fs::copy(source("cgo").join(name), folder.join(name)).expect("it can be copied");
    }
    let program = folder.join("consumer");
    let flags = run(Command::new(root().join("tools/help/cgo-flags")).arg(prefix().join("include")));
    run(Command::new("go")
        .args(["build", "-o"])
        .arg(&program)
        .arg(".")
        .current_dir(&folder)
        .env("PKG_CONFIG_PATH", prefix().join("lib/pkgconfig"))
        .envs([
            ("CGO_ENABLED", "1"),
            ("CGO_CFLAGS", flags.trim_end()),
            ("GOFLAGS", "-mod=mod -buildvcs=false"),
            ("GOPROXY", "off"),
            ("GOTOOLCHAIN", "local"),
        ]));
    let said = run(Command::new(&program).env("LD_LIBRARY_PATH", prefix().join("lib")));
    assert_eq!(said, format!("{VERSION} {VERSION} 0 true true\n"));
}

#[test]
fn php_reads_the_declarations_and_calls_the_library() {
    let said = run(Command::new("php")
        .args(["-n", "-d", "extension=ffi", "-d", "ffi.enable=1"])
        .arg(source("ffi.php"))
        .arg(include("merchantpay.ffi.h"))
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
    assert_eq!(
        fs::read_link(prefix().join("lib/libmerchantpay.so")).expect("a link"),
        Path::new(&format!("libmerchantpay.so.{ABI}"))
    );
    let soname = run(Command::new("objdump").arg("-p").arg(prefix().join("lib/libmerchantpay.so")));
    assert!(
        soname.lines().any(|line| line.split_whitespace().collect::<Vec<_>>()
            == ["SONAME", &format!("libmerchantpay.so.{ABI}")]),
        "{soname}"
    );

    let program = scratch("compilers").join("versions");
    let path = file(
        "versions.c",
        "#include <merchantpay.h>\n#include <stdio.h>\nint main(void)\n{\n    printf(\"%s %lu %lu\\n\", mpay_version(), (unsigned long)mpay_version_number(), \
         (unsigned long)mpay_abi_version());\n    return 0;\n}\n",
    );
    run(Command::new("cc").arg(path).arg("-o").arg(&program).args(pkg_config(&["--cflags", "--libs"])));
    let said = run(Command::new(&program).env("LD_LIBRARY_PATH", prefix().join("lib")));
    assert_eq!(said, format!("{VERSION} {} {ABI}\n", number()));
}

#[test]
fn no_example_has_a_warning_in_its_oldest_standard() {
    let cflags = pkg_config(&["--cflags"]);
    let warnings = ["-Wall", "-Wextra", "-Wpedantic", "-Werror", "-fsyntax-only"];
    for (language, compilers, standard) in
        [("c", ["gcc", "clang"], "-std=c99"), ("cpp", ["g++", "clang++"], "-std=c++11")]
    {
        let folder = root().join("examples").join(language);
        let files: Vec<PathBuf> = ["accept", "arbitrate", "outcomes", "recover", "till", "webhook"]
            .iter()
            .map(|name| folder.join(name).with_extension(language))
            .collect();
        for compiler in compilers {
            run(Command::new(compiler).arg(standard).args(warnings).args(&files).args(&cflags));
        }
    }
}
