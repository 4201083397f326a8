//! Programs that are built against the installed tree: with every compiler that must accept the headers, with
//! each way to link the library, and with each build system.

mod support;

use std::fs;
use std::process::Command;

use support::{ABI, VERSION, fresh, run, scratch, sh, shell};

const COMPILERS: [(&str, &[&str]); 5] = [
    ("gcc", &["c89", "c99", "c11", "c17", "c2x", "gnu89", "gnu17"]),
    ("clang", &["c89", "c99", "c11", "c17", "c2x", "gnu89", "gnu17"]),
    ("tcc", &["c89", "c99", "c11", "c2x"]),
    ("g++", &["c++98", "c++11", "c++14", "c++17", "c++20", "c++23"]),
    ("clang++", &["c++98", "c++11", "c++14", "c++17", "c++20", "c++2b"]),
];

fn warnings(compiler: &str) -> String {
    let of_language = match compiler {
        // Has no pedantic mode.
        "tcc" => return "-Wall -Werror".to_owned(),
        "gcc" | "clang" => "-Wstrict-prototypes -Wmissing-prototypes -Wold-style-definition -Wc++-compat",
        _ => "-Wold-style-cast -Wshadow",
    };
    // All documentation comments have doxygen's syntax, which this warning checks.
    let of_comments = if compiler.starts_with("clang") { "-Wdocumentation" } else { "" };
    format!("-Wall -Wextra -Wpedantic -Werror {of_language} {of_comments}")
}

fn extension(compiler: &str) -> &'static str {
    if compiler.ends_with("++") { "cpp" } else { "c" }
}

/// What follows `#include <merchantpay.h>` in a file, with a macro that is set or not; and what the compiler
/// complains of.
const FILES: [(&str, &str, &str); 9] = [
    // C demands at least one declaration.
    ("", "extern int nothing;", ""),
    (
        "",
        "#include <merchantpay.h>\n#include <merchantpay_bindings.h>\n#include <merchantpay_bindings.h>\nextern int nothing;",
        "",
    ),
    ("", "void use(void);\nvoid use(void) { mpay_confirm(0, 0, 0); }", "unused-result"),
    ("-DMPAY_NODISCARD=", "void use(void);\nvoid use(void) { mpay_confirm(0, 0, 0); }", ""),
    ("", "void use(void);\nvoid use(void) { mpay_client_new(0, 0, 0); }", "unused-result"),
    ("", "void use(void);\nvoid use(void) { mpay_config_set_base_url(0, 0); }", ""),
    ("", "void use(void);\nvoid use(void) { mpay_client_connect(0, 0); }", ""),
    ("", "void use(void);\nvoid use(void) { if (mpay_confirm(0, 0, 0)) return; }", ""),
    (
        "",
        "MPAY_DEPRECATED(\"use mpay_new\") void old(void);\nvoid use(void);\nvoid use(void) { old(); }",
        "use mpay_new",
    ),
];

#[test]
fn compilers_accept_header_and_warn_of_ignored_results() {
    let folder = scratch("files");
    for (compiler, standards) in COMPILERS {
        for (standard, (flags, text, complaint)) in
            standards.iter().flat_map(|standard| FILES.map(|file| (standard, file)))
        {
            if compiler == "tcc" && !complaint.is_empty() {
                continue;
            }
            let file = format!("file.{}", extension(compiler));
            fs::write(folder.join(&file), format!("#include <merchantpay.h>\n{text}\n")).unwrap();
            // gcc reports an ignored result only when it makes code. -isystem would hide the header's warnings.
            let warnings = warnings(compiler);
            let line = format!(
                "{compiler} -std={standard} {warnings} -I$PREFIX/include {flags} -c -o object {file}"
            );
            let output = shell(&folder, &line).output().unwrap();
            let said = String::from_utf8_lossy(&output.stderr);
            assert_eq!(output.status.success(), complaint.is_empty(), "{line}\n{text}\n{said}");
            assert!(said.contains(complaint), "{line}\n{text}\n{said}");
        }
    }
}

