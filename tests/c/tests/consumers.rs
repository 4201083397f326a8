//! Programs that are built against the installed tree with each build system, and then run.

mod support;

use std::fs;
use std::path::{Path, PathBuf};
use std::process::Command;

use support::{pkg_config, prefix, root, run, scratch};

/// The folder of the programs' sources.
fn source(name: &str) -> PathBuf {
    Path::new(env!("CARGO_MANIFEST_DIR")).join("consumer").join(name)
}

/// The output of `main.c`: the library's version; the codes of a verified message, an unverified message, an
/// invalid argument and a failed call; and the outcome of the failed call.
fn expected() -> String {
    format!("{} 31 30 10 20 not_sent\n", env!("CARGO_PKG_VERSION"))
}

/// The output of `beside.c`, which follows the output of `main.c`.
const BESIDE: &str = "sum 55 caught 1 2\n";

/// Runs a program with the installed shared library, and returns its output.
fn start(program: &Path) -> String {
    run(Command::new(program).env("LD_LIBRARY_PATH", prefix().join("lib")).env_remove("RUST_BACKTRACE"))
}

/// The shared libraries that a program needs.
fn needed(program: &Path) -> Vec<String> {
    let dynamic = run(Command::new("objdump").arg("-p").arg(program));
    dynamic.lines().filter_map(|line| Some(line.trim().strip_prefix("NEEDED")?.trim().to_owned())).collect()
}

/// Checks that a program runs, prints the expected output, and needs the shared library if the program was
/// linked with that library.
fn check(name: &str, program: &Path, shared: bool, behind: &str) {
    assert_eq!(start(program), format!("{}{behind}", expected()), "{name}");
    let asks = needed(program)
        .iter()
        .any(|library| library == concat!("libmerchantpay.so.", env!("CARGO_PKG_VERSION_MAJOR")));
    assert_eq!(asks, shared, "{name}: {:?}", needed(program));
}

/// Compiles one file, with these arguments after it.
fn compile(compiler: &str, name: &str, file: &str, arguments: &[String]) -> PathBuf {
    let program = scratch("consumers").join(name);
    run(Command::new(compiler).arg(source(file)).arg("-o").arg(&program).args(arguments));
    program
}

fn words(text: &str) -> Vec<String> {
    text.split_whitespace().map(str::to_owned).collect()
}

#[test]
fn plain_cc_needs_no_more_than_l_merchantpay() {
    let place = prefix().display().to_string();
    let program = compile(
        "cc",
        "plain",
        "main.c",
        &[format!("-I{place}/include"), format!("-L{place}/lib"), "-lmerchantpay".to_owned()],
    );
    check("plain", &program, true, "");
}

/// The static library in a dynamic program, and in a completely static program.
#[test]
fn pkg_config_links_the_static_library_into_a_dynamic_and_a_static_program() {
    let flags = |before: &[&str], behind: &[&str]| {
        let mut all = words(&before.join(" "));
        all.extend(pkg_config(&["--static", "--cflags", "--libs"]));
        all.extend(words(&behind.join(" ")));
        all
    };
    for compiler in ["gcc", "clang"] {
        let cases = [
            ("mixed", flags(&["-Wl,-Bstatic"], &["-Wl,-Bdynamic"])),
            ("mixed-gc", flags(&["-Wl,--gc-sections", "-Wl,-Bstatic"], &["-Wl,-Bdynamic"])),
            ("static", flags(&["-static"], &[])),
            ("static-pie", flags(&["-static-pie", "-Wl,--gc-sections"], &[])),
        ];
        for (name, flags) in cases {
            let name = format!("pkg-config-{name}-{compiler}");
            check(&name, &compile(compiler, &name, "main.c", &flags), false, "");
        }
    }
}

/// The stated dependencies of the static library are the libraries that rustc reports, except the libraries
/// that the compiler driver adds.
#[test]
fn pkg_config_names_what_the_static_library_needs() {
    let text = fs::read_to_string(prefix().join("lib/pkgconfig/merchantpay.pc")).expect("merchantpay.pc");
    let private = text.lines().find_map(|line| line.strip_prefix("Libs.private:")).expect("Libs.private");
    let mut named = words(private);
    let empty = scratch("consumers").join("empty.rs");
    fs::write(&empty, "").expect("it can be written");
    let output = Command::new("rustc")
        .args(["--crate-type", "staticlib", "--print", "native-static-libs", "-o"])
        .arg(scratch("consumers").join("libempty.a"))
        .arg(empty)
        .output()
        .expect("rustc");
    let said = String::from_utf8(output.stderr).expect("text");
    let line = said
        .lines()
        .find_map(|line| line.strip_prefix("note: native-static-libs:"))
        .unwrap_or_else(|| panic!("{said}"));
    let mut needed: Vec<_> =
        words(line).into_iter().filter(|library| library != "-lc" && library != "-lgcc_s").collect();
    named.sort();
    needed.sort();
    needed.dedup();
    assert_eq!(named, needed);
}

