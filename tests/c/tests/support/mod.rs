//! The installed tree. Every consumer is built with it, never with the work tree.
#![allow(dead_code, reason = "each test program uses a part of it")]

pub mod services;

use std::path::{Path, PathBuf};
use std::process::Command;
use std::sync::OnceLock;
use std::sync::atomic::{AtomicU32, Ordering};

pub const VERSION: &str = env!("CARGO_PKG_VERSION");
pub const ABI: &str = env!("CARGO_PKG_VERSION_MAJOR");

pub fn root() -> &'static Path {
    static ROOT: OnceLock<PathBuf> = OnceLock::new();
    ROOT.get_or_init(|| {
        Path::new(env!("CARGO_MANIFEST_DIR")).join("../..").canonicalize().expect("the project's root")
    })
}

/// In the target folder.
pub fn scratch(name: &str) -> PathBuf {
    let folder = Path::new(env!("CARGO_TARGET_TMPDIR")).join("c").join(name);
    std::fs::create_dir_all(&folder).expect("a folder in the target folder");
    folder
}

/// Empty.
pub fn fresh(name: &str) -> PathBuf {
    static RUNS: AtomicU32 = AtomicU32::new(0);
    let folder = scratch(name).join(RUNS.fetch_add(1, Ordering::Relaxed).to_string());
    std::fs::remove_dir_all(&folder).unwrap_or_default();
    std::fs::create_dir(&folder).expect("a folder in the target folder");
    folder
}

/// `MERCHANTPAY_TEST_PREFIX`, for example an unpacked archive for another target, or what `make install` makes once.
pub fn prefix() -> &'static Path {
    static PREFIX: OnceLock<PathBuf> = OnceLock::new();
    PREFIX.get_or_init(|| {
        if let Some(prefix) = std::env::var_os("MERCHANTPAY_TEST_PREFIX") {
            return prefix.into();
        }
        // It may have files of another version.
        let prefix = scratch("installed");
        std::fs::remove_dir_all(&prefix).expect("it can be emptied");
        let prefix_text = format!("PREFIX={}", prefix.display());
        run(Command::new("make").current_dir(root()).args(["--silent", "install", &prefix_text]));
        prefix
    })
}

/// The installed library, but with its function names.
pub fn unstripped() -> PathBuf {
    let folder = run(&mut Command::new(root().join("tools/release/library")));
    Path::new(folder.trim()).join("libmerchantpay.so.unstripped")
}

/// Under the names that a linker and a program use. Made only once.
pub fn unstripped_folder() -> &'static Path {
    static FOLDER: OnceLock<PathBuf> = OnceLock::new();
    FOLDER.get_or_init(|| {
        let (library, folder) = (unstripped(), scratch("unstripped"));
        for name in ["libmerchantpay.so".to_owned(), format!("libmerchantpay.so.{ABI}")] {
            std::fs::copy(&library, folder.join(name)).expect("the library can be copied");
        }
        folder
    })
}

/// pkg-config and the loader find the installed library. `$PREFIX` is the installed tree, `$C` the folder of this crate.
pub fn shell(folder: &Path, script: &str) -> Command {
    let mut command = Command::new("sh");
    command
        .args(["-euc", script])
        .current_dir(folder)
        .env("PREFIX", prefix())
        .env("C", env!("CARGO_MANIFEST_DIR"))
        .env("PKG_CONFIG_PATH", prefix().join("lib/pkgconfig"))
        .env("LD_LIBRARY_PATH", prefix().join("lib"));
    command
}

/// The script must succeed. Returns its output.
pub fn sh(folder: &Path, script: &str) -> String {
    run(&mut shell(folder, script))
}

/// The command must succeed. Returns its output.
pub fn run(command: &mut Command) -> String {
    let output = command.output().unwrap_or_else(|error| panic!("{command:?}: {error}"));
    let shown = |bytes: &[u8]| String::from_utf8_lossy(bytes).into_owned();
    assert!(
        output.status.success(),
        "{command:?}: {}\n{}\n{}",
        output.status,
        shown(&output.stdout),
        shown(&output.stderr)
    );
    shown(&output.stdout)
}