/// Clang imitates the compilers of Windows, and has its own copies of the two headers that are needed. On 32
/// bits a program can use another calling convention for its own functions.
#[test]
fn functions_have_linkage_and_calling_convention_of_windows() {
    let text = "#include <merchantpay_bindings.h>\n\
        const char *version(void);\nconst char *version(void) { return mpay_version(); }\n\
        static void MPAY_CALL log_it(void *data, const mpay_attempt *attempt) { (void)data; (void)attempt; }\n\
        int32_t set(mpay_config *config);\n\
        int32_t set(mpay_config *config) { return mpay_config_set_log_callback(config, log_it, NULL, NULL); }\n";
    let folder = scratch("windows");
    let stdcall = "-Xclang -fdefault-calling-conv=stdcall";
    let targets = [
        ("x86_64", String::new(), "mpay_version"),
        ("x86_64", "-DMPAY_DLL".to_owned(), "__imp_mpay_version"),
        ("i686", stdcall.to_owned(), "_mpay_version"),
        ("i686", format!("-DMPAY_DLL {stdcall}"), "__imp__mpay_version"),
    ];
    for (compiler, standards) in COMPILERS.iter().filter(|(compiler, _)| compiler.starts_with("clang")) {
        let (file, warnings) = (format!("file.{}", extension(compiler)), warnings(compiler));
        fs::write(folder.join(&file), text).unwrap();
        for (standard, (processor, flags, symbol)) in
            standards.iter().flat_map(|standard| targets.iter().map(move |target| (standard, target)))
        {
            let line = format!(
                "{compiler} -std={standard} --target={processor}-pc-windows-msvc -ffreestanding -nostdlibinc \
                 {warnings} {flags} -I$PREFIX/include -c -o object {file}"
            );
            sh(&folder, &line);
            let object = fs::read(folder.join("object")).unwrap();
            let object = String::from_utf8_lossy(&object);
            assert!(object.contains(&format!("{symbol}\0")) && !object.contains("mpay_version@"), "{line}");
        }
    }
}

/// Of `main.c`: the library's version; the codes of a verified message, an unverified message, an invalid argument and a
/// failed call; and the outcome of the failed call.
fn expected() -> String {
    format!("{VERSION} 31 30 10 20 not_sent\n")
}

/// The script must make `./consumer`, which prints what `main.c` prints and then `behind`.
fn links(script: &str, is_shared: bool, behind: &str) {
    let folder = fresh("linking");
    sh(&folder, script);
    assert_eq!(sh(&folder, "unset RUST_BACKTRACE; ./consumer"), expected() + behind, "{script}");
    let dynamic = sh(&folder, "objdump -p consumer");
    let asks = dynamic.lines().any(|line| line.ends_with(&format!(" libmerchantpay.so.{ABI}")));
    assert_eq!(asks, is_shared, "{script}\n{dynamic}");
}

#[test]
fn program_links_in_every_standard_and_way() {
    let shared = "$(pkg-config --cflags --libs merchantpay)";
    let archive = "$(pkg-config --static --cflags --libs merchantpay)";
    links("cc $C/consumer/main.c -o consumer -I$PREFIX/include -L$PREFIX/lib -lmerchantpay", true, "");
    for (compiler, standards) in COMPILERS {
        for standard in [standards[0], standards[standards.len() - 1]] {
            let file = format!("main.{}", extension(compiler));
            // C++ compilers compile the same file, so they must accept C's casts.
            let warnings = warnings(compiler).replace("-Wold-style-cast", "");
            let compile = format!("{compiler} -std={standard} {warnings} {file} -o consumer {shared}");
            links(&format!("cp $C/consumer/main.c {file}; {compile}"), true, "");
        }
    }
    for compiler in ["gcc", "clang"] {
        for flags in [
            format!("-Wl,-Bstatic {archive} -Wl,-Bdynamic"),
            format!("-Wl,--gc-sections -Wl,-Bstatic {archive} -Wl,-Bdynamic"),
            format!("-static {archive}"),
            format!("-static-pie -Wl,--gc-sections {archive}"),
        ] {
            links(&format!("{compiler} $C/consumer/main.c -o consumer {flags}"), false, "");
        }
    }
}

/// As rustc reports them, except those that the compiler driver adds.
#[test]
fn pkg_config_names_what_static_library_needs() {
    let named = "sed -n 's/^Libs.private: *//p' $PREFIX/lib/pkgconfig/merchantpay.pc | xargs -n1 | sort -u";
    let needed = "echo > empty.rs; rustc --crate-type staticlib --print native-static-libs -o libempty.a empty.rs 2>&1 |\
        sed -n 's/^note: native-static-libs: *//p' | xargs -n1 | grep -vx -e -lc -e -lgcc_s | sort -u";
    let folder = scratch("needed");
    let (named, needed) = (sh(&folder, named), sh(&folder, needed));
    assert!(named == needed && !needed.is_empty(), "{named}\n{needed}");
}

