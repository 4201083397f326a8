//! The programs of `programs`: building them, and the tools that check them.

use std::path::{Path, PathBuf};
use std::process::Command;
use std::sync::{Mutex, PoisonError};

use super::{pkg_config, prefix, root, run, scratch};

/// The folder of the sources.
pub fn sources() -> PathBuf {
    Path::new(env!("CARGO_MANIFEST_DIR")).join("programs")
}

/// A program's sources: its file, the files in the folder of its name, and those of all programs.
pub fn sources_of(name: &str) -> Vec<PathBuf> {
    let parts = std::fs::read_dir(sources().join(name)).into_iter().flatten();
    let mut files: Vec<PathBuf> = parts.map(|entry| entry.unwrap().path()).collect();
    files.sort();
    files.extend(["check", "fields", name].map(|name| sources().join(format!("{name}.c"))));
    files
}

/// Builds a program against the installed library.
pub fn build(name: &str, variant: &str, flags: &[&str]) -> PathBuf {
    let program = scratch("c").join(format!("{name}-{variant}"));
    let library = prefix().join("lib");
    run(Command::new("gcc")
        .args("-std=c99 -g -O1 -Wall -Wextra -Wpedantic -Wstrict-prototypes -Werror -pthread".split(' '))
        .args(flags)
        .args(sources_of(name))
        .args(pkg_config(&["--cflags", "--libs"]))
        .arg(format!("-Wl,-rpath,{}", library.display()))
        .arg("-o")
        .arg(&program));
    program
}

/// Valgrind with one of its tools. It exits with 99 after a finding.
pub fn valgrind(tool: &[&str]) -> Command {
    let mut command = Command::new("valgrind");
    command.args(["--quiet", "--error-exitcode=99", "--num-callers=30"]).args(tool);
    command
}

/// Memcheck, which accepts no memory error and no lost memory.
pub const MEMCHECK: &[&str] = &[
    "--tool=memcheck",
    "--leak-check=full",
    "--errors-for-leak-kinds=definite,indirect",
    "--show-leak-kinds=definite,indirect",
];

const TRIPLE: &str = "x86_64-unknown-linux-gnu";

/// The folder of the library built with a sanitizer, under the usual file name. The build uses a separate
/// target folder, because cargo locks a target folder during a build and other tests build at the same time.
pub fn sanitized(sanitizer: &str, arguments: &[&str]) -> PathBuf {
    static ONE_AT_A_TIME: Mutex<()> = Mutex::new(());
    let target = scratch("sanitized");
    let built = target.join(TRIPLE).join("debug/libmerchantpay_capi.so");
    let folder = target.join(sanitizer);
    std::fs::create_dir_all(&folder).unwrap();
    // All builds put their library under the same name, so only one build runs at a time.
    let _guard = ONE_AT_A_TIME.lock().unwrap_or_else(PoisonError::into_inner);
    run(Command::new(std::env::var_os("CARGO").unwrap_or_else(|| "cargo".into()))
        .current_dir(root())
        .args("rustc --locked --quiet --package merchantpay-capi --lib --crate-type cdylib".split(' '))
        .args(["--target", TRIPLE, "--target-dir"])
        .arg(&target)
        .args(arguments)
        .env("CARGO_INCREMENTAL", "0")
        .env("RUSTC_BOOTSTRAP", "1")
        .env("RUSTFLAGS", format!("-Zsanitizer={sanitizer} -Zexternal-clangrt")));
    std::fs::copy(built, folder.join(concat!("libmerchantpay.so.", env!("CARGO_PKG_VERSION_MAJOR"))))
        .unwrap();
    folder
}

/// Builds a program with ThreadSanitizer and the runtime of this Rust version, which no C
/// compiler includes.
pub fn build_for_thread_sanitizer(library: &Path, name: &str, flags: &[&str]) -> PathBuf {
    let sysroot = run(Command::new("rustc").args(["--print", "sysroot"]));
    let runtimes = Path::new(sysroot.trim()).join("lib/rustlib").join(TRIPLE).join("lib");
    let is_runtime = |path: &PathBuf| path.to_string_lossy().ends_with("_rt.tsan.a");
    let runtime = std::fs::read_dir(runtimes)
        .unwrap()
        .map(|entry| entry.unwrap().path())
        .find(is_runtime)
        .expect("the runtime");
    let objects = sources_of(name).into_iter().map(|source| {
        let object = scratch("c").join(format!("{}-tsan.o", source.file_stem().unwrap().display()));
        let mut compiler = Command::new("gcc");
        compiler
            .args(["-std=c99", "-g", "-fsanitize=thread", "-pthread"])
            .args(flags)
            .args(pkg_config(&["--cflags"]));
        run(compiler.arg("-c").arg(source).arg("-o").arg(&object));
        object
    });
    let objects: Vec<PathBuf> = objects.collect();
    let program = scratch("c").join(format!("{name}-tsan"));
    run(Command::new("g++")
        .arg("-rdynamic")
        .args(objects)
        .arg(library.join(concat!("libmerchantpay.so.", env!("CARGO_PKG_VERSION_MAJOR"))))
        .arg("-Wl,--whole-archive")
        .arg(runtime)
        .args(["-Wl,--no-whole-archive", "-lpthread", "-ldl", "-lm", "-lrt", "-o"])
        .arg(&program));
    program
}