#[test]
fn a_target_of_cmake_links_the_library_that_it_says() {
    let cases = [
        ("default", "merchantpay", "", "", true),
        ("shared", "shared", "", "", true),
        ("static", "static", "", "", false),
        ("component-shared", "merchantpay", "shared", "", true),
        ("component-static", "merchantpay", "static", "", false),
        ("variable", "merchantpay", "", "ON", false),
    ];
    for (name, kind, component, use_static, shared) in cases {
        let folder = scratch(&format!("consumers/cmake-{name}"));
        run(configure(&folder, prefix())
            .arg(format!("-DKIND={kind}"))
            .arg(format!("-DCOMPONENT={component}"))
            .arg(format!("-Dmerchantpay_USE_STATIC_LIBS={use_static}")));
        run(Command::new("cmake").arg("--build").arg(&folder));
        check(name, &folder.join("consumer"), shared, "");
    }
}

fn configure(folder: &Path, prefix: &Path) -> Command {
    let mut command = Command::new("cmake");
    command
        .arg("-S")
        .arg(source(""))
        .arg("-B")
        .arg(folder)
        .arg(format!("-DCMAKE_PREFIX_PATH={}", prefix.display()));
    command
}

#[test]
fn cmake_is_refused_what_is_not_there() {
    let abi: u32 = env!("CARGO_PKG_VERSION_MAJOR").parse().expect("a number");
    let newer = format!("{abi}.99");
    let other_abi = (abi + 1).to_string();
    let cases = [
        ("VERSION", newer.as_str(), false),
        ("VERSION", &other_abi, false),
        ("COMPONENT", "python", false),
        ("VERSION", env!("CARGO_PKG_VERSION"), true),
    ];
    for (index, (variable, value, found)) in cases.into_iter().enumerate() {
        let folder = scratch(&format!("consumers/cmake-asks-{index}"));
        let output = configure(&folder, prefix())
            .arg("-DKIND=merchantpay")
            .arg(format!("-D{variable}={value}"))
            .output()
            .expect("cmake");
        assert_eq!(
            output.status.success(),
            found,
            "{variable}={value}: {}",
            String::from_utf8_lossy(&output.stderr)
        );
    }
}

#[test]
fn meson_links_the_library_that_it_is_asked_for() {
    for (name, prefer_static) in [("shared", false), ("static", true)] {
        let folder = scratch(&format!("consumers/meson-{name}"));
        fs::remove_dir_all(&folder).expect("it can be emptied");
        run(Command::new("meson")
            .arg("setup")
            .arg(format!("-Dprefer_static={prefer_static}"))
            .arg(&folder)
            .arg(source(""))
            .env("PKG_CONFIG_PATH", prefix().join("lib/pkgconfig")));
        run(Command::new("meson").args(["compile", "-C"]).arg(&folder));
        check(name, &folder.join("consumer"), !prefer_static, "");
    }
}

/// The program links with the libraries in either order, with whole archives, and with `--gc-sections`.
#[test]
fn the_static_library_stands_beside_another_rust_library() {
    let place = scratch("consumers");
    let second = place.join("libsecond.a");
    run(Command::new("rustc")
        .args(["--edition", "2024", "-C", "opt-level=1", "--crate-type", "staticlib", "-o"])
        .arg(&second)
        .arg(source("second.rs")));
    let second = second.display().to_string();
    let library = prefix().join("lib/libmerchantpay.a").display().to_string();
    let whole = ["-Wl,--whole-archive", &library, "-Wl,--no-whole-archive", &second];
    let cases = [
        ("after", vec![second.as_str(), &library]),
        ("before", vec![&library, &second]),
        ("whole", whole.to_vec()),
    ];
    for (order, archives) in cases {
        for (compiler, file) in [("gcc", "beside.c"), ("g++", "beside.cpp"), ("clang++", "beside.cpp")] {
            for extra in ["", "-Wl,--gc-sections", "-static"] {
                let name = format!("beside-{order}-{compiler}{extra}");
                let mut arguments = words(extra);
                arguments.extend(pkg_config(&["--cflags"]));
                arguments.extend(archives.iter().map(|&archive| archive.to_owned()));
                arguments.extend(
                    pkg_config(&["--static", "--libs-only-l"])
                        .into_iter()
                        .filter(|flag| flag != "-lmerchantpay"),
                );
                check(&name, &compile(compiler, &name, file, &arguments), false, BESIDE);
            }
        }
    }
}