const CMAKE: &str = "cmake -S $C/consumer -B . -DCMAKE_PREFIX_PATH=$PREFIX";

#[test]
fn build_systems_link_what_they_are_asked_for() {
    for (options, is_shared) in [
        ("-DKIND=merchantpay", true),
        ("-DKIND=shared", true),
        ("-DKIND=static", false),
        ("-DKIND=merchantpay -DCOMPONENT=shared", true),
        ("-DKIND=merchantpay -DCOMPONENT=static", false),
        ("-DKIND=merchantpay -Dmerchantpay_USE_STATIC_LIBS=ON", false),
    ] {
        links(&format!("{CMAKE} {options} && cmake --build ."), is_shared, "");
    }
    for is_shared in [true, false] {
        let setup = format!("meson setup -Dprefer_static={} . $C/consumer", !is_shared);
        links(&format!("{setup} && meson compile"), is_shared, "");
    }
}

#[test]
fn cmake_refuses_other_versions_and_components() {
    let abi: u32 = ABI.parse().unwrap();
    for (option, is_found) in [
        (format!("-DVERSION={abi}.99"), false),
        (format!("-DVERSION={}", abi + 1), false),
        ("-DCOMPONENT=python".to_owned(), false),
        (format!("-DVERSION={VERSION}"), true),
    ] {
        let script = format!("{CMAKE} -DKIND=merchantpay {option}");
        let output = shell(&fresh("linking"), &script).output().unwrap();
        let said = String::from_utf8_lossy(&output.stderr);
        assert_eq!(output.status.success(), is_found, "{option}: {said}");
    }
}

/// The program links with the libraries in either order, with whole archives, and with `--gc-sections`.
#[test]
fn static_library_stands_beside_another_rust_library() {
    let second =
        "rustc --edition 2024 -C opt-level=1 --crate-type staticlib -o libsecond.a $C/consumer/second.rs";
    let library = "$PREFIX/lib/libmerchantpay.a";
    for archives in [
        format!("libsecond.a {library}"),
        format!("{library} libsecond.a"),
        format!("-Wl,--whole-archive {library} -Wl,--no-whole-archive libsecond.a"),
    ] {
        for compiler in ["gcc -x c", "g++", "clang++"] {
            for flags in ["", "-Wl,--gc-sections", "-static"] {
                let compile = format!("{compiler} $C/consumer/beside.cpp -x none -o consumer {flags}");
                let script = format!("{second} && {compile} {archives} {}", others());
                links(&script, false, "sum 55 caught 1 2\n");
            }
        }
    }
}

/// For the static library, without the library itself.
fn others() -> &'static str {
    "$(pkg-config --cflags merchantpay) $(pkg-config --static --libs-only-l merchantpay | sed s/-lmerchantpay//)"
}

/// The system's, and one in another Rust static library. Neither uses the journal's SQLite.
#[test]
fn static_library_stands_beside_other_sqlites() {
    let third = "rustc --edition 2024 -C opt-level=1 --crate-type staticlib -L $(pkg-config --variable=libdir sqlite3) \
        -l static=sqlite3 -o libthird.a $C/consumer/third.rs";
    let library = "$PREFIX/lib/libmerchantpay.a";
    for archives in [format!("libthird.a {library}"), format!("{library} libthird.a")] {
        let script = format!("{third} && gcc $C/consumer/sqlite.c -o consumer {archives} {} -lm", others());
        let folder = fresh("linking");
        sh(&folder, &script);
        assert_eq!(sh(&folder, "./consumer $PWD/payments.db"), "0 0 rows 3 listed 0 same 1\n", "{script}");
        sh(&folder, "test -s payments.db");
    }
}

/// The archive of `make dist`, in a folder whose name contains a space.
#[test]
fn unpacked_archive_is_found_where_it_is() {
    let here = fresh("linking").join("moved here");
    fs::create_dir(&here).unwrap();
    let archive = run(Command::new(support::root().join("tools/release/archive")).arg(scratch("dist")));
    sh(&here, &format!("tar --strip-components=1 -xzf {}", archive.trim()));
    let cmake = "cmake -S $C/consumer -B \"build $kind\" -DCMAKE_PREFIX_PATH=\"$PWD\" -DKIND=$kind; cmake --build \"build $kind\"";
    for script in [
        // pkg-config prints shell words, and escapes the space.
        "eval cc $C/consumer/main.c -o consumer $(pkg-config --cflags --libs merchantpay)",
        "eval cc $C/consumer/main.c -o consumer -static $(pkg-config --static --cflags --libs merchantpay)",
        &format!("kind=shared; {cmake}; cp \"build shared/consumer\" ."),
        &format!("kind=static; {cmake}; cp \"build static/consumer\" ."),
    ] {
        let command = |script| {
            let mut command = shell(&here, script);
            command
                .env("PKG_CONFIG_PATH", here.join("lib/pkgconfig"))
                .env("LD_LIBRARY_PATH", here.join("lib"));
            run(&mut command)
        };
        command(script);
        assert_eq!(command("./consumer"), expected(), "{script}");
    }
}

#[test]
fn php_reads_declarations_and_calls_library() {
    let script = format!(
        "php -n -d extension=ffi -d ffi.enable=1 $C/consumer/ffi.php $PREFIX/include/merchantpay.ffi.h $PREFIX/lib/libmerchantpay.so.{ABI}"
    );
    assert_eq!(sh(&scratch("php"), &script), format!("{VERSION} {} 0 true\n", number()));
}

/// The version as a number: major * 10000 + minor * 100 + patch.
fn number() -> u32 {
    VERSION.split('.').fold(0, |number, part| number * 100 + part.parse::<u32>().expect("a number"))
}

#[test]
fn every_version_is_the_same() {
    for (path, line) in [
        ("include/merchantpay.h", format!("#define MPAY_HEADER_VERSION \"{VERSION}\"")),
        ("include/merchantpay.h", format!("#define MPAY_HEADER_VERSION_NUMBER {}", number())),
        ("include/merchantpay.h", format!("#define MPAY_HEADER_ABI {ABI}")),
        ("include/merchantpay.ffi.h", format!("enum {{ MPAY_HEADER_VERSION_NUMBER = {} }};", number())),
        ("include/merchantpay.ffi.h", format!("enum {{ MPAY_HEADER_ABI = {ABI} }};")),
        ("lib/pkgconfig/merchantpay.pc", format!("Version: {VERSION}")),
        (
            "lib/cmake/merchantpay/merchantpayConfigVersion.cmake",
            format!("set(PACKAGE_VERSION \"{VERSION}\")"),
        ),
        (
            "lib/cmake/merchantpay/merchantpayConfig.cmake",
            format!("IMPORTED_SONAME \"libmerchantpay.so.{ABI}\""),
        ),
    ] {
        let text = fs::read_to_string(support::prefix().join(path)).unwrap();
        assert!(text.lines().any(|found| found.trim() == line), "{path} does not say {line:?}");
    }
    assert_eq!(sh(&scratch("versions"), "pkg-config --modversion merchantpay").trim(), VERSION);
}

/// What the library says of missing settings, and what the C++ header does.
const MESSAGES: [&str; 4] =
    ["base_url is empty", "are missing: set them", "server_public_key is missing", "cannot be taken"];

#[test]
fn failing_example_prints_message_whichever_compiler_built_it() {
    for (compiler, language) in [("gcc", "c"), ("clang", "c"), ("g++", "cpp"), ("clang++", "cpp")] {
        let source = support::root().join(format!("examples/{language}/first.{language}"));
        // The libraries precede the source, so the linker must keep them all.
        let libraries = "-Wl,--no-as-needed $(pkg-config --cflags --libs merchantpay)";
        let folder = fresh("examples");
        sh(&folder, &format!("{compiler} {libraries} {} -o program", source.display()));
        let mut command = shell(&folder, "./program 2>&1");
        std::env::vars().filter(|(name, _)| name.starts_with("MERCHANTPAY_")).for_each(|(name, _)| {
            command.env_remove(name);
        });
        let output = command.output().unwrap();
        let printed = String::from_utf8_lossy(&output.stdout);
        let is_said = MESSAGES.iter().any(|text| printed.contains(text));
        assert!(is_said && !printed.contains("(null)"), "{compiler}: {printed}");
    }
}