/// A program uses the system's SQLite and a Rust static library that contains another SQLite. Neither of
/// these two uses the journal's SQLite.
#[test]
fn the_static_library_stands_beside_another_sqlite_and_a_rust_library_with_one() {
    let place = scratch("consumers");
    let third = place.join("libthird.a");
    let folder = run(Command::new("pkg-config").args(["--variable=libdir", "sqlite3"]));
    run(Command::new("rustc")
        .args(["--edition", "2024", "-C", "opt-level=1", "--crate-type", "staticlib"])
        .args(["-L", folder.trim(), "-l", "static=sqlite3", "-o"])
        .arg(&third)
        .arg(source("third.rs")));
    let third = third.display().to_string();
    let library = prefix().join("lib/libmerchantpay.a").display().to_string();
    for (order, archives) in [("after", [&third, &library]), ("before", [&library, &third])] {
        let name = format!("sqlite-{order}");
        let mut arguments = pkg_config(&["--cflags"]);
        arguments.extend(archives.map(String::clone));
        let libs = pkg_config(&["--static", "--libs-only-l"]);
        arguments.extend(libs.into_iter().filter(|flag| flag != "-lmerchantpay"));
        arguments.push("-lm".to_owned());
        let program = compile("gcc", &name, "sqlite.c", &arguments);
        let file = place.join(format!("{name}.db"));
        let _ = fs::remove_file(&file);
        assert_eq!(run(Command::new(&program).arg(&file)), "0 0 rows 3 listed 0 same 1\n", "{name}");
        assert!(fs::metadata(&file).is_ok_and(|file| file.len() > 0), "the journal made its file");
    }
}

/// The static library has one global symbol for each function, and no other symbol that could collide.
#[test]
fn the_static_library_defines_nothing_but_the_functions() {
    let defined = run(Command::new("nm")
        .args(["--defined-only", "--extern-only", "--format=just-symbols"])
        .arg(prefix().join("lib/libmerchantpay.a")));
    let mut defined: Vec<_> =
        defined.lines().filter(|line| !line.is_empty() && !line.ends_with(':')).collect();
    defined.sort_unstable();
    let committed = fs::read_to_string(root().join("tests/c/abi/symbols.txt")).expect("the committed list");
    assert_eq!(defined, committed.lines().collect::<Vec<_>>());
}

/// The archive of `make dist`, in a folder whose name contains a space.
#[test]
fn an_unpacked_archive_is_found_where_it_is() {
    let place = scratch("consumers/moved here");
    let archive = run(Command::new(root().join("tools/release/archive")).arg(scratch("consumers/dist")));
    run(Command::new("tar").args(["--strip-components=1", "-xzf", archive.trim()]).current_dir(&place));
    let moved = |program: &Path| run(Command::new(program).env("LD_LIBRARY_PATH", place.join("lib")));

    for (name, link) in [
        ("shared", "$(pkg-config --libs merchantpay)"),
        ("static", "-static $(pkg-config --static --libs merchantpay)"),
    ] {
        let program = place.join(name);
        // pkg-config prints shell words, and escapes the space.
        run(Command::new("sh")
            .args([
                "-ec",
                &format!("eval cc '\"$1\"' -o '\"$2\"' $(pkg-config --cflags merchantpay) {link}"),
                "sh",
            ])
            .arg(source("main.c"))
            .arg(&program)
            .env("PKG_CONFIG_PATH", place.join("lib/pkgconfig")));
        assert_eq!(moved(&program), expected(), "{name}");
    }
    for kind in ["shared", "static"] {
        let folder = place.join(format!("build {kind}"));
        run(configure(&folder, &place).arg(format!("-DKIND={kind}")));
        run(Command::new("cmake").arg("--build").arg(&folder));
        assert_eq!(moved(&folder.join("consumer")), expected(), "{kind}");
    }
}
